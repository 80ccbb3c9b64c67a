// Chapter 9, the algorithm: the scanner as loops over one index, which only moves forward, and filling on top of it. No
// recursion, so nesting and length cost no stack. Each method is proved equal to its definition.
include "09-Splice.dfy"
include "09-Splice.Proofs.dfy"

module SpliceFast {
  import opened Entries
  import opened Splice
  import opened SpliceProofs

  /** Computes `SkipSpace`. */
  method SkipSpaceLoop(t: Text, i: nat) returns (j: nat)
    requires i <= |t|
    ensures j == SkipSpace(t, i)
  {
    j := i;
    while j < |t| && IsSpace(t[j])
      invariant i <= j <= |t|
      invariant SkipSpace(t, j) == SkipSpace(t, i)
    {
      j := j + 1;
    }
  }

  /** Computes `StringEnd`. */
  method StringEndLoop(t: Text, i: nat) returns (end: Option<nat>)
    requires i <= |t|
    ensures end == StringEnd(t, i)
  {
    if i == |t| || t[i] != Quote {
      return None;
    }
    var j := i + 1;
    while j < |t| && t[j] != Quote
      invariant i < j <= |t|
      invariant BodyEnd(t, j) == StringEnd(t, i)
      decreases |t| - j
    {
      var n := CharLength(t, j);
      if n == 0 {
        return None;
      }
      j := j + n;
    }
    if j == |t| {
      return None;
    }
    return Some(j + 1);
  }

  /** Computes the end of a nested value whose opening byte stands at `i`. Depth is a number here, not a stack. */
  method NestedEndLoop(t: Text, i: nat) returns (end: Option<nat>)
    requires i < |t|
    requires Opens(t[i])
    ensures end == ValueEnd(t, i)
  {
    var j := i + 1;
    var depth: nat := 1;
    while depth > 0
      invariant i < j <= |t|
      invariant NestedEnd(t, j, depth) == ValueEnd(t, i)
      decreases |t| - j
    {
      if j == |t| {
        return None;
      }
      if t[j] == Quote {
        var skipped := StringEndLoop(t, j);
        if skipped.None? {
          return None;
        }
        j := skipped.value;
      } else {
        if Opens(t[j]) {
          depth := depth + 1;
        } else if Closes(t[j]) {
          depth := depth - 1;
        }
        j := j + 1;
      }
    }
    return Some(j);
  }

  /** Computes `ValueEnd`. */
  method ValueEndLoop(t: Text, i: nat) returns (end: Option<nat>)
    requires i <= |t|
    ensures end == ValueEnd(t, i)
  {
    if i == |t| {
      return None;
    }
    if t[i] == Quote {
      end := StringEndLoop(t, i);
    } else if Opens(t[i]) {
      end := NestedEndLoop(t, i);
    } else if IsScalar(t[i]) {
      var j := i + 1;
      while j < |t| && IsScalar(t[j])
        invariant i < j <= |t|
        invariant ScalarEnd(t, j) == ScalarEnd(t, i + 1)
      {
        j := j + 1;
      }
      end := Some(j);
    } else {
      end := None;
    }
  }

  /** Computes `MemberAt`. */
  method MemberLoop(t: Text, i: nat) returns (member: Option<Member>)
    requires i <= |t|
    ensures member == MemberAt(t, i)
  {
    var keyStart := SkipSpaceLoop(t, i);
    var keyEnd := StringEndLoop(t, keyStart);
    if keyEnd.None? {
      return None;
    }
    var colon := SkipSpaceLoop(t, keyEnd.value);
    if colon == |t| || t[colon] != Colon {
      return None;
    }
    var valueStart := SkipSpaceLoop(t, colon + 1);
    var valueEnd := ValueEndLoop(t, valueStart);
    if valueEnd.None? {
      return None;
    }
    return Some(Member(keyStart, keyEnd.value, valueStart, valueEnd.value));
  }

  /** A comma and a member: the scan that began with `members` goes on with one more. */
  lemma OneMoreMember(t: Text, i: nat, next: nat, members: seq<Member>, m: Member)
    requires i <= |t|
    requires next == SkipSpace(t, i) < |t|
    requires t[next] == Comma
    requires MemberAt(t, next + 1) == Some(m)
    ensures Prepend(members, Rest(t, i)) == Prepend(members + [m], Rest(t, m.valueEnd))
  {
    RestAtAMember(t, i, next, m);
    PrependTwice(members, [m], Rest(t, m.valueEnd));
  }

  /** A comma without a member, or neither a comma nor a closing brace: the scan gives nothing. */
  lemma ScanBreaksOff(t: Text, i: nat, members: seq<Member>)
    requires i <= |t|
    requires
      var next := SkipSpace(t, i);
      next < |t| ==> if t[next] == Comma then MemberAt(t, next + 1) == None else t[next] != CloseBrace
    ensures Prepend(members, Rest(t, i)) == None
  {
  }

  /** A closing brace: the scan that began with `members` ends with these. */
  lemma EndsAtTheBrace(t: Text, i: nat, next: nat, members: seq<Member>)
    requires i <= |t|
    requires next == SkipSpace(t, i) < |t|
    requires t[next] == CloseBrace
    ensures Prepend(members, Rest(t, i)) == Some(Scan(members, next))
  {
    assert members + [] == members;
  }

  /** Computes what follows a value, behind the members found so far: as long as a comma comes, one more. */
  method RestLoop(t: Text, i: nat, found: seq<Member>) returns (scan: Option<Scan>)
    requires i <= |t|
    ensures scan == Prepend(found, Rest(t, i))
  {
    hide Rest, Prepend, SkipSpace;
    var members := found;
    var j := i;
    var next := SkipSpaceLoop(t, j);
    while next < |t| && t[next] == Comma
      invariant j <= |t|
      invariant next == SkipSpace(t, j)
      invariant Prepend(members, Rest(t, j)) == Prepend(found, Rest(t, i))
      decreases |t| - j
    {
      var member := MemberLoop(t, next + 1);
      if member.None? {
        ScanBreaksOff(t, j, members);
        return None;
      }
      OneMoreMember(t, j, next, members, member.value);
      members := members + [member.value];
      j := member.value.valueEnd;
      next := SkipSpaceLoop(t, j);
    }
    if next == |t| || t[next] != CloseBrace {
      ScanBreaksOff(t, j, members);
      return None;
    }
    EndsAtTheBrace(t, j, next, members);
    return Some(Scan(members, next));
  }

  /** Computes `Inside`. */
  method InsideLoop(t: Text, i: nat) returns (scan: Option<Scan>)
    requires i <= |t|
    ensures scan == Inside(t, i)
  {
    var next := SkipSpaceLoop(t, i);
    if next < |t| && t[next] == CloseBrace {
      return Some(Scan([], next));
    }
    var member := MemberLoop(t, i);
    if member.None? {
      return None;
    }
    scan := RestLoop(t, member.value.valueEnd, [member.value]);
  }

  /** Computes `ScanObject`. */
  method ScanLoop(t: Text) returns (scan: Option<Scan>)
    ensures scan == ScanObject(t)
  {
    var open := SkipSpaceLoop(t, 0);
    if open == |t| || t[open] != OpenBrace {
      return None;
    }
    scan := InsideLoop(t, open + 1);
    if scan.Some? {
      var end := SkipSpaceLoop(t, scan.value.close + 1);
      if end != |t| {
        return None;
      }
    }
  }

  /** Computes `Units`: the code units of a string, from a position inside it to its end. */
  method UnitsLoop(t: Text, i: nat) returns (units: seq<nat>)
    requires i <= |t|
    ensures units == Units(t, i)
  {
    units := [];
    var j := i;
    while j < |t|
      invariant i <= j <= |t|
      invariant units + Units(t, j) == Units(t, i)
      decreases |t| - j
    {
      var n := CharLength(t, j);
      if n == 0 {
        break;
      }
      assert units + ([CharUnit(t, j)] + Units(t, j + n)) == units + [CharUnit(t, j)] + Units(t, j + n);
      units := units + [CharUnit(t, j)];
      j := j + n;
    }
    assert units + [] == units;
  }

  /** Computes the keys of the members, decoded where they stand. */
  method KeysLoop(t: Text, members: seq<Member>) returns (keys: set<seq<nat>>)
    requires forall m | m in members :: Placed(m, 0, |t|)
    requires forall m | m in members :: Whole(t, m)
    ensures keys == KeySet(FieldsAt(t, members))
  {
    var found: seq<seq<nat>> := [];
    for n := 0 to |members|
      invariant (set k | k in found) == KeySet(FieldsAt(t, members[..n]))
    {
      var m := members[n];
      assert Whole(t, m);
      var units := UnitsLoop(t, m.keyStart + 1);
      KeyDecodesInPlace(t, m);
      assert members[..n + 1] == members[..n] + [m];
      FieldsAtBoth(t, members[..n], [m]);
      KeySetOfBoth(FieldsAt(t, members[..n]), FieldsAt(t, [m]));
      assert KeysOf(FieldsAt(t, [m])) == [units];
      found := found + [units];
    }
    assert members[..|members|] == members;
    keys := set k | k in found;
  }

  /** Computes `Missing`: one walk over the required fields, with the keys seen so far. */
  method MissingLoop(present: set<seq<nat>>, required: seq<Field>) returns (missing: seq<Field>)
    ensures missing == Missing(present, required)
  {
    missing := [];
    var seen := present;
    for n := 0 to |required|
      invariant missing == Missing(present, required[..n])
      invariant seen == present + KeySet(required[..n])
    {
      var f := required[n];
      var units := UnitsLoop(f.key, if |f.key| == 0 then 0 else 1);
      assert required[..n + 1][..n] == required[..n];
      KeySetOfTheLast(required[..n + 1]);
      if units !in seen {
        missing := missing + [f];
        seen := seen + {units};
      }
    }
    assert required[..|required|] == required;
  }

  /** What is inserted for one more field. */
  lemma InsertionOfOne(before: Text, comma: bool, f: Field)
    ensures before + Insertion(comma, [f]) == before + (if comma then [Comma] else []) + f.key + [Colon] + f.value
  {
    assert Written([f]) == [Comma] + f.key + [Colon] + f.value;
    assert Written([f])[1..] == f.key + [Colon] + f.value;
  }

  /** Computes `Insertion`. */
  method InsertionLoop(hasMembers: bool, fields: seq<Field>) returns (inserted: Text)
    ensures inserted == Insertion(hasMembers, fields)
  {
    inserted := [];
    for n := 0 to |fields|
      invariant inserted == Insertion(hasMembers, fields[..n])
    {
      var f := fields[n];
      assert fields[..n + 1] == fields[..n] + [f];
      InsertionBoth(hasMembers, fields[..n], [f]);
      InsertionOfOne(inserted, hasMembers || n > 0, f);
      if hasMembers || n > 0 {
        inserted := inserted + [Comma];
      }
      inserted := inserted + f.key + [Colon] + f.value;
    }
    assert fields[..|fields|] == fields;
  }

  /** Computes `FillText`; none if the line holds no object. */
  method FillLoop(t: Text, required: seq<Field>) returns (filled: Option<Text>)
    ensures filled == if Scans(t) then Some(FillText(t, required)) else None
  {
    var scan := ScanLoop(t);
    if scan.None? {
      return None;
    }
    var close := scan.value.close;
    MembersAreWhole(t);
    var keys := KeysLoop(t, scan.value.members);
    var missing := MissingLoop(keys, required);
    var inserted := InsertionLoop(|scan.value.members| > 0, missing);
    return Some(t[..close] + inserted + t[close..]);
  }
}

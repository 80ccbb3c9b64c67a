// Chapter 9, proofs: what a scan finds depends on the bytes that it reads and on nothing else; so a spliced line scans
// to the old members in their old places and the new ones after them. Filling, filling again, and filling in steps.
include "08-Backfill.dfy"
include "09-Splice.dfy"

module SpliceProofs {
  import opened Names
  import opened Entries
  import opened Splice
  import Backfill

  // ---- A scan depends only on what it reads ----

  /** The bytes of `a` in `[i, j)` stand in `b` too, `d` positions further on. */
  ghost predicate Agree(a: Text, b: Text, i: nat, j: nat, d: int) {
    && i <= j <= |a|
    && 0 <= i + d
    && j + d <= |b|
    && (forall x {:trigger a[x]} | i <= x < j :: b[x + d] == a[x])
  }

  /** White space is skipped alike, provided it stops there in both. */
  lemma SkipSpaceIsLocal(a: Text, b: Text, i: nat, d: int)
    requires i <= |a|
    requires Agree(a, b, i, SkipSpace(a, i), d)
    requires SkipSpace(a, i) + d < |b| ==> !IsSpace(b[SkipSpace(a, i) + d])
    ensures SkipSpace(b, i + d) == SkipSpace(a, i) + d
    decreases |a| - i
  {
    if SkipSpace(a, i) > i {
      assert b[i + d] == a[i];
      SkipSpaceIsLocal(a, b, i + 1, d);
    }
  }

  /** White space is skipped alike in front of a byte that both have. */
  lemma SkipSpaceToAByteIsLocal(a: Text, b: Text, i: nat, j: nat, d: int)
    requires i <= |a|
    requires SkipSpace(a, i) < j
    requires Agree(a, b, i, j, d)
    ensures SkipSpace(b, i + d) == SkipSpace(a, i) + d
  {
    assert b[SkipSpace(a, i) + d] == a[SkipSpace(a, i)];
    SkipSpaceIsLocal(a, b, i, d);
  }

  /** A character of a string is read from its own bytes. */
  lemma CharIsLocal(a: Text, b: Text, i: nat, d: int)
    requires i < |a|
    requires CharLength(a, i) > 0
    requires Agree(a, b, i, i + CharLength(a, i), d)
    ensures CharLength(b, i + d) == CharLength(a, i)
    ensures CharUnit(b, i + d) == CharUnit(a, i)
  {
    var n := CharLength(a, i);
    assert b[i + d] == a[i];
    if n >= 2 {
      assert b[i + 1 + d] == a[i + 1];
    }
  }

  /** The rest of a string is read from its own bytes. */
  lemma BodyEndIsLocal(a: Text, b: Text, i: nat, d: int)
    requires i <= |a|
    requires BodyEnd(a, i).Some?
    requires Agree(a, b, i, BodyEnd(a, i).value, d)
    ensures BodyEnd(b, i + d) == Some(BodyEnd(a, i).value + d)
    decreases |a| - i
  {
    assert b[i + d] == a[i];
    if a[i] != Quote {
      CharIsLocal(a, b, i, d);
      BodyEndIsLocal(a, b, i + CharLength(a, i), d);
    }
  }

  /** A string is read from its own bytes. */
  lemma StringEndIsLocal(a: Text, b: Text, i: nat, d: int)
    requires i <= |a|
    requires StringEnd(a, i).Some?
    requires Agree(a, b, i, StringEnd(a, i).value, d)
    ensures StringEnd(b, i + d) == Some(StringEnd(a, i).value + d)
  {
    assert b[i + d] == a[i];
    BodyEndIsLocal(a, b, i + 1, d);
  }

  /** A nested value is read from its own bytes, from any depth. */
  lemma NestedEndIsLocal(a: Text, b: Text, i: nat, depth: nat, d: int)
    requires i <= |a|
    requires NestedEnd(a, i, depth).Some?
    requires Agree(a, b, i, NestedEnd(a, i, depth).value, d)
    ensures NestedEnd(b, i + d, depth) == Some(NestedEnd(a, i, depth).value + d)
    decreases |a| - i
  {
    if depth > 0 {
      if a[i] == Quote {
        assert b[i + d] == a[i];
        var end := StringEnd(a, i).value;
        StringEndIsLocal(a, b, i, d);
        NestedEndIsLocal(a, b, end, depth, d);
      } else {
        var next: nat := if Opens(a[i]) then depth + 1 else if Closes(a[i]) then depth - 1 else depth;
        assert b[i + d] == a[i];
        NestedEndIsLocal(a, b, i + 1, next, d);
      }
    }
  }

  /** A scalar is read from its own bytes, provided it stops there in both. */
  lemma ScalarEndIsLocal(a: Text, b: Text, i: nat, d: int)
    requires i <= |a|
    requires Agree(a, b, i, ScalarEnd(a, i), d)
    requires ScalarEnd(a, i) + d < |b| ==> !IsScalar(b[ScalarEnd(a, i) + d])
    ensures ScalarEnd(b, i + d) == ScalarEnd(a, i) + d
    decreases |a| - i
  {
    if ScalarEnd(a, i) > i {
      assert b[i + d] == a[i];
      ScalarEndIsLocal(a, b, i + 1, d);
    }
  }

  /** A value is read from its own bytes, if no scalar byte follows it: `1` before a comma is the value that it was before
    * a brace. */
  lemma ValueEndIsLocal(a: Text, b: Text, i: nat, d: int)
    requires i <= |a|
    requires ValueEnd(a, i).Some?
    requires Agree(a, b, i, ValueEnd(a, i).value, d)
    requires ValueEnd(a, i).value + d < |b| ==> !IsScalar(b[ValueEnd(a, i).value + d])
    ensures ValueEnd(b, i + d) == Some(ValueEnd(a, i).value + d)
  {
    assert b[i + d] == a[i];
    if a[i] == Quote {
      StringEndIsLocal(a, b, i, d);
    } else if Opens(a[i]) {
      NestedEndIsLocal(a, b, i + 1, 1, d);
    } else {
      ScalarEndIsLocal(a, b, i + 1, d);
    }
  }

  /** A member whose positions are `d` further on. */
  function Moved(m: Member, d: int): Member
    requires 0 <= m.keyStart + d
    requires Placed(m, 0, m.valueEnd)
  {
    Member(m.keyStart + d, m.keyEnd + d, m.valueStart + d, m.valueEnd + d)
  }

  /** The member at a position, put together from its parts. */
  lemma MemberAtIs(t: Text, i: nat, colon: nat, m: Member)
    requires i <= |t|
    requires m.keyStart == SkipSpace(t, i)
    requires StringEnd(t, m.keyStart) == Some(m.keyEnd)
    requires colon == SkipSpace(t, m.keyEnd) < |t|
    requires t[colon] == Colon
    requires m.valueStart == SkipSpace(t, colon + 1)
    requires ValueEnd(t, m.valueStart) == Some(m.valueEnd)
    ensures MemberAt(t, i) == Some(m)
  {
  }

  /** The parts of the member at a position, the colon among them. */
  lemma MemberAtParts(t: Text, i: nat) returns (colon: nat)
    requires i <= |t|
    requires MemberAt(t, i).Some?
    ensures var m := MemberAt(t, i).value;
            && m.keyStart == SkipSpace(t, i)
            && StringEnd(t, m.keyStart) == Some(m.keyEnd)
            && colon == SkipSpace(t, m.keyEnd) < m.valueEnd <= |t|
            && t[colon] == Colon
            && m.valueStart == SkipSpace(t, colon + 1) < m.valueEnd
            && ValueEnd(t, m.valueStart) == Some(m.valueEnd)
  {
    colon := SkipSpace(t, MemberAt(t, i).value.keyEnd);
  }

  /** A member is read from its own bytes, if no scalar byte follows it. */
  lemma MemberIsLocal(a: Text, b: Text, i: nat, d: int)
    requires i <= |a|
    requires MemberAt(a, i).Some?
    requires Agree(a, b, i, MemberAt(a, i).value.valueEnd, d)
    requires var end := MemberAt(a, i).value.valueEnd + d; end < |b| ==> !IsScalar(b[end])
    ensures MemberAt(b, i + d) == Some(Moved(MemberAt(a, i).value, d))
  {
    var m := MemberAt(a, i).value;
    hide MemberAt, StringEnd, ValueEnd, SkipSpace, Agree;
    AgreesWithin(a, b, i, i, m.valueStart, m.valueEnd, d);
    var colon := KeyIsLocal(a, i, b, d);
    AgreesWithin(a, b, i, colon + 1, m.valueEnd, m.valueEnd, d);
    SkipSpaceToAByteIsLocal(a, b, colon + 1, m.valueEnd, d);
    AgreesWithin(a, b, i, m.valueStart, m.valueEnd, m.valueEnd, d);
    ValueEndIsLocal(a, b, m.valueStart, d);
    MemberAtIs(b, i + d, colon + d, Moved(m, d));
  }

  /** The code units of a string are read from its own bytes. */
  lemma UnitsAreLocal(a: Text, b: Text, i: nat, d: int)
    requires i <= |a|
    requires BodyEnd(a, i).Some?
    requires Agree(a, b, i, BodyEnd(a, i).value, d)
    ensures Units(b, i + d) == Units(a, i)
    decreases |a| - i
  {
    assert b[i + d] == a[i];
    if a[i] != Quote {
      CharIsLocal(a, b, i, d);
      UnitsAreLocal(a, b, i + CharLength(a, i), d);
    }
  }

  // ---- The scan of a spliced line ----

  /** Nothing in front changes nothing. */
  lemma PrependNothing(scan: Option<Scan>)
    ensures Prepend([], scan) == scan
  {
    if scan.Some? {
      assert [] + scan.value.members == scan.value.members;
    }
  }

  /** Members in front one after the other are members in front at once. */
  lemma PrependTwice(first: seq<Member>, second: seq<Member>, scan: Option<Scan>)
    ensures Prepend(first, Prepend(second, scan)) == Prepend(first + second, scan)
  {
    if scan.Some? {
      assert first + (second + scan.value.members) == first + second + scan.value.members;
    }
  }

  /** Skipping white space again skips nothing. */
  lemma SkipSpaceTwice(t: Text, i: nat)
    requires i <= |t|
    ensures SkipSpace(t, SkipSpace(t, i)) == SkipSpace(t, i)
  {
  }

  /** What follows a value does not depend on the white space before it. */
  lemma RestSkipsSpace(t: Text, i: nat, j: nat)
    requires i <= |t|
    requires j == SkipSpace(t, i)
    ensures Rest(t, i) == Rest(t, j)
  {
    SkipSpaceTwice(t, i);
  }

  /** No scalar byte follows the last byte of a value inside an object. */
  lemma NoScalarAfterAValue(t: Text, i: nat)
    requires i <= |t|
    requires Rest(t, i).Some?
    ensures i < |t|
    ensures !IsScalar(t[i])
  {
    if SkipSpace(t, i) > i {
      assert IsSpace(t[i]);
    }
  }

  /** What follows a value, when it is a comma and a member. */
  lemma RestAtAMember(t: Text, i: nat, next: nat, m: Member)
    requires i <= |t|
    requires next == SkipSpace(t, i) < |t|
    requires t[next] == Comma
    requires MemberAt(t, next + 1) == Some(m)
    ensures m.valueEnd <= |t|
    ensures Rest(t, i) == Prepend([m], Rest(t, m.valueEnd))
  {
  }

  /** What follows a value is the closing brace, or a comma, a member and what follows that. */
  lemma RestParts(t: Text, i: nat)
    requires i <= |t|
    requires Rest(t, i).Some?
    ensures var next := SkipSpace(t, i);
            && next < |t|
            && (t[next] == CloseBrace ==> Rest(t, i) == Some(Scan([], next)))
            && (t[next] != CloseBrace ==>
                  && t[next] == Comma
                  && MemberAt(t, next + 1).Some?
                  && Rest(t, MemberAt(t, next + 1).value.valueEnd).Some?
                  && Rest(t, i) == Prepend([MemberAt(t, next + 1).value], Rest(t, MemberAt(t, next + 1).value.valueEnd)))
  {
  }

  /** A member before the closing brace is the same member when that brace gives way to a comma. */
  lemma MemberGoesOn(a: Text, b: Text, i: nat)
    requires i <= |a|
    requires MemberAt(a, i).Some?
    requires Rest(a, MemberAt(a, i).value.valueEnd).Some?
    requires var close := Rest(a, MemberAt(a, i).value.valueEnd).value.close;
             && Agree(a, b, i, close, 0)
             && close < |b|
             && (b[close] == Comma || b[close] == CloseBrace)
    ensures MemberAt(b, i) == MemberAt(a, i)
  {
    var end := MemberAt(a, i).value.valueEnd;
    NoScalarAfterAValue(a, end);
    if end < Rest(a, end).value.close {
      assert b[end] == a[end];
    }
    MemberIsLocal(a, b, i, 0);
  }

  /** When the closing brace gives way to a comma, the scan finds the same members up to there and goes on. The induction
    * follows the scan, member by member. */
  lemma RestGoesOn(a: Text, b: Text, i: nat, close: nat)
    requires i <= |a|
    requires Rest(a, i).Some?
    requires close == Rest(a, i).value.close < |b|
    requires Agree(a, b, i, close, 0)
    requires b[close] == Comma || b[close] == CloseBrace
    ensures Rest(b, i) == Prepend(Rest(a, i).value.members, Rest(b, close))
    decreases |a| - i
  {
    hide Rest, MemberAt;
    RestParts(a, i);
    var next := SkipSpace(a, i);
    if a[next] == CloseBrace {
      SkipSpaceIsLocal(a, b, i, 0);
      RestSkipsSpace(b, i, close);
      PrependNothing(Rest(b, close));
    } else {
      var m := MemberAt(a, next + 1).value;
      var after := Rest(a, m.valueEnd);
      assert Rest(a, i).value.members == [m] + after.value.members;
      calc {
        Rest(b, i);
        { SkipSpaceToAByteIsLocal(a, b, i, close, 0);
          assert b[next] == a[next];
          MemberGoesOn(a, b, next + 1);
          RestAtAMember(b, i, next, m); }
        Prepend([m], Rest(b, m.valueEnd));
        { RestGoesOn(a, b, m.valueEnd, close); }
        Prepend([m], Prepend(after.value.members, Rest(b, close)));
        { PrependTwice([m], after.value.members, Rest(b, close)); }
        Prepend([m] + after.value.members, Rest(b, close));
      }
    }
  }

  /** A text that stands in another one as a whole agrees with it. */
  lemma SliceAgrees(a: Text, b: Text, d: nat)
    requires d + |a| <= |b|
    requires b[d..d + |a|] == a
    ensures Agree(a, b, 0, |a|, d)
  {
    forall x {:trigger a[x]} | 0 <= x < |a|
      ensures b[x + d] == a[x]
    {
      assert b[d..d + |a|][x] == b[x + d];
    }
  }

  /** A field that is written is read as the member that it is. */
  lemma WrittenFieldScans(t: Text, start: nat, f: Field)
    requires Writable(f)
    requires Place(f, start).valueEnd < |t|
    requires t[start..Place(f, start).keyEnd] == f.key
    requires t[Place(f, start).keyEnd] == Colon
    requires t[Place(f, start).valueStart..Place(f, start).valueEnd] == f.value
    requires !IsScalar(t[Place(f, start).valueEnd])
    ensures MemberAt(t, start) == Some(Place(f, start))
  {
    var m := Place(f, start);
    SliceAgrees(f.key, t, start);
    SliceAgrees(f.value, t, m.valueStart);
    assert t[0 + start] == f.key[0] == Quote;
    StringEndIsLocal(f.key, t, 0, start);
    assert t[0 + m.valueStart] == f.value[0];
    assert !IsSpace(f.value[0]);
    ValueEndIsLocal(f.value, t, 0, m.valueStart);
  }

  /** A slice of a slice is a slice. */
  lemma SliceOfSlice(t: Text, i: nat, j: nat, x: nat, y: nat)
    requires i <= j <= |t|
    requires x <= y <= j - i
    ensures t[i..j][x..y] == t[i + x..i + y]
  {
    var w := t[i..j];
    forall z | 0 <= z < y - x
      ensures w[x..y][z] == t[i + x..i + y][z]
    {
      assert w[x..y][z] == w[x + z] == t[i + (x + z)];
    }
  }

  /** Cuts a written field and what follows it apart. */
  lemma CutsOfAField(t: Text, start: nat, close: nat, f: Field, tail: Text)
    requires start <= close <= |t|
    requires t[start..close] == f.key + [Colon] + f.value + tail
    ensures Place(f, start).valueEnd + |tail| == close
    ensures t[start..Place(f, start).keyEnd] == f.key
    ensures t[Place(f, start).keyEnd] == Colon
    ensures t[Place(f, start).valueStart..Place(f, start).valueEnd] == f.value
    ensures t[Place(f, start).valueEnd..close] == tail
  {
    var w := f.key + [Colon] + f.value + tail;
    var k := |f.key|;
    var v := |f.value|;
    assert |t[start..close]| == |w| == k + 1 + v + |tail|;
    SliceOfSlice(t, start, close, 0, k);
    assert w[0..k] == f.key;
    assert t[start + k] == t[start..close][k] == w[k];
    SliceOfSlice(t, start, close, k + 1, k + 1 + v);
    assert w[k + 1..k + 1 + v] == f.value;
    SliceOfSlice(t, start, close, k + 1 + v, close - start);
    assert w[k + 1 + v..close - start] == tail;
  }

  /** Fields that are written without the first comma, and then a closing brace, are read as one member and what follows it. */
  lemma WrittenFieldsScan(t: Text, start: nat, fields: seq<Field>, close: nat)
    requires AllWritable(fields)
    requires |fields| > 0
    requires start <= close < |t|
    requires t[start..close] == Written(fields)[1..]
    requires t[close] == CloseBrace
    ensures MemberAt(t, start) == Some(Place(fields[0], start))
    ensures Place(fields[0], start).valueEnd <= close
    ensures Rest(t, Place(fields[0], start).valueEnd)
         == Some(Scan(Places(fields[1..], Place(fields[0], start).valueEnd + 1), close))
    decreases |fields|, 0
  {
    hide Rest, MemberAt;
    var f := fields[0];
    var m := Place(f, start);
    var tail := Written(fields[1..]);
    assert t[start..close] == f.key + [Colon] + f.value + tail;
    CutsOfAField(t, start, close, f, tail);
    if m.valueEnd < close {
      assert t[m.valueEnd] == tail[0] == Comma;
    }
    WrittenFieldScans(t, start, f);
    forall g | g in fields[1..]
      ensures Writable(g)
    {
      assert g in fields;
    }
    RestOfWritten(t, m.valueEnd, fields[1..], close);
  }

  /** Fields that are written, and then a closing brace, are read as exactly these members. */
  lemma RestOfWritten(t: Text, i: nat, fields: seq<Field>, close: nat)
    requires AllWritable(fields)
    requires i <= close < |t|
    requires t[i..close] == Written(fields)
    requires t[close] == CloseBrace
    ensures Rest(t, i) == Some(Scan(Places(fields, i + 1), close))
    decreases |fields|, 1
  {
    hide Rest, MemberAt;
    if |fields| == 0 {
      assert i == close;
      RestAtTheBrace(t, i);
    } else {
      CutOfWritten(t, i, fields, close);
      WrittenFieldsScan(t, i + 1, fields, close);
      var m := Place(fields[0], i + 1);
      RestAtACommaAndAMember(t, i, m, Scan(Places(fields[1..], m.valueEnd + 1), close));
    }
  }

  /** Cuts the first comma off written fields. */
  lemma CutOfWritten(t: Text, i: nat, fields: seq<Field>, close: nat)
    requires |fields| > 0
    requires i <= close <= |t|
    requires t[i..close] == Written(fields)
    ensures i < close
    ensures t[i] == Comma
    ensures t[i + 1..close] == Written(fields)[1..]
  {
    var w := t[i..close];
    assert t[i] == w[0];
    assert t[i + 1..close] == w[1..];
  }

  /** At a comma that a member follows, that member comes first. */
  lemma RestAtACommaAndAMember(t: Text, i: nat, m: Member, after: Scan)
    requires i < |t|
    requires t[i] == Comma
    requires MemberAt(t, i + 1) == Some(m)
    requires m.valueEnd <= |t|
    requires Rest(t, m.valueEnd) == Some(after)
    ensures Rest(t, i) == Some(Scan([m] + after.members, after.close))
  {
    assert SkipSpace(t, i) == i;
    RestAtAMember(t, i, i, m);
  }

  /** At the closing brace nothing more follows. */
  lemma RestAtTheBrace(t: Text, i: nat)
    requires i < |t|
    requires t[i] == CloseBrace
    ensures Rest(t, i) == Some(Scan([], i))
  {
  }

  /** A member does not depend on the white space before it. */
  lemma MemberSkipsSpace(t: Text, i: nat, j: nat)
    requires i <= |t|
    requires j == SkipSpace(t, i)
    ensures MemberAt(t, i) == MemberAt(t, j)
  {
    SkipSpaceTwice(t, i);
  }

  /** The inside of an object without members after fields were inserted before its closing brace: these fields. */
  lemma InsideOfSpliceIfEmpty(a: Text, b: Text, i: nat, brace: nat, close: nat, fields: seq<Field>)
    requires i <= |a|
    requires SkipSpace(a, i) == brace < |a|
    requires brace <= close < |b|
    requires Agree(a, b, i, brace, 0)
    requires b[brace..close] == Insertion(false, fields)
    requires b[close] == CloseBrace
    requires AllWritable(fields)
    ensures Inside(b, i) == Some(Scan(Places(fields, brace), close))
  {
    if |fields| == 0 {
      assert |b[brace..close]| == 0;
      SkipSpaceIsLocal(a, b, i, 0);
    } else {
      WrittenFieldsScan(b, brace, fields, close);
      assert b[brace] == Quote by {
        assert SkipSpace(b, brace) == brace;
      }
      SkipSpaceIsLocal(a, b, i, 0);
      MemberSkipsSpace(b, i, brace);
    }
  }

  /** The inside of an object with members: the first one, and what follows it. */
  lemma InsideAtAMember(t: Text, i: nat)
    requires i <= |t|
    requires Inside(t, i).Some?
    requires |Inside(t, i).value.members| > 0
    ensures SkipSpace(t, i) < Inside(t, i).value.close
    ensures t[SkipSpace(t, i)] != CloseBrace
    ensures MemberAt(t, i).Some?
    ensures Inside(t, i) == Prepend([MemberAt(t, i).value], Rest(t, MemberAt(t, i).value.valueEnd))
  {
  }

  /** The same the other way: a member and what follows it are the inside of an object. */
  lemma InsideFromAMember(t: Text, i: nat)
    requires i <= |t|
    requires MemberAt(t, i).Some?
    ensures Inside(t, i) == Prepend([MemberAt(t, i).value], Rest(t, MemberAt(t, i).value.valueEnd))
  {
    assert t[SkipSpace(t, i)] == Quote;
  }

  /** The inside of an object with members after fields were inserted before its closing brace: the old members, then these fields. */
  lemma InsideOfSpliceIfNot(a: Text, b: Text, i: nat, brace: nat, close: nat, fields: seq<Field>)
    requires i <= |a|
    requires Inside(a, i).Some?
    requires |Inside(a, i).value.members| > 0
    requires Inside(a, i).value.close == brace <= close < |b|
    requires Agree(a, b, i, brace, 0)
    requires b[brace..close] == Written(fields)
    requires b[close] == CloseBrace
    requires AllWritable(fields)
    ensures Inside(b, i) == Some(Scan(Inside(a, i).value.members + Places(fields, brace + 1), close))
  {
    InsideAtAMember(a, i);
    var m := MemberAt(a, i).value;
    var after := Rest(a, m.valueEnd).value.members;
    var added := Places(fields, brace + 1);
    assert b[brace] == if |fields| == 0 then CloseBrace else Comma by {
      if |fields| > 0 {
        assert b[brace] == b[brace..close][0];
      } else {
        assert |b[brace..close]| == 0;
      }
    }
    calc {
      Inside(b, i);
      { MemberGoesOn(a, b, i); InsideFromAMember(b, i); }
      Prepend([m], Rest(b, m.valueEnd));
      { RestGoesOn(a, b, m.valueEnd, brace); }
      Prepend([m], Prepend(after, Rest(b, brace)));
      { PrependTwice([m], after, Rest(b, brace)); }
      Prepend([m] + after, Rest(b, brace));
      { RestOfWritten(b, brace, fields, close); }
      Some(Scan([m] + after + added, close));
    }
  }

  /** Where the old bytes are after a splice: everything before the closing brace in its place, then exactly the insertion,
    * then the brace and all that follows it, which is white space. Between the last member and the insertion there is
    * nothing but the white space that stood there. */
  lemma SpliceKeepsEveryOldByte(t: Text, fields: seq<Field>)
    requires Scans(t)
    ensures var p := CloseOf(t);
            var inserted := Insertion(|Members(t)| > 0, fields);
            var u := SpliceText(t, fields);
            && t[p] == CloseBrace
            && (forall x | p < x < |t| :: IsSpace(t[x]))
            && |u| == |t| + |inserted|
            && u[..p] == t[..p]
            && u[p..p + |inserted|] == inserted
            && u[p + |inserted|..] == t[p..]
  {
  }

  /** A spliced line agrees with the old one on both sides of the insertion. */
  lemma SpliceAgrees(t: Text, fields: seq<Field>)
    requires Scans(t)
    ensures var u := SpliceText(t, fields);
            && Agree(t, u, 0, CloseOf(t), 0)
            && Agree(t, u, CloseOf(t), |t|, |u| - |t|)
  {
    var p := CloseOf(t);
    var u := SpliceText(t, fields);
    SpliceKeepsEveryOldByte(t, fields);
    forall x {:trigger t[x]} | 0 <= x < p
      ensures u[x] == t[x]
    {
      assert u[..p][x] == t[..p][x];
    }
    forall x {:trigger t[x]} | p <= x < |t|
      ensures u[x + (|u| - |t|)] == t[x]
    {
      assert u[p + (|u| - |t|)..][x - p] == t[p..][x - p];
    }
  }

  /** An object without members holds nothing but white space. */
  lemma NoMembersNoMember(t: Text, i: nat)
    requires i <= |t|
    requires Inside(t, i).Some?
    requires |Inside(t, i).value.members| == 0
    ensures Inside(t, i).value.close == SkipSpace(t, i)
  {
  }

  /** The scan of a line, put together from its parts. */
  lemma ScanObjectIs(t: Text, open: nat, scan: Scan)
    requires open == SkipSpace(t, 0) < |t|
    requires t[open] == OpenBrace
    requires Inside(t, open + 1) == Some(scan)
    requires SkipSpace(t, scan.close + 1) == |t|
    ensures ScanObject(t) == Some(scan)
  {
  }

  /** The parts of a line that scans: white space, the opening brace, its inside, white space. */
  lemma ScanObjectParts(t: Text)
    requires Scans(t)
    ensures var open := SkipSpace(t, 0);
            && open < CloseOf(t)
            && t[open] == OpenBrace
            && Inside(t, open + 1) == ScanObject(t)
            && SkipSpace(t, CloseOf(t) + 1) == |t|
  {
  }

  /** The inside of a line that agrees with an old one up to an insertion and the closing brace. */
  lemma InsideGoesOn(t: Text, u: Text, i: nat, n: nat, fields: seq<Field>)
    requires Scans(t)
    requires AllWritable(fields)
    requires i <= |t|
    requires Inside(t, i) == ScanObject(t)
    requires Agree(t, u, i, CloseOf(t), 0)
    requires CloseOf(t) + n < |u|
    requires u[CloseOf(t) + n] == CloseBrace
    requires u[CloseOf(t)..CloseOf(t) + n] == Insertion(|Members(t)| > 0, fields)
    ensures Inside(u, i) == Some(Scan(Members(t) + Places(fields, FirstKey(t)), CloseOf(t) + n))
  {
    hide ScanObject, Inside, Rest, MemberAt, Insertion;
    var p := CloseOf(t);
    if |Members(t)| > 0 {
      reveal Insertion;
      InsideOfSpliceIfNot(t, u, i, p, p + n, fields);
    } else {
      NoMembersNoMember(t, i);
      InsideOfSpliceIfEmpty(t, u, i, p, p + n, fields);
      assert [] + Places(fields, p) == Places(fields, p);
    }
  }

  /** The scan of a line that agrees with an old one on both sides of an insertion. */
  lemma ScanGoesOn(t: Text, u: Text, n: nat, fields: seq<Field>)
    requires Scans(t)
    requires AllWritable(fields)
    requires |u| == |t| + n
    requires Agree(t, u, 0, CloseOf(t), 0)
    requires Agree(t, u, CloseOf(t), |t|, n)
    requires u[CloseOf(t)..CloseOf(t) + n] == Insertion(|Members(t)| > 0, fields)
    ensures ScanObject(u) == Some(Scan(Members(t) + Places(fields, FirstKey(t)), CloseOf(t) + n))
  {
    var open := SkipSpace(t, 0);
    var p := CloseOf(t);
    ScanObjectParts(t);
    assert u[p + n] == t[p];
    InsideGoesOn(t, u, open + 1, n, fields);
    SkipSpaceToAByteIsLocal(t, u, 0, p, 0);
    assert u[open] == t[open];
    SkipSpaceIsLocal(t, u, p + 1, n);
    ScanObjectIs(u, open, Scan(Members(t) + Places(fields, FirstKey(t)), p + n));
  }

  /** P6 on bytes: a spliced line scans; its members are the old members in their old places and then the new ones, each with
    * the place of exactly its bytes. */
  lemma ScanOfSplice(t: Text, fields: seq<Field>)
    requires Scans(t)
    requires AllWritable(fields)
    ensures ScanObject(SpliceText(t, fields))
         == Some(Scan(Members(t) + Places(fields, FirstKey(t)), CloseOf(t) + |Insertion(|Members(t)| > 0, fields)|))
  {
    hide ScanObject, Insertion, Places;
    SpliceAgrees(t, fields);
    SpliceKeepsEveryOldByte(t, fields);
    ScanGoesOn(t, SpliceText(t, fields), |Insertion(|Members(t)| > 0, fields)|, fields);
  }

  // ---- What a spliced line holds ----

  /** Where two texts begin alike, their slices are alike. */
  lemma SlicesStay(t: Text, u: Text, p: nat, x: nat, y: nat)
    requires x <= y <= p <= |t|
    requires p <= |u|
    requires u[..p] == t[..p]
    ensures u[x..y] == t[x..y]
  {
    forall z | x <= z < y
      ensures u[z] == t[z]
    {
      assert u[..p][z] == t[..p][z];
    }
  }

  /** The bytes at old positions are the old bytes. */
  lemma FieldsStay(t: Text, u: Text, members: seq<Member>, p: nat)
    requires p <= |t|
    requires p <= |u|
    requires u[..p] == t[..p]
    requires forall m | m in members :: Placed(m, 0, p)
    ensures forall m | m in members :: Placed(m, 0, |t|)
    ensures forall m | m in members :: Placed(m, 0, |u|)
    ensures FieldsAt(u, members) == FieldsAt(t, members)
  {
    forall m | m in members
      ensures Placed(m, 0, |t|)
      ensures Placed(m, 0, |u|)
      ensures FieldAt(u, m) == FieldAt(t, m)
    {
      SlicesStay(t, u, p, m.keyStart, m.keyEnd);
      SlicesStay(t, u, p, m.valueStart, m.valueEnd);
    }
  }

  /** The bytes at the places of written fields are these fields. */
  lemma FieldsAtPlaces(t: Text, start: nat, fields: seq<Field>, close: nat)
    requires AllWritable(fields)
    requires |fields| > 0
    requires start <= close <= |t|
    requires t[start..close] == Written(fields)[1..]
    ensures forall m | m in Places(fields, start) :: Placed(m, 0, close)
    ensures forall m | m in Places(fields, start) :: Placed(m, 0, |t|)
    ensures FieldsAt(t, Places(fields, start)) == fields
    decreases |fields|
  {
    hide StringEnd, ValueEnd;
    var f := fields[0];
    var m := Place(f, start);
    var tail := fields[1..];
    assert t[start..close] == f.key + [Colon] + f.value + Written(tail);
    CutsOfAField(t, start, close, f, Written(tail));
    assert Writable(f);
    assert FieldAt(t, m) == f;
    assert fields == [f] + tail;
    assert FieldsAt(t, [m]) == [f];
    if |tail| > 0 {
      assert AllWritable(tail) by {
        assert forall g | g in tail :: g in fields;
      }
      assert t[m.valueEnd + 1..close] == t[m.valueEnd..close][1..];
      FieldsAtPlaces(t, m.valueEnd + 1, tail, close);
      FieldsAtBoth(t, [m], Places(tail, m.valueEnd + 1));
    } else {
      assert Places(fields, start) == [m];
    }
  }

  /** The bytes at one list of places and then another. */
  lemma FieldsAtBoth(t: Text, first: seq<Member>, second: seq<Member>)
    requires forall m | m in first :: Placed(m, 0, |t|)
    requires forall m | m in second :: Placed(m, 0, |t|)
    ensures FieldsAt(t, first + second) == FieldsAt(t, first) + FieldsAt(t, second)
  {
  }

  /** P6 on bytes: a spliced line holds what the old one held, byte for byte and in order, and then exactly what was added. */
  lemma ContentsOfSplice(t: Text, fields: seq<Field>)
    requires Scans(t)
    requires AllWritable(fields)
    ensures Scans(SpliceText(t, fields))
    ensures Contents(SpliceText(t, fields)) == Contents(t) + fields
  {
    var u := SpliceText(t, fields);
    var inserted := Insertion(|Members(t)| > 0, fields);
    var p := CloseOf(t);
    var places := Places(fields, FirstKey(t));
    ScanOfSplice(t, fields);
    SpliceKeepsEveryOldByte(t, fields);
    FieldsStay(t, u, Members(t), p);
    if |fields| == 0 {
      assert places == [];
    } else {
      assert u[FirstKey(t)..p + |inserted|] == Written(fields)[1..] by {
        assert u[p..p + |inserted|][FirstKey(t) - p..] == u[FirstKey(t)..p + |inserted|];
      }
      FieldsAtPlaces(u, FirstKey(t), fields, p + |inserted|);
    }
    FieldsAtBoth(u, Members(t), places);
  }

  /** Fields are written one list after the other. */
  lemma WrittenBoth(first: seq<Field>, second: seq<Field>)
    ensures Written(first + second) == Written(first) + Written(second)
    decreases |first|
  {
    if |first| == 0 {
      assert first + second == second;
    } else {
      assert (first + second)[1..] == first[1..] + second;
      WrittenBoth(first[1..], second);
    }
  }

  /** Splicing twice is splicing once with both lists, byte for byte. */
  lemma SpliceOfSpliceIsSplice(t: Text, first: seq<Field>, second: seq<Field>)
    requires Scans(t)
    requires AllWritable(first)
    ensures Scans(SpliceText(t, first))
    ensures SpliceText(SpliceText(t, first), second) == SpliceText(t, first + second)
  {
    var u := SpliceText(t, first);
    var some := |Members(t)| > 0;
    var p := CloseOf(t);
    ScanOfSplice(t, first);
    SpliceKeepsEveryOldByte(t, first);
    InsertionBoth(some, first, second);
    assert |Members(u)| > 0 <==> some || |first| > 0;
    CutAtTheInsertion(t[..p], Insertion(some, first), t[p..]);
    JoinedInsertions(t[..p], Insertion(some, first), Insertion(some || |first| > 0, second), t[p..]);
  }

  /** A text of three parts, cut after the second one. */
  lemma CutAtTheInsertion(a: Text, b: Text, c: Text)
    ensures (a + b + c)[..|a| + |b|] == a + b
    ensures (a + b + c)[|a| + |b|..] == c
  {
    assert |a + b| == |a| + |b|;
  }

  /** Two insertions one after the other are one insertion. */
  lemma JoinedInsertions(a: Text, b: Text, c: Text, d: Text)
    ensures a + b + c + d == a + (b + c) + d
  {
  }

  /** An insertion for two lists is one for the first and then one for the second. */
  lemma InsertionBoth(some: bool, first: seq<Field>, second: seq<Field>)
    ensures Insertion(some, first + second) == Insertion(some, first) + Insertion(some || |first| > 0, second)
  {
    WrittenBoth(first, second);
    if |first| == 0 {
      assert first + second == second;
    }
  }

  /** Two splices that give the same line added the same fields. */
  lemma SpliceIsInjective(t: Text, first: seq<Field>, second: seq<Field>)
    requires Scans(t)
    requires AllWritable(first)
    requires AllWritable(second)
    requires SpliceText(t, first) == SpliceText(t, second)
    ensures first == second
  {
    ContentsOfSplice(t, first);
    ContentsOfSplice(t, second);
    var n := |Contents(t)|;
    assert first == (Contents(t) + first)[n..];
    assert second == (Contents(t) + second)[n..];
  }

  // ---- What is missing ----

  /** The keys of two lists are the keys of the first and the keys of the second. */
  lemma KeySetOfBoth(first: seq<Field>, second: seq<Field>)
    ensures KeysOf(first + second) == KeysOf(first) + KeysOf(second)
    ensures KeySet(first + second) == KeySet(first) + KeySet(second)
  {
    assert KeysOf(first + second) == KeysOf(first) + KeysOf(second);
  }

  /** The keys of a list are those of what stands before its last field, and that one's. */
  lemma KeySetOfTheLast(fields: seq<Field>)
    requires |fields| > 0
    ensures KeySet(fields) == KeySet(fields[..|fields| - 1]) + {Decode(fields[|fields| - 1].key)}
  {
    var last := fields[|fields| - 1];
    assert fields == fields[..|fields| - 1] + [last];
    KeySetOfBoth(fields[..|fields| - 1], [last]);
    assert KeysOf([last]) == [Decode(last.key)];
  }

  /** The key of a field of a list is a key of the list. */
  lemma KeyIsInKeySet(f: Field, fields: seq<Field>)
    requires f in fields
    ensures Decode(f.key) in KeySet(fields)
  {
    var i :| 0 <= i < |fields| && fields[i] == f;
    assert KeysOf(fields)[i] == Decode(f.key);
  }

  /** A key of a list is the key of one of its fields. */
  lemma KeySetIsOfFields(k: seq<nat>, fields: seq<Field>) returns (f: Field)
    requires k in KeySet(fields)
    ensures f in fields
    ensures Decode(f.key) == k
  {
    var i :| 0 <= i < |fields| && KeysOf(fields)[i] == k;
    f := fields[i];
  }

  /** What is missing is written as it was required: every field of it is a required one, unchanged. */
  lemma MissingIsRequired(present: set<seq<nat>>, required: seq<Field>)
    ensures forall f | f in Missing(present, required) :: f in required
    decreases |required|
  {
    if |required| > 0 {
      MissingIsRequired(present, required[..|required| - 1]);
    }
  }

  /** The keys that are missing are exactly the required ones that are not present. */
  lemma KeysOfMissing(present: set<seq<nat>>, required: seq<Field>)
    ensures KeySet(Missing(present, required)) == KeySet(required) - present
    decreases |required|
  {
    if |required| > 0 {
      var before := required[..|required| - 1];
      var f := required[|required| - 1];
      KeysOfMissing(present, before);
      KeySetOfTheLast(required);
      KeySetOfBoth(Missing(present, before), [f]);
      assert KeysOf([f]) == [Decode(f.key)];
    }
  }

  /** Of each key that is missing, one field is added. */
  lemma MissingRepeatsNoKey(present: set<seq<nat>>, required: seq<Field>)
    ensures multiset(KeysOf(Missing(present, required))) == multiset(KeySet(required) - present)
    decreases |required|
  {
    if |required| > 0 {
      var before := required[..|required| - 1];
      var f := required[|required| - 1];
      var k := Decode(f.key);
      MissingRepeatsNoKey(present, before);
      KeySetOfTheLast(required);
      if k in present + KeySet(before) {
        assert KeySet(required) - present == KeySet(before) - present;
      } else {
        assert KeySet(required) - present == KeySet(before) - present + {k};
        KeySetOfBoth(Missing(present, before), [f]);
        assert KeysOf([f]) == [k];
      }
    }
  }

  /** What is missing of two lists is what is missing of the first, and what is then missing of the second. */
  lemma MissingOfBoth(present: set<seq<nat>>, first: seq<Field>, second: seq<Field>)
    ensures Missing(present, first + second) == Missing(present, first) + Missing(present + KeySet(first), second)
    decreases |second|
  {
    var both := first + second;
    if |second| == 0 {
      assert both == first;
    } else {
      var before := second[..|second| - 1];
      assert both[..|both| - 1] == first + before;
      assert both[|both| - 1] == second[|second| - 1];
      MissingOfBoth(present, first, before);
      KeySetOfBoth(first, before);
      assert present + KeySet(first + before) == present + KeySet(first) + KeySet(before);
    }
  }

  /** The absent fields of two lists are those of the first and then those of the second. */
  lemma AbsentOfBoth(present: set<seq<nat>>, first: seq<Field>, second: seq<Field>)
    ensures Absent(present, first + second) == Absent(present, first) + Absent(present, second)
    decreases |second|
  {
    var both := first + second;
    if |second| == 0 {
      assert both == first;
    } else {
      assert both[..|both| - 1] == first + second[..|second| - 1];
      AbsentOfBoth(present, first, second[..|second| - 1]);
    }
  }

  /** A field is absent exactly if it is one of the list and its key is not present. */
  lemma AbsentExactlyWhen(present: set<seq<nat>>, fields: seq<Field>, f: Field)
    ensures f in Absent(present, fields) <==> f in fields && Decode(f.key) !in present
    decreases |fields|
  {
    if |fields| > 0 {
      AbsentExactlyWhen(present, fields[..|fields| - 1], f);
      assert fields == fields[..|fields| - 1] + [fields[|fields| - 1]];
    }
  }

  /** All fields of a list are absent if their keys are not present. */
  lemma AllAbsent(present: set<seq<nat>>, fields: seq<Field>)
    requires KeySet(fields) !! present
    ensures Absent(present, fields) == fields
    decreases |fields|
  {
    if |fields| > 0 {
      KeySetOfTheLast(fields);
      AllAbsent(present, fields[..|fields| - 1]);
      assert fields == fields[..|fields| - 1] + [fields[|fields| - 1]];
    }
  }

  /** No field of a list is absent if their keys are present. */
  lemma NoneAbsent(present: set<seq<nat>>, fields: seq<Field>)
    requires KeySet(fields) <= present
    ensures Absent(present, fields) == []
    decreases |fields|
  {
    if |fields| > 0 {
      KeySetOfTheLast(fields);
      NoneAbsent(present, fields[..|fields| - 1]);
    }
  }

  /** With more keys present, those of the missing fields remain whose keys are not among them. */
  lemma MissingWithMorePresent(present: set<seq<nat>>, more: set<seq<nat>>, required: seq<Field>)
    ensures Missing(present + more, required) == Absent(more, Missing(present, required))
    decreases |required|
  {
    if |required| > 0 {
      var before := required[..|required| - 1];
      var f := required[|required| - 1];
      MissingWithMorePresent(present, more, before);
      if Decode(f.key) !in present + KeySet(before) {
        AbsentOfBoth(more, Missing(present, before), [f]);
      }
    }
  }

  /** Two lists of distinct keys that share none are together one. */
  lemma DistinctKeysOfBoth(first: seq<Field>, second: seq<Field>)
    requires DistinctKeys(first)
    requires DistinctKeys(second)
    requires KeySet(first) !! KeySet(second)
    ensures DistinctKeys(first + second)
  {
    var both := first + second;
    forall i, j | 0 <= i < j < |both|
      ensures Decode(both[i].key) != Decode(both[j].key)
    {
      if i < |first| <= j {
        KeyIsInKeySet(first[i], first);
        KeyIsInKeySet(second[j - |first|], second);
      }
    }
  }

  /** A part of a list of distinct keys has distinct keys, and shares none with the other part. */
  lemma PartsOfDistinctKeys(first: seq<Field>, second: seq<Field>)
    requires DistinctKeys(first + second)
    ensures DistinctKeys(first)
    ensures DistinctKeys(second)
    ensures KeySet(first) !! KeySet(second)
  {
    var both := first + second;
    forall i, j | 0 <= i < j < |first|
      ensures Decode(first[i].key) != Decode(first[j].key)
    {
      assert first[i] == both[i] && first[j] == both[j];
    }
    forall i, j | 0 <= i < j < |second|
      ensures Decode(second[i].key) != Decode(second[j].key)
    {
      assert second[i] == both[|first| + i] && second[j] == both[|first| + j];
    }
    forall k | k in KeySet(first)
      ensures k !in KeySet(second)
    {
      var i :| 0 <= i < |first| && KeysOf(first)[i] == k;
      forall j | 0 <= j < |second|
        ensures KeysOf(second)[j] != k
      {
        assert first[i] == both[i] && second[j] == both[|first| + j];
      }
    }
  }

  /** The missing fields have distinct keys, none of them present. */
  lemma MissingHasDistinctKeys(present: set<seq<nat>>, required: seq<Field>)
    ensures DistinctKeys(Missing(present, required))
    ensures KeySet(Missing(present, required)) !! present
    decreases |required|
  {
    KeysOfMissing(present, required);
    if |required| > 0 {
      var before := required[..|required| - 1];
      var f := required[|required| - 1];
      MissingHasDistinctKeys(present, before);
      if Decode(f.key) !in present + KeySet(before) {
        KeysOfMissing(present, before);
        assert KeysOf([f]) == [Decode(f.key)];
        DistinctKeysOfBoth(Missing(present, before), [f]);
      }
    }
  }

  /** If the required keys are distinct, what is missing is simply each required field whose key is not present, in order. */
  lemma MissingOfDistinctKeys(present: set<seq<nat>>, required: seq<Field>)
    requires DistinctKeys(required)
    ensures Missing(present, required) == Absent(present, required)
    decreases |required|
  {
    if |required| > 0 {
      var before := required[..|required| - 1];
      var f := required[|required| - 1];
      assert required == before + [f];
      PartsOfDistinctKeys(before, [f]);
      KeyIsInKeySet(f, [f]);
      MissingOfDistinctKeys(present, before);
    }
  }

  // ---- Filling ----

  /** What a line lacks of writable fields is writable. */
  lemma LackedIsWritable(t: Text, required: seq<Field>)
    requires Scans(t)
    requires AllWritable(required)
    ensures AllWritable(Lacks(t, required))
  {
    MissingIsRequired(KeySet(Contents(t)), required);
  }

  /** P6 on bytes: a filled line holds what the old one held and then exactly the required fields that it lacked, in order.
    * It has the old keys and the required ones, each as often as before, or once if it is new. */
  lemma FillAddsExactlyTheMissing(t: Text, required: seq<Field>)
    requires Scans(t)
    requires AllWritable(required)
    ensures var u := FillText(t, required);
            && Scans(u)
            && Contents(u) == Contents(t) + Lacks(t, required)
            && KeySet(Contents(u)) == KeySet(Contents(t)) + KeySet(required)
            && multiset(KeysOf(Contents(u)))
               == multiset(KeysOf(Contents(t))) + multiset(KeySet(required) - KeySet(Contents(t)))
  {
    var present := KeySet(Contents(t));
    LackedIsWritable(t, required);
    ContentsOfSplice(t, Lacks(t, required));
    KeySetOfBoth(Contents(t), Lacks(t, required));
    KeysOfMissing(present, required);
    MissingRepeatsNoKey(present, required);
  }

  /** If the required keys are distinct, a field is added exactly if it is required and the line has no such key. */
  lemma FilledExactlyWhen(t: Text, required: seq<Field>, f: Field)
    requires Scans(t)
    requires DistinctKeys(required)
    ensures Lacks(t, required) == Absent(KeySet(Contents(t)), required)
    ensures f in Lacks(t, required) <==> f in required && !HasKey(t, f.key)
  {
    MissingOfDistinctKeys(KeySet(Contents(t)), required);
    AbsentExactlyWhen(KeySet(Contents(t)), required, f);
  }

  /** Filling makes no key stand twice. */
  lemma FillRepeatsNoKey(t: Text, required: seq<Field>)
    requires Scans(t)
    requires AllWritable(required)
    requires DistinctKeys(Contents(t))
    ensures Scans(FillText(t, required))
    ensures DistinctKeys(Contents(FillText(t, required)))
  {
    FillAddsExactlyTheMissing(t, required);
    MissingHasDistinctKeys(KeySet(Contents(t)), required);
    DistinctKeysOfBoth(Contents(t), Lacks(t, required));
  }

  /** Filling from one list and then from another is filling from both at once, byte for byte. No side condition: what
    * the first one filled in, the second one finds present. */
  lemma FillOfFillIsFill(t: Text, first: seq<Field>, second: seq<Field>)
    requires Scans(t)
    requires AllWritable(first)
    ensures Scans(FillText(t, first))
    ensures FillText(FillText(t, first), second) == FillText(t, first + second)
  {
    FillAddsExactlyTheMissing(t, first);
    LackedIsWritable(t, first);
    MissingOfBoth(KeySet(Contents(t)), first, second);
    SpliceOfSpliceIsSplice(t, Lacks(t, first), Lacks(FillText(t, first), second));
  }

  /** Nothing is missing whose keys are all present. */
  lemma NothingMissing(present: set<seq<nat>>, required: seq<Field>)
    requires KeySet(required) <= present
    ensures Missing(present, required) == []
  {
    KeysOfMissing(present, required);
    var missing := Missing(present, required);
    if |missing| > 0 {
      KeyIsInKeySet(missing[0], missing);
    }
  }

  /** A line that lacks nothing is left alone, byte for byte. */
  lemma FillOfAFullLineIsThatLine(t: Text, required: seq<Field>)
    requires Scans(t)
    requires KeySet(required) <= KeySet(Contents(t))
    ensures FillText(t, required) == t
  {
    NothingMissing(KeySet(Contents(t)), required);
  }

  /** Filling is idempotent: a filled line lacks nothing more. */
  lemma FillTwiceIsFill(t: Text, required: seq<Field>)
    requires Scans(t)
    requires AllWritable(required)
    ensures Scans(FillText(t, required))
    ensures FillText(FillText(t, required), required) == FillText(t, required)
  {
    FillAddsExactlyTheMissing(t, required);
    FillOfAFullLineIsThatLine(FillText(t, required), required);
  }

  /** What the second of two fillings adds: what the line lacks of its list, without the keys that the first one filled in. */
  lemma LackedAfterAFill(t: Text, first: seq<Field>, second: seq<Field>)
    requires Scans(t)
    requires AllWritable(first)
    ensures Scans(FillText(t, first))
    ensures Lacks(FillText(t, first), second) == Absent(KeySet(Lacks(t, first)), Lacks(t, second))
  {
    var present := KeySet(Contents(t));
    FillAddsExactlyTheMissing(t, first);
    KeysOfMissing(present, first);
    assert KeySet(Contents(FillText(t, first))) == present + KeySet(Lacks(t, first));
    MissingWithMorePresent(present, KeySet(Lacks(t, first)), second);
  }

  /** When composition holds on bytes: filling from an earlier list and then from a later one is filling from the later one
    * alone exactly if what the line lacks of the earlier is the beginning of what it lacks of the later. */
  lemma FillsComposeExactlyWhen(t: Text, earlier: seq<Field>, later: seq<Field>)
    requires Scans(t)
    requires AllWritable(earlier)
    requires AllWritable(later)
    ensures Scans(FillText(t, earlier))
    ensures FillText(FillText(t, earlier), later) == FillText(t, later) <==> Lacks(t, earlier) <= Lacks(t, later)
  {
    var first := Lacks(t, earlier);
    var all := Lacks(t, later);
    var second := Absent(KeySet(first), all);
    LackedIsWritable(t, earlier);
    LackedIsWritable(t, later);
    LackedAfterAFill(t, earlier, later);
    SpliceOfSpliceIsSplice(t, first, second);
    if first <= all {
      var tail := all[|first|..];
      assert all == first + tail;
      MissingHasDistinctKeys(KeySet(Contents(t)), later);
      PartsOfDistinctKeys(first, tail);
      AbsentOfBoth(KeySet(first), first, tail);
      NoneAbsent(KeySet(first), first);
      AllAbsent(KeySet(first), tail);
      assert [] + tail == tail;
    }
    if FillText(FillText(t, earlier), later) == FillText(t, later) {
      forall f | f in first + second
        ensures Writable(f)
      {
        AbsentExactlyWhen(KeySet(first), all, f);
      }
      SpliceIsInjective(t, first + second, all);
    }
  }

  /** Composition holds on every line if the later list begins with the earlier one, keys and values alike. */
  lemma FillsOfALongerListCompose(t: Text, earlier: seq<Field>, later: seq<Field>)
    requires Scans(t)
    requires AllWritable(earlier)
    requires AllWritable(later)
    requires earlier <= later
    ensures Scans(FillText(t, earlier))
    ensures FillText(FillText(t, earlier), later) == FillText(t, later)
  {
    assert later == earlier + later[|earlier|..];
    MissingOfBoth(KeySet(Contents(t)), earlier, later[|earlier|..]);
    FillsComposeExactlyWhen(t, earlier, later);
  }

  /** And on a line without members it holds only then: being a beginning is the exact condition that serves every line. */
  lemma ComposingEverywhereNeedsABeginning(t: Text, earlier: seq<Field>, later: seq<Field>)
    requires Scans(t)
    requires Contents(t) == []
    requires AllWritable(earlier)
    requires AllWritable(later)
    requires DistinctKeys(earlier)
    requires DistinctKeys(later)
    ensures Scans(FillText(t, earlier))
    ensures FillText(FillText(t, earlier), later) == FillText(t, later) <==> earlier <= later
  {
    var present := KeySet(Contents(t));
    assert KeysOf(Contents(t)) == [];
    MissingOfDistinctKeys(present, earlier);
    MissingOfDistinctKeys(present, later);
    AllAbsent(present, earlier);
    AllAbsent(present, later);
    FillsComposeExactlyWhen(t, earlier, later);
  }

  /** Fields with distinct keys are distinct, so counting them is collecting them. */
  lemma DistinctFieldsCount(fields: seq<Field>)
    requires DistinctKeys(fields)
    ensures multiset(fields) == multiset(FieldSet(fields))
    decreases |fields|
  {
    if |fields| > 0 {
      var before := fields[..|fields| - 1];
      var f := fields[|fields| - 1];
      assert fields == before + [f];
      PartsOfDistinctKeys(before, [f]);
      KeyIsInKeySet(f, [f]);
      if f in before {
        KeyIsInKeySet(f, before);
      }
      DistinctFieldsCount(before);
      assert FieldSet(fields) == FieldSet(before) + {f};
    }
  }

  /** Of fields with distinct keys, those of a part and those whose keys are not in the part are all of them. */
  lemma PartAndAbsentAreAll(part: seq<Field>, all: seq<Field>)
    requires DistinctKeys(part)
    requires DistinctKeys(all)
    requires FieldSet(part) <= FieldSet(all)
    ensures multiset(part + Absent(KeySet(part), all)) == multiset(all)
  {
    var others := Absent(KeySet(part), all);
    AbsentHasDistinctKeys(KeySet(part), all);
    DistinctKeysOfBoth(part, others);
    DistinctFieldsCount(part + others);
    DistinctFieldsCount(all);
    forall f
      ensures f in part + others <==> f in all
    {
      AbsentExactlyWhen(KeySet(part), all, f);
      if f in part {
        assert f in FieldSet(part);
      } else if f in all && Decode(f.key) in KeySet(part) {
        var g := KeySetIsOfFields(Decode(f.key), part);
        assert g in FieldSet(part);
        EqualKeysEqualFields(all, f, g);
      }
    }
    assert FieldSet(part + others) == FieldSet(all);
  }

  /** In a list of distinct keys a key names one field. */
  lemma EqualKeysEqualFields(fields: seq<Field>, f: Field, g: Field)
    requires DistinctKeys(fields)
    requires f in fields
    requires g in fields
    requires Decode(f.key) == Decode(g.key)
    ensures f == g
  {
    var i :| 0 <= i < |fields| && fields[i] == f;
    var j :| 0 <= j < |fields| && fields[j] == g;
    assert !(i < j) && !(j < i);
  }

  /** The absent ones of fields with distinct keys have distinct keys, none of them present. */
  lemma AbsentHasDistinctKeys(present: set<seq<nat>>, fields: seq<Field>)
    requires DistinctKeys(fields)
    ensures DistinctKeys(Absent(present, fields))
    ensures KeySet(Absent(present, fields)) !! present
  {
    MissingOfDistinctKeys(present, fields);
    MissingHasDistinctKeys(present, fields);
  }

  /** After the same fields, a part of some others and then the absent ones of them are all of them exactly if it is a part. */
  lemma AddedAgreeExactlyWhen(held: seq<Field>, part: seq<Field>, all: seq<Field>)
    requires DistinctKeys(part)
    requires DistinctKeys(all)
    ensures multiset(held + part + Absent(KeySet(part), all)) == multiset(held + all) <==> FieldSet(part) <= FieldSet(all)
  {
    var others := Absent(KeySet(part), all);
    assert multiset(held + part + others) == multiset(held) + multiset(part) + multiset(others);
    assert multiset(held + all) == multiset(held) + multiset(all);
    assert multiset(part + others) == multiset(part) + multiset(others);
    if FieldSet(part) <= FieldSet(all) {
      PartAndAbsentAreAll(part, all);
    }
    if multiset(held + part + others) == multiset(held + all) {
      forall f | f in part
        ensures f in all
      {
        var h := multiset(held);
        assert (h + multiset(part) + multiset(others))[f] == (h + multiset(all))[f];
        assert f in multiset(part);
      }
    }
  }

  /** Composition up to order: the two ways hold the same members, each as often, exactly if every field that the line lacks of
    * the earlier list it lacks of the later one too, with the same value. */
  lemma FillsAgreeAsSetsExactlyWhen(t: Text, earlier: seq<Field>, later: seq<Field>)
    requires Scans(t)
    requires AllWritable(earlier)
    requires AllWritable(later)
    ensures Scans(FillText(t, later))
    ensures Scans(FillText(t, earlier))
    ensures Scans(FillText(FillText(t, earlier), later))
    ensures multiset(Contents(FillText(FillText(t, earlier), later))) == multiset(Contents(FillText(t, later)))
       <==> FieldSet(Lacks(t, earlier)) <= FieldSet(Lacks(t, later))
  {
    var held := Contents(t);
    var first := Lacks(t, earlier);
    var all := Lacks(t, later);
    FillAddsExactlyTheMissing(t, earlier);
    FillAddsExactlyTheMissing(t, later);
    FillAddsExactlyTheMissing(FillText(t, earlier), later);
    LackedAfterAFill(t, earlier, later);
    MissingHasDistinctKeys(KeySet(held), earlier);
    MissingHasDistinctKeys(KeySet(held), later);
    AddedAgreeExactlyWhen(held, first, all);
  }

  /** If every required field of the earlier list is one of the later, the two ways agree up to order on every line. */
  lemma FillsOfALargerListAgreeAsSets(t: Text, earlier: seq<Field>, later: seq<Field>)
    requires Scans(t)
    requires AllWritable(earlier)
    requires AllWritable(later)
    requires DistinctKeys(later)
    requires FieldSet(earlier) <= FieldSet(later)
    ensures Scans(FillText(t, later))
    ensures Scans(FillText(t, earlier))
    ensures Scans(FillText(FillText(t, earlier), later))
    ensures multiset(Contents(FillText(FillText(t, earlier), later))) == multiset(Contents(FillText(t, later)))
  {
    var present := KeySet(Contents(t));
    MissingIsRequired(present, earlier);
    MissingHasDistinctKeys(present, earlier);
    forall f | f in Lacks(t, earlier)
      ensures f in Lacks(t, later)
    {
      KeyIsInKeySet(f, Lacks(t, earlier));
      assert f in FieldSet(earlier);
      FilledExactlyWhen(t, later, f);
    }
    FillsAgreeAsSetsExactlyWhen(t, earlier, later);
  }

  // ---- Keys ----

  /** A plain key says its own bytes, from any position in it. */
  lemma PlainUnits(name: Text, i: nat)
    requires IsPlain(name)
    requires 1 <= i <= |name| + 1
    ensures var key := [Quote] + name + [Quote];
            && Units(key, i) == name[i - 1..]
            && BodyEnd(key, i) == Some(|key|)
    decreases |name| + 1 - i
  {
    var key := [Quote] + name + [Quote];
    if i == |name| + 1 {
      assert key[i] == Quote;
      assert CharLength(key, i) == 0;
      assert name[i - 1..] == [];
    } else {
      assert key[i] == name[i - 1];
      assert name[i - 1] in name;
      PlainUnits(name, i + 1);
      assert CharLength(key, i) == 1;
      assert name[i - 1..] == [name[i - 1]] + name[i..];
    }
  }

  /** A plain key is a string, and says its own bytes: escapes apart, equal keys are equal bytes. */
  lemma PlainKeyDecodesToItself(name: Text)
    requires IsPlain(name)
    ensures StringEnd([Quote] + name + [Quote], 0) == Some(|name| + 2)
    ensures Decode([Quote] + name + [Quote]) == name
  {
    PlainUnits(name, 1);
    assert name[0..] == name;
  }

  /** A key may be decoded where it stands. */
  lemma KeyDecodesInPlace(t: Text, m: Member)
    requires Placed(m, 0, |t|)
    requires StringEnd(t, m.keyStart) == Some(m.keyEnd)
    ensures Decode(FieldAt(t, m).key) == Units(t, m.keyStart + 1)
  {
    var key := FieldAt(t, m).key;
    forall x {:trigger t[x]} | m.keyStart <= x < m.keyEnd
      ensures key[x - m.keyStart] == t[x]
    {
    }
    var start: int := m.keyStart;
    UnitsAreLocal(t, key, start + 1, -start);
  }

  // ---- What a scan finds ----

  /** A name is plain byte by byte; the empty one is. */
  lemma PlainByteByByte(name: Text, b: Byte)
    ensures IsPlain([])
    ensures IsPlain(name + [b]) <==> IsPlain(name) && 32 <= b < 128 && b !in {Quote, Backslash}
  {
    var more := name + [b];
    assert more[|name|] == b && b in more;
    if IsPlain(more) {
      forall x | x in name ensures 32 <= x < 128 && x != Quote && x != Backslash {
        assert x in more;
      }
    }
    if IsPlain(name) && 32 <= b < 128 && b !in {Quote, Backslash} {
      forall x | x in more ensures 32 <= x < 128 && x != Quote && x != Backslash {
        assert x in name || x == b;
      }
    }
  }

  /** An escape of four digits is one wherever it stands. */
  lemma LongEscapeFurtherOn(t: Text, i: nat, b: Byte)
    ensures IsLongEscape([b] + t, i + 1) <==> IsLongEscape(t, i)
  {
  }

  /** White space goes on byte by byte: where nothing stands nothing is anything else. */
  lemma BlankByteByByte(t: Text, i: nat, j: nat)
    ensures i <= |t| ==> Blank(t, i, i)
    ensures i <= j < |t| ==> (Blank(t, i, j + 1) <==> Blank(t, i, j) && IsSpace(t[j]))
  {
  }

  /** Where a scan sits: a closing brace stands there, and in front of it each member in its own order. */
  lemma SitsExactly(t: Text, from: nat, scan: Scan)
    ensures Sits(t, from, scan)
       <==> && from <= scan.close && scan.close < |t| && t[scan.close..][0] == CloseBrace
            && (forall m | m in scan.members ::
                  from <= m.keyStart && m.keyStart < m.keyEnd && m.keyEnd < m.valueStart && m.valueStart < m.valueEnd <= scan.close)
  {
  }

  /** White space without a gap is skipped up to its end. */
  lemma BlankIsSkipped(t: Text, i: nat, j: nat)
    requires i <= j <= |t|
    requires Blank(t, i, j)
    requires j < |t| ==> !IsSpace(t[j])
    ensures SkipSpace(t, i) == j
    decreases j - i
  {
    if i < j {
      BlankIsSkipped(t, i + 1, j);
    }
  }

  /** A whole member's key and value begin with no white space. */
  lemma WholeBeginsAtOnce(t: Text, m: Member)
    requires Whole(t, m)
    ensures !IsSpace(t[m.keyStart])
    ensures !IsSpace(t[m.valueStart])
    ensures t[m.keyStart] == Quote
  {
  }

  /** A member is read exactly if it is whole, with white space before it and a colon between its key and its value. */
  lemma MemberExactlyWhen(t: Text, i: nat, m: Member)
    requires i <= |t|
    ensures MemberAt(t, i) == Some(m) <==> i <= m.keyStart && ReadsMember(t, m) && Blank(t, i, m.keyStart)
  {
    if MemberAt(t, i) == Some(m) {
      var colon := MemberAtParts(t, i);
      assert OneBetween(t, m.keyEnd, colon, m.valueStart, Colon);
    }
    if i <= m.keyStart && ReadsMember(t, m) && Blank(t, i, m.keyStart) {
      var colon :| m.keyEnd <= colon < m.valueStart && OneBetween(t, m.keyEnd, colon, m.valueStart, Colon);
      WholeBeginsAtOnce(t, m);
      BlankIsSkipped(t, i, m.keyStart);
      BlankIsSkipped(t, m.keyEnd, colon);
      BlankIsSkipped(t, colon + 1, m.valueStart);
      MemberAtIs(t, i, colon, m);
    }
  }

  /** What the scan says follows a value does follow it. */
  lemma RestReads(t: Text, i: nat)
    requires i <= |t|
    requires Rest(t, i).Some?
    ensures ReadsRest(t, i, Rest(t, i).value.members, Rest(t, i).value.close)
    decreases |t| - i
  {
    var next := SkipSpace(t, i);
    if t[next] == Comma {
      var m := MemberAt(t, next + 1).value;
      RestAtAMember(t, i, next, m);
      RestReads(t, m.valueEnd);
      MemberExactlyWhen(t, next + 1, m);
      var after := Rest(t, m.valueEnd).value.members;
      assert OneBetween(t, i, next, m.keyStart, Comma);
      assert ([m] + after)[1..] == after;
    }
  }

  /** And what follows a value is what the scan says. */
  lemma RestIsRead(t: Text, i: nat, members: seq<Member>, close: nat)
    requires i <= |t|
    requires ReadsRest(t, i, members, close)
    ensures Rest(t, i) == Some(Scan(members, close))
    decreases |members|
  {
    hide Rest, MemberAt;
    if |members| == 0 {
      BlankIsSkipped(t, i, close);
      RestSkipsSpace(t, i, close);
      RestAtTheBrace(t, close);
    } else {
      var m := members[0];
      var comma :| i <= comma < m.keyStart && OneBetween(t, i, comma, m.keyStart, Comma);
      BlankIsSkipped(t, i, comma);
      MemberExactlyWhen(t, comma + 1, m);
      RestAtAMember(t, i, comma, m);
      RestIsRead(t, m.valueEnd, members[1..], close);
      assert members == [m] + members[1..];
    }
  }

  /** The inside of an object, as the scan says and as it stands. */
  lemma InsideExactlyWhen(t: Text, i: nat, scan: Scan)
    requires i <= |t|
    ensures Inside(t, i) == Some(scan) <==> ReadsInside(t, i, scan.members, scan.close)
  {
    if Inside(t, i) == Some(scan) {
      if |scan.members| > 0 {
        InsideAtAMember(t, i);
        var m := MemberAt(t, i).value;
        MemberExactlyWhen(t, i, m);
        RestReads(t, m.valueEnd);
      } else {
        NoMembersNoMember(t, i);
      }
    }
    if ReadsInside(t, i, scan.members, scan.close) {
      if |scan.members| == 0 {
        BlankIsSkipped(t, i, scan.close);
      } else {
        var m := scan.members[0];
        MemberExactlyWhen(t, i, m);
        RestIsRead(t, m.valueEnd, scan.members[1..], scan.close);
        InsideFromAMember(t, i);
        assert scan.members == [m] + scan.members[1..];
      }
    }
  }

  /** The scanner finds exactly what stands there: it says that a line has these members and this closing brace if and only if
    * the line is white space, `{`, the members with a comma between any two, `}` and white space. */
  lemma ScanExactlyWhen(t: Text, scan: Scan)
    ensures ScanObject(t) == Some(scan) <==> ReadsObject(t, scan)
  {
    if ScanObject(t) == Some(scan) {
      var open := SkipSpace(t, 0);
      ScanObjectParts(t);
      InsideExactlyWhen(t, open + 1, scan);
      assert Braces(t, open, scan.close);
    }
    if ReadsObject(t, scan) {
      var open :| 0 <= open < |t| && Braces(t, open, scan.close) && ReadsInside(t, open + 1, scan.members, scan.close);
      InsideExactlyWhen(t, open + 1, scan);
      BlankIsSkipped(t, 0, open);
      BlankIsSkipped(t, scan.close + 1, |t|);
      ScanObjectIs(t, open, scan);
    }
  }

  /** The members that follow a value are whole. */
  lemma RestIsWhole(t: Text, i: nat)
    requires i <= |t|
    requires Rest(t, i).Some?
    ensures forall m | m in Rest(t, i).value.members :: Whole(t, m)
    decreases |t| - i
  {
    var next := SkipSpace(t, i);
    if t[next] == Comma {
      var first := MemberAt(t, next + 1).value;
      RestIsWhole(t, first.valueEnd);
      RestAtAMember(t, i, next, first);
      assert Whole(t, first);
    }
  }

  /** Every member that a scan finds is whole. */
  lemma MembersAreWhole(t: Text)
    requires Scans(t)
    ensures forall m | m in Members(t) :: Whole(t, m)
  {
    var i := SkipSpace(t, 0) + 1;
    ScanObjectParts(t);
    if |Members(t)| > 0 {
      InsideAtAMember(t, i);
      RestIsWhole(t, MemberAt(t, i).value.valueEnd);
      assert Whole(t, MemberAt(t, i).value);
    }
  }

  /** The bytes of a whole member are a field that can be written. */
  lemma WholeIsWritable(t: Text, m: Member)
    requires Whole(t, m)
    ensures Writable(FieldAt(t, m))
  {
    var f := FieldAt(t, m);
    SliceKeepsAgreement(t, m.keyStart, m.keyEnd);
    SliceKeepsAgreement(t, m.valueStart, m.valueEnd);
    var key: int := m.keyStart;
    var value: int := m.valueStart;
    StringEndIsLocal(t, f.key, key, -key);
    ValueEndIsLocal(t, f.value, value, -value);
  }

  /** A slice agrees with what it was cut from. */
  lemma SliceKeepsAgreement(t: Text, i: nat, j: nat)
    requires i <= j <= |t|
    ensures var back: int := i; Agree(t, t[i..j], i, j, -back)
  {
  }

  /** What a scan finds can be written: each key is exactly one string, each value exactly one value. */
  lemma ContentsAreWritable(t: Text)
    requires Scans(t)
    ensures AllWritable(Contents(t))
  {
    MembersAreWhole(t);
    forall f | f in Contents(t)
      ensures Writable(f)
    {
      var i :| 0 <= i < |Members(t)| && Contents(t)[i] == f;
      assert Members(t)[i] in Members(t);
      WholeIsWritable(t, Members(t)[i]);
    }
  }

  // ---- The brace ----

  /** Between the last of these members, or the place where they would begin, and the closing brace there is only white space. */
  lemma OnlySpaceAfterTheLastMember(t: Text, i: nat, members: seq<Member>, close: nat, end: nat)
    requires i <= |t|
    requires ReadsRest(t, i, members, close)
    requires end == if |members| == 0 then i else members[|members| - 1].valueEnd
    ensures end <= close < |t|
    ensures Blank(t, end, close)
    decreases |members|
  {
    if |members| > 0 {
      OnlySpaceAfterTheLastMember(t, members[0].valueEnd, members[1..], close, end);
    }
  }

  /** What is inserted stands right after the last member, but for the white space that the line had there. */
  lemma InsertedAfterTheLastMember(t: Text)
    requires Scans(t)
    requires |Members(t)| > 0
    ensures var end := Members(t)[|Members(t)| - 1].valueEnd;
            end <= CloseOf(t) && Blank(t, end, CloseOf(t))
  {
    hide ScanObject, Rest, Inside, MemberAt;
    var members := Members(t);
    var open := SkipSpace(t, 0);
    ScanObjectParts(t);
    InsideExactlyWhen(t, open + 1, ScanObject(t).value);
    OnlySpaceAfterTheLastMember(t, members[0].valueEnd, members[1..], CloseOf(t), members[|members| - 1].valueEnd);
  }

  /** In a line that scans the closing brace is the last brace. (In one that does not, the last brace may stand in a string.) */
  lemma TheLastBraceCloses(t: Text, x: nat)
    requires Scans(t)
    requires CloseOf(t) < x < |t|
    ensures t[x] != CloseBrace
  {
    assert IsSpace(t[x]);
  }

  // ---- Another value ----

  /** Every one of some texts is one value. */
  ghost predicate AllValues(values: seq<Text>) {
    forall v | v in values :: IsValue(v)
  }

  /** Fields with the same keys, and with these values. */
  ghost predicate HoldValues(fields: seq<Field>, keys: seq<Field>, values: seq<Text>) {
    && |fields| == |keys| == |values|
    && (forall k | 0 <= k < |fields| :: fields[k] == Field(keys[k].key, values[k]))
  }

  /** What agrees agrees within. */
  lemma AgreesWithin(a: Text, b: Text, i: nat, j: nat, k: nat, l: nat, d: int)
    requires Agree(a, b, i, l, d)
    requires i <= j <= k <= l
    ensures Agree(a, b, j, k, d)
  {
  }

  /** A byte of what agrees stands in both. */
  lemma ByteAgrees(a: Text, b: Text, i: nat, j: nat, d: int, x: nat)
    requires Agree(a, b, i, j, d)
    requires i <= x < j
    ensures 0 <= x + d < |b|
    ensures b[x + d] == a[x]
  {
  }

  /** What agrees is the same bytes. */
  lemma AgreedSlice(a: Text, b: Text, i: nat, j: nat, d: int)
    requires Agree(a, b, i, j, d)
    ensures 0 <= i + d <= j + d <= |b|
    ensures b[i + d..j + d] == a[i..j]
  {
    forall x {:trigger a[x]} | i <= x < j
      ensures b[i + d..j + d][x - i] == a[x]
    {
      assert b[x + d] == a[x];
    }
  }

  /** The key of a member and its colon are found where they stand in another text. */
  lemma KeyIsLocal(t: Text, i: nat, u: Text, d: int) returns (colon: nat)
    requires i <= |t|
    requires MemberAt(t, i).Some?
    requires Agree(t, u, i, MemberAt(t, i).value.valueStart, d)
    ensures var m := MemberAt(t, i).value;
            && 0 <= i + d <= m.keyStart + d <= m.keyEnd + d <= colon + d < m.valueStart + d <= |u|
            && m.valueStart == SkipSpace(t, colon + 1)
            && SkipSpace(u, i + d) == m.keyStart + d
            && StringEnd(u, m.keyStart + d) == Some(m.keyEnd + d)
            && SkipSpace(u, m.keyEnd + d) == colon + d
            && u[colon + d] == Colon
  {
    var m := MemberAt(t, i).value;
    colon := MemberAtParts(t, i);
    hide MemberAt, StringEnd, ValueEnd, SkipSpace, Agree;
    assert 0 <= i + d && m.valueStart + d <= |u| by {
      reveal Agree;
    }
    SkipSpaceToAByteIsLocal(t, u, i, m.valueStart, d);
    AgreesWithin(t, u, i, m.keyStart, m.keyEnd, m.valueStart, d);
    StringEndIsLocal(t, u, m.keyStart, d);
    AgreesWithin(t, u, i, m.keyEnd, m.valueStart, m.valueStart, d);
    SkipSpaceToAByteIsLocal(t, u, m.keyEnd, m.valueStart, d);
    ByteAgrees(t, u, i, m.valueStart, d, colon);
  }

  /** A value is one where it stands in another text, if no scalar byte follows it; no white space stands at its beginning. */
  lemma ValueStands(u: Text, start: nat, value: Text)
    requires IsValue(value)
    requires start + |value| <= |u|
    requires u[start..start + |value|] == value
    requires start + |value| < |u| ==> !IsScalar(u[start + |value|])
    ensures start < |u|
    ensures ValueEnd(u, start) == Some(start + |value|)
    ensures !IsSpace(u[start])
  {
    SliceAgrees(value, u, start);
    ByteAgrees(value, u, 0, |value|, start, 0);
    assert !IsSpace(value[0]);
    hide ValueEnd;
    ValueEndIsLocal(value, u, 0, start);
  }

  /** A member with another value is that member, with its value; what stands before it may stand elsewhere. */
  lemma MemberWoven(t: Text, i: nat, u: Text, d: int, value: Text)
    requires i <= |t|
    requires MemberAt(t, i).Some?
    requires IsValue(value)
    requires var start := MemberAt(t, i).value.valueStart;
             && Agree(t, u, i, start, d)
             && start + d + |value| <= |u|
             && u[start + d..start + d + |value|] == value
             && (start + d + |value| < |u| ==> !IsScalar(u[start + d + |value|]))
    ensures var m := MemberAt(t, i).value;
            && 0 <= m.keyStart + d
            && MemberAt(u, i + d)
               == Some(Member(m.keyStart + d, m.keyEnd + d, m.valueStart + d, m.valueStart + d + |value|))
  {
    hide MemberAt, StringEnd, ValueEnd, SkipSpace, Agree, IsValue;
    var m := MemberAt(t, i).value;
    var colon := KeyIsLocal(t, i, u, d);
    ValueStands(u, m.valueStart + d, value);
    AgreesWithin(t, u, i, colon + 1, m.valueStart, m.valueStart, d);
    SkipSpaceIsLocal(t, u, colon + 1, d);
    MemberAtIs(u, i + d, colon + d, Member(m.keyStart + d, m.keyEnd + d, m.valueStart + d, m.valueStart + d + |value|));
  }

  /** Parts of a text that is put together from three. */
  lemma PartsOfThree(u: Text, j: nat, a: Text, b: Text, c: Text)
    requires j <= |u|
    requires u[j..] == a + b + c
    ensures j + |a| + |b| + |c| == |u|
    ensures u[j..j + |a|] == a
    ensures u[j + |a|..j + |a| + |b|] == b
    ensures u[j + |a| + |b|..] == c
  {
  }

  /** Parts of a text that stand in another one agree with it. */
  lemma PartAgrees(t: Text, i: nat, k: nat, u: Text, j: nat)
    requires i <= k <= |t|
    requires j + (k - i) <= |u|
    requires u[j..j + (k - i)] == t[i..k]
    ensures Agree(t, u, i, k, j - i)
  {
    forall x {:trigger t[x]} | i <= x < k
      ensures u[x + (j - i)] == t[x]
    {
      assert u[j..j + (k - i)][x - i] == t[i..k][x - i];
    }
  }

  /** The first value of a line that is woven anew, and what follows it. */
  lemma WovenStep(t: Text, i: nat, members: seq<Member>, values: seq<Text>)
    requires |members| > 0
    requires |values| == |members|
    requires i <= members[0].valueStart <= |t|
    ensures Woven(OutsideFrom(t, i, members), values)
         == t[i..members[0].valueStart] + values[0] + Woven(OutsideFrom(t, members[0].valueEnd, members[1..]), values[1..])
  {
    var around := OutsideFrom(t, members[0].valueEnd, members[1..]);
    assert ([Cut(t, i, members[0].valueStart)] + around)[1..] == around;
  }

  /** The fields of a member and of those behind it, with other values. */
  lemma WovenFields(t: Text, m: Member, after: seq<Member>, u: Text, own: Member, others: seq<Member>, values: seq<Text>)
    requires Placed(m, 0, |t|) && (forall one | one in after :: Placed(one, 0, |t|))
    requires Placed(own, 0, |u|) && (forall one | one in others :: Placed(one, 0, |u|))
    requires |values| > 0
    requires HoldValues(FieldsAt(u, others), FieldsAt(t, after), values[1..])
    requires own.keyEnd - own.keyStart == m.keyEnd - m.keyStart
    requires Agree(t, u, m.keyStart, m.keyEnd, own.keyStart - m.keyStart)
    requires u[own.valueStart..own.valueEnd] == values[0]
    ensures HoldValues(FieldsAt(u, [own] + others), FieldsAt(t, [m] + after), values)
  {
    var ours, theirs := FieldsAt(u, [own] + others), FieldsAt(t, [m] + after);
    assert u[own.keyStart..own.keyEnd] == t[m.keyStart..m.keyEnd];
    forall k | 0 <= k < |ours|
      ensures ours[k] == Field(theirs[k].key, values[k])
    {
      if k > 0 {
        assert ours[k] == FieldsAt(u, others)[k - 1];
        assert theirs[k] == FieldsAt(t, after)[k - 1];
        assert values[k] == values[1..][k - 1];
      }
    }
  }

  /** What stands outside of the values from a member on. */
  lemma OutsideOfMember(t: Text, from: nat, m: Member, after: seq<Member>)
    ensures OutsideFrom(t, from, [m] + after) == [Cut(t, from, m.valueStart)] + OutsideFrom(t, m.valueEnd, after)
  {
    assert ([m] + after)[1..] == after;
  }

  /** A member with another value, in front of what follows it with other values: the member is scanned, and what stands around all
    * these values is the same. */
  lemma MemberAndRestWoven(t: Text, from: nat, i: nat, u: Text, j: nat, values: seq<Text>, after: seq<Member>, rest: Scan)
    requires from <= i <= |t|
    requires MemberAt(t, i).Some? && (forall one | one in after :: Placed(one, 0, |t|))
    requires AllValues(values) && |values| > 0
    requires var m := MemberAt(t, i).value;
             var start: int := m.valueStart + (j - from);
             && Agree(t, u, from, m.valueStart, j - from)
             && 0 <= start
             && start + |values[0]| <= |u|
             && u[start..start + |values[0]|] == values[0]
             && Rest(u, start + |values[0]|) == Some(rest)
             && OutsideFrom(u, start + |values[0]|, rest.members) == OutsideFrom(t, m.valueEnd, after)
    requires forall one | one in rest.members :: Placed(one, 0, |u|)
    requires HoldValues(FieldsAt(u, rest.members), FieldsAt(t, after), values[1..])
    ensures var m, shift := MemberAt(t, i).value, j - from;
            && 0 <= m.keyStart + shift
            && var own := Member(m.keyStart + shift, m.keyEnd + shift, m.valueStart + shift, m.valueStart + shift + |values[0]|);
            && MemberAt(u, i + shift) == Some(own)
            && Placed(own, 0, |u|)
            && OutsideFrom(u, j, [own] + rest.members) == OutsideFrom(t, from, [m] + after)
            && HoldValues(FieldsAt(u, [own] + rest.members), FieldsAt(t, [m] + after), values)
  {
    hide Rest, MemberAt, ValueEnd, StringEnd, SkipSpace, Agree, OutsideFrom, HoldValues, AllValues, Cut, IsValue;
    assert IsValue(values[0]) by {
      reveal AllValues;
    }
    var m, shift := MemberAt(t, i).value, j - from;
    var start: nat := m.valueStart + shift;
    var end: nat := start + |values[0]|;
    assert from <= i <= m.keyStart <= m.keyEnd <= m.valueStart;
    NoScalarAfterAValue(u, end);
    AgreesWithin(t, u, from, i, m.valueStart, m.valueStart, shift);
    MemberWoven(t, i, u, shift, values[0]);
    var own := Member(m.keyStart + shift, m.keyEnd + shift, start, end);
    AgreesWithin(t, u, from, m.keyStart, m.keyEnd, m.valueStart, shift);
    WovenFields(t, m, after, u, own, rest.members, values);
    AgreedSlice(t, u, from, m.valueStart, shift);
    OutsideOfMember(u, j, own, rest.members);
    OutsideOfMember(t, from, m, after);
    assert Cut(u, j, start) == Cut(t, from, m.valueStart) by {
      reveal Cut;
    }
  }

  /** Where no member follows, nothing changes. */
  lemma BraceWoven(t: Text, i: nat, u: Text, j: nat)
    requires i <= |t| && j <= |u|
    requires SkipSpace(t, i) < |t| && t[SkipSpace(t, i)] == CloseBrace
    requires u[j..] == t[i..]
    ensures var next: int := SkipSpace(t, i) + (j - i);
            && 0 <= next <= |u|
            && Rest(u, j) == Some(Scan([], next))
            && u[next..] == t[SkipSpace(t, i)..]
            && OutsideFrom(u, j, []) == OutsideFrom(t, i, [])
            && HoldValues(FieldsAt(u, []), FieldsAt(t, []), [])
  {
    hide SkipSpace, Rest;
    var next, shift := SkipSpace(t, i), j - i;
    PartAgrees(t, i, |t|, u, j);
    SkipSpaceToAByteIsLocal(t, u, i, next + 1, shift);
    assert u[next + shift] == t[next];
    RestSkipsSpace(u, j, next + shift);
    RestAtTheBrace(u, next + shift);
    assert u[next + shift..] == t[next..];
  }

  /** What follows a value, with other values: it is scanned to the same members with these values, and the bytes around them are
    * the same. */
  lemma RestWoven(t: Text, i: nat, u: Text, j: nat, values: seq<Text>)
    requires i <= |t|
    requires j <= |u|
    requires Rest(t, i).Some?
    requires |values| == |Rest(t, i).value.members|
    requires AllValues(values)
    requires u[j..] == Woven(OutsideFrom(t, i, Rest(t, i).value.members), values)
    ensures Rest(u, j).Some?
    ensures var a, b := Rest(t, i).value, Rest(u, j).value;
            && |b.members| == |a.members|
            && OutsideFrom(u, j, b.members) == OutsideFrom(t, i, a.members)
            && HoldValues(FieldsAt(u, b.members), FieldsAt(t, a.members), values)
            && u[b.close..] == t[a.close..]
    decreases |t| - i, 1
  {
    hide Rest, MemberAt, Woven, OutsideFrom, HoldValues, AllValues, SkipSpace, Agree;
    RestParts(t, i);
    var next := SkipSpace(t, i);
    if t[next] == CloseBrace {
      assert u[j..] == t[i..] by {
        reveal Woven, OutsideFrom;
      }
      BraceWoven(t, i, u, j);
      assert values == [];
    } else {
      RestWovenAtAMember(t, i, u, j, values);
    }
  }

  /** The same where a member follows. */
  lemma RestWovenAtAMember(t: Text, i: nat, u: Text, j: nat, values: seq<Text>)
    requires i <= |t|
    requires j <= |u|
    requires SkipSpace(t, i) < |t| && t[SkipSpace(t, i)] != CloseBrace
    requires Rest(t, i).Some?
    requires |values| == |Rest(t, i).value.members|
    requires AllValues(values)
    requires u[j..] == Woven(OutsideFrom(t, i, Rest(t, i).value.members), values)
    ensures Rest(u, j).Some?
    ensures var a, b := Rest(t, i).value, Rest(u, j).value;
            && |b.members| == |a.members|
            && OutsideFrom(u, j, b.members) == OutsideFrom(t, i, a.members)
            && HoldValues(FieldsAt(u, b.members), FieldsAt(t, a.members), values)
            && u[b.close..] == t[a.close..]
    decreases |t| - i, 0
  {
    hide Rest, MemberAt, Woven, OutsideFrom, HoldValues, AllValues, SkipSpace, Agree;
    RestParts(t, i);
    var next := SkipSpace(t, i);
    var shift := j - i;
    var m := MemberAt(t, next + 1).value;
    var after := Rest(t, m.valueEnd).value;
    var members := Rest(t, i).value.members;
    assert members == [m] + after.members && members[1..] == after.members;
    WovenStep(t, i, members, values);
    PartsOfThree(u, j, t[i..m.valueStart], values[0], Woven(OutsideFrom(t, m.valueEnd, after.members), values[1..]));
    var end: nat := m.valueStart + shift + |values[0]|;
    assert AllValues(values[1..]) by {
      reveal AllValues;
    }
    RestWoven(t, m.valueEnd, u, end, values[1..]);
    var rest := Rest(u, end).value;
    PartAgrees(t, i, m.valueStart, u, j);
    SkipSpaceToAByteIsLocal(t, u, i, m.valueStart, shift);
    ByteAgrees(t, u, i, m.valueStart, shift, next);
    MemberAndRestWoven(t, i, next + 1, u, j, values, after.members, rest);
    RestAtAMember(u, j, next + shift, MemberAt(u, next + 1 + shift).value);
  }

  /** Only white space stands behind the brace of both, where the same bytes stand from there on. */
  lemma SpaceBehindTheBrace(t: Text, i: nat, u: Text, j: nat)
    requires i < |t| && j < |u|
    requires u[j..] == t[i..]
    requires SkipSpace(t, i + 1) == |t|
    ensures SkipSpace(u, j + 1) == |u|
  {
    assert u[j + 1..] == u[j..][1..] == t[i + 1..];
    PartAgrees(t, i + 1, |t|, u, j + 1);
    SkipSpaceIsLocal(t, u, i + 1, j - i);
  }

  /** What follows the first member of a line, with other values. */
  lemma TailWoven(t: Text, values: seq<Text>) returns (end: nat, rest: Scan)
    requires Scans(t)
    requires 0 < |values| == |Members(t)|
    requires AllValues(values)
    ensures var u, m, after := Woven(Outside(t), values), Members(t)[0], Members(t)[1..];
            && end == m.valueStart + |values[0]| <= |u|
            && Agree(t, u, 0, m.valueStart, 0)
            && u[m.valueStart..end] == values[0]
            && Rest(u, end) == Some(rest)
            && OutsideFrom(u, end, rest.members) == OutsideFrom(t, m.valueEnd, after)
            && HoldValues(FieldsAt(u, rest.members), FieldsAt(t, after), values[1..])
            && u[rest.close..] == t[CloseOf(t)..]
  {
    hide Rest, MemberAt, Inside, ScanObject, Woven, OutsideFrom, HoldValues, AllValues, SkipSpace, Agree;
    var u := Woven(Outside(t), values);
    var open := SkipSpace(t, 0);
    ScanObjectParts(t);
    InsideAtAMember(t, open + 1);
    var m := MemberAt(t, open + 1).value;
    var after := Rest(t, m.valueEnd).value;
    assert Members(t) == [m] + after.members && Members(t)[1..] == after.members;
    WovenStep(t, 0, Members(t), values);
    assert u[0..] == u;
    PartsOfThree(u, 0, t[0..m.valueStart], values[0], Woven(OutsideFrom(t, m.valueEnd, after.members), values[1..]));
    end := m.valueStart + |values[0]|;
    assert AllValues(values[1..]) by {
      reveal AllValues;
    }
    RestWoven(t, m.valueEnd, u, end, values[1..]);
    rest := Rest(u, end).value;
    PartAgrees(t, 0, m.valueStart, u, 0);
  }

  /** The scan of a line with members whose values are exchanged for other values. */
  lemma MembersWoven(t: Text, values: seq<Text>) returns (scan: Scan)
    requires Scans(t)
    requires 0 < |values| == |Members(t)|
    requires AllValues(values)
    ensures var u := Woven(Outside(t), values);
            && ScanObject(u) == Some(scan)
            && (forall m | m in scan.members :: Placed(m, 0, |u|))
            && OutsideFrom(u, 0, scan.members) == OutsideFrom(t, 0, Members(t))
            && HoldValues(FieldsAt(u, scan.members), FieldsAt(t, Members(t)), values)
  {
    hide Rest, MemberAt, Inside, ScanObject, Woven, OutsideFrom, HoldValues, AllValues, SkipSpace, Agree;
    var u := Woven(Outside(t), values);
    var open := SkipSpace(t, 0);
    ScanObjectParts(t);
    InsideAtAMember(t, open + 1);
    var m := MemberAt(t, open + 1).value;
    var after := Members(t)[1..];
    assert Members(t) == [m] + after;
    var end, rest := TailWoven(t, values);
    MemberAndRestWoven(t, 0, open + 1, u, 0, values, after, rest);
    var own := MemberAt(u, open + 1).value;
    scan := Scan([own] + rest.members, rest.close);
    InsideFromAMember(u, open + 1);
    SkipSpaceToAByteIsLocal(t, u, 0, m.valueStart, 0);
    ByteAgrees(t, u, 0, m.valueStart, 0, open);
    SpaceBehindTheBrace(t, CloseOf(t), u, rest.close);
    ScanObjectIs(u, open, scan);
  }

  /** A line whose values are exchanged for other values: it holds the same keys with these, and every byte around them. */
  lemma LineWoven(t: Text, values: seq<Text>)
    requires Scans(t)
    requires |values| == |Members(t)|
    requires AllValues(values)
    ensures var u := Woven(Outside(t), values);
            Scans(u) && Outside(u) == Outside(t) && HoldValues(Contents(u), Contents(t), values)
  {
    hide ScanObject, OutsideFrom, AllValues;
    if |values| == 0 {
      assert Woven(Outside(t), values) == t by {
        reveal OutsideFrom;
      }
    } else {
      hide Woven, HoldValues;
      var scan := MembersWoven(t, values);
    }
  }

  /** What follows a value is what stands outside of values, with its own values. */
  lemma RestIsWoven(t: Text, i: nat)
    requires i <= |t|
    requires Rest(t, i).Some?
    ensures Woven(OutsideFrom(t, i, Rest(t, i).value.members), FieldValues(FieldsAt(t, Rest(t, i).value.members))) == t[i..]
    decreases |t| - i
  {
    hide Rest, MemberAt, SkipSpace, Woven, OutsideFrom;
    RestParts(t, i);
    var next := SkipSpace(t, i);
    if t[next] == CloseBrace {
      reveal Woven, OutsideFrom;
    } else {
      var m := MemberAt(t, next + 1).value;
      RestIsWoven(t, m.valueEnd);
      WovenOfMember(t, i, m, Rest(t, m.valueEnd).value.members);
    }
  }

  /** The same from a member on. */
  lemma WovenOfMember(t: Text, i: nat, m: Member, after: seq<Member>)
    requires Placed(m, i, |t|) && (forall one | one in after :: Placed(one, 0, |t|))
    requires Woven(OutsideFrom(t, m.valueEnd, after), FieldValues(FieldsAt(t, after))) == t[m.valueEnd..]
    ensures Woven(OutsideFrom(t, i, [m] + after), FieldValues(FieldsAt(t, [m] + after))) == t[i..]
  {
    var members := [m] + after;
    var values := FieldValues(FieldsAt(t, members));
    assert members[1..] == after;
    assert values[1..] == FieldValues(FieldsAt(t, after));
    WovenStep(t, i, members, values);
    assert t[i..m.valueStart] + t[m.valueStart..m.valueEnd] + t[m.valueEnd..] == t[i..];
  }

  /** A line is what stands outside of its values, and these: the two are all its bytes. */
  lemma LineIsWoven(t: Text)
    requires Scans(t)
    ensures Woven(Outside(t), FieldValues(Contents(t))) == t
  {
    var members := Members(t);
    ScanObjectParts(t);
    if |members| > 0 {
      var open := SkipSpace(t, 0);
      InsideAtAMember(t, open + 1);
      var m := MemberAt(t, open + 1).value;
      RestIsWoven(t, m.valueEnd);
      WovenOfMember(t, 0, m, Rest(t, m.valueEnd).value.members);
      assert members == [m] + Rest(t, m.valueEnd).value.members;
      assert t[0..] == t;
    }
  }

  /** Another value of a key changes exactly the bytes of that key's values. What stands around the values stays, byte for byte,
    * as do the keys and all other values; and a line is nothing but what stands around its values, and these. */
  lemma ReplacementChangesExactlyTheValues(t: Text, key: Text, value: Text)
    requires Scans(t)
    requires IsValue(value)
    ensures Woven(Outside(t), FieldValues(Contents(t))) == t
    ensures var u := ReplaceText(t, key, value);
            Scans(u) && Outside(u) == Outside(t) && Contents(u) == Exchanged(Contents(t), key, value)
  {
    LineIsWoven(t);
    var fields := Exchanged(Contents(t), key, value);
    var values := FieldValues(fields);
    ContentsAreWritable(t);
    forall v | v in values
      ensures IsValue(v)
    {
      var k :| 0 <= k < |values| && values[k] == v;
      assert Writable(Contents(t)[k]);
    }
    LineWoven(t, values);
  }

  /** The old value in its place again gives the old line, byte for byte, if the line had this value wherever it has the key. */
  lemma ReplacedBackIsTheLine(t: Text, key: Text, value: Text, former: Text)
    requires Scans(t)
    requires IsValue(value)
    requires forall f | f in Contents(t) :: Decode(f.key) == Decode(key) ==> f.value == former
    ensures Scans(ReplaceText(t, key, value))
    ensures ReplaceText(ReplaceText(t, key, value), key, former) == t
  {
    ReplacementChangesExactlyTheValues(t, key, value);
    var fields := Contents(t);
    var twice := Exchanged(Exchanged(fields, key, value), key, former);
    forall k | 0 <= k < |fields|
      ensures twice[k] == fields[k]
    {
      assert fields[k] in fields;
    }
    assert twice == fields;
  }

  // ---- What a line is read as ----

  /** Members behind others are read as theirs on top. */
  lemma FieldMapOfBoth(naming: Naming, first: seq<Field>, second: seq<Field>)
    ensures FieldMap(naming, first + second) == FieldMap(naming, first) + FieldMap(naming, second)
    decreases |second|
  {
    var both := first + second;
    if |second| == 0 {
      assert both == first;
    } else {
      var f := second[|second| - 1];
      assert both[|both| - 1] == f;
      assert both[..|both| - 1] == first + second[..|second| - 1];
      FieldMapOfBoth(naming, first, second[..|second| - 1]);
    }
  }

  /** The names of the fields are those of the keys. */
  lemma NamesOfFieldMap(naming: Naming, fields: seq<Field>, name: Key)
    ensures name in FieldMap(naming, fields) <==> exists k :: k in KeySet(fields) && naming.key(k) == name
    decreases |fields|
  {
    if |fields| > 0 {
      NamesOfFieldMap(naming, fields[..|fields| - 1], name);
      KeySetOfTheLast(fields);
    }
  }

  /** Of required fields with keys of their own, a line lacks those whose names it has not. */
  lemma FieldMapOfMissing(naming: Naming, present: set<seq<nat>>, names: set<Key>, required: seq<Field>)
    requires DistinctKeys(required)
    requires TellsApart(naming, present + KeySet(required))
    requires forall name :: name in names <==> exists k :: k in present && naming.key(k) == name
    ensures FieldMap(naming, Missing(present, required)) == FieldMap(naming, required) - names
    decreases |required|
  {
    if |required| > 0 {
      var before := required[..|required| - 1];
      var f := required[|required| - 1];
      var key := Decode(f.key);
      var name := naming.key(key);
      KeySetOfTheLast(required);
      FieldMapOfMissing(naming, present, names, before);
      forall k | k in KeySet(before)
        ensures k != key
      {
        var g := KeySetIsOfFields(k, before);
        var i :| 0 <= i < |before| && before[i] == g;
        assert Decode(required[i].key) != Decode(required[|required| - 1].key);
      }
      if key in present {
        assert name in names;
      } else {
        assert name !in names;
        var kept := Missing(present, before);
        assert Missing(present, required) == kept + [f];
        assert (kept + [f])[..|kept|] == kept;
      }
    }
  }

  /** P6: a filled line is read as the filled entry. So the two chapters of backfill speak of one thing: the fields of an entry are the
    * members of its line. */
  lemma FilledLineReadsAsTheFilledEntry(naming: Naming, t: Text, e: Entry, schema: Backfill.Schema, required: seq<Field>)
    requires Scans(t)
    requires AllWritable(required) && DistinctKeys(required)
    requires TellsApart(naming, KeySet(Contents(t)) + KeySet(required))
    requires FieldMap(naming, Contents(t)) == e.fields
    requires FieldMap(naming, required) == Backfill.RequiredOf(schema, e.kind) - schema.reserved
    ensures Scans(FillText(t, required))
    ensures FieldMap(naming, Contents(FillText(t, required))) == Backfill.BackfillEntry(e, schema).fields
  {
    var present := KeySet(Contents(t));
    FillAddsExactlyTheMissing(t, required);
    FieldMapOfBoth(naming, Contents(t), Lacks(t, required));
    forall name
      ensures name in e.fields.Keys <==> exists k :: k in present && naming.key(k) == name
    {
      NamesOfFieldMap(naming, Contents(t), name);
    }
    FieldMapOfMissing(naming, present, e.fields.Keys, required);
    assert Backfill.Additions(schema, e) == FieldMap(naming, required) - e.fields.Keys;
  }

  /** P4: a line with another value of a key that it has is read as its entry with that value, and with every other field as it was. */
  lemma ReplacedLineReadsAsTheStampedEntry(naming: Naming, t: Text, key: Text, value: Text)
    requires Scans(t)
    requires IsValue(value)
    requires HasKey(t, key)
    requires TellsApart(naming, KeySet(Contents(t)))
    ensures Scans(ReplaceText(t, key, value))
    ensures FieldMap(naming, Contents(ReplaceText(t, key, value)))
         == FieldMap(naming, Contents(t))[naming.key(Decode(key)) := naming.value(value)]
  {
    ReplacementChangesExactlyTheValues(t, key, value);
    FieldMapOfExchanged(naming, Contents(t), Decode(key), key, value);
  }

  /** Where a key stands, its value is the new one; elsewhere nothing is another. */
  lemma FieldMapOfExchanged(naming: Naming, fields: seq<Field>, says: seq<nat>, key: Text, value: Text)
    requires says == Decode(key)
    requires TellsApart(naming, KeySet(fields) + {says})
    ensures FieldMap(naming, Exchanged(fields, key, value))
         == if says in KeySet(fields) then FieldMap(naming, fields)[naming.key(says) := naming.value(value)]
            else FieldMap(naming, fields)
    decreases |fields|
  {
    if |fields| > 0 {
      var before := fields[..|fields| - 1];
      var f := fields[|fields| - 1];
      var exchanged := Exchanged(fields, key, value);
      KeySetOfTheLast(fields);
      FieldMapOfExchanged(naming, before, says, key, value);
      assert exchanged[..|fields| - 1] == Exchanged(before, key, value);
      var g := exchanged[|fields| - 1];
      assert Decode(g.key) == Decode(f.key);
      assert Decode(f.key) in KeySet(fields);
      if Decode(f.key) == says {
        assert g == Field(f.key, value);
      } else {
        assert g == f;
        assert naming.key(Decode(f.key)) != naming.key(says);
      }
    }
  }
}

// Chapter 9. Backfill on bytes: one line that holds one JSON object, a scanner that finds its members, and the
// splice that writes missing members in front of the closing brace and leaves every other byte alone.
//
// The scanner accepts a superset of the JSON objects: nested values are only scanned for their strings and their
// depth (so `[1 2}` passes as one), a scalar is any run of bytes that are not structure, and bytes from 128 on pass
// inside strings whether or not they are valid UTF-8. Every theorem holds for all that it accepts, so for every object.
include "01-Entries.dfy"

module Splice {
  import opened Names
  import opened Entries

  /** One byte. */
  type Byte = b: int | 0 <= b < 256

  /** The bytes of a line or of a part of one. */
  type Text = seq<Byte>

  const Quote: Byte := 34
  const Comma: Byte := 44
  const Colon: Byte := 58
  const Backslash: Byte := 92
  const OpenBracket: Byte := 91
  const CloseBracket: Byte := 93
  const OpenBrace: Byte := 123
  const CloseBrace: Byte := 125

  /** JSON's white space: space, tab, line feed, carriage return. */
  predicate IsSpace(b: Byte) {
    b == 32 || b == 9 || b == 10 || b == 13
  }

  /** Begins a nested value. */
  predicate Opens(b: Byte) {
    b == OpenBrace || b == OpenBracket
  }

  /** Ends a nested value. */
  predicate Closes(b: Byte) {
    b == CloseBrace || b == CloseBracket
  }

  /** May stand in a number, `true`, `false` or `null`: any byte that is neither structure nor white space nor a quote. */
  predicate IsScalar(b: Byte) {
    !IsSpace(b) && !Opens(b) && !Closes(b) && b != Comma && b != Colon && b != Quote
  }

  /** The first position from `i` on that holds no white space. */
  function SkipSpace(t: Text, i: nat): nat
    requires i <= |t|
    ensures i <= SkipSpace(t, i) <= |t|
    ensures forall x | i <= x < SkipSpace(t, i) :: IsSpace(t[x])
    ensures SkipSpace(t, i) < |t| ==> !IsSpace(t[SkipSpace(t, i)])
    decreases |t| - i
  {
    if i < |t| && IsSpace(t[i]) then SkipSpace(t, i + 1) else i
  }

  /** A hexadecimal digit, of either case. */
  predicate IsHex(b: Byte) {
    48 <= b <= 57 || 65 <= b <= 70 || 97 <= b <= 102
  }

  /** What a hexadecimal digit counts. */
  function HexValue(b: Byte): nat
    requires IsHex(b)
  {
    if b <= 57 then b - 48 else if b <= 70 then b - 55 else b - 87
  }

  /** The byte after a backslash in an escape of two bytes: `"`, `\`, `/`, `b`, `f`, `n`, `r` or `t`. */
  predicate IsShortEscape(b: Byte) {
    b == 34 || b == 92 || b == 47 || b == 98 || b == 102 || b == 110 || b == 114 || b == 116
  }

  /** The code unit that an escape of two bytes stands for. */
  function ShortEscape(b: Byte): nat
    requires IsShortEscape(b)
  {
    if b == 98 then 8 else if b == 102 then 12 else if b == 110 then 10 else if b == 114 then 13 else if b == 116 then 9 else b
  }

  /** `u` and four hexadecimal digits stand at `i`, which is what follows the backslash of a long escape. */
  predicate IsLongEscape(t: Text, i: nat) {
    i + 4 < |t| && t[i] == 117 && IsHex(t[i + 1]) && IsHex(t[i + 2]) && IsHex(t[i + 3]) && IsHex(t[i + 4])
  }

  /** The length of the character of a string at `i`: a raw byte, or an escape of 2 or 6 bytes; 0 if there is none. */
  function CharLength(t: Text, i: nat): nat
    requires i < |t|
    ensures i + CharLength(t, i) <= |t|
  {
    if t[i] == Quote || t[i] < 32 then 0
    else if t[i] != Backslash then 1
    else if i + 1 < |t| && IsShortEscape(t[i + 1]) then 2
    else if IsLongEscape(t, i + 1) then 6
    else 0
  }

  /** The code unit at `i`, its escape resolved. A raw byte of 128 or more is a part of a character in UTF-8; it is kept
    * apart from the code units as 65536 + byte. So keys of ASCII compare exactly, however they are written; a key beyond
    * ASCII equals itself in the same spelling only. */
  function CharUnit(t: Text, i: nat): nat
    requires i < |t|
    requires CharLength(t, i) > 0
  {
    if t[i] != Backslash then if t[i] < 128 then t[i] else 65536 + t[i]
    else if IsShortEscape(t[i + 1]) then ShortEscape(t[i + 1])
    else 4096 * HexValue(t[i + 2]) + 256 * HexValue(t[i + 3]) + 16 * HexValue(t[i + 4]) + HexValue(t[i + 5])
  }

  /** The position after the closing quote of a string, from a position inside it; none if the string does not end or
    * holds a control byte or a broken escape. */
  function BodyEnd(t: Text, i: nat): Option<nat>
    requires i <= |t|
    ensures BodyEnd(t, i).Some? ==> i < BodyEnd(t, i).value <= |t|
    decreases |t| - i
  {
    if i == |t| then None
    else if t[i] == Quote then Some(i + 1)
    else if CharLength(t, i) == 0 then None
    else BodyEnd(t, i + CharLength(t, i))
  }

  /** The position after the string that begins at `i`. */
  function StringEnd(t: Text, i: nat): Option<nat>
    requires i <= |t|
    ensures StringEnd(t, i).Some? ==> i + 1 < StringEnd(t, i).value <= |t|
  {
    if i < |t| && t[i] == Quote then BodyEnd(t, i + 1) else None
  }

  /** The position after the nested value that we are in, `depth` levels below its end. Strings are skipped as strings. */
  function NestedEnd(t: Text, i: nat, depth: nat): Option<nat>
    requires i <= |t|
    ensures NestedEnd(t, i, depth).Some? ==> i <= NestedEnd(t, i, depth).value <= |t|
    decreases |t| - i
  {
    if depth == 0 then Some(i)
    else if i == |t| then None
    else if t[i] == Quote then
      var end := StringEnd(t, i);
      if end.None? then None else NestedEnd(t, end.value, depth)
    else if Opens(t[i]) then NestedEnd(t, i + 1, depth + 1)
    else if Closes(t[i]) then NestedEnd(t, i + 1, depth - 1)
    else NestedEnd(t, i + 1, depth)
  }

  /** The end of the longest run of scalar bytes from `i` on. */
  function ScalarEnd(t: Text, i: nat): nat
    requires i <= |t|
    ensures i <= ScalarEnd(t, i) <= |t|
    decreases |t| - i
  {
    if i < |t| && IsScalar(t[i]) then ScalarEnd(t, i + 1) else i
  }

  /** The position after the value that begins at `i`. */
  function ValueEnd(t: Text, i: nat): Option<nat>
    requires i <= |t|
    ensures ValueEnd(t, i).Some? ==> i < ValueEnd(t, i).value <= |t|
  {
    if i == |t| then None
    else if t[i] == Quote then StringEnd(t, i)
    else if Opens(t[i]) then NestedEnd(t, i + 1, 1)
    else if IsScalar(t[i]) then Some(ScalarEnd(t, i + 1))
    else None
  }

  /** Where a member stands: its key with the quotes is `[keyStart, keyEnd)`, its value is `[valueStart, valueEnd)`. */
  datatype Member = Member(keyStart: nat, keyEnd: nat, valueStart: nat, valueEnd: nat)

  /** The positions of a member are in order and lie between `from` and `to`. */
  predicate Placed(m: Member, from: nat, to: nat) {
    from <= m.keyStart < m.keyEnd < m.valueStart < m.valueEnd <= to
  }

  /** The member at `i`: white space, a key, white space, a colon, white space, a value. */
  function MemberAt(t: Text, i: nat): Option<Member>
    requires i <= |t|
    ensures MemberAt(t, i).Some? ==> Placed(MemberAt(t, i).value, i, |t|)
  {
    var keyStart := SkipSpace(t, i);
    var keyEnd := StringEnd(t, keyStart);
    if keyEnd.None? then None else
    var colon := SkipSpace(t, keyEnd.value);
    if colon == |t| || t[colon] != Colon then None else
    var valueStart := SkipSpace(t, colon + 1);
    var valueEnd := ValueEnd(t, valueStart);
    if valueEnd.None? then None else Some(Member(keyStart, keyEnd.value, valueStart, valueEnd.value))
  }

  /** What a scan finds: the members in order, and the position of the closing brace. */
  datatype Scan = Scan(members: seq<Member>, close: nat)

  /** More members in front of what a scan found. */
  function Prepend(members: seq<Member>, scan: Option<Scan>): Option<Scan> {
    if scan.None? then None else Some(Scan(members + scan.value.members, scan.value.close))
  }

  /** A scan found a closing brace, and its members stand before it. */
  predicate Sits(t: Text, from: nat, scan: Scan) {
    && from <= scan.close < |t|
    && t[scan.close] == CloseBrace
    && (forall m | m in scan.members :: Placed(m, from, scan.close))
  }

  /** What follows a value: the closing brace, or a comma, a member and what follows that; white space before each. */
  function Rest(t: Text, i: nat): Option<Scan>
    requires i <= |t|
    ensures Rest(t, i).Some? ==> Sits(t, i, Rest(t, i).value)
    decreases |t| - i
  {
    var next := SkipSpace(t, i);
    if next == |t| then None
    else if t[next] == CloseBrace then Some(Scan([], next))
    else if t[next] != Comma then None
    else
      var m := MemberAt(t, next + 1);
      if m.None? then None else Prepend([m.value], Rest(t, m.value.valueEnd))
  }

  /** The members and the closing brace, from the position after the opening brace. */
  function Inside(t: Text, i: nat): Option<Scan>
    requires i <= |t|
    ensures Inside(t, i).Some? ==> Sits(t, i, Inside(t, i).value)
  {
    var next := SkipSpace(t, i);
    if next < |t| && t[next] == CloseBrace then Some(Scan([], next))
    else
      var m := MemberAt(t, i);
      if m.None? then None else Prepend([m.value], Rest(t, m.value.valueEnd))
  }

  /** The scan of a whole line: an object, and nothing but white space around it. */
  function ScanObject(t: Text): Option<Scan>
    ensures ScanObject(t).Some? ==> Sits(t, 0, ScanObject(t).value)
  {
    var open := SkipSpace(t, 0);
    if open == |t| || t[open] != OpenBrace then None else
    var scan := Inside(t, open + 1);
    if scan.None? || SkipSpace(t, scan.value.close + 1) != |t| then None else scan
  }

  /** The line holds an object. */
  predicate Scans(t: Text) {
    ScanObject(t).Some?
  }

  /** Where the object's members stand. */
  function Members(t: Text): seq<Member>
    requires Scans(t)
  {
    ScanObject(t).value.members
  }

  /** The position of the object's closing brace. */
  function CloseOf(t: Text): nat
    requires Scans(t)
    ensures CloseOf(t) < |t|
  {
    ScanObject(t).value.close
  }

  // ---- The same said without a scan ----

  /** Nothing but white space in `[i, j)`. */
  predicate Blank(t: Text, i: nat, j: nat)
    requires i <= j <= |t|
  {
    forall x | i <= x < j :: IsSpace(t[x])
  }

  /** Nothing but white space in `[i, j)`, except for one byte. */
  predicate OneBetween(t: Text, i: nat, at: nat, j: nat, b: Byte)
    requires i <= at < j <= |t|
  {
    Blank(t, i, at) && t[at] == b && Blank(t, at + 1, j)
  }

  /** The key at `m` is one string and the value one value. */
  predicate Whole(t: Text, m: Member) {
    && Placed(m, 0, |t|)
    && StringEnd(t, m.keyStart) == Some(m.keyEnd)
    && ValueEnd(t, m.valueStart) == Some(m.valueEnd)
  }

  /** A whole member with a colon between its key and its value. */
  ghost predicate ReadsMember(t: Text, m: Member) {
    && Whole(t, m)
    && (exists colon | m.keyEnd <= colon < m.valueStart :: OneBetween(t, m.keyEnd, colon, m.valueStart, Colon))
  }

  /** From a value on there are these members, a comma before each, and then the closing brace. */
  ghost predicate ReadsRest(t: Text, i: nat, members: seq<Member>, close: nat)
    requires i <= |t|
    decreases |members|
  {
    if |members| == 0 then i <= close < |t| && t[close] == CloseBrace && Blank(t, i, close)
    else
      var m := members[0];
      && ReadsMember(t, m)
      && (exists comma | i <= comma < m.keyStart :: OneBetween(t, i, comma, m.keyStart, Comma))
      && ReadsRest(t, m.valueEnd, members[1..], close)
  }

  /** From an opening brace on there are these members, a comma between any two, and then the closing brace. */
  ghost predicate ReadsInside(t: Text, i: nat, members: seq<Member>, close: nat)
    requires i <= |t|
  {
    if |members| == 0 then ReadsRest(t, i, members, close)
    else
      var m := members[0];
      && i <= m.keyStart
      && ReadsMember(t, m)
      && Blank(t, i, m.keyStart)
      && ReadsRest(t, m.valueEnd, members[1..], close)
  }

  /** An opening brace with only white space before it, and a closing one with only white space after it. */
  predicate Braces(t: Text, open: nat, close: nat)
    requires open < |t|
  {
    && open < close < |t|
    && t[open] == OpenBrace
    && Blank(t, 0, open)
    && Blank(t, close + 1, |t|)
  }

  /** The line is an object with these members and this closing brace. */
  ghost predicate ReadsObject(t: Text, scan: Scan) {
    exists open | 0 <= open < |t| :: Braces(t, open, scan.close) && ReadsInside(t, open + 1, scan.members, scan.close)
  }

  // ---- What the members hold ----

  /** The bytes of one member: its key with the quotes, and its value. */
  datatype Field = Field(key: Text, value: Text)

  /** The bytes of the member that stands at `m`. */
  function FieldAt(t: Text, m: Member): Field
    requires Placed(m, 0, |t|)
  {
    Field(t[m.keyStart..m.keyEnd], t[m.valueStart..m.valueEnd])
  }

  /** The bytes of the members that stand at `members`, in order. */
  function FieldsAt(t: Text, members: seq<Member>): seq<Field>
    requires forall m | m in members :: Placed(m, 0, |t|)
  {
    seq(|members|, i requires 0 <= i < |members| => FieldAt(t, members[i]))
  }

  /** What the object holds: the bytes of its members, in order. */
  function Contents(t: Text): seq<Field>
    requires Scans(t)
  {
    FieldsAt(t, Members(t))
  }

  /** The code units of a string from a position inside it. */
  function Units(t: Text, i: nat): seq<nat>
    requires i <= |t|
    decreases |t| - i
  {
    if i == |t| || CharLength(t, i) == 0 then []
    else [CharUnit(t, i)] + Units(t, i + CharLength(t, i))
  }

  /** What a key says, however it is written: its code units, without the quotes and with the escapes resolved. */
  function Decode(key: Text): seq<nat> {
    if |key| == 0 then [] else Units(key, 1)
  }

  /** What the keys of some fields say, in order. */
  function KeysOf(fields: seq<Field>): seq<seq<nat>> {
    seq(|fields|, i requires 0 <= i < |fields| => Decode(fields[i].key))
  }

  /** What the keys of some fields say, as a set. */
  function KeySet(fields: seq<Field>): set<seq<nat>> {
    set k | k in KeysOf(fields)
  }

  /** The object has a member whose key says what `key` says. */
  predicate HasKey(t: Text, key: Text)
    requires Scans(t)
  {
    Decode(key) in KeySet(Contents(t))
  }

  /** A key of printable ASCII without quotes and backslashes. */
  predicate IsPlain(name: Text) {
    forall b | b in name :: 32 <= b < 128 && b != Quote && b != Backslash
  }

  // ---- The splice ----

  /** A field that can be written: its key is exactly one string, its value exactly one value. */
  predicate Writable(f: Field) {
    StringEnd(f.key, 0) == Some(|f.key|) && ValueEnd(f.value, 0) == Some(|f.value|)
  }

  /** Every field can be written. */
  predicate AllWritable(fields: seq<Field>) {
    forall f | f in fields :: Writable(f)
  }

  /** Fields as they follow another member: each with a comma before it and no white space. */
  function Written(fields: seq<Field>): Text
    decreases |fields|
  {
    if |fields| == 0 then []
    else [Comma] + fields[0].key + [Colon] + fields[0].value + Written(fields[1..])
  }

  /** The bytes that are inserted for some fields; the first comma is left out when the object has no member. */
  function Insertion(hasMembers: bool, fields: seq<Field>): Text {
    if hasMembers || |fields| == 0 then Written(fields) else Written(fields)[1..]
  }

  /** The line with fields inserted right before the object's closing brace. White space before that brace stays where it is,
    * in front of what is inserted. */
  function SpliceText(t: Text, fields: seq<Field>): Text
    requires Scans(t)
  {
    t[..CloseOf(t)] + Insertion(|Members(t)| > 0, fields) + t[CloseOf(t)..]
  }

  /** The position of the first key that is inserted. */
  function FirstKey(t: Text): nat
    requires Scans(t)
  {
    if |Members(t)| > 0 then CloseOf(t) + 1 else CloseOf(t)
  }

  /** Where a field stands that is written at `start`. */
  function Place(f: Field, start: nat): Member {
    Member(start, start + |f.key|, start + |f.key| + 1, start + |f.key| + 1 + |f.value|)
  }

  /** Where fields stand that are written one after the other with a comma between, the first one at `start`. */
  function Places(fields: seq<Field>, start: nat): seq<Member>
    decreases |fields|
  {
    if |fields| == 0 then []
    else [Place(fields[0], start)] + Places(fields[1..], Place(fields[0], start).valueEnd + 1)
  }

  // ---- Filling ----

  /** Those of the required fields whose keys are neither present nor required before, in order. */
  function Missing(present: set<seq<nat>>, required: seq<Field>): seq<Field>
    decreases |required|
  {
    if |required| == 0 then []
    else
      var before := required[..|required| - 1];
      var f := required[|required| - 1];
      if Decode(f.key) in present + KeySet(before) then Missing(present, before)
      else Missing(present, before) + [f]
  }

  /** Those of some fields whose keys are not present, in order. */
  function Absent(present: set<seq<nat>>, fields: seq<Field>): seq<Field>
    decreases |fields|
  {
    if |fields| == 0 then []
    else
      var before := Absent(present, fields[..|fields| - 1]);
      var f := fields[|fields| - 1];
      if Decode(f.key) in present then before else before + [f]
  }

  /** The required fields that the object lacks. */
  function Lacks(t: Text, required: seq<Field>): seq<Field>
    requires Scans(t)
  {
    Missing(KeySet(Contents(t)), required)
  }

  /** The line with the required fields that it lacks, each with its key and value as required. */
  function FillText(t: Text, required: seq<Field>): Text
    requires Scans(t)
  {
    SpliceText(t, Lacks(t, required))
  }

  /** No two fields' keys say the same. */
  predicate DistinctKeys(fields: seq<Field>) {
    forall i, j | 0 <= i < j < |fields| :: Decode(fields[i].key) != Decode(fields[j].key)
  }

  /** The fields of a list, as a set. */
  function FieldSet(fields: seq<Field>): set<Field> {
    set f | f in fields
  }

  // ---- What a line is read as ----

  /** How a reader names keys and values: by what a key says, and by the bytes of a value. */
  datatype Naming = Naming(key: seq<nat> -> Key, value: Text -> Value)

  /** The fields that members are read as. Of two with one key the last counts. */
  function FieldMap(naming: Naming, fields: seq<Field>): map<Key, Value>
    decreases |fields|
  {
    if |fields| == 0 then map[]
    else
      var f := fields[|fields| - 1];
      FieldMap(naming, fields[..|fields| - 1])[naming.key(Decode(f.key)) := naming.value(f.value)]
  }

  /** Keys that say different things have different names. */
  predicate TellsApart(naming: Naming, keys: set<seq<nat>>) {
    forall k, l | k in keys && l in keys :: naming.key(k) == naming.key(l) ==> k == l
  }

  // ---- Another value ----

  /** One value, and nothing else. */
  predicate IsValue(t: Text) {
    ValueEnd(t, 0) == Some(|t|)
  }

  /** The bytes from one position to another one; none where the text has no such part. */
  function Cut(t: Text, i: nat, j: nat): Text {
    if i <= j <= |t| then t[i..j] else []
  }

  /** What stands around the values of members, from a position on: before the first value, between each two, behind the last. */
  function OutsideFrom(t: Text, at: nat, members: seq<Member>): seq<Text>
    ensures |OutsideFrom(t, at, members)| == |members| + 1
    decreases |members|
  {
    if |members| == 0 then [Cut(t, at, |t|)]
    else [Cut(t, at, members[0].valueStart)] + OutsideFrom(t, members[0].valueEnd, members[1..])
  }

  /** All bytes of a line outside of its values: one text more than it has members. */
  function Outside(t: Text): seq<Text>
    requires Scans(t)
    ensures |Outside(t)| == |Members(t)| + 1
  {
    OutsideFrom(t, 0, Members(t))
  }

  /** The values of some fields, in order. */
  function FieldValues(fields: seq<Field>): seq<Text> {
    seq(|fields|, i requires 0 <= i < |fields| => fields[i].value)
  }

  /** Values put into the places that such texts leave for them. */
  function Woven(outside: seq<Text>, values: seq<Text>): Text
    requires |outside| == |values| + 1
    decreases |values|
  {
    if |values| == 0 then outside[0] else outside[0] + values[0] + Woven(outside[1..], values[1..])
  }

  /** The fields with another value wherever the key says what `key` says. */
  function Exchanged(fields: seq<Field>, key: Text, value: Text): seq<Field> {
    seq(|fields|, i requires 0 <= i < |fields| =>
      if Decode(fields[i].key) == Decode(key) then Field(fields[i].key, value) else fields[i])
  }

  /** The line with another value of a key, wherever it has that key. */
  function ReplaceText(t: Text, key: Text, value: Text): Text
    requires Scans(t)
  {
    Woven(Outside(t), FieldValues(Exchanged(Contents(t), key, value)))
  }
}

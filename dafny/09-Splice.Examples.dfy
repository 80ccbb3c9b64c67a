// Chapter 9, examples: short lines that meet the preconditions of the proofs, and the lines at which the plausible shortcuts
// fail: gluing `,"key":value` in front of a brace, looking for a brace, looking for the bytes of a key.
include "09-Splice.dfy"
include "09-Splice.Proofs.dfy"

module SpliceExamples {
  import opened Names
  import opened Entries
  import opened Splice
  import opened SpliceProofs
  import Backfill

  // ---- The grammar, listed ----

  /** The bytes of RFC 8259 as a table: white space, brackets, quotes, signs, and what may stand in a scalar. */
  lemma BytesOfTheGrammar(b: Byte)
    ensures IsSpace(b) <==> b in {9, 10, 13, 32}
    ensures Opens(b) <==> b in {91, 123}
    ensures Closes(b) <==> b in {93, 125}
    ensures IsScalar(b) <==> b !in {9, 10, 13, 32, 34, 44, 58, 91, 93, 123, 125}
    ensures IsShortEscape(b) <==> b in {34, 47, 92, 98, 102, 110, 114, 116}
    ensures IsHex(b) <==> b in {48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 65, 66, 67, 68, 69, 70, 97, 98, 99, 100, 101, 102}
  {
  }

  /** A name is plain from the blank on, but for quotes, backslashes and what is not ASCII. */
  lemma BytesOfPlainNames(b: Byte)
    ensures IsPlain([b]) <==> 32 <= b < 128 && b !in {34, 92}
  {
    assert b in [b];
    forall c | c in [b]
      ensures c == b
    {
      assert c == [b][0];
    }
  }

  /** A key has at least its quotes, a colon stands behind it, and a value is not empty. */
  lemma NoPartOfAMemberIsEmpty(m: Member, from: nat, to: nat)
    requires Placed(m, from, to)
    ensures m.keyStart < m.keyEnd && m.keyEnd < m.valueStart && m.valueStart < m.valueEnd
  {
  }

  /** The brace that closes is another one than the brace that opens. */
  lemma OneBraceIsNoObject()
    ensures !Braces([123], 0, 0)
    ensures Braces([123, 125], 0, 1)
  {
  }

  /** The hexadecimal digits count from 0 to 15, in either case. */
  lemma HexDigitsCount(i: nat)
    ensures i < 10 ==> HexValue(48 + i) == i
    ensures i < 6 ==> HexValue(65 + i) == HexValue(97 + i) == 10 + i
  {
  }

  /** Each escape of two bytes stands for its character: `"`, `\`, `/`, backspace, form feed, line feed, carriage return, tab. */
  lemma ShortEscapesStandForTheirCharacters()
    ensures ShortEscape(34) == 34 && ShortEscape(92) == 92 && ShortEscape(47) == 47 && ShortEscape(98) == 8
    ensures ShortEscape(102) == 12 && ShortEscape(110) == 10 && ShortEscape(114) == 13 && ShortEscape(116) == 9
  {
  }

  /** `\uabcd` is one character of six bytes, which stands for the number that its digits write. */
  lemma LongEscapeStandsForItsNumber(a: Byte, b: Byte, c: Byte, d: Byte)
    requires IsHex(a) && IsHex(b) && IsHex(c) && IsHex(d)
    ensures CharLength([92, 117, a, b, c, d], 0) == 6
    ensures CharUnit([92, 117, a, b, c, d], 0) == ((HexValue(a) * 16 + HexValue(b)) * 16 + HexValue(c)) * 16 + HexValue(d)
  {
  }

  /** A raw byte is one character, but for controls and quotes, which are none; a byte of 128 or more is told apart from the
    * code units. */
  lemma RawBytesStandForThemselves(b: Byte)
    ensures CharLength([b], 0) == if b in {34, 92} || b < 32 then 0 else 1
    ensures b !in {34, 92} && 32 <= b < 128 ==> CharUnit([b], 0) == b
    ensures 128 <= b ==> CharUnit([b], 0) == 65536 + b
  {
  }

  /** A backslash begins a character only in front of an escape that is whole. */
  lemma BrokenEscapesAreNone(b: Byte, digits: Text)
    requires !IsShortEscape(b)
    requires b != 117 || |digits| < 4 || !(forall i | 0 <= i < 4 :: IsHex(digits[i]))
    ensures CharLength([92, b] + digits, 0) == 0
  {
    var t := [92, b] + digits;
    if b == 117 && |digits| >= 4 {
      assert forall i | 0 <= i < 4 :: t[i + 2] == digits[i];
    }
  }

  // ---- Fields and lines ----

  /** `"k":1` */
  function K(): Field {
    Field([34, 107, 34], [49])
  }

  /** `"l":2` */
  function L(): Field {
    Field([34, 108, 34], [50])
  }

  /** `"k":2`, the key of the first with another value. */
  function OtherK(): Field {
    Field([34, 107, 34], [50])
  }

  /** `"\u006b":2`, the same key written with an escape. */
  function EscapedK(): Field {
    Field([34, 92, 117, 48, 48, 54, 98, 34], [50])
  }

  /** `"a":"k"`, the bytes of the key as a value. */
  function KAsValue(): Field {
    Field([34, 97, 34], [34, 107, 34])
  }

  /** `"a":{"k":1}`, the key one level down. */
  function KNested(): Field {
    Field([34, 97, 34], [123, 34, 107, 34, 58, 49, 125])
  }

  /** `"a":"}"`, a brace in a string. */
  function BraceInString(): Field {
    Field([34, 97, 34], [34, 125, 34])
  }

  /** `"a":[}`, which is not JSON; the scanner lets it pass. */
  function Mismatched(): Field {
    Field([34, 97, 34], [91, 125])
  }

  /** `{}` */
  function Empty(): Text {
    [123, 125]
  }

  /** `{ }`, with a line feed at the end */
  function Spaced(): Text {
    [123, 32, 125, 10]
  }

  /** The line `{...}` with one member and no white space. */
  function Line(f: Field): Text {
    [OpenBrace] + f.key + [Colon] + f.value + [CloseBrace]
  }

  /** The plain fields can be written; what the two keys say differs. */
  lemma PlainFieldsAreWritable()
    ensures Writable(K()) && Writable(L()) && Writable(OtherK())
    ensures Decode(K().key) == Decode(OtherK().key) == [107]
    ensures Decode(L().key) == [108]
  {
  }

  /** The escaped key can be written, and says the same as the plain one. */
  lemma EscapedKeyIsTheSameKey()
    ensures Writable(EscapedK())
    ensures Decode(EscapedK().key) == [107] == Decode(K().key)
    ensures EscapedK().key != K().key
  {
  }

  /** The other fields can be written, and their key is another one. */
  lemma OtherFieldsAreWritable()
    ensures Writable(KAsValue()) && Writable(BraceInString()) && Writable(Mismatched())
    ensures Decode(KAsValue().key) == Decode(BraceInString().key) == Decode(Mismatched().key) == [97]
  {
  }

  /** The nested one can be written, and its key is another one. */
  lemma NestedFieldIsWritable()
    ensures Writable(KNested())
    ensures Decode(KNested().key) == [97]
  {
    var v := KNested().value;
    assert NestedEnd(v, 6, 1) == Some(7);
    assert StringEnd(v, 1) == Some(4);
  }

  /** `{}` and `{ }` hold nothing. */
  lemma EmptyObjectsScan()
    ensures ScanObject(Empty()) == Some(Scan([], 1))
    ensures ScanObject(Spaced()) == Some(Scan([], 2))
    ensures Contents(Empty()) == Contents(Spaced()) == []
  {
    assert SkipSpace(Spaced(), 3) == 4;
  }

  /** A line with one member is what a splice makes of `{}`; so it scans and holds just that. */
  lemma LinesScan(f: Field)
    requires Writable(f)
    ensures Scans(Empty())
    ensures SpliceText(Empty(), [f]) == Line(f)
    ensures Scans(Line(f))
    ensures Contents(Line(f)) == [f]
    ensures KeySet(Contents(Line(f))) == {Decode(f.key)}
    ensures CloseOf(Line(f)) == |Line(f)| - 1
  {
    hide ScanObject, Decode;
    EmptyObjectsScan();
    assert Written([f]) == [Comma] + f.key + [Colon] + f.value;
    assert Insertion(false, [f]) == f.key + [Colon] + f.value;
    ContentsOfSplice(Empty(), [f]);
    ScanOfSplice(Empty(), [f]);
    assert KeysOf([f]) == [Decode(f.key)];
  }

  /** The line `{...}` with two members and no white space. */
  function LineOfTwo(f: Field, g: Field): Text {
    [OpenBrace] + f.key + [Colon] + f.value + [Comma] + g.key + [Colon] + g.value + [CloseBrace]
  }

  /** What is inserted for one field. */
  lemma InsertionOfOneField(f: Field)
    ensures Insertion(true, [f]) == [Comma] + f.key + [Colon] + f.value
    ensures Insertion(false, [f]) == f.key + [Colon] + f.value
  {
    assert Written([f]) == [Comma] + f.key + [Colon] + f.value;
  }

  /** What is missing of one field. */
  lemma MissingOfOne(present: set<seq<nat>>, f: Field)
    ensures Missing(present, [f]) == if Decode(f.key) in present then [] else [f]
  {
    assert [f][..0] == [];
  }

  /** The line with a member behind its last one. */
  lemma FillOfAnotherKey(t: Text, f: Field)
    requires Scans(t)
    requires |Members(t)| > 0
    requires !HasKey(t, f.key)
    ensures FillText(t, [f]) == t[..CloseOf(t)] + ([Comma] + f.key + [Colon] + f.value) + t[CloseOf(t)..]
  {
    MissingOfOne(KeySet(Contents(t)), f);
    InsertionOfOneField(f);
  }

  /** A line of one member, cut at its closing brace and put together with another member. */
  lemma LineOfTwoIs(f: Field, g: Field)
    ensures var t := Line(f);
            var p := |t| - 1;
            t[..p] + ([Comma] + g.key + [Colon] + g.value) + t[p..] == LineOfTwo(f, g)
  {
    CutAtTheInsertion([OpenBrace] + f.key + [Colon] + f.value, [], [CloseBrace]);
    assert [OpenBrace] + f.key + [Colon] + f.value + [] == [OpenBrace] + f.key + [Colon] + f.value;
    var t := Line(f);
    assert t[..|t| - 1] == [OpenBrace] + f.key + [Colon] + f.value;
    assert t[|t| - 1..] == [CloseBrace];
  }

  /** A line of one member, filled with another key's field. */
  lemma FillOfALineWithAnotherKey(f: Field, g: Field)
    requires Writable(f)
    requires Decode(g.key) != Decode(f.key)
    ensures Scans(Line(f))
    ensures !HasKey(Line(f), g.key)
    ensures FillText(Line(f), [g]) == LineOfTwo(f, g)
  {
    LinesScan(f);
    assert |Members(Line(f))| == |Contents(Line(f))|;
    FillOfAnotherKey(Line(f), g);
    LineOfTwoIs(f, g);
  }

  // ---- Filling ----

  /** A line without members, filled with one field. */
  lemma FillOfAnEmptyObject(t: Text, f: Field)
    requires Scans(t)
    requires Contents(t) == []
    ensures FillText(t, [f]) == t[..CloseOf(t)] + f.key + [Colon] + f.value + t[CloseOf(t)..]
  {
    assert |Members(t)| == |Contents(t)|;
    assert KeysOf([]) == [];
    assert KeySet(Contents(t)) == {};
    MissingOfOne({}, f);
    InsertionOfOneField(f);
    assert t[..CloseOf(t)] + (f.key + [Colon] + f.value) == t[..CloseOf(t)] + f.key + [Colon] + f.value;
  }

  /** The field goes into `{}` without a comma: `{"k":1}`. */
  lemma FillOfEmpty()
    ensures Scans(Empty())
    ensures FillText(Empty(), [K()]) == [123, 34, 107, 34, 58, 49, 125]
  {
    EmptyObjectsScan();
    FillOfAnEmptyObject(Empty(), K());
  }

  /** And into `{ }` behind its white space: `{ "k":1}`. */
  lemma FillOfSpaced()
    ensures Scans(Spaced())
    ensures FillText(Spaced(), [K()]) == [123, 32, 34, 107, 34, 58, 49, 125, 10]
  {
    EmptyObjectsScan();
    FillOfAnEmptyObject(Spaced(), K());
  }

  /** A field goes behind a member with a comma: `{"k":1,"l":2}`. */
  lemma FillOfALine(t: Text)
    requires t == Line(K())
    ensures Scans(t)
    ensures FillText(t, [L()]) == [123, 34, 107, 34, 58, 49, 44, 34, 108, 34, 58, 50, 125]
  {
    PlainFieldsAreWritable();
    FillOfALineWithAnotherKey(K(), L());
  }

  /** Always writing the comma is wrong: `{,"k":1}` is no object. */
  lemma CommaInAnEmptyObjectIsWrong()
    ensures var t := Empty();
            Scans(t) && !Scans(t[..CloseOf(t)] + Written([K()]) + t[CloseOf(t)..])
  {
    EmptyObjectsScan();
    var u: Text := [123, 44, 34, 107, 34, 58, 49, 125];
    assert Empty()[..1] + Written([K()]) + Empty()[1..] == u;
    assert SkipSpace(u, 0) == 0 && SkipSpace(u, 1) == 1;
  }

  // ---- Looking for bytes instead of keys ----

  /** The bytes stand at a position of the text. */
  predicate StandsAt(part: Text, t: Text, i: int) {
    0 <= i <= |t| - |part| && t[i..i + |part|] == part
  }

  /** The bytes occur somewhere in the text. */
  predicate Occurs(part: Text, t: Text) {
    exists i | 0 <= i <= |t| :: StandsAt(part, t, i)
  }

  /** Bytes that stand in a text are bytes of it. */
  lemma StandsAtIsIn(part: Text, t: Text, i: nat)
    requires StandsAt(part, t, i)
    ensures forall b | b in part :: b in t
  {
    forall b | b in part
      ensures b in t
    {
      assert b in t[i..i + |part|];
    }
  }

  /** Bytes that hold a byte that the text lacks do not occur in it. */
  lemma DoesNotOccur(part: Text, t: Text, b: Byte)
    requires b in part
    requires b !in t
    ensures !Occurs(part, t)
  {
    forall i | 0 <= i <= |t|
      ensures !StandsAt(part, t, i)
    {
      if StandsAt(part, t, i) {
        StandsAtIsIn(part, t, i);
      }
    }
  }

  /** `{"\u006b":2}` */
  lemma TextOfEscapedK()
    ensures Line(EscapedK()) == [123, 34, 92, 117, 48, 48, 54, 98, 34, 58, 50, 125]
  {
  }

  /** A key that is written with an escape is there, though its bytes are not; it is not filled in again. */
  lemma BytesOfAKeyMissEscapes(t: Text)
    requires t == Line(EscapedK())
    ensures Scans(t) && !Occurs(K().key, t) && HasKey(t, K().key) && FillText(t, [K()]) == t
  {
    EscapedKeyIsTheSameKey();
    TextOfEscapedK();
    DoesNotOccur(K().key, t, 107);
    LinesScan(EscapedK());
    assert KeysOf([K()]) == [[107]];
    FillOfAFullLineIsThatLine(t, [K()]);
  }

  /** `{"a":"k"}`; the bytes of the key are in it. */
  lemma TextOfKAsValue()
    ensures Line(KAsValue()) == [123, 34, 97, 34, 58, 34, 107, 34, 125]
    ensures StandsAt(K().key, Line(KAsValue()), 5)
  {
  }

  /** The bytes of a key occur as a string, and the key is not there; it is filled in. */
  lemma BytesOfAKeyOccurInValues(t: Text)
    requires t == Line(KAsValue())
    ensures Scans(t) && Occurs(K().key, t) && !HasKey(t, K().key)
    ensures FillText(t, [K()]) == LineOfTwo(KAsValue(), K())
  {
    PlainFieldsAreWritable();
    OtherFieldsAreWritable();
    FillOfALineWithAnotherKey(KAsValue(), K());
    TextOfKAsValue();
    assert StandsAt(K().key, t, 5);
  }

  /** `{"a":{"k":1}}`; the bytes of the member are in it. */
  lemma TextOfKNested()
    ensures Line(KNested()) == [123, 34, 97, 34, 58, 123, 34, 107, 34, 58, 49, 125, 125]
    ensures StandsAt(K().key + [Colon] + K().value, Line(KNested()), 6)
  {
    assert K().key + [Colon] + K().value == [34, 107, 34, 58, 49];
  }

  /** The bytes of a whole member occur one level down, and the key is not there. */
  lemma BytesOfAMemberOccurNested(t: Text)
    requires t == Line(KNested())
    ensures Scans(t) && Occurs(K().key + [Colon] + K().value, t) && !HasKey(t, K().key)
    ensures FillText(t, [K()]) == LineOfTwo(KNested(), K())
  {
    PlainFieldsAreWritable();
    NestedFieldIsWritable();
    FillOfALineWithAnotherKey(KNested(), K());
    TextOfKNested();
    assert StandsAt(K().key + [Colon] + K().value, t, 6);
  }

  // ---- Looking for a brace ----

  /** The first closing brace may stand in a string. */
  lemma TheFirstBraceIsNotTheClose(t: Text)
    requires t == Line(BraceInString())
    ensures Scans(t)
    ensures t[6] == CloseBrace
    ensures CloseOf(t) == 8
  {
    OtherFieldsAreWritable();
    LinesScan(BraceInString());
  }

  /** Writing a field in front of that one gives `{"a":","k":1}"}`, which is no object. */
  lemma TheFirstBraceIsWrong(t: Text, u: Text)
    requires t == Line(BraceInString())
    requires u == t[..6] + Written([K()]) + t[6..]
    ensures !Scans(u)
  {
    InsertionOfOneField(K());
    assert u == [123, 34, 97, 34, 58, 34, 44, 34, 107, 34, 58, 49, 125, 34, 125];
    StringsOfTheFirstBrace(u);
    assert Rest(u, 8) == None;
    assert MemberAt(u, 1) == Some(Member(1, 4, 5, 8));
    assert SkipSpace(u, 1) == 1;
    assert SkipSpace(u, 0) == 0;
  }

  /** The first two strings of that line. */
  lemma StringsOfTheFirstBrace(u: Text)
    requires u == [123, 34, 97, 34, 58, 34, 44, 34, 107, 34, 58, 49, 125, 34, 125]
    ensures StringEnd(u, 1) == Some(4)
    ensures StringEnd(u, 5) == Some(8)
  {
    assert BodyEnd(u, 3) == Some(4);
    assert BodyEnd(u, 7) == Some(8);
  }

  /** In a line that was cut off, `{"a":"}`, the last brace may stand in a string. It does not scan, so it is left alone;
    * writing a field in front of that brace would give `{"a":","k":1}`, which is no object either. */
  lemma TheLastBraceOfATornLineIsWrong(t: Text, u: Text)
    requires t == [123, 34, 97, 34, 58, 34, 125]
    requires u == t[..6] + Written([K()]) + t[6..]
    ensures !Scans(t) && t[|t| - 1] == CloseBrace
    ensures !Scans(u)
  {
    assert BodyEnd(t, 3) == Some(4);
    assert BodyEnd(t, 6) == None;
    assert StringEnd(t, 1) == Some(4);
    assert MemberAt(t, 1) == None;
    InsertionOfOneField(K());
    assert u == [123, 34, 97, 34, 58, 34, 44, 34, 107, 34, 58, 49, 125];
    assert BodyEnd(u, 3) == Some(4);
    assert BodyEnd(u, 7) == Some(8);
    assert StringEnd(u, 1) == Some(4);
    assert MemberAt(u, 1) == Some(Member(1, 4, 5, 8));
    assert Rest(u, 8) == None;
  }

  /** The scanner accepts more than JSON: `{"a":[}}`. The theorems hold for such lines too. */
  lemma MoreThanObjectsScans()
    ensures Writable(Mismatched())
    ensures Scans(Line(Mismatched()))
  {
    OtherFieldsAreWritable();
    LinesScan(Mismatched());
  }

  /** The limit of comparing keys: beyond ASCII the same letter in two spellings, its UTF-8 bytes and an escape, counts as two
    * keys. The keys of schemas are ASCII. */
  lemma KeysBeyondAsciiCompareBySpelling()
    ensures var raw := [34, 195, 169, 34];
            var escaped := [34, 92, 117, 48, 48, 101, 57, 34];
            && Writable(Field(raw, [49])) && Writable(Field(escaped, [49]))
            && Decode(raw) == [65731, 65705]
            && Decode(escaped) == [233]
  {
  }

  // ---- Composition ----

  /** Two required lists of distinct keys, in two orders. */
  lemma ListsOfDistinctKeys()
    ensures AllWritable([K(), L()]) && AllWritable([L(), K()]) && AllWritable([K()])
    ensures DistinctKeys([K(), L()]) && DistinctKeys([L(), K()]) && DistinctKeys([K()]) && DistinctKeys([OtherK()])
    ensures [K()] <= [K(), L()] && !([K(), L()] <= [L(), K()])
    ensures FieldSet([K(), L()]) == FieldSet([L(), K()])
  {
    PlainFieldsAreWritable();
    assert K() in [K(), L()] && L() in [K(), L()];
    assert K() in [L(), K()] && L() in [L(), K()];
  }

  /** A longer list composes with the shorter one it begins with: the witness for composition. */
  lemma LongerListComposes()
    ensures Scans(Empty()) && Scans(FillText(Empty(), [K()]))
    ensures FillText(FillText(Empty(), [K()]), [K(), L()]) == FillText(Empty(), [K(), L()])
  {
    EmptyObjectsScan();
    ListsOfDistinctKeys();
    FillsOfALongerListCompose(Empty(), [K()], [K(), L()]);
  }

  /** In another order the bytes differ, though the members are the same ones. */
  lemma AnotherOrderDoesNotCompose()
    ensures Scans(Empty()) && Scans(FillText(Empty(), [K(), L()])) && Scans(FillText(Empty(), [L(), K()]))
    ensures FillText(FillText(Empty(), [K(), L()]), [L(), K()]) != FillText(Empty(), [L(), K()])
    ensures Scans(FillText(FillText(Empty(), [K(), L()]), [L(), K()]))
    ensures multiset(Contents(FillText(FillText(Empty(), [K(), L()]), [L(), K()])))
         == multiset(Contents(FillText(Empty(), [L(), K()])))
  {
    EmptyObjectsScan();
    ListsOfDistinctKeys();
    ComposingEverywhereNeedsABeginning(Empty(), [K(), L()], [L(), K()]);
    FillsOfALargerListAgreeAsSets(Empty(), [K(), L()], [L(), K()]);
  }

  /** With another value the members differ too: the first value stays. */
  lemma AnotherValueDoesNotCompose()
    ensures Scans(Empty()) && Scans(FillText(Empty(), [K()])) && Scans(FillText(Empty(), [OtherK()]))
    ensures FillText(FillText(Empty(), [K()]), [OtherK()]) == FillText(Empty(), [K()])
    ensures Contents(FillText(Empty(), [K()])) == [K()]
    ensures Contents(FillText(Empty(), [OtherK()])) == [OtherK()] != [K()]
  {
    hide ScanObject, Decode;
    EmptyObjectsScan();
    PlainFieldsAreWritable();
    FillOfOne(Empty(), K());
    FillOfOne(Empty(), OtherK());
    SameKey();
    FillOfAFullLineIsThatLine(FillText(Empty(), [K()]), [OtherK()]);
  }

  /** The two fields have one key. */
  lemma SameKey()
    ensures Decode(K().key) == Decode(OtherK().key)
    ensures KeysOf([K()]) == KeysOf([OtherK()]) == [[107]]
  {
    PlainFieldsAreWritable();
  }

  /** What an empty line holds after one field was filled in. */
  lemma FillOfOne(t: Text, f: Field)
    requires Scans(t)
    requires Contents(t) == []
    requires Writable(f)
    ensures Scans(FillText(t, [f]))
    ensures Contents(FillText(t, [f])) == [f]
  {
    FillAddsExactlyTheMissing(t, [f]);
    assert KeySet([]) == {};
    MissingOfOne({}, f);
  }

  /** Two lists of which neither begins the other compose all the same on a line that has one of the keys. */
  lemma AnotherOrderComposesWhereAKeyIsThere()
    ensures Writable(K()) && Scans(Line(K())) && Scans(FillText(Line(K()), [K(), L()]))
    ensures FillText(FillText(Line(K()), [K(), L()]), [L(), K()]) == FillText(Line(K()), [L(), K()])
  {
    var t := Line(K());
    PlainFieldsAreWritable();
    ListsOfDistinctKeys();
    LinesScan(K());
    MissingOfOne({[107]}, K());
    MissingOfOne({[107]}, L());
    assert [K(), L()][..1] == [K()];
    assert [L(), K()][..1] == [L()];
    assert Lacks(t, [K(), L()]) == [L()] == Lacks(t, [L(), K()]);
    FillsComposeExactlyWhen(t, [K(), L()], [L(), K()]);
  }

  /** A key that stands twice is kept twice, and is not filled in. */
  lemma KeysThatStandTwiceStay()
    ensures Writable(K()) && Scans(Line(K()))
    ensures var t := SpliceText(Line(K()), [OtherK()]);
            Scans(t) && Contents(t) == [K(), OtherK()] && !DistinctKeys(Contents(t)) && FillText(t, [K()]) == t
  {
    hide ScanObject;
    PlainFieldsAreWritable();
    LinesScan(K());
    ContentsOfSplice(Line(K()), [OtherK()]);
    var t := SpliceText(Line(K()), [OtherK()]);
    assert Contents(t) == [K(), OtherK()];
    KeyIsInKeySet(K(), Contents(t));
    MissingOfOne(KeySet(Contents(t)), K());
    NothingIsInserted(t);
    assert Decode(Contents(t)[0].key) == Decode(Contents(t)[1].key);
  }

  /** A splice of nothing changes nothing. */
  lemma NothingIsInserted(t: Text)
    requires Scans(t)
    ensures SpliceText(t, []) == t
  {
  }

  /** The name `k` is plain: the witness for plain keys. */
  lemma PlainName()
    ensures IsPlain([107])
    ensures [Quote] + [107] + [Quote] == K().key
  {
  }

  /** The theorems apply to a line of one member. */
  lemma TheoremsApplyToALine()
  {
    hide *;
    PlainFieldsAreWritable();
    PlainName();
    LinesScan(K());
    var t, k, l := Line(K()), [K()], [L()];
    assert AllWritable(k) && AllWritable(l) && DistinctKeys(Contents(t)) by {
      reveal AllWritable, DistinctKeys;
    }
    FieldsOfNoMembers(t);
    ContentsAreWritable(t);
    EmptyObjectsScan();
    FillOfFillIsFill(Empty(), k, k + l);
    FillRepeatsNoKey(t, l);
    FillTwiceIsFill(t, l);
    InsertedAfterTheLastMember(t);
    PlainKeyDecodesToItself([107]);
    SpliceKeepsEveryOldByte(t, l);
    assert CloseOf(Spaced()) < 3 < |Spaced()| by {
      reveal Spaced;
      assert Spaced()[3] != CloseBrace;
      reveal *;
    }
    TheLastBraceCloses(Spaced(), 3);
  }

  /** `{"k":1}` with another value of `k` holds that value, and the old value in its place again gives the line. The key may be said by
    * an escape. */
  lemma AnotherValueInALine()
    ensures Scans(Line(K())) && IsValue(L().value)
    ensures var u := ReplaceText(Line(K()), EscapedK().key, L().value);
            Scans(u) && Contents(u) == [OtherK()] && Outside(u) == Outside(Line(K())) && ReplaceText(u, EscapedK().key, K().value) == Line(K())
  {
    hide ScanObject, ReplaceText, Outside, Decode, IsValue, Contents;
    var t := Line(K());
    LinesScan(K());
    PlainFieldsAreWritable();
    EscapedKeyIsTheSameKey();
    PlainValues();
    ReplacementChangesExactlyTheValues(t, EscapedK().key, L().value);
    assert Exchanged([K()], EscapedK().key, L().value) == [OtherK()];
    ReplacedBackIsTheLine(t, EscapedK().key, L().value, K().value);
  }

  /** Two values are not one, and so no value to put there. */
  lemma PlainValues()
    ensures IsValue(L().value) && IsValue(K().value) && !IsValue([49, 44, 50])
  {
  }

  /** A key that is not there is not replaced. */
  lemma AbsentKeysAreNotReplaced()
    ensures Scans(Line(K())) && IsValue(L().value)
    ensures ReplaceText(Line(K()), L().key, L().value) == Line(K())
  {
    hide ScanObject, Outside, Decode, IsValue, Contents;
    LinesScan(K());
    PlainFieldsAreWritable();
    PlainValues();
    LineIsWoven(Line(K()));
    assert Exchanged([K()], L().key, L().value) == [K()];
  }

  /** Where there are fields there are members. */
  lemma FieldsOfNoMembers(t: Text)
    requires Scans(t)
    ensures |Contents(t)| > 0 ==> |Members(t)| > 0
  {
  }

  // ---- What a line is read as ----

  /** A reader that names keys and values by how many bytes or characters they have. */
  function ByLength(): Naming {
    Naming((key: seq<nat>) => KeyNamed(|key|), (value: Text) => ValueNamed(|value|))
  }

  /** A schema that requires of a prompt the one key that such a reader tells. */
  function RequiresOne(): Backfill.Schema {
    Backfill.Schema(2, map[User := map[KeyNamed(1) := ValueNamed(1)]], {})
  }

  /** A prompt with some fields. */
  function PromptWith(fields: map<Key, Value>): Entry {
    Entry(Name(0), None, None, User, None, [], false, 1, fields)
  }

  /** One field is read as one. */
  lemma FieldMapOfOne(naming: Naming, f: Field)
    ensures FieldMap(naming, [f]) == map[naming.key(Decode(f.key)) := naming.value(f.value)]
  {
    assert [f][..0] == [];
  }

  /** `{}` filled with `k` is read as an entry without fields, filled; and `{"k":1}` with another value of `k` as that entry with it. */
  lemma LinesAreReadAsTheirEntries()
    ensures Scans(Empty()) && Scans(FillText(Empty(), [K()]))
    ensures FieldMap(ByLength(), Contents(FillText(Empty(), [K()])))
         == Backfill.BackfillEntry(PromptWith(map[]), RequiresOne()).fields
         == map[KeyNamed(1) := ValueNamed(1)]
    ensures Scans(Line(K())) && Scans(ReplaceText(Line(K()), K().key, KAsValue().value))
    ensures FieldMap(ByLength(), Contents(ReplaceText(Line(K()), K().key, KAsValue().value))) == map[KeyNamed(1) := ValueNamed(3)]
  {
    hide ScanObject, ReplaceText, FillText, Contents;
    PlainFieldsAreWritable();
    OtherFieldsAreWritable();
    EmptyObjectsScan();
    LinesScan(K());
    FieldMapOfOne(ByLength(), K());
    assert KeySet([]) == {};
    assert KeySet([K()]) == {[107]};
    FilledLineReadsAsTheFilledEntry(ByLength(), Empty(), PromptWith(map[]), RequiresOne(), [K()]);
    ReplacedLineReadsAsTheStampedEntry(ByLength(), Line(K()), K().key, KAsValue().value);
  }

  /** A reader that names keys by their first character. */
  function ByFirst(): Naming {
    Naming((key: seq<nat>) => KeyNamed(if |key| == 0 then 0 else key[0]), (value: Text) => ValueNamed(|value|))
  }

  /** A schema that requires `l` of a prompt, for such a reader. */
  function RequiresL(): Backfill.Schema {
    Backfill.Schema(2, map[User := map[KeyNamed(108) := ValueNamed(1)]], {})
  }

  /** The key of one field. */
  lemma KeySetOfOne(f: Field)
    ensures KeySet([f]) == {Decode(f.key)}
  {
    hide Decode;
    assert KeysOf([f]) == [Decode(f.key)];
    assert KeysOf([f])[0] in KeySet([f]);
  }

  /** What such a reader says of the two. */
  lemma ByFirstOfBoth()
    ensures KeySet([K()]) == {[107]} && KeySet([L()]) == {[108]}
    ensures TellsApart(ByFirst(), KeySet([K()]) + KeySet([L()]))
    ensures FieldMap(ByFirst(), [K()]) == map[KeyNamed(107) := ValueNamed(1)]
    ensures FieldMap(ByFirst(), [L()]) == map[KeyNamed(108) := ValueNamed(1)]
  {
    hide *;
    reveal TellsApart, ByFirst, K, L;
    PlainFieldsAreWritable();
    KeySetOfOne(K());
    KeySetOfOne(L());
    FieldMapOfOne(ByFirst(), K());
    FieldMapOfOne(ByFirst(), L());
    assert NumberOfKey(KeyNamed(107)) != NumberOfKey(KeyNamed(108));
  }

  /** `{"k":1}` filled with `l` has two keys, which such a reader tells apart, and is read as the prompt with `k`, filled. */
  lemma LineOfTwoKeysIsReadAsItsEntry()
    ensures Scans(Line(K())) && Scans(FillText(Line(K()), [L()]))
    ensures FieldMap(ByFirst(), Contents(FillText(Line(K()), [L()])))
         == Backfill.BackfillEntry(PromptWith(map[KeyNamed(107) := ValueNamed(1)]), RequiresL()).fields
  {
    hide ScanObject, FillText, Contents, FieldMap, KeySet, Decode, TellsApart;
    PlainFieldsAreWritable();
    LinesScan(K());
    ByFirstOfBoth();
    FilledLineReadsAsTheFilledEntry(
      ByFirst(), Line(K()), PromptWith(map[KeyNamed(107) := ValueNamed(1)]), RequiresL(), [L()]);
  }

  /** A reader that takes two keys for one reads a filled line as another entry than the filled one. */
  lemma NamesThatCoincideOverwrite()
    ensures Scans(Line(K())) && Scans(FillText(Line(K()), [L()]))
    ensures var naming := ByLength().(value := (value: Text) => ValueNamed(if value == K().value then 1 else 2));
            && !TellsApart(naming, KeySet([K()] + [L()]))
            && FieldMap(naming, Contents(FillText(Line(K()), [L()]))) != FieldMap(naming, Contents(Line(K())))
  {
    hide ScanObject, FillText, Contents;
    var naming := ByLength().(value := (value: Text) => ValueNamed(if value == K().value then 1 else 2));
    PlainFieldsAreWritable();
    LinesScan(K());
    FillAddsExactlyTheMissing(Line(K()), [L()]);
    MissingOfOne({[107]}, L());
    assert Contents(FillText(Line(K()), [L()])) == [K()] + [L()];
    FieldMapOfOne(naming, K());
    FieldMapOfOne(naming, L());
    FieldMapOfBoth(naming, [K()], [L()]);
    KeySetOfBoth([K()], [L()]);
    KeyIsInKeySet(K(), [K()]);
    KeyIsInKeySet(L(), [L()]);
    assert NumberOfValue(ValueNamed(1)) != NumberOfValue(ValueNamed(2));
    assert FieldMap(naming, [K()])[KeyNamed(1)] == ValueNamed(1);
    assert FieldMap(naming, [K()] + [L()])[KeyNamed(1)] == ValueNamed(2);
  }
}

// Chapter 17. Appending to a file, on bytes (P24): a file is lines, and perhaps an end that has no newline yet. A write may reach
// the disk in part, be repeated, come too late, or meet another one. What a file reads as is then said exactly.
include "01-Entries.dfy"
include "09-Splice.dfy"

module Appends {
  import opened Names
  import opened Entries
  import Splice

  /** The bytes of a file, of a line, or of what is written. */
  type Text = Splice.Text

  const Newline: Splice.Byte := 10

  /** Which lines hold something: a reader takes those, and passes over the others. */
  type Reader = Text -> bool

  // --- What a file reads as ---

  /** Where the line at `i` ends: at its newline, or at the end of the file. */
  function LineEnd(t: Text, i: nat): nat
    requires i <= |t|
    ensures i <= LineEnd(t, i) <= |t|
    decreases |t| - i
  {
    if i == |t| || t[i] == Newline then i else LineEnd(t, i + 1)
  }

  /** The lines of a file without their newlines. The last one is what stands behind the last newline, perhaps nothing. */
  function Lines(t: Text): seq<Text>
    decreases |t|
  {
    var end := LineEnd(t, 0);
    if end == |t| then [t] else [t[..end]] + Lines(t[end + 1..])
  }

  /** Lines as one text, with a newline between each two. */
  function JoinedLines(lines: seq<Text>): Text
    requires |lines| > 0
    decreases |lines|
  {
    if |lines| == 1 then lines[0] else lines[0] + [Newline] + JoinedLines(lines[1..])
  }

  /** The lines of a file, without what stands behind its last newline where that is nothing. */
  function Begun(t: Text): seq<Text> {
    var lines := Lines(t);
    if |lines| > 0 && lines[|lines| - 1] == [] then lines[..|lines| - 1] else lines
  }

  /** The lines that hold something. An empty one does not. */
  function Held(reader: Reader, lines: seq<Text>): seq<Text>
    decreases |lines|
  {
    if |lines| == 0 then []
    else (if lines[0] != [] && reader(lines[0]) then [lines[0]] else []) + Held(reader, lines[1..])
  }

  /** What a file reads as: its lines that hold something, in order. */
  function Read(reader: Reader, t: Text): seq<Text> {
    Held(reader, Lines(t))
  }

  // --- Where a line lands ---

  /** What a reader takes a line for: an entry, a sidecar (a line beside the entries), damage, or an empty line. */
  datatype LineSort = AnEntry | ASidecar | Damaged | Empty

  /** How a reader sorts lines. */
  type Sorter = Text -> LineSort

  /** A line with its number in the file, from 0 on. */
  datatype NumberedLine = NumberedLine(number: nat, line: Text)

  /** The lines of one sort, in order. */
  function LinesOf(sorter: Sorter, lines: seq<Text>, sort: LineSort): seq<NumberedLine>
    decreases |lines|
  {
    if |lines| == 0 then []
    else
      var last := |lines| - 1;
      LinesOf(sorter, lines[..last], sort) + (if sorter(lines[last]) == sort then [NumberedLine(last, lines[last])] else [])
  }

  /** What a reader makes of a file: a list for each sort. */
  datatype Sorted = Sorted(entries: seq<NumberedLine>, sidecars: seq<NumberedLine>, damage: seq<NumberedLine>, empty: seq<NumberedLine>)

  /** The lines of a file, sorted. */
  function SortLines(sorter: Sorter, t: Text): Sorted {
    var lines := Lines(t);
    Sorted(
      LinesOf(sorter, lines, AnEntry),
      LinesOf(sorter, lines, ASidecar),
      LinesOf(sorter, lines, Damaged),
      LinesOf(sorter, lines, Empty))
  }

  /** All lists, one behind the other. */
  function AllOf(sorted: Sorted): seq<NumberedLine> {
    sorted.entries + sorted.sidecars + sorted.damage + sorted.empty
  }

  /** The line with a number; an empty one where there is none. */
  function LineWithNumber(some: seq<NumberedLine>, number: nat): Text
    decreases |some|
  {
    if |some| == 0 then []
    else if some[0].number == number then some[0].line
    else LineWithNumber(some[1..], number)
  }

  /** What was sorted as one text again: the lines by their numbers, with a newline between each two. */
  function PutBack(sorted: Sorted): Text {
    var all := AllOf(sorted);
    if |all| == 0 then [] else JoinedLines(seq(|all|, number requires 0 <= number < |all| => LineWithNumber(all, number)))
  }

  // --- What is written ---

  /** The end of the file has no newline yet: a line without one stands there, or a part of a line. */
  predicate Open(t: Text) {
    |t| > 0 && t[|t| - 1] != Newline
  }

  /** What comes before a write: the newline that ends the last line, where it lacks one. */
  function Seam(t: Text): Text {
    if Open(t) then [Newline] else []
  }

  /** Lines, each with its newline. */
  function Ended(lines: seq<Text>): Text
    decreases |lines|
  {
    if |lines| == 0 then [] else lines[0] + [Newline] + Ended(lines[1..])
  }

  /** The one write that appends lines to a file. */
  function Written(t: Text, lines: seq<Text>): Text {
    Seam(t) + Ended(lines)
  }

  /** The file after it. */
  function Append(t: Text, lines: seq<Text>): Text {
    t + Written(t, lines)
  }

  /** The file when only the first `n` bytes of the write reached the disk. */
  function Torn(t: Text, lines: seq<Text>, n: nat): Text
    requires n <= |Written(t, lines)|
  {
    t + Written(t, lines)[..n]
  }

  /** No newline stands in a text. */
  predicate OneLine(line: Text) {
    Newline !in line
  }

  /** No newline stands in any of some lines. */
  predicate AllOneLine(lines: seq<Text>) {
    forall line | line in lines :: OneLine(line)
  }

  /** A line that a reader takes, and of which it takes no beginning: as a JSON object from its brace to its brace. */
  predicate SelfDelimiting(reader: Reader, line: Text) {
    && OneLine(line)
    && line != []
    && reader(line)
    && forall k | 0 < k < |line| :: !reader(line[..k])
  }

  /** Every one of some lines delimits itself. */
  predicate AllSelfDelimiting(reader: Reader, lines: seq<Text>) {
    forall line | line in lines :: SelfDelimiting(reader, line)
  }

  /** How many lines stand in the first `n` bytes of them: a line stands when all its bytes do, with or without its newline. */
  function Landed(lines: seq<Text>, n: nat): nat
    ensures Landed(lines, n) <= |lines|
    decreases |lines|
  {
    if |lines| == 0 || n < |lines[0]| then 0
    else if n == |lines[0]| then 1
    else 1 + Landed(lines[1..], n - |lines[0]| - 1)
  }

  /** The same of the first `n` bytes of a write, which may begin with a seam. */
  function LandedOf(t: Text, lines: seq<Text>, n: nat): nat
    ensures LandedOf(t, lines, n) <= |lines|
  {
    if |Seam(t)| <= n then Landed(lines, n - |Seam(t)|) else 0
  }

  // --- Compare and swap ---

  /** The entry at which a client goes on in a file, if there is one. */
  type Heads = Text -> Option<Id>

  /** How an append ended: the lines stand, or the file was not what had been seen; then both heads are named. */
  datatype Outcome = Taken | Stale(expected: Option<Id>, actual: Option<Id>)

  /** Appends to a file that was seen before, exactly if it is still the same. The file then, and how it ended. */
  function AppendIf(heads: Heads, file: Text, seen: Text, lines: seq<Text>): (Text, Outcome) {
    if file == seen then (Append(file, lines), Taken) else (file, Stale(heads(seen), heads(file)))
  }

  // --- Once ---

  /** The operation that a line belongs to, if it says one. */
  type Marks = Text -> Option<Id>

  /** Those of some lines that belong to an operation. */
  function Of(marks: Marks, operation: Id, lines: seq<Text>): seq<Text>
    decreases |lines|
  {
    if |lines| == 0 then []
    else (if marks(lines[0]) == Some(operation) then [lines[0]] else []) + Of(marks, operation, lines[1..])
  }

  /** How many lines of an operation a file holds. */
  function Standing(reader: Reader, marks: Marks, operation: Id, file: Text): nat {
    |Of(marks, operation, Read(reader, file))|
  }

  /** What an operation lacks of which so many lines stand: its lines behind as many. */
  function Lacking(there: nat, lines: seq<Text>): seq<Text> {
    if there <= |lines| then lines[there..] else []
  }

  /** The operation once more, with the id that it had: what it lacks is appended. */
  function Repeat(reader: Reader, marks: Marks, operation: Id, file: Text, lines: seq<Text>): Text {
    var lacking := Lacking(Standing(reader, marks, operation, file), lines);
    if |lacking| == 0 then file else Append(file, lacking)
  }

  // --- What a writer sees afterwards ---

  /** Its own bytes stand at `i` of what came behind the file that it had seen, and no line runs into them. */
  predicate StandsAt(own: Text, tail: Text, i: nat) {
    && i + |own| <= |tail|
    && tail[i..i + |own|] == own
    && (i == 0 || tail[i - 1] == Newline || (|own| > 0 && own[0] == Newline))
  }

  /** Where its own bytes stand first, from `i` on. */
  function Place(own: Text, tail: Text, i: nat): Option<nat>
    requires i <= |tail|
    ensures Place(own, tail, i).Some? ==> i <= Place(own, tail, i).value && StandsAt(own, tail, Place(own, tail, i).value)
    decreases |tail| - i
  {
    if StandsAt(own, tail, i) then Some(i)
    else if i == |tail| then None
    else Place(own, tail, i + 1)
  }

  /** What a writer sees of its write: it stands and nothing beside it; it stands, and others wrote too; or not all of it stands. */
  datatype Sight = Alone | Beside(at: nat) | Lost

  /** The same, by what came behind the file that it had seen. */
  function Look(own: Text, tail: Text): Sight {
    if tail == own then Alone
    else if Place(own, tail, 0).Some? then Beside(Place(own, tail, 0).value)
    else Lost
  }
}

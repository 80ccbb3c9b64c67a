// Chapter 17, proofs: what a file reads as after any part of any write, that the next append mends the seam and touches no old
// byte, that a stale append changes nothing, that what is repeated stands once, and what two writers see.
include "17-Appends.dfy"

module AppendsProofs {
  import opened Names
  import opened Entries
  import opened Appends
  import Splice

  // --- Lines ---

  /** An empty file reads as nothing, so nothing of an operation stands there. */
  lemma EmptyFileReadsAsNothing(reader: Reader, marks: Marks, operation: Id)
    ensures Read(reader, []) == []
    ensures Standing(reader, marks, operation, []) == 0
  {
    assert Lines([]) == [[]];
    assert Held(reader, [[]][1..]) == [];
  }

  /** Where a line ends is where its first newline stands, or the end. */
  lemma LineEndIsTheFirstNewline(t: Text, i: nat)
    requires i <= |t|
    ensures forall x | i <= x < LineEnd(t, i) :: t[x] != Newline
    ensures LineEnd(t, i) < |t| ==> t[LineEnd(t, i)] == Newline
    decreases |t| - i
  {
    if i < |t| && t[i] != Newline {
      LineEndIsTheFirstNewline(t, i + 1);
    }
  }

  /** A place before which no newline stands, and at which one does, is where the line ends. */
  lemma LineEndIs(t: Text, i: nat, end: nat)
    requires i <= end <= |t|
    requires forall x | i <= x < end :: t[x] != Newline
    requires end < |t| ==> t[end] == Newline
    ensures LineEnd(t, i) == end
    decreases end - i
  {
    if i < end {
      LineEndIs(t, i + 1, end);
    }
  }

  /** A text without a newline is one line. */
  lemma OneLineIsItself(line: Text)
    requires OneLine(line)
    ensures Lines(line) == [line]
  {
    LineEndIs(line, 0, |line|);
  }

  /** A newline parts the lines before it from those behind it. */
  lemma NewlineParts(a: Text, b: Text)
    ensures Lines(a + [Newline] + b) == Lines(a) + Lines(b)
    decreases |a|
  {
    var t := a + [Newline] + b;
    var end := LineEnd(a, 0);
    LineEndIsTheFirstNewline(a, 0);
    assert forall x | 0 <= x < end :: t[x] == a[x];
    assert t[end] == Newline;
    LineEndIs(t, 0, end);
    if end == |a| {
      assert t[..end] == a && t[end + 1..] == b;
    } else {
      var rest := a[end + 1..];
      assert t[..end] == a[..end];
      assert t[end + 1..] == rest + [Newline] + b;
      NewlineParts(rest, b);
      assert Lines(a) == [a[..end]] + Lines(rest);
    }
  }

  /** A file has a line, be it an empty one, and none of its lines holds a newline. */
  lemma LinesHoldNoNewline(t: Text)
    ensures |Lines(t)| > 0
    ensures AllOneLine(Lines(t))
    decreases |t|
  {
    var end := LineEnd(t, 0);
    LineEndIsTheFirstNewline(t, 0);
    assert OneLine(t[..end]);
    if end < |t| {
      LinesHoldNoNewline(t[end + 1..]);
    } else {
      assert t[..end] == t;
    }
  }

  /** Joined again, the lines of a file are the file. */
  lemma JoinOfLinesIsTheFile(t: Text)
    ensures |Lines(t)| > 0
    ensures JoinedLines(Lines(t)) == t
    decreases |t|
  {
    var end := LineEnd(t, 0);
    if end < |t| {
      LineEndIsTheFirstNewline(t, 0);
      var rest := t[end + 1..];
      JoinOfLinesIsTheFile(rest);
      assert Lines(t) == [t[..end]] + Lines(rest);
      assert Lines(t)[1..] == Lines(rest);
      assert t == t[..end] + [Newline] + rest;
    }
  }

  /** Lines that hold no newline are the lines of what they are joined to. */
  lemma LinesOfJoinAreTheLines(lines: seq<Text>)
    requires |lines| > 0
    requires AllOneLine(lines)
    ensures Lines(JoinedLines(lines)) == lines
    decreases |lines|
  {
    OneLineIsItself(lines[0]);
    if |lines| > 1 {
      assert AllOneLine(lines[1..]);
      LinesOfJoinAreTheLines(lines[1..]);
      NewlineParts(lines[0], JoinedLines(lines[1..]));
      assert lines == [lines[0]] + lines[1..];
    } else {
      assert lines == [lines[0]];
    }
  }

  /** The lines of ended lines are those lines, and behind them nothing. */
  lemma LinesOfEnded(lines: seq<Text>)
    requires AllOneLine(lines)
    ensures Lines(Ended(lines)) == lines + [[]]
    decreases |lines|
  {
    if |lines| > 0 {
      assert AllOneLine(lines[1..]);
      LinesOfEnded(lines[1..]);
      OneLineIsItself(lines[0]);
      NewlineParts(lines[0], Ended(lines[1..]));
      assert lines + [[]] == [lines[0]] + (lines[1..] + [[]]);
    }
  }

  /** A file with an open end has something behind its last newline: the line that is not ended. */
  lemma OpenFileEndsWithALine(t: Text)
    requires Open(t)
    ensures Begun(t) == Lines(t)
    decreases |t|
  {
    var end := LineEnd(t, 0);
    LineEndIsTheFirstNewline(t, 0);
    if end < |t| {
      var rest := t[end + 1..];
      assert end + 1 < |t|;
      assert Open(rest);
      OpenFileEndsWithALine(rest);
      LinesHoldNoNewline(rest);
      assert Lines(t) == [t[..end]] + Lines(rest);
      assert Lines(t)[|Lines(t)| - 1] == Lines(rest)[|Lines(rest)| - 1];
    } else {
      assert Lines(t) == [t];
    }
  }

  /** An append adds whole lines behind those that a file has: a line without its newline is one of them from then on. */
  lemma AppendAddsWholeLines(t: Text, lines: seq<Text>)
    requires AllOneLine(lines)
    ensures Lines(Append(t, lines)) == Begun(t) + lines + [[]]
  {
    LinesOfEnded(lines);
    if Open(t) {
      OpenFileEndsWithALine(t);
      assert Append(t, lines) == t + [Newline] + Ended(lines);
      NewlineParts(t, Ended(lines));
      assert Begun(t) + lines + [[]] == Lines(t) + (lines + [[]]);
    } else if |t| == 0 {
      assert Begun(t) == [] by {
        assert Lines(t) == [[]];
      }
      assert Append(t, lines) == Ended(lines);
      assert Begun(t) + lines + [[]] == lines + [[]];
    } else {
      var front := t[..|t| - 1];
      assert t == front + [Newline];
      assert t == front + [Newline] + [];
      NewlineParts(front, []);
      assert Lines([]) == [[]];
      LinesHoldNoNewline(front);
      assert Lines(t) == Lines(front) + [[]];
      assert Begun(t) == Lines(front);
      assert Append(t, lines) == front + [Newline] + Ended(lines);
      NewlineParts(front, Ended(lines));
      assert Begun(t) + lines + [[]] == Lines(front) + (lines + [[]]);
    }
  }

  /** What holds something in two lists of lines is what does in the first, and then what does in the second. */
  lemma HeldOfBoth(reader: Reader, a: seq<Text>, b: seq<Text>)
    ensures Held(reader, a + b) == Held(reader, a) + Held(reader, b)
    decreases |a|
  {
    if |a| == 0 {
      assert a + b == b;
    } else {
      assert (a + b)[0] == a[0] && (a + b)[1..] == a[1..] + b;
      HeldOfBoth(reader, a[1..], b);
    }
  }

  /** Behind a newline a file reads on as if what follows stood alone. */
  lemma ReadBehindNewline(reader: Reader, a: Text, b: Text)
    ensures Read(reader, a + [Newline] + b) == Read(reader, a) + Read(reader, b)
  {
    NewlineParts(a, b);
    HeldOfBoth(reader, Lines(a), Lines(b));
  }

  /** Nothing reads as nothing. */
  lemma NothingReadsAsNothing(reader: Reader)
    ensures Read(reader, []) == []
  {
    assert Lines([]) == [[]];
    assert Held(reader, [[]]) == [];
  }

  /** What is written behind the seam reads as if it stood alone, and what stood before it reads as it did. */
  lemma ReadBehindTheSeam(reader: Reader, t: Text, more: Text)
    ensures Read(reader, t + Seam(t) + more) == Read(reader, t) + Read(reader, more)
  {
    if Open(t) {
      ReadBehindNewline(reader, t, more);
    } else if |t| == 0 {
      assert t + Seam(t) + more == more;
      NothingReadsAsNothing(reader);
    } else {
      var before := t[..|t| - 1];
      assert t == before + [Newline] + [];
      ReadBehindNewline(reader, before, []);
      NothingReadsAsNothing(reader);
      assert Read(reader, t) == Read(reader, before);
      assert t + Seam(t) + more == before + [Newline] + more;
      ReadBehindNewline(reader, before, more);
    }
  }

  /** A line that delimits itself reads as itself. */
  lemma LineReadsAsItself(reader: Reader, line: Text)
    requires SelfDelimiting(reader, line)
    ensures Read(reader, line) == [line]
  {
    OneLineIsItself(line);
    var none: seq<Text> := [line][1..];
    assert none == [];
    assert Held(reader, [line]) == [line] + Held(reader, none);
  }

  /** A beginning of it, not all of it, reads as nothing. */
  lemma BeginningReadsAsNothing(reader: Reader, line: Text, n: nat)
    requires SelfDelimiting(reader, line)
    requires n < |line|
    ensures Read(reader, line[..n]) == []
  {
    var part := line[..n];
    OneLineIsItself(part);
    assert part == [] || !reader(part);
    var none: seq<Text> := [part][1..];
    assert none == [];
    assert Held(reader, [part]) == Held(reader, none);
  }

  /** The first `n` bytes of some lines read as those that landed. */
  lemma BeginningReadsAsWhatLanded(reader: Reader, lines: seq<Text>, n: nat)
    requires AllSelfDelimiting(reader, lines)
    requires n <= |Ended(lines)|
    ensures Read(reader, Ended(lines)[..n]) == lines[..Landed(lines, n)]
    decreases |lines|
  {
    hide Read;
    if |lines| == 0 {
      assert Ended(lines)[..n] == [];
      NothingReadsAsNothing(reader);
    } else {
      var first, rest := lines[0], lines[1..];
      assert SelfDelimiting(reader, first);
      if n < |first| {
        assert Ended(lines)[..n] == first[..n];
        BeginningReadsAsNothing(reader, first, n);
      } else if n == |first| {
        assert Ended(lines)[..n] == first;
        LineReadsAsItself(reader, first);
        assert lines[..1] == [first];
      } else {
        var m := n - |first| - 1;
        assert Ended(lines)[..n] == first + [Newline] + Ended(rest)[..m];
        ReadBehindNewline(reader, first, Ended(rest)[..m]);
        LineReadsAsItself(reader, first);
        BeginningReadsAsWhatLanded(reader, rest, m);
        assert lines[..1 + Landed(rest, m)] == [first] + rest[..Landed(rest, m)];
      }
    }
  }

  /** All of them read as all of them. */
  lemma EndedReadsAsItsLines(reader: Reader, lines: seq<Text>)
    requires AllSelfDelimiting(reader, lines)
    ensures Read(reader, Ended(lines)) == lines
    decreases |lines|
  {
    if |lines| == 0 {
      NothingReadsAsNothing(reader);
    } else {
      assert Ended(lines) == lines[0] + [Newline] + Ended(lines[1..]);
      ReadBehindNewline(reader, lines[0], Ended(lines[1..]));
      assert SelfDelimiting(reader, lines[0]);
      LineReadsAsItself(reader, lines[0]);
      EndedReadsAsItsLines(reader, lines[1..]);
    }
  }

  // --- P24: an append, whole or torn ---

  /** An append touches no old byte, and its file has no open end. */
  lemma AppendTouchesNoOldByte(t: Text, lines: seq<Text>)
    ensures |t| <= |Append(t, lines)|
    ensures Append(t, lines)[..|t|] == t
    ensures |lines| > 0 ==> !Open(Append(t, lines))
  {
    if |lines| > 0 {
      EndedIsClosed(lines);
      assert Append(t, lines)[|Append(t, lines)| - 1] == Ended(lines)[|Ended(lines)| - 1];
    }
  }

  /** What ended lines end with. */
  lemma EndedIsClosed(lines: seq<Text>)
    requires |lines| > 0
    ensures |Ended(lines)| > 0
    ensures Ended(lines)[|Ended(lines)| - 1] == Newline
    decreases |lines|
  {
    if |lines| > 1 {
      EndedIsClosed(lines[1..]);
    }
  }

  /** Behind an append, a file reads as it did, and then as the lines. So it does behind an end that was torn. */
  lemma AppendReadsAsOldThenNew(reader: Reader, t: Text, lines: seq<Text>)
    requires AllSelfDelimiting(reader, lines)
    ensures Read(reader, Append(t, lines)) == Read(reader, t) + lines
  {
    assert Append(t, lines) == t + Seam(t) + Ended(lines);
    ReadBehindTheSeam(reader, t, Ended(lines));
    EndedReadsAsItsLines(reader, lines);
  }

  /** Whatever part of the write reached the disk, the old bytes stand, and the file reads as it did and then as the lines that
    * landed. */
  lemma TornWriteReadsAsOldThenWhatLanded(reader: Reader, t: Text, lines: seq<Text>, n: nat)
    requires AllSelfDelimiting(reader, lines)
    requires n <= |Written(t, lines)|
    ensures Torn(t, lines, n)[..|t|] == t
    ensures Read(reader, Torn(t, lines, n)) == Read(reader, t) + lines[..LandedOf(t, lines, n)]
  {
    var seam := |Seam(t)|;
    if n < seam {
      assert Written(t, lines)[..n] == [];
      assert Torn(t, lines, n) == t;
      assert lines[..0] == [];
    } else {
      var m := n - seam;
      assert Written(t, lines)[..n] == Seam(t) + Ended(lines)[..m];
      assert Torn(t, lines, n) == t + Seam(t) + Ended(lines)[..m];
      ReadBehindTheSeam(reader, t, Ended(lines)[..m]);
      BeginningReadsAsWhatLanded(reader, lines, m);
    }
  }

  /** All bytes of the write are all lines of it, and none are none. */
  lemma AllLandWithAllBytes(t: Text, lines: seq<Text>)
    ensures LandedOf(t, lines, |Written(t, lines)|) == |lines|
    ensures (forall line | line in lines :: line != []) ==> LandedOf(t, lines, 0) == 0
  {
    AllLand(lines);
    if |lines| > 0 {
      assert lines[0] in lines;
    }
  }

  /** All bytes of ended lines are all of them. */
  lemma AllLand(lines: seq<Text>)
    ensures Landed(lines, |Ended(lines)|) == |lines|
    decreases |lines|
  {
    if |lines| > 0 {
      AllLand(lines[1..]);
    }
  }

  /** The next append mends the seam: it touches no byte that stands, and the file reads as it did, then as what landed, then as
    * the new lines. */
  lemma NextAppendMendsTheSeam(reader: Reader, t: Text, lines: seq<Text>, n: nat, more: seq<Text>)
    requires AllSelfDelimiting(reader, lines) && AllSelfDelimiting(reader, more)
    requires n <= |Written(t, lines)|
    ensures Append(Torn(t, lines, n), more)[..|t| + n] == Torn(t, lines, n)
    ensures Read(reader, Append(Torn(t, lines, n), more)) == Read(reader, t) + lines[..LandedOf(t, lines, n)] + more
  {
    AppendTouchesNoOldByte(Torn(t, lines, n), more);
    AppendReadsAsOldThenNew(reader, Torn(t, lines, n), more);
    TornWriteReadsAsOldThenWhatLanded(reader, t, lines, n);
  }

  /** What is written depends on the last byte of the file alone. */
  lemma WriteAsksForTheLastByteAlone(t: Text, lines: seq<Text>)
    ensures |t| > 0 ==> Written(t, lines) == Written(t[|t| - 1..], lines)
  {
  }

  // --- P24: compare and swap ---

  /** A stale append changes nothing and names both heads; any other appends. */
  lemma StaleAppendChangesNothing(heads: Heads, file: Text, seen: Text, lines: seq<Text>)
    ensures var (after, outcome) := AppendIf(heads, file, seen, lines);
            if file == seen then outcome.Taken? && after == Append(seen, lines)
            else outcome == Stale(heads(seen), heads(file)) && after == file
  {
  }

  /** Of two appends to one file that was seen, exactly the first is taken. */
  lemma OneOfTwoAppendsIsTaken(heads: Heads, seen: Text, a: seq<Text>, b: seq<Text>)
    requires |a| > 0
    ensures var (after, first) := AppendIf(heads, seen, seen, a);
            var (last, second) := AppendIf(heads, after, seen, b);
            first.Taken? && second == Stale(heads(seen), heads(after)) && last == after
  {
    EndedIsClosed(a);
  }

  /** Of a file that only grows, to be the same is to be as long. */
  lemma GrownFileIsTheSameExactlyIfAsLong(file: Text, seen: Text)
    requires |seen| <= |file| && file[..|seen|] == seen
    ensures file == seen <==> |file| == |seen|
  {
    if |file| == |seen| {
      assert file[..|seen|] == file;
    }
  }

  // --- P24: once ---

  /** Those that belong to an operation in two lists are those in the first, and then those in the second. */
  lemma OfBoth(marks: Marks, operation: Id, a: seq<Text>, b: seq<Text>)
    ensures Of(marks, operation, a + b) == Of(marks, operation, a) + Of(marks, operation, b)
    decreases |a|
  {
    if |a| == 0 {
      assert a + b == b;
    } else {
      assert (a + b)[0] == a[0] && (a + b)[1..] == a[1..] + b;
      OfBoth(marks, operation, a[1..], b);
    }
  }

  /** Where all lines belong to an operation, those that do are all of them. */
  lemma OfItsOwn(marks: Marks, operation: Id, lines: seq<Text>)
    requires forall line | line in lines :: marks(line) == Some(operation)
    ensures Of(marks, operation, lines) == lines
    decreases |lines|
  {
    if |lines| > 0 {
      assert lines[0] in lines;
      forall line | line in lines[1..] ensures marks(line) == Some(operation) {
        assert line in lines;
      }
      OfItsOwn(marks, operation, lines[1..]);
    }
  }

  /** A retry after an answer that was lost appends once. Whatever part of the write reached the disk, and whatever others
    * appended since, the operation then stands there whole, once, in order; nothing that stood is touched, and another retry
    * changes nothing. */
  lemma RetryAppendsOnce(
    reader: Reader, marks: Marks, operation: Id, t: Text, lines: seq<Text>, n: nat, others: seq<Text>)
    requires AllSelfDelimiting(reader, lines) && AllSelfDelimiting(reader, others)
    requires forall line | line in lines :: marks(line) == Some(operation)
    requires forall line | line in others :: marks(line) != Some(operation)
    requires Of(marks, operation, Read(reader, t)) == []
    requires n <= |Written(t, lines)|
    ensures var k := LandedOf(t, lines, n);
            var file := Append(Torn(t, lines, n), others);
            var after := Repeat(reader, marks, operation, file, lines);
            && Lacking(Standing(reader, marks, operation, file), lines) == lines[k..]
            && |file| <= |after| && after[..|file|] == file
            && Read(reader, after) == Read(reader, t) + lines[..k] + others + lines[k..]
            && Of(marks, operation, Read(reader, after)) == lines
            && Repeat(reader, marks, operation, after, lines) == after
  {
    var k := LandedOf(t, lines, n);
    var file := Append(Torn(t, lines, n), others);
    NextAppendMendsTheSeam(reader, t, lines, n, others);
    assert Read(reader, file) == Read(reader, t) + lines[..k] + others;
    OfParts(marks, operation, Read(reader, t), lines, k, others, []);
    assert Read(reader, t) + lines[..k] + others + [] == Read(reader, file);
    var lacking := Lacking(Standing(reader, marks, operation, file), lines);
    assert lacking == lines[k..];
    var after := Repeat(reader, marks, operation, file, lines);
    if |lacking| > 0 {
      forall line | line in lacking ensures SelfDelimiting(reader, line) {
        assert line in lines;
      }
      AppendReadsAsOldThenNew(reader, file, lacking);
      AppendTouchesNoOldByte(file, lacking);
      assert Read(reader, after) == Read(reader, t) + lines[..k] + others + lines[k..];
      OfParts(marks, operation, Read(reader, t), lines, k, others, lines[k..]);
    } else {
      assert lines[k..] == [] && k == |lines|;
      assert Read(reader, after) == Read(reader, t) + lines[..k] + others + lines[k..];
      OfParts(marks, operation, Read(reader, t), lines, k, others, lines[k..]);
    }
    assert Of(marks, operation, Read(reader, after)) == lines;
  }

  /** What belongs to an operation, where parts of it stand among other lines. */
  lemma OfParts(
    marks: Marks, operation: Id, before: seq<Text>, lines: seq<Text>, k: nat, others: seq<Text>, rest: seq<Text>)
    requires k <= |lines|
    requires rest == [] || rest == lines[k..]
    requires Of(marks, operation, before) == []
    requires forall line | line in lines :: marks(line) == Some(operation)
    requires forall line | line in others :: marks(line) != Some(operation)
    ensures Of(marks, operation, before + lines[..k] + others + rest) == lines[..k] + rest
    ensures rest == lines[k..] ==> lines[..k] + rest == lines
  {
    var mine := before + lines[..k];
    calc {
      Of(marks, operation, mine + others + rest);
      { OfBoth(marks, operation, mine + others, rest); OfItsOwn(marks, operation, rest); }
      Of(marks, operation, mine + others) + rest;
      { OfBoth(marks, operation, mine, others); OfNone(marks, operation, others); }
      Of(marks, operation, mine) + [] + rest;
      { OfBoth(marks, operation, before, lines[..k]); OfItsOwn(marks, operation, lines[..k]); }
      [] + lines[..k] + rest;
      lines[..k] + rest;
    }
  }

  /** Where no line belongs to an operation, none does. */
  lemma OfNone(marks: Marks, operation: Id, lines: seq<Text>)
    requires forall line | line in lines :: marks(line) != Some(operation)
    ensures Of(marks, operation, lines) == []
    decreases |lines|
  {
    if |lines| > 0 {
      assert lines[0] in lines;
      OfNone(marks, operation, lines[1..]);
    }
  }

  // --- P24: two writers ---

  /** Where its own bytes stand, no place before it has them. */
  lemma PlaceIsTheFirst(own: Text, tail: Text, i: nat)
    requires i <= |tail|
    ensures Place(own, tail, i).None? <==> forall x | i <= x <= |tail| :: !StandsAt(own, tail, x)
    ensures Place(own, tail, i).Some? ==> forall x | i <= x < Place(own, tail, i).value :: !StandsAt(own, tail, x)
    decreases |tail| - i
  {
    if !StandsAt(own, tail, i) && i < |tail| {
      PlaceIsTheFirst(own, tail, i + 1);
    }
  }

  /** A writer is told that it is alone exactly if nothing but its write came; that it is beside others exactly if its bytes stand
    * and more came; and that something is lost in no other case. */
  lemma LookIsExact(own: Text, tail: Text)
    ensures Look(own, tail).Alone? <==> tail == own
    ensures Look(own, tail).Beside? <==> tail != own && exists i :: StandsAt(own, tail, i)
    ensures Look(own, tail).Lost? <==> forall i :: !StandsAt(own, tail, i)
  {
    PlaceIsTheFirst(own, tail, 0);
    if tail == own {
      assert StandsAt(own, tail, 0);
    }
  }

  /** Two writers that saw the same file and wrote in the same moment: both writes stand, in one order or the other, every old
    * byte stands, and all lines of both read. Each that looks when both stand is told of the other. */
  lemma TwoWritersBothStand(reader: Reader, t: Text, a: seq<Text>, b: seq<Text>)
    requires AllSelfDelimiting(reader, a) && AllSelfDelimiting(reader, b)
    requires |a| > 0 && |b| > 0
    ensures var own, other := Written(t, a), Written(t, b);
            && Read(reader, t + own + other) == Read(reader, t) + a + b
            && (t + own + other)[..|t|] == t
            && Look(own, own).Alone?
            && Look(own, own + other).Beside?
            && Look(other, own + other).Beside?
  {
    hide Read, Look, Written, AllSelfDelimiting;
    BothWritesRead(reader, t, a, b);
    BothAreTold(t, a, b);
    assert (t + Written(t, a) + Written(t, b))[..|t|] == t;
  }

  /** The part of the theorem about what is read. */
  lemma BothWritesRead(reader: Reader, t: Text, a: seq<Text>, b: seq<Text>)
    requires AllSelfDelimiting(reader, a) && AllSelfDelimiting(reader, b)
    requires |a| > 0
    ensures Read(reader, t + Written(t, a) + Written(t, b)) == Read(reader, t) + a + b
  {
    hide Read, AllSelfDelimiting, Ended, Lines;
    var first, other := Append(t, a), Written(t, b);
    AppendTouchesNoOldByte(t, a);
    AppendReadsAsOldThenNew(reader, t, a);
    assert !Open(first);
    EndedReadsAsItsLines(reader, b);
    if Open(t) {
      assert other == [Newline] + Ended(b);
      BlankLineReadsAsNothing(reader, Ended(b));
    } else {
      assert other == Ended(b);
    }
    assert Read(reader, other) == b;
    assert t + Written(t, a) + other == first + Seam(first) + other;
    ReadBehindTheSeam(reader, first, other);
  }

  /** The part of the theorem about what the writers see. */
  lemma BothAreTold(t: Text, a: seq<Text>, b: seq<Text>)
    requires |a| > 0 && |b| > 0
    ensures var own, other := Written(t, a), Written(t, b);
            Look(own, own).Alone? && Look(own, own + other).Beside? && Look(other, own + other).Beside?
  {
    var own, other := Written(t, a), Written(t, b);
    EndedIsClosed(a);
    EndedIsClosed(b);
    hide Look, Written, Ended;
    assert |own| > 0 && |other| > 0 && own[|own| - 1] == Newline by {
      reveal Written;
    }
    var both := own + other;
    assert both[0..|own|] == own;
    assert StandsAt(own, both, 0);
    assert both[|own|..|own| + |other|] == other && both[|own| - 1] == Newline;
    assert StandsAt(other, both, |own|);
    LookIsExact(own, both);
    LookIsExact(other, both);
    LookIsExact(own, own);
    assert |both| == |own| + |other|;
  }

  /** A blank line reads as nothing. */
  lemma BlankLineReadsAsNothing(reader: Reader, more: Text)
    ensures Read(reader, [Newline] + more) == Read(reader, more)
  {
    assert [Newline] + more == [] + [Newline] + more;
    ReadBehindNewline(reader, [], more);
    NothingReadsAsNothing(reader);
  }

  // --- Where a line lands ---

  /** The numbers rise. */
  ghost predicate NumbersRise(some: seq<NumberedLine>) {
    forall i, j | 0 <= i < j < |some| :: some[i].number < some[j].number
  }

  /** The lines of one sort are exactly those, each with its number, in order. */
  lemma LinesOfExactly(sorter: Sorter, lines: seq<Text>, sort: LineSort)
    ensures forall a :: a in LinesOf(sorter, lines, sort) <==>
                        a.number < |lines| && a.line == lines[a.number] && sorter(a.line) == sort
    ensures NumbersRise(LinesOf(sorter, lines, sort))
    decreases |lines|
  {
    if |lines| > 0 {
      var last := |lines| - 1;
      LinesOfExactly(sorter, lines[..last], sort);
      forall a
        ensures a in LinesOf(sorter, lines, sort) <==>
                a.number < |lines| && a.line == lines[a.number] && sorter(a.line) == sort
      {
        assert a.number < last ==> lines[..last][a.number] == lines[a.number];
      }
    }
  }

  /** There are as many of all sorts as there are lines. */
  lemma LinesAreOfSorts(sorter: Sorter, lines: seq<Text>)
    ensures |LinesOf(sorter, lines, AnEntry)| + |LinesOf(sorter, lines, ASidecar)|
            + |LinesOf(sorter, lines, Damaged)| + |LinesOf(sorter, lines, Empty)| == |lines|
    decreases |lines|
  {
    if |lines| > 0 {
      LinesAreOfSorts(sorter, lines[..|lines| - 1]);
    }
  }

  /** NumbersRise lists of which no two hold the same number hold no number twice when they stand behind each other. */
  lemma NoNumberTwice(some: seq<NumberedLine>, more: seq<NumberedLine>)
    requires forall i, j | 0 <= i < j < |some| :: some[i].number != some[j].number
    requires NumbersRise(more)
    requires forall a, b | a in some && b in more :: a.number != b.number
    ensures forall i, j | 0 <= i < j < |some + more| :: (some + more)[i].number != (some + more)[j].number
  {
    var both := some + more;
    forall i, j | 0 <= i < j < |both|
      ensures both[i].number != both[j].number
    {
      if i < |some| <= j {
        assert both[i] in some && both[j] in more;
      }
    }
  }

  /** Every line of a file lands in exactly one list, under its number, as it stands. */
  lemma EachLineLandsOnce(sorter: Sorter, t: Text)
    ensures var s, lines := SortLines(sorter, t), Lines(t);
            && |AllOf(s)| == |lines|
            && (forall i, j | 0 <= i < j < |AllOf(s)| :: AllOf(s)[i].number != AllOf(s)[j].number)
            && (forall n | 0 <= n < |lines| :: NumberedLine(n, lines[n]) in
                                                 (match sorter(lines[n])
                                                  case AnEntry => s.entries
                                                  case ASidecar => s.sidecars
                                                  case Damaged => s.damage
                                                  case Empty => s.empty))
            && (forall a | a in AllOf(s) :: a.number < |lines| && a.line == lines[a.number])
    ensures var s := SortLines(sorter, t); NumbersRise(s.entries) && NumbersRise(s.sidecars) && NumbersRise(s.damage) && NumbersRise(s.empty)
  {
    var s, lines := SortLines(sorter, t), Lines(t);
    LinesAreOfSorts(sorter, lines);
    LinesOfExactly(sorter, lines, AnEntry);
    LinesOfExactly(sorter, lines, ASidecar);
    LinesOfExactly(sorter, lines, Damaged);
    LinesOfExactly(sorter, lines, Empty);
    hide LinesOf, Lines;
    NoNumberTwice(s.entries, s.sidecars);
    NoNumberTwice(s.entries + s.sidecars, s.damage);
    NoNumberTwice(s.entries + s.sidecars + s.damage, s.empty);
  }

  /** The line with a number, where all that have it are one line. */
  lemma LineWithNumberIs(some: seq<NumberedLine>, a: NumberedLine)
    requires a in some
    requires forall b | b in some && b.number == a.number :: b.line == a.line
    ensures LineWithNumber(some, a.number) == a.line
    decreases |some|
  {
    if some[0].number == a.number {
      assert some[0] in some;
    } else {
      LineWithNumberIs(some[1..], a);
    }
  }

  /** To write back what was read gives the file, byte for byte (P21): its damage, its empty lines and its open end too. */
  lemma PutBackIsTheFile(sorter: Sorter, t: Text)
    ensures PutBack(SortLines(sorter, t)) == t
  {
    var s, lines := SortLines(sorter, t), Lines(t);
    var all := AllOf(s);
    EachLineLandsOnce(sorter, t);
    JoinOfLinesIsTheFile(t);
    forall n | 0 <= n < |lines|
      ensures LineWithNumber(all, n) == lines[n]
    {
      LineWithNumberIs(all, NumberedLine(n, lines[n]));
    }
    assert |lines| > 0;
    assert seq(|all|, number requires 0 <= number < |all| => LineWithNumber(all, number)) == lines;
  }
}

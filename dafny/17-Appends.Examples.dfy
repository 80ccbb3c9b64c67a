// Chapter 17, examples: files of a few bytes that meet the preconditions of the proofs, and what goes wrong without the seam, with
// a line of which a beginning counts, with a length in the place of a comparison, and with a retry that has no id.
include "17-Appends.Proofs.dfy"

module AppendsExamples {
  import opened Names
  import opened Entries
  import opened Appends
  import opened AppendsProofs
  import Splice

  /** A line holds something exactly if it runs from its brace to its only closing brace. */
  predicate Objects(line: Text) {
    && |line| >= 2
    && line[0] == Splice.OpenBrace
    && line[|line| - 1] == Splice.CloseBrace
    && forall i | 0 <= i < |line| - 1 :: line[i] != Splice.CloseBrace
  }

  /** `{}` */
  const First: Text := [Splice.OpenBrace, Splice.CloseBrace]

  /** `{1}` */
  const Second: Text := [Splice.OpenBrace, 49, Splice.CloseBrace]

  /** `{2}` */
  const Third: Text := [Splice.OpenBrace, 50, Splice.CloseBrace]

  /** `{}` and `{1}` belong to the operation 1, `{2}` to none. */
  function ByDigit(line: Text): Option<Id> {
    if line == First || line == Second then Some(Name(1)) else None
  }

  /** The head of a file is named by its length. */
  function ByLength(t: Text): Option<Id> {
    Some(Name(|t|))
  }

  // --- The rare cases of definitions ---

  /** An empty line stands as soon as anything might; bytes do not stand where there are none. */
  lemma NothingIsALine()
    ensures Landed([[]], 0) == 1
    ensures LandedOf([], [[]], 0) == 1
    ensures !StandsAt(First, [], 0)
  {
  }

  // --- Witnesses ---

  /** Each of the three lines delimits itself. */
  lemma ThreeLines()
    ensures AllSelfDelimiting(Objects, [First, Second, Third])
    ensures AllSelfDelimiting(Objects, [First, Second]) && AllSelfDelimiting(Objects, [Third])
  {
    forall line | line in [First, Second, Third]
      ensures SelfDelimiting(Objects, line)
    {
      assert line == First || line == Second || line == Third;
      assert OneLine(line);
      forall k | 0 < k < |line|
        ensures !Objects(line[..k])
      {
        assert k < 2 || line[..k][k - 1] != Splice.CloseBrace;
      }
    }
  }

  /** A file that ends in a part of a line, the brace alone, reads as nothing, and its end is open. */
  lemma BraceAlone()
    ensures Open([Splice.OpenBrace])
    ensures Read(Objects, [Splice.OpenBrace]) == []
    ensures Of(ByDigit, Name(1), Read(Objects, [Splice.OpenBrace])) == []
  {
    ThreeLines();
    assert First in [First, Second, Third];
    BeginningReadsAsNothing(Objects, First, 1);
    assert First[..1] == [Splice.OpenBrace];
  }

  /** The theorems apply to those lines behind that brace: of the write of two lines the seam, the first line and one byte of the
    * second reach the disk. */
  lemma TheoremsApplyToTheLines()
  {
    ThreeLines();
    BraceAlone();
    var t, own, others := [Splice.OpenBrace], [First, Second], [Third];
    assert own[0] == First && own[1..] == [Second] && [Second][1..] == [];
    assert Ended([Second]) == Second + [Newline] + Ended([]);
    assert Ended(own) == First + [Newline] + Ended([Second]);
    assert |Written(t, own)| == 8;
    assert Landed([Second], 1) == 0;
    assert Landed(own, 4) == 1 + Landed([Second], 1);
    assert LandedOf(t, own, 5) == 1;
    AppendReadsAsOldThenNew(Objects, t, own);
    AppendTouchesNoOldByte(t, own);
    TornWriteReadsAsOldThenWhatLanded(Objects, t, own, 5);
    NextAppendMendsTheSeam(Objects, t, own, 5, others);
    AllLandWithAllBytes(t, own);
    WriteAsksForTheLastByteAlone(t, own);
    OneOfTwoAppendsIsTaken(ByLength, t, own, others);
    StaleAppendChangesNothing(ByLength, t, [], own);
    GrownFileIsTheSameExactlyIfAsLong(Append(t, own), t);
    assert ByDigit(Third).None?;
    RetryAppendsOnce(Objects, ByDigit, Name(1), t, own, 5, others);
    TwoWritersBothStand(Objects, t, own, others);
    BothWritesRead(Objects, t, own, others);
    BothAreTold(t, own, others);
    LookIsExact(Written(t, own), Written(t, own) + Written(t, others));
    OneLineIsItself(First);
    LineEndIs(First, 0, 2);
    LineReadsAsItself(Objects, First);
    BeginningReadsAsNothing(Objects, First, 1);
    BeginningReadsAsWhatLanded(Objects, own, 4);
    EndedReadsAsItsLines(Objects, own);
    EndedIsClosed(own);
    OfItsOwn(ByDigit, Name(1), own);
    OfNone(ByDigit, Name(1), others);
    OfParts(ByDigit, Name(1), [], own, 1, others, own[1..]);
    PlaceIsTheFirst(First, First, 0);
    LineEndIsTheFirstNewline(First, 0);
  }

  /** A reader may take the empty line; a line delimits itself all the same, as nobody reads an empty one. */
  lemma EmptyLinesDoNotCount()
    ensures SelfDelimiting((line: Text) => line == [] || Objects(line), First)
  {
    ThreeLines();
    assert First in [First, Second];
    forall k | 0 < k < |First|
      ensures !(First[..k] == [] || Objects(First[..k]))
    {
      assert First[..k] != [];
    }
  }

  /** The newline is the line feed. */
  lemma NewlineIsTheLineFeed()
    ensures Newline == 10
  {
  }

  /** What was written begins a line of its own where it begins with the seam, be that all of it; nothing that was written does not. */
  lemma TheSeamBeginsALine()
    ensures StandsAt([Newline], [49, Newline], 1)
    ensures !StandsAt([], [49], 1)
  {
    assert [49, Newline][1..2] == [Newline];
  }

  // --- Counterexamples ---

  /** Without the seam, what is written glues to the end that stands: another line is read, and the one that was written is not. */
  lemma WithoutTheSeamLinesGlue()
    ensures var glued := [Splice.OpenBrace] + Ended([First]);
            Read(Objects, glued) == [[Splice.OpenBrace] + First]
    ensures [Splice.OpenBrace] + First != First
  {
    var line := [Splice.OpenBrace] + First;
    assert Ended([First]) == First + [Newline] + Ended([]);
    assert [Splice.OpenBrace] + Ended([First]) == line + [Newline] + [];
    ReadBehindNewline(Objects, line, []);
    NothingReadsAsNothing(Objects);
    OneLineIsItself(line);
    var none: seq<Text> := [line][1..];
    assert none == [];
    assert Objects(line);
    assert Held(Objects, [line]) == [line] + Held(Objects, none);
  }

  /** What two writers write into an empty file: the one `{}`, the other `{2}`. */
  lemma TwoWrites()
    ensures Written([], [First]) == [Splice.OpenBrace, Splice.CloseBrace, Newline]
    ensures Written([], [Third]) == [Splice.OpenBrace, 50, Splice.CloseBrace, Newline]
  {
    assert Ended([First]) == First + [Newline] + Ended([]);
    assert Ended([Third]) == Third + [Newline] + Ended([]);
  }

  /** A write that was torn between the two of another writer spoils that one's first line: neither stands, and both are told. */
  lemma TornWriteSpoilsTheNext()
    ensures var own, other := Written([], [First]), Written([], [Third]);
            var tail := own[..1] + other;
            Look(own, tail).Lost? && Look(other, tail).Lost?
  {
    var own, other := Written([], [First]), Written([], [Third]);
    TwoWrites();
    var tail := own[..1] + other;
    assert tail == [Splice.OpenBrace, Splice.OpenBrace, 50, Splice.CloseBrace, Newline];
    hide *;
    reveal StandsAt;
    LookIsExact(own, tail);
    LookIsExact(other, tail);
    forall i: nat
      ensures !StandsAt(own, tail, i)
    {
      if i == 0 {
        assert tail[0..3][1] == tail[1];
      } else if i == 1 {
        assert tail[1..4][1] == tail[2];
      } else if i == 2 {
        assert tail[2..5][0] == tail[2];
      }
    }
    forall i: nat
      ensures !StandsAt(other, tail, i)
    {
      if i == 0 {
        assert tail[0..4][1] == tail[1];
      }
    }
  }

  /** Two lines are those of what they are joined to; an append ends a line that was not ended. */
  lemma LinesAndJoins()
    ensures AllOneLine([First, Second]) && Lines(JoinedLines([First, Second])) == [First, Second]
    ensures Lines(Append(First, [Second])) == [First, Second, []]
  {
    ThreeLines();
    assert OneLine(First) && OneLine(Second);
    LinesOfJoinAreTheLines([First, Second]);
    AppendAddsWholeLines(First, [Second]);
    OneLineIsItself(First);
    assert Begun(First) == [First];
    assert [First] + [Second] + [[]] == [First, Second, []];
  }

  /** A line of which a beginning counts may land as another one: here every line that is not empty counts. */
  lemma BeginningsThatCountAreRead()
    ensures var all := (line: Text) => true;
            !SelfDelimiting(all, First) && Read(all, Torn([], [First], 1)) == [[Splice.OpenBrace]]
  {
    var all := (line: Text) => true;
    assert all(First[..1]);
    assert Ended([First]) == First + [Newline] + Ended([]);
    var part := Torn([], [First], 1);
    assert part == [Splice.OpenBrace];
    OneLineIsItself(part);
    var none: seq<Text> := [part][1..];
    assert none == [];
    assert Held(all, [part]) == [part] + Held(all, none);
  }

  /** A file that does not only grow may be as long as it was, and another. */
  lemma AsLongIsNotTheSame()
    ensures |[Splice.Quote]| == |[Splice.Comma]| && [Splice.Quote] != [Splice.Comma]
  {
    assert [Splice.Quote][0] != [Splice.Comma][0];
  }

  /** A retry that knows nothing of the first try appends twice. */
  lemma RetryWithoutIdAppendsTwice()
    ensures Read(Objects, Append(Append([], [First]), [First])) == [First, First]
  {
    ThreeLines();
    assert First in [First, Second];
    assert AllSelfDelimiting(Objects, [First]);
    AppendReadsAsOldThenNew(Objects, [], [First]);
    AppendReadsAsOldThenNew(Objects, Append([], [First]), [First]);
    NothingReadsAsNothing(Objects);
  }

  /** A line that is no object, as damage; an empty line as such. */
  function ByBraces(line: Text): LineSort {
    if line == [] then Empty else if Objects(line) then AnEntry else Damaged
  }

  /** A file of an object and a torn end is sorted into one entry and one damaged line, and is written back as it was. */
  lemma ATornFileIsSorted()
    ensures var s := SortLines(ByBraces, First + [Newline] + [Splice.OpenBrace]);
            && s == Sorted([NumberedLine(0, First)], [], [NumberedLine(1, [Splice.OpenBrace])], [])
            && PutBack(s) == First + [Newline] + [Splice.OpenBrace]
  {
    var torn: Text := [Splice.OpenBrace];
    ThreeLines();
    assert First in [First, Second];
    assert OneLine(First) && OneLine(torn) && AllOneLine([First, torn]);
    LinesOfJoinAreTheLines([First, torn]);
    assert [First, torn][1..] == [torn];
    assert JoinedLines([First, torn]) == First + [Newline] + torn;
    assert [First, torn][..1] == [First] && [First][..0] == [];
    assert ByBraces(First) == AnEntry && ByBraces(torn) == Damaged;
    assert forall sort :: LinesOf(ByBraces, [First], sort) == if sort == AnEntry then [NumberedLine(0, First)] else [];
    forall sort
      ensures LinesOf(ByBraces, [First, torn], sort) ==
              if sort == AnEntry then [NumberedLine(0, First)] else if sort == Damaged then [NumberedLine(1, torn)] else []
    {
      assert LinesOf(ByBraces, [First, torn], sort) ==
             LinesOf(ByBraces, [First], sort) + if ByBraces(torn) == sort then [NumberedLine(1, torn)] else [];
    }
    PutBackIsTheFile(ByBraces, First + [Newline] + torn);
  }

  /** Who throws the damage away cannot write the file back: two files become one. */
  lemma WithoutItsDamageAFileIsAnother()
    ensures var s := SortLines(ByBraces, First + [Newline] + [Splice.OpenBrace]);
            PutBack(s.(damage := [])) == First
  {
    ATornFileIsSorted();
    assert [NumberedLine(0, First)] + [] + [] + [] == [NumberedLine(0, First)];
    assert LineWithNumber([NumberedLine(0, First)], 0) == First;
    assert seq(1, number requires 0 <= number < 1 => LineWithNumber([NumberedLine(0, First)], number)) == [First];
  }
}

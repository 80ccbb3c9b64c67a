// Chapter 21, examples: a thread with two worldlines that meets the preconditions of the proofs; and what goes wrong when nobody says
// which head is expected, when a snapshot is wrong, and when an event belongs to two worldlines.
include "01-Entries.Examples.dfy"
include "03-Ancestries.Proofs.dfy"
include "21-Worldlines.Fast.dfy"

module WorldlinesExamples {
  import opened Names
  import opened Entries
  import opened EntriesExamples
  import opened Ancestries
  import opened Worldlines
  import opened WorldlinesProofs
  import WorldlinesFast
  import EntriesProofs
  import AncestriesProofs

  /** The worldline that holds the chat. */
  function Main(): Worldline {
    Worldline(Name(10), None, [Name(0), Name(1)])
  }

  /** A thread with the chat alone. */
  ghost function One(): Thread {
    Thread(Chat(), [Main()])
  }

  /** What comes next. */
  function Next(): Entry {
    Asks(2, Some(1), [])
  }

  /** Something else that might come next. */
  function Other(): Entry {
    Asks(3, Some(1), [])
  }

  /** The names of this chapter differ. */
  lemma AllDiffer()
    ensures Name(0) != Name(1) && Name(0) != Name(2) && Name(0) != Name(3) && Name(1) != Name(2) && Name(1) != Name(3)
    ensures Name(2) != Name(3) && Name(10) != Name(11)
  {
    forall m: nat, n: nat | m != n
      ensures Name(m) != Name(n)
    {
      NamesDiffer(m, n);
    }
  }

  /** The chat is a sound thread. */
  lemma OneIsValid()
    ensures ValidThread(One())
    ensures Uuids(Chat()) == {Name(0), Name(1)}
    ensures Head(Main()) == Some(Name(1))
  {
    AllDiffer();
    ChatIsWellFormed();
    EntriesProofs.GetFindsEntry(Chat(), Chat()[0]);
    EntriesProofs.GetFindsEntry(Chat(), Chat()[1]);
    assert Chained(Chat(), Main());
    forall e | e in Chat()
      ensures Owned([Main()], e.uuid)
    {
      assert [Main()][0].own[0] == Name(0) && [Main()][0].own[1] == Name(1);
    }
  }

  /** The next prompt fits behind the chat. */
  lemma NextFits()
    ensures Fits(Chat(), Next()) && Next().parent == Head(Main())
    ensures Fits(Chat(), Other()) && Other().parent == Head(Main())
    ensures Next().uuid != Other().uuid
  {
    AllDiffer();
    OneIsValid();
  }

  /** How many events there were. */
  function Counted(): Reducer<nat> {
    (state: nat, e: Entry) => state + 1
  }

  /** A wrong snapshot gives a wrong state: restoring needs right ones. */
  lemma AWrongSnapshotShows()
    ensures WellFormed(Chat()) && Name(1) in Uuids(Chat())
    ensures !Right(Counted(), 0, Chat(), map[Name(0) := 7])
    ensures Restore(Counted(), 0, map[Name(0) := 7], Ancestry(Chat(), Name(1))) == 8
    ensures StateAt(Counted(), 0, Chat(), Name(1)) == 2
  {
    AllDiffer();
    OneIsValid();
    TheWays();
    assert Replay(Counted(), 0, [Prompt()]) == 1 by {
      assert [Prompt()][..0] == [];
    }
    var both := [Prompt(), Reply()];
    assert both[..1] == [Prompt()];
  }

  /** What is restored says what the last snapshot says, and not an earlier one: of the prompt and the answer the answer's, and of the
    * prompt's alone the events behind it are replayed. */
  lemma TheLastSnapshotCounts()
    ensures var way := [Prompt(), Reply()];
            && Restore(Counted(), 0, map[Name(0) := 7], way) == Replay(Counted(), 7, way[1..])
            && Restore(Counted(), 0, map[Name(0) := 7, Name(1) := 3], way) == 3
  {
    AllDiffer();
    TheWays();
    var way := [Prompt(), Reply()];
    RestoreGoesOnFromTheLastSnapshot(Counted(), 0, map[Name(0) := 7], way, 1);
    RestoreGoesOnFromTheLastSnapshot(Counted(), 0, map[Name(0) := 7, Name(1) := 3], way, 2);
    assert way[2..] == [];
  }

  /** The id of an event that is there stands for that event alone: another one with it is refused, whatever head is expected. A head
    * that is not there is stale, whether or not the event would fit. */
  lemma TheOrderOfWhatIsLookedAt()
    ensures AppendTo(One(), Name(10), Reply(), None).1 == Again
    ensures AppendTo(One(), Name(10), Reply().(version := 7), Some(Name(1))).1 == Refused
    ensures AppendTo(One(), Name(10), Next().(parent := Some(Name(3))), None).1 == Stale(None, Some(Name(1)))
    ensures AppendTo(One(), Name(10), Next().(parent := Some(Name(3))), Some(Name(1))).1 == Refused
  {
    AllDiffer();
    OneIsValid();
    TheWays();
    ChatIsWellFormed();
    assert Chat()[1] == Reply() && Chat()[1] in Chat();
    assert Main().own[1] == Name(1);
    AppendEndsExactly(One(), 0, Reply(), None);
    EntriesProofs.WellFormedHasUniqueUuids(Chat());
    EntriesProofs.GetFindsEntry(Chat(), Reply());
    FoundOnce(One().lines, 0, 0);
  }

  /** The ways through the chat. */
  lemma TheWays()
    ensures WellFormed(Chat()) && Name(0) in Uuids(Chat()) && Name(1) in Uuids(Chat())
    ensures Ancestry(Chat(), Name(0)) == [Prompt()]
    ensures Ancestry(Chat(), Name(1)) == [Prompt(), Reply()]
    ensures Prompt().uuid == Name(0) && Reply().uuid == Name(1)
  {
    AllDiffer();
    OneIsValid();
    ChatIsWellFormed();
    AncestriesProofs.AncestryUnfolds(Chat(), Name(0));
    AncestriesProofs.AncestryUnfolds(Chat(), Name(1));
  }

  /** An event that two worldlines hold is no sound thread: who appended it is not said. */
  lemma SharedEventsAreNotSound()
    ensures !ValidThread(Thread(Chat(), [Main(), Worldline(Name(11), None, [Name(0)])]))
  {
    var lines := [Main(), Worldline(Name(11), None, [Name(0)])];
    assert lines[1].own[0] == Name(0) && lines[0].own[0] == Name(0);
    assert Name(0) in lines[1].own && Name(0) in lines[0].own;
    assert !Apart(lines[1], lines[0]);
  }

  /** Whoever appends without an expectation takes what is there for it: then both of two appends are taken, and the second writer has
    * not seen the first one's event. */
  lemma WhoExpectsWhatIsThereNeverFails()
    ensures ValidThread(One())
    ensures var after := AppendTo(One(), Name(10), Next(), Head(One().lines[0])).0;
            |after.lines| == 1
            && AppendTo(after, Name(10), Other().(parent := Head(after.lines[0])), Head(after.lines[0])).1.Taken?
  {
    AllDiffer();
    OneIsValid();
    NextFits();
    FittingAppendIsTaken(One(), 0, Next());
    var after := AppendTo(One(), Name(10), Next(), Head(One().lines[0])).0;
    AppendKeepsThreadsValid(One(), Name(10), Next(), Head(Main()));
    WellFormedWithOneMore(Chat(), Next());
    FittingAppendIsTaken(after, 0, Other().(parent := Head(after.lines[0])));
  }

  /** The theorems apply to the thread. */
  lemma TheoremsApplyToTheThread()
  {
    AllDiffer();
    OneIsValid();
    NextFits();
    TheWays();
    hide *;
    var t, id, head := One(), Name(10), Some(Name(1));
    assert |t.lines| == 1 && t.lines[0] == Main() && Main().id == id && t.log == Chat() && |Main().own| == 2 by {
      reveal One, Main;
    }
    FoundOnce(t.lines, 0, 0) by {
      reveal ValidThread;
    }
    OwnerIsTheOne(t.lines, 0, Name(0), 0) by {
      reveal ValidThread, Main;
    }
    AppendKeepsThreadsValid(t, id, Next(), head);
    OwnEventsAreInTheLog(t, 0, Name(0)) by {
      reveal ValidThread;
    }
    WellFormedWithOneMore(Chat(), Next());
    ChainedWithOneMore(Chat(), Next(), Main()) by {
      reveal ValidThread, AllChained;
    }
    ChainGrows(Chat(), Next(), Main()) by {
      reveal ValidThread, AllChained;
    }
    BranchKeepsThreadsValid(t, Name(11), Some(Name(0)));
    ChangesKeepThreadsValid(t, []);
    StaleAppendChangesNothing(t, 0, Next(), None) by {
      reveal Fits;
    }
    AppendEndsExactly(t, 0, Next(), None);
    FittingAppendIsTaken(t, 0, Next());
    OneOfTwoAppendsIsTaken(t, 0, Next(), Other());
    HeadIsInTheLog(t, 0);
    RetryAppendsOnce(t, id, Next(), head, []);
    StandsInWhatGoesOn(t, t, 0, Reply()) by {
      reveal GoesOn, Main;
      assert Chat()[1] in Chat() by {
        reveal Chat;
      }
      assert Main().own[1] == Name(1) && Chat()[1] == Reply() by {
        ChatIsWellFormed();
      }
    }
    BranchLeavesAllUntouched(t, Name(11), Name(0)) by {
      reveal Find;
    }
    RetryBranchesOnce(t, Name(11), Some(Name(0)), [], None) by {
      reveal Find;
    }
    PlaceIsTheOne(t.lines, 0, 0) by {
      reveal ValidThread;
    }
    WalkUnfolds(Chat(), Name(1));
    assert AllRooted(t.lines) by {
      reveal ValidThread;
    }
    TimelineUnfolds(t.lines, 0, 2);
    TimelineBegins(t.lines, 0);
    TimelineIsTheWalk(t, 0, 2);
    GoesOnIsTransitive(t, t, t) by {
      reveal GoesOn;
    }
    TimelineIsTheWalkFromTheHead(t, 0);
    OldTimelinesStay(t, t, 0, 2) by {
      reveal GoesOn;
    }
    OthersDoNotShow(t, Branching(Name(11), Some(Name(0))), 0);
    RestoreIsReplay(Counted(), 0, Chat(), map[], Name(1)) by {
      reveal Right;
    }
    NothingSnappedIsRight(Counted(), 0, Chat(), map[]);
    SnapshotsStayRight(Counted(), 0, Chat(), 2, map[]) by {
      reveal Right, Chat;
      assert Chat()[..2] == Chat();
    }
  }

  /** A thread without worldlines and events is sound, and its snapshots are right. */
  lemma AnEmptyThreadIsSound()
    ensures ValidThread(Thread([], []))
    ensures Right(Counted(), 0, [], map[])
  {
  }

  /** A worldline of an id, from nothing. */
  function From(n: nat, own: seq<Id>): Worldline {
    Worldline(Name(n), None, own)
  }

  /** What a sound thread is has parts of which none follows from another. */
  lemma ThePartsStandForThemselves()
    ensures AllChained([], [Worldline(Name(1), Some(Origin(5, Name(0))), [])])
    ensures !AllRooted([Worldline(Name(1), Some(Origin(5, Name(0))), [])])
    ensures Owned([From(1, [Name(0)]), From(1, [])], Name(0)) && !UniqueIds([From(1, [Name(0)]), From(1, [])])
    ensures OwnedOnce([From(1, []), From(1, [])]) && !UniqueIds([From(1, []), From(1, [])])
    ensures UniqueIds([From(1, [Name(0)]), From(2, [Name(0)])]) && !OwnedOnce([From(1, [Name(0)]), From(2, [Name(0)])])
  {
    AllDiffer();
    var lines := [From(1, [Name(0)]), From(1, [])];
    assert lines[0].own[0] == Name(0);
    assert lines[0].id == lines[1].id;
    var same := [From(1, []), From(1, [])];
    assert same[0].id == same[1].id;
    var both := [From(1, [Name(0)]), From(2, [Name(0)])];
    assert both[0].own[0] == Name(0) && both[1].own[0] == Name(0);
    assert Name(0) in both[0].own && Name(0) in both[1].own;
    assert !Apart(both[0], both[1]);
    var lost := [Worldline(Name(1), Some(Origin(5, Name(0))), [])];
    assert !Rooted(lost, 0);
  }

  /** An event of another worldline is refused: it does not come again. */
  lemma AnEventOfAnotherIsRefused()
    ensures AppendTo(Thread(Chat(), [Main(), From(11, [])]), Name(11), Prompt(), None).1 == Refused
  {
    AllDiffer();
    OneIsValid();
    TheWays();
    var lines := [Main(), From(11, [])];
    assert Find(lines, Name(11), 2) == None && Find(lines, Name(11), 1) == Some(1) && Find(lines, Name(11), 0) == Some(1);
  }

  // --- Histories ---

  /** Two appends, a look at once with the first, and a look behind both. */
  function Reports(): seq<Report> {
    [Went(0, 2, 1, 3), Saw(0, 2, 2), Went(2, 3, 4, 4), Saw(3, 5, 6)]
  }

  /** They agree. */
  lemma TheyAgree()
    ensures AnsweredLater(Reports())
    ensures ConsistentReports(3, Reports())
  {
  }

  /** The theorems apply to them. */
  lemma TheoremsApplyToReports()
  {
    TheyAgree();
    hide ConsistentReports, AnsweredLater, Explained;
    ReportsAreExplainedWhenConsistent(3, Reports());
    ConsistentReportsAreExplained(3, Reports());
    ExplainedReportsAreConsistent(3, Reports());
    var step := LastCall(Reports()) + 1;
    assert |Reports()| == 4;
    MomentsAreInOrder(3, Reports(), step, 1, 2);
    HappensThere(3, Reports(), step, 0);
    NoAppendIsHalfDone(3, Reports(), 0, 0);
  }

  /** So do those on how many own events there are at a moment. */
  lemma TheoremsApplyToMoments()
  {
    TheyAgree();
    hide ConsistentReports, AnsweredLater, Explained;
    var step := LastCall(Reports()) + 1;
    assert |Reports()| == 4;
    SpanEndIs(3, Reports(), 0, 1);
    SpanEndIncreases(3, Reports(), 1, 2);
    GateIncreases(3, Reports(), step, 1, 2);
    CountAtIs(3, Reports(), step, 3, 0, 0);
    CountIncreases(Reports(), step, 3, 1, 2);
    MoreSteps(1, 2, step);
    var count: nat -> nat := (x: nat) => if x < 3 then x else 3;
    LaterMoments(3, count, 1, 2);
  }

  /** And those of the algorithm. */
  lemma TheoremsApplyToHolders()
  {
    WorldlinesFast.TwoHoldersDisagree(Went(0, 2, 0, 0), Went(1, 3, 0, 0), 2);
    WorldlinesFast.OneHolderAgrees(3, Reports(), [4, 0, 0, 2], 0, 2);
  }

  /** A look that finds less than an append left that was answered before has no explanation. */
  lemma AStaleLookIsNotExplained()
    ensures !Explained(1, [Went(0, 1, 0, 1), Saw(0, 2, 3)])
  {
    var reports := [Went(0, 1, 0, 1), Saw(0, 2, 3)];
    ReportsAreExplainedWhenConsistent(1, reports);
    assert !ReportsAgree(reports[1], reports[0]);
  }

  /** Two appends behind one head have none, whenever they were called. */
  lemma ALostUpdateIsNotExplained(a: nat, b: nat)
    ensures !Explained(2, [Went(0, 1, a, a), Went(0, 2, b, b)])
  {
    var reports := [Went(0, 1, a, a), Went(0, 2, b, b)];
    ReportsAreExplainedWhenConsistent(2, reports);
    assert !ReportsAgree(reports[0], reports[1]);
  }

  /** Nor has a look at half of an append. */
  lemma HalfAnAppendIsNotExplained()
    ensures !Explained(2, [Went(0, 2, 0, 9), Saw(1, 0, 9)])
  {
    var reports := [Went(0, 2, 0, 9), Saw(1, 0, 9)];
    ReportsAreExplainedWhenConsistent(2, reports);
    assert !ReportsAgree(reports[0], reports[1]);
  }
}

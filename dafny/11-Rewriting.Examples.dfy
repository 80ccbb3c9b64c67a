// Chapter 11, examples: spans that may be dropped, and why each part of the check at run time is there.
include "05-Balance.Examples.dfy"
include "11-Rewriting.Proofs.dfy"

module RewritingExamples {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened EntriesExamples
  import opened Ancestries
  import opened AncestriesProofs
  import opened Contexts
  import opened ContextsProofs
  import opened ContextsExamples
  import opened Balance
  import opened BalanceProofs
  import opened BalanceExamples
  import opened ForksProofs
  import opened Rewriting
  import opened RewritingProofs

  // --- Witnesses ---

  /** Two prompts and two replies. */
  opaque ghost function Talk(): Log {
    [Prompt(), Reply(), Asks(2, Some(1), []), Speaks(3, Some(2), 3, [])]
  }

  /** What is said in the middle: a reply, and the next prompt. */
  function Middle(): set<Id> {
    {Name(1), Name(2)}
  }

  /** A summary. */
  function Summed(): Entry {
    Plain(9, None, Summary, None, [])
  }

  /** The entries of a talk. */
  lemma TalkIsWellFormed()
    ensures |Talk()| == 4 && Talk()[0] == Prompt() && Talk()[1] == Reply()
    ensures Talk()[2] == Asks(2, Some(1), []) && Talk()[3] == Speaks(3, Some(2), 3, [])
    ensures WellFormed(Talk()) && UniqueUuids(Talk())
    ensures Uuids(Talk()) == {Name(0), Name(1), Name(2), Name(3)}
    ensures Name(3) !in Middle() && Name(0) !in Middle() && Summed().uuid !in Uuids(Talk())
    ensures Balanced(Talk())
  {
    hide WellFormed, Uuids, Balanced, UniqueUuids;
    reveal Talk();
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(0, 3);
    NamesDiffer(1, 2);
    NamesDiffer(1, 3);
    NamesDiffer(2, 3);
    NamesDiffer(0, 9);
    NamesDiffer(1, 9);
    NamesDiffer(2, 9);
    NamesDiffer(3, 9);
    FourInLine(Prompt(), Reply(), Asks(2, Some(1), []), Speaks(3, Some(2), 3, []));
  }

  /** Four silent entries, each on the one before it. */
  lemma FourInLine(a: Entry, b: Entry, c: Entry, d: Entry)
    requires a.uuid != b.uuid && c.uuid !in {a.uuid, b.uuid} && d.uuid !in {a.uuid, b.uuid, c.uuid}
    requires a.parent.None? && b.parent == Some(a.uuid) && c.parent == Some(b.uuid) && d.parent == Some(c.uuid)
    requires a.blocks == [] && b.blocks == [] && c.blocks == [] && d.blocks == []
    ensures WellFormed([a, b, c, d]) && UniqueUuids([a, b, c, d])
    ensures Uuids([a, b, c, d]) == {a.uuid, b.uuid, c.uuid, d.uuid}
    ensures Balanced([a, b, c, d])
  {
    hide Balanced, WellFormed, UniqueUuids;
    OfOne(a);
    OfTwo(a, b);
    OfThree(a, b, c);
    OfFour(a, b, c, d);
    SilenceIsBalanced([a, b, c, d]);
  }

  /** The middle of a talk meets the check at run time: it lies between two cuts, is whole and rooted, and nothing gets lost
    * with it. */
  lemma MiddleMayBeDropped()
    ensures WellFormed(Talk()) && UniqueUuids(Talk()) && Balanced(Talk()) && Sound(Talk())
    ensures IsCut(Talk(), 1) && IsCut(Talk(), 3) && Span(Talk(), 1, 3) == Middle()
    ensures Whole(Talk(), Middle()) && WholeForTools(Talk(), Middle()) && Rooted(Talk(), Middle())
    ensures Name(3) in Uuids(Talk()) && Name(3) !in Middle()
    ensures Exits(Talk(), Middle(), Name(3))
    ensures Whole(Context(Talk(), Name(3)), Middle()) && Rooted(Context(Talk(), Name(3)), Middle())
    ensures Legal(Talk(), Name(3)) && Resumable(Talk(), Name(3)) && Settled(Talk(), Name(3))
    ensures !(Uuids(Talk()) !! Middle()) && Summed().uuid !in Uuids(Talk())
    ensures forall b | b in Summed().blocks :: b.Opaque?
  {
    TalkIsWellFormed();
    var log := Talk();
    MiddleLiesBetweenCuts();
    SpanBetweenCutsIsWhole(log, 1, 3);
    WholeIsWholeForTools(log, Middle());
    MiddleIsRooted();
    WholeAndRootedInContext(log, Middle(), Name(3));
    WholeAndRootedHasExits(log, Middle(), Name(3));
    TalkEndsLegally();
    assert Name(1) in Uuids(log) * Middle();
  }

  /** The first and the third place are cuts. */
  lemma MiddleLiesBetweenCuts()
    ensures |Talk()| == 4
    ensures IsCut(Talk(), 1) && IsCut(Talk(), 3) && Span(Talk(), 1, 3) == Middle()
  {
    TalkIsWellFormed();
    var log := Talk();
    NamesDiffer(0, 3);
    SilenceIsBalanced(log[..1]);
    SilenceIsBalanced(log[..3]);
    assert log[1..3] == [log[1], log[2]];
    NamesDiffer(1, 2);
    OfTwo(log[1], log[2]);
    assert forall i, j | 0 <= i < j < 4 :: !Mates(log[i], log[j]);
  }

  /** The second entry of the middle continues the first. */
  lemma MiddleIsRooted()
    ensures Rooted(Talk(), Middle())
  {
    TalkIsWellFormed();
    var log := Talk();
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(3, 1);
    NamesDiffer(3, 2);
    assert log == [log[0], log[1], log[2]] + [log[3]];
    KeepFromThree(log[0], log[1], log[2], Middle());
    KeepOfLast([log[0], log[1], log[2]], log[3], Middle());
    assert Keep(log, Middle()) == [log[1], log[2]];
  }

  /** The whole talk is the conversation at its end. */
  lemma TalkEndsLegally()
    ensures Name(3) in Uuids(Talk())
    ensures Legal(Talk(), Name(3)) && Resumable(Talk(), Name(3)) && Settled(Talk(), Name(3))
    ensures Context(Talk(), Name(3)) == Talk()
  {
    TalkIsWellFormed();
    var log := Talk();
    MembersContainsItself(log, Name(3));
    assert log[0] in log && log[1] in log && log[2] in log && log[3] in log;
    ParentIsMember(log, Name(3), log[3], log[2]);
    ParentIsMember(log, Name(3), log[2], log[1]);
    ParentIsMember(log, Name(3), log[1], log[0]);
    MembersAreAsOf(log, Name(3));
    WholeLogIsLegal(log, Name(3));
  }

  /** A summary is tied to nothing, and the conversation at the end of a talk has the middle in it. */
  lemma SummaryIsTiedToNothing()
    ensures forall b | b in Talk() :: !Tied(Summed(), b) && !Tied(b, Summed())
    ensures Name(3) in Uuids(Talk()) && !(Members(Talk(), Name(3)) !! Middle())
  {
    hide Members;
    TalkIsWellFormed();
    TalkEndsLegally();
    SilentEntry(Summed());
    ContextHoldsExactlyTheMembers(Talk(), Name(3));
    assert Name(1) in Uuids(Talk()) * Middle();
  }

  /** The conversation at the first prompt has nothing of the middle. */
  lemma NothingOfTheMiddleAtTheStart()
    ensures Name(0) in Uuids(Talk()) && Whole(Talk(), Middle())
    ensures Members(Talk(), Name(0)) !! Middle()
    ensures Summed().uuid !in Uuids(Talk()) && forall b | b in Talk() :: !Tied(Summed(), b) && !Tied(b, Summed())
  {
    hide Members;
    TalkIsWellFormed();
    MiddleMayBeDropped();
    SummaryIsTiedToNothing();
    MembersAreAsOf(Talk(), Name(0));
    IndexOfIsPosition(Talk(), 0);
    assert AsOf(Talk(), Name(0)) == [Talk()[0]];
    assert Uuids([Talk()[0]]) == {Name(0)};
  }

  /** A sub-agent `c`, a root of its own that `b` called: if `a` alone is covered, neither is hidden. */
  lemma ASubAgentIsCalled(a: Entry, b: Entry, c: Entry)
    requires a.uuid != b.uuid && c.uuid !in {a.uuid, b.uuid}
    requires a.parent.None? && b.parent == Some(a.uuid) && c.parent.None?
    ensures var log, callers := [a, b, c], map[c.uuid := b.uuid];
            && WellFormed(log)
            && c.uuid in Uuids(log) && a.uuid in Uuids(log)
            && Get(log, c.uuid).parent.None? && Get(log, a.uuid).parent.None?
            && c.uuid in Thread(log, c.uuid)
            && callers[c.uuid] !in WithThreads(log, callers, {a.uuid})
            && Thread(log, c.uuid) !! {a.uuid}
            && NoneRuns(log, callers, {c.uuid}, {a.uuid}) && !NoneRuns(log, callers, {c.uuid}, {b.uuid})
  {
    hide Thread, WellFormed, Uuids;
    var log, callers := [a, b, c], map[c.uuid := b.uuid];
    OfOne(a);
    OfTwo(a, b);
    OfThree(a, b, c);
    AncestryEndsInItself(log, c.uuid);
    AncestryEndsInItself(log, a.uuid);
    assert c.uuid in Thread(log, c.uuid) && a.uuid in Thread(log, a.uuid) by {
      reveal Thread;
    }
    ThreadsOfRootsAreDisjoint(log, a.uuid, c.uuid);
    SubAgentsAreHiddenWithTheirTurn(log, callers, {a.uuid});
    RunningSubAgentsAreNotHidden(log, callers, {c.uuid}, {b.uuid}, c.uuid);
    NoneRunsExactly(log, callers, {c.uuid}, {b.uuid});
  }

  /** There are such entries. */
  lemma ATurnAndASubAgent()
    ensures var a, b, c := Asks(0, None, []), Speaks(1, Some(0), 8, []), Asks(2, None, []);
            && a.uuid != b.uuid && c.uuid !in {a.uuid, b.uuid}
            && a.parent.None? && b.parent == Some(a.uuid) && c.parent.None?
  {
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
  }

  /** A prefix with one root, and one with two that is continued below the second: what the conditions of compaction ask for. */
  lemma PrefixesMayHaveOneRootOrTwo()
    ensures WellFormed(Talk()) && 0 < 2 <= |Talk()| && OneRoot(Talk(), 2)
    ensures var log, e := [Asks(0, None, []), Asks(1, None, [])], Asks(2, Some(1), []);
            WellFormed(log) && log[1].parent.None? && Fits(log, e) && e.parent == Some(log[1].uuid)
  {
    TalkIsWellFormed();
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    OfOne(Asks(0, None, []));
    OfTwo(Asks(0, None, []), Asks(1, None, []));
  }

  /** Two disjoint spans and two stubs. */
  lemma SpansMayBeDisjoint()
    ensures var x, y := Summed(), Plain(8, None, Summary, None, []);
            && {Name(1)} !! {Name(2)}
            && x.uuid != y.uuid
            && x.uuid !in Uuids(Talk()) && x.uuid !in {Name(2)}
            && y.uuid !in Uuids(Talk()) && y.uuid !in {Name(1)}
  {
    TalkIsWellFormed();
    forall i | 0 <= i < 8 ensures Name(i) != Name(8) {
      NamesDiffer(i, 8);
    }
    NamesDiffer(8, 9);
    NamesDiffer(1, 2);
  }

  /** The theorems about drops apply to the talk and its middle, to sub-agents, and to parallel calls. */
  lemma TheoremsOfDropsApply()
  {
    hide *;
    TalkIsWellFormed();
    MiddleMayBeDropped();
    SummaryIsTiedToNothing();
    var log, ids, u := Talk(), Middle(), Name(3);
    AncestryAfterDrop(log, ids, u);
    DropAddsNoMembers(log, ids, u);
    DropBetweenCutsKeepsBalance(log, 1, 3);
    DropHoldsExactlyTheRest(log, ids);
    DropOfDropIsDropOfUnion(log, ids, {u});
    DropOfNothingIsTheLog(log, {Summed().uuid});
    DropsCommute(log, ids, {u});
    EachEntryHasItsStep(log, 1, 3);
    HeirIsNearestSurvivingAncestor(log, ids, Name(2));
    var p, a, c, s := Asks(0, None, []), Speaks(1, Some(0), 8, []), Asks(2, None, []), Asks(3, Some(0), []);
    ATurnASubAgentAndWhatGoesOn();
    ASubAgentIsHiddenBeside(p, a, c, s);
    HiddenThreadsChangeNoContextBeside([p, a, c, s], map[c.uuid := a.uuid], {a.uuid}, s.uuid);
    LegalAfterDropExactly(log, ids, u);
    var r, x := Asks(1, None, []), Asks(2, Some(1), []);
    ASubAgentSaysMore();
    RunningSubAgentMayBeGutted(p, r, x);
    PromotedKeepsContextExactly([p, r, x], r.uuid, x.uuid);
    PromotedKeepsItsOwn([p, r, x], r.uuid, x.uuid);
    StubRuleExactly(log, ids, Notes({}, map[Name(3) := {Name(1)}], {Name(3)}));
    ParallelCallsMayBeDropped();
    var w, v, y, z :=
      Speaks(0, None, 7, [Use(Name(8))]), Speaks(1, Some(0), 7, [Use(Name(9))]), Asks(2, Some(0), [Result(Name(8))]),
      Asks(3, Some(1), [Result(Name(9))]);
    var calls := [w, v, y, z, Speaks(4, Some(3), 6, [])];
    WholeDropTakesItsCallsOut(calls, {Name(0), Name(2)});
    LegalPointsOutsideStayLegal(calls, {Name(0), Name(1), Name(2), Name(3)}, Name(4));
  }

  /** A root after a prompt, and what continues the root. */
  lemma ASubAgentSaysMore()
    ensures var a, r, x := Asks(0, None, []), Asks(1, None, []), Asks(2, Some(1), []);
            && a.uuid != r.uuid && x.uuid !in {a.uuid, r.uuid}
            && a.parent.None? && r.parent.None? && x.parent == Some(r.uuid)
            && r.uuid in Uuids([a, r, x]) && Get([a, r, x], r.uuid).parent.None?
  {
    var a, r, x := Asks(0, None, []), Asks(1, None, []), Asks(2, Some(1), []);
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    assert [a, r, x][1] == r;
  }

  /** Two calls of one message with their answers, of which no books are out. */
  lemma ParallelCallsAreSound()
    ensures var a, b, c, d :=
              Speaks(0, None, 7, [Use(Name(8))]), Speaks(1, Some(0), 7, [Use(Name(9))]), Asks(2, Some(0), [Result(Name(8))]),
              Asks(3, Some(1), [Result(Name(9))]);
            var log, ids := [a, b, c, d, Speaks(4, Some(3), 6, [])], {Name(0), Name(1), Name(2), Name(3)};
            && WellFormed(log) && Sound(log) && Legal(log, Name(4))
            && Name(4) in Uuids(log) && Name(4) !in ids
  {
    hide WellFormed, Legal, Uuids, Sound;
    var a, b, c, d, e :=
      Speaks(0, None, 7, [Use(Name(8))]), Speaks(1, Some(0), 7, [Use(Name(9))]), Asks(2, Some(0), [Result(Name(8))]),
      Asks(3, Some(1), [Result(Name(9))]), Speaks(4, Some(3), 6, []);
    var log, ids := [a, b, c, d, e], {Name(0), Name(1), Name(2), Name(3)};
    AParallelLogExists();
    ParallelBooks(log, a, b, c, d, e);
    BareAncestryIsUnbalanced(log, a, b, c, d, e);
    forall m, n | 0 <= m < n <= 9 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    OneUse(a, Name(8));
    OneUse(b, Name(9));
    OneResult(c, Name(8));
    OneResult(d, Name(9));
    SilentEntry(e);
    assert ToolsOf(a) == ToolsOf(c) == {Name(8)} && ToolsOf(b) == ToolsOf(d) == {Name(9)} && ToolsOf(e) == {};
    hide ToolsOf, UsesOf, ResultsOf, IsParallel;
    assert Sound(log) by {
      reveal Sound;
    }
  }

  /** Two calls of one message with their answers: one of them may go with its answer as far as the books are asked, and all
    * four may go. */
  lemma ParallelCallsMayBeDropped()
    ensures var a, b, c, d :=
              Speaks(0, None, 7, [Use(Name(8))]), Speaks(1, Some(0), 7, [Use(Name(9))]), Asks(2, Some(0), [Result(Name(8))]),
              Asks(3, Some(1), [Result(Name(9))]);
            var log, ids := [a, b, c, d, Speaks(4, Some(3), 6, [])], {Name(0), Name(1), Name(2), Name(3)};
            && WellFormed(log) && Sound(log) && Legal(log, Name(4))
            && WholeForTools(log, {Name(0), Name(2)})
            && Whole(log, ids) && Rooted(log, ids)
            && Name(4) in Uuids(log) && Name(4) !in ids
  {
    hide WellFormed, Legal, Uuids, Sound;
    var a, b, c, d, e :=
      Speaks(0, None, 7, [Use(Name(8))]), Speaks(1, Some(0), 7, [Use(Name(9))]), Asks(2, Some(0), [Result(Name(8))]),
      Asks(3, Some(1), [Result(Name(9))]), Speaks(4, Some(3), 6, []);
    ParallelCallsAreSound();
    forall m, n | 0 <= m < n <= 9 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    OneUse(a, Name(8));
    OneUse(b, Name(9));
    OneResult(c, Name(8));
    OneResult(d, Name(9));
    SilentEntry(e);
    assert ToolsOf(a) == ToolsOf(c) == {Name(8)} && ToolsOf(b) == ToolsOf(d) == {Name(9)} && ToolsOf(e) == {};
    hide ToolsOf, UsesOf, ResultsOf;
    var log, ids := [a, b, c, d, e], {Name(0), Name(1), Name(2), Name(3)};
    var four: Log := [a, b, c, d];
    assert log == four + [e] && log[..4] == four;
    assert Uuids(four) <= ids by {
      reveal Uuids;
    }
    KeepingAllIsTheLog(four, ids);
    assert Keep(log, ids) == four;
  }

  /** The theorems about stubs and compaction apply to them and to a summary. */
  lemma TheoremsOfStubsApply()
  {
    hide *;
    TalkIsWellFormed();
    MiddleMayBeDropped();
    SummaryIsTiedToNothing();
    NothingOfTheMiddleAtTheStart();
    PrefixesMayHaveOneRootOrTwo();
    SpansMayBeDisjoint();
    var log, ids, stub, u := Talk(), Middle(), Summed(), Name(3);
    CompactHoldsExactlyTheRest(log, 2, stub);
    CompactIsDropOfOneRootedPrefix(log, 2, stub);
    CompactIsDropOfPrefixExactly(log, 2, stub);
    CompactIsWellFormed(log, 2, stub);
    ContextAfterDropWithStub(log, ids, stub, u);
    ContextBesideStub(log, ids, stub, Name(0));
    DropsWithStubsCommute(log, {Name(1)}, stub, {Name(2)}, Plain(8, None, Summary, None, []));
    LegalPointsStayLegalWithStub(log, ids, stub, u);
    SilentStubKeepsBooks(log, ids, stub);
    FirstIsThere(log, ids);
    StubStandsInPlace(log, ids, stub);
    var two, e := [Asks(0, None, []), Asks(1, None, [])], Asks(2, Some(1), []);
    assert WellFormed(two + [e]) by {
      reveal WellFormed;
    }
    assert two + [e] == [two[0], two[1], e] && (two + [e])[1] == two[1] && (two + [e])[2..] == [e];
    assert e in [e] by {
      assert [e][0] == e;
    }
    SecondRootIsLostAnywhere(two + [e], 2, stub, 1, e);
  }

  /** A span that holds an entry of the log has a first one. */
  lemma FirstIsThere(log: Log, ids: set<Id>)
    requires !(Uuids(log) !! ids)
    ensures First(log, ids).Some?
    decreases |log|
  {
    if |log| > 0 {
      var before := log[..|log| - 1];
      assert log == before + [log[|log| - 1]];
      if !(Uuids(before) !! ids) {
        FirstIsThere(before, ids);
      }
    }
  }

  /** The theorems about sub-agents apply to a turn that called one. */
  lemma TheoremsOfSubAgentsApply(a: Entry, b: Entry, c: Entry)
    requires a.uuid != b.uuid && c.uuid !in {a.uuid, b.uuid}
    requires a.parent.None? && b.parent == Some(a.uuid) && c.parent.None?
  {
    hide *;
    ASubAgentIsCalled(a, b, c);
    var log, callers, root := [a, b, c], map[c.uuid := b.uuid], c.uuid;
    RunningSubAgentsAreLeftWhole(log, callers, {root}, {a.uuid}, root);
    SubAgentsOfSurvivorsSurvive(log, callers, {a.uuid}, root);
  }

  // --- Why a span must be rooted ---

  /** Whole alone is too weak. `y1` and `y2` are parts of one message, and only `y2` hangs on `x`; the end `s` hangs on `y1`,
    * which hangs on `r`. */
  ghost predicate IsLoop(log: Log, r: Entry, x: Entry, y2: Entry, y1: Entry, s: Entry) {
    && log == [r, x, y2, y1, s]
    && WellFormed(log)
    && (forall e | e in log :: e.blocks == [])
    && r.parent.None? && x.parent == Some(r.uuid) && y2.parent == Some(x.uuid)
    && y1.parent == Some(r.uuid) && s.parent == Some(y1.uuid)
    && r.kind.User? && x.kind.User? && s.kind.User? && Mates(y1, y2)
  }

  /** There is such a log. */
  lemma ALoopExists()
    ensures var r, x, y2 := Asks(0, None, []), Asks(1, Some(0), []), Speaks(2, Some(1), 7, []);
            var y1, s := Speaks(3, Some(0), 7, []), Asks(4, Some(3), []);
            IsLoop([r, x, y2, y1, s], r, x, y2, y1, s)
  {
    var r, x, y2 := Asks(0, None, []), Asks(1, Some(0), []), Speaks(2, Some(1), 7, []);
    var y1, s := Speaks(3, Some(0), 7, []), Asks(4, Some(3), []);
    forall i, j | 0 <= i < j <= 4 ensures Name(i) != Name(j) {
      NamesDiffer(i, j);
    }
    OfOne(r);
    OfTwo(r, x);
    OfThree(r, x, y2);
    OfFour(r, x, y2, y1);
    OfFive(r, x, y2, y1, s);
  }

  /** To drop the message, a whole span, loses `x`, which is not covered: before the drop it is in the context, after it it is
    * not. */
  lemma WholeAloneLosesASurvivor(log: Log, r: Entry, x: Entry, y2: Entry, y1: Entry, s: Entry)
    requires IsLoop(log, r, x, y2, y1, s)
    ensures var ids := {y1.uuid, y2.uuid};
            && s.uuid in Uuids(log) && s.uuid !in ids && s.uuid in Uuids(Drop(log, ids))
            && Whole(log, ids) && Balanced(log)
            && x.uuid in Members(log, s.uuid) && x.uuid !in ids
            && x.uuid !in Members(Drop(log, ids), s.uuid)
            && !Exits(log, ids, s.uuid)
            && !Rooted(log, ids)
            && Context(Drop(log, ids), s.uuid) != Drop(Context(log, s.uuid), ids)
  {
    hide Drop, Heir, Members, Context, Rooted, Keep, Exits;
    var ids := {y1.uuid, y2.uuid};
    LoopInWords(log, r, x, y2, y1, s);
    LoopHoldsX(log, r, x, y2, y1, s);
    LoopIsWhole(log, r, x, y2, y1, s);
    LoopWithoutMessage(log, r, x, y2, y1, s);
    SilenceIsBalanced(log);
    SurvivorIsThere(log, ids, s.uuid);
    MembersAreLeast(Drop(log, ids), s.uuid, {r.uuid, s.uuid}) by {
      AsOfAfterDrop(log, ids, s.uuid);
    }
    ContextAfterDropExactly(log, ids, s.uuid);
    if Rooted(log, ids) {
      WholeAndRootedInContext(log, ids, s.uuid);
      WholeAndRootedHasExits(log, ids, s.uuid);
    }
  }

  /** What a loop is, entry by entry. */
  lemma LoopInWords(log: Log, r: Entry, x: Entry, y2: Entry, y1: Entry, s: Entry)
    requires IsLoop(log, r, x, y2, y1, s)
    ensures WellFormed(log) && UniqueUuids(log)
    ensures s.uuid in Uuids(log) && AsOf(log, s.uuid) == log
    ensures Get(log, y1.uuid) == y1 && y1.uuid in Uuids(log)
    ensures s.uuid !in {r.uuid, x.uuid, y1.uuid, y2.uuid} && r.uuid !in {x.uuid, y1.uuid, y2.uuid}
    ensures x.uuid !in {y1.uuid, y2.uuid} && y1.uuid != y2.uuid
    ensures forall e :: e in log <==> e in {r, x, y2, y1, s}
  {
    WellFormedHasUniqueUuids(log);
    assert log[0] == r && log[1] == x && log[2] == y2 && log[3] == y1 && log[4] == s;
    IndexOfIsPosition(log, 4);
    IndexOfIsPosition(log, 3);
    assert log[..5] == log;
  }

  /** The parts of the message, and what they hang on, belong to the conversation. */
  lemma LoopHoldsX(log: Log, r: Entry, x: Entry, y2: Entry, y1: Entry, s: Entry)
    requires IsLoop(log, r, x, y2, y1, s)
    ensures s.uuid in Uuids(log)
    ensures x.uuid in Members(log, s.uuid)
  {
    LoopInWords(log, r, x, y2, y1, s);
    MembersContainsItself(log, s.uuid);
    WhatMembersNeedIsMember(log, s.uuid, s, y1);
    WhatMembersNeedIsMember(log, s.uuid, y1, y2);
    WhatMembersNeedIsMember(log, s.uuid, y2, x);
  }

  /** The message is whole. */
  lemma LoopIsWhole(log: Log, r: Entry, x: Entry, y2: Entry, y1: Entry, s: Entry)
    requires IsLoop(log, r, x, y2, y1, s)
    ensures Whole(log, {y1.uuid, y2.uuid})
  {
    LoopInWords(log, r, x, y2, y1, s);
    forall e | e in log ensures ToolsOf(e) == {} {
      SilentEntry(e);
    }
  }

  /** Without the message the end hangs on `r`, and `r` and the end are closed. */
  lemma LoopWithoutMessage(log: Log, r: Entry, x: Entry, y2: Entry, y1: Entry, s: Entry)
    requires IsLoop(log, r, x, y2, y1, s)
    ensures Closed(Drop(log, {y1.uuid, y2.uuid}), {r.uuid, s.uuid})
  {
    hide Drop;
    var ids := {y1.uuid, y2.uuid};
    LoopInWords(log, r, x, y2, y1, s);
    HeirUnfolds(log, ids, y1.uuid);
    forall a, b | a in Drop(log, ids) && b in Drop(log, ids) && a.uuid in {r.uuid, s.uuid} && Needs(a, b)
      ensures b.uuid in {r.uuid, s.uuid}
    {
      var a0 := OriginOf(log, ids, a);
      var b0 := OriginOf(log, ids, b);
      SilentEntry(a);
      assert a0 == r || a0 == s;
      assert Heir(log, ids, Some(y1.uuid)) == Some(r.uuid);
    }
  }

  /** Two parts of a message, `a` and `b`, that hang beside each other on `r`; the end `s` hangs on `b`. */
  ghost predicate HangBeside(r: Entry, a: Entry, b: Entry, s: Entry) {
    && a.uuid != r.uuid && b.uuid !in {r.uuid, a.uuid} && s.uuid !in {r.uuid, a.uuid, b.uuid}
    && r.parent.None? && a.parent == Some(r.uuid) && b.parent == Some(r.uuid) && s.parent == Some(b.uuid)
    && (forall e | e in [r, a, b, s] :: e.blocks == [])
    && r.kind.User? && s.kind.User? && Mates(a, b)
  }

  /** To be rooted is enough and not necessary: the two parts of a message that hang beside each other are whole and stand
    * between cuts, and nothing gets lost with them. */
  lemma RootedIsNotNecessary(r: Entry, a: Entry, b: Entry, s: Entry)
    requires HangBeside(r, a, b, s)
    ensures var log, ids := [r, a, b, s], {a.uuid, b.uuid};
            && WellFormed(log) && IsCut(log, 1) && IsCut(log, 3) && Span(log, 1, 3) == ids
            && Whole(log, ids) && !Rooted(log, ids)
            && s.uuid in Uuids(log) && s.uuid !in ids && Exits(log, ids, s.uuid)
  {
    hide WellFormed, Uuids, IsCut, Span, Whole, Rooted, Exits;
    PartsBesideAreASpan(r, a, b, s);
    PartsBesideAreNotRooted(r, a, b, s);
    NothingGetsLostWithPartsBeside(r, a, b, s);
    SpanBetweenCutsIsWhole([r, a, b, s], 1, 3);
  }

  /** What hangs beside each other lies between two cuts. */
  lemma PartsBesideAreASpan(r: Entry, a: Entry, b: Entry, s: Entry)
    requires HangBeside(r, a, b, s)
    ensures var log, ids := [r, a, b, s], {a.uuid, b.uuid};
            && WellFormed(log) && UniqueUuids(log) && Sound(log)
            && Uuids(log) == {r.uuid, a.uuid, b.uuid, s.uuid}
            && IsCut(log, 1) && IsCut(log, 3) && Span(log, 1, 3) == ids
  {
    hide WellFormed, Balanced, UniqueUuids, Uuids;
    var log := [r, a, b, s];
    OfOne(r);
    OfTwo(r, a);
    OfThree(r, a, b);
    OfFour(r, a, b, s);
    SilenceIsBalanced(log[..1]);
    SilenceIsBalanced(log[..3]);
    SilenceIsBalanced(log);
    assert Sound(log) by {
      reveal Balanced;
    }
    assert log[1..3] == [a, b];
    OfTwo(a, b);
    assert forall i, j | 0 <= i < j < 4 && Mates(log[i], log[j]) :: i == 1 && j == 2;
  }

  /** The second part does not continue the first one. */
  lemma PartsBesideAreNotRooted(r: Entry, a: Entry, b: Entry, s: Entry)
    requires HangBeside(r, a, b, s)
    ensures !Rooted([r, a, b, s], {a.uuid, b.uuid})
  {
    hide Keep;
    var log, ids := [r, a, b, s], {a.uuid, b.uuid};
    KeepFromThree(r, a, b, ids);
    assert [r, a, b] + [s] == log;
    KeepOfLast([r, a, b], s, ids);
    assert Keep(log, ids) == [a, b];
    assert Keep(log, ids)[1] == b;
  }

  /** What the parts hang on is still there. */
  lemma NothingGetsLostWithPartsBeside(r: Entry, a: Entry, b: Entry, s: Entry)
    requires HangBeside(r, a, b, s)
    ensures var log, ids := [r, a, b, s], {a.uuid, b.uuid};
            s.uuid in Uuids(log) && s.uuid !in ids && Exits(log, ids, s.uuid)
  {
    hide Drop, Members, WellFormed, Heir, Uuids, UniqueUuids, IsCut, Span, Sound;
    var log, ids := [r, a, b, s], {a.uuid, b.uuid};
    PartsBesideAreASpan(r, a, b, s);
    UuidsOfDrop(log, ids);
    DropIsWellFormed(log, ids);
    GetAfterDrop(log, ids, s.uuid);
    assert log[2] == b && log[3] == s;
    IndexOfIsPosition(log, 3);
    IndexOfIsPosition(log, 2);
    HeirUnfolds(log, ids, b.uuid);
    HeirOfUncovered(log, ids, Some(r.uuid));
    assert Get(Drop(log, ids), s.uuid).parent == Some(r.uuid);
    MembersOfParent(Drop(log, ids), s.uuid);
    SurvivorIsThere(log, ids, s.uuid);
    MembersContainsItself(Drop(log, ids), s.uuid);
    assert AsOf(log, s.uuid) == log;
  }

  /** There are such entries. */
  lemma TwoPartsBesideEachOther()
    ensures var r, a := Asks(0, None, []), Speaks(1, Some(0), 8, []);
            var b, s := Speaks(2, Some(0), 8, []), Asks(3, Some(2), []);
            HangBeside(r, a, b, s)
  {
    forall i, j | 0 <= i < j <= 3 ensures Name(i) != Name(j) {
      NamesDiffer(i, j);
    }
  }

  // --- Why a span must be whole ---

  /** Rooted alone is too weak: to drop a call and leave its answer breaks the books. */
  lemma RootedAloneBreaksTheBooks(a: Entry, b: Entry, t: Id)
    requires a.uuid != b.uuid
    requires a.blocks == [Use(t)] && b.blocks == [Result(t)]
    ensures Balanced([a, b])
    ensures Rooted([a, b], {a.uuid}) && !WholeForTools([a, b], {a.uuid})
    ensures !Balanced(Drop([a, b], {a.uuid}))
  {
    var log := [a, b];
    assert [] + [a] == [a] && [a] + [b] == log;
    BooksOfOneMore([], a, Use(t));
    BooksOfOneMore([a], b, Result(t));
    KeepOfLast([], a, {a.uuid});
    KeepOfLast([a], b, {a.uuid});
    assert |Keep(log, {a.uuid})| == 1;
    OneUse(a, t);
    OneResult(b, t);
    assert a in log && b in log && t in ToolsOf(a) * ToolsOf(b);
    BalancedAfterDropExactly(log, {a.uuid});
  }

  /** There are such entries. */
  lemma ACallAndItsAnswer()
    ensures var a, b := Speaks(0, None, 8, [Use(Name(7))]), Asks(1, Some(0), [Result(Name(7))]);
            a.uuid != b.uuid && a.blocks == [Use(Name(7))] && b.blocks == [Result(Name(7))]
  {
    NamesDiffer(0, 1);
  }

  /** "No call is out" alone is no cut: it splits an API message of two parts, and what it cuts off is not whole. */
  lemma NothingOutMaySplitAMessage(a: Entry, b: Entry)
    requires a.uuid != b.uuid
    requires a.blocks == [] && b.blocks == [] && Mates(a, b)
    ensures Balanced([a, b]) && Balanced([a, b][..1])
    ensures !IsCut([a, b], 1)
    ensures !Whole([a, b], {a.uuid})
  {
    var log := [a, b];
    SilenceIsBalanced(log);
    SilenceIsBalanced(log[..1]);
    assert log[0] == a && log[1] == b;
    assert a in log && b in log && Tied(a, b);
  }

  /** There are such entries. */
  lemma TwoPartsOfOneMessage()
    ensures var a, b := Speaks(0, None, 8, []), Speaks(1, Some(0), 8, []);
            a.uuid != b.uuid && a.blocks == [] && b.blocks == [] && Mates(a, b)
  {
    NamesDiffer(0, 1);
  }

  /** Of a broken conversation it is false that a cover which separates no call from its answer takes only its own calls out
    * of the books: to drop an entry that makes a call twice mends them. */
  lemma BooksOfABrokenOne(a: Entry, t: Id)
    requires a.blocks == [Use(t), Use(t)]
    ensures WholeForTools([a], {a.uuid})
    ensures BooksOf([a]).Broken? && BooksOf(Drop([a], {a.uuid})) == Blank
  {
    BlocksOfOne(a);
    assert [Use(t), Use(t)] == [Use(t)] + [Use(t)];
    RunSplits(Blank, [Use(t)], [Use(t)]);
    assert [Use(t)][..0] == [];
    assert Run(Blank, [Use(t)]) == Enter(Blank, Use(t));
    assert Drop([a], {a.uuid}) == [];
  }

  /** Where a call is out at the end of the prefix a compaction breaks the books: the answer has lost its call. */
  lemma CompactionAmidACallBreaksTheBooks(a: Entry, b: Entry, t: Id, stub: Entry)
    requires a.blocks == [Use(t)] && b.blocks == [Result(t)] && stub.blocks == []
    ensures Balanced([a, b])
    ensures !Balanced(Compact([a, b], 1, stub)) && Balanced(Compact([a, b], 2, stub))
  {
    var log := [a, b];
    assert [] + [a] == [a] == log[..1] && [a] + [b] == log == log[..2];
    BooksOfOneMore([], a, Use(t));
    BooksOfOneMore([a], b, Result(t));
    CompactKeepsBalanceExactly(log, 1, stub);
    CompactKeepsBalanceExactly(log, 2, stub);
  }

  // --- Stubs ---

  /** Stubs of overlapping spans do not commute: the first one stays, and the second finds nothing to cover. */
  lemma StubsOfOneSpanDoNotCommute(r: Entry, x: Entry, y: Entry)
    requires r.parent.None?
    requires r.uuid != x.uuid && r.uuid != y.uuid && x.uuid != y.uuid
    ensures DropWithStub(DropWithStub([r], {r.uuid}, x), {r.uuid}, y) != DropWithStub(DropWithStub([r], {r.uuid}, y), {r.uuid}, x)
  {
    OfOne(r);
    assert r.uuid in Uuids([r]) * {r.uuid};
    DropWithStubIsDropAndStub([r], {r.uuid}, x);
    DropWithStubIsDropAndStub([r], {r.uuid}, y);
    NothingCoveredLeavesNoStub(DropWithStub([r], {r.uuid}, x), {r.uuid}, y);
    NothingCoveredLeavesNoStub(DropWithStub([r], {r.uuid}, y), {r.uuid}, x);
    assert x.uuid in Uuids(DropWithStub([r], {r.uuid}, x)) && x.uuid !in Uuids(DropWithStub([r], {r.uuid}, y));
  }

  /** The stub rule does not grow with the span: to drop an entry that is referred to needs a stub, to drop what refers to it
    * too does not. */
  lemma LargerSpanMayNeedNoStub(a: Entry, b: Entry)
    requires a.uuid != b.uuid
    ensures var notes := Notes({}, map[b.uuid := {a.uuid}], {});
            MustLeaveStub([a, b], {a.uuid}, notes) && !MustLeaveStub([a, b], {a.uuid, b.uuid}, notes)
  {
    var notes := Notes({}, map[b.uuid := {a.uuid}], {});
    OfTwo(a, b);
    assert [a, b][1] == b && b in [a, b];
    assert a.uuid in notes.refers[b.uuid] * Uuids([a, b]) * {a.uuid};
    assert CoversReference([a, b], {a.uuid}, notes);
  }

  // --- Sub-agents ---

  /** That no running sub-agent is hidden keeps no more of it than its root, where something of it is covered itself: `r`
    * runs, `x` is all else that it wrote, and a drop of `x` is not refused. */
  lemma RunningSubAgentMayBeGutted(a: Entry, r: Entry, x: Entry)
    requires a.uuid != r.uuid && x.uuid !in {a.uuid, r.uuid}
    requires a.parent.None? && r.parent.None? && x.parent == Some(r.uuid)
    ensures var log, callers := [a, r, x], map[r.uuid := a.uuid];
            && WellFormed(log)
            && NoneRuns(log, callers, {r.uuid}, {x.uuid})
            && x.uuid in Uuids(log) && x.uuid in Thread(log, r.uuid)
            && x.uuid !in Uuids(Drop(log, WithThreads(log, callers, {x.uuid})))
  {
    var log, callers := [a, r, x], map[r.uuid := a.uuid];
    hide Thread, WellFormed, Uuids, Drop, WithThreads;
    OfOne(a);
    OfTwo(a, r);
    OfThree(a, r, x);
    assert Threads(log, callers, {x.uuid}) == {};
    assert WithThreads(log, callers, {x.uuid}) == {x.uuid} by {
      reveal WithThreads;
    }
    UuidsOfDrop(log, {x.uuid});
    AncestryUnfolds(log, x.uuid);
    AncestryEndsInItself(log, r.uuid);
    assert log[2] == x && x in log;
    GetFindsEntry(log, x);
    UuidsOfConcatenation(Ancestry(log, r.uuid), [x]);
    reveal Thread;
  }

  /** A turn and the sub-agent that it called are hidden, and the conversation beside it is as without the turn: `p` is
    * continued by `a`, which called `c`, a root, and by `s`. */
  lemma ASubAgentIsHiddenBeside(p: Entry, a: Entry, c: Entry, s: Entry)
    requires a.uuid != p.uuid && c.uuid !in {p.uuid, a.uuid} && s.uuid !in {p.uuid, a.uuid, c.uuid}
    requires p.parent.None? && a.parent == Some(p.uuid) && c.parent.None? && s.parent == Some(p.uuid)
    requires p.kind.User? && s.kind.User? && forall e | e in [p, a, c, s] :: e.blocks == []
    ensures var log, callers, ids := [p, a, c, s], map[c.uuid := a.uuid], {a.uuid};
            && WellFormed(log)
            && s.uuid in Uuids(log) && s.uuid !in ids
            && c.uuid in WithThreads(log, callers, ids)
            && (WithThreads(log, callers, ids) - ids) !! Members(log, s.uuid)
            && Whole(Context(log, s.uuid), ids) && Rooted(Context(log, s.uuid), ids)
  {
    hide WithThreads, Members, Thread, Context, Keep, Uuids, WellFormed, Ancestry, UniqueUuids, Tied, Threads, AsOf;
    var log, callers, ids := [p, a, c, s], map[c.uuid := a.uuid], {a.uuid};
    ASubAgentBesideInWords(p, a, c, s);
    assert log[0] == p && log[2] == c && log[3] == s;
    SilentEntry(p);
    SilentEntry(s);
    MembersAreLeast(log, s.uuid, {p.uuid, s.uuid});
    SubAgentsAreHiddenWithTheirTurn(log, callers, ids);
    AncestryEndsInItself(log, c.uuid);
    assert c.uuid in Thread(log, c.uuid) && Thread(log, c.uuid) <= Uuids(log) by {
      reveal Thread;
    }
    AncestryUnfolds(log, p.uuid);
    AncestryUnfolds(log, s.uuid);
    assert p.uuid !in Thread(log, c.uuid) && s.uuid !in Thread(log, c.uuid) by {
      reveal Thread, Uuids;
    }
    assert WithThreads(log, callers, ids) <= ids + Thread(log, c.uuid);
    ContextHoldsExactlyTheMembers(log, s.uuid);
    assert Uuids(Context(log, s.uuid)) !! ids;
    assert forall e | e in Context(log, s.uuid) :: e.uuid !in ids by {
      reveal Uuids;
    }
    KeepingNoneIsEmpty(Context(log, s.uuid), ids);
  }

  /** Where the four stand in their log. */
  lemma ASubAgentBesideInWords(p: Entry, a: Entry, c: Entry, s: Entry)
    requires a.uuid != p.uuid && c.uuid !in {p.uuid, a.uuid} && s.uuid !in {p.uuid, a.uuid, c.uuid}
    requires p.parent.None? && a.parent == Some(p.uuid) && c.parent.None? && s.parent == Some(p.uuid)
    ensures var log := [p, a, c, s];
            && WellFormed(log) && UniqueUuids(log)
            && Uuids(log) == {p.uuid, a.uuid, c.uuid, s.uuid}
            && Get(log, p.uuid) == p && Get(log, c.uuid) == c && Get(log, s.uuid) == s
            && AsOf(log, s.uuid) == log
  {
    hide WellFormed, UniqueUuids, Uuids;
    var log := [p, a, c, s];
    OfOne(p);
    OfTwo(p, a);
    OfThree(p, a, c);
    OfFour(p, a, c, s);
    WellFormedHasUniqueUuids(log);
    assert log[0] == p && log[2] == c && log[3] == s;
    IndexOfIsPosition(log, 0);
    IndexOfIsPosition(log, 2);
    IndexOfIsPosition(log, 3);
    assert log[..4] == log;
  }

  /** There are such entries. */
  lemma ATurnASubAgentAndWhatGoesOn()
    ensures var p, a, c, s := Asks(0, None, []), Speaks(1, Some(0), 8, []), Asks(2, None, []), Asks(3, Some(0), []);
            && a.uuid != p.uuid && c.uuid !in {p.uuid, a.uuid} && s.uuid !in {p.uuid, a.uuid, c.uuid}
            && p.parent.None? && a.parent == Some(p.uuid) && c.parent.None? && s.parent == Some(p.uuid)
            && p.kind.User? && s.kind.User? && forall e | e in [p, a, c, s] :: e.blocks == []
  {
    forall i, j | 0 <= i < j <= 3 ensures Name(i) != Name(j) {
      NamesDiffer(i, j);
    }
  }

  /** A prompt alone is a step. */
  lemma PromptIsAStep()
    ensures IsStep([Prompt()], 0, 1)
  {
    assert [Prompt()][..0] == [] && [Prompt()][..1] == [Prompt()];
    SilentEntry(Prompt());
    assert forall e | e in [Prompt()] :: e.blocks == [];
    SilenceIsBalanced([Prompt()]);
    assert Balanced([]);
    NoStepIsEmpty([Prompt()], 0, 1);
  }
}

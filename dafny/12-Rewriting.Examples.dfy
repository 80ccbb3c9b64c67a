// Chapter 12, examples: spans that may be dropped, and why each part of the check at run time is there.
include "05-Balance.Examples.dfy"
include "12-Rewriting.Proofs.dfy"

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
}

// Chapter 14, examples: a history, every operation done once, what is refused, what append-only rules out, and what a fork of a
// merged session leaves behind.
include "01-Entries.Proofs.dfy"
include "04-Contexts.Proofs.dfy"
include "08-Backfill.Examples.dfy"
include "14-Stores.Proofs.dfy"

module StoresExamples {
  import opened Names
  import opened Entries
  import opened Contexts
  import opened Forks
  import opened Backfill
  import opened Rendering
  import opened Stores
  import Overlays
  import Merging
  import Rewriting
  import Trims
  import EntriesProofs
  import ContextsProofs
  import ForksProofs
  import RenderingProofs
  import OverlaysProofs
  import MergingProofs
  import BackfillExamples
  import StoresProofs

  /** A prompt. */
  function Prompt(): Entry {
    Entry(Name(0), None, None, User, None, [], false, 1, map[])
  }

  /** Its answer. */
  function Reply(): Entry {
    Entry(Name(1), Some(Name(0)), None, Assistant, None, [], false, 1, map[])
  }

  /** An entry of the user's side without calls, below another one. */
  function Said(n: nat, parent: nat): Entry {
    Entry(Name(n), Some(Name(parent)), None, User, None, [], false, 1, map[])
  }

  /** A compaction boundary. */
  function Boundary(): Entry {
    Entry(Name(5), None, Some(Name(1)), System, None, [], false, 1, map[])
  }

  /** A schema that requires one key of every answer. */
  function Target(): Schema {
    Schema(2, map[Assistant := map[KeyNamed(0) := ValueNamed(0)]], {})
  }

  /** A log with nothing beside it. */
  function Plain(log: Log): Session {
    Session(log, map[], map[], map[], map[], None)
  }

  /** A store with one session, which holds the prompt. Sessions are named from 10 on. */
  function OneLog(): Store {
    map[Name(10) := Plain([Prompt()])]
  }

  /** The same store when the answer has come. */
  function GrownLog(): Store {
    map[Name(10) := Plain([Prompt(), Reply()])]
  }

  /** The answer comes, then a fork, a prefix fork and a backfill of the fork. */
  function SomeOperations(): seq<Operation> {
    [
      DoAppend(Name(10), Reply()),
      DoFork(Name(10), Name(1), Name(11)),
      DoForkPrefix(Name(10), Name(0), Name(12)),
      DoBackfill(Name(11), Target(), Name(13))
    ]
  }

  /** The store is valid. */
  lemma OneLogIsValid()
    ensures Valid(OneLog())
    ensures Name(0) in Uuids(OneLog()[Name(10)].log)
  {
    assert OneLog()[Name(10)].log[0] in OneLog()[Name(10)].log;
    assert Fits([Prompt()][..0], Prompt());
    assert WellFormed([Prompt()][..0]);
  }

  /** So is the one in which the answer has come. */
  lemma GrownLogIsValid()
    ensures Valid(GrownLog())
    ensures Uuids(GrownLog()[Name(10)].log) == {Name(0), Name(1)}
  {
    BackfillExamples.AllNamesDiffer();
    OneLogIsValid();
    var both := [Prompt(), Reply()];
    assert Fits([Prompt()], Reply()) by {
      assert [Prompt()][0] in [Prompt()];
    }
    assert both[..1] == [Prompt()];
    assert both[0] in both && both[1] in both;
  }

  /** A history with several operations in it can be done, on a valid store; it ends with four sessions, and the one that was
    * there has grown. */
  lemma SomeOperationsHappen()
    ensures Valid(OneLog())
    ensures ApplyAll(OneLog(), SomeOperations()).Some?
    ensures ApplyAll(OneLog(), SomeOperations()).value.Keys == {Name(10), Name(11), Name(12), Name(13)}
    ensures Name(10) in OneLog() && ApplyAll(OneLog(), SomeOperations()).value[Name(10)].log == [Prompt(), Reply()]
    ensures Name(0) in Uuids(OneLog()[Name(10)].log)
  {
    hide ForkSession, PartOf, BackfillLog;
    BackfillExamples.AllNamesDiffer();
    OneLogIsValid();
    GrownLogIsValid();
    var ops := SomeOperations();
    assert Fits([Prompt()], Reply()) by {
      assert [Prompt()][0] in [Prompt()];
    }
    var s1 := Apply(OneLog(), ops[0]);
    assert s1[Name(10)].log == [Prompt(), Reply()];
    assert Enabled(s1, ops[1]);
    var s2 := Apply(s1, ops[1]);
    assert Enabled(s2, ops[2]);
    var s3 := Apply(s2, ops[2]);
    assert Enabled(s3, ops[3]);
    var s4 := Apply(s3, ops[3]);
    FourSteps(OneLog(), ops, s1, s2, s3, s4);
  }

  /** Four operations, each enabled in its turn, are a history. */
  lemma FourSteps(s0: Store, ops: seq<Operation>, s1: Store, s2: Store, s3: Store, s4: Store)
    requires |ops| == 4
    requires Enabled(s0, ops[0]) && s1 == Apply(s0, ops[0])
    requires Enabled(s1, ops[1]) && s2 == Apply(s1, ops[1])
    requires Enabled(s2, ops[2]) && s3 == Apply(s2, ops[2])
    requires Enabled(s3, ops[3]) && s4 == Apply(s3, ops[3])
    ensures ApplyAll(s0, ops) == Some(s4)
  {
    hide Enabled, Apply;
    assert ops[1..][1..] == ops[2..];
    assert ops[2..][1..] == ops[3..];
    assert ops[3..][1..] == [];
    calc {
      ApplyAll(s0, ops);
      ApplyAll(s1, ops[1..]);
      ApplyAll(s2, ops[2..]);
      ApplyAll(s3, ops[3..]);
      ApplyAll(s4, []);
      Some(s4);
    }
  }

  /** A record below the answer that covers the answer, and the hash of that. */
  function Covering(): Overlays.Overlay {
    Overlays.Overlay({Name(1)}, ValueNamed(1), None, None)
  }

  /** Says how many entries there are. */
  function Count(): Log -> Value {
    (log: Log) => ValueNamed(|log|)
  }

  /** A stamp for the prompt, of one key, can be written; and a fork that bears it agrees with its source but for that key. */
  lemma AStampIsWritten()
    ensures var stamp: Stamp := map[Name(0) := map[KeyNamed(0) := ValueNamed(1)]];
            var after := Apply(GrownLog(), DoRestamp(Name(10), stamp, Name(11)))[Name(11)].log;
            && |after| == 2
            && KeyNamed(0) in after[0].fields && after[0].fields[KeyNamed(0)] == ValueNamed(1)
            && after[1] == Reply()
            && Merging.Agree(
                 BareLog(GrownLog()[Name(10)].log, {KeyNamed(0)}),
                 BareLog(StampLog(ForkSession(GrownLog()[Name(10)], Name(0)).log, stamp), {KeyNamed(0)}))
  {
    BackfillExamples.AllNamesDiffer();
    GrownLogIsValid();
    var stamp: Stamp := map[Name(0) := map[KeyNamed(0) := ValueNamed(1)]];
    StoresProofs.RestampChangesTheEnvelopeAlone(GrownLog(), Name(10), stamp, Name(11), {KeyNamed(0)});
    StoresProofs.StampIsEntrywise(GrownLog()[Name(10)].log, stamp);
    StoresProofs.RestampedForkAgreesWithItsSource(GrownLog()[Name(10)], Name(0), stamp, {KeyNamed(0)});
  }

  /** Every operation can be done on the store in which the answer has come. */
  lemma EveryOperationCanBeDone()
    ensures Valid(GrownLog()) && Name(10) in GrownLog() && Name(11) !in GrownLog() && Name(12) !in GrownLog()
    ensures Enabled(OneLog(), DoAppend(Name(10), Reply()))
    ensures Enabled(GrownLog(), DoCompaction(Name(10), Boundary(), Preserved(Name(5), [])))
    ensures Enabled(GrownLog(), DoRecord(Name(10), Said(4, 1), Covering(), None))
    ensures Enabled(GrownLog(), DoMerge(Name(10), Said(3, 1), Name(0)))
    ensures Enabled(GrownLog(), DoUnion(Name(10), Name(10)))
    ensures Enabled(GrownLog(), DoCheckout(Name(10), Name(0)))
    ensures Enabled(GrownLog(), DoFork(Name(10), Name(0), Name(11)))
    ensures Enabled(GrownLog(), DoFork(Name(10), Name(1), Name(11)))
    ensures Enabled(GrownLog(), DoForkPrefix(Name(10), Name(0), Name(11)))
    ensures Enabled(GrownLog(), DoExport(Name(10), Name(1), Name(11)))
    ensures Enabled(GrownLog(), DoBackfill(Name(10), Target(), Name(11)))
    ensures Enabled(GrownLog(), DoRestamp(Name(10), map[], Name(11)))
  {
    hide Members, ForkKept, Seen, EndShown, Context;
    BackfillExamples.AllNamesDiffer();
    OneLogIsValid();
    GrownLogIsValid();
    var s := GrownLog()[Name(10)];
    assert Fits([Prompt()], Reply()) by {
      assert [Prompt()][0] in [Prompt()];
    }
    ContextsProofs.MembersContainsItself(s.log, Name(1));
    StoresProofs.WithoutRecordsExportIsFork(s, Name(1));
    NothingSaidNothingCounts(s, Name(1));
    StoresProofs.NoStubsAreNew(s.log, Counting(s, Name(1)));
  }

  /** Where nothing is said no record counts. */
  lemma NothingSaidNothingCounts(s: Session, u: Id)
    requires u in Uuids(s.log)
    requires s.sayings == map[]
    ensures Counting(s, u) == []
  {
    OverlaysProofs.NoneOfThemIsARecord(Context(s.log, u), s.sayings);
  }

  /** The theorems apply to that history and its steps. */
  lemma TheoremsApplyToTheHistory()
  {
    hide *;
    SomeOperationsHappen();
    EveryOperationCanBeDone();
    StoresContinueEachOther();
    var store, ops, grown := OneLog(), SomeOperations(), GrownLog();
    var id, v, named := Name(10), Name(0), Name(11);
    StoresProofs.AppendExtendsOneLogByOneEntry(store, id, Reply(), Preserved(Name(5), []), Covering(), None, v);
    StoresProofs.NewEntriesAreUnsaid(store[id], Reply()) by {
      reveal Valid, Enabled;
    }
    StoresProofs.HeadsCanBeForked(map[id := Plain([Prompt()]).(head := Some(v))], id, named) by {
      reveal Valid, ValidSession, OneLog, Plain;
    }
    StoresProofs.ApplyIsAppendOnly(grown, DoFork(id, v, named));
    StoresProofs.ApplyKeepsStoresValid(grown, DoFork(id, v, named));
    assert ApplyAll(Apply(grown, DoFork(id, v, named)), []).Some? by {
      reveal ApplyAll;
    }
    StoresProofs.ContextOfAForkIsTheContext(grown, id, v, named, []);
    StoresProofs.EveryOtherSessionStaysAsItWas(grown, DoUnion(id, id));
    StoresProofs.ExistingLogsAreNeverTargets(grown, id, v, Target(), id);
    StoresProofs.HistoryIsAppendOnly(store, ops);
    StoresProofs.HistoryKeepsLegalExactly(store, ops, id, v);
    StoresProofs.HistoryKeepsOldContexts(store, ops, id, v);
    StoresProofs.HistoryKeepsStoresValid(store, ops);
    StoresProofs.ValidStoresAreSound(store);
    assert 0 < |store[id].log| by {
      reveal OneLog, Plain;
    }
    StoresProofs.NothingIsDeletedOrRewritten(store, ops, id, 0);
    StoresProofs.CheckoutMovesTheHeadAlone(grown, id, v);
    StoresProofs.UnionBringsExactlyWhatIsNew(grown, id, id);
    StoresProofs.MergeIsMerge(grown, id, Said(3, 1), v);
    StoresProofs.BackfillAddsOneLog(grown, id, Target(), named);
    StoresProofs.ForkAddsOneLog(grown, id, v, named);
    StoresProofs.ForkPrefixAddsOneLog(grown, id, v, named);
    StoresProofs.ExportAddsOneLog(grown, id, Name(1), named);
    StoresProofs.AppendIsEnabledExactlyWhen(store, id, Reply());
    assert Name(12) != named by {
      BackfillExamples.AllNamesDiffer();
    }
    StoresProofs.ForkThenBackfillAddsTwoLogs(grown, id, Name(1), named, Target(), Name(12));
    StoresProofs.AppendOnlyIsTransitive(store, grown, grown[Name(11) := Plain([])]);
  }

  /** Stores of which each continues the one before, and grows. */
  lemma StoresContinueEachOther()
    ensures var store, grown := OneLog(), GrownLog();
            var more := grown[Name(11) := Plain([])];
            && AppendOnly(store, grown)
            && AppendOnly(grown, more)
            && !AppendOnly(more, grown)
            && !AppendOnly(grown, store)
  {
    BackfillExamples.AllNamesDiffer();
    assert Name(11) in GrownLog()[Name(11) := Plain([])];
    assert Name(10) in OneLog();
    assert [Prompt(), Reply()][..1] == [Prompt()];
  }

  // A session into which a branch was merged, and what a fork of it leaves behind.

  /** Two prompts, the second with an answer that nobody merged; below the first answer a node that merges the second prompt. */
  function MergedLog(): Log {
    [Prompt(), Reply(), Said(2, 0), Said(3, 1)]
  }

  /** The session with the second parent of its node. */
  function Merged(): Session {
    Session(MergedLog(), map[], map[], map[Name(3) := Name(2)], map[], Some(Name(3)))
  }

  /** It is valid, and its conversation at the node is the first branch and the node. */
  lemma MergedIsValid()
    ensures ValidSession(Merged())
    ensures Name(3) in Uuids(MergedLog()) && Members(MergedLog(), Name(3)) == {Name(0), Name(1), Name(3)}
    ensures IndexOf(MergedLog(), Name(3)) == 3
  {
    MergedIsWellFormed();
    MergedConversation();
  }

  /** The part of `MergedIsValid` about its form. */
  lemma MergedIsWellFormed()
    ensures WellFormed(MergedLog())
    ensures Uuids(MergedLog()) == {Name(0), Name(1), Name(2), Name(3)}
  {
    BackfillExamples.AllNamesDiffer();
    GrownLogIsValid();
    var log := MergedLog();
    assert log[..2] == [Prompt(), Reply()];
    assert log[..3][..2] == log[..2];
    assert log[..3][2] == Said(2, 0);
    assert Uuids(log[..3]) == {Name(0), Name(1), Name(2)} by {
      assert log[..3][0] in log[..3] && log[..3][1] in log[..3] && log[..3][2] in log[..3];
    }
    assert WellFormed(log[..3]);
    EntriesProofs.UuidsOfLast(log);
  }

  /** The part of `MergedIsValid` about the conversation at the node. */
  lemma MergedConversation()
    ensures Name(3) in Uuids(MergedLog()) && Members(MergedLog(), Name(3)) == {Name(0), Name(1), Name(3)}
    ensures IndexOf(MergedLog(), Name(3)) == 3
  {
    hide WellFormed, Uuids, Members, IndexOf;
    MergedIsWellFormed();
    BackfillExamples.AllNamesDiffer();
    var log := MergedLog();
    EntriesProofs.WellFormedHasUniqueUuids(log);
    EntriesProofs.IndexOfIsPosition(log, 3);
    assert log[..4] == log;
    assert AsOf(log, Name(3)) == log;
    var ids := {Name(0), Name(1), Name(3)};
    ContextsProofs.MembersContainsItself(log, Name(3));
    ContextsProofs.MembersAreClosedAsOf(log, Name(3));
    assert Needs(log[3], log[1]) && Needs(log[1], log[0]);
    assert ids <= Members(log, Name(3)) by {
      assert log[0] in log && log[1] in log && log[3] in log;
    }
    forall x, y | x in log && y in log && x.uuid in ids && Needs(x, y) ensures y.uuid in ids {
      assert x in [log[0], log[1], log[2], log[3]];
    }
    ContextsProofs.MembersAreLeast(log, Name(3), ids);
  }

  /** A fork at the node leaves the merged branch behind, although the session holds it there. */
  lemma ForkLeavesTheMergedBranchBehind()
    ensures ValidSession(Merged()) && Name(3) in Uuids(Merged().log)
    ensures Name(2) in Merging.Held(Merged().log, Merged().merges, Name(3))
    ensures Name(2) in LeftBehind(Merged(), Name(3))
    ensures Kept(Merged().log, Merged().preserved, Name(3)) == {Name(0), Name(1), Name(3)}
  {
    hide Members, Kept, Merging.Reach;
    BackfillExamples.AllNamesDiffer();
    MergedIsValid();
    var s := Merged();
    EntriesProofs.WellFormedHasUniqueUuids(s.log);
    assert Merging.SecondParent(s.log, s.merges, Name(3)) == Some(Name(2)) by {
      assert s.log[..3][2] in s.log[..3];
    }
    MergingProofs.ReachIsBothParentsClosed(s.log, s.merges, Name(3));
    MergingProofs.ReachIsInLog(s.log, s.merges, Name(3));
    MergingProofs.HeldHoldsConversationAndReach(Merging.History(s.log, s.merges), Name(3));
    NothingPreservedKeepsTheConversation(s.log, Name(3));
  }

  /** Where nothing is preserved a fork keeps the conversation. */
  lemma NothingPreservedKeepsTheConversation(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Kept(log, map[], u) == Members(log, u)
  {
    hide Members, WellFormed, Crossed;
    EntriesProofs.WellFormedHasUniqueUuids(log);
    RenderingProofs.NothingPreservedNothingCrossed(log, map[], u);
    assert Reaches(log, map[], u) == {};
  }

  /** The theorems apply to that session. */
  lemma TheoremsApplyToTheMergedSession()
  {
    hide *;
    ForkLeavesTheMergedBranchBehind();
    var s, u := Merged(), Name(3);
    StoresProofs.PointIsKept(s, u);
    StoresProofs.ForkKeepsConversations(s, u, u);
    StoresProofs.ForkingASessionAgainChangesNothing(s, u);
    StoresProofs.ForkHoldsWhatIsNotLeftBehind(s, u);
    StoresProofs.SourceComesBackIntoTheForkOnce(s, u);
    NothingIsSaidThere();
    StoresProofs.WithoutRecordsExportIsFork(s, u);
  }

  /** No record stands in it. */
  lemma NothingIsSaidThere()
    ensures Name(3) in Uuids(Merged().log) && Members(Merged().log, Name(3)) !! Merged().sayings.Keys
  {
    MergedIsValid();
  }

  // A session with a record: the answer is left out.

  /** The prompt, the answer, and a record that covers the answer. */
  function RecordedLog(): Log {
    [Prompt(), Reply(), Said(4, 1)]
  }

  /** The session with what its record says. */
  function Recorded(): Session {
    Session(RecordedLog(), map[], map[Name(4) := Covering()], map[], map[], Some(Name(4)))
  }

  /** Before the record the session is valid, and what stands there is accepted; the hash of the record is of what it covers. */
  lemma RecordCanBeMade()
    ensures Name(10) in GrownLog()
    ensures var s := GrownLog()[Name(10)];
            && ValidSession(s)
            && Fits(s.log, Said(4, 1))
            && Settled(s.log, Name(1))
            && Covering().hash == Count()(Keep(Context(s.log, Name(1)), Covering().covered))
            && Overlays.Checked(Context(s.log, Name(1)), s.sayings, Count()).Some?
            && Overlays.RecordsIn(Context(s.log, Name(1)), s.sayings) == []
            && Grown(s, Said(4, 1)).(sayings := s.sayings[Name(4) := Covering()]) == Recorded()
  {
    hide Members, Context, WellFormed, Uuids, Settled;
    BackfillExamples.AllNamesDiffer();
    GrownLogIsValid();
    GrownConversation();
    var s := GrownLog()[Name(10)];
    assert Fits(s.log, Said(4, 1));
    OverlaysProofs.NoneOfThemIsARecord(s.log, s.sayings);
    assert Keep(s.log, {Name(1)}) == [Reply()] by {
      assert s.log[..1] == [Prompt()] && s.log[..1][..0] == [];
    }
    assert RecordedLog() == s.log + [Said(4, 1)];
    assert Overlays.Active(s.log, s.sayings) == [];
  }

  /** The conversation at the answer is the prompt and the answer. */
  lemma GrownConversation()
    ensures var log := [Prompt(), Reply()];
            && Name(1) in Uuids(log) && Context(log, Name(1)) == log && Settled(log, Name(1))
  {
    hide Members, WellFormed, Uuids;
    BackfillExamples.AllNamesDiffer();
    GrownLogIsValid();
    var log := [Prompt(), Reply()];
    EntriesProofs.WellFormedHasUniqueUuids(log);
    EntriesProofs.IndexOfIsPosition(log, 1);
    ContextsProofs.LastIsSettled(log);
    ContextsProofs.MembersContainsItself(log, Name(1));
    ContextsProofs.MembersAreClosedAsOf(log, Name(1));
    assert AsOf(log, Name(1)) == log;
    assert log[0] in log && log[1] in log;
    assert Needs(log[1], log[0]);
    KeepingAllIsTheLog(log, Members(log, Name(1)));
  }

  /** The theorems apply to the session with the record. */
  lemma TheoremsApplyToTheRecord()
  {
    hide *;
    RecordCanBeMade();
    RecordedIsWhatWasToBeLeft();
    var s := GrownLog()[Name(10)];
    assert Said(4, 1).parent == Some(Name(1)) && Said(4, 1).uuid == Name(4) && !Said(4, 1).kind.Assistant? && Said(4, 1).blocks == [] by {
      reveal Said;
    }
    assert UsesOf(Said(4, 1)) == {} by {
      reveal UsesOf;
    }
    assert Name(4) !in Covering().covered by {
      reveal Covering;
      BackfillExamples.AllNamesDiffer();
    }
    StoresProofs.RecordsThatFitAreAccepted(s, Said(4, 1), Covering(), Count());
    StoresProofs.ExportIsWhatIsShownExactly(Recorded(), Name(4));
    StoresProofs.StubsExportWhatIsShownExactly(Recorded(), Name(4)) by {
      NothingStandsForAnything(Recorded().log, Context(Recorded().log, Name(4)), Counting(Recorded(), Name(4)));
    }
    StoresProofs.DropsExportWhatIsShownExactly(Recorded(), Name(4));
    StoresProofs.ForkThenExportIsExport(Recorded(), Name(4));
  }

  /** Where no record leaves a stub, none covers what is not there. */
  lemma NothingStandsForAnything(log: Log, part: Log, records: seq<Overlays.Record>)
    requires forall r | r in records :: r.says.stub.None?
    ensures OverlaysProofs.StubsCoverTheirOwn(log, part, records)
    decreases |records|
  {
    if |records| > 0 {
      NothingStandsForAnything(log, part, records[..|records| - 1]);
    }
  }

  /** A node can be merged wherever it fits, and is sent behind its target. */
  lemma TheoremsApplyToAMerge()
  {
    hide *;
    EveryOperationCanBeDone();
    RecordCanBeMade();
    var store, node := GrownLog(), Said(3, 1);
    assert node.parent == Some(Name(1)) && node.kind.User? && UsesOf(node) == {} && ResultsOf(node) == {} by {
      reveal Said, UsesOf, ResultsOf;
    }
    assert store[Name(10)].preserved == map[] by {
      reveal GrownLog, Plain;
    }
    StoresProofs.AnyTwoEntriesCanBeMerged(store, Name(10), node, Name(1), Name(0)) by {
      reveal Enabled;
    }
    StoresProofs.MergeIsSentBehindItsTarget(store, Name(10), node, Name(0)) by {
      reveal RenderingProofs.NotAwaited, RenderingProofs.NotPreserved, Preserves;
    }
  }

  /** An undo of the record of that session is of its own conversation. */
  lemma TheoremsApplyToAnUndo()
  {
    StubsCanBeCovered(None);
    RecordedIsValid();
    hide *;
    reveal Valid, ValidSession, Stubbed, Recorded;
    var store := map[Name(10) := Stubbed().(head := None)];
    StoresProofs.UndoIsOfItsOwnConversation(
      store, Name(10), Said(5, 4), Overlays.Overlay({Name(6)}, ValueNamed(1), None, Some(Name(4))), None);
  }

  /** A session whose record covers the face of an entry, and not the entry: the prompt says something shorter. */
  function TrimmedSession(face: Trims.Face): Session {
    Recorded().(
    sayings := map[Name(4) := Overlays.Overlay({}, ValueNamed(0), None, None)],
    trims := map[Name(4) := map[Name(0) := face]])
  }

  /** A trim can be recorded of what the conversation holds, and of nothing else. */
  lemma FacesAreOfTheConversation(face: Trims.Face)
    ensures Enabled(GrownLog(), Trimming(0, face)) && !Enabled(GrownLog(), Trimming(7, face))
    ensures Apply(GrownLog(), Trimming(0, face))[Name(10)] == TrimmedSession(face)
  {
    hide Members, Context, WellFormed, Settled;
    BackfillExamples.AllNamesDiffer();
    GrownConversation();
    var s := GrownLog()[Name(10)];
    TheReplyHoldsBoth(s.log);
    assert Stubs(s) == {};
    assert map[Name(0) := face].Keys == {Name(0)} && map[Name(7) := face].Keys == {Name(7)};
    assert Name(7) !in {Name(0), Name(1)};
    assert Name(4) !in Uuids(s.log);
    assert RecordedLog() == s.log + [Said(4, 1)];
  }

  /** A trim of one entry, recorded below the answer. */
  function Trimming(n: nat, face: Trims.Face): Operation {
    DoRecord(Name(10), Said(4, 1), Overlays.Overlay({}, ValueNamed(0), None, None), Some(map[Name(n) := face]))
  }

  /** The conversation at the answer has both entries. */
  lemma TheReplyHoldsBoth(log: Log)
    requires log == [Prompt(), Reply()]
    ensures Name(1) in Uuids(log) && Members(log, Name(1)) == {Name(0), Name(1)} == Uuids(log)
  {
    hide Members, Context;
    GrownConversation();
    ContextsProofs.ContextHoldsExactlyTheMembers(log, Name(1));
    assert log[0] in log && log[1] in log;
    assert Uuids(log) == {Name(0), Name(1)};
  }

  /** The session with the record is valid. */
  lemma RecordedIsValid()
    ensures ValidSession(Recorded())
    ensures Uuids(RecordedLog()) == {Name(0), Name(1), Name(4)}
  {
    hide Members, Context;
    BackfillExamples.AllNamesDiffer();
    GrownLogIsValid();
    var log := RecordedLog();
    assert log[..2] == [Prompt(), Reply()];
    assert log[0] in log && log[1] in log && log[2] in log;
    assert Fits(log[..2], log[2]) by {
      assert log[..2][0] in log[..2] && log[..2][1] in log[..2];
    }
    assert WellFormed(log);
  }

  /** The conversation at the record is all three entries. */
  lemma RecordedConversation()
    ensures var s := Recorded();
            && ValidSession(s) && Name(4) in Uuids(s.log) && Uuids(s.log) == {Name(0), Name(1), Name(4)}
            && Members(s.log, Name(4)) == Uuids(s.log)
            && Context(s.log, Name(4)) == s.log
  {
    hide Members, WellFormed, Uuids, Settled;
    BackfillExamples.AllNamesDiffer();
    RecordedIsValid();
    var log := RecordedLog();
    EntriesProofs.WellFormedHasUniqueUuids(log);
    EntriesProofs.IndexOfIsPosition(log, 2);
    assert AsOf(log, Name(4)) == log;
    ContextsProofs.MembersContainsItself(log, Name(4));
    ContextsProofs.MembersAreClosedAsOf(log, Name(4));
    ContextsProofs.MembersAreAsOf(log, Name(4));
    assert log[0] in log && log[1] in log;
    assert Needs(log[2], log[1]) && Needs(log[1], log[0]);
    KeepingAllIsTheLog(log, Members(log, Name(4)));
  }

  /** To keep all of a log is the log. */
  lemma KeepingAllIsTheLog(log: Log, ids: set<Id>)
    requires Uuids(log) <= ids
    ensures Keep(log, ids) == log
    decreases |log|
  {
    if |log| > 0 {
      assert log[|log| - 1] in log;
      forall e | e in log[..|log| - 1] ensures e in log {
      }
      KeepingAllIsTheLog(log[..|log| - 1], ids);
    }
  }

  /** What the record leaves of the three entries is the prompt. */
  lemma OnlyThePromptIsLeft()
    ensures Rewriting.Drop(Rewriting.Drop(RecordedLog(), {Name(1)}), {Name(4)}) == [Prompt()]
  {
    BackfillExamples.AllNamesDiffer();
    var log := RecordedLog();
    assert log[..2][..1] == [Prompt()] && log[..2][..1][..0] == [] && log[..2][1] == Reply();
    assert log[..2] == [Prompt(), Reply()];
    assert Rewriting.Drop([Prompt()], {Name(1)}) == [Prompt()] by {
      assert [Prompt()][..0] == [];
    }
    assert Rewriting.Drop(log[..2], {Name(1)}) == [Prompt()];
    var left := Rewriting.Drop(log, {Name(1)});
    assert |left| == 2 && left[1].uuid == Name(4) && left[..1] == [Prompt()];
    assert Rewriting.Drop([Prompt()], {Name(4)}) == [Prompt()] by {
      assert [Prompt()][..0] == [];
    }
  }

  /** At the record the prompt alone is shown; and that is the conversation at the prompt in what is seen from there. */
  lemma RecordedIsWhatWasToBeLeft()
    ensures var s := Recorded();
            && ValidSession(s) && Name(4) in Uuids(s.log)
            && (forall r | r in Counting(s, Name(4)) :: r.says.stub.None?)
            && Overlays.StubsAreNew(s.log, Counting(s, Name(4)))
            && Overlays.ShownAt(s.log, s.sayings, Name(4)) == [Prompt()]
            && EndShown(s, Name(4)) == Some(Name(0))
            && Name(0) in Uuids(Seen(s, Name(4)))
            && Context(Seen(s, Name(4)), Name(0)) == [Prompt()]
  {
    hide Members, Context, WellFormed, Rewriting.Drop;
    BackfillExamples.AllNamesDiffer();
    RecordedConversation();
    var s, log := Recorded(), RecordedLog();
    var record := Overlays.Record(Name(4), Covering());
    assert Overlays.RecordsIn(log, s.sayings) == [record] by {
      var two := log[..2];
      assert two == [Prompt(), Reply()];
      OverlaysProofs.NoneOfThemIsARecord(two, s.sayings);
      OverlaysProofs.RecordsOfLast(two, log[2], s.sayings);
      assert two + [log[2]] == log;
    }
    assert Counting(s, Name(4)) == [record] by {
      OverlaysProofs.LivingOfLast([], record, {});
      assert [] + [record] == [record];
    }
    assert Overlays.ApplyAll(log, [record]) == Rewriting.Drop(log, {Name(1)}) by {
      assert [record][..0] == [];
    }
    assert Uuids(log) * s.sayings.Keys == {Name(4)};
    OnlyThePromptIsLeft();
    StoresProofs.NoStubsAreNew(log, [record]);
    var alone := [Prompt()];
    assert alone[0] in alone;
    EntriesProofs.IndexOfIsPosition(alone, 0) by {
      assert UniqueUuids(alone);
    }
    ContextsProofs.ContextEndsIn(alone, Name(0));
    ContextsProofs.ContextHoldsExactlyTheMembers(alone, Name(0));
    assert Context(alone, Name(0)) == alone by {
      reveal Context;
      ContextsProofs.MembersContainsItself(alone, Name(0));
      KeepingAllIsTheLog(alone, Members(alone, Name(0)));
    }
  }

  // What append-only rules out.

  /** A store in which what a record says is forgotten does not continue the store it was. */
  lemma ForgettingIsNotAppendOnly()
    ensures !AppendOnly(map[Name(10) := Recorded()], map[Name(10) := Plain(RecordedLog())])
  {
    var s, forgotten, e := Recorded(), Plain(RecordedLog()), RecordedLog()[2];
    assert e in s.log && e.uuid == Name(4);
    assert Name(4) in s.sayings && Name(4) !in forgotten.sayings;
    hide *;
    reveal SaidAlike, Extends, AppendOnly;
    assert !SaidAlike(forgotten.sayings, s.sayings, e.uuid);
    assert !Extends(forgotten, s);
    assert Name(10) in map[Name(10) := s];
  }

  /** A store that lost a session, lost an entry, rewrote one, or put one in front does not continue the store it was. */
  lemma LossAndChangeAreNotAppendOnly()
    ensures var store, both := OneLog(), [Prompt(), Reply()];
            && !AppendOnly(store, map[])
            && !AppendOnly(store, store[Name(10) := Plain([])])
            && !AppendOnly(store, store[Name(10) := Plain([Prompt().(version := 2)])])
            && !AppendOnly(store, store[Name(10) := Plain([Reply(), Prompt()])])
            && !AppendOnly(store[Name(10) := Plain(both)], store[Name(10) := Plain([Reply(), Prompt()])])
  {
    BackfillExamples.AllNamesDiffer();
    assert Name(10) in OneLog();
    assert OneLog()[Name(10)].log[0] == Prompt();
    assert [Reply(), Prompt()][..1][0] == Reply();
    assert [Prompt().(version := 2)][..1][0] != Prompt();
    assert [Reply(), Prompt()][..2][0] == Reply();
  }

  // What is refused.

  /** An entry with a uuid that is there, or with a parent that is not, is not appended; nor is a record that covers what the
    * conversation does not hold. */
  lemma UnfitEntriesAreRefused()
    ensures !Enabled(OneLog(), DoAppend(Name(10), Prompt()))
    ensures !Enabled(OneLog(), DoAppend(Name(10), Reply().(parent := Some(Name(7)))))
    ensures !Enabled(GrownLog(), DoRecord(Name(10), Said(4, 1), Covering().(covered := {Name(7)}), None))
    ensures ApplyAll(OneLog(), [DoAppend(Name(10), Prompt())]).None?
  {
    BackfillExamples.AllNamesDiffer();
    OneLogIsValid();
    assert Uuids(OneLog()[Name(10)].log) == {Name(0)};
    GrownLogIsValid();
    ContextsProofs.MembersAreAsOf(GrownLog()[Name(10)].log, Name(1));
    assert Name(7) !in Uuids(GrownLog()[Name(10)].log);
  }

  /** The session with the record, which says a stub. */
  function Stubbed(): Session {
    Recorded().(sayings := map[Name(4) := Covering().(stub := Some(Said(6, 0)))])
  }

  /** A record may cover the stub of an earlier one, whether the session has a head or not, and take that record back; one that takes
    * back what is no record is refused. */
  lemma StubsCanBeCovered(head: Option<Id>)
    ensures var store, says := map[Name(10) := Stubbed().(head := head)], Overlays.Overlay({Name(6)}, ValueNamed(1), None, None);
            && Stubs(store[Name(10)]) == {Name(6)}
            && Enabled(store, DoRecord(Name(10), Said(5, 4), says, None))
            && Enabled(store, DoRecord(Name(10), Said(5, 4), says.(supersedes := Some(Name(4))), None))
            && !Enabled(store, DoRecord(Name(10), Said(5, 4), says.(supersedes := Some(Name(0))), None))
  {
    BackfillExamples.AllNamesDiffer();
    RecordedConversation();
    var s := Stubbed().(head := head);
    assert Name(4) in s.sayings && s.sayings[Name(4)].stub == Some(Said(6, 0));
    assert Stubs(s) == {Name(6)};
    assert Name(5) !in Uuids(s.log) by {
      assert Name(5) != Name(0) && Name(5) != Name(1) && Name(5) != Name(4);
    }
  }

  /** A session may grow another root; a merge needs a parent and an end that is there. */
  lemma RootsMayCome()
    ensures Enabled(GrownLog(), DoAppend(Name(10), Boundary()))
    ensures !Enabled(GrownLog(), DoMerge(Name(10), Boundary(), Name(0)))
    ensures !Enabled(GrownLog(), DoMerge(Name(10), Said(3, 1), Name(7)))
    ensures !Enabled(GrownLog(), DoRecord(Name(10), Boundary(), Covering(), None))
    ensures !Enabled(GrownLog(), DoCompaction(Name(10), Said(3, 1), Preserved(Name(3), [])))
    ensures !Enabled(GrownLog(), DoCheckout(Name(10), Name(7)))
    ensures !Enabled(GrownLog(), DoUnion(Name(10), Name(7)))
    ensures !Enabled(GrownLog(), DoFork(Name(10), Name(0), Name(10)))
  {
    BackfillExamples.AllNamesDiffer();
    OneLogIsValid();
    GrownLogIsValid();
    assert Uuids(GrownLog()[Name(10)].log) == {Name(0), Name(1)};
  }

  /** A record whose hash is not of what it covers is refused: an undo says that it covers nothing, and an empty hash is not the hash
    * of nothing. */
  lemma UndoWithAnotherHashIsRefused(k: Id)
    ensures Overlays.Checked(RecordedLog(), map[Name(4) := Overlays.Undo(k, ValueNamed(7))], Count()).None?
    ensures Overlays.Checked(RecordedLog(), map[Name(4) := Overlays.Undo(k, Count()([]))], Count()).Some?
  {
    BackfillExamples.AllNamesDiffer();
    UndoOfOne(Overlays.Undo(k, ValueNamed(7)));
    UndoOfOne(Overlays.Undo(k, Count()([])));
    KeepingNoneIsNothing(RecordedLog());
    assert ValueNamed(7) != ValueNamed(0) by {
      assert NumberOfValue(ValueNamed(7)) != NumberOfValue(ValueNamed(0));
    }
  }

  /** Of the three entries the last is the one record that counts. */
  lemma UndoOfOne(says: Overlays.Overlay)
    ensures Overlays.Active(RecordedLog(), map[Name(4) := says]) == [Overlays.Record(Name(4), says)]
  {
    BackfillExamples.AllNamesDiffer();
    var log, sayings := RecordedLog(), map[Name(4) := says];
    var two := log[..2];
    assert two == [Prompt(), Reply()];
    OverlaysProofs.NoneOfThemIsARecord(two, sayings);
    OverlaysProofs.RecordsOfLast(two, log[2], sayings);
    assert two + [log[2]] == log;
    OverlaysProofs.LivingOfLast([], Overlays.Record(Name(4), says), {});
    assert [] + [Overlays.Record(Name(4), says)] == [Overlays.Record(Name(4), says)];
  }

  /** To keep nothing leaves nothing. */
  lemma KeepingNoneIsNothing(log: Log)
    ensures Keep(log, {}) == []
    decreases |log|
  {
    if |log| > 0 {
      KeepingNoneIsNothing(log[..|log| - 1]);
    }
  }

  // Envelopes.

  /** The prompt in a session that was restamped. */
  function Copied(): Entry {
    Prompt().(fields := map[KeyNamed(9) := ValueNamed(1)])
  }

  /** Prompt and copy, and the copy with its reply, are logs. */
  lemma CopiesAreLogs()
    ensures WellFormed([Prompt()]) && WellFormed([Copied()] + [Reply()]) && UniqueUuids([Prompt()]) && UniqueUuids([Copied()])
    ensures Name(1) in Uuids([Copied()] + [Reply()]) && Name(1) !in Uuids([Prompt()]) && Name(0) in Uuids([Copied()])
  {
    BackfillExamples.AllNamesDiffer();
    OneLogIsValid();
    var copy := [Copied()];
    var longer := copy + [Reply()];
    assert longer[..1] == copy && copy[..0] == [];
    assert longer[0] in longer && longer[1] in longer && copy[0] in copy;
    assert WellFormed(copy);
    assert Fits(copy, Reply());
    EntriesProofs.WellFormedHasUniqueUuids([Prompt()]);
    EntriesProofs.WellFormedHasUniqueUuids(copy);
  }

  /** They are not equal, and they are once the envelope is off. */
  lemma CopiesAreBareAlike()
    ensures Copied() != Prompt() && Copied().uuid == Prompt().uuid
    ensures Bare(Copied(), {KeyNamed(9)}) == Bare(Prompt(), {KeyNamed(9)})
  {
    assert KeyNamed(9) in Copied().fields && KeyNamed(9) !in Prompt().fields;
  }

  /** The prompt and its copy in a session that was restamped: they are not equal, and they agree once the envelopes are off. */
  lemma RestampedCopiesAgreeButForEnvelopes()
    ensures var own, copy := [Prompt()], [Copied()];
            && !Merging.Agree(own, copy)
            && Merging.Agree(BareLog(own, {KeyNamed(9)}), BareLog(copy, {KeyNamed(9)}))
            && WellFormed(own) && WellFormed(copy + [Reply()]) && UniqueUuids(own) && UniqueUuids(copy)
            && Merging.Agree(BareLog(own, {KeyNamed(9)}), BareLog(copy + [Reply()], {KeyNamed(9)}))
            && Name(1) in Uuids(copy + [Reply()]) && Name(1) !in Uuids(own) && Name(0) in Uuids(copy)
  {
    var own, copy, longer, envelope := [Prompt()], [Copied()], [Copied()] + [Reply()], {KeyNamed(9)};
    CopiesAreLogs();
    CopiesAreBareAlike();
    StoresProofs.BareIsEntrywise(own, envelope);
    StoresProofs.BareIsEntrywise(copy, envelope);
    StoresProofs.BareIsEntrywise(longer, envelope);
    BackfillExamples.AllNamesDiffer();
    assert Reply().uuid == Name(1) && Prompt().uuid == Name(0) && Bare(Reply(), envelope).uuid == Name(1);
    assert Bare(Prompt(), envelope).uuid == Name(0);
    hide *;
    reveal Merging.Agree;
    assert own[0] in own && copy[0] in copy;
    forall x | x in BareLog(longer, envelope)
      ensures x == Bare(Prompt(), envelope) || x.uuid == Name(1)
    {
      assert longer[0] == Copied() && longer[1] == Reply();
    }
    forall x | x in BareLog(own, envelope) || x in BareLog(copy, envelope)
      ensures x == Bare(Prompt(), envelope)
    {
    }
  }

  /** The theorems apply to the copies. */
  lemma TheoremsApplyToCopies()
  {
    hide *;
    RestampedCopiesAgreeButForEnvelopes();
    var own, copy, envelope := [Prompt()], [Copied()], {KeyNamed(9)};
    StoresProofs.UnionLosesNothingButEnvelopesExactly(own, copy, envelope);
    StoresProofs.ContextsButForEnvelopes(copy, envelope, Name(0));
    StoresProofs.RestampedBranchComesWhole(own, copy + [Reply()], envelope, Name(1));
  }

  // Why logs stand in canonical order.

  /** A file in which the answer stands before its prompt: sound as a graph, but not in canonical order. */
  function AnswerFirst(): Log {
    [Reply(), Prompt()]
  }

  /** Outside valid stores P2 is not preserved: this log has unique uuids, no dangling parent and no cycle, and its fork
    * at the answer has a dangling parent. So a file is put into canonical order before anything is done to it. */
  lemma ForkOfUnorderedLogDangles()
    ensures UniqueUuids(AnswerFirst()) && NoDanglingParents(AnswerFirst()) && Acyclic(AnswerFirst())
    ensures !WellFormed(AnswerFirst())
    ensures Name(1) in Uuids(AnswerFirst())
    ensures !NoDanglingParents(Fork(AnswerFirst(), Name(1)))
  {
    BackfillExamples.AllNamesDiffer();
    var log := AnswerFirst();
    assert log[0] in log;
    assert log[1] in log;
    assert UniqueUuids(log);
    forall way: seq<Entry>
      ensures !Cycle(log, way)
    {
      if |way| > 0 && forall e | e in way :: e in log && e.parent.Some? {
        assert way[0] in way;
        assert way[|way| - 1] in way;
        assert way[|way| - 1].parent.value != way[0].uuid;
      }
    }
    assert !ParentsFirst(log) by {
      assert log[..0] == [];
      assert log[0].parent.value !in Uuids(log[..0]);
    }
    EntriesProofs.WellFormedMeansUniqueAndParentsFirst(log);
    EntriesProofs.IndexOfIsPosition(log, 0);
    ContextsProofs.MembersAreAsOf(log, Name(1));
    ContextsProofs.MembersContainsItself(log, Name(1));
    ContextsProofs.ContextHoldsExactlyTheMembers(log, Name(1));
    assert AsOf(log, Name(1)) == [Reply()];
    assert Name(0) !in Uuids(Fork(log, Name(1)));
    assert Reply() in Fork(log, Name(1));
  }
}

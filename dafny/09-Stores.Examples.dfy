// Chapter 9, examples: a history with every operation in it, what is refused, and what append-only rules out.
include "01-Entries.Proofs.dfy"
include "04-Contexts.Proofs.dfy"
include "08-Backfill.Examples.dfy"
include "09-Stores.Proofs.dfy"

module StoresExamples {
  import opened Names
  import opened Entries
  import opened Contexts
  import opened Forks
  import opened Backfill
  import opened Stores
  import EntriesProofs
  import ContextsProofs
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

  /** A schema that requires one key of every answer. */
  function Target(): Schema {
    Schema(2, map[Assistant := map[KeyNamed(0) := ValueNamed(0)]], {})
  }

  /** A store with one log, which holds the prompt. Logs are named from 10 on. */
  function OneLog(): Store {
    map[Name(10) := [Prompt()]]
  }

  /** The answer comes, then a fork, a prefix fork and a backfill of the fork. */
  function EveryOperation(): seq<Operation> {
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
    ensures Name(0) in Uuids(OneLog()[Name(10)])
  {
    assert OneLog()[Name(10)][0] in OneLog()[Name(10)];
    assert Fits([Prompt()][..0], Prompt());
    assert WellFormed([Prompt()][..0]);
  }

  /** A history with every operation in it can be done, on a valid store; it ends with four logs, and the one that was
    * there has grown. */
  lemma EveryOperationHappens()
    ensures Valid(OneLog())
    ensures ApplyAll(OneLog(), EveryOperation()).Some?
    ensures ApplyAll(OneLog(), EveryOperation()).value.Keys == {Name(10), Name(11), Name(12), Name(13)}
    ensures Name(10) in OneLog() && ApplyAll(OneLog(), EveryOperation()).value[Name(10)] == [Prompt(), Reply()]
    ensures Name(0) in Uuids(OneLog()[Name(10)])
  {
    BackfillExamples.AllNamesDiffer();
    OneLogIsValid();
    var ops := EveryOperation();
    assert Fits([Prompt()], Reply());
    var s1 := Apply(OneLog(), ops[0]);
    assert s1[Name(10)] == [Prompt(), Reply()];
    assert s1[Name(10)][0] in s1[Name(10)];
    assert s1[Name(10)][1] in s1[Name(10)];
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

  /** A fork and then a backfill of it can be done. */
  lemma ForkThenBackfillHappens()
    ensures Valid(OneLog())
    ensures Enabled(OneLog(), DoFork(Name(10), Name(0), Name(11)))
    ensures Name(12) !in OneLog() && Name(12) != Name(11)
  {
    BackfillExamples.AllNamesDiffer();
    OneLogIsValid();
  }

  /** The theorems apply to that history and its steps. */
  lemma TheoremsApplyToTheHistory()
  {
    hide *;
    EveryOperationHappens();
    ForkThenBackfillHappens();
    StepsCanBeDone();
    StoresContinueEachOther();
    var store, ops := OneLog(), EveryOperation();
    var id, v, named := Name(10), Name(0), Name(11);
    StoresProofs.AppendExtendsOneLogByOneEntry(store, id, Reply());
    StoresProofs.ApplyIsAppendOnly(store, DoFork(id, v, named));
    StoresProofs.ApplyKeepsStoresValid(store, DoFork(id, v, named));
    StoresProofs.ExistingLogsAreNeverTargets(store, id, v, Target(), id);
    StoresProofs.HistoryIsAppendOnly(store, ops);
    StoresProofs.HistoryKeepsLegalExactly(store, ops, id, v);
    StoresProofs.HistoryKeepsOldContexts(store, ops, id, v);
    StoresProofs.HistoryKeepsStoresValid(store, ops);
    StoresProofs.ValidStoresAreSound(store);
    assert 0 < |store[id]| by {
      reveal OneLog;
    }
    StoresProofs.NothingIsDeletedOrRewritten(store, ops, id, 0);
    GrownStoreIsValid();
    var grown := store[Name(10) := [Prompt(), Reply()]];
    StoresProofs.BackfillAddsOneLog(grown, id, Target(), named);
    StoresProofs.ForkAddsOneLog(grown, id, v, named);
    StoresProofs.ForkPrefixAddsOneLog(grown, id, v, named);
    StoresProofs.ForkThenBackfillAddsTwoLogs(grown, id, Name(1), named, Target(), Name(12));
    StoresProofs.AppendOnlyIsTransitive(store, grown, grown[Name(11) := []]);
  }

  /** On that store the answer can come, and its log can be forked and filled. */
  lemma StepsCanBeDone()
    ensures Enabled(OneLog(), DoAppend(Name(10), Reply()))
    ensures Enabled(OneLog(), DoForkPrefix(Name(10), Name(0), Name(11)))
    ensures Enabled(OneLog(), DoBackfill(Name(10), Target(), Name(11)))
    ensures AppendOnly(OneLog(), OneLog())
  {
    BackfillExamples.AllNamesDiffer();
    OneLogIsValid();
    assert Fits([Prompt()], Reply());
  }

  /** When the answer has come the log can be forked at either entry, and filled. */
  lemma GrownStoreIsValid()
    ensures var grown := OneLog()[Name(10) := [Prompt(), Reply()]];
            && Valid(grown)
            && Enabled(grown, DoFork(Name(10), Name(0), Name(11))) && Enabled(grown, DoFork(Name(10), Name(1), Name(11)))
            && Enabled(grown, DoForkPrefix(Name(10), Name(0), Name(11)))
            && Enabled(grown, DoBackfill(Name(10), Target(), Name(11)))
            && Name(12) !in grown && Name(12) != Name(11)
  {
    BackfillExamples.AllNamesDiffer();
    OneLogIsValid();
    var both := [Prompt(), Reply()];
    assert Fits([Prompt()], Reply());
    assert both[..1] == [Prompt()];
    assert both[0] in both && both[1] in both;
  }

  /** Stores of which each continues the one before, and grows. */
  lemma StoresContinueEachOther()
    ensures var store := OneLog();
            var grown := store[Name(10) := [Prompt(), Reply()]];
            var more := grown[Name(11) := []];
            && AppendOnly(store, grown)
            && AppendOnly(grown, more)
            && !AppendOnly(more, grown)
            && !AppendOnly(grown, store)
  {
    BackfillExamples.AllNamesDiffer();
    assert Name(11) in OneLog()[Name(10) := [Prompt(), Reply()]][Name(11) := []];
    assert Name(10) in OneLog();
    assert [Prompt(), Reply()][..1] == [Prompt()];
  }

  // What append-only rules out.

  /** A store that lost a log, lost an entry, rewrote one, or put one in front does not continue the store it was. */
  lemma LossAndChangeAreNotAppendOnly()
    ensures var store, both := OneLog(), [Prompt(), Reply()];
            && !AppendOnly(store, map[])
            && !AppendOnly(store, store[Name(10) := []])
            && !AppendOnly(store, store[Name(10) := [Prompt().(version := 2)]])
            && !AppendOnly(store, store[Name(10) := [Reply(), Prompt()]])
            && !AppendOnly(store[Name(10) := both], store[Name(10) := [Reply(), Prompt()]])
  {
    BackfillExamples.AllNamesDiffer();
    assert Name(10) in OneLog();
    assert OneLog()[Name(10)][0] == Prompt();
    assert [Reply(), Prompt()][..1][0] == Reply();
    assert [Prompt().(version := 2)][..1][0] != Prompt();
    assert [Reply(), Prompt()][..2][0] == Reply();
  }

  // What is refused.

  /** An entry with a uuid that is there, or with a parent that is not, is not appended. */
  lemma UnfitEntriesAreRefused()
    ensures !Enabled(OneLog(), DoAppend(Name(10), Prompt()))
    ensures !Enabled(OneLog(), DoAppend(Name(10), Reply().(parent := Some(Name(7)))))
    ensures ApplyAll(OneLog(), [DoAppend(Name(10), Prompt())]).None?
  {
    BackfillExamples.AllNamesDiffer();
    OneLogIsValid();
    assert Uuids(OneLog()[Name(10)]) == {Name(0)};
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

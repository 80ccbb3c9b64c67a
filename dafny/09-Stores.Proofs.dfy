// Chapter 9, proofs. Whatever is done to a store, nothing in it is deleted or rewritten (P5), every log stays sound
// (P1, P2, acyclicity), and every old entry keeps its ancestry and its context.
include "01-Entries.Proofs.dfy"
include "03-Ancestries.Proofs.dfy"
include "04-Contexts.Proofs.dfy"
include "07-Forks.Proofs.dfy"
include "08-Backfill.Proofs.dfy"
include "09-Stores.dfy"

module StoresProofs {
  import opened Names
  import opened Entries
  import opened Ancestries
  import opened Contexts
  import opened Balance
  import opened Forks
  import opened Backfill
  import opened Stores
  import EntriesProofs
  import AncestriesProofs
  import ContextsProofs
  import ForksProofs
  import BackfillProofs

  // What append-only means.

  /** P5 said entry by entry: a store continues another exactly if every log is still there and every entry of it still
    * stands in its place, as it was. Deleting or rewriting an entry is what P5 rules out, and all that it rules out. */
  lemma AppendOnlyMeansNothingIsLost(before: Store, after: Store)
    ensures AppendOnly(before, after)
       <==> (forall id | id in before ::
               && id in after
               && |before[id]| <= |after[id]|
               && (forall i | 0 <= i < |before[id]| :: after[id][i] == before[id][i]))
  {
    if forall id | id in before ::
        id in after && |before[id]| <= |after[id]| && forall i | 0 <= i < |before[id]| :: after[id][i] == before[id][i]
    {
      forall id | id in before
        ensures id in after && Extends(after[id], before[id])
      {
        assert after[id][..|before[id]|] == before[id];
      }
    }
    if AppendOnly(before, after) {
      forall id | id in before
        ensures id in after && |before[id]| <= |after[id]|
        ensures forall i | 0 <= i < |before[id]| :: after[id][i] == before[id][i]
      {
        assert after[id][..|before[id]|] == before[id];
      }
    }
  }

  /** Doing nothing loses nothing. */
  lemma AppendOnlyIsReflexive(store: Store)
    ensures AppendOnly(store, store)
  {
  }

  /** Steps that each lose nothing lose nothing together. */
  lemma AppendOnlyIsTransitive(first: Store, second: Store, third: Store)
    requires AppendOnly(first, second)
    requires AppendOnly(second, third)
    ensures AppendOnly(first, third)
  {
    forall id | id in first
      ensures id in third && Extends(third[id], first[id])
    {
      assert third[id][..|first[id]|] == third[id][..|second[id]|][..|first[id]|];
    }
  }

  // What each operation does, exactly.

  /** `Append` extends one log by exactly one entry: no other log changes, none comes, none goes. */
  lemma AppendExtendsOneLogByOneEntry(store: Store, log: Id, entry: Entry)
    requires Enabled(store, DoAppend(log, entry))
    ensures Apply(store, DoAppend(log, entry)).Keys == store.Keys
    ensures Apply(store, DoAppend(log, entry))[log] == store[log] + [entry]
    ensures forall id | id in store && id != log :: Apply(store, DoAppend(log, entry))[id] == store[id]
  {
  }

  /** `Fork` adds exactly one log, which holds exactly the context of the fork point; every old log stays as it was. */
  lemma ForkAddsOneLog(store: Store, source: Id, at: Id, target: Id)
    requires Enabled(store, DoFork(source, at, target))
    ensures target !in store
    ensures Apply(store, DoFork(source, at, target)).Keys == store.Keys + {target}
    ensures Apply(store, DoFork(source, at, target))[target] == Context(store[source], at)
    ensures forall id | id in store :: Apply(store, DoFork(source, at, target))[id] == store[id]
  {
  }

  /** `ForkPrefix` adds exactly one log, which holds exactly what stands up to the fork point; every old log stays as it
    * was. */
  lemma ForkPrefixAddsOneLog(store: Store, source: Id, at: Id, target: Id)
    requires Enabled(store, DoForkPrefix(source, at, target))
    ensures target !in store
    ensures Apply(store, DoForkPrefix(source, at, target)).Keys == store.Keys + {target}
    ensures Apply(store, DoForkPrefix(source, at, target))[target] == AsOf(store[source], at)
    ensures forall id | id in store :: Apply(store, DoForkPrefix(source, at, target))[id] == store[id]
  {
  }

  /** `Backfill` adds exactly one log, which holds the entries of the source, each filled in its place; every old log,
    * the source included, stays as it was. */
  lemma BackfillAddsOneLog(store: Store, source: Id, schema: Schema, target: Id)
    requires Enabled(store, DoBackfill(source, schema, target))
    ensures target !in store
    ensures Apply(store, DoBackfill(source, schema, target)).Keys == store.Keys + {target}
    ensures Apply(store, DoBackfill(source, schema, target))[target]
         == seq(|store[source]|, i requires 0 <= i < |store[source]| => BackfillEntry(store[source][i], schema))
    ensures forall id | id in store :: Apply(store, DoBackfill(source, schema, target))[id] == store[id]
  {
    BackfillProofs.BackfillIsEntrywise(store[source], schema);
  }

  /** No operation writes over a log that is there: a fork, a prefix fork or a backfill onto it is not enabled. */
  lemma ExistingLogsAreNeverTargets(store: Store, source: Id, at: Id, schema: Schema, target: Id)
    requires target in store
    ensures !Enabled(store, DoFork(source, at, target))
    ensures !Enabled(store, DoForkPrefix(source, at, target))
    ensures !Enabled(store, DoBackfill(source, schema, target))
  {
  }

  /** P5: after any operation every log that existed is there and is a prefix of its successor. */
  lemma ApplyIsAppendOnly(store: Store, op: Operation)
    requires Enabled(store, op)
    ensures AppendOnly(store, Apply(store, op))
  {
  }

  // Soundness of every log.

  /** In a valid store every log has unique uuids (P1), no dangling parent (P2) and no cycle. */
  lemma ValidStoresAreSound(store: Store)
    requires Valid(store)
    ensures forall id | id in store :: UniqueUuids(store[id]) && NoDanglingParents(store[id]) && Acyclic(store[id])
  {
    forall id | id in store
      ensures UniqueUuids(store[id]) && NoDanglingParents(store[id]) && Acyclic(store[id])
    {
      EntriesProofs.WellFormedHasUniqueUuids(store[id]);
      EntriesProofs.WellFormedHasNoDanglingParents(store[id]);
      EntriesProofs.WellFormedIsAcyclic(store[id]);
    }
  }

  /** P1, P2 and acyclicity are preserved by every operation. */
  lemma ApplyKeepsStoresValid(store: Store, op: Operation)
    requires Valid(store)
    requires Enabled(store, op)
    ensures Valid(Apply(store, op))
  {
    match op
    case DoAppend(log, entry) => ForksProofs.AppendIsWellFormed(store[log], entry);
    case DoFork(source, at, _) => ForksProofs.ForkIsWellFormed(store[source], at);
    case DoForkPrefix(source, at, _) => ForksProofs.ForkPrefixIsWellFormed(store[source], at);
    case DoBackfill(source, schema, _) => BackfillProofs.BackfillKeepsWellFormed(store[source], schema);
  }

  // Histories: any number of operations.

  /** P5 for any history: every log that existed is there at the end and is a prefix of what it became. */
  lemma HistoryIsAppendOnly(store: Store, ops: seq<Operation>)
    requires ApplyAll(store, ops).Some?
    ensures AppendOnly(store, ApplyAll(store, ops).value)
    decreases |ops|
  {
    if |ops| == 0 {
      AppendOnlyIsReflexive(store);
    } else {
      var next := Apply(store, ops[0]);
      ApplyIsAppendOnly(store, ops[0]);
      HistoryIsAppendOnly(next, ops[1..]);
      AppendOnlyIsTransitive(store, next, ApplyAll(store, ops).value);
    }
  }

  /** P1, P2 and acyclicity are preserved by any history. */
  lemma HistoryKeepsStoresValid(store: Store, ops: seq<Operation>)
    requires Valid(store)
    requires ApplyAll(store, ops).Some?
    ensures Valid(ApplyAll(store, ops).value)
    decreases |ops|
  {
    if |ops| > 0 {
      ApplyKeepsStoresValid(store, ops[0]);
      HistoryKeepsStoresValid(Apply(store, ops[0]), ops[1..]);
    }
  }

  /** A history can be cut anywhere: its first part and then its second part is the whole. */
  lemma HistoriesCompose(store: Store, first: seq<Operation>, second: seq<Operation>)
    ensures ApplyAll(store, first + second)
         == if ApplyAll(store, first).Some? then ApplyAll(ApplyAll(store, first).value, second) else None
    decreases |first|
  {
    if |first| == 0 {
      assert first + second == second;
    } else {
      assert (first + second)[1..] == first[1..] + second;
      if Enabled(store, first[0]) {
        HistoriesCompose(Apply(store, first[0]), first[1..], second);
      }
    }
  }

  /** Nothing an operation can do deletes an entry, moves it or rewrites it: after any history every entry that ever
    * stood in a log stands there still, in its place, as it was. */
  lemma NothingIsDeletedOrRewritten(store: Store, ops: seq<Operation>, id: Id, i: nat)
    requires ApplyAll(store, ops).Some?
    requires id in store
    requires i < |store[id]|
    ensures id in ApplyAll(store, ops).value
    ensures i < |ApplyAll(store, ops).value[id]|
    ensures ApplyAll(store, ops).value[id][i] == store[id][i]
  {
    HistoryIsAppendOnly(store, ops);
    AppendOnlyMeansNothingIsLost(store, ApplyAll(store, ops).value);
  }

  // Old contexts and ancestries.

  /** A log that continues another gives every entry of the other the ancestry and the lineage it had. */
  lemma ExtensionKeepsOldAncestries(log: Log, past: Log, v: Id)
    requires WellFormed(log)
    requires Extends(log, past)
    requires v in Uuids(past)
    ensures WellFormed(past)
    ensures v in Uuids(log)
    ensures Ancestry(log, v) == Ancestry(past, v)
    ensures Lineage(log, v) == Lineage(past, v)
  {
    AncestriesProofs.AncestryInPrefix(log, |past|, v);
    AncestriesProofs.LineageInPrefix(log, |past|, v);
  }

  /** A log that continues another gives every entry of the other the place, the members and the context it had. */
  lemma ExtensionKeepsOldContexts(log: Log, past: Log, v: Id)
    requires UniqueUuids(log)
    requires Extends(log, past)
    requires v in Uuids(past)
    ensures v in Uuids(log)
    ensures IndexOf(log, v) == IndexOf(past, v)
    ensures Get(log, v) == Get(past, v)
    ensures Members(log, v) == Members(past, v)
    ensures Context(log, v) == Context(past, v)
  {
    EntriesProofs.IndexOfInPrefix(log, |past|, v);
    ContextsProofs.MembersInPrefix(log, |past|, v);
    ContextsProofs.ContextInPrefix(log, |past|, v);
  }

  /** In a log that continues another a point is settled, resumable, legal exactly if it was, and no entry that came since
    * touches its conversation; nothing becomes legal by growth. */
  lemma ExtensionKeepsLegalExactly(log: Log, past: Log, v: Id)
    requires UniqueUuids(log)
    requires Extends(log, past)
    requires v in Uuids(past)
    ensures v in Uuids(log)
    ensures var untouched := forall e | e in log[|past|..] :: ForksProofs.Untouched(past, v, e);
            && (Settled(log, v) <==> Settled(past, v) && untouched)
            && (Resumable(log, v) <==> Resumable(past, v) && untouched)
            && (Legal(log, v) <==> Legal(past, v) && untouched)
  {
    ExtensionKeepsOldContexts(log, past, v);
    ContextsProofs.MembersAreAsOf(past, v);
    var ids, since := Members(past, v), log[|past|..];
    assert log == past + since;
    if Settled(log, v) {
      ContextsProofs.ClosedInPart(log, past, ids);
      forall e | e in since
        ensures ForksProofs.Untouched(past, v, e)
      {
        SinceIsNotBefore(log, past, e);
      }
    }
    if Settled(past, v) && forall e | e in since :: ForksProofs.Untouched(past, v, e) {
      forall a, b | a in log && b in log && a.uuid in ids && Needs(a, b)
        ensures b.uuid in ids
      {
        if a in since {
          SinceIsNotBefore(log, past, a);
        }
        assert a in past;
      }
    }
  }

  /** What came since does not carry an old uuid. */
  lemma SinceIsNotBefore(log: Log, past: Log, e: Entry)
    requires UniqueUuids(log)
    requires Extends(log, past)
    requires e in log[|past|..]
    ensures e.uuid !in Uuids(past)
  {
    var j :| |past| <= j < |log| && log[j] == e;
    forall a | a in past
      ensures a.uuid != e.uuid
    {
      var i :| 0 <= i < |past| && past[i] == a;
      assert log[i] == log[..|past|][i];
    }
  }

  /** P4 over the store: after any history every old entry of every old log has the ancestry, the lineage and the context it
    * had, and so a conversation that was balanced (P3) still is. */
  lemma HistoryKeepsOldContexts(store: Store, ops: seq<Operation>, id: Id, v: Id)
    requires Valid(store)
    requires ApplyAll(store, ops).Some?
    requires id in store
    requires v in Uuids(store[id])
    ensures Valid(ApplyAll(store, ops).value)
    ensures id in ApplyAll(store, ops).value
    ensures v in Uuids(ApplyAll(store, ops).value[id])
    ensures Ancestry(ApplyAll(store, ops).value[id], v) == Ancestry(store[id], v)
    ensures Lineage(ApplyAll(store, ops).value[id], v) == Lineage(store[id], v)
    ensures Context(ApplyAll(store, ops).value[id], v) == Context(store[id], v)
    ensures Balanced(Context(ApplyAll(store, ops).value[id], v)) <==> Balanced(Context(store[id], v))
  {
    HistoryIsAppendOnly(store, ops);
    HistoryKeepsStoresValid(store, ops);
    var after := ApplyAll(store, ops).value;
    EntriesProofs.WellFormedHasUniqueUuids(after[id]);
    ExtensionKeepsOldAncestries(after[id], store[id], v);
    ExtensionKeepsOldContexts(after[id], store[id], v);
  }

  /** After any history an old point is legal exactly if it was and nothing that its log gained touches its conversation. */
  lemma HistoryKeepsLegalExactly(store: Store, ops: seq<Operation>, id: Id, v: Id)
    requires Valid(store)
    requires ApplyAll(store, ops).Some?
    requires id in store
    requires v in Uuids(store[id])
    ensures id in ApplyAll(store, ops).value
    ensures |store[id]| <= |ApplyAll(store, ops).value[id]|
    ensures v in Uuids(ApplyAll(store, ops).value[id])
    ensures Legal(ApplyAll(store, ops).value[id], v)
       <==> && Legal(store[id], v)
            && forall e | e in ApplyAll(store, ops).value[id][|store[id]|..] :: ForksProofs.Untouched(store[id], v, e)
  {
    HistoryIsAppendOnly(store, ops);
    HistoryKeepsStoresValid(store, ops);
    var after := ApplyAll(store, ops).value;
    EntriesProofs.WellFormedHasUniqueUuids(after[id]);
    ExtensionKeepsLegalExactly(after[id], store[id], v);
  }

  // Fork across versions, then backfill, in the store.

  /** The composed operation over the store: a fork and then a backfill of it add exactly two logs, the context as it was
    * and the context filled for the target schema, both well-formed; every old log stays as it was. */
  lemma ForkThenBackfillAddsTwoLogs(store: Store, source: Id, at: Id, fork: Id, schema: Schema, target: Id)
    requires Valid(store)
    requires Enabled(store, DoFork(source, at, fork))
    requires target !in store
    requires target != fork
    ensures var ops := [DoFork(source, at, fork), DoBackfill(fork, schema, target)];
            && ApplyAll(store, ops).Some?
            && var after := ApplyAll(store, ops).value;
            && Valid(after)
            && after.Keys == store.Keys + {fork, target}
            && (forall id | id in store :: after[id] == store[id])
            && after[fork] == Context(store[source], at)
            && after[target] == BackfillLog(Context(store[source], at), schema)
  {
    var forked := Apply(store, DoFork(source, at, fork));
    var after := Apply(forked, DoBackfill(fork, schema, target));
    var ops := [DoFork(source, at, fork), DoBackfill(fork, schema, target)];
    assert ops[1..] == [DoBackfill(fork, schema, target)];
    assert ops[1..][1..] == [];
    assert ApplyAll(forked, ops[1..]) == Some(after);
    HistoryKeepsStoresValid(store, ops);
  }
}

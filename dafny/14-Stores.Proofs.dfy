// Chapter 14, proofs. Whatever is done to a store, nothing in it is deleted or rewritten (P5), every log stays sound
// (P1, P2, acyclicity), and every old entry keeps its ancestry, its context, what is sent there, what is shown there, and what it
// holds.
include "01-Entries.Proofs.dfy"
include "03-Ancestries.Proofs.dfy"
include "04-Contexts.Proofs.dfy"
include "07-Forks.Proofs.dfy"
include "08-Backfill.Proofs.dfy"
include "10-Rendering.Proofs.dfy"
include "11-Rewriting.Proofs.dfy"
include "12-Overlays.Proofs.dfy"
include "13-Merging.Proofs.dfy"
include "22-Trims.Proofs.dfy"
include "14-Stores.dfy"

module StoresProofs {
  import opened Names
  import opened Entries
  import opened Ancestries
  import opened Contexts
  import opened Balance
  import opened Forks
  import opened Backfill
  import opened Rendering
  import opened Stores
  import Rewriting
  import Overlays
  import Merging
  import Trims
  import EntriesProofs
  import AncestriesProofs
  import ContextsProofs
  import ForksProofs
  import BackfillProofs
  import BalanceProofs
  import RenderingProofs
  import RewritingProofs
  import OverlaysProofs
  import MergingProofs
  import TrimsProofs

  // What append-only means.

  /** P5 said entry by entry: a store continues another exactly if every session is still there, and every entry of it still
    * stands in its place, as it was, with the same beside it. Deleting or rewriting is what P5 rules out, and all of it. */
  lemma AppendOnlyMeansNothingIsLost(before: Store, after: Store)
    ensures AppendOnly(before, after)
       <==> (forall id | id in before ::
               && id in after
               && |before[id].log| <= |after[id].log|
               && (forall i | 0 <= i < |before[id].log| ::
                     && after[id].log[i] == before[id].log[i]
                     && SaidAlike(after[id].preserved, before[id].preserved, before[id].log[i].uuid)
                     && SaidAlike(after[id].sayings, before[id].sayings, before[id].log[i].uuid)
                     && SaidAlike(after[id].merges, before[id].merges, before[id].log[i].uuid)
                     && SaidAlike(after[id].trims, before[id].trims, before[id].log[i].uuid)))
  {
    forall id | id in before && id in after
      ensures Extends(after[id], before[id]) <==>
              && |before[id].log| <= |after[id].log|
              && (forall i | 0 <= i < |before[id].log| ::
                    && after[id].log[i] == before[id].log[i]
                    && SaidAlike(after[id].preserved, before[id].preserved, before[id].log[i].uuid)
                    && SaidAlike(after[id].sayings, before[id].sayings, before[id].log[i].uuid)
                    && SaidAlike(after[id].merges, before[id].merges, before[id].log[i].uuid)
                    && SaidAlike(after[id].trims, before[id].trims, before[id].log[i].uuid))
    {
      ExtendsEntryByEntry(after[id], before[id]);
    }
  }

  /** The same of one session. */
  lemma ExtendsEntryByEntry(s: Session, past: Session)
    ensures Extends(s, past) <==>
            && |past.log| <= |s.log|
            && (forall i | 0 <= i < |past.log| ::
                  && s.log[i] == past.log[i]
                  && SaidAlike(s.preserved, past.preserved, past.log[i].uuid)
                  && SaidAlike(s.sayings, past.sayings, past.log[i].uuid)
                  && SaidAlike(s.merges, past.merges, past.log[i].uuid)
                  && SaidAlike(s.trims, past.trims, past.log[i].uuid))
  {
    if |past.log| <= |s.log| {
      if Extends(s, past) {
        forall i | 0 <= i < |past.log|
          ensures s.log[i] == past.log[i] && past.log[i] in past.log
        {
          assert s.log[..|past.log|][i] == past.log[i];
        }
      } else if forall i | 0 <= i < |past.log| :: s.log[i] == past.log[i] {
        assert s.log[..|past.log|] == past.log;
        var e :| e in past.log && !(&& SaidAlike(s.preserved, past.preserved, e.uuid)
                                    && SaidAlike(s.sayings, past.sayings, e.uuid)
                                    && SaidAlike(s.merges, past.merges, e.uuid)
                                    && SaidAlike(s.trims, past.trims, e.uuid));
        var i :| 0 <= i < |past.log| && past.log[i] == e;
      }
    }
  }

  /** Doing nothing loses nothing. */
  lemma AppendOnlyIsReflexive(store: Store)
    ensures AppendOnly(store, store)
  {
  }

  /** A session that continues one that continues a third continues the third. */
  lemma ExtendsIsTransitive(third: Session, second: Session, first: Session)
    requires Extends(second, first)
    requires Extends(third, second)
    ensures Extends(third, first)
  {
    assert third.log[..|first.log|] == third.log[..|second.log|][..|first.log|];
    forall e | e in first.log ensures e in second.log {
      var i :| 0 <= i < |first.log| && first.log[i] == e;
      assert second.log[..|first.log|][i] == e;
    }
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
      ExtendsIsTransitive(third[id], second[id], first[id]);
    }
  }

  // What each operation does, exactly.

  /** The session that an operation changes, if it changes one. */
  function Changed(op: Operation): Option<Id> {
    match op
    case DoAppend(session, _) => Some(session)
    case DoCompaction(session, _, _) => Some(session)
    case DoRecord(session, _, _, _) => Some(session)
    case DoMerge(session, _, _) => Some(session)
    case DoUnion(session, _) => Some(session)
    case DoCheckout(session, _) => Some(session)
    case _ => None
  }

  /** The session that an operation makes, if it makes one. */
  function Made(op: Operation): Option<Id> {
    match op
    case DoFork(_, _, target) => Some(target)
    case DoForkPrefix(_, _, target) => Some(target)
    case DoExport(_, _, target) => Some(target)
    case DoBackfill(_, _, target) => Some(target)
    case DoRestamp(_, _, target) => Some(target)
    case _ => None
  }

  /** An operation changes one session or makes one; every other one stays as it was, none goes. */
  lemma EveryOtherSessionStaysAsItWas(store: Store, op: Operation)
    requires Enabled(store, op)
    ensures Changed(op).Some? <==> Made(op).None?
    ensures Changed(op).Some? ==> Changed(op).value in store && Apply(store, op).Keys == store.Keys
    ensures Made(op).Some? ==> Made(op).value !in store && Apply(store, op).Keys == store.Keys + {Made(op).value}
    ensures forall id | id in store && Some(id) != Changed(op) :: Apply(store, op)[id] == store[id]
  {
  }

  /** In a valid store an entry can be appended exactly where the session is there and its log with the entry is well-formed. */
  lemma AppendIsEnabledExactlyWhen(store: Store, session: Id, e: Entry)
    requires Valid(store)
    ensures Enabled(store, DoAppend(session, e)) <==> session in store && WellFormed(store[session].log + [e])
  {
    if session in store {
      var log := store[session].log;
      assert (log + [e])[..|log|] == log;
    }
  }

  /** What appends one entry appends exactly that, which becomes the head. Beside it stands what the operation says of it: what a
    * boundary preserves, what a record says, where a merged branch ends; and nothing else changes. */
  lemma AppendExtendsOneLogByOneEntry(
    store: Store, id: Id, entry: Entry, preserves: Preserved, says: Overlays.Overlay, faces: Option<Trims.Faces>, end: Id)
    requires id in store
    ensures Enabled(store, DoAppend(id, entry)) ==>
              Apply(store, DoAppend(id, entry))[id] == store[id].(log := store[id].log + [entry], head := Some(entry.uuid))
    ensures Enabled(store, DoCompaction(id, entry, preserves)) ==>
              Apply(store, DoCompaction(id, entry, preserves))[id]
              == store[id].(log := store[id].log + [entry], head := Some(entry.uuid),
              preserved := store[id].preserved[entry.uuid := preserves])
    ensures Enabled(store, DoRecord(id, entry, says, faces)) ==>
              Apply(store, DoRecord(id, entry, says, faces))[id]
              == store[id].(log := store[id].log + [entry], head := Some(entry.uuid),
              sayings := store[id].sayings[entry.uuid := says],
              trims := if faces.Some? then store[id].trims[entry.uuid := faces.value] else store[id].trims)
    ensures Enabled(store, DoMerge(id, entry, end)) ==>
              Apply(store, DoMerge(id, entry, end))[id]
              == store[id].(log := store[id].log + [entry], head := Some(entry.uuid),
              merges := store[id].merges[entry.uuid := end])
  {
  }

  /** Any entry of a session can be merged into any other, whatever the head is: the node has only to fit on the one. */
  lemma AnyTwoEntriesCanBeMerged(store: Store, id: Id, node: Entry, at: Id, end: Id)
    requires id in store
    requires Fits(store[id].log, node) && node.parent == Some(at)
    requires end in Uuids(store[id].log)
    ensures Enabled(store, DoMerge(id, node, end))
    ensures Enabled(store, DoCheckout(id, at))
    ensures Apply(Apply(store, DoCheckout(id, at)), DoMerge(id, node, end)) == Apply(store, DoMerge(id, node, end))
  {
  }

  /** P5: a record supersedes only a record of its own conversation: as the log is after it, the one that it supersedes stands before
    * it in the conversation that it ends. */
  lemma UndoIsOfItsOwnConversation(
    store: Store, id: Id, record: Entry, says: Overlays.Overlay, faces: Option<Trims.Faces>)
    requires Valid(store)
    requires Enabled(store, DoRecord(id, record, says, faces))
    requires says.supersedes.Some?
    ensures var after, k := Apply(store, DoRecord(id, record, says, faces))[id], says.supersedes.value;
            && k != record.uuid
            && k in store[id].sayings
            && k in Members(after.log, record.uuid)
            && k in after.sayings
            && Overlays.Record(k, after.sayings[k]) in Overlays.RecordsIn(Context(after.log, record.uuid), after.sayings)
  {
    hide Members, Context, WellFormed, Overlays.RecordsIn;
    var log, after, k := store[id].log, Apply(store, DoRecord(id, record, says, faces))[id], says.supersedes.value;
    assert WellFormed(after.log) by {
      reveal WellFormed;
      assert after.log[..|log|] == log;
    }
    EntriesProofs.WellFormedHasUniqueUuids(after.log);
    EntriesProofs.WellFormedHasUniqueUuids(log);
    assert after.log[..|log|] == log;
    assert record in after.log;
    EntriesProofs.GetFindsEntry(after.log, record);
    ContextsProofs.MembersAreAsOf(log, record.parent.value);
    ContextsProofs.MembersInPrefix(after.log, |log|, record.parent.value);
    ContextsProofs.MembersOfParent(after.log, record.uuid);
    ContextsProofs.ContextHoldsExactlyTheMembers(after.log, record.uuid);
    RecordsAreThere(Context(after.log, record.uuid), after.sayings, k);
  }

  /** Where an entry is a record, what it says is among the records. */
  lemma RecordsAreThere(entries: Log, sayings: Overlays.Sayings, k: Id)
    requires k in Uuids(entries) && k in sayings
    ensures Overlays.Record(k, sayings[k]) in Overlays.RecordsIn(entries, sayings)
    decreases |entries|
  {
    var before := entries[..|entries| - 1];
    if entries[|entries| - 1].uuid != k {
      var x :| x in entries && x.uuid == k;
      assert x in before;
      RecordsAreThere(before, sayings, k);
    }
  }

  /** An entry that comes new to a valid session has nothing beside it: no list of a boundary, no record, no second parent. */
  lemma NewEntriesAreUnsaid(s: Session, e: Entry)
    requires ValidSession(s)
    requires Fits(s.log, e)
    ensures var grown := Grown(s, e);
            e.uuid !in grown.preserved && e.uuid !in grown.sayings && e.uuid !in grown.merges && e.uuid !in grown.trims
  {
  }

  /** A checkout changes nothing but the head. */
  lemma CheckoutMovesTheHeadAlone(store: Store, id: Id, at: Id)
    requires Enabled(store, DoCheckout(id, at))
    ensures Apply(store, DoCheckout(id, at))[id] == store[id].(head := Some(at))
  {
  }

  /** A union brings exactly what is new, each entry once, and moves no head. */
  lemma UnionBringsExactlyWhatIsNew(store: Store, id: Id, other: Id)
    requires Valid(store)
    requires Enabled(store, DoUnion(id, other))
    ensures var after := Apply(store, DoUnion(id, other))[id];
            && after.log == store[id].log + Merging.News(store[id].log, store[other].log)
            && Uuids(after.log) == Uuids(store[id].log) + Uuids(store[other].log)
            && UniqueUuids(after.log)
            && after.head == store[id].head
  {
    MergingProofs.UuidsOfUnion(store[id].log, store[other].log);
    MergingProofs.UnionIsWellFormed(store[id].log, store[other].log);
    EntriesProofs.WellFormedHasUniqueUuids(Merging.Union(store[id].log, store[other].log));
  }

  /** Where the branch is not reached already, a merge is that of chapter 13, on the log and the second parents. */
  lemma MergeIsMerge(store: Store, id: Id, node: Entry, end: Id)
    requires Valid(store)
    requires Enabled(store, DoMerge(id, node, end))
    ensures var h := Merging.History(store[id].log, store[id].merges);
            && Merging.CanMerge(h, node, end)
            && (end !in Merging.Reach(h.log, h.merges, node.parent.value) ==>
                  && Merging.Merge(h, node, end)
                     == Merging.History(Apply(store, DoMerge(id, node, end))[id].log, Apply(store, DoMerge(id, node, end))[id].merges)
                  && Apply(store, DoMerge(id, node, end))[id].head == Some(Merging.Head(h, node, end)))
  {
  }

  /** A fork adds exactly one session, which holds exactly what is kept of its point, and goes on there. */
  lemma ForkAddsOneLog(store: Store, source: Id, at: Id, target: Id)
    requires Enabled(store, DoFork(source, at, target))
    ensures target !in store
    ensures Apply(store, DoFork(source, at, target)).Keys == store.Keys + {target}
    ensures Apply(store, DoFork(source, at, target))[target].log == ForkKept(store[source].log, store[source].preserved, at)
    ensures Apply(store, DoFork(source, at, target))[target].head == Some(at)
    ensures forall id | id in store :: Apply(store, DoFork(source, at, target))[id] == store[id]
  {
  }

  /** `ForkPrefix` adds exactly one session, which holds exactly what stands up to the fork point. */
  lemma ForkPrefixAddsOneLog(store: Store, source: Id, at: Id, target: Id)
    requires Enabled(store, DoForkPrefix(source, at, target))
    ensures target !in store
    ensures Apply(store, DoForkPrefix(source, at, target)).Keys == store.Keys + {target}
    ensures Apply(store, DoForkPrefix(source, at, target))[target].log == AsOf(store[source].log, at)
    ensures forall id | id in store :: Apply(store, DoForkPrefix(source, at, target))[id] == store[id]
  {
  }

  /** An export adds exactly one session: the fork, where the conversation ends as it is shown, of the log as it is seen. */
  lemma ExportAddsOneLog(store: Store, source: Id, at: Id, target: Id)
    requires Enabled(store, DoExport(source, at, target))
    ensures target !in store
    ensures Apply(store, DoExport(source, at, target)).Keys == store.Keys + {target}
    ensures var s, made := store[source], Apply(store, DoExport(source, at, target))[target];
            && EndShown(s, at).value in Uuids(Faced(s, at, Seen(s, at)))
            && made == ForkSession(s.(log := Faced(s, at, Seen(s, at))), EndShown(s, at).value)
            && made.head == EndShown(s, at)
    ensures forall id | id in store :: Apply(store, DoExport(source, at, target))[id] == store[id]
  {
    hide Seen, Faced, EndShown, ForkKept, Overlays.StubsAreNew;
    Trims.TrimKeepsUuids(Seen(store[source], at), Counting(store[source], at), store[source].trims);
    assert Faced(store[source], at, Seen(store[source], at))
        == Trims.TrimAll(Seen(store[source], at), Counting(store[source], at), store[source].trims) by {
      reveal Faced;
    }
  }

  /** `Backfill` adds exactly one session, which holds the entries of the source, each filled in its place. */
  lemma BackfillAddsOneLog(store: Store, source: Id, schema: Schema, target: Id)
    requires Enabled(store, DoBackfill(source, schema, target))
    ensures target !in store
    ensures Apply(store, DoBackfill(source, schema, target)).Keys == store.Keys + {target}
    ensures Apply(store, DoBackfill(source, schema, target))[target].log
         == seq(|store[source].log|, i requires 0 <= i < |store[source].log| => BackfillEntry(store[source].log[i], schema))
    ensures forall id | id in store :: Apply(store, DoBackfill(source, schema, target))[id] == store[id]
  {
    BackfillProofs.BackfillIsEntrywise(store[source].log, schema);
  }

  /** No operation writes over a session that is there: what makes a new one onto it is not enabled. */
  lemma ExistingLogsAreNeverTargets(store: Store, source: Id, at: Id, schema: Schema, target: Id)
    requires target in store
    ensures !Enabled(store, DoFork(source, at, target))
    ensures !Enabled(store, DoForkPrefix(source, at, target))
    ensures !Enabled(store, DoExport(source, at, target))
    ensures !Enabled(store, DoBackfill(source, schema, target))
  {
  }

  /** P5: after any operation every session that existed is there and continued by its successor. */
  lemma ApplyIsAppendOnly(store: Store, op: Operation)
    requires Enabled(store, op)
    ensures AppendOnly(store, Apply(store, op))
  {
    var after := Apply(store, op);
    EveryOtherSessionStaysAsItWas(store, op);
    if Changed(op).Some? {
      var id := Changed(op).value;
      forall e | e in store[id].log ensures e.uuid in Uuids(store[id].log) {
      }
      if op.DoUnion? {
        UnionSessionExtends(store[id], store[op.other]);
      }
      assert Extends(after[id], store[id]);
    }
  }

  // Soundness of every log.

  /** In a valid store every log has unique uuids (P1), no dangling parent (P2) and no cycle. */
  lemma ValidStoresAreSound(store: Store)
    requires Valid(store)
    ensures forall id | id in store ::
              UniqueUuids(store[id].log) && NoDanglingParents(store[id].log) && Acyclic(store[id].log)
  {
    forall id | id in store
      ensures UniqueUuids(store[id].log) && NoDanglingParents(store[id].log) && Acyclic(store[id].log)
    {
      EntriesProofs.WellFormedHasUniqueUuids(store[id].log);
      EntriesProofs.WellFormedHasNoDanglingParents(store[id].log);
      EntriesProofs.WellFormedIsAcyclic(store[id].log);
    }
  }

  /** One more entry leaves a session valid. */
  lemma GrownIsValid(s: Session, e: Entry)
    requires ValidSession(s)
    requires Fits(s.log, e)
    ensures ValidSession(Grown(s, e))
    ensures e.uuid in Uuids(Grown(s, e).log)
    ensures Uuids(s.log) <= Uuids(Grown(s, e).log)
  {
    ForksProofs.AppendIsWellFormed(s.log, e);
    EntriesProofs.UuidsOfLast(Append(s.log, e));
    assert Append(s.log, e)[..|s.log|] == s.log;
  }

  /** A fork of a session is valid. */
  lemma ForkSessionIsValid(s: Session, u: Id)
    requires WellFormed(s.log)
    requires u in Uuids(s.log)
    ensures ValidSession(ForkSession(s, u))
  {
    EntriesProofs.WellFormedHasUniqueUuids(s.log);
    RenderingProofs.ForkKeptIsWellFormed(s.log, s.preserved, u);
    RenderingProofs.ForkKeptHoldsExactlyWhatIsKept(s.log, s.preserved, u);
    ContextsProofs.MembersContainsItself(s.log, u);
  }

  /** What is seen is well-formed, if the stubs are new. */
  lemma SeenIsWellFormed(s: Session, u: Id)
    requires WellFormed(s.log)
    requires u in Uuids(s.log)
    requires Overlays.StubsAreNew(s.log, Counting(s, u))
    ensures WellFormed(Seen(s, u))
  {
    OverlaysProofs.ApplyAllIsWellFormed(s.log, Counting(s, u));
    RewritingProofs.DropIsWellFormed(Overlays.ApplyAll(s.log, Counting(s, u)), Members(s.log, u) * s.sayings.Keys);
  }

  /** With its faces it is a log of the same entries, calls and results, in which every conversation is what it was, with its faces. */
  lemma FacedIsAlike(s: Session, u: Id, log: Log)
    requires u in Uuids(s.log)
    ensures Trims.AllAlike(log, Faced(s, u, log))
    ensures Uuids(Faced(s, u, log)) == Uuids(log)
    ensures WellFormed(Faced(s, u, log)) <==> WellFormed(log)
    ensures forall v | v in Uuids(log) ::
              && Members(Faced(s, u, log), v) == Members(log, v)
              && Context(Faced(s, u, log), v) == Faced(s, u, Context(log, v))
  {
    var faced := Faced(s, u, log);
    TrimsProofs.TrimsKeepTheRest(log, Counting(s, u), s.trims);
    TrimsProofs.AlikeAreWellFormedTogether(log, faced);
    Trims.TrimKeepsUuids(log, Counting(s, u), s.trims);
    forall v | v in Uuids(log)
      ensures Members(faced, v) == Members(log, v)
      ensures Context(faced, v) == Faced(s, u, Context(log, v))
    {
      TrimsProofs.AlikeHaveTheSameMembers(log, faced, v);
      TrimsProofs.TrimsOfWhatIsKept(log, Counting(s, u), s.trims, Members(log, v));
    }
  }

  /** An export is valid, if the stubs are new. */
  lemma ExportIsValid(s: Session, u: Id)
    requires WellFormed(s.log)
    requires u in Uuids(s.log)
    requires Overlays.StubsAreNew(s.log, Counting(s, u))
    requires EndShown(s, u).Some? && EndShown(s, u).value in Uuids(Seen(s, u))
    ensures ValidSession(ExportSession(s, u))
  {
    hide Seen, Faced, EndShown, ForkKept, Overlays.StubsAreNew, WellFormed;
    SeenIsWellFormed(s, u);
    FacedIsAlike(s, u, Seen(s, u));
    assert Faced(s, u, Seen(s, u)) == Trims.TrimAll(Seen(s, u), Counting(s, u), s.trims) by {
      reveal Faced;
    }
    ForkSessionIsValid(s.(log := Faced(s, u, Seen(s, u))), EndShown(s, u).value);
  }

  /** Where a session goes on it can be forked and gone back to: a valid head is an entry of its log. */
  lemma HeadsCanBeForked(store: Store, id: Id, target: Id)
    requires Valid(store)
    requires id in store && target !in store
    requires store[id].head.Some?
    ensures Enabled(store, DoFork(id, store[id].head.value, target))
    ensures Enabled(store, DoForkPrefix(id, store[id].head.value, target))
    ensures Enabled(store, DoCheckout(id, store[id].head.value))
  {
    assert ValidSession(store[id]);
  }

  /** P1, P2 and acyclicity are preserved by every operation. */
  lemma ApplyKeepsStoresValid(store: Store, op: Operation)
    requires Valid(store)
    requires Enabled(store, op)
    ensures Valid(Apply(store, op))
  {
    EveryOtherSessionStaysAsItWas(store, op);
    match op
    case DoAppend(id, entry) => GrownIsValid(store[id], entry);
    case DoCompaction(id, boundary, _) => GrownIsValid(store[id], boundary);
    case DoRecord(id, record, _, _) => GrownIsValid(store[id], record);
    case DoMerge(id, node, _) => GrownIsValid(store[id], node);
    case DoUnion(id, other) => UnionSessionIsValid(store[id], store[other]);
    case DoCheckout(_, _) =>
    case DoFork(source, at, _) => ForkSessionIsValid(store[source], at);
    case DoForkPrefix(source, at, _) =>
      ForksProofs.ForkPrefixIsWellFormed(store[source].log, at);
      assert store[source].log[IndexOf(store[source].log, at)] in AsOf(store[source].log, at);
    case DoExport(source, at, _) =>
      ExportIsValid(store[source], at);
    case DoBackfill(source, schema, _) => BackfillProofs.BackfillKeepsWellFormed(store[source].log, schema);
    case DoRestamp(source, stamp, _) =>
      StampIsSameButFields(store[source].log, stamp);
      BackfillProofs.SameWellFormed(StampLog(store[source].log, stamp), store[source].log);
  }

  // Histories: any number of operations.

  /** P5 for any history: every session that existed is there at the end and continued by what it became. */
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

  /** Nothing an operation can do deletes an entry, moves it or rewrites it, or changes what stands beside it: after any history
    * every entry that ever stood in a log stands there still, in its place, as it was. */
  lemma NothingIsDeletedOrRewritten(store: Store, ops: seq<Operation>, id: Id, i: nat)
    requires ApplyAll(store, ops).Some?
    requires id in store
    requires i < |store[id].log|
    ensures id in ApplyAll(store, ops).value
    ensures i < |ApplyAll(store, ops).value[id].log|
    ensures ApplyAll(store, ops).value[id].log[i] == store[id].log[i]
    ensures SaidAlike(ApplyAll(store, ops).value[id].preserved, store[id].preserved, store[id].log[i].uuid)
    ensures SaidAlike(ApplyAll(store, ops).value[id].sayings, store[id].sayings, store[id].log[i].uuid)
    ensures SaidAlike(ApplyAll(store, ops).value[id].merges, store[id].merges, store[id].log[i].uuid)
  {
    HistoryIsAppendOnly(store, ops);
    ExtendsEntryByEntry(ApplyAll(store, ops).value[id], store[id]);
  }

  // Old conversations.

  /** A log that continues another gives every entry of the other the ancestry and the lineage it had. */
  lemma ExtensionKeepsOldAncestries(log: Log, past: Log, v: Id)
    requires WellFormed(log)
    requires past <= log
    requires v in Uuids(past)
    ensures WellFormed(past)
    ensures v in Uuids(log)
    ensures Ancestry(log, v) == Ancestry(past, v)
    ensures Lineage(log, v) == Lineage(past, v)
  {
    assert past == log[..|past|];
    AncestriesProofs.AncestryInPrefix(log, |past|, v);
    AncestriesProofs.LineageInPrefix(log, |past|, v);
  }

  /** A log that continues another gives every entry of the other the place, the members and the context it had. */
  lemma ExtensionKeepsOldContexts(log: Log, past: Log, v: Id)
    requires UniqueUuids(log)
    requires past <= log
    requires v in Uuids(past)
    ensures v in Uuids(log)
    ensures IndexOf(log, v) == IndexOf(past, v)
    ensures Get(log, v) == Get(past, v)
    ensures Members(log, v) == Members(past, v)
    ensures Context(log, v) == Context(past, v)
  {
    assert past == log[..|past|];
    EntriesProofs.IndexOfInPrefix(log, |past|, v);
    ContextsProofs.MembersInPrefix(log, |past|, v);
    ContextsProofs.ContextInPrefix(log, |past|, v);
  }

  /** In a log that continues another a point is settled, resumable, legal exactly if it was, and no entry that came since
    * touches its conversation; nothing becomes legal by growth. */
  lemma ExtensionKeepsLegalExactly(log: Log, past: Log, v: Id)
    requires UniqueUuids(log)
    requires past <= log
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
    requires past <= log
    requires e in log[|past|..]
    ensures e.uuid !in Uuids(past)
  {
    var j :| |past| <= j < |log| && log[j] == e;
    forall a | a in past
      ensures a.uuid != e.uuid
    {
      var i :| 0 <= i < |past| && past[i] == a;
      assert log[i] == past[i];
    }
  }

  /** What was reached in a log is reached where it continues. */
  lemma ReachInPrefix(log: Log, past: Log, merges: Merging.Merges, v: Id)
    requires WellFormed(log)
    requires past <= log
    requires v in Uuids(past)
    ensures WellFormed(past) && v in Uuids(log)
    ensures Merging.Reach(log, merges, v) == Merging.Reach(past, merges, v)
    decreases |log|
  {
    if log == past {
    } else {
      var e, before := log[|log| - 1], log[..|log| - 1];
      assert past <= before;
      assert log == Append(before, e);
      ReachInPrefix(before, past, merges, v);
      MergingProofs.ReachOfOneMore(before, merges, e, v);
    }
  }

  /** A session that continues another gives every entry of the other all that it had: its ancestry and lineage, its context, what
    * a client sends there, what a fork there keeps, what is shown there, what is reached there and what is held there. */
  lemma ExtensionKeepsOldConversations(s: Session, past: Session, v: Id)
    requires WellFormed(s.log)
    requires Extends(s, past)
    requires v in Uuids(past.log)
    ensures WellFormed(past.log) && v in Uuids(s.log)
    ensures Ancestry(s.log, v) == Ancestry(past.log, v)
    ensures Lineage(s.log, v) == Lineage(past.log, v)
    ensures Context(s.log, v) == Context(past.log, v)
    ensures Rendered(s.log, s.preserved, v) == Rendered(past.log, past.preserved, v)
    ensures ForkKept(s.log, s.preserved, v) == ForkKept(past.log, past.preserved, v)
    ensures Overlays.ShownAt(s.log, s.sayings, v) == Overlays.ShownAt(past.log, past.sayings, v)
    ensures ShownIn(s, v) == ShownIn(past, v)
    ensures Merging.Reach(s.log, s.merges, v) == Merging.Reach(past.log, past.merges, v)
    ensures Merging.Held(s.log, s.merges, v) == Merging.Held(past.log, past.merges, v)
  {
    hide Rendered, ForkKept, Members, Context, Lineage, Ancestry, WellFormed, Extends;
    assert past.log <= s.log && past.log == s.log[..|past.log|] by {
      reveal Extends;
    }
    EntriesProofs.WellFormedHasUniqueUuids(s.log);
    ExtensionKeepsOldAncestries(s.log, past.log, v);
    ExtensionKeepsOldContexts(s.log, past.log, v);
    assert RenderingProofs.Agree(past.log, past.preserved, s.preserved) by {
      reveal Extends;
    }
    RenderingProofs.RenderedInPrefix(s.log, past.preserved, s.preserved, |past.log|, v);
    assert Overlays.ShownAt(s.log, s.sayings, v) == Overlays.ShownAt(past.log, past.sayings, v) by {
      ContextsProofs.ContextHoldsExactlyTheMembers(past.log, v);
      forall w | w in Uuids(Context(past.log, v)) ensures SaidAlike(s.sayings, past.sayings, w) {
        reveal Extends;
        var e :| e in Context(past.log, v) && e.uuid == w;
        assert e in past.log;
      }
      OverlaysProofs.ShownDependsOnSayingsThere(Context(past.log, v), s.sayings, past.sayings);
    }
    assert ShownIn(s, v) == ShownIn(past, v) by {
      ContextsProofs.ContextHoldsExactlyTheMembers(past.log, v);
      forall w | w in Uuids(Context(past.log, v)) ensures SaidAlike(s.sayings, past.sayings, w) && SaidAlike(s.trims, past.trims, w) {
        reveal Extends;
        var e :| e in Context(past.log, v) && e.uuid == w;
        assert e in past.log;
      }
      TrimsProofs.ShownDependsOnFacesThere(Context(past.log, v), s.sayings, past.sayings, s.trims, past.trims);
    }
    forall w | w in Uuids(past.log) ensures SaidAlike(s.merges, past.merges, w) {
      reveal Extends;
      var e :| e in past.log && e.uuid == w;
    }
    MergingProofs.ReachDependsOnMergesThere(past.log, s.merges, past.merges, v);
    ReachInPrefix(s.log, past.log, s.merges, v);
    HeldInPrefix(s.log, past.log, s.merges, past.merges, v);
  }

  /** What was held in a log is held where it continues, if the same is reached. */
  lemma HeldInPrefix(log: Log, past: Log, merges: Merging.Merges, before: Merging.Merges, v: Id)
    requires WellFormed(log) && WellFormed(past)
    requires past <= log
    requires v in Uuids(past) && v in Uuids(log)
    requires Merging.Reach(log, merges, v) == Merging.Reach(past, before, v)
    ensures Merging.Held(log, merges, v) == Merging.Held(past, before, v)
  {
    EntriesProofs.WellFormedHasUniqueUuids(log);
    MergingProofs.ReachIsInLog(past, before, v);
    forall w | w in Merging.Reach(past, before, v) ensures w in Uuids(log) && w in Uuids(past) && Members(log, w) == Members(past, w) {
      ExtensionKeepsOldContexts(log, past, w);
    }
  }

  /** P4 over the store: after any history every old entry of every old session has the ancestry, the lineage and the context it
    * had, and so a conversation that was balanced (P3) still is. The same is sent there, shown there and held there, whatever
    * came since: prompts, compactions, records, merges, or the entries of other sessions. */
  lemma HistoryKeepsOldContexts(store: Store, ops: seq<Operation>, id: Id, v: Id)
    requires Valid(store)
    requires ApplyAll(store, ops).Some?
    requires id in store
    requires v in Uuids(store[id].log)
    ensures Valid(ApplyAll(store, ops).value)
    ensures id in ApplyAll(store, ops).value
    ensures v in Uuids(ApplyAll(store, ops).value[id].log)
    ensures var past, s := store[id], ApplyAll(store, ops).value[id];
            && Ancestry(s.log, v) == Ancestry(past.log, v)
            && Lineage(s.log, v) == Lineage(past.log, v)
            && Context(s.log, v) == Context(past.log, v)
            && (Balanced(Context(s.log, v)) <==> Balanced(Context(past.log, v)))
            && Rendered(s.log, s.preserved, v) == Rendered(past.log, past.preserved, v)
            && ForkKept(s.log, s.preserved, v) == ForkKept(past.log, past.preserved, v)
            && ShownIn(s, v) == ShownIn(past, v)
            && Merging.Reach(s.log, s.merges, v) == Merging.Reach(past.log, past.merges, v)
            && Merging.Held(s.log, s.merges, v) == Merging.Held(past.log, past.merges, v)
  {
    hide Rendered, ForkKept, Members, Context, Lineage, Ancestry, Balanced, Merging.Held, Merging.Reach, Overlays.ShownAt, ShownIn;
    HistoryIsAppendOnly(store, ops);
    HistoryKeepsStoresValid(store, ops);
    ExtensionKeepsOldConversations(ApplyAll(store, ops).value[id], store[id], v);
  }

  /** After any history an old point is legal exactly if it was and nothing that its log gained touches its conversation. */
  lemma HistoryKeepsLegalExactly(store: Store, ops: seq<Operation>, id: Id, v: Id)
    requires Valid(store)
    requires ApplyAll(store, ops).Some?
    requires id in store
    requires v in Uuids(store[id].log)
    ensures id in ApplyAll(store, ops).value
    ensures |store[id].log| <= |ApplyAll(store, ops).value[id].log|
    ensures v in Uuids(ApplyAll(store, ops).value[id].log)
    ensures Legal(ApplyAll(store, ops).value[id].log, v)
       <==> && Legal(store[id].log, v)
            && forall e | e in ApplyAll(store, ops).value[id].log[|store[id].log|..] ::
                 ForksProofs.Untouched(store[id].log, v, e)
  {
    hide Legal, ForksProofs.Untouched, ApplyAll;
    HistoryIsAppendOnly(store, ops);
    HistoryKeepsStoresValid(store, ops);
    var after := ApplyAll(store, ops).value;
    EntriesProofs.WellFormedHasUniqueUuids(after[id].log);
    ExtensionKeepsLegalExactly(after[id].log, store[id].log, v);
  }

  // Forks of sessions that were compacted, that have records, and into which others were merged.

  /** A fork keeps of a session all that its entries had: every kept entry has the ancestry and the context that it had, and is
    * shown as it was, by the records of its own conversation; and what a client sends at the point, and wherever the conversation
    * crosses no other boundary, is what it sent. So to fork and then look is to look and then fork. */
  lemma ForkKeepsConversations(s: Session, u: Id, v: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    requires v in Kept(s.log, s.preserved, u)
    ensures var fork := ForkSession(s, u);
            && ValidSession(fork) && fork.head == Some(u)
            && v in Uuids(s.log) && v in Uuids(fork.log)
            && Ancestry(fork.log, v) == Ancestry(s.log, v)
            && Context(fork.log, v) == Context(s.log, v)
            && ShownIn(fork, v) == ShownIn(s, v)
            && (v in Members(s.log, u) && RenderingProofs.CrossesNoOther(s.log, s.preserved, u, v) ==>
                  Rendered(fork.log, fork.preserved, v) == Rendered(s.log, s.preserved, v))
  {
    hide Rendered, ForkKept, Members, Context, Ancestry, Kept, RenderingProofs.CrossesNoOther;
    EntriesProofs.WellFormedHasUniqueUuids(s.log);
    ForkSessionIsValid(s, u);
    var fork := ForkSession(s, u);
    RenderingProofs.ForkKeptPreservesAncestry(s.log, s.preserved, u, v);
    RenderingProofs.ForkKeptPreservesContexts(s.log, s.preserved, u, v);
    ContextsProofs.ContextHoldsExactlyTheMembers(fork.log, v);
    TrimsProofs.ShownDependsOnFacesThere(Context(fork.log, v), fork.sayings, s.sayings, fork.trims, s.trims);
    if v in Members(s.log, u) && RenderingProofs.CrossesNoOther(s.log, s.preserved, u, v) {
      RenderingProofs.ForkKeptPreservesRendering(s.log, s.preserved, u, v);
      SaidOfKept(s, u);
      SentAlike(fork.log, fork.preserved, s.preserved, v);
    }
  }

  /** What a fork's boundaries preserve is what they preserved. */
  lemma SaidOfKept(s: Session, u: Id)
    requires u in Uuids(s.log)
    ensures RenderingProofs.Agree(ForkSession(s, u).log, ForkSession(s, u).preserved, s.preserved)
  {
  }

  /** Where two maps say the same of a log, the same is sent. */
  lemma SentAlike(log: Log, a: Preservation, b: Preservation, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires RenderingProofs.Agree(log, a, b)
    ensures Rendered(log, a, v) == Rendered(log, b, v)
    ensures Kept(log, a, v) == Kept(log, b, v)
  {
    hide Rendered, Kept;
    assert log[..|log|] == log;
    RenderingProofs.RenderedInPrefix(log, a, b, |log|, v);
  }

  /** A fork of a fork at the same point is the fork. */
  lemma ForkingASessionAgainChangesNothing(s: Session, u: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    ensures u in Uuids(ForkSession(s, u).log)
    ensures ForkSession(ForkSession(s, u), u) == ForkSession(s, u)
  {
    hide ForkKept, Kept;
    EntriesProofs.WellFormedHasUniqueUuids(s.log);
    ForkSessionIsValid(s, u);
    var fork := ForkSession(s, u);
    RenderingProofs.ForkingKeptAgainChangesNothing(s.log, s.preserved, u);
    SaidOfKept(s, u);
    EntriesProofs.WellFormedHasUniqueUuids(fork.log);
    RenderingProofs.RenderedInPrefix(fork.log, fork.preserved, s.preserved, |fork.log|, u) by {
      assert fork.log[..|fork.log|] == fork.log;
    }
    assert ForkKept(fork.log, fork.preserved, u) == fork.log by {
      assert fork.log[..|fork.log|] == fork.log;
    }
  }

  /** What a fork reaches was reached, and belongs to the fork. */
  lemma ForkReachesNoMore(s: Session, u: Id, v: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    requires v in Kept(s.log, s.preserved, u)
    ensures var fork := ForkSession(s, u);
            && WellFormed(fork.log) && v in Uuids(fork.log) && v in Uuids(s.log)
            && Merging.Reach(fork.log, fork.merges, v) <= Merging.Reach(s.log, s.merges, v) * Kept(s.log, s.preserved, u)
  {
    hide Kept, ForkKept, Merging.Reach;
    ForkKeepsConversations(s, u, v);
    var fork, kept := ForkSession(s, u), Kept(s.log, s.preserved, u);
    EntriesProofs.WellFormedHasUniqueUuids(s.log);
    RenderingProofs.ForkKeptHoldsExactlyWhatIsKept(s.log, s.preserved, u);
    var ids := Merging.Reach(s.log, s.merges, v);
    MergingProofs.ReachIsBothParentsClosed(s.log, s.merges, v);
    MergingProofs.ReachIsInLog(s.log, s.merges, v);
    forall w | w in Uuids(fork.log) && w in ids
      ensures Get(fork.log, w).parent.Some? ==> Get(fork.log, w).parent.value in ids
      ensures Merging.SecondParent(fork.log, fork.merges, w).Some? ==> Merging.SecondParent(fork.log, fork.merges, w).value in ids
    {
      EntriesProofs.SameUuidIsSameEntry(s.log, Get(fork.log, w), Get(s.log, w));
      if Merging.SecondParent(fork.log, fork.merges, w).Some? {
        SecondParentOfFork(s, u, w);
      }
    }
    MergingProofs.ReachIsLeast(fork.log, fork.merges, v, ids);
    MergingProofs.ReachIsInLog(fork.log, fork.merges, v);
  }

  /** A second parent is one in the fork exactly if it was one and is kept. */
  lemma SecondParentOfFork(s: Session, u: Id, w: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    requires w in Kept(s.log, s.preserved, u)
    ensures var fork := ForkSession(s, u);
            && w in Uuids(fork.log) && w in Uuids(s.log)
            && Merging.SecondParent(fork.log, fork.merges, w)
               == (match Merging.SecondParent(s.log, s.merges, w)
                   case Some(q) => if q in Kept(s.log, s.preserved, u) then Some(q) else None
                   case None => None)
  {
    hide Kept, ForkKept;
    EntriesProofs.WellFormedHasUniqueUuids(s.log);
    RenderingProofs.ForkKeptHoldsExactlyWhatIsKept(s.log, s.preserved, u);
    var fork := ForkSession(s, u);
    if w in s.merges {
      var q := s.merges[w];
      StandsBefore(s.log, w, q);
      StandsBefore(fork.log, w, q);
    }
  }

  /** An entry stands in what is before another one exactly if its place is before. */
  lemma StandsBefore(log: Log, w: Id, q: Id)
    requires UniqueUuids(log)
    requires w in Uuids(log)
    ensures q in Uuids(log[..IndexOf(log, w)]) <==> q in Uuids(log) && IndexOf(log, q) < IndexOf(log, w)
  {
    var n := IndexOf(log, w);
    if q in Uuids(log[..n]) {
      var i :| 0 <= i < n && log[..n][i].uuid == q;
      assert log[i] in log;
    }
    if q in Uuids(log) && IndexOf(log, q) < n {
      assert log[..n][IndexOf(log, q)] in log[..n];
    }
  }

  /** A fork of a session into which others were merged holds what its point held exactly if it leaves nothing of that behind;
    * and what it leaves behind it does not hold. */
  lemma ForkHoldsWhatIsNotLeftBehind(s: Session, u: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    ensures var fork := ForkSession(s, u);
            && WellFormed(fork.log) && u in Uuids(fork.log)
            && Merging.Held(fork.log, fork.merges, u) <= Merging.Held(s.log, s.merges, u) - LeftBehind(s, u)
            && (Merging.Held(fork.log, fork.merges, u) == Merging.Held(s.log, s.merges, u) <==> LeftBehind(s, u) == {})
  {
    hide Kept, ForkKept, Merging.Reach, Members, Merging.Held, WellFormed, ForkSession;
    ForkHoldsNoMore(s, u);
    if LeftBehind(s, u) == {} {
      ForkHoldsAllThatIsKept(s, u);
    } else {
      var w :| w in LeftBehind(s, u);
      assert w in Merging.Held(s.log, s.merges, u);
    }
  }

  /** What a fork holds at its point was held there, and is kept. */
  lemma ForkHoldsNoMore(s: Session, u: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    ensures var fork := ForkSession(s, u);
            && WellFormed(fork.log) && u in Uuids(fork.log)
            && Merging.Held(fork.log, fork.merges, u) <= Merging.Held(s.log, s.merges, u)
            && Merging.Held(fork.log, fork.merges, u) <= Kept(s.log, s.preserved, u)
  {
    hide Kept, ForkKept, Merging.Reach, Members, WellFormed;
    PointIsKept(s, u);
    ForkReachesNoMore(s, u, u);
    RenderingProofs.KeptIsWhole(s.log, s.preserved, u);
    var fork := ForkSession(s, u);
    forall w | w in Merging.Held(fork.log, fork.merges, u)
      ensures w in Merging.Held(s.log, s.merges, u) && w in Kept(s.log, s.preserved, u)
    {
      var v :| v in Uuids(fork.log) && v in Merging.Reach(fork.log, fork.merges, u) && w in Members(fork.log, v);
      RenderingProofs.ForkKeptPreservesContexts(s.log, s.preserved, u, v);
    }
  }

  /** Where a fork leaves nothing behind it holds all that its point held. */
  lemma ForkHoldsAllThatIsKept(s: Session, u: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    requires LeftBehind(s, u) == {}
    ensures var fork := ForkSession(s, u);
            && WellFormed(fork.log) && u in Uuids(fork.log)
            && Merging.Held(s.log, s.merges, u) <= Merging.Held(fork.log, fork.merges, u)
  {
    hide Kept, ForkKept, Merging.Reach, Members, WellFormed;
    PointIsKept(s, u);
    var held, kept := Merging.Held(s.log, s.merges, u), Kept(s.log, s.preserved, u);
    assert held - kept == {};
    assert held <= kept by {
      assert forall w :: w in held - kept <==> w in held && w !in kept;
    }
    MergingProofs.HeldHoldsConversationAndReach(Merging.History(s.log, s.merges), u);
    ForkReachesAllThatIsKept(s, u);
    var fork := ForkSession(s, u);
    forall w | w in Merging.Held(s.log, s.merges, u) ensures w in Merging.Held(fork.log, fork.merges, u) {
      var v :| v in Uuids(s.log) && v in Merging.Reach(s.log, s.merges, u) && w in Members(s.log, v);
      assert v in Kept(s.log, s.preserved, u);
      RenderingProofs.ForkKeptPreservesContexts(s.log, s.preserved, u, v);
    }
  }

  /** A fork keeps its point. */
  lemma PointIsKept(s: Session, u: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    ensures UniqueUuids(s.log)
    ensures u in Kept(s.log, s.preserved, u)
  {
    EntriesProofs.WellFormedHasUniqueUuids(s.log);
    ContextsProofs.MembersContainsItself(s.log, u);
  }

  /** Where all that is reached is kept, the fork reaches it. */
  lemma ForkReachesAllThatIsKept(s: Session, u: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    requires Merging.Reach(s.log, s.merges, u) <= Kept(s.log, s.preserved, u)
    ensures var fork := ForkSession(s, u);
            && WellFormed(fork.log) && u in Uuids(fork.log)
            && Merging.Reach(fork.log, fork.merges, u) == Merging.Reach(s.log, s.merges, u)
  {
    hide Kept, ForkKept, Merging.Reach;
    EntriesProofs.WellFormedHasUniqueUuids(s.log);
    MergingProofs.ReachIsInLog(s.log, s.merges, u);
    ForkReachesNoMore(s, u, u);
    var fork := ForkSession(s, u);
    RenderingProofs.ForkKeptHoldsExactlyWhatIsKept(s.log, s.preserved, u);
    var ids := Merging.Reach(fork.log, fork.merges, u);
    MergingProofs.ReachIsInLog(fork.log, fork.merges, u);
    MergingProofs.ReachIsBothParentsClosed(fork.log, fork.merges, u);
    forall w | w in Uuids(s.log) && w in ids
      ensures Get(s.log, w).parent.Some? ==> Get(s.log, w).parent.value in ids
      ensures Merging.SecondParent(s.log, s.merges, w).Some? ==> Merging.SecondParent(s.log, s.merges, w).value in ids
    {
      EntriesProofs.SameUuidIsSameEntry(s.log, Get(fork.log, w), Get(s.log, w));
      if Merging.SecondParent(s.log, s.merges, w).Some? {
        SecondParentOfFork(s, u, w);
        MergingProofs.ReachOfReached(s.log, s.merges, u, w);
        MergingProofs.ReachIsBothParentsClosed(s.log, s.merges, u);
      }
    }
    MergingProofs.ReachIsLeast(s.log, s.merges, u, ids);
  }

  /** What a fork left behind comes back once: the fork and then what is new in its source are the entries of the source, each of
    * them once. */
  lemma SourceComesBackIntoTheForkOnce(s: Session, u: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    ensures var back := UnionSession(ForkSession(s, u), s);
            && ValidSession(back)
            && Uuids(back.log) == Uuids(s.log)
            && |back.log| == |s.log|
            && (forall e :: e in back.log <==> e in s.log)
            && Extends(back, ForkSession(s, u))
  {
    hide Kept, ForkKept, Merging.Union, WellFormed, UniqueUuids;
    var fork := ForkSession(s, u);
    EntriesProofs.WellFormedHasUniqueUuids(s.log);
    ForkSessionIsValid(s, u);
    UnionSessionIsValid(fork, s);
    UnionSessionExtends(fork, s);
    var back := UnionSession(fork, s);
    RenderingProofs.ForkKeptHoldsExactlyWhatIsKept(s.log, s.preserved, u);
    MergingProofs.UuidsOfUnion(fork.log, s.log);
    EntriesProofs.WellFormedHasUniqueUuids(back.log);
    EntriesProofs.WellFormedHasUniqueUuids(fork.log);
    assert Merging.Agree(fork.log, s.log) by {
      forall x, y | x in fork.log && y in s.log && x.uuid == y.uuid ensures x == y {
        EntriesProofs.SameUuidIsSameEntry(s.log, x, y);
      }
    }
    MergingProofs.UnionLosesNothingExactlyIfTheyAgree(fork.log, s.log);
    MergingProofs.UnionHoldsNothingElse(fork.log, s.log);
    SameIdsSameLength(back.log, s.log);
  }

  /** The union of two valid sessions is valid. */
  lemma UnionSessionIsValid(a: Session, b: Session)
    requires ValidSession(a) && ValidSession(b)
    ensures ValidSession(UnionSession(a, b))
  {
    hide Merging.Union, WellFormed;
    MergingProofs.UnionIsWellFormed(a.log, b.log);
    MergingProofs.UuidsOfUnion(a.log, b.log);
  }

  /** The union of two sessions continues the first. */
  lemma UnionSessionExtends(a: Session, b: Session)
    ensures Extends(UnionSession(a, b), a)
  {
    forall e | e in a.log ensures e.uuid in Uuids(a.log) {
    }
  }

  /** Two logs with unique uuids and the same ones have equal length. */
  lemma SameIdsSameLength(a: Log, b: Log)
    requires UniqueUuids(a) && UniqueUuids(b)
    requires Uuids(a) == Uuids(b)
    ensures |a| == |b|
  {
    AsManyIdsAsEntries(a);
    AsManyIdsAsEntries(b);
  }

  /** A log with unique uuids has as many as entries. */
  lemma AsManyIdsAsEntries(log: Log)
    requires UniqueUuids(log)
    ensures |Uuids(log)| == |log|
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      AsManyIdsAsEntries(before);
      EntriesProofs.UuidsOfLast(log);
      forall i | 0 <= i < |before| ensures before[i].uuid != e.uuid {
        assert log[i].uuid != log[|log| - 1].uuid;
      }
      assert Uuids(before) == Uuids(log) - {e.uuid};
    }
  }

  // Records: fork and export, and what is checked.

  /** Without records in the conversation the export is the fork. */
  lemma WithoutRecordsExportIsFork(s: Session, u: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    requires Members(s.log, u) !! s.sayings.Keys
    ensures EndShown(s, u) == Some(u)
    ensures Seen(s, u) == s.log
    ensures u in Uuids(Seen(s, u)) && ExportSession(s, u) == ForkSession(s, u)
  {
    hide Members, Context, ForkKept;
    EntriesProofs.WellFormedHasUniqueUuids(s.log);
    ContextsProofs.ContextHoldsExactlyTheMembers(s.log, u);
    OverlaysProofs.WithoutRecordsTheContextIsShown(s.log, s.sayings, u);
    ContextsProofs.ContextEndsIn(s.log, u);
    OverlaysProofs.NoneOfThemIsARecord(Context(s.log, u), s.sayings);
    assert Counting(s, u) == [];
    assert Members(s.log, u) * s.sayings.Keys == {};
    RewritingProofs.CoveringNothing(s.log);
    assert s.(log := Seen(s, u)) == s;
  }

  /** The export has, where it goes on, the conversation in the log as it is seen, with its faces. So it has what is shown there, if
    * that is the whole conversation in the log as it is seen: nothing else belongs to it there, and nothing of it is lost. */
  lemma ExportIsWhatIsShownExactly(s: Session, u: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    requires Overlays.StubsAreNew(s.log, Counting(s, u))
    requires EndShown(s, u).Some? && EndShown(s, u).value in Uuids(Seen(s, u))
    ensures var end, made := EndShown(s, u).value, ExportSession(s, u);
            && ValidSession(made) && made.head == Some(end)
            && end in Uuids(made.log)
            && Context(made.log, end) == Faced(s, u, Context(Seen(s, u), end))
            && (Context(Seen(s, u), end) == Overlays.ShownAt(s.log, s.sayings, u) ==> Context(made.log, end) == ShownIn(s, u))
  {
    hide Members, Context, ForkKept, Kept, Seen, EndShown, Overlays.ShownAt, Faced, WellFormed;
    SeenIsWellFormed(s, u);
    FacedIsAlike(s, u, Seen(s, u));
    ExportIsValid(s, u);
    var end, seen := EndShown(s, u).value, s.(log := Faced(s, u, Seen(s, u)));
    assert ExportSession(s, u) == ForkSession(seen, end) && Faced(s, u, Overlays.ShownAt(s.log, s.sayings, u)) == ShownIn(s, u) by {
      reveal Faced, Overlays.ShownAt;
    }
    EntriesProofs.WellFormedHasUniqueUuids(seen.log);
    ContextsProofs.MembersContainsItself(seen.log, end);
    assert end in Kept(seen.log, seen.preserved, end) by {
      reveal Kept;
    }
    RenderingProofs.ForkKeptPreservesContexts(seen.log, seen.preserved, end, end);
  }

  /** What the records that count cover, where none leaves a stub, goes at once. */
  lemma DropsAreOneDrop(entries: Log, records: seq<Overlays.Record>)
    requires WellFormed(entries)
    requires forall r | r in records :: r.says.stub.None?
    ensures Overlays.ApplyAll(entries, records) == Rewriting.Drop(entries, Covered(records))
    decreases |records|
  {
    if |records| == 0 {
      RewritingProofs.CoveringNothing(entries);
    } else {
      var before, last := records[..|records| - 1], records[|records| - 1];
      DropsAreOneDrop(entries, before);
      RewritingProofs.DropOfDropIsDropOfUnion(entries, Covered(before), last.says.covered);
    }
  }

  /** What records cover. */
  function Covered(records: seq<Overlays.Record>): set<Id>
    decreases |records|
  {
    if |records| == 0 then {} else Covered(records[..|records| - 1]) + records[|records| - 1].says.covered
  }

  /** What is left out at `u`: what the records that count cover, and the records. */
  function LeftOut(s: Session, u: Id): set<Id>
    requires u in Uuids(s.log)
  {
    Covered(Counting(s, u)) + Members(s.log, u) * s.sayings.Keys
  }

  /** Records that leave no stub: from the whole log goes what goes from the conversation; and the conversation where it ends is, faces
    * aside, what is shown, exactly if its members are what was to be left. */
  lemma DropsExportWhatIsShownExactly(s: Session, u: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    requires forall r | r in Counting(s, u) :: r.says.stub.None?
    requires EndShown(s, u).Some?
    ensures Seen(s, u) == Rewriting.Drop(s.log, LeftOut(s, u))
    ensures Overlays.ShownAt(s.log, s.sayings, u) == Rewriting.Drop(Context(s.log, u), LeftOut(s, u))
    ensures EndShown(s, u).value in Uuids(Seen(s, u))
    ensures Context(Seen(s, u), EndShown(s, u).value) == Overlays.ShownAt(s.log, s.sayings, u) <==>
            Members(Seen(s, u), EndShown(s, u).value) == Members(s.log, u) - LeftOut(s, u)
  {
    hide Members, Context, WellFormed, UniqueUuids, Rewriting.Drop, Uuids;
    EntriesProofs.WellFormedHasUniqueUuids(s.log);
    var m, records, hidden := Members(s.log, u), Counting(s, u), Members(s.log, u) * s.sayings.Keys;
    ContextsProofs.ContextHoldsExactlyTheMembers(s.log, u);
    ForksProofs.ForkIsWellFormed(s.log, u);
    DropsAreOneDrop(s.log, records);
    RewritingProofs.DropOfDropIsDropOfUnion(s.log, Covered(records), hidden);
    DropsAreOneDrop(Context(s.log, u), records);
    RewritingProofs.DropOfDropIsDropOfUnion(Context(s.log, u), Covered(records), hidden);
    var left, shown := Rewriting.Drop(s.log, LeftOut(s, u)), Overlays.ShownAt(s.log, s.sayings, u);
    RewritingProofs.DropOfContext(s.log, LeftOut(s, u), u);
    RewritingProofs.UuidsOfDrop(s.log, LeftOut(s, u));
    RewritingProofs.DropIsWellFormed(s.log, LeftOut(s, u));
    EntriesProofs.WellFormedHasUniqueUuids(left);
    var end := EndShown(s, u).value;
    assert end in Uuids(shown) by {
      reveal Uuids;
    }
    ContextsProofs.MembersStandBefore(s.log, u, end);
    ContextsProofs.ContextHoldsExactlyTheMembers(left, end);
    if Members(left, end) == m - LeftOut(s, u) {
      reveal Context;
    } else {
      assert Uuids(Context(left, end)) != Uuids(shown);
    }
  }

  /** Records that leave stubs, too: the export is what is shown, faces included, exactly if what is shown, no more and no less, is the
    * conversation where it ends, in the log as it is seen; provided that the stubs are new and each stands for entries of the
    * conversation alone. */
  lemma StubsExportWhatIsShownExactly(s: Session, u: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    requires Overlays.StubsAreNew(s.log, Counting(s, u))
    requires OverlaysProofs.StubsCoverTheirOwn(s.log, Context(s.log, u), Counting(s, u))
    requires EndShown(s, u).Some?
    ensures var shown := Overlays.ShownAt(s.log, s.sayings, u);
            && Keep(Seen(s, u), Uuids(shown)) == shown
            && EndShown(s, u).value in Uuids(Seen(s, u))
            && EndShown(s, u).value in Uuids(ExportSession(s, u).log)
            && (Context(ExportSession(s, u).log, EndShown(s, u).value) == ShownIn(s, u) <==>
                Members(Seen(s, u), EndShown(s, u).value) == Uuids(shown))
  {
    hide Members, Context, WellFormed, Rewriting.Drop, Uuids, Keep, Kept, ForkKept, Overlays.ApplyAll, OverlaysProofs.IsPart, Faced;
    var m, records, shown := Members(s.log, u), Counting(s, u), Overlays.ShownAt(s.log, s.sayings, u);
    EntriesProofs.WellFormedHasUniqueUuids(s.log);
    ContextsProofs.ContextHoldsExactlyTheMembers(s.log, u);
    ForksProofs.ForkIsWellFormed(s.log, u);
    assert Context(s.log, u) == Keep(s.log, m) by {
      reveal Context;
    }
    OverlaysProofs.WellFormedPart(Context(s.log, u), s.log);
    OverlaysProofs.ApplyAllOfPart(s.log, Context(s.log, u), records);
    OverlaysProofs.ApplyAllIsWellFormed(s.log, records);
    OverlaysProofs.DropOfPart(
      Overlays.ApplyAll(s.log, records), Overlays.ApplyAll(Context(s.log, u), records), m * s.sayings.Keys);
    assert shown == Keep(Seen(s, u), Uuids(shown)) by {
      reveal OverlaysProofs.IsPart;
    }
    EntriesProofs.UuidsOfKeep(Seen(s, u), Uuids(shown));
    var end := EndShown(s, u).value;
    assert end in Uuids(shown) by {
      reveal Uuids;
    }
    ExportIsWhatIsShownExactly(s, u);
    ContextsProofs.ContextHoldsExactlyTheMembers(Seen(s, u), end);
    FacedIsAlike(s, u, Context(Seen(s, u), end));
    FacedIsAlike(s, u, shown);
    assert ShownIn(s, u) == Faced(s, u, shown) by {
      reveal Faced;
    }
    if Members(Seen(s, u), end) == Uuids(shown) {
      reveal Context;
    }
  }

  /** R3: a merge within a session is sent as what its target sends and the node behind that, and that is balanced exactly if what the
    * target sends is. The target is settled, and no boundary preserves it or waits for the node, which is the user's, and calls and answers nothing. */
  lemma MergeIsSentBehindItsTarget(store: Store, id: Id, node: Entry, end: Id)
    requires Valid(store)
    requires Enabled(store, DoMerge(id, node, end))
    requires Settled(store[id].log, node.parent.value)
    requires node.kind.User? && UsesOf(node) == {} && ResultsOf(node) == {}
    requires RenderingProofs.NotAwaited(store[id].log, store[id].preserved, node)
    requires RenderingProofs.NotPreserved(store[id].log, store[id].preserved, node.parent.value)
    ensures var s, after, target := store[id], Apply(store, DoMerge(id, node, end))[id], node.parent.value;
            && WellFormed(after.log) && node.uuid in Uuids(after.log) && after.head == Some(node.uuid)
            && Rendered(after.log, after.preserved, node.uuid) == Rendered(s.log, s.preserved, target) + [node]
            && (Sound(Rendered(s.log, s.preserved, target)) <==> Sound(Rendered(after.log, after.preserved, node.uuid)))
            && (Balanced(Rendered(s.log, s.preserved, target)) <==> Balanced(Rendered(after.log, after.preserved, node.uuid)))
  {
    hide WellFormed, Rendered, Settled, RenderingProofs.NotAwaited, RenderingProofs.NotPreserved, BooksOf;
    var s, target := store[id], node.parent.value;
    ForksProofs.PromptNeedsNothingElse(s.log, node, target);
    RenderingProofs.AppendRendersOneMore(s.log, s.preserved, node, target);
    var sent := Rendered(s.log, s.preserved, target);
    BalanceProofs.BooksOfConcatenation(sent, [node]);
    BalanceProofs.BlocksOfOne(node);
    assert forall b | b in node.blocks && b.Use? :: b.id in UsesOf(node);
    assert forall b | b in node.blocks && b.Result? :: b.id in ResultsOf(node);
    BalanceProofs.OpaqueBlocksChangeNothing(BooksOf(sent), node.blocks);
  }

  /** Stubs that no record leaves are new. */
  lemma NoStubsAreNew(entries: Log, records: seq<Overlays.Record>)
    requires forall r | r in records :: r.says.stub.None?
    ensures Overlays.StubsAreNew(entries, records)
    decreases |records|
  {
    if |records| > 0 {
      NoStubsAreNew(entries, records[..|records| - 1]);
    }
  }

  /** At the point of a fork the same records count, and the same is shown. */
  lemma ForkIsShownAlike(s: Session, u: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    ensures var fork := ForkSession(s, u);
            && ValidSession(fork) && u in Uuids(fork.log)
            && Members(fork.log, u) == Members(s.log, u)
            && Counting(fork, u) == Counting(s, u)
            && Overlays.ShownAt(fork.log, fork.sayings, u) == Overlays.ShownAt(s.log, s.sayings, u)
            && ShownIn(fork, u) == ShownIn(s, u)
            && EndShown(fork, u) == EndShown(s, u)
            && Members(fork.log, u) * fork.sayings.Keys == Members(s.log, u) * s.sayings.Keys
  {
    hide Members, Context, ForkKept, Kept;
    PointIsKept(s, u);
    ForkKeepsConversations(s, u, u);
    RenderingProofs.ForkKeptPreservesContexts(s.log, s.preserved, u, u);
    ContextsProofs.ContextHoldsExactlyTheMembers(ForkSession(s, u).log, u);
    OverlaysProofs.RecordsDependOnSayingsThere(Context(s.log, u), ForkSession(s, u).sayings, s.sayings);
    OverlaysProofs.ShownDependsOnSayingsThere(Context(s.log, u), ForkSession(s, u).sayings, s.sayings);
    TrimsProofs.ShownDependsOnFacesThere(
      Context(s.log, u), ForkSession(s, u).sayings, s.sayings, ForkSession(s, u).trims, s.trims);
  }

  /** Of a log that is kept in part an entry has the members that it had, if all of them are kept. */
  lemma KeptMembersStay(log: Log, ids: set<Id>, v: Id)
    requires UniqueUuids(log)
    requires v in Uuids(log) && Members(log, v) <= ids
    ensures v in Uuids(Keep(log, ids))
    ensures Members(Keep(log, ids), v) == Members(log, v)
  {
    hide Members, Needs;
    var kept := Keep(log, ids);
    ContextsProofs.MembersContainsItself(log, v);
    EntriesProofs.UuidsOfKeep(log, ids);
    ForksProofs.AsOfInKeep(log, ids, v);
    EntriesProofs.KeepHoldsExactly(AsOf(log, v), ids);
    ContextsProofs.ClosedInPart(AsOf(log, v), AsOf(kept, v), Members(log, v)) by {
      ContextsProofs.MembersAreClosedAsOf(log, v);
    }
    ContextsProofs.MembersAreLeast(kept, v, Members(log, v));
    var m := Members(kept, v);
    ContextsProofs.MembersAreClosedAsOf(log, v);
    ContextsProofs.MembersAreClosedAsOf(kept, v);
    forall a, b | a in AsOf(log, v) && b in AsOf(log, v) && a.uuid in m && Needs(a, b) ensures b.uuid in m {
      assert a.uuid in Members(log, v);
      assert b.uuid in Members(log, v);
      assert a in AsOf(kept, v) && b in AsOf(kept, v);
    }
    ContextsProofs.MembersContainsItself(kept, v);
    ContextsProofs.MembersAreLeast(log, v, m);
  }

  /** To fork and then export is to export: where no record leaves a stub and the export of the session is what is shown there, the
    * export of its fork is the same conversation. */
  lemma ForkThenExportIsExport(s: Session, u: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log)
    requires forall r | r in Counting(s, u) :: r.says.stub.None?
    requires EndShown(s, u).Some? && EndShown(s, u).value in Uuids(Seen(s, u))
    requires Context(Seen(s, u), EndShown(s, u).value) == Overlays.ShownAt(s.log, s.sayings, u)
    ensures var fork, end, shown := ForkSession(s, u), EndShown(s, u).value, ShownIn(s, u);
            && u in Uuids(fork.log)
            && ShownIn(fork, u) == shown
            && EndShown(fork, u) == Some(end) && end in Uuids(Seen(fork, u))
            && end in Uuids(ExportSession(fork, u).log) && Context(ExportSession(fork, u).log, end) == shown
            && end in Uuids(ExportSession(s, u).log) && Context(ExportSession(s, u).log, end) == shown
  {
    hide Members, Context, ForkKept, Kept, WellFormed, UniqueUuids, Uuids, Overlays.ShownAt, Seen, EndShown, Counting, ExportSession;
    var fork, end, shown := ForkSession(s, u), EndShown(s, u).value, Overlays.ShownAt(s.log, s.sayings, u);
    PointIsKept(s, u);
    ForkIsShownAlike(s, u);
    NoStubsAreNew(s.log, Counting(s, u));
    NoStubsAreNew(fork.log, Counting(fork, u));
    ExportIsWhatIsShownExactly(s, u);
    DropsExportWhatIsShownExactly(s, u);
    DropsExportWhatIsShownExactly(fork, u);
    ExportIsWhatIsShownExactly(fork, u);
    SeenInFork(s, u);
    SeenIsWellFormed(s, u);
    EntriesProofs.WellFormedHasUniqueUuids(Seen(s, u));
    assert Members(s.log, u) <= Kept(s.log, s.preserved, u) by {
      reveal Kept;
    }
    KeptMembersStay(Seen(s, u), Kept(s.log, s.preserved, u), end);
  }

  /** What is seen of a fork is what is seen of the session, as far as the fork keeps it. */
  lemma SeenInFork(s: Session, u: Id)
    requires ValidSession(s)
    requires u in Uuids(s.log) && u in Uuids(ForkSession(s, u).log)
    requires forall r | r in Counting(s, u) :: r.says.stub.None?
    ensures Seen(ForkSession(s, u), u) == Keep(Seen(s, u), Kept(s.log, s.preserved, u))
    ensures LeftOut(ForkSession(s, u), u) == LeftOut(s, u)
  {
    hide Members, Context, Kept, Rewriting.Drop, Counting, WellFormed;
    var fork, ids, records := ForkSession(s, u), Kept(s.log, s.preserved, u), Counting(s, u);
    PointIsKept(s, u);
    ForkIsShownAlike(s, u);
    DropsAreOneDrop(s.log, records);
    DropsAreOneDrop(fork.log, records);
    RewritingProofs.DropOfDropIsDropOfUnion(s.log, Covered(records), Members(s.log, u) * s.sayings.Keys);
    RewritingProofs.DropOfDropIsDropOfUnion(fork.log, Covered(records), Members(s.log, u) * s.sayings.Keys);
    RenderingProofs.KeptIsWhole(s.log, s.preserved, u);
    RenderingProofs.WholeIsParentClosed(s.log, ids);
    RewritingProofs.DropOfKeep(s.log, ids, LeftOut(s, u));
  }

  /** A record whose hash is of what it covers is one that is checked: where what was there was accepted, what is there with the
    * record is accepted, at a settled head. An undo covers nothing, and its hash is that of nothing. */
  lemma RecordsThatFitAreAccepted(s: Session, record: Entry, says: Overlays.Overlay, digest: Log -> Value)
    requires ValidSession(s)
    requires Fits(s.log, record) && record.parent.Some?
    requires Settled(s.log, record.parent.value)
    requires !record.kind.Assistant? && UsesOf(record) == {}
    requires record.uuid !in says.covered
    requires says.hash == digest(Keep(Context(s.log, record.parent.value), says.covered))
    requires Overlays.Checked(Context(s.log, record.parent.value), s.sayings, digest).Some?
    requires forall r | r in Overlays.RecordsIn(Context(s.log, record.parent.value), s.sayings) ::
               && record.uuid !in r.says.covered
               && Overlays.Matches(Context(s.log, record.parent.value), r.says, digest)
    ensures var after := Grown(s, record).(sayings := s.sayings[record.uuid := says]);
            && record.uuid in Uuids(after.log)
            && Overlays.Checked(Context(after.log, record.uuid), after.sayings, digest).Some?
  {
    hide Members, Context, Settled;
    EntriesProofs.WellFormedHasUniqueUuids(s.log);
    var v := record.parent.value;
    OverlaysProofs.RecordGoesOn(s.log, record, v);
    var before, sayings := Context(s.log, v), s.sayings[record.uuid := says];
    ContextsProofs.ContextHoldsExactlyTheMembers(s.log, v);
    var entries := before + [record];
    OverlaysProofs.RecordsOfLast(before, record, sayings);
    forall w | w in Uuids(before) ensures SaidAlike(sayings, s.sayings, w) {
    }
    OverlaysProofs.RecordsDependOnSayingsThere(before, sayings, s.sayings);
    var older := Overlays.RecordsIn(before, s.sayings);
    forall r | r in Overlays.Active(entries, sayings) ensures Overlays.Matches(entries, r.says, digest) {
      OverlaysProofs.LivingAreNotDead(older + [Overlays.Record(record.uuid, says)], {});
      assert r in older || r == Overlays.Record(record.uuid, says);
      KeepOfOneMore(before, record, r.says.covered);
    }
  }

  /** What is kept of a log with one more entry, which is none of the kept. */
  lemma KeepOfOneMore(log: Log, e: Entry, ids: set<Id>)
    requires e.uuid !in ids
    ensures Keep(log + [e], ids) == Keep(log, ids)
  {
    assert (log + [e])[..|log|] == log;
  }

  // Envelopes: forks that were restamped.

  /** A log without envelopes has each entry in its place. */
  lemma BareIsEntrywise(log: Log, envelope: set<Key>)
    ensures |BareLog(log, envelope)| == |log|
    ensures forall i | 0 <= i < |log| :: BareLog(log, envelope)[i] == Bare(log[i], envelope)
    decreases |log|
  {
    if |log| > 0 {
      BareIsEntrywise(log[..|log| - 1], envelope);
    }
  }

  /** It is the log but for fields. */
  lemma BareIsSameButFields(log: Log, envelope: set<Key>)
    ensures SameButFields(BareLog(log, envelope), log)
    ensures Uuids(BareLog(log, envelope)) == Uuids(log)
  {
    BareIsEntrywise(log, envelope);
    BackfillProofs.SameUuids(BareLog(log, envelope), log);
  }

  /** To take the envelopes off commutes with keeping. */
  lemma BareOfKeep(log: Log, ids: set<Id>, envelope: set<Key>)
    ensures BareLog(Keep(log, ids), envelope) == Keep(BareLog(log, envelope), ids)
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      BareOfKeep(before, ids, envelope);
      assert (Keep(before, ids) + [e])[..|Keep(before, ids)|] == Keep(before, ids);
      assert (BareLog(before, envelope) + [Bare(e, envelope)])[..|before|] == BareLog(before, envelope) by {
        BareIsEntrywise(before, envelope);
      }
    }
  }

  /** To take the envelopes off commutes with putting one log behind another. */
  lemma BareOfBoth(a: Log, b: Log, envelope: set<Key>)
    ensures BareLog(a + b, envelope) == BareLog(a, envelope) + BareLog(b, envelope)
    decreases |b|
  {
    if |b| == 0 {
      assert a + b == a;
    } else {
      assert (a + b)[..|a + b| - 1] == a + b[..|b| - 1];
      BareOfBoth(a, b[..|b| - 1], envelope);
    }
  }

  /** The union of two logs without their envelopes is their union without envelopes. So what is proved of logs that agree holds of
    * a session and a fork that was restamped: they agree once the envelopes are off. */
  lemma UnionButForEnvelopes(a: Log, b: Log, envelope: set<Key>)
    ensures Merging.Union(BareLog(a, envelope), BareLog(b, envelope)) == BareLog(Merging.Union(a, b), envelope)
  {
    BareIsSameButFields(a, envelope);
    BareIsSameButFields(b, envelope);
    BareOfKeep(b, Uuids(b) - Uuids(a), envelope);
    BareOfBoth(a, Merging.News(a, b), envelope);
  }

  /** Nothing of a restamped session is lost in a union, but for envelopes, exactly if the two agree but for envelopes. */
  lemma UnionLosesNothingButEnvelopesExactly(a: Log, b: Log, envelope: set<Key>)
    requires UniqueUuids(a)
    ensures (forall e | e in BareLog(b, envelope) :: e in BareLog(Merging.Union(a, b), envelope))
       <==> Merging.Agree(BareLog(a, envelope), BareLog(b, envelope))
  {
    UnionButForEnvelopes(a, b, envelope);
    BareIsEntrywise(a, envelope);
    MergingProofs.UnionLosesNothingExactlyIfTheyAgree(BareLog(a, envelope), BareLog(b, envelope));
  }

  /** Conversations do not look at envelopes: to take them off and then look is to look and then take them off. */
  lemma ContextsButForEnvelopes(log: Log, envelope: set<Key>, v: Id)
    requires UniqueUuids(log)
    requires v in Uuids(log)
    ensures v in Uuids(BareLog(log, envelope))
    ensures Members(BareLog(log, envelope), v) == Members(log, v)
    ensures Context(BareLog(log, envelope), v) == BareLog(Context(log, v), envelope)
  {
    BareIsSameButFields(log, envelope);
    BackfillProofs.SameMembers(BareLog(log, envelope), log, v);
    BareOfKeep(log, Members(log, v), envelope);
  }

  /** A branch of a restamped session comes whole: where the two agree but for envelopes, what belongs in the second to the
    * conversation at an entry that is new to the first belongs to it in the union. */
  lemma RestampedBranchComesWhole(a: Log, b: Log, envelope: set<Key>, v: Id)
    requires WellFormed(a) && WellFormed(b)
    requires Merging.Agree(BareLog(a, envelope), BareLog(b, envelope))
    requires v in Uuids(b) && v !in Uuids(a)
    ensures v in Uuids(Merging.Union(a, b))
    ensures Members(b, v) <= Members(Merging.Union(a, b), v)
  {
    hide Members, Merging.Union, WellFormed;
    BareIsSameButFields(a, envelope);
    BareIsSameButFields(b, envelope);
    BackfillProofs.SameWellFormed(BareLog(a, envelope), a);
    BackfillProofs.SameWellFormed(BareLog(b, envelope), b);
    MergingProofs.UnionHoldsTheSecondFile(BareLog(a, envelope), BareLog(b, envelope), v);
    MergingProofs.UuidsOfUnion(a, b);
    UnionButForEnvelopes(a, b, envelope);
    var both := Merging.Union(a, b);
    BareIsSameButFields(both, envelope);
    BackfillProofs.SameMembers(BareLog(b, envelope), b, v);
    BackfillProofs.SameMembers(BareLog(both, envelope), both, v);
  }

  /** A stamped log has each entry in its place, stamped. */
  lemma StampIsEntrywise(log: Log, stamp: Stamp)
    ensures |StampLog(log, stamp)| == |log|
    ensures forall i | 0 <= i < |log| :: StampLog(log, stamp)[i] == StampEntry(log[i], stamp)
    decreases |log|
  {
    if |log| > 0 {
      StampIsEntrywise(log[..|log| - 1], stamp);
    }
  }

  /** It is the log but for fields. */
  lemma StampIsSameButFields(log: Log, stamp: Stamp)
    ensures SameButFields(StampLog(log, stamp), log)
    ensures Uuids(StampLog(log, stamp)) == Uuids(log)
  {
    StampIsEntrywise(log, stamp);
    BackfillProofs.SameUuids(StampLog(log, stamp), log);
  }

  /** A restamp adds exactly one session, and that is the source but for envelopes: each entry stands in its place, its keys outside
    * of the envelope are the source's, and those of the stamp have the values of the stamp. What stood beside the entries stays, and
    * so do the conversations. */
  lemma RestampChangesTheEnvelopeAlone(store: Store, source: Id, stamp: Stamp, target: Id, envelope: set<Key>)
    requires Enabled(store, DoRestamp(source, stamp, target))
    requires forall u | u in stamp :: stamp[u].Keys <= envelope
    ensures target !in store
    ensures var after, session := Apply(store, DoRestamp(source, stamp, target)), store[source];
            && after.Keys == store.Keys + {target}
            && (forall id | id in store :: after[id] == store[id])
            && after[target] == session.(log := after[target].log)
            && SameButFields(after[target].log, session.log)
            && BareLog(after[target].log, envelope) == BareLog(session.log, envelope)
            && (forall i | 0 <= i < |session.log| && session.log[i].uuid in stamp ::
                  forall k | k in stamp[session.log[i].uuid] ::
                    k in after[target].log[i].fields && after[target].log[i].fields[k] == stamp[session.log[i].uuid][k])
            && (UniqueUuids(session.log) ==> forall v | v in Uuids(session.log) ::
                    && v in Uuids(after[target].log)
                    && Members(after[target].log, v) == Members(session.log, v))
  {
    var log := store[source].log;
    var stamped := StampLog(log, stamp);
    StampIsEntrywise(log, stamp);
    StampIsSameButFields(log, stamp);
    BareOfStampedLog(log, stamp, envelope);
    if UniqueUuids(log) {
      forall v | v in Uuids(log)
        ensures v in Uuids(stamped) && Members(stamped, v) == Members(log, v)
      {
        BackfillProofs.SameMembers(stamped, log, v);
      }
    }
  }

  /** A stamp within the envelope changes the envelope alone. */
  lemma BareOfStamped(e: Entry, stamp: Stamp, envelope: set<Key>)
    requires forall u | u in stamp :: stamp[u].Keys <= envelope
    ensures Bare(StampEntry(e, stamp), envelope) == Bare(e, envelope)
  {
    assert StampEntry(e, stamp).fields - envelope == e.fields - envelope;
  }

  /** The same of each entry of a log. */
  lemma BareOfStampedLog(log: Log, stamp: Stamp, envelope: set<Key>)
    requires forall u | u in stamp :: stamp[u].Keys <= envelope
    ensures BareLog(StampLog(log, stamp), envelope) == BareLog(log, envelope)
  {
    StampIsEntrywise(log, stamp);
    BareIsEntrywise(log, envelope);
    BareIsEntrywise(StampLog(log, stamp), envelope);
    forall i | 0 <= i < |log|
      ensures BareLog(StampLog(log, stamp), envelope)[i] == BareLog(log, envelope)[i]
    {
      BareOfStamped(log[i], stamp, envelope);
    }
  }

  /** A log agrees with what is kept of it. */
  lemma KeptAgrees(log: Log, ids: set<Id>)
    requires UniqueUuids(log)
    ensures Merging.Agree(log, Keep(log, ids))
  {
    EntriesProofs.KeepHoldsExactly(log, ids);
  }

  /** A fork that is restamped within the envelope agrees with its source but for envelopes. So what grows there can be merged back:
    * by P5.16 nothing but envelopes is lost, and each of its branches comes whole. */
  lemma RestampedForkAgreesWithItsSource(s: Session, u: Id, stamp: Stamp, envelope: set<Key>)
    requires WellFormed(s.log)
    requires u in Uuids(s.log)
    requires forall v | v in stamp :: stamp[v].Keys <= envelope
    ensures Merging.Agree(BareLog(s.log, envelope), BareLog(StampLog(ForkSession(s, u).log, stamp), envelope))
  {
    hide Merging.Agree, Kept, BareLog, StampLog, WellFormed, Keep, UniqueUuids;
    var ids := Kept(s.log, s.preserved, u);
    BareOfStampedLog(ForkSession(s, u).log, stamp, envelope);
    BareOfKeep(s.log, ids, envelope);
    BareIsSameButFields(s.log, envelope);
    BackfillProofs.SameWellFormed(BareLog(s.log, envelope), s.log);
    EntriesProofs.WellFormedHasUniqueUuids(BareLog(s.log, envelope));
    KeptAgrees(BareLog(s.log, envelope), ids);
  }

  // Fork across versions, then backfill, in the store.

  /** The composed operation over the store: a fork and then a backfill of it add exactly two sessions, what is kept as it was and
    * what is kept filled for the target schema, both valid; every old session stays as it was. */
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
            && after[fork] == ForkSession(store[source], at)
            && after[target] == after[fork].(log := BackfillLog(after[fork].log, schema))
  {
    var forked := Apply(store, DoFork(source, at, fork));
    var after := Apply(forked, DoBackfill(fork, schema, target));
    var ops := [DoFork(source, at, fork), DoBackfill(fork, schema, target)];
    assert ops[1..] == [DoBackfill(fork, schema, target)];
    assert ops[1..][1..] == [];
    assert ApplyAll(forked, ops[1..]) == Some(after);
    HistoryKeepsStoresValid(store, ops);
  }

  /** P10: the context of a fork is the context at its point, and so is what a client sends there, a compaction included, and what is shown
    * there. It stays so whatever is done to the store afterwards: to the fork, to its source, or to any other session. */
  lemma ContextOfAForkIsTheContext(store: Store, source: Id, u: Id, target: Id, ops: seq<Operation>)
    requires Valid(store)
    requires Enabled(store, DoFork(source, u, target))
    requires ApplyAll(Apply(store, DoFork(source, u, target)), ops).Some?
    ensures target in ApplyAll(Apply(store, DoFork(source, u, target)), ops).value
    ensures var past, fork := store[source], ApplyAll(Apply(store, DoFork(source, u, target)), ops).value[target];
            && ValidSession(fork)
            && u in Uuids(fork.log)
            && Context(fork.log, u) == Context(past.log, u)
            && Rendered(fork.log, fork.preserved, u) == Rendered(past.log, past.preserved, u)
            && ShownIn(fork, u) == ShownIn(past, u)
  {
    hide Rendered, ForkKept, Members, Context, Ancestry, Kept, ShownIn, RenderingProofs.CrossesNoOther;
    var past, next := store[source], Apply(store, DoFork(source, u, target));
    ApplyKeepsStoresValid(store, DoFork(source, u, target));
    assert u in Kept(past.log, past.preserved, u) by {
      reveal Kept;
      ContextsProofs.MembersContainsItself(past.log, u);
    }
    ContextsProofs.MembersContainsItself(past.log, u);
    reveal RenderingProofs.CrossesNoOther;
    ForkKeepsConversations(past, u, u);
    HistoryKeepsOldContexts(next, ops, target, u);
  }
}

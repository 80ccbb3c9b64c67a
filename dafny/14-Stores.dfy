// Chapter 14. Sessions, a store of them, and the operations on it (P5 append-only). A session is a log and all that stands beside
// it: what boundaries preserve, what records say, the faces that they give, second parents, the head. So what the chapters on
// compaction, records, trims and merging define of a log is here done to a session, in any order.
include "07-Forks.dfy"
include "08-Backfill.dfy"
include "10-Rendering.dfy"
include "12-Overlays.dfy"
include "13-Merging.dfy"
include "22-Trims.dfy"

module Stores {
  import opened Names
  import opened Entries
  import opened Contexts
  import opened Forks
  import opened Backfill
  import opened Rendering
  import Rewriting
  import Overlays
  import Merging
  import Trims

  /** A session: its log; by the uuids of its entries what boundaries preserve, what records say, the second parents, and the faces
    * that trims give; and the entry at which it goes on, once there is one. */
  datatype Session = Session(
    log: Log,
    preserved: Preservation,
    sayings: Overlays.Sayings,
    merges: Merging.Merges,
    trims: Trims.Trims,
    head: Option<Id>)

  /** Sessions by id. */
  type Store = map<Id, Session>

  /** The log is well-formed, what stands beside it is said of its entries, and the head is one of them. */
  ghost predicate ValidSession(s: Session) {
    && WellFormed(s.log)
    && s.preserved.Keys <= Uuids(s.log)
    && s.sayings.Keys <= Uuids(s.log)
    && s.merges.Keys <= Uuids(s.log)
    && s.trims.Keys <= Uuids(s.log)
    && (s.head.Some? ==> s.head.value in Uuids(s.log))
  }

  /** Every session of the store is valid. */
  ghost predicate Valid(store: Store) {
    forall id | id in store :: ValidSession(store[id])
  }

  /** The same is said of an id in two maps: the same value, or nothing in both. */
  predicate SaidAlike<T(==)>(a: map<Id, T>, b: map<Id, T>, id: Id) {
    (id in a <==> id in b) && (id in a ==> a[id] == b[id])
  }

  /** `s` continues `past`: the entries of `past` come first, unchanged and in place, and what stood beside each stands there. The
    * head may be another. */
  predicate Extends(s: Session, past: Session) {
    && |past.log| <= |s.log|
    && s.log[..|past.log|] == past.log
    && forall e | e in past.log ::
         && SaidAlike(s.preserved, past.preserved, e.uuid)
         && SaidAlike(s.sayings, past.sayings, e.uuid)
         && SaidAlike(s.merges, past.merges, e.uuid)
         && SaidAlike(s.trims, past.trims, e.uuid)
  }

  /** P5: every session that existed is still there and continued by its successor. */
  predicate AppendOnly(before: Store, after: Store) {
    forall id | id in before :: id in after && Extends(after[id], before[id])
  }

  // --- What an operation makes of a session ---

  /** The session with one more entry, which becomes the head. */
  function Grown(s: Session, e: Entry): Session
    requires Fits(s.log, e)
  {
    s.(log := Append(s.log, e), head := Some(e.uuid))
  }

  /** What a map says of some ids. */
  function Only<T>(said: map<Id, T>, ids: set<Id>): map<Id, T> {
    map id | id in said && id in ids :: said[id]
  }

  /** A log of a session's entries with what stood beside each, and its head. */
  function PartOf(s: Session, log: Log, head: Id): Session {
    var ids := Uuids(log);
    Session(log, Only(s.preserved, ids), Only(s.sayings, ids), Only(s.merges, ids), Only(s.trims, ids), Some(head))
  }

  /** The fork of a session: what a fork of its log keeps, with what stood beside each entry; it goes on at `u`. */
  function ForkSession(s: Session, u: Id): Session
    requires u in Uuids(s.log)
  {
    PartOf(s, ForkKept(s.log, s.preserved, u), u)
  }

  /** Two sessions as one: the first, then what is new in the second, with what stood beside each entry. */
  function UnionSession(a: Session, b: Session): Session {
    var news := Uuids(b.log) - Uuids(a.log);
    Session(
      Merging.Union(a.log, b.log),
      a.preserved + Only(b.preserved, news),
      a.sayings + Only(b.sayings, news),
      a.merges + Only(b.merges, news),
      a.trims + Only(b.trims, news),
      a.head)
  }

  /** The records that count at `u`. */
  function Counting(s: Session, u: Id): seq<Overlays.Record>
    requires u in Uuids(s.log)
  {
    Overlays.Active(Context(s.log, u), s.sayings)
  }

  /** The whole log as it is seen from `u`: what the records that count there say is applied to it, and the records of the
    * conversation there are hidden. */
  function Seen(s: Session, u: Id): Log
    requires u in Uuids(s.log)
  {
    Rewriting.Drop(Overlays.ApplyAll(s.log, Counting(s, u)), Members(s.log, u) * s.sayings.Keys)
  }

  /** A log of the session with the faces that the trims give which count at `u`. */
  function Faced(s: Session, u: Id, log: Log): Log
    requires u in Uuids(s.log)
  {
    Trims.TrimAll(log, Counting(s, u), s.trims)
  }

  /** The conversation at `u` as it is shown: what records leave out is not there, and the rest has the faces of its trims. */
  function ShownIn(s: Session, u: Id): Log
    requires u in Uuids(s.log)
  {
    Trims.ShownTrimmedAt(s.log, s.sayings, s.trims, u)
  }

  /** The stubs that records say, by their ids: a later record may cover one of these, too. */
  function Stubs(s: Session): set<Id> {
    set r | r in s.sayings && s.sayings[r].stub.Some? :: s.sayings[r].stub.value.uuid
  }

  /** Where the conversation at `u` ends as it is shown: at its last entry, if anything is left of it. */
  function EndShown(s: Session, u: Id): Option<Id>
    requires u in Uuids(s.log)
  {
    var shown := Overlays.ShownAt(s.log, s.sayings, u);
    if |shown| == 0 then None else Some(shown[|shown| - 1].uuid)
  }

  /** The export of a session: the fork, where the conversation at `u` ends as it is shown, of the log as it is seen from `u`, with
    * its faces. */
  function ExportSession(s: Session, u: Id): Session
    requires u in Uuids(s.log)
    requires EndShown(s, u).Some? && EndShown(s, u).value in Uuids(Seen(s, u))
  {
    Trims.TrimKeepsUuids(Seen(s, u), Counting(s, u), s.trims);
    ForkSession(s.(log := Faced(s, u, Seen(s, u))), EndShown(s, u).value)
  }

  /** What is written into envelopes: for the id of an entry, keys with their values. */
  type Stamp = map<Id, map<Key, Value>>

  /** An entry with its stamp, if there is one for it. */
  function StampEntry(e: Entry, stamp: Stamp): Entry {
    if e.uuid in stamp then e.(fields := e.fields + stamp[e.uuid]) else e
  }

  /** A log with each entry stamped. */
  function StampLog(log: Log, stamp: Stamp): Log
    decreases |log|
  {
    if |log| == 0 then []
    else StampLog(log[..|log| - 1], stamp) + [StampEntry(log[|log| - 1], stamp)]
  }

  // --- Operations ---

  /** What can be done to a store. A client's compaction appends a boundary; `drop`, `compact`, `trim`, `undo` and `redo` append a
    * record, and a trim gives faces by it; a merge within a session appends a node, a merge of two sessions brings what is new in the other one before; `rewind` is a
    * checkout further up. */
  datatype Operation =
    | DoAppend(session: Id, entry: Entry)
    | DoCompaction(session: Id, boundary: Entry, preserves: Preserved)
    | DoRecord(session: Id, record: Entry, says: Overlays.Overlay, faces: Option<Trims.Faces>)
    | DoMerge(session: Id, node: Entry, end: Id)
    | DoUnion(session: Id, other: Id)
    | DoCheckout(session: Id, at: Id)
    | DoFork(source: Id, at: Id, target: Id)
    | DoForkPrefix(source: Id, at: Id, target: Id)
    | DoExport(source: Id, at: Id, target: Id)
    | DoBackfill(source: Id, schema: Schema, target: Id)
    | DoRestamp(source: Id, stamp: Stamp, target: Id)

  /** The operation can be done: what it names is there, what it makes is new. */
  predicate Enabled(store: Store, op: Operation) {
    match op
    case DoAppend(session, entry) => session in store && Fits(store[session].log, entry)
    case DoCompaction(session, boundary, _) => session in store && Fits(store[session].log, boundary) && boundary.parent.None?
    case DoRecord(session, record, says, faces) =>
      && session in store
      && Fits(store[session].log, record)
      && record.parent.Some?
      && says.covered <= Members(store[session].log, record.parent.value) + Stubs(store[session])
      && (faces.Some? ==> faces.value.Keys <= Members(store[session].log, record.parent.value) + Stubs(store[session]))
      && (says.stub.Some? ==>
            && says.stub.value.uuid != record.uuid
            && says.stub.value.uuid !in Uuids(store[session].log) + Stubs(store[session]))
      && (says.supersedes.Some? ==>
            says.supersedes.value in Members(store[session].log, record.parent.value) * store[session].sayings.Keys)
    case DoMerge(session, node, end) =>
      session in store && Fits(store[session].log, node) && node.parent.Some? && end in Uuids(store[session].log)
    case DoUnion(session, other) => session in store && other in store
    case DoCheckout(session, at) => session in store && at in Uuids(store[session].log)
    case DoFork(source, at, target) => source in store && at in Uuids(store[source].log) && target !in store
    case DoForkPrefix(source, at, target) => source in store && at in Uuids(store[source].log) && target !in store
    case DoExport(source, at, target) =>
      && source in store
      && at in Uuids(store[source].log)
      && target !in store
      && Overlays.StubsAreNew(store[source].log, Counting(store[source], at))
      && EndShown(store[source], at).Some?
      && EndShown(store[source], at).value in Uuids(Seen(store[source], at))
    case DoBackfill(source, _, target) => source in store && target !in store
    case DoRestamp(source, _, target) => source in store && target !in store
  }

  /** The store after an operation. */
  function Apply(store: Store, op: Operation): Store
    requires Enabled(store, op)
  {
    match op
    case DoAppend(session, entry) => store[session := Grown(store[session], entry)]
    case DoCompaction(session, boundary, preserves) =>
      var s := store[session];
      store[session := Grown(s, boundary).(preserved := s.preserved[boundary.uuid := preserves])]
    case DoRecord(session, record, says, faces) =>
      var s := store[session];
      var trims := if faces.Some? then s.trims[record.uuid := faces.value] else s.trims;
      store[session := Grown(s, record).(sayings := s.sayings[record.uuid := says], trims := trims)]
    case DoMerge(session, node, end) =>
      var s := store[session];
      store[session := Grown(s, node).(merges := s.merges[node.uuid := end])]
    case DoUnion(session, other) => store[session := UnionSession(store[session], store[other])]
    case DoCheckout(session, at) => store[session := store[session].(head := Some(at))]
    case DoFork(source, at, target) => store[target := ForkSession(store[source], at)]
    case DoForkPrefix(source, at, target) => store[target := PartOf(store[source], ForkPrefix(store[source].log, at), at)]
    case DoExport(source, at, target) => store[target := ExportSession(store[source], at)]
    case DoBackfill(source, schema, target) =>
      store[target := store[source].(log := BackfillLog(store[source].log, schema))]
    case DoRestamp(source, stamp, target) =>
      store[target := store[source].(log := StampLog(store[source].log, stamp))]
  }

  /** The store after several operations, each enabled when its turn comes. */
  function ApplyAll(store: Store, ops: seq<Operation>): Option<Store>
    decreases |ops|
  {
    if |ops| == 0 then Some(store)
    else if !Enabled(store, ops[0]) then None
    else ApplyAll(Apply(store, ops[0]), ops[1..])
  }

  // --- Envelopes ---

  /** An entry without its envelope: the keys that a restamped copy has otherwise (the session's id), and nothing else. */
  function Bare(e: Entry, envelope: set<Key>): Entry {
    e.(fields := e.fields - envelope)
  }

  /** A log without envelopes. */
  function BareLog(log: Log, envelope: set<Key>): Log
    decreases |log|
  {
    if |log| == 0 then []
    else BareLog(log[..|log| - 1], envelope) + [Bare(log[|log| - 1], envelope)]
  }

  /** What a fork leaves out of what its point holds: what was merged there and belongs to no conversation that is kept. */
  function LeftBehind(s: Session, u: Id): set<Id>
    requires WellFormed(s.log)
    requires u in Uuids(s.log)
  {
    Merging.Held(s.log, s.merges, u) - Kept(s.log, s.preserved, u)
  }
}

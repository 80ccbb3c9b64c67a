// Chapter 12. Overlays: what is left out of a conversation is said by records, entries of the log themselves, which are appended
// and applied when the conversation is shown. So nothing is ever deleted (P5), and a record is undone by another one. What a
// record says stands beside the log, as a map from the record's uuid.
include "07-Forks.dfy"
include "11-Rewriting.dfy"

module Overlays {
  import opened Names
  import opened Entries
  import opened Ancestries
  import opened Contexts
  import opened Forks
  import opened Rewriting

  /** What a record says: the entries it covers, the hash of what it covers, the stub that it leaves there, if any, and the
    * older record that it supersedes, if any. */
  datatype Overlay = Overlay(covered: set<Id>, hash: Value, stub: Option<Entry>, supersedes: Option<Id>)

  /** What the records of a log say, by their uuids. */
  type Sayings = map<Id, Overlay>

  /** A record and what it says. */
  datatype Record = Record(id: Id, says: Overlay)

  /** The records of a conversation, in order. */
  function RecordsIn(entries: Log, sayings: Sayings): seq<Record>
    decreases |entries|
  {
    if |entries| == 0 then []
    else if entries[|entries| - 1].uuid in sayings then
      RecordsIn(entries[..|entries| - 1], sayings) + [Record(entries[|entries| - 1].uuid, sayings[entries[|entries| - 1].uuid])]
    else RecordsIn(entries[..|entries| - 1], sayings)
  }

  /** What a record supersedes. */
  function Superseded(r: Record): set<Id> {
    if r.says.supersedes.Some? then {r.says.supersedes.value} else {}
  }

  /** The records that live, read from the end: one that a later living record supersedes is dead. `dead` is what those further on
    * supersede. */
  function Living(records: seq<Record>, dead: set<Id>): seq<Record>
    decreases |records|
  {
    if |records| == 0 then []
    else if records[|records| - 1].id in dead then Living(records[..|records| - 1], dead)
    else Living(records[..|records| - 1], dead + Superseded(records[|records| - 1])) + [records[|records| - 1]]
  }

  /** The records that count in a conversation. */
  function Active(entries: Log, sayings: Sayings): seq<Record> {
    Living(RecordsIn(entries, sayings), {})
  }

  /** A conversation after what one record says. */
  function Apply(entries: Log, o: Overlay): Log {
    match o.stub
    case None => Drop(entries, o.covered)
    case Some(stub) => DropWithStub(entries, o.covered, stub)
  }

  /** A conversation after what several records say, one after the other. */
  function ApplyAll(entries: Log, records: seq<Record>): Log
    decreases |records|
  {
    if |records| == 0 then entries
    else Apply(ApplyAll(entries, records[..|records| - 1]), records[|records| - 1].says)
  }

  /** The stubs that records leave are new where they are left. */
  predicate StubsAreNew(entries: Log, records: seq<Record>)
    decreases |records|
  {
    |records| == 0 ||
    (&& StubsAreNew(entries, records[..|records| - 1])
     && (records[|records| - 1].says.stub.Some? ==>
           records[|records| - 1].says.stub.value.uuid !in Uuids(ApplyAll(entries, records[..|records| - 1]))))
  }

  /** A conversation as it is shown: what its active records say is applied, and all its records are hidden. */
  function Shown(entries: Log, sayings: Sayings): Log {
    Drop(ApplyAll(entries, Active(entries, sayings)), Uuids(entries) * sayings.Keys)
  }

  /** The conversation at `u` as it is shown: the records that count are those in the conversation itself, so each head has
    * its own. */
  function ShownAt(log: Log, sayings: Sayings, u: Id): Log
    requires u in Uuids(log)
  {
    Shown(Context(log, u), sayings)
  }

  /** What a record says that only supersedes another one: an undo; of an undo, a redo. */
  function Undo(k: Id, hash: Value): Overlay {
    Overlay({}, hash, None, Some(k))
  }

  /** What a record covers is still what it covered: its hash is the one that was recorded. */
  predicate Matches(entries: Log, o: Overlay, digest: Log -> Value) {
    digest(Keep(entries, o.covered)) == o.hash
  }

  /** The conversation as it is shown; refused where what an active record covers no longer matches. */
  function Checked(entries: Log, sayings: Sayings, digest: Log -> Value): Option<Log> {
    if forall r | r in Active(entries, sayings) :: Matches(entries, r.says, digest) then Some(Shown(entries, sayings)) else None
  }

  /** A plausible rendering, and a wrong one: all records of the log count, whatever conversation they belong to. */
  function ShownGlobally(log: Log, sayings: Sayings, u: Id): Log
    requires u in Uuids(log)
  {
    Drop(ApplyAll(Context(log, u), Active(log, sayings)), Uuids(log) * sayings.Keys)
  }
}

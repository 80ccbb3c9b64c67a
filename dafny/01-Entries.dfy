// Chapter 1. What a transcript is made of: opaque names, blocks, entries and logs; and what a sound log is
// (P1 unique-uuids, P2 no-dangling-parents, acyclicity).

/** Names that the model compares and never looks into. The export set hides that they are numbers, so no proof in
  * the other modules can use it; the numbers are there to exhibit as many different names as a witness needs. They are
  * `int` and no subset of it, because generated code asks whether a value is in a subset, and not whether it is a number:
  * so it runs on any value that can be compared. */
module Names {
  export
    provides Id, Key, Value, Name, NumberOf, KeyNamed, NumberOfKey, ValueNamed, NumberOfValue

  /** Identifies an entry, an API message, a tool use or a log. */
  type Id(==, 0, !new) = int
  /** Names a field of an entry. */
  type Key(==, 0, !new) = int
  /** What a field or a block holds. */
  type Value(==, 0, !new) = int

  /** The nth id; different numbers give different ids. */
  function Name(n: nat): Id
    ensures NumberOf(Name(n)) == n
  {
    n
  }

  /** The number of an id, only to tell ids apart. */
  function NumberOf(id: Id): nat {
    if id < 0 then 0 else id
  }

  /** The nth key; different numbers give different keys. */
  function KeyNamed(n: nat): Key
    ensures NumberOfKey(KeyNamed(n)) == n
  {
    n
  }

  /** The number of a key, only to tell keys apart. */
  function NumberOfKey(key: Key): nat {
    if key < 0 then 0 else key
  }

  /** The nth value; different numbers give different values. */
  function ValueNamed(n: nat): Value
    ensures NumberOfValue(ValueNamed(n)) == n
  {
    n
  }

  /** The number of a value, only to tell values apart. */
  function NumberOfValue(value: Value): nat {
    if value < 0 then 0 else value
  }
}

/** Entries, logs, and the two structural properties of a log. */
module Entries {
  import opened Names

  datatype Option<+T> = None | Some(value: T)

  /** Who or what an entry is from. */
  datatype Kind = User | Assistant | System | Summary | Attachment | Progress | Other

  /** One block of an entry's content: a tool call, the result of one, or anything else. */
  datatype Block = Use(id: Id) | Result(id: Id) | Opaque(value: Value)

  /** One line of a transcript that stands in the tree. `logicalParent` is set on a compaction boundary: a root that
    * continues an older entry. `message` is the API message that an assistant entry is a part of. `version` is the
    * rank of the client version that wrote the line. `fields` holds all keys of the line, those that
    * the other attributes are read from included. */
  datatype Entry = Entry(
    uuid: Id,
    parent: Option<Id>,
    logicalParent: Option<Id>,
    kind: Kind,
    message: Option<Id>,
    blocks: seq<Block>,
    sidechain: bool,
    version: nat,
    fields: map<Key, Value>)

  /** Entries in the order in which they stand. A log only ever grows at its end. */
  type Log = seq<Entry>

  /** The ids that stand in a log. */
  function Uuids(log: Log): set<Id> {
    set e | e in log :: e.uuid
  }

  /** P1: no two entries share a uuid. */
  ghost predicate UniqueUuids(log: Log) {
    forall i, j | 0 <= i < j < |log| :: log[i].uuid != log[j].uuid
  }

  /** P2: every parent stands in the log, or there is none. */
  ghost predicate NoDanglingParents(log: Log) {
    forall e | e in log && e.parent.Some? :: e.parent.value in Uuids(log)
  }

  /** Every parent stands before its children. This is what canonical order establishes; it implies P2. */
  ghost predicate ParentsFirst(log: Log) {
    forall i | 0 <= i < |log| && log[i].parent.Some? :: log[i].parent.value in Uuids(log[..i])
  }

  /** A way along parent links that ends where it began: each entry's parent is the next one, the last one's is the first. */
  ghost predicate Cycle(log: Log, way: seq<Entry>) {
    && |way| > 0
    && (forall e | e in way :: e in log && e.parent.Some?)
    && (forall i | 0 <= i < |way| - 1 :: way[i].parent.value == way[i + 1].uuid)
    && way[|way| - 1].parent.value == way[0].uuid
  }

  /** No entry is its own ancestor. */
  ghost predicate Acyclic(log: Log) {
    forall way: seq<Entry> :: !Cycle(log, way)
  }

  /** P1 and parents first, by recursion on the end of the log, so that every induction is "drop the last entry". */
  ghost predicate WellFormed(log: Log)
    decreases |log|
  {
    |log| == 0 ||
    (var e := log[|log| - 1];
     var before := log[..|log| - 1];
     && WellFormed(before)
     && Fits(before, e))
  }

  /** An entry that may follow a log: its uuid is new and its parent, if it has one, is there. */
  predicate Fits(log: Log, e: Entry) {
    && e.uuid !in Uuids(log)
    && (e.parent.Some? ==> e.parent.value in Uuids(log))
  }

  /** The position of an entry. */
  function IndexOf(log: Log, u: Id): nat
    requires u in Uuids(log)
    ensures IndexOf(log, u) < |log|
    ensures log[IndexOf(log, u)].uuid == u
    decreases |log|
  {
    if log[|log| - 1].uuid == u then |log| - 1
    else IndexOf(log[..|log| - 1], u)
  }

  /** The entry with a uuid. */
  function Get(log: Log, u: Id): Entry
    requires u in Uuids(log)
    ensures Get(log, u).uuid == u
    ensures Get(log, u) in log
  {
    log[IndexOf(log, u)]
  }

  /** The log as it was when `u` was its last entry. */
  function AsOf(log: Log, u: Id): Log
    requires u in Uuids(log)
  {
    log[..IndexOf(log, u) + 1]
  }

  /** The entries whose uuids are in a set, in the order of the log. */
  function Keep(log: Log, ids: set<Id>): Log
    decreases |log|
  {
    if |log| == 0 then []
    else if log[|log| - 1].uuid in ids then Keep(log[..|log| - 1], ids) + [log[|log| - 1]]
    else Keep(log[..|log| - 1], ids)
  }
}

// Chapter 9. A store of logs, and the operations on it (P5 append-only).
include "07-Forks.dfy"
include "08-Backfill.dfy"

module Stores {
  import opened Names
  import opened Entries
  import opened Forks
  import opened Backfill

  /** Logs by id. */
  type Store = map<Id, Log>

  /** Every log of the store is well-formed. */
  ghost predicate Valid(store: Store) {
    forall id | id in store :: WellFormed(store[id])
  }

  /** `log` continues `past`: the entries of `past` come first, unchanged and in place. */
  predicate Extends(log: Log, past: Log) {
    |past| <= |log| && log[..|past|] == past
  }

  /** P5: every log that existed is still there and is a prefix of its successor. */
  predicate AppendOnly(before: Store, after: Store) {
    forall id | id in before :: id in after && Extends(after[id], before[id])
  }

  /** What can be done to a store. */
  datatype Operation =
    | DoAppend(log: Id, entry: Entry)
    | DoFork(source: Id, at: Id, target: Id)
    | DoForkPrefix(source: Id, at: Id, target: Id)
    | DoBackfill(source: Id, schema: Schema, target: Id)

  /** The operation can be done: what it names is there, what it makes is new. */
  predicate Enabled(store: Store, op: Operation) {
    match op
    case DoAppend(log, entry) => log in store && Fits(store[log], entry)
    case DoFork(source, at, target) => source in store && at in Uuids(store[source]) && target !in store
    case DoForkPrefix(source, at, target) => source in store && at in Uuids(store[source]) && target !in store
    case DoBackfill(source, _, target) => source in store && target !in store
  }

  /** The store after an operation. */
  function Apply(store: Store, op: Operation): Store
    requires Enabled(store, op)
  {
    match op
    case DoAppend(log, entry) => store[log := Append(store[log], entry)]
    case DoFork(source, at, target) => store[target := Fork(store[source], at)]
    case DoForkPrefix(source, at, target) => store[target := ForkPrefix(store[source], at)]
    case DoBackfill(source, schema, target) => store[target := BackfillLog(store[source], schema)]
  }

  /** The store after several operations, each enabled when its turn comes. */
  function ApplyAll(store: Store, ops: seq<Operation>): Option<Store>
    decreases |ops|
  {
    if |ops| == 0 then Some(store)
    else if !Enabled(store, ops[0]) then None
    else ApplyAll(Apply(store, ops[0]), ops[1..])
  }
}

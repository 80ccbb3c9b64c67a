// Chapter 7. Fork, the seed's prefix fork, and growth by one entry (P4 fork-preserves-ancestry).
include "03-Ancestries.dfy"
include "05-Balance.dfy"

module Forks {
  import opened Names
  import opened Entries
  import opened Ancestries
  import opened Contexts
  import opened Balance

  /** A new log with exactly the entries of the context of `u`, each unchanged, in the order of the log, `u` last. */
  function Fork(log: Log, u: Id): Log
    requires u in Uuids(log)
  {
    Context(log, u)
  }

  /** The seed's literal formula: everything up to `u`. */
  function ForkPrefix(log: Log, u: Id): Log
    requires u in Uuids(log)
  {
    AsOf(log, u)
  }

  /** The log with one more entry, which may continue any entry of it: appending at a tip goes on, appending anywhere
    * else grows a sibling. */
  function Append(log: Log, e: Entry): Log
    requires Fits(log, e)
  {
    log + [e]
  }

  /** A linear session: the first entry is a root and each other entry continues the one before it. */
  predicate Linear(log: Log) {
    && (|log| > 0 ==> log[0].parent.None?)
    && (forall i | 0 < i < |log| :: log[i].parent == Some(log[i - 1].uuid))
  }
}

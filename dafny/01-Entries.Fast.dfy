// Chapter 1, the algorithms: what is kept of a log, and whether a uuid is in it, in one pass.
include "01-Entries.Proofs.dfy"

module EntriesFast {
  import opened Names
  import opened Entries
  import opened EntriesProofs

  /** The entries of a log that are in a set, in order. */
  method FastKeep(log: Log, ids: set<Id>) returns (kept: Log)
    ensures kept == Keep(log, ids)
  {
    kept := [];
    for i := 0 to |log|
      invariant kept == Keep(log[..i], ids)
    {
      assert log[..i + 1] == log[..i] + [log[i]];
      KeepOfLast(log[..i], log[i], ids);
      if log[i].uuid in ids {
        kept := kept + [log[i]];
      }
    }
    assert log[..|log|] == log;
  }

  /** Whether an entry has the uuid. */
  method Holds(log: Log, u: Id) returns (holds: bool)
    ensures holds == (u in Uuids(log))
  {
    for i := 0 to |log|
      invariant forall k | 0 <= k < i :: log[k].uuid != u
    {
      if log[i].uuid == u {
        assert log[i] in log;
        return true;
      }
    }
    holds := false;
  }
}

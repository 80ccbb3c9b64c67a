/// Claims about the model that are false, each a tempting mistake. A definition that is changed until one of them
/// holds, or contradictory enough to prove anything, is caught here.
include "../05-Balance.dfy"
include "../07-Forks.dfy"

module CanaryForks {
  import opened Names
  import opened Entries
  import opened Contexts
  import opened Balance
  import opened Forks

/// The seed's formula is not ours: on a tree, a prefix holds other branches too.
  lemma ForkIsForkPrefix(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Fork(log, u) == ForkPrefix(log, u)
  {
  }

/// A fork leaves something out, most of the time.
  lemma ForkKeepsEverything(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures |Fork(log, u)| == |log|
  {
  }

/// In the middle of a turn, calls are out.
  lemma EveryContextIsBalanced(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Balanced(Context(log, u))
  {
  }

/// Hypotheses of the real theorems do not contradict each other.
  lemma WellFormedIsAbsurd(log: Log, e: Entry)
    requires WellFormed(log)
    requires Fits(log, e)
    ensures false
  {
  }
}

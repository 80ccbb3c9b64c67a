/// Verifies, because its hypotheses contradict each other: the analysis must say so.
include "../../01-Entries.dfy"

module CanaryVacuous {
  import opened Entries

/// No log is shorter than the empty one.
  lemma ShorterThanEmpty(log: Log)
    requires |log| < |log[..0]|
    ensures WellFormed(log)
  {
  }
}

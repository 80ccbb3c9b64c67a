/// Claims that are false whatever the model says. If one of them is not rejected, neither is anything else.
module CanaryFalse {
/// False at once.
  lemma FalseHolds()
    ensures false
  {
  }

/// False for 5 alone.
  lemma NoNumberIsFive(n: nat)
    ensures n != 5
  {
  }

/// The induction hypothesis is used without getting smaller.
  lemma CircularProof(n: nat)
    ensures n > 3
  {
    CircularProof(n);
  }
}

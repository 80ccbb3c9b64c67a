/// Verifies, because it assumes: the audit must find each of the three.
module CanaryAssume {
/// Takes its claim for granted.
  lemma Assumes(n: nat)
    ensures n > 3
  {
    assume {:axiom} n > 3;
  }

/// Says that it takes its claim for granted.
  lemma {:axiom} IsAxiom(n: nat)
    ensures n > 3

/// Proves nothing about a number that it does not compute.
  function {:extern "external"} External(n: nat): nat
    ensures External(n) > 3
}

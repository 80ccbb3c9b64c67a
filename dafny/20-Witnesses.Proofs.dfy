// Chapter 20, proofs: two witnesses are equal exactly if the sequences are, unless the hash collides; and then the collision stands in
// the two chains.
include "20-Witnesses.dfy"

module WitnessesProofs {
  import opened Witnesses

  /** P14: if the hash has no collision, witnesses are equal exactly if what they witness is. */
  lemma WitnessIsInjectiveIfTheHashIs<D(!new), T(!new)>(
    link: Link<D, T>, close: Close<D>, start: D, a: seq<T>, b: seq<T>)
    requires !Collides(link) && !CollidesAtTheEnd(close)
    ensures Witness(link, close, start, a) == Witness(link, close, start, b) <==> a == b
  {
    if Witness(link, close, start, a) == Witness(link, close, start, b) {
      assert Chain(link, start, a) == Chain(link, start, b) && |a| == |b|;
      ChainIsInjectiveOfALength(link, start, a, b);
    }
  }

  /** Chains of one length. */
  lemma ChainIsInjectiveOfALength<D(!new), T(!new)>(link: Link<D, T>, start: D, a: seq<T>, b: seq<T>)
    requires !Collides(link)
    requires |a| == |b| && Chain(link, start, a) == Chain(link, start, b)
    ensures a == b
    decreases |a|
  {
    if |a| > 0 {
      var before, other := a[..|a| - 1], b[..|b| - 1];
      assert link(Chain(link, start, before), a[|a| - 1]) == link(Chain(link, start, other), b[|b| - 1]);
      ChainIsInjectiveOfALength(link, start, before, other);
      assert a == before + [a[|a| - 1]] && b == other + [b[|b| - 1]];
    }
  }

  /** P14: two different sequences with one witness show a collision: at their ends, or at a step of their chains. So whoever forges a
    * witness has found one. */
  lemma EqualWitnessesShowACollision<D(!new), T(!new)>(
    link: Link<D, T>, close: Close<D>, start: D, a: seq<T>, b: seq<T>)
    requires a != b
    requires Witness(link, close, start, a) == Witness(link, close, start, b)
    ensures (
              && (Chain(link, start, a) != Chain(link, start, b) || |a| != |b|)
              && close(Chain(link, start, a), |a|) == close(Chain(link, start, b), |b|))
            || exists i | 0 < i <= |a| ::
              && i <= |b|
              && (Chain(link, start, a[..i - 1]) != Chain(link, start, b[..i - 1]) || a[i - 1] != b[i - 1])
              && Chain(link, start, a[..i]) == Chain(link, start, b[..i])
  {
    if Chain(link, start, a) == Chain(link, start, b) && |a| == |b| {
      assert a[..|a|] == a && b[..|b|] == b;
      var i := StepWhereTheyMeet(link, start, a, b, |a|);
    }
  }

  /** Different sequences of one length whose chains meet have a step at which they do. */
  lemma StepWhereTheyMeet<D(!new), T(!new)>(link: Link<D, T>, start: D, a: seq<T>, b: seq<T>, n: nat) returns (i: nat)
    requires n <= |a| && |a| == |b|
    requires a[..n] != b[..n]
    requires Chain(link, start, a[..n]) == Chain(link, start, b[..n])
    ensures 0 < i <= n
    ensures Chain(link, start, a[..i - 1]) != Chain(link, start, b[..i - 1]) || a[i - 1] != b[i - 1]
    ensures Chain(link, start, a[..i]) == Chain(link, start, b[..i])
    decreases n
  {
    assert a[..0] == b[..0];
    if Chain(link, start, a[..n - 1]) != Chain(link, start, b[..n - 1]) || a[n - 1] != b[n - 1] {
      i := n;
    } else {
      assert a[..n] == a[..n - 1] + [a[n - 1]] && b[..n] == b[..n - 1] + [b[n - 1]];
      i := StepWhereTheyMeet(link, start, a, b, n - 1);
    }
  }
}

// Chapter 20, examples: a hash without collisions, one with, and a chain without its number, which tells two sequences as one.
include "20-Witnesses.Proofs.dfy"

module WitnessesExamples {
  import opened Witnesses
  import opened WitnessesProofs

  /** Keeps all that it is given. */
  function Keeping(digest: seq<nat>, item: nat): seq<nat> {
    digest + [item]
  }

  /** Keeps the number in front. */
  function Counting(digest: seq<nat>, count: nat): seq<nat> {
    [count] + digest
  }

  /** Forgets the first item, and no other: it collides with nothing, and comes back to where it started. */
  function Forgetting(digest: seq<nat>, item: nat): seq<nat> {
    if digest == [] && item == 0 then [] else digest + [item]
  }

  /** Three hashes without collisions. */
  lemma NoneCollides()
    ensures !Collides(Keeping) && !Collides(Forgetting) && !CollidesAtTheEnd(Counting)
  {
    forall a: seq<nat>, x: nat, b: seq<nat>, y: nat | Keeping(a, x) == Keeping(b, y)
      ensures a == b && x == y
    {
      assert (a + [x])[|a|] == (b + [y])[|b|];
      assert (a + [x])[..|a|] == a && (b + [y])[..|b|] == b;
    }
    forall a: seq<nat>, x: nat, b: seq<nat>, y: nat | Forgetting(a, x) == Forgetting(b, y)
      ensures a == b && x == y
    {
      if !(a == [] && x == 0) && !(b == [] && y == 0) {
        assert (a + [x])[|a|] == (b + [y])[|b|];
        assert (a + [x])[..|a|] == a && (b + [y])[..|b|] == b;
      }
    }
    forall a: seq<nat>, m: nat, b: seq<nat>, n: nat | Counting(a, m) == Counting(b, n)
      ensures a == b && m == n
    {
      assert ([m] + a)[0] == ([n] + b)[0];
      assert ([m] + a)[1..] == a && ([n] + b)[1..] == b;
    }
  }

  /** Without the number two sequences have one chain, though the hash has no collision. */
  lemma ChainWithoutItsNumberIsNotInjective()
    ensures !Collides(Forgetting)
    ensures Chain(Forgetting, [], []) == Chain(Forgetting, [], [0])
  {
    NoneCollides();
    assert [0][..0] == [];
    assert Chain(Forgetting, [], [0]) == Forgetting(Chain(Forgetting, [], [0][..0]), 0);
  }

  /** Forgets everything. */
  function Zero(digest: nat, item: nat): nat {
    0
  }

  /** Keeps the number alone. */
  function Count(digest: nat, count: nat): nat {
    count
  }

  /** A hash that forgets everything gives every sequence of a length one witness. */
  lemma WitnessOfACollidingHash()
    ensures Collides(Zero) && Witness(Zero, Count, 0, [1]) == Witness(Zero, Count, 0, [2])
  {
    assert Zero(0, 1) == Zero(0, 2);
  }

  /** The theorems apply to them. */
  lemma TheoremsApplyToTheHashes()
  {
    NoneCollides();
    WitnessIsInjectiveIfTheHashIs(Keeping, Counting, [], [1, 2], [1, 3]);
    ChainIsInjectiveOfALength(Keeping, [], [1], [1]);
    WitnessOfACollidingHash();
    assert [1][0] != [2][0];
    EqualWitnessesShowACollision(Zero, Count, 0, [1], [2]);
    assert [1][..1] == [1] && [2][..1] == [2];
    assert Chain(Zero, 0, [1]) == Chain(Zero, 0, [2]);
    var step := StepWhereTheyMeet(Zero, 0, [1], [2], 1);
  }
}

// Chapter 16, examples: clashes, how they come back on the old base, what depends on the order, and why absence is a value.
include "16-Memories.Proofs.dfy"

module MemoriesExamples {
  import opened Names
  import opened Entries
  import opened Memories
  import opened MemoriesProofs

  // --- Witnesses ---

  /** The key of the one field of the examples. */
  function TheKey(): Key {
    KeyNamed(0)
  }

  /** A memory with one field: its value's number. */
  function Holding(n: nat): Memory {
    map[TheKey() := ValueNamed(n)]
  }

  /** The field of a memory with one field; different numbers are different values. */
  lemma HoldingHolds(n: nat)
    ensures At(Holding(n), TheKey()) == Some(ValueNamed(n))
    ensures forall k | k != TheKey() :: At(Holding(n), k) == None
    ensures forall m: nat | m != n :: ValueNamed(m) != ValueNamed(n)
  {
    forall m: nat | m != n ensures ValueNamed(m) != ValueNamed(n) {
      assert NumberOfValue(ValueNamed(m)) == m && NumberOfValue(ValueNamed(n)) == n;
    }
  }

  /** A clean merge in which both sides changed something: each added a field. */
  lemma BothMayAddAField()
    ensures var target, fork := Holding(1), map[KeyNamed(1) := ValueNamed(2)];
            && Merge(map[], target, fork) == Merged(map[TheKey() := ValueNamed(1), KeyNamed(1) := ValueNamed(2)], map[])
            && Clean(Merge(map[], target, fork))
  {
    var target, fork := Holding(1), map[KeyNamed(1) := ValueNamed(2)];
    assert NumberOfKey(TheKey()) == 0 && NumberOfKey(KeyNamed(1)) == 1;
    CleanHoldsExactly(map[], target, fork, map[TheKey() := ValueNamed(1), KeyNamed(1) := ValueNamed(2)]);
  }

  /** A clash: both changed the field, differently. */
  lemma BothMayChangeAField()
    ensures var base, target, fork := Holding(0), Holding(1), Holding(2);
            && TheKey() in Merge(base, target, fork).clashes
            && !Clean(Merge(base, target, fork))
            && Resolve(Merge(base, target, fork), PreferTarget) == Solved(target, map[])
            && Resolve(Merge(base, target, fork), PreferFork) == Solved(fork, map[])
            && Resolve(Merge(base, target, fork), KeepBoth) == Solved(target, map[TheKey() := Some(ValueNamed(2))])
            && Resolve(Merge(base, target, fork), Ask(map[])) == Waiting({TheKey()})
            && Resolve(Merge(base, target, fork), Ask(map[TheKey() := ForkSide])) == Solved(fork, map[])
            && Resolve(Merge(base, target, fork), Fail) == Waiting({TheKey()})
  {
    var base, target, fork := Holding(0), Holding(1), Holding(2);
    var merged := Merge(base, target, fork);
    HoldingHolds(0);
    HoldingHolds(1);
    HoldingHolds(2);
    MergeHoldsExactly(base, target, fork, TheKey());
    assert merged.clashes.Keys == {TheKey()};
    assert merged.fields.Keys == {};
    ResolvedToOneSide(merged, PreferTarget, target, 1);
    ResolvedToOneSide(merged, PreferFork, fork, 2);
    ResolvedToOneSide(merged, KeepBoth, target, 1);
    ResolvedToOneSide(merged, Ask(map[TheKey() := ForkSide]), fork, 2);
    assert Open(merged, Ask(map[])) == {TheKey()};
    assert Open(merged, Fail) == {TheKey()};
  }

  /** What a clash of the one field is resolved to, when a side is taken. */
  lemma ResolvedToOneSide(merged: Merged, how: Resolution, m: Memory, n: nat)
    requires merged.fields.Keys == {}
    requires merged.clashes.Keys == {TheKey()}
    requires merged.clashes[TheKey()].Clash?
    requires SideOf(how, TheKey()).Some?
    requires Taken(merged.clashes[TheKey()], SideOf(how, TheKey()).value) == Some(ValueNamed(n))
    requires m == Holding(n)
    ensures Resolve(merged, how).Solved?
    ensures Resolve(merged, how).memory == m
    ensures Resolve(merged, how).beside == if how.KeepBoth? then map[TheKey() := merged.clashes[TheKey()].fork] else map[]
  {
    assert Open(merged, how) == {};
    assert Answer(merged, how, TheKey()) == Some(ValueNamed(n));
  }

  // --- Some fields only ---

  /** One field clashes and another, which only the fork has, does not: whichever side is preferred, the fork's is there. A merge
    * with other memories that are the same in that field makes the same of it; and on a base that was advanced in the field that
    * clashed it clashes no more, while the other comes as before. */
  lemma SomeFieldsMayClash()
    ensures var other := KeyNamed(1);
            var base, target, fork := Holding(0), Holding(1), Holding(2)[other := ValueNamed(3)];
            var merged := Merge(base, target, fork);
            && TheKey() in merged.clashes && other !in merged.clashes
            && Resolve(merged, PreferTarget).Solved?
            && At(fork, other) != At(base, other)
            && At(Resolve(merged, PreferTarget).memory, other) == At(fork, other)
            && At(base, other) == At(map[], other) && At(target, other) == At(map[], other)
            && At(Merge(map[], map[], fork).fields, other) == At(merged.fields, other)
            && At(Advanced(base, fork, {TheKey()}), TheKey()) == At(fork, TheKey())
            && TheKey() !in Merge(Advanced(base, fork, {TheKey()}), target, fork).clashes
            && At(Merge(Advanced(base, fork, {TheKey()}), target, fork).fields, TheKey()) == At(target, TheKey())
            && At(Merge(Advanced(base, fork, {TheKey()}), target, fork).fields, other) == At(fork, other)
  {
    var other := KeyNamed(1);
    var base, target, fork := Holding(0), Holding(1), Holding(2)[other := ValueNamed(3)];
    assert NumberOfKey(TheKey()) == 0 && NumberOfKey(other) == 1;
    HoldingHolds(0);
    HoldingHolds(1);
    HoldingHolds(2);
    ClashesExactlyWhereBothChanged(base, target, fork, TheKey());
    ClashesExactlyWhereBothChanged(base, target, fork, other);
    PreferredSideKeepsItsChanges(base, target, fork, other);
    UndisputedFieldsAreAsMerged(base, target, fork, PreferTarget, other);
    FieldsStandByThemselves(base, target, fork, map[], map[], fork, other);
    PartialMergeIsIdempotent(base, target, fork, {TheKey()}, TheKey());
    PartialMergeIsIdempotent(base, target, fork, {TheKey()}, other);
    MergeHoldsExactly(base, target, fork, other);
  }

  // --- Clashes that come back ---

  /** A clash that was resolved clashes again when the fork is merged again on the old base, and does not when the base was
    * advanced to the fork's head. So a merge that was not clean is not idempotent on the old base. */
  lemma ResolvedClashClashesAgain()
    ensures var base, target, fork := Holding(0), Holding(1), Holding(2);
            var m := Resolve(Merge(base, target, fork), PreferTarget).memory;
            && !Clean(Merge(base, m, fork))
            && Merge(fork, m, fork) == Merged(m, map[])
  {
    BothMayChangeAField();
    UnchangedForkChangesNothing(Holding(2), Holding(1));
  }

  /** Worse: a field that was put back to what it was at the beginning is overwritten by the fork's, without a clash. */
  lemma ResolutionMayBeUndoneSilently()
    ensures var base, target, fork := Holding(0), Holding(1), Holding(2);
            && TheKey() in Merge(base, target, fork).clashes
            && Merge(base, base, fork) == Merged(fork, map[])
            && base != fork
  {
    BothMayChangeAField();
    HoldingHolds(0);
    FastForwardTakesTheFork(Holding(0), Holding(2));
    assert At(Holding(0), TheKey()) != At(Holding(2), TheKey());
  }

  // --- Several forks ---

  /** Two forks merged one after the other, the target preferred: the first one wins, so the result depends on the order. The set
    * of changed values does not, and shows both. */
  lemma PreferringTheTargetDependsOnTheOrder()
    ensures var base, one, two := Holding(0), Holding(1), Holding(2);
            && MergeInTurn(base, base, [one, two]) == one
            && MergeInTurn(base, base, [two, one]) == two
            && one != two
            && (forall fork :: fork in [one, two] <==> fork in [two, one, two])
            && AllChanges(base, [one, two]) == AllChanges(base, [two, one, two])
            && ValuesOf(AllChanges(base, [one, two]), TheKey()) == {Some(ValueNamed(1)), Some(ValueNamed(2))}
  {
    var base, one, two := Holding(0), Holding(1), Holding(2);
    HoldingHolds(0);
    HoldingHolds(1);
    HoldingHolds(2);
    FirstOfTwoWins(base, one, two, 1, 2);
    FirstOfTwoWins(base, two, one, 2, 1);
    assert At(one, TheKey()) != At(two, TheKey());
    InAnotherOrder(one, two);
    ChangesDependOnTheForksAlone(base, [one, two], [two, one, two]);
    ValuesOfTwo(base, one, two, TheKey());
  }

  /** Two memories in another order, one of them twice, are the same memories. */
  lemma InAnotherOrder(one: Memory, two: Memory)
    ensures forall fork :: fork in [one, two] <==> fork in [two, one, two]
  {
    forall fork ensures fork in [one, two] <==> fork in [two, one, two] {
      assert fork in [one, two] <==> fork == one || fork == two;
      assert fork in [two, one, two] <==> fork == one || fork == two;
    }
  }

  /** Of two forks that changed the one field differently the first one merged is taken. */
  lemma FirstOfTwoWins(base: Memory, first: Memory, second: Memory, m: nat, n: nat)
    requires base == Holding(0) && first == Holding(m) && second == Holding(n)
    requires m != n && m != 0 && n != 0
    ensures MergeInTurn(base, base, [first, second]) == first
  {
    assert [first, second][..1] == [first] && [first][..0] == [];
    HoldingHolds(0);
    HoldingHolds(m);
    HoldingHolds(n);
    FastForwardTakesTheFork(base, first);
    CleanNeedsNoResolution(Merge(base, base, first), PreferTarget);
    assert MergeInTurn(base, base, [first]) == first by {
      assert MergeInTurn(base, base, []) == base;
    }
    var merged := Merge(base, first, second);
    MergeHoldsExactly(base, first, second, TheKey());
    assert merged.clashes.Keys == {TheKey()};
    assert merged.fields.Keys == {};
    ResolvedToOneSide(merged, PreferTarget, first, m);
  }

  /** Merged at once, two forks that made different things of a field are disputed in whatever order they come; two that made the
    * same are settled; one that put a field back which the other one began with is settled too, each against its own base. */
  lemma TwoForksAtOnce()
    ensures var zero, one, two := Some(ValueNamed(0)), Some(ValueNamed(1)), Some(ValueNamed(2));
            && MergeAtOnce(zero, {Made(zero, one), Made(zero, two)}) == Disputed
            && MergeAtOnce(zero, {Made(zero, one), Made(zero, zero)}) == Settled(one)
            && MergeAtOnce(one, {Made(zero, one), Made(two, one)}) == Settled(one)
            && MergeAtOnce(two, {Made(zero, zero), Made(two, zero)}) == Settled(zero)
            && MergeAtOnce(two, {Made(zero, zero), Made(one, one)}) == Settled(two)
            && At(Holding(1), TheKey()) != At(Holding(0), TheKey())
            && Holding(1) in [Holding(1), Holding(2)]
  {
    var zero, one, two := Some(ValueNamed(0)), Some(ValueNamed(1)), Some(ValueNamed(2));
    HoldingHolds(0);
    HoldingHolds(1);
    HoldingHolds(2);
    var both := {Made(zero, one), Made(zero, two)};
    assert Made(zero, one) in both && Made(zero, two) in both;
    match MergeAtOnce(zero, both) {
      case Settled(v) => SettledExactly(zero, both, v);
      case Disputed =>
    }
    assert Made(zero, one) in {Made(zero, one), Made(zero, zero)};
    SettledExactly(zero, {Made(zero, one), Made(zero, zero)}, one);
    assert Made(zero, one) in {Made(zero, one), Made(two, one)};
    SettledExactly(one, {Made(zero, one), Made(two, one)}, one);
    assert Made(two, zero) in {Made(zero, zero), Made(two, zero)};
    SettledExactly(two, {Made(zero, zero), Made(two, zero)}, zero);
    UnchangedForksChangeNothing(two, {Made(zero, zero), Made(one, one)});
  }

  // --- Absence is a value ---

  /** That a fork took a field out is a change: it is taken where the target left the field alone, and clashes where the target
    * changed it. "What is only in the target stays as it is", the seed's rule, would bring the field back. */
  lemma TakingAFieldOutIsAChange()
    ensures Merge(Holding(0), Holding(0), map[]) == Merged(map[], map[])
    ensures var merged := Merge(Holding(0), Holding(1), map[]);
            && TheKey() in merged.clashes
            && merged.clashes[TheKey()] == Clash(Some(ValueNamed(0)), Some(ValueNamed(1)), None)
  {
    HoldingHolds(0);
    HoldingHolds(1);
    FastForwardTakesTheFork(Holding(0), map[]);
    MergeHoldsExactly(Holding(0), Holding(1), map[], TheKey());
  }

  /** Preferring a side loses what the other changed, where they clash; keeping both does not. */
  lemma PreferringASideLosesTheOther()
    ensures var base, target, fork := Holding(0), Holding(1), Holding(2);
            var merged := Merge(base, target, fork);
            && At(Resolve(merged, PreferTarget).memory, TheKey()) == At(target, TheKey()) != At(fork, TheKey())
            && At(Resolve(merged, PreferFork).memory, TheKey()) == At(fork, TheKey()) != At(target, TheKey())
            && Resolve(merged, KeepBoth).beside[TheKey()] == At(fork, TheKey())
  {
    BothMayChangeAField();
    HoldingHolds(0);
    HoldingHolds(1);
    HoldingHolds(2);
  }

  /** The theorems apply to fields that one changed, and that both changed. */
  lemma TheoremsApplyToChangedFields()
  {
    BothMayAddAField();
    BothMayChangeAField();
    HoldingHolds(0);
    HoldingHolds(1);
    hide *;
    var zero, one, two, key := Holding(0), Holding(1), Holding(2), TheKey();
    AdvancedFieldStays(zero, one, zero, key);
    assert one in [one, one] && At(one, key) != At(zero, key) by {
      assert [one, one][0] == one;
      assert ValueNamed(0) != ValueNamed(1);
    }
    AtOnceIsTheValuesOfTheChanges(zero, zero, [one, one], key, Some(ValueNamed(1)));
    var m := map[TheKey() := ValueNamed(1), KeyNamed(1) := ValueNamed(2)];
    CleanMergeIsIdempotent(map[], one, map[KeyNamed(1) := ValueNamed(2)], m);
    ResolvedClashComesBackExactly(zero, one, two, one, key);
  }
}

// Chapter 15, examples: gates that are bounded and not hereditary, or not bounded at all, and what then depends on the order;
// two branches of which each holds and both together do not.
include "01-Entries.Examples.dfy"
include "15-Evidence.Proofs.dfy"

module EvidenceExamples {
  import opened Names
  import opened Entries
  import opened EntriesExamples
  import opened Evidence
  import opened EvidenceProofs

  // --- Witnesses ---

  /** A test result: its number, the number of its environment, and what it rests on. */
  function Made(n: nat, environment: nat, needs: set<Id>): Artifact {
    Artifact(Name(n), TestResult, Name(n), Name(environment), needs)
  }

  /** Three artifacts that rest on nothing. */
  lemma ThreeArtifacts()
    ensures Made(0, 0, {}) != Made(1, 0, {}) && Made(0, 0, {}) != Made(2, 0, {}) && Made(1, 0, {}) != Made(2, 0, {})
  {
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
  }

  /** Sets that a bounded and a hereditary gate let pass, alone and together, and two orders of them, one with a repetition. */
  lemma ValidSetsJoin()
    ensures var a, b := {Made(0, 0, {})}, {Made(1, 0, {})};
            && Bounded(NeedsArePresent) && Hereditary(SameEnvironment)
            && NeedsArePresent(a) && NeedsArePresent(b) && NeedsArePresent(a + b)
            && Join(NeedsArePresent, a, b).Survives?
            && |[a, b]| > 0
            && (forall p | p in [a, b] :: NeedsArePresent(p))
            && (forall p :: p in [a, b] <==> p in [b, a, b])
            && Union([a, b]) <= a + b
  {
    var a, b := {Made(0, 0, {})}, {Made(1, 0, {})};
    NeedsArePresentIsBounded();
    SameEnvironmentIsHereditary();
    forall x ensures x in Union([a, b]) ==> x in a + b {
      UnionHoldsExactly([a, b], x);
    }
    forall p ensures p in [a, b] <==> p in [b, a, b] {
      assert p in [a, b] <==> p == a || p == b;
      assert p in [b, a, b] <==> p == a || p == b;
    }
  }

  /** A contract that a branch breaks: only proofs hold by themselves, and the branch brings a test result and a note. */
  lemma BranchIsRefuted()
    ensures var b := Branch(Name(9), {Made(0, 0, {})}, {ValueNamed(0)});
            && Refuted((x: Artifact) => x.sort.Proof?, b)
            && Refutation((x: Artifact) => x.sort.Proof?, b) == {Made(0, 0, {})}
            && SameEvidence({b}, {b.(notes := {})})
  {
    var b := Branch(Name(9), {Made(0, 0, {})}, {ValueNamed(0)});
    assert Made(0, 0, {}) in Refutation((x: Artifact) => x.sort.Proof?, b);
    assert b in {b} && b.(notes := {}) in {b.(notes := {})};
  }

  /** The ledger event of a fork. */
  function ForkEvent(n: nat, note: nat): Event {
    Forked(
      Name(n), ValueNamed(0), Governance(Name(1), Name(2), Name(3), Name(4)), Name(5), Name(6), Name(7), ValueNamed(note))
  }

  /** Two events are recorded, and another one with an id that is on record is not: the first stays. */
  lemma TheFirstEventStays()
    ensures var ledger := Record(Record([], ForkEvent(0, 0)), ForkEvent(1, 0));
            && ledger == [ForkEvent(0, 0), ForkEvent(1, 0)]
            && UniqueIds(ledger)
            && ForkEvent(0, 1) != ForkEvent(0, 0)
            && Record(ledger, ForkEvent(0, 1)) == ledger
            && Record(ledger, ForkEvent(2, 0)) == ledger + [ForkEvent(2, 0)]
  {
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    assert NumberOfValue(ValueNamed(0)) == 0 && NumberOfValue(ValueNamed(1)) == 1;
    var ledger := [ForkEvent(0, 0), ForkEvent(1, 0)];
    assert ledger[0] in ledger;
    assert Record([], ForkEvent(0, 0)) == [ForkEvent(0, 0)];
    assert Record([ForkEvent(0, 0)], ForkEvent(1, 0)) == ledger;
  }

  // --- Two branches that hold and do not join ---

  /** The seed's refutation: each of two branches holds and survives alone, made in different environments, and together they
    * fail the gate. Nothing is merged by force. */
  lemma EachHoldsAndBothConflict()
    ensures var a, b := Branch(Name(8), {Made(0, 0, {})}, {}), Branch(Name(9), {Made(1, 1, {})}, {});
            var contract := (x: Artifact) => true;
            && a.evidence != b.evidence
            && MergeBranches(contract, SameEnvironment, {a}).verdict == Survives(a.evidence)
            && MergeBranches(contract, SameEnvironment, {b}).verdict == Survives(b.evidence)
            && MergeBranches(contract, SameEnvironment, {a, b}).verdict == Conflict
            && MergeBranches(contract, SameEnvironment, {a, b}).pruned == map[]
  {
    var a, b := Branch(Name(8), {Made(0, 0, {})}, {}), Branch(Name(9), {Made(1, 1, {})}, {});
    var contract := (x: Artifact) => true;
    NamesDiffer(0, 1);
    assert !Refuted(contract, a) && !Refuted(contract, b);
    assert Surviving(contract, {a}) == a.evidence;
    assert Surviving(contract, {b}) == b.evidence;
    var both := Surviving(contract, {a, b});
    assert Made(0, 0, {}) in a.evidence && Made(1, 1, {}) in b.evidence;
    assert Made(0, 0, {}) in both && Made(1, 1, {}) in both;
    assert !SameEnvironment(both);
  }

  // --- Gates that are not hereditary ---

  /** "What an artifact rests on is there" is bounded and not hereditary: an artifact may stand with what it rests on and not
    * without. So joining is associative over valid sets only. */
  lemma NeedsArePresentIsNotHereditary()
    ensures var x, y := Made(0, 0, {Name(1)}), Made(1, 0, {});
            && NeedsArePresent({x, y}) && !NeedsArePresent({x}) && {x} <= {x, y}
            && !Hereditary(NeedsArePresent)
            && Bounded(NeedsArePresent)
  {
    var x, y := Made(0, 0, {Name(1)}), Made(1, 0, {});
    NamesDiffer(0, 1);
    assert y in {x, y} && y.id == Name(1);
    assert Name(1) in x.needs && x in {x};
    NeedsArePresentIsBounded();
  }

  /** Nor is the gate of this project, of which that is a part. */
  lemma TheProjectsGateIsNotHereditary()
    ensures var x, y := Made(0, 0, {Name(1)}), Made(1, 0, {});
            && TheProjectsGate()({x, y}) && !TheProjectsGate()({x}) && {x} <= {x, y}
            && Bounded(TheProjectsGate()) && !Hereditary(TheProjectsGate())
  {
    NamesDiffer(0, 1);
    TheProjectsGateIsBoundedAndNotHereditary(Made(0, 0, {Name(1)}), Made(1, 0, {}));
  }

  /** Joining is idempotent on valid sets only, and a fold is the verdict on the union for valid parts only: an artifact without
    * what it rests on conflicts with itself, and conflicts before what it rests on can come. */
  lemma InvalidPartsSpoilTheFold()
    ensures var x, y := Made(0, 0, {Name(1)}), Made(1, 0, {});
            && Join(NeedsArePresent, {x}, {x}) == Conflict
            && Fold(NeedsArePresent, [{x}, {y}]) == Conflict
            && Judge(NeedsArePresent, Union([{x}, {y}])) == Survives({x, y})
  {
    var x, y := Made(0, 0, {Name(1)}), Made(1, 0, {});
    NeedsArePresentIsNotHereditary();
    FoldOfOneMore(NeedsArePresent, [], {x});
    FoldOfOneMore(NeedsArePresent, [{x}], {y});
    assert [] + [{x}] == [{x}] && [{x}] + [{y}] == [{x}, {y}];
    assert {} + {x} == {x} && {x} + {x} == {x} && {x} + {y} == {x, y};
  }

  // --- Gates that are not bounded ---

  /** A gate that is not bounded. */
  predicate SizeIsNotTwo(evidence: set<Artifact>) {
    |evidence| != 2
  }

  /** Under "the size is not two" joining is not associative, although it lets each of the three sets pass; and joined in
    * another order they come to another verdict. */
  lemma SizeIsNotTwoIsNotAssociative()
    ensures var a, b, c := {Made(0, 0, {})}, {Made(1, 0, {})}, {Made(0, 0, {}), Made(1, 0, {}), Made(2, 0, {})};
            && SizeIsNotTwo(a) && SizeIsNotTwo(b) && SizeIsNotTwo(c)
            && !Associates(SizeIsNotTwo, a, b, c)
            && !Bounded(SizeIsNotTwo)
            && Fold(SizeIsNotTwo, [a, b, c]) == Conflict
            && Fold(SizeIsNotTwo, [c, a, b]) == Survives(c)
            && Judge(SizeIsNotTwo, Union([a, b, c])) == Survives(c)
  {
    var x, y, z := Made(0, 0, {}), Made(1, 0, {}), Made(2, 0, {});
    var a, b, c := {x}, {y}, {x, y, z};
    ThreeArtifacts();
    assert a + b == {x, y} && b + c == c && a + b + c == c && c + a == c && c + a + b == c;
    assert |{x, y}| == 2 && |c| == 3;
    JoinOfThree(SizeIsNotTwo, a, b, c);
    FoldOfThree(SizeIsNotTwo, a, b, c);
    FoldOfThree(SizeIsNotTwo, c, a, b);
    AssociativeOverValidSetsExactlyIfBounded(SizeIsNotTwo);
  }

  // --- Refusing the newcomer ---

  /** Refusing each newcomer that the gate does not let in depends on the order, even under a hereditary gate: of two
    * environments the first one stays. */
  lemma GreedyDependsOnTheOrder()
    ensures var a, b := {Made(0, 0, {})}, {Made(1, 1, {})};
            && Hereditary(SameEnvironment)
            && SameEnvironment(a) && SameEnvironment(b)
            && Greedy(SameEnvironment, [a, b]) == a
            && Greedy(SameEnvironment, [b, a]) == b
            && a != b
  {
    var x, y := Made(0, 0, {}), Made(1, 1, {});
    var a, b := {x}, {y};
    NamesDiffer(0, 1);
    SameEnvironmentIsHereditary();
    assert x in a + b && y in a + b && x in b + a && y in b + a;
    assert !SameEnvironment(a + b) && !SameEnvironment(b + a);
    GreedyOfOneMore(SameEnvironment, [], a);
    GreedyOfOneMore(SameEnvironment, [a], b);
    GreedyOfOneMore(SameEnvironment, [], b);
    GreedyOfOneMore(SameEnvironment, [b], a);
    assert [] + [a] == [a] && [a] + [b] == [a, b] && [] + [b] == [b] && [b] + [a] == [b, a];
    assert {} + a == a && {} + b == b;
    assert x in a && x !in b;
  }

  /** One more newcomer. */
  lemma GreedyOfOneMore(gate: Gate, parts: seq<set<Artifact>>, p: set<Artifact>)
    ensures Greedy(gate, parts + [p]) ==
            if gate(Greedy(gate, parts) + p) then Greedy(gate, parts) + p else Greedy(gate, parts)
  {
    assert (parts + [p])[..|parts + [p]| - 1] == parts;
  }

  /** What rests on another artifact does not stand alone, and joins with it. */
  lemma ASetMayNeedAnother()
    ensures var x, y := Made(0, 0, {Name(1)}), Made(1, 0, {});
            var all, again := [{x, y}, {y}], [{y}, {x, y}, {y}];
            && Bounded(NeedsArePresent)
            && Join(NeedsArePresent, {x}, {y}).Survives?
            && |all| > 0 && (forall p | p in all :: NeedsArePresent(p)) && (forall p :: p in all <==> p in again)
  {
    hide Bounded, Hereditary;
    var x, y := Made(0, 0, {Name(1)}), Made(1, 0, {});
    NeedsArePresentIsNotHereditary();
    assert {x} + {y} == {x, y};
    assert NeedsArePresent({y}) && NeedsArePresent({x, y});
    hide NeedsArePresent;
    var all, again := [{x, y}, {y}], [{y}, {x, y}, {y}];
    assert all[0] == again[1] && all[1] == again[0] == again[2];
  }

  /** The theorems apply to those sets, to the refuted branch and to a ledger. */
  lemma TheoremsApplyToTheSets()
  {
    ValidSetsJoin();
    BranchIsRefuted();
    ThreeArtifacts();
    hide *;
    var x, y, z := Made(0, 0, {}), Made(1, 0, {}), Made(0, 1, {});
    var a, b := {x}, {y};
    VerdictOnTheWholeDependsOnTheSetsAlone(NeedsArePresent, [a, b], [b, a, b]);
    FoldIsTheVerdictForAllSetsUnderAHereditaryGate(SameEnvironment, [a, b]);
    HereditaryIsBounded(SameEnvironment);
    NeedsWithAnyHereditaryGateIsBounded(SameEnvironment);
    ASetMayNeedAnother();
    var w := Made(0, 0, {Name(1)});
    JoinHoldsExactlyBoth(NeedsArePresent, {w}, {y});
    FoldDependsOnTheSetsAlone(NeedsArePresent, [{w, y}, {y}], [{y}, {w, y}, {y}]);
    var held := Branch(Name(8), {Artifact(Name(3), Proof, Name(4), Name(5), {})}, {});
    RefutedBranchChangesNoVerdict(
      (one: Artifact) => one.sort.Proof?, NeedsArePresent, {held}, Branch(Name(9), {Made(0, 0, {})}, {ValueNamed(0)}));
    TheFirstEventStays();
    var ledger := Record(Record([], ForkEvent(0, 0)), ForkEvent(1, 0));
    RecordedIdsStayUnique(ledger, ForkEvent(0, 1));
    RecordedAllIdsStayUnique(ledger, [ForkEvent(0, 1), ForkEvent(2, 0)]);
    assert x.id == z.id && x.environment != z.environment by {
      NamesDiffer(0, 1);
      reveal Made;
    }
    DifferentEnvironmentsConflict(SameEnvironment, a, {z}, x, z);
    DifferentArtifactsOfOneIdConflict(SameIdSameArtifact, a, {z}, x, z);
  }
}

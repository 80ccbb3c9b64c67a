// Chapter 15, proofs: the laws of joining over all sets and over those that the gate lets pass, and when joining one after
// the other is judging the whole; what becomes of refuted branches and of prose; and that the ledger is append-only.
include "15-Evidence.dfy"

module EvidenceProofs {
  import opened Names
  import opened Entries
  import opened Evidence

  // --- Join ---

  /** Joining is commutative, whatever the gate. */
  lemma JoinIsCommutative(gate: Gate, a: set<Artifact>, b: set<Artifact>)
    ensures Join(gate, a, b) == Join(gate, b, a)
  {
    assert a + b == b + a;
  }

  /** A set joined with itself is the set, exactly if the gate lets it pass. */
  lemma JoinIsIdempotentExactlyOnValidSets(gate: Gate, a: set<Artifact>)
    ensures Join(gate, a, a) == Survives(a) <==> gate(a)
  {
    assert a + a == a;
  }

  /** A join that survives holds exactly what both hold. */
  lemma JoinHoldsExactlyBoth(gate: Gate, a: set<Artifact>, b: set<Artifact>)
    requires Join(gate, a, b).Survives?
    ensures forall x :: x in Join(gate, a, b).evidence <==> x in a || x in b
  {
  }

  /** Joining three sets, either way: both joins must pass. */
  lemma JoinOfThree(gate: Gate, a: set<Artifact>, b: set<Artifact>, c: set<Artifact>)
    ensures JoinVerdicts(gate, Join(gate, a, b), Survives(c)) ==
            if gate(a + b) && gate(a + b + c) then Survives(a + b + c) else Conflict
    ensures JoinVerdicts(gate, Survives(a), Join(gate, b, c)) ==
            if gate(b + c) && gate(a + b + c) then Survives(a + b + c) else Conflict
  {
    assert a + (b + c) == a + b + c;
  }

  /** Over all sets joining is associative exactly if the gate is hereditary. */
  lemma AssociativeOverAllSetsExactlyIfHereditary(gate: Gate)
    ensures (forall a, b, c :: Associates(gate, a, b, c)) <==> Hereditary(gate)
  {
    if Hereditary(gate) {
      forall a, b, c ensures Associates(gate, a, b, c) {
        JoinOfThree(gate, a, b, c);
        assert a + b <= a + b + c && b + c <= a + b + c;
      }
    }
    if forall a, b, c :: Associates(gate, a, b, c) {
      forall whole, part: set<Artifact> | part <= whole && gate(whole) ensures gate(part) {
        assert Associates(gate, part, part, whole);
        JoinOfThree(gate, part, part, whole);
        assert part + part == part && part + whole == whole;
      }
    }
  }

  /** Over sets that the gate lets pass, joining is associative exactly if the gate is bounded. */
  lemma AssociativeOverValidSetsExactlyIfBounded(gate: Gate)
    ensures (forall a, b, c | gate(a) && gate(b) && gate(c) :: Associates(gate, a, b, c)) <==> Bounded(gate)
  {
    if Bounded(gate) {
      forall a, b, c | gate(a) && gate(b) && gate(c) ensures Associates(gate, a, b, c) {
        BoundedAssociates(gate, a, b, c);
      }
    }
    if forall a, b, c | gate(a) && gate(b) && gate(c) :: Associates(gate, a, b, c) {
      forall a, b, whole: set<Artifact> | a <= whole && b <= whole && gate(a) && gate(b) && gate(whole)
        ensures gate(a + b)
      {
        assert Associates(gate, a, b, whole);
        JoinOfThree(gate, a, b, whole);
        assert b + whole == whole && a + b + whole == whole;
      }
    }
  }

  /** One direction of `AssociativeOverValidSetsExactlyIfBounded`. */
  lemma BoundedAssociates(gate: Gate, a: set<Artifact>, b: set<Artifact>, c: set<Artifact>)
    requires Bounded(gate)
    requires gate(a) && gate(b) && gate(c)
    ensures Associates(gate, a, b, c)
  {
    JoinOfThree(gate, a, b, c);
    var whole := a + b + c;
    assert a <= whole && b <= whole && c <= whole;
  }

  /** A hereditary gate is bounded. */
  lemma HereditaryIsBounded(gate: Gate)
    requires Hereditary(gate)
    ensures Bounded(gate)
  {
    forall a, b, whole: set<Artifact> | a <= whole && b <= whole && gate(a) && gate(b) && gate(whole)
      ensures gate(a + b)
    {
      assert a + b <= whole;
    }
  }

  // --- Fold ---

  /** All that several sets hold is what one of them holds. */
  lemma UnionHoldsExactly(parts: seq<set<Artifact>>, x: Artifact)
    ensures x in Union(parts) <==> exists i | 0 <= i < |parts| :: x in parts[i]
    decreases |parts|
  {
    if |parts| > 0 {
      var before := parts[..|parts| - 1];
      UnionHoldsExactly(before, x);
      if i :| 0 <= i < |parts| && x in parts[i] {
        assert i < |before| ==> x in before[i];
      }
      if i :| 0 <= i < |before| && x in before[i] {
        assert x in parts[i];
      }
    }
  }

  /** What several sets hold does not depend on their order, nor on how often one comes. */
  lemma UnionDependsOnTheSetsAlone(a: seq<set<Artifact>>, b: seq<set<Artifact>>)
    requires forall p :: p in a <==> p in b
    ensures Union(a) == Union(b)
  {
    forall x ensures x in Union(a) <==> x in Union(b) {
      UnionHoldsExactly(a, x);
      UnionHoldsExactly(b, x);
      if i :| 0 <= i < |a| && x in a[i] {
        assert a[i] in b;
      }
      if i :| 0 <= i < |b| && x in b[i] {
        assert b[i] in a;
      }
    }
  }

  /** Every set that the gate lets pass, and several of them together within a whole that it lets pass. */
  lemma BoundedUnionPasses(gate: Gate, parts: seq<set<Artifact>>, whole: set<Artifact>)
    requires Bounded(gate)
    requires |parts| > 0
    requires forall p | p in parts :: gate(p)
    requires Union(parts) <= whole && gate(whole)
    ensures gate(Union(parts))
    decreases |parts|
  {
    var before, p := parts[..|parts| - 1], parts[|parts| - 1];
    assert p in parts;
    if |before| == 0 {
      assert Union(parts) == p;
    } else {
      assert forall q | q in before :: q in parts;
      BoundedUnionPasses(gate, before, whole);
      assert gate(Union(before) + p);
    }
  }

  /** Under a bounded gate, valid sets joined one after the other come to the verdict on all of them together. */
  lemma FoldIsTheVerdictOnTheUnion(gate: Gate, parts: seq<set<Artifact>>)
    requires Bounded(gate)
    requires |parts| > 0
    requires forall p | p in parts :: gate(p)
    ensures Fold(gate, parts) == Judge(gate, Union(parts))
    decreases |parts|
  {
    var before, p := parts[..|parts| - 1], parts[|parts| - 1];
    assert forall q | q in before :: q in parts;
    if |before| > 0 {
      FoldIsTheVerdictOnTheUnion(gate, before);
      if gate(Union(parts)) {
        BoundedUnionPasses(gate, before, Union(parts));
      }
    }
  }

  /** That is so exactly under a bounded gate. */
  lemma FoldIsTheVerdictOnTheUnionExactlyIfBounded(gate: Gate)
    ensures (forall parts: seq<set<Artifact>> | |parts| > 0 && (forall p | p in parts :: gate(p)) ::
               Fold(gate, parts) == Judge(gate, Union(parts))) <==> Bounded(gate)
  {
    if Bounded(gate) {
      forall parts: seq<set<Artifact>> | |parts| > 0 && (forall p | p in parts :: gate(p))
        ensures Fold(gate, parts) == Judge(gate, Union(parts))
      {
        FoldIsTheVerdictOnTheUnion(gate, parts);
      }
    } else {
      var a, b, whole :| a <= whole && b <= whole && gate(a) && gate(b) && gate(whole) && !gate(a + b);
      var parts := [a, b, whole];
      FoldOfThree(gate, a, b, whole);
      assert a + b + whole == whole;
      assert forall p | p in parts :: gate(p);
    }
  }

  /** One more set joined. */
  lemma FoldOfOneMore(gate: Gate, parts: seq<set<Artifact>>, p: set<Artifact>)
    ensures Fold(gate, parts + [p]) == JoinVerdicts(gate, Fold(gate, parts), Survives(p))
    ensures Union(parts + [p]) == Union(parts) + p
  {
    assert (parts + [p])[..|parts + [p]| - 1] == parts;
  }

  /** Three sets joined one after the other. */
  lemma FoldOfThree(gate: Gate, a: set<Artifact>, b: set<Artifact>, c: set<Artifact>)
    ensures Fold(gate, [a, b, c]) ==
            if gate(a) && gate(a + b) && gate(a + b + c) then Survives(a + b + c) else Conflict
    ensures Union([a, b, c]) == a + b + c
  {
    assert {} + a == a;
    assert [] + [a] == [a] && [a] + [b] == [a, b] && [a, b] + [c] == [a, b, c];
    FoldOfOneMore(gate, [], a);
    FoldOfOneMore(gate, [a], b);
    FoldOfOneMore(gate, [a, b], c);
  }

  /** Under a hereditary gate it is so for all sets, valid or not. */
  lemma FoldIsTheVerdictForAllSetsUnderAHereditaryGate(gate: Gate, parts: seq<set<Artifact>>)
    requires Hereditary(gate)
    requires |parts| > 0
    ensures Fold(gate, parts) == Judge(gate, Union(parts))
    decreases |parts|
  {
    var before := parts[..|parts| - 1];
    if |before| > 0 {
      FoldIsTheVerdictForAllSetsUnderAHereditaryGate(gate, before);
      assert Union(before) <= Union(parts);
    }
  }

  /** Under a bounded gate neither the order in which valid sets are joined changes the verdict, nor joining one again. */
  lemma FoldDependsOnTheSetsAlone(gate: Gate, a: seq<set<Artifact>>, b: seq<set<Artifact>>)
    requires Bounded(gate)
    requires |a| > 0
    requires forall p | p in a :: gate(p)
    requires forall p :: p in a <==> p in b
    ensures Fold(gate, a) == Fold(gate, b)
  {
    assert a[0] in b;
    FoldIsTheVerdictOnTheUnion(gate, a);
    FoldIsTheVerdictOnTheUnion(gate, b);
    UnionDependsOnTheSetsAlone(a, b);
  }

  /** Under any gate the verdict on the whole depends on the sets alone: a gate that is not bounded is asked once. */
  lemma VerdictOnTheWholeDependsOnTheSetsAlone(gate: Gate, a: seq<set<Artifact>>, b: seq<set<Artifact>>)
    requires forall p :: p in a <==> p in b
    ensures Judge(gate, Union(a)) == Judge(gate, Union(b))
  {
    UnionDependsOnTheSetsAlone(a, b);
  }

  // --- Gates ---

  /** "One environment" is hereditary; two artifacts pass it exactly if they were made in one, and a set if each two of it do. */
  lemma SameEnvironmentIsHereditary()
    ensures Hereditary(SameEnvironment)
    ensures forall x, y :: SameEnvironment({x, y}) <==> x.environment == y.environment
    ensures forall evidence :: SameEnvironment(evidence) <==> forall x, y | x in evidence && y in evidence :: SameEnvironment({x, y})
  {
    forall x: Artifact, y: Artifact ensures SameEnvironment({x, y}) <==> x.environment == y.environment {
      assert x in {x, y} && y in {x, y};
    }
  }

  /** Two sets made in different environments do not join: they fail the gate. */
  lemma DifferentEnvironmentsConflict(gate: Gate, a: set<Artifact>, b: set<Artifact>, x: Artifact, y: Artifact)
    requires x in a && y in b && x.environment != y.environment
    ensures Join(Both(SameEnvironment, gate), a, b) == Conflict
  {
    assert x in a + b && y in a + b;
    assert !SameEnvironment(a + b);
    assert !Both(SameEnvironment, gate)(a + b);
  }

  /** "One id, one artifact" is hereditary; two artifacts pass it exactly if their ids differ or they are one, and a set if each
    * two of it do. */
  lemma SameIdSameArtifactIsHereditary()
    ensures Hereditary(SameIdSameArtifact)
    ensures forall x, y :: SameIdSameArtifact({x, y}) <==> x.id != y.id || x == y
    ensures forall evidence ::
              SameIdSameArtifact(evidence) <==> forall x, y | x in evidence && y in evidence :: SameIdSameArtifact({x, y})
  {
    forall x: Artifact, y: Artifact ensures SameIdSameArtifact({x, y}) <==> x.id != y.id || x == y {
      assert x in {x, y} && y in {x, y};
    }
  }

  /** Two sets that hold different artifacts under one id do not join: they fail the gate. */
  lemma DifferentArtifactsOfOneIdConflict(gate: Gate, a: set<Artifact>, b: set<Artifact>, x: Artifact, y: Artifact)
    requires x in a && y in b && x.id == y.id && x != y
    ensures Join(Both(SameIdSameArtifact, gate), a, b) == Conflict
  {
    assert x in a + b && y in a + b;
    assert !SameIdSameArtifact(a + b);
    assert !Both(SameIdSameArtifact, gate)(a + b);
  }

  /** "Every artifact holds by itself" is hereditary, and holds of a union exactly if it holds of both. */
  lemma AllHoldIsHereditary(contract: Contract)
    ensures Hereditary(evidence => AllHold(contract, evidence))
    ensures forall a: set<Artifact>, b: set<Artifact> :: AllHold(contract, a + b) <==> AllHold(contract, a) && AllHold(contract, b)
  {
    forall a: set<Artifact>, b: set<Artifact> ensures AllHold(contract, a + b) <==> AllHold(contract, a) && AllHold(contract, b) {
      assert forall x :: x in a + b <==> x in a || x in b;
    }
  }

  /** The ids that artifacts rest on. */
  ghost function NeedsOf(evidence: set<Artifact>): set<Id> {
    set x, need | x in evidence && need in x.needs :: need
  }

  /** The ids of artifacts. */
  ghost function ArtifactIds(evidence: set<Artifact>): set<Id> {
    set x | x in evidence :: x.id
  }

  /** "What an artifact rests on is there" holds exactly if every id that an artifact needs is the id of one. */
  lemma NeedsArePresentExactlyWhen(evidence: set<Artifact>)
    ensures NeedsArePresent(evidence) <==> NeedsOf(evidence) <= ArtifactIds(evidence)
  {
    if NeedsArePresent(evidence) {
      forall need | need in NeedsOf(evidence) ensures need in ArtifactIds(evidence) {
        var x :| x in evidence && need in x.needs;
        assert exists y | y in evidence :: y.id == need;
      }
    }
    if NeedsOf(evidence) <= ArtifactIds(evidence) {
      forall x, need | x in evidence && need in x.needs ensures exists y | y in evidence :: y.id == need {
        assert need in NeedsOf(evidence);
        assert need in ArtifactIds(evidence);
      }
    }
  }

  /** "What an artifact rests on is there" is bounded: it holds of every union of sets of which it holds. */
  lemma NeedsArePresentIsBounded()
    ensures forall a: set<Artifact>, b: set<Artifact> | NeedsArePresent(a) && NeedsArePresent(b) :: NeedsArePresent(a + b)
    ensures Bounded(NeedsArePresent)
  {
    forall a: set<Artifact>, b: set<Artifact> | NeedsArePresent(a) && NeedsArePresent(b) ensures NeedsArePresent(a + b) {
      forall x, need | x in a + b && need in x.needs ensures exists y | y in a + b :: y.id == need {
        if x in a {
          var y :| y in a && y.id == need;
          assert y in a + b;
        } else {
          var y :| y in b && y.id == need;
          assert y in a + b;
        }
      }
    }
  }

  /** Two bounded gates together are bounded, two hereditary ones hereditary. */
  lemma BothIsBounded(first: Gate, second: Gate)
    ensures Bounded(first) && Bounded(second) ==> Bounded(Both(first, second))
    ensures Hereditary(first) && Hereditary(second) ==> Hereditary(Both(first, second))
  {
  }

  /** "What an artifact rests on is there" is bounded with any hereditary gate. */
  lemma NeedsWithAnyHereditaryGateIsBounded(gate: Gate)
    requires Hereditary(gate)
    ensures Bounded(Both(NeedsArePresent, gate))
  {
    NeedsArePresentIsBounded();
    HereditaryIsBounded(gate);
    BothIsBounded(NeedsArePresent, gate);
  }

  /** The gate of this project: one environment, one id is one artifact, and what an artifact rests on is there. */
  ghost function TheProjectsGate(): Gate {
    Both(SameEnvironment, Both(SameIdSameArtifact, NeedsArePresent))
  }

  /** The gate of this project is bounded. It is not hereditary: an artifact passes with what it rests on, and not without. */
  lemma TheProjectsGateIsBoundedAndNotHereditary(x: Artifact, y: Artifact)
    requires x.id != y.id && x.environment == y.environment
    requires x.needs == {y.id} && y.needs == {}
    ensures Bounded(TheProjectsGate())
    ensures TheProjectsGate()({x, y}) && !TheProjectsGate()({x})
    ensures !Hereditary(TheProjectsGate())
  {
    var inner := Both(SameIdSameArtifact, NeedsArePresent);
    SameEnvironmentIsHereditary();
    SameIdSameArtifactIsHereditary();
    NeedsArePresentIsBounded();
    HereditaryIsBounded(SameEnvironment);
    HereditaryIsBounded(SameIdSameArtifact);
    BothIsBounded(SameIdSameArtifact, NeedsArePresent);
    BothIsBounded(SameEnvironment, inner);
    assert y in {x, y} && y.id in x.needs && x in {x};
    assert {x} <= {x, y};
  }

  // --- Branches ---

  /** Every branch is pruned with its reason, or all that it brings is judged: a branch is pruned exactly if an artifact of it
    * does not hold, and the reason is all those that do not. */
  lemma RefutedAreExactlyPrunedWithTheirReason(contract: Contract, gate: Gate, branches: set<Branch>)
    ensures var outcome := MergeBranches(contract, gate, branches);
            && (forall b :: b in outcome.pruned <==> b in branches && !AllHold(contract, b.evidence))
            && (forall b | b in outcome.pruned ::
                  && outcome.pruned[b] != {}
                  && (forall x :: x in outcome.pruned[b] <==> x in b.evidence && !contract(x)))
  {
    forall b | b in branches ensures Refuted(contract, b) <==> !AllHold(contract, b.evidence) {
      RefutedMeansNotAllHold(contract, b);
    }
  }

  /** A branch is refuted exactly if not all of its artifacts hold. */
  lemma RefutedMeansNotAllHold(contract: Contract, b: Branch)
    ensures Refuted(contract, b) <==> !AllHold(contract, b.evidence)
  {
    if x :| x in b.evidence && !contract(x) {
      assert x in Refutation(contract, b);
    }
  }

  /** What is judged is exactly what the branches bring that are not refuted; all of it holds by itself. */
  lemma JudgedIsWhatSurvives(contract: Contract, branches: set<Branch>)
    ensures forall x :: x in Surviving(contract, branches) <==> exists b | b in branches && !Refuted(contract, b) :: x in b.evidence
    ensures AllHold(contract, Surviving(contract, branches))
  {
    forall b, x | b in branches && !Refuted(contract, b) && x in b.evidence ensures contract(x) {
      assert x !in Refutation(contract, b);
    }
  }

  /** A refuted branch changes no verdict and drives no other branch out. */
  lemma RefutedBranchChangesNoVerdict(contract: Contract, gate: Gate, branches: set<Branch>, b: Branch)
    requires Refuted(contract, b)
    ensures var before, after := MergeBranches(contract, gate, branches), MergeBranches(contract, gate, branches + {b});
            && after.verdict == before.verdict
            && after.pruned == before.pruned[b := Refutation(contract, b)]
  {
    assert Surviving(contract, branches + {b}) == Surviving(contract, branches);
  }

  /** Prose is carried and never gated: whatever contract, gate and verdict, all notes of all branches are there, those of
    * refuted branches too, and no note changes the verdict. */
  lemma NotesAreCarriedAndNeverGated(contract: Contract, gate: Gate, branches: set<Branch>)
    ensures forall note :: note in MergeBranches(contract, gate, branches).notes <==> exists b | b in branches :: note in b.notes
    ensures forall others: set<Branch> | SameEvidence(branches, others) ::
              MergeBranches(contract, gate, others).verdict == MergeBranches(contract, gate, branches).verdict
  {
    forall others: set<Branch> | SameEvidence(branches, others)
      ensures Surviving(contract, others) == Surviving(contract, branches)
    {
      SameEvidenceSurvivesAlike(contract, branches, others);
      SameEvidenceSurvivesAlike(contract, others, branches);
    }
  }

  /** Two sets of branches bring the same evidence, whatever the notes. */
  ghost predicate SameEvidence(branches: set<Branch>, others: set<Branch>) {
    && (forall b | b in branches :: exists o | o in others :: o.evidence == b.evidence)
    && (forall o | o in others :: exists b | b in branches :: b.evidence == o.evidence)
  }

  /** One direction of `NotesAreCarriedAndNeverGated`: what survives of the one survives of the other. */
  lemma SameEvidenceSurvivesAlike(contract: Contract, branches: set<Branch>, others: set<Branch>)
    requires forall b | b in branches :: exists o | o in others :: o.evidence == b.evidence
    ensures Surviving(contract, branches) <= Surviving(contract, others)
  {
    forall x | x in Surviving(contract, branches) ensures x in Surviving(contract, others) {
      var b :| b in branches && !Refuted(contract, b) && x in b.evidence;
      var o :| o in others && o.evidence == b.evidence;
      assert Refutation(contract, o) == Refutation(contract, b);
    }
  }

  // --- The ledger ---

  /** Recording is append-only: what was on record stays, in place and unchanged, and at most the one event is added. */
  lemma RecordIsAppendOnly(ledger: Ledger, e: Event)
    ensures ledger <= Record(ledger, e)
    ensures e.id !in Recorded(ledger) ==> Record(ledger, e) == ledger + [e]
    ensures Recorded(Record(ledger, e)) == Recorded(ledger) + {e.id}
  {
    if e.id !in Recorded(ledger) {
      forall id | id in Recorded(ledger) + {e.id} ensures id in Recorded(ledger + [e]) {
        if id != e.id {
          var x :| x in ledger && x.id == id;
          assert x in ledger + [e];
        } else {
          assert e in ledger + [e];
        }
      }
    }
  }

  /** Recording an event again changes nothing, whatever was recorded in between. */
  lemma RecordingAgainChangesNothing(ledger: Ledger, e: Event, events: seq<Event>)
    ensures Record(RecordAll(Record(ledger, e), events), e) == RecordAll(Record(ledger, e), events)
  {
    RecordIsAppendOnly(ledger, e);
    RecordAllIsAppendOnly(Record(ledger, e), events);
  }

  /** A whole history of events is append-only. */
  lemma RecordAllIsAppendOnly(ledger: Ledger, events: seq<Event>)
    ensures ledger <= RecordAll(ledger, events)
    ensures Recorded(ledger) <= Recorded(RecordAll(ledger, events))
    decreases |events|
  {
    if |events| > 0 {
      var before := RecordAll(ledger, events[..|events| - 1]);
      RecordAllIsAppendOnly(ledger, events[..|events| - 1]);
      RecordIsAppendOnly(before, events[|events| - 1]);
    }
  }

  /** No two events share an id. */
  ghost predicate UniqueIds(ledger: Ledger) {
    forall i, j | 0 <= i < j < |ledger| :: ledger[i].id != ledger[j].id
  }

  /** No two events on record share an id, if none did. */
  lemma RecordedIdsStayUnique(ledger: Ledger, e: Event)
    requires UniqueIds(ledger)
    ensures UniqueIds(Record(ledger, e))
  {
    var after := Record(ledger, e);
    forall i, j | 0 <= i < j < |after| ensures after[i].id != after[j].id {
      if j == |ledger| {
        assert ledger[i] in ledger;
      }
    }
  }

  /** Nor do they after a whole history of events. */
  lemma RecordedAllIdsStayUnique(ledger: Ledger, events: seq<Event>)
    requires UniqueIds(ledger)
    ensures UniqueIds(RecordAll(ledger, events))
    decreases |events|
  {
    if |events| > 0 {
      RecordedAllIdsStayUnique(ledger, events[..|events| - 1]);
      RecordedIdsStayUnique(RecordAll(ledger, events[..|events| - 1]), events[|events| - 1]);
    }
  }
}

// Chapter 15. Evidence: what branches bring home is merged as a set of artifacts and judged by a gate, after the merge and
// as a whole. What is said in prose is carried along and judged by nobody.
include "01-Entries.dfy"

module Evidence {
  import opened Names
  import opened Entries

  /** What an artifact is. */
  datatype Sort = TestResult | Proof | Property | RegistryField

  /** A result of work that can be checked again: its id, its sort, the hash of its content, the environment in which it was
    * made (toolchain, axioms, base commit), and the ids of the artifacts that it rests on. */
  datatype Artifact = Artifact(id: Id, sort: Sort, hash: Id, environment: Id, needs: set<Id>)

  /** A global invariant: which sets of artifacts may stand together. */
  type Gate = set<Artifact> -> bool

  /** A local contract: which artifacts hold by themselves. */
  type Contract = Artifact -> bool

  /** What a gate says of a set: it survives, or it does not. */
  datatype Verdict = Survives(evidence: set<Artifact>) | Conflict

  /** The verdict on a set. */
  function Judge(gate: Gate, evidence: set<Artifact>): Verdict {
    if gate(evidence) then Survives(evidence) else Conflict
  }

  /** Two sets joined: their union, if the gate holds of it. */
  function Join(gate: Gate, a: set<Artifact>, b: set<Artifact>): Verdict {
    Judge(gate, a + b)
  }

  /** Two verdicts joined: a conflict stays one. */
  function JoinVerdicts(gate: Gate, a: Verdict, b: Verdict): Verdict {
    if a.Survives? && b.Survives? then Join(gate, a.evidence, b.evidence) else Conflict
  }

  /** Sets joined one after the other. */
  function Fold(gate: Gate, parts: seq<set<Artifact>>): Verdict
    decreases |parts|
  {
    if |parts| == 0 then Survives({})
    else JoinVerdicts(gate, Fold(gate, parts[..|parts| - 1]), Survives(parts[|parts| - 1]))
  }

  /** All that several sets hold. */
  function Union(parts: seq<set<Artifact>>): set<Artifact>
    decreases |parts|
  {
    if |parts| == 0 then {} else Union(parts[..|parts| - 1]) + parts[|parts| - 1]
  }

  /** Sets taken one after the other, each refused that the gate does not let in. A plausible merge, and a wrong one. */
  function Greedy(gate: Gate, parts: seq<set<Artifact>>): set<Artifact>
    decreases |parts|
  {
    if |parts| == 0 then {}
    else
      var taken := Greedy(gate, parts[..|parts| - 1]);
      if gate(taken + parts[|parts| - 1]) then taken + parts[|parts| - 1] else taken
  }

  /** What a gate lets pass, it lets pass with less. */
  ghost predicate Hereditary(gate: Gate) {
    forall whole, part | part <= whole && gate(whole) :: gate(part)
  }

  /** What a gate lets pass within something that it lets pass, it lets pass together. */
  ghost predicate Bounded(gate: Gate) {
    forall a, b, whole | a <= whole && b <= whole && gate(a) && gate(b) && gate(whole) :: gate(a + b)
  }

  /** Joining is associative on three sets. */
  predicate Associates(gate: Gate, a: set<Artifact>, b: set<Artifact>, c: set<Artifact>) {
    JoinVerdicts(gate, Join(gate, a, b), Survives(c)) == JoinVerdicts(gate, Survives(a), Join(gate, b, c))
  }

  // --- Gates ---

  /** All artifacts were made in one environment. */
  predicate SameEnvironment(evidence: set<Artifact>) {
    forall x, y | x in evidence && y in evidence :: x.environment == y.environment
  }

  /** One id stands for one artifact. */
  predicate SameIdSameArtifact(evidence: set<Artifact>) {
    forall x, y | x in evidence && y in evidence :: x.id == y.id ==> x == y
  }

  /** What an artifact rests on is there. */
  predicate NeedsArePresent(evidence: set<Artifact>) {
    forall x, need | x in evidence && need in x.needs :: exists y | y in evidence :: y.id == need
  }

  /** Every artifact holds by itself. */
  predicate AllHold(contract: Contract, evidence: set<Artifact>) {
    forall x | x in evidence :: contract(x)
  }

  /** Both gates let it pass. */
  function Both(first: Gate, second: Gate): Gate {
    (evidence: set<Artifact>) => first(evidence) && second(evidence)
  }

  // --- Branches ---

  /** What a branch brings home: artifacts, and notes in prose. */
  datatype Branch = Branch(id: Id, evidence: set<Artifact>, notes: set<Value>)

  /** Why a branch is refuted: those of its artifacts that do not hold. */
  function Refutation(contract: Contract, b: Branch): set<Artifact> {
    set x | x in b.evidence && !contract(x)
  }

  /** A branch is refuted when one of its artifacts does not hold. */
  predicate Refuted(contract: Contract, b: Branch) {
    Refutation(contract, b) != {}
  }

  /** What comes of a merge of branches: the verdict on what the others bring, each refuted branch with its reason, and
    * all notes. */
  datatype Outcome = Outcome(verdict: Verdict, pruned: map<Branch, set<Artifact>>, notes: set<Value>)

  /** What the branches that are not refuted bring. */
  function Surviving(contract: Contract, branches: set<Branch>): set<Artifact> {
    set b, x | b in branches && !Refuted(contract, b) && x in b.evidence :: x
  }

  /** Branches merged: the refuted ones are pruned, the union of the others is judged once, all notes are carried. */
  function MergeBranches(contract: Contract, gate: Gate, branches: set<Branch>): Outcome {
    Outcome(
      Judge(gate, Surviving(contract, branches)),
      map b | b in branches && Refuted(contract, b) :: Refutation(contract, b),
      set b, note | b in branches && note in b.notes :: note)
  }

  // --- The ledger ---

  /** Who acts, in which role, on whose authority, in which environment. */
  datatype Governance = Governance(actor: Id, role: Id, authority: Id, environment: Id)

  /** What is put on record: that a branch left a version, with the hash of the prefix that it carries; or that versions were
    * joined, with the gate and what it said. */
  datatype Event =
    | Forked(id: Id, at: Value, who: Governance, parent: Id, branch: Id, prefix: Id, note: Value)
    | Joined(id: Id, at: Value, who: Governance, inputs: set<Id>, version: Id, gate: Id, survives: bool, reviewer: Id)

  /** Events in the order in which they were recorded. */
  type Ledger = seq<Event>

  /** The ids of the events on record. */
  function Recorded(ledger: Ledger): set<Id> {
    set e | e in ledger :: e.id
  }

  /** The ledger after an event is recorded. An event whose id is on record is not recorded again. */
  function Record(ledger: Ledger, e: Event): Ledger {
    if e.id in Recorded(ledger) then ledger else ledger + [e]
  }

  /** The ledger after several events. */
  function RecordAll(ledger: Ledger, events: seq<Event>): Ledger
    decreases |events|
  {
    if |events| == 0 then ledger
    else Record(RecordAll(ledger, events[..|events| - 1]), events[|events| - 1])
  }
}

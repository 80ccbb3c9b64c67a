// Chapter 16. Memory: blocks of named fields, carried by a fork and merged back field by field against what both sides began
// with. That a field is absent counts as a value.
include "01-Entries.dfy"

module Memories {
  import opened Names
  import opened Entries

  /** Named fields. */
  type Memory = map<Key, Value>

  /** What a memory holds under a key, if anything. */
  function At(memory: Memory, k: Key): Option<Value> {
    if k in memory then Some(memory[k]) else None
  }

  /** What becomes of one field: one value, or a clash, with what both sides began with and what each made of it. */
  datatype Field =
    | Agreed(value: Option<Value>)
    | Clash(base: Option<Value>, target: Option<Value>, fork: Option<Value>)

  /** One field merged: who changed it decides; who changed it alike agrees; who changed it differently clashes. */
  function MergeField(base: Option<Value>, target: Option<Value>, fork: Option<Value>): Field {
    if target == fork || fork == base then Agreed(target)
    else if target == base then Agreed(fork)
    else Clash(base, target, fork)
  }

  /** What becomes of a memory: the fields that agree, and the clashes. */
  datatype Merged = Merged(fields: Memory, clashes: map<Key, Field>)

  /** What becomes of the field under a key. */
  function FieldAt(base: Memory, target: Memory, fork: Memory, k: Key): Field {
    MergeField(At(base, k), At(target, k), At(fork, k))
  }

  /** A fork's memory merged into the target's, field by field, against what both began with. */
  function Merge(base: Memory, target: Memory, fork: Memory): Merged {
    var keys := base.Keys + target.Keys + fork.Keys;
    Merged(
      map k | k in keys && FieldAt(base, target, fork, k).Agreed? && FieldAt(base, target, fork, k).value.Some?
        :: FieldAt(base, target, fork, k).value.value,
      map k | k in keys && FieldAt(base, target, fork, k).Clash? :: FieldAt(base, target, fork, k))
  }

  /** Nothing clashes. */
  predicate Clean(merged: Merged) {
    merged.clashes == map[]
  }

  // --- Resolving clashes ---

  /** One of the two sides. */
  datatype Side = TargetSide | ForkSide

  /** How clashes are resolved: for one side; for the target, with the fork's fields kept in a block beside; as the user
    * answers, field by field; or not at all. */
  datatype Resolution = PreferFork | PreferTarget | KeepBoth | Ask(answers: map<Key, Side>) | Fail

  /** What a resolution comes to: a memory and what is kept beside it; or the fields that wait for an answer. */
  datatype Solution =
    | Solved(memory: Memory, beside: map<Key, Option<Value>>)
    | Waiting(open: set<Key>)

  /** The side that a resolution takes in a clash, if it takes one. */
  function SideOf(how: Resolution, k: Key): Option<Side> {
    match how
    case PreferFork => Some(ForkSide)
    case PreferTarget => Some(TargetSide)
    case KeepBoth => Some(TargetSide)
    case Ask(answers) => if k in answers then Some(answers[k]) else None
    case Fail => None
  }

  /** What a side holds in a clash. */
  function Taken(clash: Field, side: Side): Option<Value>
    requires clash.Clash?
  {
    if side.TargetSide? then clash.target else clash.fork
  }

  /** The fields that a resolution leaves open. */
  function Open(merged: Merged, how: Resolution): set<Key> {
    set k | k in merged.clashes && SideOf(how, k).None?
  }

  /** What a clash is resolved to, where it is. */
  function Answer(merged: Merged, how: Resolution, k: Key): Option<Value> {
    if k in merged.clashes && merged.clashes[k].Clash? && SideOf(how, k).Some?
    then Taken(merged.clashes[k], SideOf(how, k).value)
    else At(merged.fields, k)
  }

  /** A merge with its clashes resolved. */
  function Resolve(merged: Merged, how: Resolution): Solution {
    if Open(merged, how) != {} then Waiting(Open(merged, how))
    else
      Solved(
        map k | k in merged.fields.Keys + merged.clashes.Keys && Answer(merged, how, k).Some?
          :: Answer(merged, how, k).value,
        if how.KeepBoth? then map k | k in merged.clashes && merged.clashes[k].Clash? :: merged.clashes[k].fork else map[])
  }

  // --- Several forks at once ---

  /** A field that a fork changed, and what it made of it. */
  datatype Change = Change(key: Key, value: Option<Value>)

  /** What a fork changed. */
  function Changes(base: Memory, fork: Memory): set<Change> {
    set k | k in base.Keys + fork.Keys && At(fork, k) != At(base, k) :: Change(k, At(fork, k))
  }

  /** What several forks changed. */
  function AllChanges(base: Memory, forks: seq<Memory>): set<Change>
    decreases |forks|
  {
    if |forks| == 0 then {} else AllChanges(base, forks[..|forks| - 1]) + Changes(base, forks[|forks| - 1])
  }

  /** What was made of a field: nothing if nobody changed it, one value if all who did agree, several if they clash. */
  function ValuesOf(changes: set<Change>, k: Key): set<Option<Value>> {
    set c | c in changes && c.key == k :: c.value
  }

  /** What a fork made of one field: what it began with, and what it has. */
  datatype Made = Made(base: Option<Value>, fork: Option<Value>)

  /** What comes of one field when several forks are merged at once: one value, or a dispute. */
  datatype Together = Settled(value: Option<Value>) | Disputed

  /** What comes of the field with each fork that changed it. */
  function Outcomes(target: Option<Value>, all: set<Made>): set<Field> {
    set made | made in all && made.fork != made.base :: MergeField(made.base, target, made.fork)
  }

  /** One field of several forks merged at once, each against what it began with: it stays where none changed it, and is settled
    * where all who changed it come to one value. */
  function MergeAtOnce(target: Option<Value>, all: set<Made>): Together {
    var outcomes := Outcomes(target, all);
    if outcomes == {} then Settled(target)
    else if forall x, y | x in outcomes && y in outcomes :: x.Agreed? && x == y then
      var field :| field in outcomes;
      Settled(field.value)
    else Disputed
  }

  /** Forks merged one after the other into a target, the target preferred. A plausible way, and a wrong one. */
  function MergeInTurn(base: Memory, target: Memory, forks: seq<Memory>): Memory
    decreases |forks|
  {
    if |forks| == 0 then target
    else
      var sofar := MergeInTurn(base, target, forks[..|forks| - 1]);
      var resolved := Resolve(Merge(base, sofar, forks[|forks| - 1]), PreferTarget);
      if resolved.Solved? then resolved.memory else sofar
  }
}

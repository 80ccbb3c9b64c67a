// Chapter 16, proofs: the laws of the merge of three memories, what each way to resolve a clash keeps, when a clash comes
// back, and that several forks merged as sets of changed values do not depend on the order.
include "16-Memories.dfy"

module MemoriesProofs {
  import opened Names
  import opened Entries
  import opened Memories

  // --- What a merge holds, key by key ---

  /** Memories are the same exactly if they hold the same under every key. */
  lemma SameMemoryExactly(a: Memory, b: Memory)
    ensures a == b <==> forall k :: At(a, k) == At(b, k)
  {
    if forall k :: At(a, k) == At(b, k) {
      forall k ensures k in a <==> k in b {
        assert At(a, k) == At(b, k);
      }
      forall k | k in a ensures a[k] == b[k] {
        assert At(a, k) == At(b, k);
      }
    }
  }

  /** What a merge holds under each key: the field, where it agrees; the clash, where it clashes. */
  lemma MergeHoldsExactly(base: Memory, target: Memory, fork: Memory, k: Key)
    ensures var merged, field := Merge(base, target, fork), FieldAt(base, target, fork, k);
            && At(merged.fields, k) == (if field.Agreed? then field.value else None)
            && (k in merged.clashes <==> field.Clash?)
            && (k in merged.clashes ==> merged.clashes[k] == field)
  {
  }

  /** A field clashes exactly if both sides changed it, and differently. */
  lemma ClashesExactlyWhereBothChanged(base: Memory, target: Memory, fork: Memory, k: Key)
    ensures k in Merge(base, target, fork).clashes <==>
            At(target, k) != At(base, k) && At(fork, k) != At(base, k) && At(target, k) != At(fork, k)
    ensures k in Merge(base, target, fork).clashes ==>
              Merge(base, target, fork).clashes[k] == Clash(At(base, k), At(target, k), At(fork, k))
  {
    MergeHoldsExactly(base, target, fork, k);
  }

  /** A merge is clean exactly if nothing clashes; then it holds under each key what the field comes to. */
  lemma CleanHoldsExactly(base: Memory, target: Memory, fork: Memory, m: Memory)
    ensures Merge(base, target, fork) == Merged(m, map[]) <==>
            forall k :: FieldAt(base, target, fork, k) == Agreed(At(m, k))
  {
    var merged := Merge(base, target, fork);
    SameMemoryExactly(merged.fields, m);
    if merged == Merged(m, map[]) {
      forall k ensures FieldAt(base, target, fork, k) == Agreed(At(m, k)) {
        MergeHoldsExactly(base, target, fork, k);
      }
    }
    if forall k :: FieldAt(base, target, fork, k) == Agreed(At(m, k)) {
      forall k ensures At(merged.fields, k) == At(m, k) && k !in merged.clashes {
        MergeHoldsExactly(base, target, fork, k);
        assert FieldAt(base, target, fork, k) == Agreed(At(m, k));
      }
      assert merged.clashes == map[];
    }
  }

  // --- The laws ---

  /** A fork that changed nothing changes nothing. */
  lemma UnchangedForkChangesNothing(base: Memory, target: Memory)
    ensures Merge(base, target, base) == Merged(target, map[])
  {
    CleanHoldsExactly(base, target, base, target);
  }

  /** Where only the fork went on, its memory is taken as it is: fast-forward. */
  lemma FastForwardTakesTheFork(base: Memory, fork: Memory)
    ensures Merge(base, base, fork) == Merged(fork, map[])
  {
    CleanHoldsExactly(base, base, fork, fork);
  }

  /** Where both came to the same, that is it. */
  lemma SameChangesAgree(base: Memory, both: Memory)
    ensures Merge(base, both, both) == Merged(both, map[])
  {
    CleanHoldsExactly(base, both, both, both);
  }

  /** A field with its sides exchanged. */
  function Mirrored(field: Field): Field {
    match field
    case Agreed(value) => field
    case Clash(base, target, fork) => Clash(base, fork, target)
  }

  /** Merging the other way round is the same with the sides exchanged: the fields are the same, and so are the clashes but for
    * which side is which. */
  lemma MergeIsSymmetricUpToSides(base: Memory, target: Memory, fork: Memory)
    ensures var there, back := Merge(base, target, fork), Merge(base, fork, target);
            && back.fields == there.fields
            && back.clashes.Keys == there.clashes.Keys
            && (forall k | k in there.clashes :: back.clashes[k] == Mirrored(there.clashes[k]))
  {
    var there, back := Merge(base, target, fork), Merge(base, fork, target);
    SameMemoryExactly(back.fields, there.fields);
    forall k
      ensures At(back.fields, k) == At(there.fields, k)
      ensures k in back.clashes <==> k in there.clashes
      ensures k in there.clashes ==> back.clashes[k] == Mirrored(there.clashes[k])
    {
      MergeHoldsExactly(base, target, fork, k);
      MergeHoldsExactly(base, fork, target, k);
    }
  }

  /** Nothing is lost silently: what a side made of a field that it changed is in the result, or in a clash with both values. */
  lemma NothingIsLostSilently(base: Memory, target: Memory, fork: Memory, k: Key)
    ensures var merged := Merge(base, target, fork);
            && (At(fork, k) != At(base, k) ==>
                  if k in merged.clashes then merged.clashes[k] == Clash(At(base, k), At(target, k), At(fork, k))
                  else At(merged.fields, k) == At(fork, k))
            && (At(target, k) != At(base, k) ==>
                  if k in merged.clashes then merged.clashes[k] == Clash(At(base, k), At(target, k), At(fork, k))
                  else At(merged.fields, k) == At(target, k))
  {
    MergeHoldsExactly(base, target, fork, k);
  }

  /** Nothing is invented: a field that does not clash is as one of the sides has it, and as it was where neither changed it; a
    * field that clashes has no value in the result. */
  lemma NothingIsInvented(base: Memory, target: Memory, fork: Memory, k: Key)
    ensures var merged := Merge(base, target, fork);
            && (k !in merged.clashes ==> At(merged.fields, k) in {At(target, k), At(fork, k)})
            && (At(target, k) == At(base, k) == At(fork, k) ==> k !in merged.clashes && At(merged.fields, k) == At(base, k))
            && (k in merged.clashes ==> k !in merged.fields)
  {
    MergeHoldsExactly(base, target, fork, k);
  }

  /** A clean merge is idempotent: merging the same fork again changes nothing, on the old base as on the advanced one. */
  lemma CleanMergeIsIdempotent(base: Memory, target: Memory, fork: Memory, m: Memory)
    requires Merge(base, target, fork) == Merged(m, map[])
    ensures Merge(base, m, fork) == Merged(m, map[])
    ensures Merge(fork, m, fork) == Merged(m, map[])
  {
    CleanHoldsExactly(base, target, fork, m);
    CleanHoldsExactly(base, m, fork, m);
    forall k ensures FieldAt(base, m, fork, k) == Agreed(At(m, k)) {
      assert FieldAt(base, target, fork, k) == Agreed(At(m, k));
    }
    UnchangedForkChangesNothing(fork, m);
  }

  // --- Resolving ---

  /** What a resolved merge holds, key by key. */
  lemma ResolvedHoldsExactly(base: Memory, target: Memory, fork: Memory, how: Resolution, k: Key)
    ensures var merged := Merge(base, target, fork);
            var resolved := Resolve(merged, how);
            && (resolved.Solved? ==> At(resolved.memory, k) == Answer(merged, how, k))
            && (resolved.Solved? && k in merged.clashes ==>
                  SideOf(how, k).Some? && At(resolved.memory, k) == Taken(merged.clashes[k], SideOf(how, k).value))
            && (resolved.Solved? && k !in merged.clashes ==> At(resolved.memory, k) == At(merged.fields, k))
  {
    var merged := Merge(base, target, fork);
    MergeHoldsExactly(base, target, fork, k);
    if Resolve(merged, how).Solved? && k in merged.clashes {
      assert k !in Open(merged, how);
    }
  }

  /** A clean merge needs no resolution: all of them come to the merge itself, with nothing beside. */
  lemma CleanNeedsNoResolution(merged: Merged, how: Resolution)
    requires Clean(merged)
    ensures Resolve(merged, how) == Solved(merged.fields, map[])
  {
    assert Open(merged, how) == {};
    assert forall k :: Answer(merged, how, k) == At(merged.fields, k);
  }

  /** Preferring a side always comes to a memory, and keeps all that the side changed. */
  lemma PreferredSideKeepsItsChanges(base: Memory, target: Memory, fork: Memory, k: Key)
    ensures var merged := Merge(base, target, fork);
            && Resolve(merged, PreferFork).Solved? && Resolve(merged, PreferTarget).Solved?
            && (At(fork, k) != At(base, k) ==> At(Resolve(merged, PreferFork).memory, k) == At(fork, k))
            && (At(target, k) != At(base, k) ==> At(Resolve(merged, PreferTarget).memory, k) == At(target, k))
  {
    NothingIsLostSilently(base, target, fork, k);
    ResolvedHoldsExactly(base, target, fork, PreferFork, k);
    ResolvedHoldsExactly(base, target, fork, PreferTarget, k);
  }

  /** Keeping both always comes to a memory and loses nothing: the memory holds what the target changed, and what the fork
    * changed is in the memory or beside it. Beside it stand exactly the fork's fields that clash. */
  lemma KeepingBothLosesNothing(base: Memory, target: Memory, fork: Memory, k: Key)
    ensures var merged := Merge(base, target, fork);
            var both := Resolve(merged, KeepBoth);
            && both.Solved?
            && both.memory == Resolve(merged, PreferTarget).memory
            && both.beside.Keys == merged.clashes.Keys
            && (k in both.beside ==> both.beside[k] == At(fork, k))
            && (At(target, k) != At(base, k) ==> At(both.memory, k) == At(target, k))
            && (At(fork, k) != At(base, k) && k !in both.beside ==> At(both.memory, k) == At(fork, k))
  {
    var merged := Merge(base, target, fork);
    assert forall j :: Answer(merged, KeepBoth, j) == Answer(merged, PreferTarget, j);
    NothingIsLostSilently(base, target, fork, k);
    ResolvedHoldsExactly(base, target, fork, KeepBoth, k);
    PreferredSideKeepsItsChanges(base, target, fork, k);
    forall j | j in merged.clashes ensures merged.clashes[j].Clash? {
      MergeHoldsExactly(base, target, fork, j);
    }
  }

  /** Asking comes to a memory exactly if every clash is answered, and waits for exactly the others; each answered field is as
    * the side that was named has it. */
  lemma AskingTakesTheAnswers(base: Memory, target: Memory, fork: Memory, answers: map<Key, Side>, k: Key)
    ensures var merged := Merge(base, target, fork);
            var asked := Resolve(merged, Ask(answers));
            && (asked.Solved? <==> merged.clashes.Keys <= answers.Keys)
            && (asked.Waiting? ==> asked.open == merged.clashes.Keys - answers.Keys)
            && (asked.Solved? && k in merged.clashes ==>
                  At(asked.memory, k) == if answers[k].ForkSide? then At(fork, k) else At(target, k))
  {
    var merged := Merge(base, target, fork);
    var open := merged.clashes.Keys - answers.Keys;
    assert Open(merged, Ask(answers)) == open;
    assert open == {} <==> merged.clashes.Keys <= answers.Keys by {
      assert forall j | j in merged.clashes.Keys && j !in answers.Keys :: j in open;
    }
    MergeHoldsExactly(base, target, fork, k);
    ResolvedHoldsExactly(base, target, fork, Ask(answers), k);
  }

  /** A field that does not clash is as merged, however clashes are resolved: neither side's undisputed change is lost. */
  lemma UndisputedFieldsAreAsMerged(base: Memory, target: Memory, fork: Memory, how: Resolution, k: Key)
    requires Resolve(Merge(base, target, fork), how).Solved?
    requires k !in Merge(base, target, fork).clashes
    ensures var merged := Merge(base, target, fork);
            var memory := Resolve(merged, how).memory;
            && At(memory, k) == At(merged.fields, k)
            && (At(fork, k) != At(base, k) ==> At(memory, k) == At(fork, k))
            && (At(target, k) != At(base, k) ==> At(memory, k) == At(target, k))
  {
    ResolvedHoldsExactly(base, target, fork, how, k);
    NothingIsLostSilently(base, target, fork, k);
  }

  /** Failing comes to a memory exactly if nothing clashes. */
  lemma FailingSettlesExactlyTheClean(merged: Merged)
    ensures Resolve(merged, Fail).Solved? <==> Clean(merged)
  {
    assert Open(merged, Fail) == merged.clashes.Keys;
    if merged.clashes.Keys == {} {
      assert merged.clashes == map[];
    }
  }

  // --- Merging again ---

  /** A resolved clash clashes again on the old base, exactly unless it was resolved to what the fork has or to what was there
    * at the beginning; in the latter case the fork's value is taken over the resolution. */
  lemma ResolvedClashComesBackExactly(base: Memory, target: Memory, fork: Memory, m: Memory, k: Key)
    requires k in Merge(base, target, fork).clashes
    ensures k in Merge(base, m, fork).clashes <==> At(m, k) !in {At(fork, k), At(base, k)}
    ensures k !in Merge(base, m, fork).clashes ==> At(Merge(base, m, fork).fields, k) == At(fork, k)
  {
    MergeHoldsExactly(base, target, fork, k);
    MergeHoldsExactly(base, m, fork, k);
  }

  /** Advanced to the fork's head, the base brings no clash back: whatever the clashes were resolved to, merging the fork again
    * changes nothing; and when the fork has gone on, a field that it left alone stays as it was resolved. */
  lemma AdvancedBaseBringsNoClashBack(fork: Memory, m: Memory, later: Memory, k: Key)
    ensures Merge(fork, m, fork) == Merged(m, map[])
    ensures At(later, k) == At(fork, k) ==>
              k !in Merge(fork, m, later).clashes && At(Merge(fork, m, later).fields, k) == At(m, k)
  {
    UnchangedForkChangesNothing(fork, m);
    MergeHoldsExactly(fork, m, later, k);
  }

  // --- Some fields only ---

  /** Fields stand by themselves: what a merge makes of a field, and whether it clashes, depends on that field alone. */
  lemma FieldsStandByThemselves(
    base: Memory, target: Memory, fork: Memory, base': Memory, target': Memory, fork': Memory, k: Key)
    requires At(base, k) == At(base', k) && At(target, k) == At(target', k) && At(fork, k) == At(fork', k)
    ensures var one, other := Merge(base, target, fork), Merge(base', target', fork');
            && At(one.fields, k) == At(other.fields, k)
            && (k in one.clashes <==> k in other.clashes)
            && (k in one.clashes ==> one.clashes[k] == other.clashes[k])
  {
    MergeHoldsExactly(base, target, fork, k);
    MergeHoldsExactly(base', target', fork', k);
  }

  /** A field whose base was advanced to the fork's stays as the target has it, and does not clash. */
  lemma AdvancedFieldStays(base: Memory, target: Memory, fork: Memory, k: Key)
    requires At(base, k) == At(fork, k)
    ensures k !in Merge(base, target, fork).clashes
    ensures At(Merge(base, target, fork).fields, k) == At(target, k)
  {
    MergeHoldsExactly(base, target, fork, k);
  }

  /** The base after the fields `keys` alone were merged: those are as the fork has them, the others wait with their base. */
  ghost function Advanced(base: Memory, fork: Memory, keys: set<Key>): Memory {
    map k | k in base.Keys + fork.Keys && (if k in keys then k in fork else k in base) :: if k in keys then fork[k] else base[k]
  }

  /** A partial merge is idempotent: merged again on the base that was advanced for some fields, those stay as they are, whatever
    * they were resolved to, and each of the others is merged as if nothing had been. */
  lemma PartialMergeIsIdempotent(base: Memory, m: Memory, fork: Memory, keys: set<Key>, k: Key)
    ensures var again, first := Merge(Advanced(base, fork, keys), m, fork), Merge(base, m, fork);
            && (k in keys ==> k !in again.clashes && At(again.fields, k) == At(m, k))
            && (k !in keys ==>
                  && At(again.fields, k) == At(first.fields, k)
                  && (k in again.clashes <==> k in first.clashes)
                  && (k in again.clashes ==> again.clashes[k] == first.clashes[k]))
  {
    if k in keys {
      AdvancedFieldStays(Advanced(base, fork, keys), m, fork, k);
    } else {
      FieldsStandByThemselves(Advanced(base, fork, keys), m, fork, base, m, fork, k);
    }
  }

  // --- Several forks at once ---

  /** What was made of a field is what some fork made of it that changed it. */
  lemma AllChangesAreTheForks(base: Memory, forks: seq<Memory>, c: Change)
    ensures c in AllChanges(base, forks) <==> exists i | 0 <= i < |forks| :: c in Changes(base, forks[i])
    decreases |forks|
  {
    if |forks| > 0 {
      var before := forks[..|forks| - 1];
      AllChangesAreTheForks(base, before, c);
      if i :| 0 <= i < |forks| && c in Changes(base, forks[i]) {
        assert i < |before| ==> c in Changes(base, before[i]);
      }
      if i :| 0 <= i < |before| && c in Changes(base, before[i]) {
        assert c in Changes(base, forks[i]);
      }
    }
  }

  /** Merging several forks, then several more, is uniting what they changed: so grouping does not matter. */
  lemma ChangesUnite(base: Memory, a: seq<Memory>, b: seq<Memory>)
    ensures AllChanges(base, a + b) == AllChanges(base, a) + AllChanges(base, b)
    decreases |b|
  {
    if |b| == 0 {
      assert a + b == a;
    } else {
      assert (a + b)[..|a + b| - 1] == a + b[..|b| - 1];
      ChangesUnite(base, a, b[..|b| - 1]);
    }
  }

  /** Neither the order of the forks matters, nor merging one again. */
  lemma ChangesDependOnTheForksAlone(base: Memory, a: seq<Memory>, b: seq<Memory>)
    requires forall fork :: fork in a <==> fork in b
    ensures AllChanges(base, a) == AllChanges(base, b)
  {
    forall c ensures c in AllChanges(base, a) <==> c in AllChanges(base, b) {
      AllChangesAreTheForks(base, a, c);
      AllChangesAreTheForks(base, b, c);
      if i :| 0 <= i < |a| && c in Changes(base, a[i]) {
        assert a[i] in b;
      }
      if i :| 0 <= i < |b| && c in Changes(base, b[i]) {
        assert b[i] in a;
      }
    }
  }

  /** What one fork made of a field: its value, if it changed it. */
  lemma ValuesOfOne(base: Memory, fork: Memory, k: Key)
    ensures ValuesOf(Changes(base, fork), k) == if At(fork, k) != At(base, k) then {At(fork, k)} else {}
  {
    if At(fork, k) != At(base, k) {
      assert Change(k, At(fork, k)) in Changes(base, fork);
    }
  }

  /** What was made of a field in two sets of changes is what was made of it in either. */
  lemma ValuesUnite(a: set<Change>, b: set<Change>, k: Key)
    ensures ValuesOf(a + b, k) == ValuesOf(a, k) + ValuesOf(b, k)
  {
    forall v | v in ValuesOf(a, k) + ValuesOf(b, k) ensures v in ValuesOf(a + b, k) {
      if c :| c in a && c.key == k && c.value == v {
        assert c in a + b;
      }
      if c :| c in b && c.key == k && c.value == v {
        assert c in a + b;
      }
    }
  }

  /** Of several forks nothing is lost and nothing invented: what was made of a field is exactly what the forks made of it that
    * changed it. */
  lemma ValuesAreTheForks(base: Memory, forks: seq<Memory>, k: Key, v: Option<Value>)
    ensures v in ValuesOf(AllChanges(base, forks), k) <==>
            exists i | 0 <= i < |forks| :: At(forks[i], k) == v && v != At(base, k)
    decreases |forks|
  {
    if |forks| > 0 {
      var before, fork := forks[..|forks| - 1], forks[|forks| - 1];
      ValuesAreTheForks(base, before, k, v);
      ValuesUnite(AllChanges(base, before), Changes(base, fork), k);
      ValuesOfOne(base, fork, k);
      if i :| 0 <= i < |forks| && At(forks[i], k) == v && v != At(base, k) {
        assert i < |before| ==> At(before[i], k) == v;
      }
      if i :| 0 <= i < |before| && At(before[i], k) == v && v != At(base, k) {
        assert At(forks[i], k) == v;
      }
    }
  }

  /** What was made of a field by two: what each made of it that changed it. */
  lemma ValuesOfTwo(base: Memory, target: Memory, fork: Memory, k: Key)
    ensures ValuesOf(AllChanges(base, [target, fork]), k) ==
            (if At(target, k) != At(base, k) then {At(target, k)} else {}) + (if At(fork, k) != At(base, k) then {At(fork, k)} else {})
  {
    assert [] + [target] == [target] && [target] + [fork] == [target, fork];
    ChangesUnite(base, [target], [fork]);
    assert AllChanges(base, [target]) == Changes(base, target);
    assert AllChanges(base, [fork]) == Changes(base, fork);
    ValuesUnite(Changes(base, target), Changes(base, fork), k);
    ValuesOfOne(base, target, k);
    ValuesOfOne(base, fork, k);
  }

  /** The merge of three memories is the case of two: with no change a field is as it was, with one value it is that, with two it
    * clashes. */
  lemma MergeOfTwoIsTheThreeWayMerge(base: Memory, target: Memory, fork: Memory, k: Key)
    ensures var values, merged := ValuesOf(AllChanges(base, [target, fork]), k), Merge(base, target, fork);
            && (values == {} ==> k !in merged.clashes && At(merged.fields, k) == At(base, k))
            && (forall v | values == {v} :: k !in merged.clashes && At(merged.fields, k) == v)
            && (k in merged.clashes <==> |values| == 2)
            && (k in merged.clashes ==> values == {At(target, k), At(fork, k)})
  {
    hide Changes, AllChanges, ValuesOf, Merge;
    MergeHoldsExactly(base, target, fork, k);
    ValuesOfTwo(base, target, fork, k);
    var b, t, f := At(base, k), At(target, k), At(fork, k);
    var values := (if t != b then {t} else {}) + (if f != b then {f} else {});
    if t == b || f == b || t == f {
      assert |values| <= 1 by {
        assert values == (if t != b then {t} else if f != b then {f} else {});
      }
      assert t != b ==> t in values;
      assert f != b ==> f in values;
    } else {
      assert values == {t, f};
      assert t in values && f in values;
      assert forall v | values == {v} :: t == v && f == v;
    }
  }

  // --- Several forks at once, each with its own base ---

  /** A field is settled to a value exactly if every fork that changed it made that of it, and the target has it or has what the
    * fork began with; where no fork changed it, exactly if the target has it. So nothing is lost and nothing invented. */
  lemma SettledExactly(target: Option<Value>, all: set<Made>, v: Option<Value>)
    ensures MergeAtOnce(target, all) == Settled(v) <==>
            && (forall made | made in all && made.fork != made.base :: made.fork == v && target in {v, made.base})
            && ((forall made | made in all :: made.fork == made.base) ==> v == target)
  {
    var outcomes := Outcomes(target, all);
    forall made | made in all && made.fork != made.base
      ensures MergeField(made.base, target, made.fork) in outcomes
      ensures MergeField(made.base, target, made.fork) == Agreed(v) <==> made.fork == v && target in {v, made.base}
    {
    }
    if outcomes == {} {
      forall made | made in all ensures made.fork == made.base {
        assert made.fork != made.base ==> MergeField(made.base, target, made.fork) in outcomes;
      }
    } else {
      var field :| field in outcomes;
      var made :| made in all && made.fork != made.base && MergeField(made.base, target, made.fork) == field;
      assert MergeAtOnce(target, all) == Settled(v) <==> forall x | x in outcomes :: x == Agreed(v);
    }
  }

  /** Forks that changed nothing change nothing; so with advanced bases merging again changes nothing. */
  lemma UnchangedForksChangeNothing(target: Option<Value>, all: set<Made>)
    requires forall made | made in all :: made.fork == made.base
    ensures MergeAtOnce(target, all) == Settled(target)
  {
    SettledExactly(target, all, target);
  }

  /** One fork merged at once is the three-way merge. */
  lemma OneAtOnceIsTheThreeWayMerge(base: Memory, target: Memory, fork: Memory, k: Key)
    ensures var merged := Merge(base, target, fork);
            MergeAtOnce(At(target, k), {Made(At(base, k), At(fork, k))}) ==
            if k in merged.clashes then Disputed else Settled(At(merged.fields, k))
  {
    var all := {Made(At(base, k), At(fork, k))};
    MergeHoldsExactly(base, target, fork, k);
    SettledExactly(At(target, k), all, At(Merge(base, target, fork).fields, k));
    assert Made(At(base, k), At(fork, k)) in all;
    match MergeAtOnce(At(target, k), all)
    case Settled(v) => SettledExactly(At(target, k), all, v);
    case Disputed =>
  }

  /** Where all forks began with the same and one changed the field, it is settled exactly if, with the target's, one value was
    * made of it. */
  lemma AtOnceIsTheValuesOfTheChanges(base: Memory, target: Memory, forks: seq<Memory>, k: Key, v: Option<Value>)
    requires exists fork | fork in forks :: At(fork, k) != At(base, k)
    ensures var all := set fork | fork in forks :: Made(At(base, k), At(fork, k));
            MergeAtOnce(At(target, k), all) == Settled(v) <==> ValuesOf(AllChanges(base, [target] + forks), k) == {v}
  {
    var all := set fork | fork in forks :: Made(At(base, k), At(fork, k));
    var sides := [target] + forks;
    var values := ValuesOf(AllChanges(base, sides), k);
    SettledExactly(At(target, k), all, v);
    forall w ensures w in values <==> exists i | 0 <= i < |sides| :: At(sides[i], k) == w && w != At(base, k) {
      ValuesAreTheForks(base, sides, k, w);
    }
    forall fork | fork in forks && At(fork, k) != At(base, k)
      ensures Made(At(base, k), At(fork, k)) in all && At(fork, k) in values
    {
      var i :| 0 <= i < |forks| && forks[i] == fork;
      assert sides[i + 1] == fork;
    }
    assert sides[0] == target;
    assert At(target, k) != At(base, k) ==> At(target, k) in values;
    var changed :| changed in forks && At(changed, k) != At(base, k);
    if MergeAtOnce(At(target, k), all) == Settled(v) {
      forall w ensures w in values <==> w == v {
        if w in values {
          var i :| 0 <= i < |sides| && At(sides[i], k) == w && w != At(base, k);
          assert i > 0 ==> sides[i] == forks[i - 1] && forks[i - 1] in forks;
        }
      }
    }
    if values == {v} {
      forall made | made in all && made.fork != made.base ensures made.fork == v && At(target, k) in {v, made.base} {
      }
    }
  }
}

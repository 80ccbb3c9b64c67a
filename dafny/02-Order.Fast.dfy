// Chapter 2, algorithms. Canonical order in one sweep over the file, and procedures that decide unique uuids, dangling
// parents and acyclicity: each a method with loops, verified against the definition. With maps that answer in constant
// time and a heap as the pool they are near-linear in the number of entries.
include "02-Order.Proofs.dfy"

/** A pool of positions from which the smallest is taken. The export set shows its contents only, so any implementation
  * will do (here a sorted sequence, a binary heap in a port). */
module Pools {
  export
    provides Pool, Contents, Empty, IsEmpty, Put, Min, WithoutMin

  /** The positions in the pool, in ascending order. */
  type Pool = items: seq<nat> | Ascending(items)

  /** Each number is larger than the one in front of it. */
  predicate Ascending(items: seq<nat>) {
    forall i, j | 0 <= i < j < |items| :: items[i] < items[j]
  }

  /** The positions in the pool. */
  ghost function Contents(pool: Pool): set<nat> {
    set x | x in pool
  }

  /** A pool with nothing in it. */
  function Empty(): Pool
    ensures Contents(Empty()) == {}
  {
    []
  }

  /** Whether there is nothing in the pool. */
  predicate IsEmpty(pool: Pool)
    ensures IsEmpty(pool) <==> Contents(pool) == {}
  {
    assert |pool| > 0 ==> pool[0] in Contents(pool);
    |pool| == 0
  }

  /** The number of positions in front of the first one that is larger than `x`, looking from `i` on. */
  function Rank(pool: Pool, x: nat, i: nat): nat
    requires i <= |pool|
    requires forall j | 0 <= j < i :: pool[j] <= x
    ensures Rank(pool, x, i) <= |pool|
    ensures forall j | 0 <= j < Rank(pool, x, i) :: pool[j] <= x
    ensures forall j | Rank(pool, x, i) <= j < |pool| :: x < pool[j]
    decreases |pool| - i
  {
    if i == |pool| || x < pool[i] then i else Rank(pool, x, i + 1)
  }

  /** The pool and one more position. A position must not be in it yet, so that an implementation may keep a plain list. */
  function Put(pool: Pool, x: nat): Pool
    requires x !in Contents(pool)
    ensures Contents(Put(pool, x)) == Contents(pool) + {x}
  {
    var r := Rank(pool, x, 0);
    assert pool == pool[..r] + pool[r..];
    pool[..r] + [x] + pool[r..]
  }

  /** The smallest position in the pool. */
  function Min(pool: Pool): nat
    requires Contents(pool) != {}
    ensures Min(pool) in Contents(pool)
    ensures forall x | x in Contents(pool) :: Min(pool) <= x
  {
    pool[0]
  }

  /** The pool without its smallest position. */
  function WithoutMin(pool: Pool): Pool
    requires Contents(pool) != {}
    ensures Contents(WithoutMin(pool)) == Contents(pool) - {Min(pool)}
  {
    assert pool == [pool[0]] + pool[1..];
    pool[1..]
  }
}

/** The sweep and the decision procedures. */
module OrderFast {
  import opened Names
  import opened Entries
  import opened Order
  import EntriesProofs
  import OrderProofs
  import Pools

  // ---------------------------------------------------------------------------------------------------------------
  // Decision procedures for unique uuids and dangling parents
  // ---------------------------------------------------------------------------------------------------------------

  /** Where each uuid stands (its last place), and whether none occurs twice. */
  method IndexUuids(file: Log) returns (unique: bool, at: map<Id, nat>)
    ensures unique == UniqueUuids(file)
    ensures at.Keys == Uuids(file)
    ensures forall u | u in at :: at[u] < |file| && file[at[u]].uuid == u
  {
    unique := true;
    at := map[];
    for i := 0 to |file|
      invariant unique == UniqueUuids(file[..i])
      invariant at.Keys == Uuids(file[..i])
      invariant forall u | u in at :: at[u] < i && file[at[u]].uuid == u
    {
      UniqueUuidsOfLast(file[..i + 1]);
      EntriesProofs.UuidsOfLast(file[..i + 1]);
      assert file[..i + 1][..i] == file[..i];
      unique := unique && file[i].uuid !in at;
      at := at[file[i].uuid := i];
    }
    assert file[..|file|] == file;
  }

  /** Whether uuids are unique is known from all but the last entry and from whether its uuid is new. */
  lemma UniqueUuidsOfLast(log: Log)
    requires |log| > 0
    ensures UniqueUuids(log) <==>
            UniqueUuids(log[..|log| - 1]) && log[|log| - 1].uuid !in Uuids(log[..|log| - 1])
  {
    var before := log[..|log| - 1];
    var last := log[|log| - 1];
    if UniqueUuids(log) {
      forall e | e in before
        ensures e.uuid != last.uuid
      {
        var i :| 0 <= i < |before| && before[i] == e;
        assert log[i] == e;
      }
    }
    if UniqueUuids(before) && last.uuid !in Uuids(before) {
      forall i, j | 0 <= i < j < |log|
        ensures log[i].uuid != log[j].uuid
      {
        assert log[i] == before[i];
        assert before[i] in before;
        if j < |before| {
          assert log[j] == before[j];
        }
      }
    }
  }

  /** Decides P1. */
  method DecideUniqueUuids(file: Log) returns (unique: bool)
    ensures unique == UniqueUuids(file)
  {
    var at;
    unique, at := IndexUuids(file);
  }

  /** Every parent of these entries is among the ids. Opaque, because "every parent is an entry, which has a parent" never
    * ends for the solver either. */
  opaque ghost predicate ParentsAmong(entries: seq<Entry>, ids: set<Id>) {
    forall e | e in entries && e.parent.Some? :: e.parent.value in ids
  }

  /** Whether every parent is among the ids is known from all but the last entry and from the last one's parent. */
  lemma ParentsAmongOfLast(entries: seq<Entry>, e: Entry, ids: set<Id>)
    ensures ParentsAmong(entries + [e], ids) <==>
            ParentsAmong(entries, ids) && (e.parent.None? || e.parent.value in ids)
  {
    reveal ParentsAmong();
    assert e in entries + [e];
    forall x | x in entries
      ensures x in entries + [e]
    {
    }
  }

  /** Decides P2. */
  method DecideNoDanglingParents(file: Log) returns (resolved: bool)
    ensures resolved == NoDanglingParents(file)
  {
    var unique, at := IndexUuids(file);
    resolved := true;
    assert ParentsAmong(file[..0], at.Keys) by {
      reveal ParentsAmong();
    }
    for i := 0 to |file|
      invariant resolved == ParentsAmong(file[..i], at.Keys)
    {
      assert file[..i + 1] == file[..i] + [file[i]];
      ParentsAmongOfLast(file[..i], file[i], at.Keys);
      resolved := resolved && (file[i].parent.None? || file[i].parent.value in at);
    }
    assert file[..|file|] == file;
    assert resolved == NoDanglingParents(file) by {
      reveal ParentsAmong();
    }
  }

  // ---------------------------------------------------------------------------------------------------------------
  // The sweep over positions
  // ---------------------------------------------------------------------------------------------------------------

  /** Numbers in place of ids: the parent of the entry at `i` stands at `parents[i]`, or nowhere, which is |parents|. */
  ghost predicate Resolved(file: Log, parents: seq<nat>) {
    && |parents| == |file|
    && (forall i | 0 <= i < |file| :: parents[i] <= |file|)
    && (forall i | 0 <= i < |file| && parents[i] == |file| ::
          file[i].parent.None? || file[i].parent.value !in Uuids(file))
    && (forall i | 0 <= i < |file| && parents[i] < |file| :: file[i].parent == Some(file[parents[i]].uuid))
  }

  /** Replaces parent ids by positions. */
  method ResolveParents(file: Log) returns (parents: seq<nat>)
    ensures Resolved(file, parents)
  {
    var unique, at := IndexUuids(file);
    parents := [];
    for i := 0 to |file|
      invariant |parents| == i
      invariant forall j | 0 <= j < i :: parents[j] <= |file|
      invariant forall j | 0 <= j < i && parents[j] == |file| ::
          file[j].parent.None? || file[j].parent.value !in Uuids(file)
      invariant forall j | 0 <= j < i && parents[j] < |file| :: file[j].parent == Some(file[parents[j]].uuid)
    {
      if file[i].parent.Some? && file[i].parent.value in at {
        parents := parents + [at[file[i].parent.value]];
      } else {
        parents := parents + [|file|];
      }
    }
  }

  /** The entry at `q` has no parent to wait for. */
  ghost predicate Free(parents: seq<nat>, out: seq<nat>, q: nat)
    requires q < |parents|
  {
    parents[q] == |parents| || parents[q] in out
  }

  /** Position `p` is not out, is free, and no smaller position is both. */
  ghost predicate NextPosition(parents: seq<nat>, out: seq<nat>, p: nat) {
    && p < |parents|
    && p !in out
    && Free(parents, out, p)
    && (forall q | 0 <= q < p :: q in out || !Free(parents, out, q))
  }

  /** Every position of `order` is the first one that could follow those in front of it. */
  ghost predicate PositionSteps(parents: seq<nat>, order: seq<nat>) {
    forall k | 0 <= k < |order| :: NextPosition(parents, order[..k], order[k])
  }

  /** No position is left that is free. */
  ghost predicate PositionsStuck(parents: seq<nat>, order: seq<nat>) {
    forall q | 0 <= q < |parents| :: q in order || !Free(parents, order, q)
  }

  /** No number occurs twice. */
  ghost predicate Distinct(s: seq<nat>) {
    forall i, j | 0 <= i < j < |s| :: s[i] != s[j]
  }

  /** What the sweep knows when it has seen the positions below `seen`: those that are out came out in the right steps,
    * the pool holds those that are free, and whoever waits is listed, once, with the parent that is not out. */
  ghost predicate Swept(parents: seq<nat>, seen: nat, out: seq<nat>, pool: set<nat>, waiting: seq<seq<nat>>) {
    && seen <= |parents| == |waiting|
    && PositionSteps(parents, out)
    && (forall q | q in out :: q < seen && Free(parents, out, q))
    && (forall q: nat :: q in pool <==> q < seen && q !in out && Free(parents, out, q))
    && (forall p | 0 <= p < |parents| && p !in out :: Distinct(waiting[p]))
    && (forall p | 0 <= p < |parents| && p !in out ::
          forall q: nat :: q in waiting[p] <==> q < seen && parents[q] == p)
  }

  /** One more step. */
  lemma PositionStepsGrow(parents: seq<nat>, out: seq<nat>, p: nat)
    requires PositionSteps(parents, out)
    requires NextPosition(parents, out, p)
    ensures PositionSteps(parents, out + [p])
  {
    var order := out + [p];
    forall k | 0 <= k < |order|
      ensures NextPosition(parents, order[..k], order[k])
    {
      if k == |out| {
        assert order[..k] == out;
      } else {
        assert order[..k] == out[..k];
      }
    }
  }

  /** While nothing is free among the positions seen, a free one that the sweep comes to goes into the pool. */
  lemma FreePositionJoinsPool(parents: seq<nat>, seen: nat, out: seq<nat>, waiting: seq<seq<nat>>)
    requires Swept(parents, seen, out, {}, waiting)
    requires seen < |parents|
    requires Free(parents, out, seen)
    ensures Swept(parents, seen + 1, out, {seen}, waiting)
  {
  }

  /** A position that is not free is listed with its parent. */
  lemma OtherPositionWaits(parents: seq<nat>, seen: nat, out: seq<nat>, waiting: seq<seq<nat>>)
    requires Swept(parents, seen, out, {}, waiting)
    requires seen < |parents|
    requires parents[seen] < |parents|
    requires !Free(parents, out, seen)
    ensures Swept(parents, seen + 1, out, {}, waiting[parents[seen] := waiting[parents[seen]] + [seen]])
  {
  }

  /** The smallest position of the pool is the next one to come out, and those that wait for it are free then; they are
    * neither out nor in the pool. */
  lemma SmallestComesOut(parents: seq<nat>, seen: nat, out: seq<nat>, pool: set<nat>, waiting: seq<seq<nat>>, m: nat)
    requires Swept(parents, seen, out, pool, waiting)
    requires m in pool
    requires forall q | q in pool :: m <= q
    ensures m < |parents|
    ensures m !in out
    ensures Distinct(waiting[m])
    ensures forall q | q in waiting[m] :: q !in pool
    ensures Swept(parents, seen, out + [m], pool - {m} + OrderProofs.Elements(waiting[m]), waiting)
  {
    PositionStepsGrow(parents, out, m);
  }

  /** The numbers below `n`. */
  ghost function Below(n: nat): set<nat>
    ensures forall q: nat :: q in Below(n) <==> q < n
    decreases n
  {
    if n == 0 then {} else Below(n - 1) + {n - 1}
  }

  /** Puts positions into the pool one by one. */
  method PutAll(pool: Pools.Pool, items: seq<nat>) returns (fuller: Pools.Pool)
    requires Distinct(items)
    requires forall x | x in items :: x !in Pools.Contents(pool)
    ensures Pools.Contents(fuller) == Pools.Contents(pool) + OrderProofs.Elements(items)
  {
    fuller := pool;
    for i := 0 to |items|
      invariant Pools.Contents(fuller) == Pools.Contents(pool) + OrderProofs.Elements(items[..i])
    {
      assert items[i] in items;
      assert items[..i + 1] == items[..i] + [items[i]];
      fuller := Pools.Put(fuller, items[i]);
    }
    assert items[..|items|] == items;
  }

  /** Empties the pool, smallest first; whoever waited for what comes out joins it. */
  method Drain(parents: seq<nat>, seen: nat, out: seq<nat>, pool: Pools.Pool, done: array<bool>, waiting: array<seq<nat>>)
    returns (order: seq<nat>)
    requires done.Length == |parents|
    requires Swept(parents, seen, out, Pools.Contents(pool), waiting[..])
    requires Marked(done[..], out)
    modifies done
    ensures Swept(parents, seen, order, {}, waiting[..])
    ensures Marked(done[..], order)
  {
    order := out;
    var left := pool;
    while !Pools.IsEmpty(left)
      invariant Swept(parents, seen, order, Pools.Contents(left), waiting[..])
      invariant Marked(done[..], order)
      decreases |Below(|parents|) - OrderProofs.Elements(order)|
    {
      var m := Pools.Min(left);
      SmallestComesOut(parents, seen, order, Pools.Contents(left), waiting[..], m);
      FewerAreLeft(|parents|, order, m);
      left := PutAll(Pools.WithoutMin(left), waiting[m]);
      done[m] := true;
      order := order + [m];
    }
  }

  /** Exactly the positions that are out are marked. */
  ghost predicate Marked(done: seq<bool>, out: seq<nat>) {
    forall q | 0 <= q < |done| :: done[q] <==> q in out
  }

  /** Every position that comes out leaves fewer to come. */
  lemma FewerAreLeft(n: nat, out: seq<nat>, m: nat)
    requires m < n && m !in out
    ensures |Below(n) - OrderProofs.Elements(out + [m])| < |Below(n) - OrderProofs.Elements(out)|
  {
    assert OrderProofs.Elements(out + [m]) == OrderProofs.Elements(out) + {m};
    OrderProofs.StrictPartIsSmaller(
      Below(n) - OrderProofs.Elements(out + [m]), Below(n) - OrderProofs.Elements(out), m);
  }

  /** One pass over the positions: each goes into the pool if it is free, and waits with its parent if not; then the
    * pool is emptied. */
  method Sweep(parents: seq<nat>) returns (order: seq<nat>)
    requires forall i | 0 <= i < |parents| :: parents[i] <= |parents|
    ensures PositionSteps(parents, order)
    ensures PositionsStuck(parents, order)
  {
    var n := |parents|;
    var done := new bool[n](i => false);
    var waiting := new seq<nat>[n](i => []);
    order := [];
    for i := 0 to n
      invariant Swept(parents, i, order, {}, waiting[..])
      invariant Marked(done[..], order)
    {
      var parent := parents[i];
      if parent == n || done[parent] {
        FreePositionJoinsPool(parents, i, order, waiting[..]);
        order := Drain(parents, i + 1, order, Pools.Put(Pools.Empty(), i), done, waiting);
      } else {
        OtherPositionWaits(parents, i, order, waiting[..]);
        waiting[parent] := waiting[parent] + [i];
      }
    }
  }

  // ---------------------------------------------------------------------------------------------------------------
  // From positions to entries
  // ---------------------------------------------------------------------------------------------------------------

  /** The entries at some positions of the file. */
  function EntriesAt(file: Log, positions: seq<nat>): Log
    requires forall p | p in positions :: p < |file|
  {
    seq(|positions|, i requires 0 <= i < |positions| => assert positions[i] in positions; file[positions[i]])
  }

  /** An entry is out exactly if its position is. */
  lemma UuidIsOutWithPosition(file: Log, positions: seq<nat>, q: nat)
    requires UniqueUuids(file)
    requires forall p | p in positions :: p < |file|
    requires q < |file|
    ensures file[q].uuid in Uuids(EntriesAt(file, positions)) <==> q in positions
  {
    var out := EntriesAt(file, positions);
    if q in positions {
      var i :| 0 <= i < |positions| && positions[i] == q;
      assert out[i] == file[q];
    }
    if file[q].uuid in Uuids(out) {
      var e :| e in out && e.uuid == file[q].uuid;
      var i :| 0 <= i < |out| && out[i] == e;
      assert positions[i] in positions;
      assert out[i] == file[positions[i]];
    }
  }

  /** An entry is ready exactly if its position is free. */
  lemma EntryIsReadyWhenFree(file: Log, parents: seq<nat>, positions: seq<nat>, q: nat)
    requires UniqueUuids(file)
    requires Resolved(file, parents)
    requires forall p | p in positions :: p < |file|
    requires q < |file|
    ensures Ready(file, EntriesAt(file, positions), file[q]) <==> Free(parents, positions, q)
  {
    if parents[q] < |file| {
      assert file[parents[q]] in file;
      UuidIsOutWithPosition(file, positions, parents[q]);
    }
  }

  /** The next position is the position of the next entry. */
  lemma NextPositionIsNext(file: Log, parents: seq<nat>, positions: seq<nat>, p: nat)
    requires UniqueUuids(file)
    requires Resolved(file, parents)
    requires forall q | q in positions :: q < |file|
    requires NextPosition(parents, positions, p)
    ensures OrderProofs.Next(file, EntriesAt(file, positions), p)
  {
    forall q | 0 <= q <= p
      ensures file[q].uuid in Uuids(EntriesAt(file, positions)) <==> q in positions
      ensures Ready(file, EntriesAt(file, positions), file[q]) <==> Free(parents, positions, q)
    {
      UuidIsOutWithPosition(file, positions, q);
      EntryIsReadyWhenFree(file, parents, positions, q);
    }
  }

  /** The entries at the positions that the sweep puts out are the arrangement of the file. */
  lemma SweptPositionsAreArranged(file: Log, parents: seq<nat>, positions: seq<nat>)
    requires UniqueUuids(file)
    requires Resolved(file, parents)
    requires PositionSteps(parents, positions)
    requires PositionsStuck(parents, positions)
    ensures forall p | p in positions :: p < |file|
    ensures EntriesAt(file, positions) == Arranged(file)
  {
    forall p | p in positions
      ensures p < |file|
    {
      var k :| 0 <= k < |positions| && positions[k] == p;
    }
    var order := EntriesAt(file, positions);
    forall k | 0 <= k < |order|
      ensures OrderProofs.Step(file, order, k)
    {
      NextPositionIsNext(file, parents, positions[..k], positions[k]);
      assert order[..k] == EntriesAt(file, positions[..k]);
    }
    forall e | e in file
      ensures e.uuid in Uuids(order) || !Ready(file, order, e)
    {
      var q :| 0 <= q < |file| && file[q] == e;
      UuidIsOutWithPosition(file, positions, q);
      EntryIsReadyWhenFree(file, parents, positions, q);
    }
    OrderProofs.ArrangedIsGreedy(file);
    OrderProofs.GreedyOrderIsUnique(file, order, Arranged(file));
  }

  // ---------------------------------------------------------------------------------------------------------------
  // Canonical order and acyclicity
  // ---------------------------------------------------------------------------------------------------------------

  /** The file in canonical order, as far as there is one, in one sweep. */
  method ArrangeBySweep(file: Log) returns (order: Log)
    requires UniqueUuids(file)
    ensures order == Arranged(file)
  {
    var parents := ResolveParents(file);
    var positions := Sweep(parents);
    SweptPositionsAreArranged(file, parents, positions);
    return EntriesAt(file, positions);
  }

  /** Decides acyclicity: the sweep puts every entry out exactly if there is no cycle. */
  method DecideAcyclic(file: Log) returns (acyclic: bool)
    requires UniqueUuids(file)
    ensures acyclic == Acyclic(file)
  {
    var order := ArrangeBySweep(file);
    OrderProofs.ArrangedIsCompleteExactlyWithoutCycles(file);
    return |order| == |file|;
  }

  /** The canonical order, or none where a parent dangles or an entry is its own ancestor. */
  method CanonicalBySweep(file: Log) returns (canonical: Option<Log>)
    requires UniqueUuids(file)
    ensures canonical == Canonical(file)
  {
    var resolved := DecideNoDanglingParents(file);
    var order := ArrangeBySweep(file);
    return if resolved && |order| == |file| then Some(order) else None;
  }
}

// Chapter 2, algorithms. Canonical order in one sweep over the file, and procedures that decide unique uuids, dangling
// parents and acyclicity: each a method with loops, verified against the definition. With maps that answer in constant
// time and a heap as the pool they are near-linear in the number of entries.
include "02-Order.Proofs.dfy"

/** A pool of positions from which the smallest is taken. The export set shows its contents only, so any implementation
  * will do (here a leftist heap, which shares what does not change; a binary heap in a port). */
module Pools {
  export
    provides Pool, Contents, Empty, IsEmpty, Put, Min, WithoutMin

  /** A tree of positions. The rank is the number of nodes on the way down its right side. */
  datatype Tree = Leaf | Node(rank: nat, min: nat, left: Tree, right: Tree)

  /** The positions in the pool, each in one place, the smallest at the top of every tree. */
  type Pool = tree: Tree | Heaped(tree) witness Leaf

  /** The positions in a tree. */
  ghost function Items(tree: Tree): set<nat> {
    match tree
    case Leaf => {}
    case Node(_, min, left, right) => {min} + Items(left) + Items(right)
  }

  /** The rank of a tree. */
  function Rank(tree: Tree): nat {
    if tree.Leaf? then 0 else tree.rank
  }

  /** A number that is smaller than every position in a tree. */
  ghost predicate IsBelow(min: nat, tree: Tree) {
    forall x | x in Items(tree) :: min < x
  }

  /** Every position is smaller than those below it and stands in one place; the right side is the shorter one, so the way
    * down there is short. */
  ghost predicate Heaped(tree: Tree) {
    match tree
    case Leaf => true
    case Node(rank, min, left, right) =>
      && IsBelow(min, left) && IsBelow(min, right)
      && Items(left) !! Items(right)
      && rank == Rank(right) + 1
      && Rank(right) <= Rank(left)
      && Heaped(left) && Heaped(right)
  }

  /** A tree with a position on top of two others, the shorter one on the right. */
  function Join(min: nat, a: Tree, b: Tree): Tree
    requires Heaped(a) && Heaped(b)
    requires IsBelow(min, a) && IsBelow(min, b)
    requires Items(a) !! Items(b)
    ensures Heaped(Join(min, a, b))
    ensures Items(Join(min, a, b)) == {min} + Items(a) + Items(b)
  {
    if Rank(b) <= Rank(a) then Node(Rank(b) + 1, min, a, b) else Node(Rank(a) + 1, min, b, a)
  }

  /** The top of a tree is its smallest position. */
  lemma TopIsSmallest(tree: Tree)
    requires Heaped(tree) && tree.Node?
    ensures tree.min in Items(tree)
    ensures forall x | x in Items(tree) :: tree.min <= x
  {
  }

  /** Two trees as one: down the right sides only. */
  function Merge(a: Tree, b: Tree): Tree
    requires Heaped(a) && Heaped(b)
    requires Items(a) !! Items(b)
    ensures Heaped(Merge(a, b))
    ensures Items(Merge(a, b)) == Items(a) + Items(b)
    decreases a, b
  {
    if a.Leaf? then b
    else if b.Leaf? then a
    else
      TopIsSmallest(a);
      TopIsSmallest(b);
      if a.min < b.min then Join(a.min, a.left, Merge(a.right, b)) else Join(b.min, b.left, Merge(a, b.right))
  }

  /** The positions in the pool. */
  ghost function Contents(pool: Pool): set<nat> {
    Items(pool)
  }

  /** A pool with nothing in it. */
  function Empty(): Pool
    ensures Contents(Empty()) == {}
  {
    Leaf
  }

  /** Whether there is nothing in the pool. */
  predicate IsEmpty(pool: Pool)
    ensures IsEmpty(pool) <==> Contents(pool) == {}
  {
    assert pool.Node? ==> pool.min in Items(pool);
    pool.Leaf?
  }

  /** The pool and one more position. A position must not be in it yet, so that an implementation may keep a plain list. */
  function Put(pool: Pool, x: nat): Pool
    requires x !in Contents(pool)
    ensures Contents(Put(pool, x)) == Contents(pool) + {x}
  {
    Merge(pool, Node(1, x, Leaf, Leaf))
  }

  /** The smallest position in the pool. */
  function Min(pool: Pool): nat
    requires Contents(pool) != {}
    ensures Min(pool) in Contents(pool)
    ensures forall x | x in Contents(pool) :: Min(pool) <= x
  {
    TopIsSmallest(pool);
    pool.min
  }

  /** The pool without its smallest position. */
  function WithoutMin(pool: Pool): Pool
    requires Contents(pool) != {}
    ensures Contents(WithoutMin(pool)) == Contents(pool) - {Min(pool)}
  {
    Merge(pool.left, pool.right)
  }
}

/** A map that grows by one key at a time and is not copied each time: its keys lie in layers, each at least twice as large
  * as the next, so there are few. A new key is a layer of its own at first, and the last two layers are merged as long as
  * the last one is too large. So each key is copied only a few times (in the order of the logarithm of their number),
  * where a language without shared maps would copy them all for every new one. The export set shows the plain map that
  * it stands for only, so any implementation will do (a hash table that is changed in place in a port). */
module Layers {
  export
    provides Table, Flat, Empty, Size, Has, Put

  /** Layers, where what is in a later one counts, and how many keys they hold. */
  datatype Pile<K(==), V> = Pile(layers: seq<map<K, V>>, size: nat)

  /** Layers that grow smaller, and the right size. */
  type Table<K(==), V> = pile: Pile<K, V> | Halving(pile.layers) && pile.size == |Union(pile.layers)|
    ghost witness Pile([], 0)

  /** Each layer is at least twice as large as the next. */
  ghost predicate Halving<K, V>(layers: seq<map<K, V>>) {
    forall i | 0 < i < |layers| :: |layers[i - 1]| >= 2 * |layers[i]|
  }

  /** All layers as one map. */
  ghost function Union<K, V>(layers: seq<map<K, V>>): map<K, V>
    decreases |layers|
  {
    if |layers| == 0 then map[] else Union(layers[..|layers| - 1]) + layers[|layers| - 1]
  }

  /** One more layer. */
  lemma UnionOfOneMore<K, V>(layers: seq<map<K, V>>, last: map<K, V>)
    ensures Union(layers + [last]) == Union(layers) + last
  {
    assert (layers + [last])[..|layers|] == layers;
  }

  /** Two layers at the end, or the two merged. */
  lemma UnionOfMerged<K, V>(layers: seq<map<K, V>>, a: map<K, V>, b: map<K, V>)
    ensures Union(layers + [a, b]) == Union(layers + [a + b])
  {
    hide Union;
    assert layers + [a, b] == layers + [a] + [b];
    UnionOfOneMore(layers + [a], b);
    UnionOfOneMore(layers, a);
    UnionOfOneMore(layers, a + b);
  }

  /** The plain map that the first `n` layers stand for, changed as `later` says. The smallest layers are merged first. */
  function Merge<K, V>(layers: seq<map<K, V>>, n: nat, later: map<K, V>): map<K, V>
    requires n <= |layers|
    ensures Merge(layers, n, later) == Union(layers[..n]) + later
  {
    if n == 0 then later
    else
      assert layers[..n][..n - 1] == layers[..n - 1];
      Merge(layers, n - 1, layers[n - 1] + later)
  }

  /** The plain map that a table stands for. It costs a copy, so it is for the end. */
  function Flat<K, V>(table: Table<K, V>): map<K, V> {
    Merge(table.layers, |table.layers|, map[])
  }

  /** The plain map is all layers as one. */
  lemma FlatIsUnion<K, V>(table: Table<K, V>)
    ensures Flat(table) == Union(table.layers[..|table.layers|]) == Union(table.layers)
  {
    assert table.layers[..|table.layers|] == table.layers;
  }

  /** A table with nothing in it. */
  function Empty<K, V>(): Table<K, V>
    ensures Flat(Empty<K, V>()) == map[]
  {
    Pile([], 0)
  }

  /** The number of keys. */
  function Size<K, V>(table: Table<K, V>): nat
    ensures Size(table) == |Flat(table)|
  {
    FlatIsUnion(table);
    table.size
  }

  /** The keys are those of the layers. */
  lemma KeysOfUnion<K, V>(layers: seq<map<K, V>>, k: K)
    ensures k in Union(layers) <==> exists i | 0 <= i < |layers| :: k in layers[i]
    decreases |layers|
  {
    if |layers| > 0 {
      KeysOfUnion(layers[..|layers| - 1], k);
    }
  }

  /** Whether the key is in the table. */
  predicate Has<K, V>(table: Table<K, V>, k: K)
    ensures Has(table, k) <==> k in Flat(table)
  {
    FlatIsUnion(table);
    KeysOfUnion(table.layers, k);
    exists i | 0 <= i < |table.layers| :: k in table.layers[i]
  }

  /** Merges the last two layers as long as the last one is too large. */
  function Settle<K, V>(layers: seq<map<K, V>>): seq<map<K, V>>
    requires |layers| > 0
    requires Halving(layers[..|layers| - 1])
    ensures Halving(Settle(layers))
    ensures Union(Settle(layers)) == Union(layers)
    decreases |layers|
  {
    hide Union;
    var n := |layers|;
    if n == 1 || |layers[n - 2]| >= 2 * |layers[n - 1]| then layers
    else
      var merged := layers[..n - 2] + [layers[n - 2] + layers[n - 1]];
      assert merged[..n - 2] == layers[..n - 1][..n - 2];
      assert layers == layers[..n - 2] + [layers[n - 2], layers[n - 1]];
      UnionOfMerged(layers[..n - 2], layers[n - 2], layers[n - 1]);
      Settle(merged)
  }

  /** The layers with a key that leads to a value. */
  function Grow<K, V>(layers: seq<map<K, V>>, k: K, v: V): seq<map<K, V>>
    requires Halving(layers)
    ensures Halving(Grow(layers, k, v))
    ensures Union(Grow(layers, k, v)) == Union(layers)[k := v]
  {
    hide *;
    var last := map[k := v];
    UnionOfOneMore(layers, last);
    assert (layers + [last])[..|layers|] == layers;
    Settle(layers + [last])
  }

  /** A key more, unless it is there. */
  lemma SizeWithOneKey<K, V>(table: map<K, V>, k: K, v: V)
    ensures |table[k := v]| == if k in table then |table| else |table| + 1
  {
  }

  /** The table with a key that leads to a value, whether or not it was there. */
  function Put<K, V>(table: Table<K, V>, k: K, v: V): Table<K, V>
    ensures Flat(Put(table, k, v)) == Flat(table)[k := v]
  {
    hide *;
    var size := Size(table);
    SizeWithOneKey(Flat(table), k, v);
    var more := Pile(Grow(table.layers, k, v), if Has(table, k) then size else size + 1);
    FlatIsUnion(table);
    FlatIsUnion(more);
    more
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
  import Layers

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
    var table: Layers.Table<Id, nat> := Layers.Empty();
    for i := 0 to |file|
      invariant unique == UniqueUuids(file[..i])
      invariant Layers.Flat(table).Keys == Uuids(file[..i])
      invariant forall u | u in Layers.Flat(table) :: Layers.Flat(table)[u] < i && file[Layers.Flat(table)[u]].uuid == u
    {
      UniqueUuidsOfLast(file[..i + 1]);
      EntriesProofs.UuidsOfLast(file[..i + 1]);
      assert file[..i + 1][..i] == file[..i];
      unique := unique && !Layers.Has(table, file[i].uuid);
      table := Layers.Put(table, file[i].uuid, i);
    }
    assert file[..|file|] == file;
    at := Layers.Flat(table);
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

  /** `p` is where the parent of the entry at `i` stands, or |file| where it stands nowhere. */
  ghost predicate ParentStandsAt(file: Log, i: nat, p: nat)
    requires i < |file|
  {
    && p <= |file|
    && (p == |file| ==> file[i].parent.None? || file[i].parent.value !in Uuids(file))
    && (p < |file| ==> file[i].parent == Some(file[p].uuid))
  }

  /** Replaces parent ids by positions. */
  method ResolveParents(file: Log) returns (parents: seq<nat>)
    ensures Resolved(file, parents)
  {
    var unique, at := IndexUuids(file);
    parents := [];
    for i := 0 to |file|
      invariant |parents| == i
      invariant forall j | 0 <= j < i :: ParentStandsAt(file, j, parents[j])
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
    hide Swept, PositionSteps, PositionsStuck, Distinct;
    assert waiting.Length == |parents| by {
      reveal Swept;
    }
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

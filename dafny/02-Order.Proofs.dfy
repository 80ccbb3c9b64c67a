// Chapter 2, proofs. Canonical order is a permutation, stable, puts parents first, exists exactly when every parent
// resolves and there is no cycle, and is the only order of that kind. Nearly everything here follows from one
// statement about single steps: each entry of the order is the first one of the file that could come next (`Greedy`).
include "01-Entries.Proofs.dfy"
include "02-Order.dfy"

module OrderProofs {
  import opened Names
  import opened Entries
  import opened Order
  import EntriesProofs

  // ---------------------------------------------------------------------------------------------------------------
  // The steps of the arrangement
  // ---------------------------------------------------------------------------------------------------------------

  /** Position `p` of the file is not out yet, is ready, and no earlier position is both. */
  ghost predicate Next(file: Log, out: Log, p: int) {
    && 0 <= p < |file|
    && file[p].uuid !in Uuids(out)
    && Ready(file, out, file[p])
    && (forall q | 0 <= q < p :: file[q].uuid in Uuids(out) || !Ready(file, out, file[q]))
  }

  /** No entry of the file is left that is ready. */
  ghost predicate Stuck(file: Log, out: Log) {
    forall e | e in file :: e.uuid in Uuids(out) || !Ready(file, out, e)
  }

  /** The entry of `order` at `k` is the first one of the file that could follow the entries in front of it. */
  ghost predicate Step(file: Log, order: Log, k: nat)
    requires k < |order|
  {
    exists p :: Next(file, order[..k], p) && order[k] == file[p]
  }

  /** Every entry of `order` is the first one of the file that could follow the entries in front of it. */
  ghost predicate Steps(file: Log, order: Log) {
    forall k | 0 <= k < |order| :: Step(file, order, k)
  }

  /** The order that "take the first ready entry until none is ready" describes, without saying how it is computed. */
  ghost predicate Greedy(file: Log, order: Log) {
    && Steps(file, order)
    && Stuck(file, order)
  }

  /** The position in the file of the entry that step `k` takes. */
  lemma PositionTaken(file: Log, order: Log, k: nat)
    returns (p: int)
    requires k < |order|
    requires Step(file, order, k)
    ensures Next(file, order[..k], p)
    ensures order[k] == file[p]
  {
    p :| Next(file, order[..k], p) && order[k] == file[p];
  }

  /** There is at most one greedy order: at every step the next entry is determined by those that are out. */
  lemma GreedyOrderIsUnique(file: Log, a: Log, b: Log)
    requires Greedy(file, a)
    requires Greedy(file, b)
    ensures a == b
  {
    GreedyOrdersAgree(file, a, b, |a|);
    GreedyOrdersAgree(file, b, a, |b|);
  }

  /** Two greedy orders agree as far as the first one goes. */
  lemma GreedyOrdersAgree(file: Log, a: Log, b: Log, k: nat)
    requires Greedy(file, a)
    requires Greedy(file, b)
    requires k <= |a|
    ensures k <= |b|
    ensures a[..k] == b[..k]
    decreases k
  {
    if k > 0 {
      GreedyOrdersAgree(file, a, b, k - 1);
      var out := a[..k - 1];
      var p := PositionTaken(file, a, k - 1);
      // `b` cannot end here, for it is stuck where it ends and `p` could come next.
      assert file[p] in file;
      assert b != out;
      assert b[..|b|] == b;
      var q := PositionTaken(file, b, k - 1);
      assert p == q;
      assert a[..k] == out + [a[k - 1]];
      assert b[..k] == out + [b[k - 1]];
    }
  }

  /** No entry in front of the first ready one is ready. */
  lemma FirstReadyIsTheFirst(file: Log, out: Log, rest: seq<Entry>)
    ensures forall j | 0 <= j < FirstReady(file, out, rest) :: !Ready(file, out, rest[j])
    decreases |rest|
  {
    if |rest| > 0 && !Ready(file, out, rest[0]) {
      FirstReadyIsTheFirst(file, out, rest[1..]);
      forall j | 0 <= j < FirstReady(file, out, rest)
        ensures !Ready(file, out, rest[j])
      {
        if j > 0 {
          assert rest[j] == rest[1..][j - 1];
        }
      }
    }
  }

  /** `rest` lists the entries of the file that are not out, in file order; `at` says where they stand. */
  ghost predicate Waiting(file: Log, out: Log, rest: seq<Entry>, at: seq<nat>) {
    && |at| == |rest|
    && (forall i | 0 <= i < |at| :: at[i] < |file| && rest[i] == file[at[i]])
    && (forall i, j | 0 <= i < j < |at| :: at[i] < at[j])
    && (forall q | 0 <= q < |file| :: q in at <==> file[q].uuid !in Uuids(out))
  }

  /** The first ready entry of those that wait is the first one of the file that could come next. */
  lemma FirstReadyIsNext(file: Log, out: Log, rest: seq<Entry>, at: seq<nat>)
    requires Waiting(file, out, rest, at)
    requires FirstReady(file, out, rest) < |rest|
    ensures Next(file, out, at[FirstReady(file, out, rest)])
  {
    FirstReadyIsTheFirst(file, out, rest);
    var i := FirstReady(file, out, rest);
    assert at[i] in at;
    forall q | 0 <= q < at[i]
      ensures file[q].uuid in Uuids(out) || !Ready(file, out, file[q])
    {
      if q in at {
        var j :| 0 <= j < |at| && at[j] == q;
        assert j < i;
        assert rest[j] == file[q];
      }
    }
  }

  /** Taking one entry out leaves the others waiting. */
  lemma OthersKeepWaiting(file: Log, out: Log, rest: seq<Entry>, at: seq<nat>, i: nat)
    requires UniqueUuids(file)
    requires Waiting(file, out, rest, at)
    requires i < |rest|
    ensures Waiting(file, out + [rest[i]], rest[..i] + rest[i + 1..], at[..i] + at[i + 1..])
  {
    hide Uuids, UniqueUuids;
    UuidsOfAppend(out, rest[i]);
    forall q | 0 <= q < |file|
      ensures q in at[..i] + at[i + 1..] <==> file[q].uuid !in Uuids(out + [rest[i]])
    {
      WithoutOneHoldsTheOthers(at, i, q);
      assert file[q].uuid == file[at[i]].uuid <==> q == at[i] by {
        reveal UniqueUuids;
      }
    }
  }

  /** Taking one number out of an ascending list leaves the others. */
  lemma WithoutOneHoldsTheOthers(at: seq<nat>, i: nat, q: nat)
    requires forall j, k | 0 <= j < k < |at| :: at[j] < at[k]
    requires i < |at|
    ensures q in at[..i] + at[i + 1..] <==> q in at && q != at[i]
  {
    var left := at[..i] + at[i + 1..];
    if q in at && q != at[i] {
      var j :| 0 <= j < |at| && at[j] == q;
      assert left[if j < i then j else j - 1] == q;
    }
    if q in left {
      var j :| 0 <= j < |left| && left[j] == q;
      assert at[if j < i then j else j + 1] == q;
    }
  }

  /** The uuids of a log and one more entry. */
  lemma UuidsOfAppend(log: Log, e: Entry)
    ensures Uuids(log + [e]) == Uuids(log) + {e.uuid}
  {
    assert (log + [e])[..|log|] == log;
    EntriesProofs.UuidsOfLast(log + [e]);
  }

  /** One more step that takes the first possible entry keeps the order greedy so far. */
  lemma StepsGrow(file: Log, out: Log, p: int)
    requires Steps(file, out)
    requires Next(file, out, p)
    ensures Steps(file, out + [file[p]])
  {
    var order := out + [file[p]];
    forall k | 0 <= k < |order|
      ensures Step(file, order, k)
    {
      if k == |out| {
        assert order[..k] == out;
      } else {
        var q := PositionTaken(file, out, k);
        assert order[..k] == out[..k];
      }
    }
  }

  /** The arrangement goes on greedily from any greedy beginning. */
  lemma ArrangeIsGreedy(file: Log, out: Log, rest: seq<Entry>, at: seq<nat>)
    requires UniqueUuids(file)
    requires Steps(file, out)
    requires Waiting(file, out, rest, at)
    ensures Greedy(file, Arrange(file, out, rest))
    decreases |rest|
  {
    FirstReadyIsTheFirst(file, out, rest);
    var i := FirstReady(file, out, rest);
    if i < |rest| {
      FirstReadyIsNext(file, out, rest, at);
      StepsGrow(file, out, at[i]);
      OthersKeepWaiting(file, out, rest, at, i);
      ArrangeIsGreedy(file, out + [rest[i]], rest[..i] + rest[i + 1..], at[..i] + at[i + 1..]);
    } else {
      forall e | e in file
        ensures e.uuid in Uuids(out) || !Ready(file, out, e)
      {
        var q :| 0 <= q < |file| && file[q] == e;
        if q in at {
          var j :| 0 <= j < |at| && at[j] == q;
          assert rest[j] == e;
        }
      }
    }
  }

  /** The arrangement of a file is the greedy order. All that follows rests on this. */
  lemma ArrangedIsGreedy(file: Log)
    requires UniqueUuids(file)
    ensures Greedy(file, Arranged(file))
  {
    var at := seq(|file|, i => i);
    forall q | 0 <= q < |file|
      ensures q in at
    {
      assert at[q] == q;
    }
    ArrangeIsGreedy(file, [], file, at);
  }

  // ---------------------------------------------------------------------------------------------------------------
  // A permutation
  // ---------------------------------------------------------------------------------------------------------------

  /** A part of a multiset that has its size is all of it. */
  lemma PartOfSameSizeIsAll<T>(part: multiset<T>, all: multiset<T>)
    requires part <= all
    requires |part| == |all|
    ensures part == all
  {
    assert all == part + (all - part);
  }

  /** Moving one entry from those that wait to those that are out loses and adds none. */
  lemma MovingKeepsEntries(out: Log, rest: seq<Entry>, i: nat)
    requires i < |rest|
    ensures multiset(out + [rest[i]]) + multiset(rest[..i] + rest[i + 1..]) == multiset(out) + multiset(rest)
  {
    assert rest == rest[..i] + [rest[i]] + rest[i + 1..];
  }

  /** The arrangement holds only entries that were out or waiting, each as often at most. */
  lemma ArrangeRepeatsNothing(file: Log, out: Log, rest: seq<Entry>)
    ensures multiset(Arrange(file, out, rest)) <= multiset(out) + multiset(rest)
    decreases |rest|
  {
    var i := FirstReady(file, out, rest);
    if i < |rest| {
      MovingKeepsEntries(out, rest, i);
      ArrangeRepeatsNothing(file, out + [rest[i]], rest[..i] + rest[i + 1..]);
    }
  }

  /** No entry is invented, changed or repeated, whatever the file. */
  lemma ArrangedRepeatsNothing(file: Log)
    ensures multiset(Arranged(file)) <= multiset(file)
    ensures |Arranged(file)| <= |file|
    ensures forall e | e in Arranged(file) :: e in file
  {
    ArrangeRepeatsNothing(file, [], file);
    var order := Arranged(file);
    assert multiset(file) == multiset(order) + (multiset(file) - multiset(order));
    forall e | e in order
      ensures e in file
    {
      assert multiset(order)[e] > 0;
      assert multiset(file)[e] > 0;
    }
  }

  /** An arrangement as long as the file holds exactly the entries of the file, each unchanged. */
  lemma CompleteArrangementIsPermutation(file: Log)
    ensures |Arranged(file)| == |file| <==> Permutation(file, Arranged(file))
  {
    ArrangedRepeatsNothing(file);
    if |Arranged(file)| == |file| {
      PartOfSameSizeIsAll(multiset(Arranged(file)), multiset(file));
    }
  }

  /** Two arrangements of the same entries hold the same entries and the same ids. */
  lemma PermutationKeepsEntries(a: Log, b: Log)
    requires Permutation(a, b)
    ensures |a| == |b|
    ensures forall e :: e in a <==> e in b
    ensures Uuids(a) == Uuids(b)
  {
    forall e
      ensures e in a <==> e in b
    {
      assert e in a <==> multiset(a)[e] > 0;
      assert e in b <==> multiset(b)[e] > 0;
    }
  }

  /** A log with unique uuids holds no entry twice. */
  lemma UniqueEntriesOccurOnce(log: Log, e: Entry)
    requires UniqueUuids(log)
    ensures multiset(log)[e] <= 1
    decreases |log|
  {
    if |log| > 0 {
      var before := log[..|log| - 1];
      assert log == before + [log[|log| - 1]];
      UniqueEntriesOccurOnce(before, e);
      if e == log[|log| - 1] {
        assert e !in before;
      }
    }
  }

  /** An entry at two positions is counted twice. */
  lemma TwoPositionsCountTwice(log: Log, i: nat, j: nat)
    requires i < j < |log|
    requires log[i] == log[j]
    ensures multiset(log)[log[i]] >= 2
  {
    assert log == log[..j] + log[j..];
    assert log[..j][i] == log[i];
    assert log[j..][0] == log[i];
    assert multiset(log[..j])[log[i]] > 0;
    assert multiset(log[j..])[log[i]] > 0;
  }

  /** An arrangement of entries with unique uuids has unique uuids. */
  lemma PermutationKeepsUniqueUuids(file: Log, order: Log)
    requires UniqueUuids(file)
    requires Permutation(file, order)
    ensures UniqueUuids(order)
  {
    PermutationKeepsEntries(file, order);
    forall i, j | 0 <= i < j < |order|
      ensures order[i].uuid != order[j].uuid
    {
      if order[i].uuid == order[j].uuid {
        EntriesProofs.SameUuidIsSameEntry(file, order[i], order[j]);
        TwoPositionsCountTwice(order, i, j);
        UniqueEntriesOccurOnce(file, order[i]);
      }
    }
  }

  /** A greedy order holds entries of the file only, each once. */
  lemma StepsAreUniqueEntries(file: Log, order: Log)
    requires Steps(file, order)
    ensures UniqueUuids(order)
    ensures forall e | e in order :: e in file
  {
    forall k | 0 <= k < |order|
      ensures order[k] in file
      ensures order[k].uuid !in Uuids(order[..k])
    {
      assert Step(file, order, k);
    }
    forall i, j | 0 <= i < j < |order|
      ensures order[i].uuid != order[j].uuid
    {
      assert order[..j][i] == order[i];
      assert order[i].uuid in Uuids(order[..j]);
    }
  }

  // ---------------------------------------------------------------------------------------------------------------
  // Complete exactly without cycles
  // ---------------------------------------------------------------------------------------------------------------

  /** Every parent that stands in the file comes out before its children; a parent that is nowhere counts as none. */
  ghost predicate ParentsInFileFirst(file: Log, order: Log) {
    forall i | 0 <= i < |order| && order[i].parent.Some? && order[i].parent.value in Uuids(file) ::
      order[i].parent.value in Uuids(order[..i])
  }

  /** The arrangement keeps parents first. */
  lemma ArrangeHasParentsFirst(file: Log, out: Log, rest: seq<Entry>)
    requires ParentsInFileFirst(file, out)
    ensures ParentsInFileFirst(file, Arrange(file, out, rest))
    decreases |rest|
  {
    var i := FirstReady(file, out, rest);
    if i < |rest| {
      var longer := out + [rest[i]];
      forall j | 0 <= j < |longer| && longer[j].parent.Some? && longer[j].parent.value in Uuids(file)
        ensures longer[j].parent.value in Uuids(longer[..j])
      {
        assert longer[..j] == out[..j];
        assert out[..|out|] == out;
      }
      ArrangeHasParentsFirst(file, longer, rest[..i] + rest[i + 1..]);
    }
  }

  /** Every entry whose parent is in the file comes out after it, whatever the file. */
  lemma ArrangedHasParentsFirst(file: Log)
    ensures ParentsInFileFirst(file, Arranged(file))
  {
    ArrangeHasParentsFirst(file, [], file);
  }

  /** Each entry's parent is the next entry. */
  ghost predicate Linked(way: seq<Entry>) {
    forall i | 0 <= i < |way| - 1 :: way[i].parent == Some(way[i + 1].uuid)
  }

  /** Some entry of `among` is the parent of `e`. Opaque, because "every entry has a parent, which has a parent" never
    * ends for the solver either. */
  opaque ghost predicate HasParentIn(among: set<Entry>, e: Entry) {
    exists x :: x in among && e.parent == Some(x.uuid)
  }

  /** The parent of `e` in `among`. */
  lemma ParentIn(among: set<Entry>, e: Entry)
    returns (x: Entry)
    requires HasParentIn(among, e)
    ensures x in among
    ensures e.parent == Some(x.uuid)
  {
    reveal HasParentIn();
    x :| x in among && e.parent == Some(x.uuid);
  }

  /** What a sequence holds. */
  ghost function Elements<T>(s: seq<T>): set<T> {
    set x | x in s
  }

  /** A way along parents, through entries of the file, that comes back to itself, though perhaps not to its beginning. */
  ghost predicate LeadsToCycle(file: Log, way: seq<Entry>) {
    && |way| > 0
    && (forall e | e in way :: e in file)
    && Linked(way)
    && way[|way| - 1].parent.Some?
    && (exists i :: 0 <= i < |way| && way[i].uuid == way[|way| - 1].parent.value)
  }

  /** Such a way ends in a cycle. */
  lemma WayBackHoldsACycle(file: Log, way: seq<Entry>)
    requires LeadsToCycle(file, way)
    ensures !Acyclic(file)
  {
    var i :| 0 <= i < |way| && way[i].uuid == way[|way| - 1].parent.value;
    var round := way[i..];
    forall e | e in round
      ensures e in file && e.parent.Some?
    {
      var j :| i <= j < |way| && way[j] == e;
      if j < |way| - 1 {
        assert way[j].parent == Some(way[j + 1].uuid);
      }
    }
    assert Cycle(file, round);
  }

  /** Whoever walks from parent to parent in a finite set comes back to where they were: the entries not yet walked on
    * become fewer at every step. */
  lemma WalkMeetsItself(file: Log, among: set<Entry>, way: seq<Entry>)
    returns (whole: seq<Entry>)
    requires forall e | e in among :: e in file && HasParentIn(among, e)
    requires |way| > 0
    requires forall e | e in way :: e in among
    requires Linked(way)
    ensures LeadsToCycle(file, whole)
    ensures whole[0] == way[0]
    decreases |among - Elements(way)|
  {
    var next := ParentIn(among, way[|way| - 1]);
    if next in way {
      whole := way;
    } else {
      var longer := way + [next];
      assert Elements(longer) == Elements(way) + {next};
      StrictPartIsSmaller(among - Elements(longer), among - Elements(way), next);
      whole := WalkMeetsItself(file, among, longer);
    }
  }

  /** A part of a finite set that lacks one of its elements is smaller. */
  lemma StrictPartIsSmaller<T>(part: set<T>, all: set<T>, x: T)
    requires part <= all
    requires x in all && x !in part
    ensures |part| < |all|
  {
    assert all == part + (all - part);
    assert x in all - part;
  }

  /** The entries of the file that never come out. */
  ghost function NeverOut(file: Log, order: Log): set<Entry> {
    set e | e in file && e.uuid !in Uuids(order)
  }

  /** An entry that never comes out has a parent that never comes out. */
  lemma NeverOutHasParentNeverOut(file: Log, order: Log, e: Entry)
    requires Stuck(file, order)
    requires e in NeverOut(file, order)
    ensures HasParentIn(NeverOut(file, order), e)
  {
    reveal HasParentIn();
    assert !Ready(file, order, e);
    var x :| x in file && x.uuid == e.parent.value;
    assert x in NeverOut(file, order);
  }

  /** From an entry that never comes out, a way along parents leads to a cycle: the walk among those that never come out
    * ends nowhere. */
  lemma NeverOutLeadsToCycle(file: Log, order: Log, e: Entry)
    returns (way: seq<Entry>)
    requires Stuck(file, order)
    requires e in NeverOut(file, order)
    ensures LeadsToCycle(file, way)
    ensures way[0] == e
  {
    var among := NeverOut(file, order);
    forall x | x in among
      ensures x in file && HasParentIn(among, x)
    {
      NeverOutHasParentNeverOut(file, order, x);
    }
    way := WalkMeetsItself(file, among, [e]);
  }

  /** An order that lacks no uuid of the file is a permutation of the file. */
  lemma OrderWithAllUuidsIsPermutation(file: Log, order: Log)
    requires UniqueUuids(file)
    requires Steps(file, order)
    requires Uuids(file) <= Uuids(order)
    ensures Permutation(file, order)
  {
    StepsAreUniqueEntries(file, order);
    forall e
      ensures multiset(file)[e] == multiset(order)[e]
    {
      UniqueEntriesOccurOnce(file, e);
      UniqueEntriesOccurOnce(order, e);
      if e in file {
        assert e.uuid in Uuids(order);
        var x :| x in order && x.uuid == e.uuid;
        EntriesProofs.SameUuidIsSameEntry(file, e, x);
      }
      assert e in file <==> multiset(file)[e] > 0;
      assert e in order <==> multiset(order)[e] > 0;
    }
  }

  /** In an order with parents first, positions fall along a way of parents, and whatever the way comes to is out. */
  lemma PositionsFallAlongWay(file: Log, order: Log, way: seq<Entry>, i: nat, k: nat)
    requires UniqueUuids(file) && UniqueUuids(order)
    requires ParentsInFileFirst(file, order)
    requires forall e | e in order :: e in file
    requires forall e | e in way :: e in file
    requires Linked(way)
    requires i <= k < |way|
    requires way[i] in order
    ensures way[k] in order
    ensures way[i].uuid in Uuids(order) && way[k].uuid in Uuids(order)
    ensures IndexOf(order, way[k].uuid) <= IndexOf(order, way[i].uuid)
    decreases k
  {
    if i < k {
      PositionsFallAlongWay(file, order, way, i, k - 1);
      assert way[k] in way;
      ParentStandsEarlier(file, order, way[k - 1]);
      EntriesProofs.SameUuidIsSameEntry(file, way[k], Get(order, way[k].uuid));
    }
  }

  /** In an order with parents first, a parent's position is smaller than its child's. */
  lemma ParentStandsEarlier(file: Log, order: Log, e: Entry)
    requires UniqueUuids(order)
    requires ParentsInFileFirst(file, order)
    requires e in order && e.parent.Some? && e.parent.value in Uuids(file)
    ensures e.uuid in Uuids(order)
    ensures e.parent.value in Uuids(order)
    ensures IndexOf(order, e.parent.value) < IndexOf(order, e.uuid)
  {
    var i :| 0 <= i < |order| && order[i] == e;
    EntriesProofs.IndexOfIsPosition(order, i);
    assert e.parent.value in Uuids(order[..i]);
    EntriesProofs.UuidsOfPrefix(order, i);
    EntriesProofs.LaterIsNotInPrefix(order, i, e.parent.value);
  }

  /** In an order with parents first, nothing comes out from where a way leads to a cycle: positions would fall around the
    * cycle for ever. */
  lemma WayToCycleIsNotOut(file: Log, order: Log, way: seq<Entry>)
    requires UniqueUuids(file) && UniqueUuids(order)
    requires ParentsInFileFirst(file, order)
    requires forall e | e in order :: e in file
    requires LeadsToCycle(file, way)
    ensures way[0] !in order
  {
    if way[0] in order {
      var last := |way| - 1;
      var i :| 0 <= i < |way| && way[i].uuid == way[last].parent.value;
      PositionsFallAlongWay(file, order, way, 0, i);
      PositionsFallAlongWay(file, order, way, i, last);
      ParentStandsEarlier(file, order, way[last]);
    }
  }

  /** A permutation with parents first leaves no room for a cycle. */
  lemma CompleteOrderHasNoCycle(file: Log, order: Log)
    requires UniqueUuids(file)
    requires Permutation(file, order)
    requires ParentsInFileFirst(file, order)
    ensures Acyclic(file)
  {
    PermutationKeepsEntries(file, order);
    PermutationKeepsUniqueUuids(file, order);
    forall way: seq<Entry>
      ensures !Cycle(file, way)
    {
      if Cycle(file, way) {
        assert way[0] in way;
        assert LeadsToCycle(file, way);
        WayToCycleIsNotOut(file, order, way);
      }
    }
  }

  /** An entry never comes out exactly if it is on a cycle, or one of its ancestors is. Everything else comes out, whatever
    * else is wrong with the file. */
  lemma NeverOutExactlyBelowCycles(file: Log, e: Entry)
    requires UniqueUuids(file)
    requires e in file
    ensures e !in Arranged(file) <==> exists way :: LeadsToCycle(file, way) && way[0] == e
  {
    var order := Arranged(file);
    ArrangedIsGreedy(file);
    StepsAreUniqueEntries(file, order);
    ArrangedHasParentsFirst(file);
    if e in order {
      forall way | LeadsToCycle(file, way)
        ensures way[0] != e
      {
        WayToCycleIsNotOut(file, order, way);
      }
    } else {
      if e.uuid in Uuids(order) {
        EntriesProofs.SameUuidIsSameEntry(file, e, Get(order, e.uuid));
      }
      var way := NeverOutLeadsToCycle(file, order, e);
    }
  }

  /** Every entry comes out exactly if no entry is its own ancestor. Dangling parents do no harm here. */
  lemma ArrangedIsCompleteExactlyWithoutCycles(file: Log)
    requires UniqueUuids(file)
    ensures |Arranged(file)| == |file| <==> Acyclic(file)
  {
    var order := Arranged(file);
    ArrangedIsGreedy(file);
    CompleteArrangementIsPermutation(file);
    if |order| == |file| {
      ArrangedHasParentsFirst(file);
      CompleteOrderHasNoCycle(file, order);
    } else if Uuids(file) <= Uuids(order) {
      OrderWithAllUuidsIsPermutation(file, order);
    } else {
      var u :| u in Uuids(file) && u !in Uuids(order);
      var e :| e in file && e.uuid == u;
      var way := NeverOutLeadsToCycle(file, order, e);
      WayBackHoldsACycle(file, way);
    }
  }

  /** The arrangement holds exactly the entries of the file, each unchanged, exactly if there is no cycle. */
  lemma ArrangedIsPermutation(file: Log)
    requires UniqueUuids(file)
    ensures Permutation(file, Arranged(file)) <==> Acyclic(file)
  {
    ArrangedIsCompleteExactlyWithoutCycles(file);
    CompleteArrangementIsPermutation(file);
  }

  // ---------------------------------------------------------------------------------------------------------------
  // Stable, and the only one
  // ---------------------------------------------------------------------------------------------------------------

  /** A greedy order is stable: whoever is overtaken was not ready then. */
  lemma GreedyOrderIsStable(file: Log, order: Log)
    requires UniqueUuids(file)
    requires Greedy(file, order)
    ensures Stable(file, order)
  {
    StepsAreUniqueEntries(file, order);
    forall x, y | x in Uuids(file) && y in Uuids(file) && x in Uuids(order) && y in Uuids(order)
                  && IndexOf(file, x) < IndexOf(file, y) && IndexOf(order, y) < IndexOf(order, x)
      ensures var e := Get(file, x);
              && e.parent.Some?
              && e.parent.value in Uuids(order)
              && IndexOf(order, y) <= IndexOf(order, e.parent.value)
    {
      var p := PositionTaken(file, order, IndexOf(order, y));
      EntriesProofs.IndexOfIsPosition(file, p);
      OvertakenWasNotReady(file, order, x, IndexOf(order, y), p);
    }
  }

  /** Where step `k` takes an entry that stands behind `x` in the file while `x` still waits, the parent of `x` comes out at
    * that step or later. */
  lemma OvertakenWasNotReady(file: Log, order: Log, x: Id, k: nat, p: int)
    requires UniqueUuids(file) && UniqueUuids(order)
    requires Steps(file, order)
    requires x in Uuids(file) && x in Uuids(order)
    requires k < IndexOf(order, x)
    requires Next(file, order[..k], p)
    requires IndexOf(file, x) < p
    ensures Get(file, x).parent.Some?
    ensures Get(file, x).parent.value in Uuids(order)
    ensures k <= IndexOf(order, Get(file, x).parent.value)
  {
    var e := Get(file, x);
    var j := IndexOf(order, x);
    EntriesProofs.LaterIsNotInPrefix(order, k, x);
    assert !Ready(file, order[..k], e);
    var parent := e.parent.value;
    var q := PositionTaken(file, order, j);
    EntriesProofs.IndexOfIsPosition(file, q);
    assert parent in Uuids(order[..j]);
    EntriesProofs.UuidsOfPrefix(order, j);
    EntriesProofs.LaterIsNotInPrefix(order, k, parent);
  }

  /** The arrangement is stable, complete or not. */
  lemma ArrangedIsStable(file: Log)
    requires UniqueUuids(file)
    ensures Stable(file, Arranged(file))
  {
    ArrangedIsGreedy(file);
    GreedyOrderIsStable(file, Arranged(file));
  }

  /** A stable permutation with parents first takes the first possible entry at every step: an earlier one that could
    * have come would have been overtaken without reason. */
  lemma StableOrderTakesFirst(file: Log, order: Log, k: nat)
    requires UniqueUuids(file) && UniqueUuids(order)
    requires Permutation(file, order)
    requires ParentsInFileFirst(file, order)
    requires Stable(file, order)
    requires k < |order|
    ensures Step(file, order, k)
  {
    PermutationKeepsEntries(file, order);
    var out := order[..k];
    var y := order[k];
    EntriesProofs.IndexOfIsPosition(order, k);
    EntriesProofs.LaterIsNotInPrefix(order, k, y.uuid);
    assert y in file;
    var p :| 0 <= p < |file| && file[p] == y;
    EntriesProofs.IndexOfIsPosition(file, p);
    forall q | 0 <= q < p
      ensures file[q].uuid in Uuids(out) || !Ready(file, out, file[q])
    {
      var x := file[q].uuid;
      EntriesProofs.IndexOfIsPosition(file, q);
      EntriesProofs.LaterIsNotInPrefix(order, k, x);
      if x !in Uuids(out) {
        var parent := file[q].parent.value;
        EntriesProofs.LaterIsNotInPrefix(order, k, parent);
      }
    }
    assert Next(file, out, p);
  }

  /** Permutation, parents first and stability pin the arrangement down: nothing else has all three. */
  lemma ArrangedIsUnique(file: Log, order: Log)
    requires UniqueUuids(file)
    requires Permutation(file, order)
    requires ParentsInFileFirst(file, order)
    requires Stable(file, order)
    ensures order == Arranged(file)
  {
    PermutationKeepsEntries(file, order);
    PermutationKeepsUniqueUuids(file, order);
    forall k | 0 <= k < |order|
      ensures Step(file, order, k)
    {
      StableOrderTakesFirst(file, order, k);
    }
    ArrangedIsGreedy(file);
    GreedyOrderIsUnique(file, order, Arranged(file));
  }

  // ---------------------------------------------------------------------------------------------------------------
  // Canonical order
  // ---------------------------------------------------------------------------------------------------------------

  /** A file has a canonical order exactly if every parent resolves and no entry is its own ancestor. */
  lemma CanonicalExistsExactly(file: Log)
    requires UniqueUuids(file)
    ensures Canonical(file).Some? <==> NoDanglingParents(file) && Acyclic(file)
  {
    ArrangedIsCompleteExactlyWithoutCycles(file);
  }

  /** Canonical order loses, invents, repeats and changes no entry. */
  lemma CanonicalIsPermutation(file: Log)
    requires Canonical(file).Some?
    ensures Permutation(file, Canonical(file).value)
  {
    CompleteArrangementIsPermutation(file);
  }

  /** A log in canonical order is well-formed. */
  lemma CanonicalIsWellFormed(file: Log)
    requires UniqueUuids(file)
    requires Canonical(file).Some?
    ensures WellFormed(Canonical(file).value)
  {
    var order := Canonical(file).value;
    CanonicalIsPermutation(file);
    PermutationKeepsEntries(file, order);
    PermutationKeepsUniqueUuids(file, order);
    ArrangedHasParentsFirst(file);
    forall i | 0 <= i < |order| && order[i].parent.Some?
      ensures order[i].parent.value in Uuids(order[..i])
    {
      assert order[i] in file;
    }
    EntriesProofs.WellFormedMeansUniqueAndParentsFirst(order);
  }

  /** A file can be put into a well-formed order at all exactly if every parent resolves and no entry is its own ancestor: so
    * where there is no canonical order, there is no other order either. */
  lemma OrderExistsExactly(file: Log)
    requires UniqueUuids(file)
    ensures (exists order: Log :: Permutation(file, order) && WellFormed(order)) <==> NoDanglingParents(file) && Acyclic(file)
  {
    CanonicalExistsExactly(file);
    if NoDanglingParents(file) && Acyclic(file) {
      CanonicalIsPermutation(file);
      CanonicalIsWellFormed(file);
    }
    if order: Log :| Permutation(file, order) && WellFormed(order) {
      OrderedFileIsSound(file, order);
    }
  }

  /** A file with a well-formed order has no dangling parent and no cycle: it has the same entries, and so the same parents. */
  lemma OrderedFileIsSound(file: Log, order: Log)
    requires Permutation(file, order)
    requires WellFormed(order)
    ensures NoDanglingParents(file) && Acyclic(file)
  {
    PermutationKeepsEntries(file, order);
    EntriesProofs.WellFormedHasNoDanglingParents(order);
    EntriesProofs.WellFormedIsAcyclic(order);
    forall way: seq<Entry>
      ensures !Cycle(file, way)
    {
      assert Cycle(file, way) ==> Cycle(order, way);
    }
  }

  /** In canonical order an entry is overtaken only while its parent is not out. */
  lemma CanonicalIsStable(file: Log)
    requires UniqueUuids(file)
    requires Canonical(file).Some?
    ensures Stable(file, Canonical(file).value)
  {
    ArrangedIsStable(file);
  }

  /** A well-formed, stable permutation of the file is its canonical order: the three properties define it. */
  lemma CanonicalIsUnique(file: Log, order: Log)
    requires UniqueUuids(file)
    requires Permutation(file, order)
    requires WellFormed(order)
    requires Stable(file, order)
    ensures Canonical(file) == Some(order)
  {
    PermutationKeepsEntries(file, order);
    EntriesProofs.WellFormedMeansUniqueAndParentsFirst(order);
    EntriesProofs.WellFormedHasNoDanglingParents(order);
    ArrangedIsUnique(file, order);
  }

  /** Entries whose parents the file does not hold wait for nothing: they come out as they stand, behind what is out. */
  lemma WhatWaitsForNothingStays(file: Log, out: Log, rest: seq<Entry>)
    requires forall e | e in rest && e.parent.Some? :: e.parent.value !in Uuids(file)
    ensures forall e | e in rest :: Ready(file, out, e)
    ensures Arrange(file, out, rest) == out + rest
    decreases |rest|
  {
    if |rest| > 0 {
      assert rest[0] in rest;
      WhatWaitsForNothingStays(file, out + [rest[0]], rest[1..]);
      assert rest[..0] + rest[1..] == rest[1..];
      assert out + [rest[0]] + rest[1..] == out + rest;
    }
  }

  /** A log that is in order stays as it is. */
  lemma CanonicalLeavesOrderedLogsAlone(file: Log)
    requires WellFormed(file)
    ensures Canonical(file) == Some(file)
  {
    EntriesProofs.WellFormedHasUniqueUuids(file);
    forall x, y | x in Uuids(file) && y in Uuids(file) && IndexOf(file, x) < IndexOf(file, y)
      ensures !(IndexOf(file, y) < IndexOf(file, x))
    {
    }
    CanonicalIsUnique(file, file);
  }

  /** Putting a file into canonical order a second time changes nothing. */
  lemma CanonicalIsIdempotent(file: Log)
    requires UniqueUuids(file)
    requires Canonical(file).Some?
    ensures Canonical(Canonical(file).value) == Canonical(file)
  {
    CanonicalIsWellFormed(file);
    CanonicalLeavesOrderedLogsAlone(Canonical(file).value);
  }

  /** A new entry at the end of the file that may follow it comes last in canonical order too, and moves no other. */
  lemma CanonicalOfAppend(file: Log, e: Entry)
    requires UniqueUuids(file)
    requires Canonical(file).Some?
    requires Fits(file, e)
    ensures UniqueUuids(file + [e])
    ensures Canonical(file + [e]) == Some(Canonical(file).value + [e])
  {
    var order := Arranged(file);
    var longer := file + [e];
    forall i | 0 <= i < |file|
      ensures file[i].uuid != e.uuid
    {
      assert file[i] in file;
    }
    ArrangedIsGreedy(file);
    CanonicalIsPermutation(file);
    PermutationKeepsEntries(file, order);
    UuidsOfAppend(file, e);
    UuidsOfAppend(order, e);
    StepsOfLongerFile(file, order, e);
    forall x | x in longer
      ensures x.uuid in Uuids(order + [e])
      ensures x.parent.Some? ==> x.parent.value in Uuids(longer)
    {
    }
    forall q | 0 <= q < |file|
      ensures longer[q].uuid in Uuids(order)
    {
      assert longer[q] in file;
    }
    StepsGrow(longer, order, |file|);
    ArrangedIsGreedy(longer);
    GreedyOrderIsUnique(longer, order + [e], Arranged(longer));
  }

  /** The steps through a file without dangling parents stay what they are when the file grows at its end. */
  lemma StepsOfLongerFile(file: Log, order: Log, e: Entry)
    requires NoDanglingParents(file)
    requires Steps(file, order)
    ensures Steps(file + [e], order)
  {
    var longer := file + [e];
    UuidsOfAppend(file, e);
    forall k | 0 <= k < |order|
      ensures Step(longer, order, k)
    {
      var p := PositionTaken(file, order, k);
      forall q | 0 <= q < |file|
        ensures Ready(longer, order[..k], longer[q]) == Ready(file, order[..k], file[q])
      {
        assert longer[q] in file;
      }
      assert Next(longer, order[..k], p) && order[k] == longer[p];
    }
  }

  /** Canonical order of what is kept, with all its parents, is what is kept of the canonical order. So a fork may be written in the
    * order of its file: it is read as the same fork. */
  lemma CanonicalOfKeep(file: Log, ids: set<Id>)
    requires UniqueUuids(file)
    requires Canonical(file).Some?
    requires EntriesProofs.ParentClosed(file, ids)
    ensures UniqueUuids(Keep(file, ids))
    ensures Canonical(Keep(file, ids)) == Some(Keep(Canonical(file).value, ids))
  {
    hide UniqueUuids, Stable, Permutation, WellFormed, Canonical, Keep, Get;
    var order := Canonical(file).value;
    var kept, chosen := Keep(file, ids), Keep(order, ids);
    CanonicalIsPermutation(file);
    CanonicalIsWellFormed(file);
    CanonicalIsStable(file);
    PermutationKeepsEntries(file, order);
    PermutationKeepsUniqueUuids(file, order);
    EntriesProofs.KeepIsUnique(file, ids);
    EntriesProofs.KeepIsUnique(order, ids);
    EntriesProofs.KeepHoldsExactly(file, ids);
    EntriesProofs.KeepHoldsExactly(order, ids);
    EntriesProofs.UuidsOfKeep(file, ids);
    EntriesProofs.UuidsOfKeep(order, ids);
    EntriesProofs.KeepIsWellFormed(order, ids);
    SameEntriesArePermutation(kept, chosen);
    KeepIsStable(file, order, ids);
    CanonicalIsUnique(kept, chosen);
  }

  /** Two logs with unique uuids that hold the same entries are arrangements of each other. */
  lemma SameEntriesArePermutation(a: Log, b: Log)
    requires UniqueUuids(a) && UniqueUuids(b)
    requires forall e :: e in a <==> e in b
    ensures Permutation(a, b)
  {
    forall e
      ensures multiset(a)[e] == multiset(b)[e]
    {
      UniqueEntriesOccurOnce(a, e);
      UniqueEntriesOccurOnce(b, e);
      assert e in a <==> multiset(a)[e] > 0;
      assert e in b <==> multiset(b)[e] > 0;
    }
  }

  /** What is kept of a stable order is stable. */
  lemma KeepIsStable(file: Log, order: Log, ids: set<Id>)
    requires UniqueUuids(file) && UniqueUuids(order)
    requires forall e :: e in file <==> e in order
    requires Stable(file, order)
    requires EntriesProofs.ParentClosed(file, ids)
    ensures Stable(Keep(file, ids), Keep(order, ids))
  {
    hide UniqueUuids, Keep, IndexOf;
    var kept, chosen := Keep(file, ids), Keep(order, ids);
    EntriesProofs.UuidsOfKeep(file, ids);
    EntriesProofs.UuidsOfKeep(order, ids);
    EntriesProofs.KeepHoldsExactly(file, ids);
    EntriesProofs.KeepHoldsExactly(order, ids);
    forall x, y | x in Uuids(kept) && y in Uuids(kept) && x in Uuids(chosen) && y in Uuids(chosen)
                  && IndexOf(kept, x) < IndexOf(kept, y) && IndexOf(chosen, y) < IndexOf(chosen, x)
      ensures Get(kept, x).parent.Some? && Get(kept, x).parent.value in Uuids(chosen)
      ensures IndexOf(chosen, y) <= IndexOf(chosen, Get(kept, x).parent.value)
    {
      EntriesProofs.KeepIsInOrder(file, ids, x, y);
      EntriesProofs.KeepIsInOrder(order, ids, y, x);
      EntriesProofs.SameUuidIsSameEntry(file, Get(kept, x), Get(file, x));
      var p := Get(file, x).parent.value;
      assert p in ids && p in Uuids(chosen);
      EntriesProofs.KeepIsInOrder(order, ids, p, y);
    }
  }
}

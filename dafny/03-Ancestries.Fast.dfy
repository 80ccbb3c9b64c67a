// Chapter 3, the algorithms: an index from uuids to positions, parents as positions, and ancestry and lineage by walking
// up over positions. Each takes one step for each entry that it visits.
include "01-Entries.Proofs.dfy"
include "02-Order.Fast.dfy"
include "03-Ancestries.Proofs.dfy"

module AncestriesFast {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened Ancestries
  import opened AncestriesProofs
  import Layers

  /** The map is the index of a log: its keys are the uuids, and each leads to the position that `IndexOf` finds. */
  ghost predicate IsIndex(log: Log, at: map<Id, nat>) {
    && at.Keys == Uuids(log)
    && (forall u | u in Uuids(log) :: at[u] == IndexOf(log, u))
  }

  /** One more entry adds its own uuid to the index, at the end. */
  lemma IndexGrowsByOne(log: Log, e: Entry, at: map<Id, nat>)
    requires IsIndex(log, at)
    ensures IsIndex(log + [e], at[e.uuid := |log|])
  {
    var longer := log + [e];
    UuidsOfLast(longer);
    assert longer[..|longer| - 1] == log;
  }

  /** The index of a log, in one pass. */
  method Index(log: Log) returns (at: map<Id, nat>)
    ensures IsIndex(log, at)
  {
    var table: Layers.Table<Id, nat> := Layers.Empty();
    for i := 0 to |log|
      invariant IsIndex(log[..i], Layers.Flat(table))
    {
      assert log[..i + 1] == log[..i] + [log[i]];
      IndexGrowsByOne(log[..i], log[i], Layers.Flat(table));
      table := Layers.Put(table, log[i].uuid, i);
    }
    assert log[..|log|] == log;
    at := Layers.Flat(table);
  }

  /** Decides whether an entry may follow a log, by the log's index. */
  method DecideFits(ghost log: Log, at: map<Id, nat>, e: Entry) returns (fits: bool)
    requires IsIndex(log, at)
    ensures fits == Fits(log, e)
  {
    fits := e.uuid !in at && (e.parent.Some? ==> e.parent.value in at);
  }

  /** Decides whether a log is well-formed, in one pass. */
  method DecideWellFormed(log: Log) returns (wellFormed: bool)
    ensures wellFormed == WellFormed(log)
  {
    var at: Layers.Table<Id, nat> := Layers.Empty();
    for i := 0 to |log|
      invariant IsIndex(log[..i], Layers.Flat(at))
      invariant WellFormed(log[..i])
    {
      var e := log[i];
      if Layers.Has(at, e.uuid) || (e.parent.Some? && !Layers.Has(at, e.parent.value)) {
        if WellFormed(log) {
          EachEntryFits(log, i);
        }
        return false;
      }
      assert log[..i + 1] == log[..i] + [e];
      IndexGrowsByOne(log[..i], e, Layers.Flat(at));
      at := Layers.Put(at, e.uuid, i);
    }
    assert log[..|log|] == log;
    wellFormed := true;
  }

  /** Each position leads to an earlier one, or to -1. */
  ghost predicate LeadsBack(up: seq<int>) {
    forall i | 0 <= i < |up| :: -1 <= up[i] < i
  }

  /** The positions of the parents: of each entry its parent's, and -1 of a root. */
  ghost predicate AreParents(log: Log, up: seq<int>) {
    && |up| == |log|
    && LeadsBack(up)
    && (forall i | 0 <= i < |log| && log[i].parent.None? :: up[i] == -1)
    && (forall i | 0 <= i < |log| && log[i].parent.Some? :: up[i] >= 0 && log[up[i]].uuid == log[i].parent.value)
  }

  /** Positions of parents lead back. */
  lemma PositionsLeadBack(log: Log, up: seq<int>)
    requires AreParents(log, up)
    ensures |up| == |log| && LeadsBack(up)
  {
  }

  /** The index of a well-formed log finds each parent, before its child. */
  lemma IndexFindsParentBefore(log: Log, at: map<Id, nat>, i: nat)
    requires WellFormed(log)
    requires IsIndex(log, at)
    requires i < |log| && log[i].parent.Some?
    ensures log[i].parent.value in at
    ensures at[log[i].parent.value] < i
    ensures log[at[log[i].parent.value]].uuid == log[i].parent.value
  {
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    ParentStandsBefore(log, log[i].uuid);
  }

  /** The positions of the parents, in one pass. */
  method ParentPositions(log: Log, at: map<Id, nat>) returns (up: seq<int>)
    requires WellFormed(log)
    requires IsIndex(log, at)
    ensures AreParents(log, up)
  {
    hide WellFormed, IsIndex;
    up := [];
    for i := 0 to |log|
      invariant |up| == i
      invariant LeadsBack(up)
      invariant forall k | 0 <= k < i && log[k].parent.None? :: up[k] == -1
      invariant forall k | 0 <= k < i && log[k].parent.Some? :: up[k] >= 0 && log[up[k]].uuid == log[k].parent.value
    {
      if log[i].parent.Some? {
        IndexFindsParentBefore(log, at, i);
        up := up + [at[log[i].parent.value]];
      } else {
        up := up + [-1];
      }
    }
  }

  /** The way that leads to position `i`, from the position that leads nowhere. */
  ghost function WayTo(up: seq<int>, i: nat): seq<nat>
    requires LeadsBack(up)
    requires i < |up|
    ensures |WayTo(up, i)| > 0
    ensures forall p | p in WayTo(up, i) :: p < |up|
    ensures WayTo(up, i)[0] < |up| && up[WayTo(up, i)[0]] == -1
  {
    if up[i] < 0 then [i]
    else WayTo(up, up[i]) + [i]
  }

  /** How many positions there are on the way to position `i`. */
  method Depth(up: seq<int>, i: nat) returns (depth: nat)
    requires LeadsBack(up)
    requires i < |up|
    ensures depth == |WayTo(up, i)|
  {
    var p := i;
    depth := 1;
    while up[p] >= 0
      invariant 0 <= p < |up|
      invariant depth + |WayTo(up, p)| == 1 + |WayTo(up, i)|
      decreases p
    {
      p := up[p];
      depth := depth + 1;
    }
  }

  /** The way that leads to position `i`: counted first, then filled in from its end. */
  method WalkUp(up: seq<int>, i: nat) returns (way: seq<nat>)
    requires LeadsBack(up)
    requires i < |up|
    ensures way == WayTo(up, i)
  {
    var depth := Depth(up, i);
    var steps := new nat[depth](_ => i);
    var p, k := i, depth - 1;
    while up[p] >= 0
      invariant 0 <= p < |up| && 0 <= k < depth
      invariant steps[k] == p
      invariant k + 1 == |WayTo(up, p)|
      invariant WayTo(up, p) + steps[k + 1..] == WayTo(up, i)
      decreases p
    {
      assert steps[k..] == [p] + steps[k + 1..];
      p, k := up[p], k - 1;
      steps[k] := p;
    }
    way := steps[..];
    assert way == [steps[0]] + steps[1..];
  }

  /** The entries at some positions. */
  function EntriesAt(log: Log, way: seq<nat>): Log
    requires forall p | p in way :: p < |log|
  {
    seq(|way|, k requires 0 <= k < |way| => assert way[k] in way; log[way[k]])
  }

  /** The entries at two lists of positions. */
  lemma EntriesAtBoth(log: Log, a: seq<nat>, b: seq<nat>)
    requires forall p | p in a :: p < |log|
    requires forall p | p in b :: p < |log|
    ensures forall p | p in a + b :: p < |log|
    ensures EntriesAt(log, a + b) == EntriesAt(log, a) + EntriesAt(log, b)
  {
  }

  /** An ancestry is the way up over the positions of the parents. */
  lemma AncestryIsWayUp(log: Log, up: seq<int>, i: nat)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures Ancestry(log, log[i].uuid) == EntriesAt(log, WayTo(up, i))
  {
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    AncestryUnfolds(log, log[i].uuid);
    if up[i] >= 0 {
      AncestryIsWayUp(log, up, up[i]);
    }
  }

  /** The ancestry of position `i`. */
  method FastAncestry(log: Log, up: seq<int>, i: nat) returns (ancestry: Log)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures ancestry == Ancestry(log, log[i].uuid)
  {
    var way := WalkUp(up, i);
    ancestry := EntriesAt(log, way);
    AncestryIsWayUp(log, up, i);
  }

  /** The positions that lineage leads to: from each entry its parent's, from a boundary its logical parent's, and -1 where
    * there is neither or it does not stand before. */
  ghost predicate AreContinued(log: Log, back: seq<int>) {
    && |back| == |log|
    && LeadsBack(back)
    && (forall i | 0 <= i < |log| && back[i] >= 0 :: LineageParent(log[i]) == Some(log[back[i]].uuid))
    && (forall i | 0 <= i < |log| && back[i] < 0 && LineageParent(log[i]).Some? ::
          LineageParent(log[i]).value !in Uuids(log[..i]))
  }

  /** The index tells what stands before a position. */
  lemma IndexTellsWhatStandsBefore(log: Log, at: map<Id, nat>, i: nat, u: Id)
    requires UniqueUuids(log)
    requires IsIndex(log, at)
    requires i < |log|
    ensures u in Uuids(log[..i]) <==> u in at && at[u] < i
  {
    UuidsOfPrefix(log, i);
    if u in at {
      LaterIsNotInPrefix(log, i, u);
    }
  }

  /** The positions that lineage leads to, in one pass. */
  method ContinuedPositions(log: Log, at: map<Id, nat>) returns (back: seq<int>)
    requires UniqueUuids(log)
    requires IsIndex(log, at)
    ensures AreContinued(log, back)
  {
    hide UniqueUuids, Uuids, LineageParent;
    back := [];
    for i := 0 to |log|
      invariant |back| == i
      invariant LeadsBack(back)
      invariant forall k | 0 <= k < i && back[k] >= 0 :: LineageParent(log[k]) == Some(log[back[k]].uuid)
      invariant forall k | 0 <= k < i && back[k] < 0 && LineageParent(log[k]).Some? ::
          LineageParent(log[k]).value !in Uuids(log[..k])
    {
      var p := LineageParent(log[i]);
      if p.Some? {
        IndexTellsWhatStandsBefore(log, at, i, p.value);
      }
      back := back + [if p.Some? && p.value in at && at[p.value] < i then at[p.value] else -1];
    }
  }

  /** A lineage is the way up over the positions that lineage leads to, and outside is what the first entry continues. */
  lemma LineageIsWayUp(log: Log, back: seq<int>, i: nat)
    requires WellFormed(log)
    requires AreContinued(log, back)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures Lineage(log, log[i].uuid) == Line(EntriesAt(log, WayTo(back, i)), LineageParent(log[WayTo(back, i)[0]]))
  {
    hide WellFormed, Lineage;
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    LineageUnfolds(log, log[i].uuid);
    if back[i] >= 0 {
      assert log[..i][back[i]] in log[..i];
      LineageIsWayUp(log, back, back[i]);
      EntriesAtBoth(log, WayTo(back, back[i]), [i]);
    }
  }

  /** The lineage of position `i`. */
  method FastLineage(log: Log, back: seq<int>, i: nat) returns (line: Line)
    requires WellFormed(log)
    requires AreContinued(log, back)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures line == Lineage(log, log[i].uuid)
  {
    var way := WalkUp(back, i);
    line := Line(EntriesAt(log, way), LineageParent(log[way[0]]));
    LineageIsWayUp(log, back, i);
  }
}

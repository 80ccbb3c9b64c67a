// Chapter 6, the algorithms: the nearest legal points of entries, in one pass over the positions of the parents and the
// verdicts on all entries, or for one entry by walking up.
include "03-Ancestries.Fast.dfy"
include "06-Turns.Proofs.dfy"

module TurnsFast {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened Ancestries
  import opened AncestriesProofs
  import opened AncestriesFast
  import opened Balance
  import opened Turns
  import TurnsProofs

  /** The verdict on each position: is its entry a legal point? */
  ghost predicate AreVerdicts(log: Log, legal: seq<bool>) {
    && |legal| == |log|
    && (forall i | 0 <= i < |log| :: log[i].uuid in Uuids(log) && (legal[i] <==> Legal(log, log[i].uuid)))
  }

  /** A position, or -1 for none, names an entry's nearest legal ancestor. */
  ghost predicate PointsTo(log: Log, position: int, point: Option<Id>) {
    && -1 <= position < |log|
    && (position < 0 ==> point == None)
    && (position >= 0 ==> point == Some(log[position].uuid))
  }

  /** One step up an ancestry by positions. */
  lemma AncestryStepsUp(log: Log, up: seq<int>, i: nat)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures up[i] < 0 ==> Ancestry(log, log[i].uuid) == [log[i]]
    ensures up[i] >= 0 ==> log[up[i]].uuid in Uuids(log)
    ensures up[i] >= 0 ==> Ancestry(log, log[i].uuid) == Ancestry(log, log[up[i]].uuid) + [log[i]]
  {
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    AncestryUnfolds(log, log[i].uuid);
  }

  /** The nearest legal ancestor of an entry is the entry itself, or else its parent's. */
  lemma NearestIsOwnOrOfParent(log: Log, up: seq<int>, i: nat)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures Legal(log, log[i].uuid) ==> NearestLegalAncestor(log, log[i].uuid) == Some(log[i].uuid)
    ensures !Legal(log, log[i].uuid) && up[i] < 0 ==> NearestLegalAncestor(log, log[i].uuid) == None
    ensures -1 <= up[i] < i
    ensures up[i] >= 0 ==> log[up[i]].uuid in Uuids(log)
    ensures !Legal(log, log[i].uuid) && up[i] >= 0
            ==> NearestLegalAncestor(log, log[i].uuid) == NearestLegalAncestor(log, log[up[i]].uuid)
  {
    AncestryStepsUp(log, up, i);
    var way := Ancestry(log, log[i].uuid);
    assert way[|way| - 1] == log[i];
    if up[i] >= 0 {
      assert way[..|way| - 1] == Ancestry(log, log[up[i]].uuid);
    } else {
      assert way[..|way| - 1] == [];
      assert LastLegal(log, []) == None;
    }
  }

  /** There is a parent's position for each entry. */
  lemma EachEntryHasAParentPosition(log: Log, up: seq<int>)
    requires AreParents(log, up)
    ensures |up| == |log|
  {
  }

  /** The position of every entry's nearest legal ancestor, or -1, in one pass. */
  method FastNearestLegalAncestors(ghost log: Log, up: seq<int>, legal: seq<bool>) returns (nearest: seq<int>)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires AreVerdicts(log, legal)
    ensures |nearest| == |log|
    ensures forall i | 0 <= i < |log| :: PointsTo(log, nearest[i], NearestLegalAncestor(log, log[i].uuid))
  {
    hide *;
    reveal PointsTo, AreVerdicts;
    EachEntryHasAParentPosition(log, up);
    var found := new int[|up|];
    for i := 0 to |up|
      invariant forall k | 0 <= k < i :: PointsTo(log, found[k], NearestLegalAncestor(log, log[k].uuid))
    {
      NearestIsOwnOrOfParent(log, up, i);
      found[i] := if legal[i] then i else if up[i] < 0 then -1 else found[up[i]];
    }
    nearest := found[..];
  }

  /** The position of one entry's nearest legal ancestor, or -1, by walking up from it. */
  method FastNearestLegalAncestor(ghost log: Log, up: seq<int>, legal: seq<bool>, i: nat) returns (p: int)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires AreVerdicts(log, legal)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures PointsTo(log, p, NearestLegalAncestor(log, log[i].uuid))
  {
    hide *;
    reveal PointsTo, AreVerdicts;
    EachEntryHasAParentPosition(log, up);
    ghost var nearest := NearestLegalAncestor(log, log[i].uuid);
    p := i;
    while p >= 0 && !legal[p]
      invariant -1 <= p < |up|
      invariant p < 0 ==> nearest == None
      invariant p >= 0 ==> NearestLegalAncestor(log, log[p].uuid) == nearest
      decreases p
    {
      NearestIsOwnOrOfParent(log, up, p);
      p := up[p];
    }
    if p >= 0 {
      NearestIsOwnOrOfParent(log, up, p);
    }
  }

  /** `v` is `u` or below it, and from `u`, exclusive, to `v`, inclusive, nothing is legal: what is first legal below `v` is
    * first legal below `u`. */
  ghost predicate LeadsOn(log: Log, u: Id, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
  {
    && IsAncestor(log, u, v)
    && (forall e | e in Ancestry(log, v) && StrictlyBelow(log, u, e.uuid) :: !Legal(log, e.uuid))
  }

  /** The search starts at the entry itself. */
  lemma EntryLeadsOnFromItself(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures LeadsOn(log, u, u)
    ensures !IsFirstLegalBelow(log, u, u)
  {
    var way := Ancestry(log, u);
    AncestryEndsInItself(log, u);
    forall e | e in way
      ensures !StrictlyBelow(log, u, e.uuid)
    {
      var i :| 0 <= i < |way| && way[i] == e;
      TurnsProofs.AncestorsOnOneWay(log, u, |way| - 1, i);
    }
  }

  /** Another entry that is a root is not below `u`, and neither is anything by way of it. */
  lemma RootIsNotReached(log: Log, up: seq<int>, u: Id, j: nat)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires j < |log|
    requires log[j].uuid != u
    requires up[j] < 0
    ensures log[j].uuid in Uuids(log)
    ensures !LeadsOn(log, u, log[j].uuid)
    ensures !IsFirstLegalBelow(log, u, log[j].uuid)
  {
    AncestryStepsUp(log, up, j);
  }

  /** Another entry is reached from `u` if its parent leads on: if it is legal it is a first one, if not it leads on itself. */
  lemma ReachedThroughParent(log: Log, up: seq<int>, u: Id, j: nat)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires j < |log|
    requires log[j].uuid != u
    requires up[j] >= 0
    ensures up[j] < j
    ensures log[j].uuid in Uuids(log) && log[up[j]].uuid in Uuids(log)
    ensures LeadsOn(log, u, log[j].uuid) <==> LeadsOn(log, u, log[up[j]].uuid) && !Legal(log, log[j].uuid)
    ensures IsFirstLegalBelow(log, u, log[j].uuid) <==> LeadsOn(log, u, log[up[j]].uuid) && Legal(log, log[j].uuid)
  {
    AncestryStepsUp(log, up, j);
    var v := log[j].uuid;
    var above := Ancestry(log, log[up[j]].uuid);
    var way := Ancestry(log, v);
    assert way == above + [log[j]];
    assert IsAncestor(log, u, v) <==> IsAncestor(log, u, log[up[j]].uuid) by {
      assert forall e | e in way :: e in above || e == log[j];
    }
    forall e | e in above
      ensures e.uuid != v
    {
      var i :| 0 <= i < |above| && above[i] == e;
      assert way[i] == e;
      TurnsProofs.AncestorsOnOneWay(log, v, i, |way| - 1);
    }
    assert log[j] in way;
  }

  /** The positions, in order, of the first legal points below `u` among the first `n` entries. */
  ghost predicate AreFirstLegals(log: Log, u: Id, n: nat, first: seq<nat>)
    requires WellFormed(log)
  {
    && n <= |log|
    && (forall a, b | 0 <= a < b < |first| :: first[a] < first[b])
    && (forall k | k in first :: k < n)
    && (forall k | 0 <= k < n :: log[k].uuid in Uuids(log) && (k in first <==> IsFirstLegalBelow(log, u, log[k].uuid)))
  }

  /** One more entry adds its position, if it is a first legal point. */
  lemma FirstLegalsGrowByOne(log: Log, u: Id, n: nat, first: seq<nat>)
    requires WellFormed(log)
    requires n < |log|
    requires AreFirstLegals(log, u, n, first)
    ensures log[n].uuid in Uuids(log)
    ensures IsFirstLegalBelow(log, u, log[n].uuid) ==> AreFirstLegals(log, u, n + 1, first + [n])
    ensures !IsFirstLegalBelow(log, u, log[n].uuid) ==> AreFirstLegals(log, u, n + 1, first)
  {
    hide IsFirstLegalBelow;
    assert log[n] in log;
    var more := first + [n];
    forall a, b | 0 <= a < b < |more|
      ensures more[a] < more[b]
    {
      assert a < |first| && first[a] in first;
    }
    assert forall k :: k in more <==> k in first || k == n;
  }

  /** The positions among all entries are the first legal points below `u`. */
  lemma AllFirstLegalsAreFound(log: Log, u: Id, first: seq<nat>)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires AreFirstLegals(log, u, |log|, first)
    ensures (set i | i in first :: log[i].uuid) == FirstLegalDescendants(log, u)
  {
    hide IsFirstLegalBelow;
    var found := set i | i in first :: log[i].uuid;
    forall d | d in FirstLegalDescendants(log, u)
      ensures d in found
    {
      assert log[IndexOf(log, d)].uuid == d;
      assert IndexOf(log, d) in first;
    }
    forall d | d in found
      ensures d in FirstLegalDescendants(log, u)
    {
      var i :| i in first && log[i].uuid == d;
    }
  }

  /** Before the search nothing is found, and only position `at` is the entry itself. */
  lemma SearchBegins(log: Log, up: seq<int>, at: nat)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires at < |log|
    ensures |up| == |log|
    ensures log[at].uuid in Uuids(log)
    ensures forall j | 0 <= j < |log| && j != at :: log[j].uuid != log[at].uuid
    ensures AreFirstLegals(log, log[at].uuid, 0, [])
  {
    WellFormedHasUniqueUuids(log);
  }

  /** The positions of the first legal points below position `at`, in the order of the log, in one pass. */
  method FastFirstLegalDescendants(ghost log: Log, up: seq<int>, legal: seq<bool>, at: nat) returns (first: seq<nat>)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires AreVerdicts(log, legal)
    requires at < |log|
    ensures AreFirstLegals(log, log[at].uuid, |log|, first)
    ensures (set i | i in first :: log[i].uuid) == FirstLegalDescendants(log, log[at].uuid)
  {
    hide *;
    reveal AreVerdicts;
    ghost var u := log[at].uuid;
    SearchBegins(log, up, at);
    var leads := new bool[|up|];
    first := [];
    for j := 0 to |up|
      invariant forall k | 0 <= k < j :: leads[k] <==> LeadsOn(log, u, log[k].uuid)
      invariant AreFirstLegals(log, u, j, first)
    {
      FirstLegalsGrowByOne(log, u, j, first);
      if j == at {
        EntryLeadsOnFromItself(log, u);
        leads[j] := true;
      } else if up[j] < 0 {
        RootIsNotReached(log, up, u, j);
        leads[j] := false;
      } else {
        ReachedThroughParent(log, up, u, j);
        leads[j] := leads[up[j]] && !legal[j];
        if leads[up[j]] && legal[j] {
          first := first + [j];
        }
      }
    }
    AllFirstLegalsAreFound(log, u, first);
  }
}

// Chapter 10, proofs: what a rendered context holds and in which order, what a fork must keep for it and that it is enough,
// and when a rendered context is balanced.
include "02-Order.Proofs.dfy"
include "07-Forks.Proofs.dfy"
include "10-Rendering.dfy"

module RenderingProofs {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened Order
  import opened OrderProofs
  import opened Ancestries
  import opened AncestriesProofs
  import opened Contexts
  import opened ContextsProofs
  import opened Balance
  import opened BalanceProofs
  import opened Forks
  import opened ForksProofs
  import opened Rendering

  // --- The root of a conversation ---

  /** The root of a conversation is the first entry of the ancestry: it has no parent, belongs to the conversation, and stands
    * at the entry or before it. */
  lemma RootIsFirstOfAncestry(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures |Ancestry(log, u)| > 0 && Ancestry(log, u)[0].uuid == Root(log, u)
    ensures Get(log, Root(log, u)) == Ancestry(log, u)[0] && Get(log, Root(log, u)).parent.None?
    ensures Root(log, u) in Members(log, u)
    ensures IndexOf(log, Root(log, u)) <= IndexOf(log, u)
  {
    RootBeginsAncestry(log, u);
    AncestryEndsInItself(log, u);
    WellFormedHasUniqueUuids(log);
    GetFindsEntry(log, Ancestry(log, u)[0]);
    MembersContainsItself(log, u);
    ContextHoldsAncestry(log, u, u);
    assert Ancestry(log, u)[0] in Ancestry(log, u);
    RootStandsFirst(log, u);
  }

  /** The part of `RootIsFirstOfAncestry` that is by recursion. */
  lemma RootBeginsAncestry(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures |Ancestry(log, u)| > 0 && Ancestry(log, u)[0].uuid == Root(log, u)
    decreases |log|
  {
    var e, before := log[|log| - 1], log[..|log| - 1];
    if e.uuid != u {
      RootBeginsAncestry(before, u);
    } else if e.parent.Some? {
      RootBeginsAncestry(before, e.parent.value);
    }
  }

  /** A log in which an entry has the same ancestry has the same root for it. */
  lemma SameAncestrySameRoot(a: Log, b: Log, u: Id)
    requires WellFormed(a) && WellFormed(b)
    requires u in Uuids(a) && u in Uuids(b)
    requires Ancestry(a, u) == Ancestry(b, u)
    ensures Root(a, u) == Root(b, u)
  {
    RootBeginsAncestry(a, u);
    RootBeginsAncestry(b, u);
  }

  // --- What is put where ---

  /** What is put after an entry goes right there: the entries are cut behind the anchor, and nothing else changes. */
  lemma PutAfterCutsAtTheAnchor(entries: Log, anchor: Id, more: Log)
    requires UniqueUuids(entries)
    requires anchor in Uuids(entries)
    ensures var k := IndexOf(entries, anchor) + 1; PutAfter(entries, anchor, more) == entries[..k] + more + entries[k..]
    decreases |entries|
  {
    var before, e := entries[..|entries| - 1], entries[|entries| - 1];
    var k := IndexOf(entries, anchor) + 1;
    if e.uuid != anchor {
      UuidsOfLast(entries);
      PutAfterCutsAtTheAnchor(before, anchor, more);
      IndexOfInPrefix(entries, |before|, anchor);
      assert before[..k] == entries[..k] && before[k..] + [e] == entries[k..];
    }
  }

  /** Putting nothing anywhere changes nothing. */
  lemma PuttingNothingChangesNothing(entries: Log, anchor: Id)
    ensures PutAfter(entries, anchor, []) == entries
    decreases |entries|
  {
    if |entries| > 0 && entries[|entries| - 1].uuid != anchor {
      PuttingNothingChangesNothing(entries[..|entries| - 1], anchor);
    }
  }

  /** What is chosen is the log's own entry for each id of the list, in its order. */
  lemma ChosenAreTheListed(log: Log, ids: seq<Id>)
    requires forall v | v in ids :: v in Uuids(log)
    ensures |Chosen(log, ids)| == |ids|
    ensures forall i | 0 <= i < |ids| :: Chosen(log, ids)[i].uuid == ids[i] && Chosen(log, ids)[i] in log
    ensures forall e | e in Chosen(log, ids) :: e in log && e.uuid in ids
    ensures Uuids(Chosen(log, ids)) == Listed(ids)
    ensures Distinct(ids) ==> UniqueUuids(Chosen(log, ids))
  {
    var chosen := Chosen(log, ids);
    forall i | 0 <= i < |ids| ensures chosen[i].uuid == ids[i] && chosen[i] in log {
      assert ids[i] in ids;
    }
    forall v | v in Listed(ids) ensures v in Uuids(chosen) {
      var i :| 0 <= i < |ids| && ids[i] == v;
      assert chosen[i] in chosen;
    }
  }

  /** Entries of another log choose the same, when it has the same entries under these ids. */
  lemma ChosenInKeep(log: Log, ids: set<Id>, list: seq<Id>)
    requires UniqueUuids(log)
    requires forall v | v in list :: v in Uuids(log) && v in ids
    ensures forall v | v in list :: v in Uuids(Keep(log, ids))
    ensures Chosen(Keep(log, ids), list) == Chosen(log, list)
  {
    UuidsOfKeep(log, ids);
    KeepHoldsExactly(log, ids);
    assert forall v | v in list :: v in Uuids(Keep(log, ids));
    forall i | 0 <= i < |list| ensures Chosen(Keep(log, ids), list)[i] == Chosen(log, list)[i] {
      assert list[i] in list;
      SameUuidIsSameEntry(log, Get(Keep(log, ids), list[i]), Get(log, list[i]));
    }
  }

  // --- Crossings ---

  /** The last one of a set is an entry of it, and no later one is; there is none exactly if the log holds none of the set. */
  lemma LastOfIsLast(log: Log, ids: set<Id>)
    requires UniqueUuids(log)
    ensures LastOf(log, ids).None? <==> Uuids(log) !! ids
    ensures LastOf(log, ids).Some? ==>
              forall v | v in Uuids(log) && v in ids :: IndexOf(log, v) <= IndexOf(log, LastOf(log, ids).value)
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      UuidsOfLast(log);
      IndexOfIsPosition(log, |log| - 1);
      if e.uuid !in ids {
        LastOfIsLast(before, ids);
        forall v | v in Uuids(before) ensures IndexOf(before, v) == IndexOf(log, v) {
          IndexOfInPrefix(log, |before|, v);
        }
      }
    }
  }

  /** A smaller set has the same last one, if it has that one; and none where the larger has none. */
  lemma LastOfFewer(log: Log, ids: set<Id>, fewer: set<Id>)
    requires fewer <= ids
    requires LastOf(log, ids).Some? ==> LastOf(log, ids).value in fewer
    ensures LastOf(log, fewer) == LastOf(log, ids)
    decreases |log|
  {
    if |log| > 0 && log[|log| - 1].uuid !in ids {
      LastOfFewer(log[..|log| - 1], ids, fewer);
    }
  }

  /** The last one of a set among what is kept. */
  lemma LastOfKeep(log: Log, ids: set<Id>, some: set<Id>)
    requires some <= ids
    ensures LastOf(Keep(log, ids), some) == LastOf(log, some)
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      LastOfKeep(before, ids, some);
      if e.uuid in ids {
        assert Keep(log, ids)[..|Keep(log, ids)| - 1] == Keep(before, ids);
      }
    }
  }

  /** A list up to an id on it is the list cut behind it. */
  lemma ListedUpToCutsBehind(ids: seq<Id>, p: Id)
    requires p in ids
    ensures 0 < |ListedUpTo(ids, p)| <= |ids|
    ensures ListedUpTo(ids, p) == ids[..|ListedUpTo(ids, p)|]
    ensures ListedUpTo(ids, p)[|ListedUpTo(ids, p)| - 1] == p
    ensures Distinct(ids) ==> Distinct(ListedUpTo(ids, p))
    decreases |ids|
  {
    if ids[|ids| - 1] != p {
      ListedUpToCutsBehind(ids[..|ids| - 1], p);
    }
  }

  /** A boundary that preserves an entry as of some place in the log preserves it in the log. */
  lemma PreservesInPrefix(log: Log, preserved: Preservation, n: nat, b: Id, p: Id)
    requires UniqueUuids(log)
    requires n <= |log|
    requires b in Uuids(log[..n])
    ensures b in Uuids(log)
    ensures Preserves(log[..n], preserved, b, p) <==>
            Preserves(log, preserved, b, p) && preserved[b].anchor in Uuids(log[..n])
  {
    UuidsOfPrefix(log, n);
    if b in preserved && preserved[b].anchor in Uuids(log[..n]) {
      MembersInPrefix(log, n, preserved[b].anchor);
      HeedsInPrefix(log, preserved, preserved, n, Members(log, preserved[b].anchor), b);
    }
  }

  /** What preserves an entry stands behind all that it lists, and not behind its anchor. */
  lemma PreserverStandsBetween(log: Log, preserved: Preservation, b: Id, p: Id)
    requires UniqueUuids(log)
    requires b in Uuids(log) && Preserves(log, preserved, b, p)
    ensures forall v | v in preserved[b].ids :: v in Uuids(log) && IndexOf(log, v) < IndexOf(log, b)
    ensures IndexOf(log, b) <= IndexOf(log, preserved[b].anchor)
  {
    WhatResolvesIsThere(log, b, preserved[b].ids);
    forall v | v in preserved[b].ids ensures IndexOf(log, v) < IndexOf(log, b) {
      LaterIsNotInPrefix(log, IndexOf(log, b), v);
    }
    MembersStandBefore(log, preserved[b].anchor, b);
  }

  /** What a crossing takes to be there: the log holds the boundary, its anchor and all that it lists, the entry at which it goes on
    * among these. */
  lemma IsThereExactly(log: Log, preserved: Preservation, c: Crossing)
    ensures IsThere(log, preserved, c)
       <==> && c.boundary in preserved
            && c.at in Listed(preserved[c.boundary].ids)
            && {c.boundary, preserved[c.boundary].anchor} + Listed(preserved[c.boundary].ids) <= Uuids(log)
  {
    if c.boundary in preserved {
      var ids := preserved[c.boundary].ids;
      assert forall v :: v in Listed(ids) <==> v in ids;
      if {c.boundary, preserved[c.boundary].anchor} + Listed(ids) <= Uuids(log) {
        assert c.boundary in {c.boundary, preserved[c.boundary].anchor} + Listed(ids);
        assert preserved[c.boundary].anchor in {c.boundary, preserved[c.boundary].anchor} + Listed(ids);
        forall v | v in ids ensures v in Uuids(log) {
          assert v in {c.boundary, preserved[c.boundary].anchor} + Listed(ids);
        }
      }
    }
  }

  /** What is crossed: the boundary preserves the entry, stands behind all that it lists and not behind its anchor, which stands
    * before the entry that crosses; and the entry at which the conversation goes on belongs to the conversation. */
  lemma WhatIsCrossed(log: Log, preserved: Preservation, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires Crossed(log, preserved, u).Some?
    ensures var c := Crossed(log, preserved, u).value;
            && IsThere(log, preserved, c)
            && Preserves(log, preserved, c.boundary, c.at)
            && (forall v | v in preserved[c.boundary].ids :: IndexOf(log, v) < IndexOf(log, c.boundary))
            && IndexOf(log, c.boundary) <= IndexOf(log, preserved[c.boundary].anchor) < IndexOf(log, u)
            && c.at in Members(log, u) && Members(log, c.at) <= Members(log, u)
  {
    WhatIsCrossedIsThere(log, preserved, u);
    WhatIsCrossedAsOf(log, preserved, u);
    var c := Crossed(log, preserved, u).value;
    PreserverStandsBetween(log, preserved, c.boundary, c.at);
    MembersOfMember(log, u, c.at);
  }

  /** The part of `WhatIsCrossed` that is by recursion. */
  lemma WhatIsCrossedAsOf(log: Log, preserved: Preservation, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires Crossed(log, preserved, u).Some?
    ensures var c := Crossed(log, preserved, u).value;
            && c.boundary in Uuids(log)
            && Preserves(log, preserved, c.boundary, c.at)
            && IndexOf(log, preserved[c.boundary].anchor) < IndexOf(log, u)
            && c.at in Members(log, u)
    decreases |log|
  {
    var e, before, n := log[|log| - 1], log[..|log| - 1], |log| - 1;
    var c := Crossed(log, preserved, u).value;
    IndexOfIsPosition(log, n);
    UuidsOfLast(log);
    if e.uuid != u {
      WhatIsCrossedAsOf(before, preserved, u);
      MembersInPrefix(log, n, u);
      IndexOfInPrefix(log, n, u);
    } else {
      var p := e.parent.value;
      ParentIsMember(log, e);
      if LastOf(before, Preservers(before, preserved, p)).None? {
        WhatIsCrossedAsOf(before, preserved, p);
        MembersInPrefix(log, n, p);
        MembersOfMember(log, u, p);
      }
    }
    PreservesInPrefix(log, preserved, n, c.boundary, c.at);
    IndexOfInPrefix(log, n, preserved[c.boundary].anchor);
  }

  /** What an entry crosses is decided by what stands before it. */
  lemma CrossedAsOf(log: Log, preserved: Preservation, n: nat, u: Id)
    requires UniqueUuids(log)
    requires n <= |log|
    requires u in Uuids(log[..n])
    ensures u in Uuids(log)
    ensures Crossed(log[..n], preserved, u) == Crossed(log, preserved, u)
    decreases |log|
  {
    hide Preservers, LastOf;
    UuidsOfPrefix(log, n);
    if n < |log| {
      var before := log[..|log| - 1];
      assert before[..n] == log[..n];
      UuidsOfPrefix(before, n);
      LaterIsNotInPrefix(log, |log| - 1, u);
      CrossedAsOf(before, preserved, n, u);
      assert log[|log| - 1].uuid != u by {
        IndexOfIsPosition(log, |log| - 1);
      }
    } else {
      assert log[..n] == log;
    }
  }

  /** The last one of a set that stands in a prefix. */
  lemma LastOfPrefix(log: Log, n: nat, ids: set<Id>)
    requires UniqueUuids(log)
    requires n <= |log|
    requires Uuids(log) * ids <= Uuids(log[..n])
    ensures LastOf(log, ids) == LastOf(log[..n], ids)
    decreases |log|
  {
    if n < |log| {
      var before, e := log[..|log| - 1], log[|log| - 1];
      assert before[..n] == log[..n];
      UuidsOfLast(log);
      IndexOfIsPosition(log, |log| - 1);
      LaterIsNotInPrefix(log, n, e.uuid);
      LastOfPrefix(before, n, ids);
    } else {
      assert log[..n] == log;
    }
  }

  /** A boundary preserves the parent of an entry, and its anchor stands before the entry, so the boundary does: said of the
    * whole log. */
  ghost predicate Crosses(log: Log, preserved: Preservation, b: Id, e: Id)
    requires b in Uuids(log) && e in Uuids(log)
  {
    && Get(log, e).parent.Some?
    && Preserves(log, preserved, b, Get(log, e).parent.value)
    && IndexOf(log, preserved[b].anchor) < IndexOf(log, e)
  }

  /** The boundaries that an entry crosses by itself. */
  ghost function Crossers(log: Log, preserved: Preservation, e: Id): set<Id>
    requires e in Uuids(log)
  {
    set b | b in Uuids(log) && Crosses(log, preserved, b, e)
  }

  /** What is crossed, said of the whole log: the last boundary that the entry crosses by itself, or what its parent crosses. */
  lemma CrossedUnfolds(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var parent, last := Get(log, u).parent, LastOf(log, Crossers(log, preserved, u));
            && (parent.None? ==> Crossed(log, preserved, u).None?)
            && (parent.Some? ==>
                  && parent.value in Uuids(log)
                  && Crossed(log, preserved, u) ==
                     if last.Some? then Some(Crossing(last.value, parent.value)) else Crossed(log, preserved, parent.value))
  {
    hide WellFormed, UniqueUuids, LastOf, Crossers, Preservers;
    var n := IndexOf(log, u);
    WellFormedHasUniqueUuids(log);
    AsOfIsWellFormed(log, u);
    AsOfHoldsExactly(log, u, u);
    CrossedAsOf(log, preserved, n + 1, u);
    var asOf := log[..n + 1];
    assert asOf[|asOf| - 1] == Get(log, u) && asOf[..|asOf| - 1] == log[..n];
    if Get(log, u).parent.Some? {
      var p := Get(log, u).parent.value;
      ParentStandsBefore(log, u);
      LaterIsNotInPrefix(log, n, p);
      CrossersAreThePreserversBefore(log, preserved, u);
      UuidsOfPrefix(log, n);
      assert Preservers(log[..n], preserved, p) <= Uuids(log[..n]) by {
        reveal Preservers;
      }
      LastOfPrefix(log, n, Crossers(log, preserved, u));
      CrossedAsOf(log, preserved, n, p);
    }
  }

  /** The boundaries that an entry crosses by itself are those that preserve its parent as of what stands before the entry. */
  lemma CrossersAreThePreserversBefore(log: Log, preserved: Preservation, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires Get(log, u).parent.Some?
    ensures Crossers(log, preserved, u) == Preservers(log[..IndexOf(log, u)], preserved, Get(log, u).parent.value)
  {
    hide UniqueUuids, Preserves, IndexOf;
    var n, p := IndexOf(log, u), Get(log, u).parent.value;
    UuidsOfPrefix(log, n);
    forall b | b in Uuids(log) ensures b in Crossers(log, preserved, u) <==> b in Preservers(log[..n], preserved, p) {
      if b in Uuids(log[..n]) {
        PreservesInPrefix(log, preserved, n, b, p);
      }
      if Preserves(log, preserved, b, p) {
        PreserverStandsBetween(log, preserved, b, p);
        assert preserved[b].anchor in Uuids(log) by {
          reveal Preserves;
        }
        LaterIsNotInPrefix(log, n, preserved[b].anchor);
        LaterIsNotInPrefix(log, n, b);
      }
    }
  }

  /** Of the entries of a way no later one crosses anything, and the boundary is the last that the entry at `i` crosses; the
    * one before it is where the conversation goes on. */
  ghost predicate CrossesLast(log: Log, preserved: Preservation, way: Log, i: nat, c: Crossing)
  {
    && 0 < i < |way|
    && (forall a | a in way :: a.uuid in Uuids(log))
    && c.at == way[i - 1].uuid
    && c.boundary in Uuids(log)
    && Crosses(log, preserved, c.boundary, way[i].uuid)
    && (forall b | b in Uuids(log) && Crosses(log, preserved, b, way[i].uuid) :: IndexOf(log, b) <= IndexOf(log, c.boundary))
    && (forall j, b | i < j < |way| && b in Uuids(log) :: !Crosses(log, preserved, b, way[j].uuid))
  }

  /** What is crossed last on a way is so on the way with one entry more that crosses nothing. */
  lemma CrossesLastFurther(log: Log, preserved: Preservation, way: Log, e: Entry, i: nat, c: Crossing)
    requires CrossesLast(log, preserved, way, i, c)
    requires e.uuid in Uuids(log) && forall b | b in Uuids(log) :: !Crosses(log, preserved, b, e.uuid)
    ensures CrossesLast(log, preserved, way + [e], i, c)
  {
    hide Crosses;
    var further := way + [e];
    assert further[i] == way[i] && further[i - 1] == way[i - 1];
  }

  /** What the last entry of a way crosses by itself is crossed last. */
  lemma CrossesLastHere(log: Log, preserved: Preservation, way: Log, i: nat)
    requires UniqueUuids(log)
    requires 0 < i == |way| - 1
    requires forall a | a in way :: a.uuid in Uuids(log)
    ensures var last := LastOf(log, Crossers(log, preserved, way[i].uuid));
            last.Some? ==> CrossesLast(log, preserved, way, i, Crossing(last.value, way[i - 1].uuid))
  {
    hide Crosses, LastOf, UniqueUuids;
    LastOfIsLast(log, Crossers(log, preserved, way[i].uuid));
  }

  /** Nothing is crossed exactly if no entry of the ancestry crosses anything by itself; and what is crossed is, of the last
    * entry of the ancestry that does, the last boundary, at the parent of that entry. */
  lemma CrossedIsTheLast(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var way, crossed := Ancestry(log, u), Crossed(log, preserved, u);
            && (forall a | a in way :: a.uuid in Uuids(log))
            && (crossed.None? <==> forall a, b | a in way && b in Uuids(log) :: !Crosses(log, preserved, b, a.uuid))
            && (crossed.Some? ==> exists i :: CrossesLast(log, preserved, way, i, crossed.value))
    decreases IndexOf(log, u), 1
  {
    hide WellFormed, UniqueUuids, LastOf, Crosses, CrossesLast, Ancestry, Crossed;
    var way, crossed := Ancestry(log, u), Crossed(log, preserved, u);
    WellFormedHasUniqueUuids(log);
    CrossedUnfolds(log, preserved, u);
    AncestryUnfolds(log, u);
    LastOfIsLast(log, Crossers(log, preserved, u));
    if Get(log, u).parent.None? {
      assert forall b | b in Uuids(log) :: !Crosses(log, preserved, b, u) by {
        reveal Crosses;
      }
    } else {
      CrossedIsTheLastBelow(log, preserved, u);
    }
  }

  /** The part of `CrossedIsTheLast` that is by recursion. */
  lemma CrossedIsTheLastBelow(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log) && Get(log, u).parent.Some?
    ensures var way, crossed := Ancestry(log, u), Crossed(log, preserved, u);
            && (forall a | a in way :: a.uuid in Uuids(log))
            && (crossed.None? <==> forall a, b | a in way && b in Uuids(log) :: !Crosses(log, preserved, b, a.uuid))
            && (crossed.Some? ==> exists i :: CrossesLast(log, preserved, way, i, crossed.value))
    decreases IndexOf(log, u), 0
  {
    hide WellFormed, UniqueUuids, LastOf, Crosses, CrossesLast, Ancestry, Crossed;
    var e, crossed := Get(log, u), Crossed(log, preserved, u);
    var p := e.parent.value;
    WellFormedHasUniqueUuids(log);
    CrossedUnfolds(log, preserved, u);
    AncestryUnfolds(log, u);
    ParentStandsBefore(log, u);
    CrossedIsTheLast(log, preserved, p);
    AncestryEndsInItself(log, p);
    LastOfIsLast(log, Crossers(log, preserved, u));
    var above := Ancestry(log, p);
    assert (above + [e])[|above|] == e;
    if LastOf(log, Crossers(log, preserved, u)).None? {
      assert forall b | b in Uuids(log) :: b !in Crossers(log, preserved, u);
      if crossed.Some? {
        var k :| CrossesLast(log, preserved, above, k, crossed.value);
        CrossesLastFurther(log, preserved, above, e, k, crossed.value);
      }
    } else {
      CrossesLastHere(log, preserved, above + [e], |above|);
      assert Crosses(log, preserved, crossed.value.boundary, e.uuid);
      assert e in above + [e];
    }
  }

  /** A parent that stands before its child belongs to the conversation at the child. */
  lemma ParentIsMember(log: Log, e: Entry)
    requires UniqueUuids(log)
    requires |log| > 0 && e == log[|log| - 1]
    requires e.parent.Some? && e.parent.value in Uuids(log[..|log| - 1])
    ensures e.uuid in Uuids(log)
    ensures e.parent.value in Members(log, e.uuid)
  {
    var p := Get(log[..|log| - 1], e.parent.value);
    IndexOfIsPosition(log, |log| - 1);
    assert AsOf(log, e.uuid) == log;
    assert p in log;
    MembersContainsItself(log, e.uuid);
    WhatMembersNeedIsMember(log, e.uuid, e, p);
  }

  /** Where no root of the log preserves anything, nothing is crossed. */
  lemma NothingPreservedNothingCrossed(log: Log, preserved: Preservation, u: Id)
    requires u in Uuids(log)
    requires forall e | e in log && e.parent.None? :: e.uuid !in preserved
    ensures Crossed(log, preserved, u).None?
    decreases |log|
  {
    var e, before := log[|log| - 1], log[..|log| - 1];
    if e.uuid != u {
      NothingPreservedNothingCrossed(before, preserved, u);
    } else if e.parent.Some? && e.parent.value in Uuids(before) {
      assert forall b | b in Uuids(before) :: Get(before, b) in before && Get(before, b).uuid == b;
      assert Preservers(before, preserved, e.parent.value) == {};
      NothingPreservedNothingCrossed(before, preserved, e.parent.value);
    }
  }

  // --- Rendered ---

  /** Where no boundary is crossed and nothing is sent again the rendered conversation is the context. */
  lemma RenderedIsContextWhereNothingIsResent(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Crossed(log, preserved, u).None?
    requires Resent(log, preserved, u).None? || Resent(log, preserved, u).value.ids == []
    ensures Rendered(log, preserved, u) == Context(log, u)
  {
    if Resent(log, preserved, u).Some? {
      var p := Resent(log, preserved, u).value;
      assert Members(log, u) - Listed([]) == Members(log, u);
      assert Chosen(log, p.ids) == [];
      PuttingNothingChangesNothing(Context(log, u), p.anchor);
    }
  }

  /** Where no root of the log preserves anything, no boundary is crossed and nothing is sent again. */
  lemma NothingPreservedNothingResent(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires forall e | e in log && e.parent.None? :: e.uuid !in preserved
    ensures Crossed(log, preserved, u).None?
    ensures Resent(log, preserved, u).None?
    ensures Rendered(log, preserved, u) == Context(log, u)
    ensures Reaches(log, preserved, u) == {}
    ensures Kept(log, preserved, u) == Members(log, u)
    ensures ForkKept(log, preserved, u) == Fork(log, u)
  {
    NothingPreservedNothingCrossed(log, preserved, u);
    assert Get(log, Root(log, u)) in log;
    assert forall b | b in Uuids(log) :: Get(log, b) in log && Get(log, b).uuid == b;
  }

  /** What is sent again stands before the conversation's root, is not the conversation's own entry, and the anchor stays. */
  lemma ResentStandsBefore(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Resent(log, preserved, u).Some?
    ensures var p := Resent(log, preserved, u).value;
            && Distinct(p.ids)
            && (forall v | v in p.ids :: v in Uuids(log) && IndexOf(log, v) < IndexOf(log, Root(log, u)) <= IndexOf(log, u))
            && u !in p.ids
            && Root(log, u) !in p.ids
            && p.anchor in Members(log, u) - Listed(p.ids)
  {
    var p, b := Resent(log, preserved, u).value, Root(log, u);
    RootIsFirstOfAncestry(log, u);
    WellFormedHasUniqueUuids(log);
    WhatResolvesIsThere(log, b, p.ids);
    forall v | v in p.ids ensures IndexOf(log, v) < IndexOf(log, b) {
      LaterIsNotInPrefix(log, IndexOf(log, b), v);
    }
  }

  /** A rendered conversation that crosses no boundary, with something sent again, is the rest of the context, cut behind the
    * anchor, and in the cut what is preserved, each entry the log's own, in the order in which it is listed. */
  lemma RenderedIsRestWithPreservedAfterAnchor(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Crossed(log, preserved, u).None?
    requires Resent(log, preserved, u).Some?
    ensures var p := Resent(log, preserved, u).value;
            var rest := Keep(log, Members(log, u) - Listed(p.ids));
            && (forall v | v in p.ids :: v in Uuids(log))
            && UniqueUuids(rest)
            && p.anchor in Uuids(rest)
            && (var k := IndexOf(rest, p.anchor) + 1;
                Rendered(log, preserved, u) == rest[..k] + Chosen(log, p.ids) + rest[k..])
            && (Members(log, u) !! Listed(p.ids) ==> rest == Context(log, u))
  {
    var p := Resent(log, preserved, u).value;
    var ids := Members(log, u) - Listed(p.ids);
    var rest := Keep(log, ids);
    ResentStandsBefore(log, preserved, u);
    WellFormedHasUniqueUuids(log);
    KeepIsUnique(log, ids);
    UuidsOfKeep(log, ids);
    MembersAreAsOf(log, u);
    PutAfterCutsAtTheAnchor(rest, p.anchor, Chosen(log, p.ids));
    if Members(log, u) !! Listed(p.ids) {
      assert ids == Members(log, u);
    }
  }

  /** A rendered conversation that crosses a boundary is the rest of the conversation at the anchor; the list up to the entry at
    * which the conversation goes on, and this one last; and what the conversation has beyond the one there. The first is the
    * context at the anchor, unless something that is sent again belongs to it. */
  lemma RenderedIsSentAcross(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Crossed(log, preserved, u).Some?
    ensures var c := Crossed(log, preserved, u).value;
            && IsThere(log, preserved, c)
            && (var ids, anchor, again := preserved[c.boundary].ids, preserved[c.boundary].anchor, Again(preserved, c);
                && 0 < |again| <= |ids| && again == ids[..|again|] && again[|again| - 1] == c.at
                && Rendered(log, preserved, u) ==
                   Keep(log, Members(log, anchor) - Listed(again))
                   + Chosen(log, again)
                   + Keep(log, Members(log, u) - Members(log, c.at) - Listed(again) - Members(log, anchor))
                && (Members(log, anchor) !! Listed(again) ==>
                      Keep(log, Members(log, anchor) - Listed(again)) == Context(log, anchor)))
  {
    WellFormedHasUniqueUuids(log);
    WhatIsCrossed(log, preserved, u);
    var c := Crossed(log, preserved, u).value;
    ListedUpToCutsBehind(preserved[c.boundary].ids, c.at);
    if Members(log, preserved[c.boundary].anchor) !! Listed(Again(preserved, c)) {
      assert Members(log, preserved[c.boundary].anchor) - Listed(Again(preserved, c)) == Members(log, preserved[c.boundary].anchor);
    }
  }

  /** Nothing is lost and nothing comes twice: a rendered conversation holds the members and what is sent again; or, across
    * a boundary, the members of the conversation at the anchor, what is sent again, and the members beyond the conversation
    * at which it goes on; each once and each the log's own entry. */
  lemma RenderedHoldsExactly(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var crossed, again := Crossed(log, preserved, u), Resent(log, preserved, u);
            && (crossed.None? ==>
                  Uuids(Rendered(log, preserved, u)) == Members(log, u) + (if again.Some? then Listed(again.value.ids) else {}))
            && (crossed.Some? ==>
                  && IsThere(log, preserved, crossed.value)
                  && Uuids(Rendered(log, preserved, u)) ==
                     Members(log, preserved[crossed.value.boundary].anchor) + Listed(Again(preserved, crossed.value))
                     + (Members(log, u) - Members(log, crossed.value.at)))
    ensures UniqueUuids(Rendered(log, preserved, u))
    ensures forall e | e in Rendered(log, preserved, u) :: e in log
  {
    hide WellFormed, UniqueUuids, Uuids, Members, Context, Rendered, Resent, Crossed;
    if Crossed(log, preserved, u).Some? {
      RenderedHoldsExactlyAcross(log, preserved, u);
    } else if Resent(log, preserved, u).Some? {
      RenderedHoldsExactlyWhereResent(log, preserved, u);
    } else {
      WellFormedHasUniqueUuids(log);
      ContextHoldsExactlyTheMembers(log, u);
      ContextIsInLogOrder(log, u);
      RenderedIsContextWhereNothingIsResent(log, preserved, u);
    }
  }

  /** The part of `RenderedHoldsExactly` about what is sent across a boundary. */
  lemma RenderedHoldsExactlyAcross(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Crossed(log, preserved, u).Some?
    ensures var c := Crossed(log, preserved, u).value;
            && IsThere(log, preserved, c)
            && Uuids(Rendered(log, preserved, u)) ==
               Members(log, preserved[c.boundary].anchor) + Listed(Again(preserved, c)) + (Members(log, u) - Members(log, c.at))
    ensures UniqueUuids(Rendered(log, preserved, u))
    ensures forall e | e in Rendered(log, preserved, u) :: e in log
  {
    hide WellFormed, UniqueUuids, Uuids, Members, Rendered, Crossed, Keep, Chosen, Listed, Distinct, IndexOf, ListedUpTo;
    var c := Crossed(log, preserved, u).value;
    WellFormedHasUniqueUuids(log);
    WhatIsCrossed(log, preserved, u);
    RenderedIsSentAcross(log, preserved, u);
    var again := Again(preserved, c);
    ListedUpToCutsBehind(preserved[c.boundary].ids, c.at);
    ChosenAreTheListed(log, again);
    MembersAreAsOf(log, u);
    MembersAreAsOf(log, preserved[c.boundary].anchor);
    var first := Members(log, preserved[c.boundary].anchor) - Listed(again);
    var last := Members(log, u) - Members(log, c.at) - Listed(again) - Members(log, preserved[c.boundary].anchor);
    TwoKeptBesideEachOther(log, first, last);
    InsertedHoldsExactly(Keep(log, first), Chosen(log, again), Keep(log, last));
  }

  /** What is kept for two sets without a common id, one after the other. */
  lemma TwoKeptBesideEachOther(log: Log, a: set<Id>, b: set<Id>)
    requires UniqueUuids(log)
    requires a <= Uuids(log) && b <= Uuids(log)
    requires a !! b
    ensures Uuids(Keep(log, a) + Keep(log, b)) == a + b
    ensures UniqueUuids(Keep(log, a) + Keep(log, b))
    ensures forall e | e in Keep(log, a) + Keep(log, b) :: e in log
  {
    hide Keep;
    UuidsOfKeep(log, a);
    UuidsOfKeep(log, b);
    KeepHoldsExactly(log, a);
    KeepHoldsExactly(log, b);
    KeepIsUnique(log, a);
    KeepIsUnique(log, b);
    UuidsOfConcatenation(Keep(log, a), Keep(log, b));
    var both, n := Keep(log, a) + Keep(log, b), |Keep(log, a)|;
    forall i, j | 0 <= i < j < |both| ensures both[i].uuid != both[j].uuid {
      if i < n <= j {
        assert both[i] in Keep(log, a) && both[j] in Keep(log, b);
        assert both[i].uuid in Uuids(Keep(log, a)) && both[j].uuid in Uuids(Keep(log, b));
      }
    }
  }

  /** The part of `RenderedHoldsExactly` about what is sent again from the root. */
  lemma RenderedHoldsExactlyWhereResent(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Crossed(log, preserved, u).None?
    requires Resent(log, preserved, u).Some?
    ensures Uuids(Rendered(log, preserved, u)) == Members(log, u) + Listed(Resent(log, preserved, u).value.ids)
    ensures UniqueUuids(Rendered(log, preserved, u))
    ensures forall e | e in Rendered(log, preserved, u) :: e in log
  {
    hide WellFormed, UniqueUuids, Uuids, Members, Rendered, Resent, Keep, Chosen, Listed, Distinct, IndexOf;
    var p := Resent(log, preserved, u).value;
    var ids := Members(log, u) - Listed(p.ids);
    var rest := Keep(log, ids);
    ResentStandsBefore(log, preserved, u);
    RenderedIsRestWithPreservedAfterAnchor(log, preserved, u);
    ChosenAreTheListed(log, p.ids);
    KeepHoldsExactly(log, ids);
    UuidsOfKeep(log, ids);
    MembersAreAsOf(log, u);
    assert Uuids(log) * ids == ids;
    var k := IndexOf(rest, p.anchor) + 1;
    assert rest == rest[..k] + rest[k..];
    InsertedHoldsExactly(rest[..k], Chosen(log, p.ids), rest[k..]);
  }

  /** Entries put into others, with no uuid in common, add theirs and repeat none. */
  lemma InsertedHoldsExactly(first: Log, more: Log, last: Log)
    requires UniqueUuids(first + last)
    requires UniqueUuids(more)
    requires Uuids(first + last) !! Uuids(more)
    ensures Uuids(first + more + last) == Uuids(first + last) + Uuids(more)
    ensures UniqueUuids(first + more + last)
    ensures forall e :: e in first + more + last <==> e in first + last || e in more
  {
    var all, rest, n := first + more + last, first + last, |first|;
    UuidsOfConcatenation(first, more);
    UuidsOfConcatenation(first + more, last);
    UuidsOfConcatenation(first, last);
    forall i, j | 0 <= i < j < |all| ensures all[i].uuid != all[j].uuid {
      InsertedStandsWhere(first, more, last, i);
      InsertedStandsWhere(first, more, last, j);
    }
  }

  /** Where an entry stands when others have been put in. */
  lemma InsertedStandsWhere(first: Log, more: Log, last: Log, i: nat)
    requires i < |first + more + last|
    ensures var e, n, m := (first + more + last)[i], |first|, |more|;
            if i < n then e == (first + last)[i] && e.uuid in Uuids(first + last)
            else if i < n + m then e == more[i - n] && e.uuid in Uuids(more)
            else e == (first + last)[i - m] && e.uuid in Uuids(first + last)
  {
    var e, n, m := (first + more + last)[i], |first|, |more|;
    if i < n {
      assert (first + last)[i] in first + last;
    } else if i < n + m {
      assert more[i - n] in more;
    } else {
      assert (first + last)[i - m] in first + last;
    }
  }

  /** A rendered conversation ends in the entry that it is of; or, where it crosses no boundary and the entry is the anchor
    * itself, in what is sent again. */
  lemma RenderedEndsIn(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var crossed, again, rendered := Crossed(log, preserved, u), Resent(log, preserved, u), Rendered(log, preserved, u);
            && |rendered| > 0
            && (crossed.Some? || again.None? || again.value.anchor != u ==> rendered[|rendered| - 1] == Get(log, u))
            && (crossed.None? && again.Some? && again.value.anchor == u ==>
                  && (forall v | v in again.value.ids :: v in Uuids(log))
                  && rendered == Keep(log, Members(log, u) - Listed(again.value.ids)) + Chosen(log, again.value.ids))
  {
    hide WellFormed, UniqueUuids, Members, Resent, Chosen, Heeds, Crossed;
    WellFormedHasUniqueUuids(log);
    ContextEndsIn(log, u);
    if Crossed(log, preserved, u).Some? {
      RenderedEndsAcross(log, preserved, u);
    } else if Resent(log, preserved, u).Some? {
      var p := Resent(log, preserved, u).value;
      var ids := Members(log, u) - Listed(p.ids);
      var rest := Keep(log, ids);
      RenderedIsRestWithPreservedAfterAnchor(log, preserved, u);
      ResentStandsBefore(log, preserved, u);
      MembersContainsItself(log, u);
      KeptMembersEndIn(log, u, ids);
      if p.anchor == u {
        IndexOfIsPosition(rest, |rest| - 1);
      } else {
        assert IndexOf(rest, p.anchor) != |rest| - 1;
      }
    }
  }

  /** The part of `RenderedEndsIn` about what is sent across a boundary. */
  lemma RenderedEndsAcross(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Crossed(log, preserved, u).Some?
    ensures |Rendered(log, preserved, u)| > 0
    ensures Rendered(log, preserved, u)[|Rendered(log, preserved, u)| - 1] == Get(log, u)
  {
    hide WellFormed, UniqueUuids, Members, Chosen, Crossed, Keep, ListedUpTo;
    var c := Crossed(log, preserved, u).value;
    WellFormedHasUniqueUuids(log);
    WhatIsCrossed(log, preserved, u);
    RenderedIsSentAcross(log, preserved, u);
    var anchor, again := preserved[c.boundary].anchor, Again(preserved, c);
    MembersContainsItself(log, u);
    if u in Members(log, c.at) {
      MembersStandBefore(log, c.at, u);
    }
    if u in Members(log, anchor) {
      MembersStandBefore(log, anchor, u);
    }
    KeptMembersEndIn(log, u, Members(log, u) - Members(log, c.at) - Listed(again) - Members(log, anchor));
  }

  /** Some of the members of a conversation, the entry that it is of among them, end in this one. */
  lemma KeptMembersEndIn(log: Log, u: Id, ids: set<Id>)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires u in ids && ids <= Members(log, u)
    ensures |Keep(log, ids)| > 0 && Keep(log, ids)[|Keep(log, ids)| - 1] == Get(log, u)
  {
    hide UniqueUuids, Members;
    MembersAreAsOf(log, u);
    KeepFromPrefix(log, IndexOf(log, u) + 1, ids);
  }

  // --- What is kept ---

  /** What is reached stands in the log. */
  lemma WhatIsReachedIsThere(log: Log, preserved: Preservation, u: Id)
    requires u in Uuids(log)
    ensures Reaches(log, preserved, u) <= Uuids(log)
  {
    hide Crossed, Heeds, Members;
    WhatIsCrossedIsThere(log, preserved, u);
  }

  /** What is reached stands before the entry: what a boundary in the conversation preserves, as far as it is heeded, before the
    * boundary; what a boundary that is crossed preserves before this one, and its anchor before the entry. */
  lemma ReachedStandsBefore(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Reaches(log, preserved, u)
    ensures v in Uuids(log) && IndexOf(log, v) < IndexOf(log, u)
    ensures v in ReachesWithin(log, preserved, u) ==> exists b | b in Uuids(log) ::
                && Heeds(log, preserved, Members(log, u), b)
                && v in preserved[b].ids
                && IndexOf(log, v) < IndexOf(log, b) <= IndexOf(log, u)
    ensures v in ReachesAcross(log, preserved, u) ==>
              && Crossed(log, preserved, u).Some?
              && IsThere(log, preserved, Crossed(log, preserved, u).value)
              && (var p := preserved[Crossed(log, preserved, u).value.boundary];
                  && v in Listed(p.ids) + {p.anchor}
                  && IndexOf(log, v) <= IndexOf(log, p.anchor) < IndexOf(log, u))
  {
    hide Crossed, Members;
    if v in ReachesWithin(log, preserved, u) {
      var b :| b in Uuids(log) && Heeds(log, preserved, Members(log, u), b) && v in preserved[b].ids;
      LaterIsNotInPrefix(log, IndexOf(log, b), v);
      MembersStandBefore(log, u, b);
    }
    if v in ReachesAcross(log, preserved, u) {
      WhatIsCrossed(log, preserved, u);
    }
  }

  /** What is kept, in one definition: the least set that contains the conversation at `u` and the conversation at each
    * entry that it reaches. */
  lemma KeptIsLeast(log: Log, preserved: Preservation, u: Id, s: set<Id>)
    requires u in Uuids(log)
    ensures Members(log, u) <= Kept(log, preserved, u)
    ensures forall v | v in Uuids(log) && v in Reaches(log, preserved, u) :: Members(log, v) <= Kept(log, preserved, u)
    ensures Members(log, u) <= s && (forall v | v in Uuids(log) && v in Reaches(log, preserved, u) :: Members(log, v) <= s)
            ==> Kept(log, preserved, u) <= s
  {
  }

  /** What is kept holds what is sent, and the ancestry of each entry of it. */
  lemma KeptHoldsWhatIsSent(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Uuids(Rendered(log, preserved, u)) <= Kept(log, preserved, u)
    ensures Reaches(log, preserved, u) <= Kept(log, preserved, u)
    ensures forall v | v in Uuids(log) && v in Kept(log, preserved, u) :: Uuids(Ancestry(log, v)) <= Kept(log, preserved, u)
  {
    hide Crossed, Rendered, Members, Ancestry, Resent, Reaches;
    WhatIsReachedIsThere(log, preserved, u);
    forall v | v in Reaches(log, preserved, u) ensures v in Kept(log, preserved, u) {
      MembersContainsItself(log, v);
    }
    RenderedHoldsExactly(log, preserved, u);
    if Crossed(log, preserved, u).Some? {
      var c := Crossed(log, preserved, u).value;
      CrossedIsReached(log, preserved, u);
      KeptIsLeast(log, preserved, u, {});
    } else if Resent(log, preserved, u).Some? {
      ResentIsReached(log, preserved, u);
    }
    forall v | v in Uuids(log) && v in Kept(log, preserved, u) ensures Uuids(Ancestry(log, v)) <= Kept(log, preserved, u) {
      WellFormedHasUniqueUuids(log);
      KeptHoldsConversations(log, preserved, u, v);
      MembersContainsItself(log, v);
      ContextHoldsAncestry(log, v, v);
    }
  }

  /** What is sent again from the root is reached. */
  lemma ResentIsReached(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Resent(log, preserved, u).Some?
    ensures Listed(Resent(log, preserved, u).value.ids) <= ReachesWithin(log, preserved, u) <= Reaches(log, preserved, u)
  {
    hide Crossed;
    ResentStandsBefore(log, preserved, u);
    forall v | v in Resent(log, preserved, u).value.ids ensures v in ReachesWithin(log, preserved, u) {
    }
  }

  /** What a boundary that is crossed preserves is reached, and its anchor. */
  lemma CrossedIsReached(log: Log, preserved: Preservation, u: Id)
    requires u in Uuids(log)
    requires Crossed(log, preserved, u).Some?
    ensures var c := Crossed(log, preserved, u).value;
            && IsThere(log, preserved, c)
            && Listed(preserved[c.boundary].ids) + {preserved[c.boundary].anchor}
            == ReachesAcross(log, preserved, u) <= Reaches(log, preserved, u)
  {
    WhatIsCrossedIsThere(log, preserved, u);
  }

  /** With each entry that is kept its whole conversation is kept. */
  lemma KeptHoldsConversations(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u)
    ensures v in Uuids(log)
    ensures Members(log, v) <= Kept(log, preserved, u)
  {
    if v in Members(log, u) {
      MembersOfMember(log, u, v);
    } else {
      var w :| w in Uuids(log) && w in Reaches(log, preserved, u) && v in Members(log, w);
      MembersOfMember(log, w, v);
      assert Members(log, w) <= Kept(log, preserved, u);
    }
  }

  /** What is kept stands at the fork point or before it. What of it is not the conversation's own stands before a boundary
    * of the conversation, or not behind the anchor of the one that is crossed. */
  lemma KeptStandsBefore(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u)
    ensures v in Uuids(log)
    ensures IndexOf(log, v) <= IndexOf(log, u)
    ensures Crossed(log, preserved, u).Some? ==> IsThere(log, preserved, Crossed(log, preserved, u).value)
    ensures v in Members(log, u) || v in Conversations(log, ReachesWithin(log, preserved, u))
            || v in Conversations(log, ReachesAcross(log, preserved, u))
    ensures v in Conversations(log, ReachesWithin(log, preserved, u)) ==> exists b | b in Uuids(log) ::
                Heeds(log, preserved, Members(log, u), b) && IndexOf(log, v) < IndexOf(log, b) <= IndexOf(log, u)
    ensures v in Conversations(log, ReachesAcross(log, preserved, u)) ==>
              && Crossed(log, preserved, u).Some?
              && IndexOf(log, v) <= IndexOf(log, preserved[Crossed(log, preserved, u).value.boundary].anchor) < IndexOf(log, u)
  {
    hide Crossed, Members, ReachesWithin, ReachesAcross, Heeds;
    WhatIsCrossedIsThere(log, preserved, u);
    KeptHoldsConversations(log, preserved, u, v);
    if v in Members(log, u) {
      MembersStandBefore(log, u, v);
    }
    if v in Conversations(log, ReachesWithin(log, preserved, u)) {
      var w :| w in Uuids(log) && w in ReachesWithin(log, preserved, u) && v in Members(log, w);
      MembersStandBefore(log, w, v);
      ReachedStandsBefore(log, preserved, u, w);
    }
    if v in Conversations(log, ReachesAcross(log, preserved, u)) {
      var w :| w in Uuids(log) && w in ReachesAcross(log, preserved, u) && v in Members(log, w);
      MembersStandBefore(log, w, v);
      ReachedStandsBefore(log, preserved, u, w);
    }
  }

  /** The conversations at some ids. */
  ghost function Conversations(log: Log, ids: set<Id>): set<Id> {
    set v, w | v in Uuids(log) && v in ids && w in Members(log, v) :: w
  }

  /** A set of entries with the whole conversation of each of them. */
  ghost predicate HoldsConversations(log: Log, ids: set<Id>) {
    && ids <= Uuids(log)
    && (forall v | v in Uuids(log) && v in ids :: Members(log, v) <= ids)
  }

  /** What is kept is such a set. */
  lemma KeptIsWhole(log: Log, preserved: Preservation, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures HoldsConversations(log, Kept(log, preserved, u))
  {
    forall v | v in Kept(log, preserved, u) ensures v in Uuids(log) && Members(log, v) <= Kept(log, preserved, u) {
      KeptHoldsConversations(log, preserved, u, v);
    }
  }

  /** The root of the ancestry of `u` is the only root in the conversation. */
  predicate OneRoot(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    forall r | r in Uuids(log) && r in Members(log, u) && Get(log, r).parent.None? :: r == Root(log, u)
  }

  /** Where no boundary is crossed and the conversation has one root, that root is the last one of what is kept; where one
    * is crossed and the conversation at its anchor has one root too, that boundary is: so it is the last root of the fork's
    * file. */
  lemma LastRootOfTheFork(log: Log, preserved: Preservation, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log) && OneRoot(log, u)
    requires v in Kept(log, preserved, u) && v in Uuids(log) && Get(log, v).parent.None?
    ensures var crossed := Crossed(log, preserved, u);
            && (crossed.None? ==> v == Root(log, u) || IndexOf(log, v) < IndexOf(log, Root(log, u)))
            && (crossed.Some? ==>
                  && IsThere(log, preserved, crossed.value)
                  && crossed.value.boundary in Kept(log, preserved, u)
                  && (OneRoot(log, preserved[crossed.value.boundary].anchor) ==>
                        v == crossed.value.boundary || IndexOf(log, v) < IndexOf(log, crossed.value.boundary)))
  {
    hide Crossed, Members, ReachesWithin, ReachesAcross, Root, Kept;
    WellFormedHasUniqueUuids(log);
    KeptStandsBefore(log, preserved, u, v);
    if Crossed(log, preserved, u).Some? {
      LastRootOfTheForkAcross(log, preserved, u, v);
    }
  }

  /** The part of `LastRootOfTheFork` about a boundary that is crossed. */
  lemma LastRootOfTheForkAcross(log: Log, preserved: Preservation, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log) && OneRoot(log, u)
    requires v in Kept(log, preserved, u) && v in Uuids(log) && Get(log, v).parent.None?
    requires Crossed(log, preserved, u).Some?
    ensures var c := Crossed(log, preserved, u).value;
            && IsThere(log, preserved, c)
            && c.boundary in Kept(log, preserved, u)
            && (OneRoot(log, preserved[c.boundary].anchor) ==>
                  v == c.boundary || IndexOf(log, v) < IndexOf(log, c.boundary))
  {
    hide Crossed, Members, ReachesWithin, Root, Kept, Reaches;
    WellFormedHasUniqueUuids(log);
    WhatIsCrossed(log, preserved, u);
    CrossedIsReached(log, preserved, u);
    KeptIsLeast(log, preserved, u, {});
    KeptStandsBefore(log, preserved, u, v);
    var c := Crossed(log, preserved, u).value;
    RootStandsBeforeMembers(log, u, c.at);
    if v in Conversations(log, ReachesAcross(log, preserved, u)) {
      var w :| w in Uuids(log) && w in ReachesAcross(log, preserved, u) && v in Members(log, w);
      MembersStandBefore(log, w, v);
    }
  }

  /** Where the conversation has one root, it stands before every other entry of it. */
  lemma RootStandsBeforeMembers(log: Log, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log) && OneRoot(log, u)
    requires v in Members(log, u)
    ensures v in Uuids(log) && IndexOf(log, Root(log, u)) <= IndexOf(log, v)
  {
    WellFormedHasUniqueUuids(log);
    MembersOfMember(log, u, v);
    RootIsFirstOfAncestry(log, v);
  }

  /** Where the conversation has one root, no other boundary in it reaches anything: what the root sends again is what is
    * reached within it. */
  lemma OneRootReachesWhatIsResent(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log) && OneRoot(log, u)
    ensures ReachesWithin(log, preserved, u) ==
            if Resent(log, preserved, u).Some? then Listed(Resent(log, preserved, u).value.ids) else {}
  {
    hide Members, Root;
    RootIsFirstOfAncestry(log, u);
    if Resent(log, preserved, u).Some? {
      ResentIsReached(log, preserved, u);
    }
    forall v | v in ReachesWithin(log, preserved, u)
      ensures Resent(log, preserved, u).Some? && v in Resent(log, preserved, u).value.ids
    {
      var b :| b in Uuids(log) && Heeds(log, preserved, Members(log, u), b) && v in preserved[b].ids;
      assert b == Root(log, u);
    }
  }

  /** Where the conversation has one root, what is kept is the least set that holds what is sent and with each entry its
    * conversation; where a boundary is crossed, the least of these that holds also the rest of its list, and what the root
    * would send again. */
  lemma KeptIsLeastThatSends(log: Log, preserved: Preservation, u: Id, s: set<Id>)
    requires WellFormed(log)
    requires u in Uuids(log) && OneRoot(log, u)
    requires HoldsConversations(log, s)
    requires Uuids(Rendered(log, preserved, u)) <= s
    requires Crossed(log, preserved, u).Some? ==>
               && ReachesAcross(log, preserved, u) <= s
               && (Resent(log, preserved, u).Some? ==> Listed(Resent(log, preserved, u).value.ids) <= s)
    ensures Kept(log, preserved, u) <= s
  {
    hide Crossed, Members, ReachesWithin, ReachesAcross, Rendered, Resent, OneRoot, WellFormed;
    RenderedHoldsExactly(log, preserved, u);
    MembersContainsItself(log, u);
    OneRootReachesWhatIsResent(log, preserved, u);
    assert Reaches(log, preserved, u) <= s by {
      reveal ReachesAcross;
    }
    WellFormedHasUniqueUuids(log);
    RenderedEndsIn(log, preserved, u);
    assert u in s by {
      if Crossed(log, preserved, u).Some? {
        var rendered := Rendered(log, preserved, u);
        assert rendered[|rendered| - 1] in rendered;
      }
    }
    KeptIsLeast(log, preserved, u, s);
  }

  /** A set with whole conversations is closed under parents. */
  lemma WholeIsParentClosed(log: Log, ids: set<Id>)
    requires WellFormed(log)
    requires HoldsConversations(log, ids)
    ensures ParentClosed(log, ids)
  {
    WellFormedHasUniqueUuids(log);
    forall e | e in log && e.uuid in ids && e.parent.Some? ensures e.parent.value in ids {
      GetFindsEntry(log, e);
      MembersOfParent(log, e.uuid);
    }
  }

  /** Keeping whole conversations changes none of them. */
  lemma KeepingConversationsKeepsMembers(log: Log, ids: set<Id>, v: Id)
    requires UniqueUuids(log)
    requires HoldsConversations(log, ids)
    requires v in ids
    ensures v in Uuids(log) && v in Uuids(Keep(log, ids))
    ensures Members(Keep(log, ids), v) == Members(log, v)
  {
    var kept := Keep(log, ids);
    UuidsOfKeep(log, ids);
    AsOfInKeep(log, ids, v);
    KeepHoldsExactly(AsOf(log, v), ids);
    ClosedInPart(AsOf(log, v), AsOf(kept, v), Members(log, v)) by {
      MembersAreClosedAsOf(log, v);
    }
    MembersContainsItself(log, v);
    MembersAreLeast(kept, v, Members(log, v));

    var s := Members(kept, v);
    MembersAreClosedAsOf(log, v);
    MembersAreClosedAsOf(kept, v);
    forall a, b | a in AsOf(log, v) && b in AsOf(log, v) && a.uuid in s && Needs(a, b) ensures b.uuid in s {
      assert b.uuid in Members(log, v) && b.uuid in ids;
      assert a.uuid in Members(log, v) && a.uuid in ids;
      assert a in AsOf(kept, v) && b in AsOf(kept, v);
    }
    MembersContainsItself(kept, v);
    MembersAreLeast(log, v, s);
  }

  /** Keeping whole conversations changes no context. */
  lemma KeepingConversationsKeepsContexts(log: Log, ids: set<Id>, v: Id)
    requires UniqueUuids(log)
    requires HoldsConversations(log, ids)
    requires v in ids
    ensures v in Uuids(log) && v in Uuids(Keep(log, ids))
    ensures Context(Keep(log, ids), v) == Context(log, v)
  {
    KeepingConversationsKeepsMembers(log, ids, v);
    KeepOfKeep(log, ids, Members(log, v));
    assert ids * Members(log, v) == Members(log, v);
  }

  // --- The fork ---

  /** The fork of a compacted session is well-formed: P1, P2 and acyclicity survive. */
  lemma ForkKeptIsWellFormed(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures WellFormed(ForkKept(log, preserved, u))
  {
    WellFormedHasUniqueUuids(log);
    KeptIsWhole(log, preserved, u);
    WholeIsParentClosed(log, Kept(log, preserved, u));
    KeepIsWellFormed(log, Kept(log, preserved, u));
  }

  /** It holds exactly what is kept, each entry unchanged, in the order of the log, the fork point last. */
  lemma ForkKeptHoldsExactlyWhatIsKept(log: Log, preserved: Preservation, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures var fork := ForkKept(log, preserved, u);
            && Uuids(fork) == Kept(log, preserved, u) <= Uuids(log)
            && (forall e :: e in fork <==> e in log && e.uuid in Kept(log, preserved, u))
            && UniqueUuids(fork)
            && (forall a, b | a in Uuids(fork) && b in Uuids(fork) ::
                  IndexOf(fork, a) < IndexOf(fork, b) <==> IndexOf(log, a) < IndexOf(log, b))
            && |fork| > 0 && fork[|fork| - 1] == Get(log, u)
  {
    var ids, fork := Kept(log, preserved, u), ForkKept(log, preserved, u);
    KeptIsWhole(log, preserved, u);
    KeepHoldsExactly(log, ids);
    UuidsOfKeep(log, ids);
    KeepIsUnique(log, ids);
    assert Uuids(log) * ids == ids;
    forall a, b | a in Uuids(fork) && b in Uuids(fork)
      ensures IndexOf(fork, a) < IndexOf(fork, b) <==> IndexOf(log, a) < IndexOf(log, b)
    {
      KeepIsInOrder(log, ids, a, b);
    }
    ForkKeptEndsIn(log, preserved, u);
  }

  /** The fork ends in the fork point: everything kept stands there or before. */
  lemma ForkKeptEndsIn(log: Log, preserved: Preservation, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures |ForkKept(log, preserved, u)| > 0
    ensures ForkKept(log, preserved, u)[|ForkKept(log, preserved, u)| - 1] == Get(log, u)
  {
    var ids, asOf := Kept(log, preserved, u), AsOf(log, u);
    MembersContainsItself(log, u);
    forall v | v in ids ensures v in Uuids(asOf) {
      KeptStandsBefore(log, preserved, u, v);
      AsOfHoldsExactly(log, u, v);
    }
    KeepFromPrefix(log, IndexOf(log, u) + 1, ids);
    assert asOf[|asOf| - 1] == Get(log, u);
  }

  /** It is in canonical order: what is preserved stands in front of the boundary, as it does in the log. */
  lemma ForkKeptIsCanonical(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Canonical(ForkKept(log, preserved, u)) == Some(ForkKept(log, preserved, u))
  {
    ForkKeptIsWellFormed(log, preserved, u);
    CanonicalLeavesOrderedLogsAlone(ForkKept(log, preserved, u));
  }

  /** P4 for compacted sessions: every kept entry has the ancestry that it had, the preserved ones too. */
  lemma ForkKeptPreservesAncestry(log: Log, preserved: Preservation, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u)
    ensures v in Uuids(log) && v in Uuids(ForkKept(log, preserved, u))
    ensures WellFormed(ForkKept(log, preserved, u))
    ensures Ancestry(ForkKept(log, preserved, u), v) == Ancestry(log, v)
  {
    WellFormedHasUniqueUuids(log);
    KeptIsWhole(log, preserved, u);
    WholeIsParentClosed(log, Kept(log, preserved, u));
    AncestryInKeep(log, Kept(log, preserved, u), v);
  }

  /** The strong form: every kept entry has the context that it had. */
  lemma ForkKeptPreservesContexts(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u)
    ensures v in Uuids(log) && v in Uuids(ForkKept(log, preserved, u))
    ensures Members(ForkKept(log, preserved, u), v) == Members(log, v)
    ensures Context(ForkKept(log, preserved, u), v) == Context(log, v)
    ensures Balanced(Context(ForkKept(log, preserved, u), v)) <==> Balanced(Context(log, v))
  {
    KeptIsWhole(log, preserved, u);
    KeepingConversationsKeepsMembers(log, Kept(log, preserved, u), v);
    KeepingConversationsKeepsContexts(log, Kept(log, preserved, u), v);
  }

  /** `v` crosses no boundary, or the one that `u` crosses. */
  predicate CrossesNoOther(log: Log, preserved: Preservation, u: Id, v: Id)
    requires u in Uuids(log) && v in Uuids(log)
  {
    var at, here := Crossed(log, preserved, u), Crossed(log, preserved, v);
    here.None? || (at.Some? && here.value.boundary == at.value.boundary)
  }

  /** An entry of the conversation needs nothing to be kept that the fork point does not, exactly if what it reaches across a
    * boundary is kept; so where it crosses no other boundary than the fork point. */
  lemma MembersNeedNoMoreKept(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log)
    ensures v in Kept(log, preserved, u)
    ensures Kept(log, preserved, v) <= Kept(log, preserved, u) <==> ReachesAcross(log, preserved, v) <= Kept(log, preserved, u)
    ensures CrossesNoOther(log, preserved, u, v) ==> Kept(log, preserved, v) <= Kept(log, preserved, u)
  {
    hide Crossed, Members, Kept, ReachesWithin, ReachesAcross;
    MembersOfMember(log, u, v);
    KeptIsLeast(log, preserved, u, {});
    MembersReachNoMoreWithin(log, preserved, u, v);
    KeptHoldsReached(log, preserved, u);
    KeptHoldsReached(log, preserved, v);
    if ReachesAcross(log, preserved, v) <= Kept(log, preserved, u) {
      forall w | w in Uuids(log) && w in Reaches(log, preserved, v) ensures Members(log, w) <= Kept(log, preserved, u) {
        KeptHoldsConversations(log, preserved, u, w);
      }
      KeptIsLeast(log, preserved, v, Kept(log, preserved, u));
    }
    assert CrossesNoOther(log, preserved, u, v) ==> ReachesAcross(log, preserved, v) <= ReachesAcross(log, preserved, u) by {
      reveal ReachesAcross;
    }
  }

  /** What is reached is kept. */
  lemma KeptHoldsReached(log: Log, preserved: Preservation, u: Id)
    requires u in Uuids(log)
    ensures Reaches(log, preserved, u) <= Kept(log, preserved, u)
  {
    hide Members, Reaches;
    WhatIsReachedIsThere(log, preserved, u);
    forall v | v in Reaches(log, preserved, u) ensures v in Kept(log, preserved, u) {
      MembersContainsItself(log, v);
    }
  }

  /** The conversation at an entry of a conversation heeds no other boundary. */
  lemma MembersReachNoMoreWithin(log: Log, preserved: Preservation, u: Id, v: Id)
    requires u in Uuids(log) && v in Uuids(log)
    requires Members(log, v) <= Members(log, u)
    ensures ReachesWithin(log, preserved, v) <= ReachesWithin(log, preserved, u)
  {
    hide Members;
    forall w | w in ReachesWithin(log, preserved, v) ensures w in ReachesWithin(log, preserved, u) {
      var b :| b in Uuids(log) && Heeds(log, preserved, Members(log, v), b) && w in preserved[b].ids;
      assert Heeds(log, preserved, Members(log, u), b);
    }
  }

  /** A conversation in the fork heeds a boundary as it did in the log, where what the boundary preserves is kept. */
  lemma ForkKeptHeedsAlike(log: Log, ids: set<Id>, preserved: Preservation, conversation: set<Id>, b: Id)
    requires UniqueUuids(log)
    requires b in Uuids(log) && b in ids
    ensures b in Uuids(Keep(log, ids))
    ensures Heeds(Keep(log, ids), preserved, conversation, b) <==>
            Heeds(log, preserved, conversation, b) && Listed(preserved[b].ids) <= ids
  {
    var kept := Keep(log, ids);
    UuidsOfKeep(log, ids);
    KeepHoldsExactly(log, ids);
    SameUuidIsSameEntry(log, Get(kept, b), Get(log, b));
    if b in preserved {
      KeepIsUnique(log, ids);
      forall v ensures v in Uuids(kept[..IndexOf(kept, b)]) <==> v in Uuids(log[..IndexOf(log, b)]) && v in ids {
        BeforeInKeep(log, ids, b, v);
      }
    }
  }

  /** What stands before a kept entry is what is kept of what stands before it in the log. */
  lemma BeforeInKeep(log: Log, ids: set<Id>, b: Id, v: Id)
    requires UniqueUuids(log)
    requires b in Uuids(log) && b in ids
    ensures b in Uuids(Keep(log, ids))
    ensures v in Uuids(Keep(log, ids)[..IndexOf(Keep(log, ids), b)]) <==> v in Uuids(log[..IndexOf(log, b)]) && v in ids
  {
    var kept := Keep(log, ids);
    UuidsOfKeep(log, ids);
    KeepIsUnique(log, ids);
    UuidsOfPrefix(log, IndexOf(log, b));
    UuidsOfPrefix(kept, IndexOf(kept, b));
    if v in Uuids(kept) {
      LaterIsNotInPrefix(kept, IndexOf(kept, b), v);
      LaterIsNotInPrefix(log, IndexOf(log, b), v);
      KeepIsInOrder(log, ids, v, b);
    }
  }

  /** The boundaries that preserve an entry in the fork are those that preserve it in the log and of which the anchor and
    * the whole list are kept. */
  lemma PreservesInKeep(log: Log, ids: set<Id>, preserved: Preservation, b: Id, p: Id)
    requires UniqueUuids(log)
    requires HoldsConversations(log, ids)
    ensures b in Uuids(Keep(log, ids)) && Preserves(Keep(log, ids), preserved, b, p) <==>
            && b in Uuids(log)
            && Preserves(log, preserved, b, p)
            && preserved[b].anchor in ids
            && Listed(preserved[b].ids) <= ids
  {
    hide Members, Heeds;
    UuidsOfKeep(log, ids);
    if b in preserved && b in Uuids(log) && preserved[b].anchor in ids {
      var anchor := preserved[b].anchor;
      KeepingConversationsKeepsMembers(log, ids, anchor);
      if b in ids {
        ForkKeptHeedsAlike(log, ids, preserved, Members(log, anchor), b);
      } else {
        assert !Heeds(log, preserved, Members(log, anchor), b) by {
          reveal Heeds;
        }
      }
    }
  }

  /** The last boundary that preserves an entry is the same in the fork, where its anchor and the whole list are kept. */
  lemma LastPreserverInKeep(log: Log, ids: set<Id>, preserved: Preservation, p: Id)
    requires UniqueUuids(log)
    requires HoldsConversations(log, ids)
    requires var last := LastOf(log, Preservers(log, preserved, p));
             last.Some? ==> preserved[last.value].anchor in ids && Listed(preserved[last.value].ids) <= ids
    ensures LastOf(Keep(log, ids), Preservers(Keep(log, ids), preserved, p)) == LastOf(log, Preservers(log, preserved, p))
  {
    hide Preserves, Keep, UniqueUuids, HoldsConversations, Listed;
    var all, some := Preservers(log, preserved, p), Preservers(Keep(log, ids), preserved, p);
    UuidsOfKeep(log, ids);
    forall b ensures b in some ==> b in all && b in ids {
      PreservesInKeep(log, ids, preserved, b, p);
    }
    if LastOf(log, all).Some? {
      PreservesInKeep(log, ids, preserved, LastOf(log, all).value, p);
    }
    LastOfFewer(log, all, some);
    LastOfKeep(log, ids, some);
  }

  /** What stands before the end of a log holds the conversations that the log holds. */
  lemma HoldsConversationsBefore(log: Log, ids: set<Id>)
    requires UniqueUuids(log)
    requires HoldsConversations(log, ids)
    requires |log| > 0
    ensures HoldsConversations(log[..|log| - 1], ids * Uuids(log[..|log| - 1]))
    ensures Keep(log[..|log| - 1], ids) == Keep(log[..|log| - 1], ids * Uuids(log[..|log| - 1]))
  {
    var before := log[..|log| - 1];
    KeepDependsOnIdsThere(before, ids, ids * Uuids(before));
    forall v | v in Uuids(before) && v in ids ensures Members(before, v) <= ids * Uuids(before) {
      MembersInPrefix(log, |before|, v);
      MembersAreAsOf(before, v);
    }
  }

  /** What is crossed is crossed in the fork, where its anchor and the whole list are kept, and nothing else is. */
  lemma CrossedInKeep(log: Log, ids: set<Id>, preserved: Preservation, u: Id)
    requires UniqueUuids(log)
    requires HoldsConversations(log, ids)
    requires u in Uuids(log) && u in ids
    requires ReachesAcross(log, preserved, u) <= ids
    ensures u in Uuids(Keep(log, ids))
    ensures Crossed(Keep(log, ids), preserved, u) == Crossed(log, preserved, u)
    decreases |log|
  {
    hide HoldsConversations, Preservers, LastOf, UniqueUuids, Members;
    var e, before, kept := log[|log| - 1], log[..|log| - 1], Keep(log, ids);
    var inside := ids * Uuids(before);
    UuidsOfKeep(log, ids);
    UuidsOfKeep(before, ids);
    UuidsOfLast(log);
    assert UniqueUuids(before) by {
      reveal UniqueUuids;
    }
    HoldsConversationsBefore(log, ids);
    WhatIsCrossedIsThere(log, preserved, u);
    if e.uuid in ids {
      assert kept == Keep(before, ids) + [e];
      assert kept[..|kept| - 1] == Keep(before, ids);
    } else {
      assert kept == Keep(before, ids);
    }
    if e.uuid != u {
      WhatIsCrossedIsThere(before, preserved, u);
      CrossedInKeep(before, inside, preserved, u);
    } else if e.parent.Some? && e.parent.value in Uuids(before) {
      var p := e.parent.value;
      ParentIsMember(log, e);
      assert p in ids by {
        reveal HoldsConversations;
      }
      var last := LastOf(before, Preservers(before, preserved, p));
      if last.Some? {
        WhatResolvesIsThere(before, last.value, preserved[last.value].ids) by {
          reveal Preservers;
        }
        assert preserved[last.value].anchor in Uuids(before) by {
          reveal Preservers;
        }
      }
      LastPreserverInKeep(before, inside, preserved, p);
      if last.None? {
        WhatIsCrossedIsThere(before, preserved, p);
        CrossedInKeep(before, inside, preserved, p);
      }
    }
  }

  /** Keeping what an entry needs leaves what it reaches, and what it crosses. */
  lemma ForkKeptReachesAlike(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u) && v in Uuids(log)
    requires Kept(log, preserved, v) <= Kept(log, preserved, u)
    ensures v in Uuids(ForkKept(log, preserved, u))
    ensures Crossed(ForkKept(log, preserved, u), preserved, v) == Crossed(log, preserved, v)
    ensures Reaches(ForkKept(log, preserved, u), preserved, v) == Reaches(log, preserved, v)
  {
    hide Kept, Members, Crossed, ReachesWithin, HoldsConversations;
    KeptIsWhole(log, preserved, u);
    KeptHoldsReached(log, preserved, v);
    CrossedInKeep(log, Kept(log, preserved, u), preserved, v);
    ForkKeptReachesAlikeWithin(log, preserved, u, v);
  }

  /** The part of `ForkKeptReachesAlike` about the conversation's own boundaries. */
  lemma ForkKeptReachesAlikeWithin(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u) && v in Uuids(log)
    requires Kept(log, preserved, v) <= Kept(log, preserved, u)
    ensures v in Uuids(ForkKept(log, preserved, u))
    ensures ReachesWithin(ForkKept(log, preserved, u), preserved, v) == ReachesWithin(log, preserved, v)
  {
    hide Kept, Members, Reaches, Heeds;
    var ids, fork := Kept(log, preserved, u), ForkKept(log, preserved, u);
    ForkKeptPreservesContexts(log, preserved, u, v);
    UuidsOfKeep(log, ids);
    MembersAreAsOf(log, v);
    KeptIsLeast(log, preserved, v, {});
    forall w | w in ReachesWithin(log, preserved, v) ensures w in ReachesWithin(fork, preserved, v) {
      var b :| b in Uuids(log) && Heeds(log, preserved, Members(log, v), b) && w in preserved[b].ids;
      WhatIsHeededIsKept(log, preserved, v, b);
      assert b in ids by {
        reveal Heeds;
      }
      ForkKeptHeedsAlike(log, ids, preserved, Members(log, v), b);
      assert w in Uuids(fork);
    }
    forall w | w in ReachesWithin(fork, preserved, v) ensures w in ReachesWithin(log, preserved, v) {
      var b :| b in Uuids(fork) && Heeds(fork, preserved, Members(log, v), b) && w in preserved[b].ids;
      assert b in Uuids(log) && b in ids && w in Uuids(log);
      ForkKeptHeedsAlike(log, ids, preserved, Members(log, v), b);
    }
  }

  /** What a heeded boundary preserves is kept. */
  lemma WhatIsHeededIsKept(log: Log, preserved: Preservation, u: Id, b: Id)
    requires u in Uuids(log) && b in Uuids(log)
    requires Heeds(log, preserved, Members(log, u), b)
    ensures forall v | v in preserved[b].ids :: v in Uuids(log) && v in Reaches(log, preserved, u)
    ensures Listed(preserved[b].ids) <= Kept(log, preserved, u)
  {
    hide Members, ReachesAcross, Kept;
    WhatResolvesIsThere(log, b, preserved[b].ids);
    KeptHoldsReached(log, preserved, u);
    assert forall v | v in preserved[b].ids :: v in ReachesWithin(log, preserved, u);
  }

  /** What an entry needs to be kept is, in the fork, what it was: exactly if the fork has it. */
  lemma ForkKeptKeepsWhatIsKept(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u) && v in Uuids(log)
    ensures v in Uuids(ForkKept(log, preserved, u))
    ensures Kept(ForkKept(log, preserved, u), preserved, v) == Kept(log, preserved, v) <==>
            Kept(log, preserved, v) <= Kept(log, preserved, u)
  {
    hide Members, Reaches, ForkKept;
    var ids, fork := Kept(log, preserved, u), ForkKept(log, preserved, u);
    ForkKeptHoldsExactlyWhatIsKept(log, preserved, u);
    KeptIsWhole(fork, preserved, v);
    if Kept(log, preserved, v) <= ids {
      ForkKeptPreservesContexts(log, preserved, u, v);
      ForkKeptReachesAlike(log, preserved, u, v);
      WhatIsReachedIsThere(log, preserved, v);
      KeptHoldsReached(log, preserved, v);
      forall w | w in Reaches(log, preserved, v) ensures w in ids && w in Uuids(fork) && Members(fork, w) == Members(log, w) {
        ForkKeptPreservesContexts(log, preserved, u, w);
      }
    }
  }

  /** The client sends the same: a kept entry whose needs are kept is rendered in the fork as it was in the log. */
  lemma ForkKeptPreservesRenderingWhereNeedsAreKept(log: Log, preserved: Preservation, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u) && v in Uuids(log)
    requires Kept(log, preserved, v) <= Kept(log, preserved, u)
    ensures v in Uuids(ForkKept(log, preserved, u)) && WellFormed(ForkKept(log, preserved, u))
    ensures Resent(ForkKept(log, preserved, u), preserved, v) == Resent(log, preserved, v)
    ensures Rendered(ForkKept(log, preserved, u), preserved, v) == Rendered(log, preserved, v)
  {
    hide Members, Reaches, ForkKept, Kept, Resent, Crossed, RenderedFromRoot, RenderedAcross;
    WellFormedHasUniqueUuids(log);
    ForkKeptPreservesAncestry(log, preserved, u, v);
    ForkKeptReachesAlike(log, preserved, u, v);
    ForkKeptRendersAlikeFromRoot(log, preserved, u, v);
    if Crossed(log, preserved, v).Some? {
      ForkKeptRendersAlikeAcross(log, preserved, u, v);
    }
  }

  /** The part of `ForkKeptPreservesRenderingWhereNeedsAreKept` about what is sent from the root. */
  lemma ForkKeptRendersAlikeFromRoot(log: Log, preserved: Preservation, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u) && v in Uuids(log)
    requires Kept(log, preserved, v) <= Kept(log, preserved, u)
    ensures v in Uuids(ForkKept(log, preserved, u)) && WellFormed(ForkKept(log, preserved, u))
    ensures Resent(ForkKept(log, preserved, u), preserved, v) == Resent(log, preserved, v)
    ensures RenderedFromRoot(ForkKept(log, preserved, u), preserved, v) == RenderedFromRoot(log, preserved, v)
  {
    hide Members, Reaches, Kept, Heeds, Ancestry, Root, Crossed;
    var ids, fork := Kept(log, preserved, u), ForkKept(log, preserved, u);
    var root := Root(log, v);
    WellFormedHasUniqueUuids(log);
    ForkKeptPreservesAncestry(log, preserved, u, v);
    SameAncestrySameRoot(log, fork, v);
    ForkKeptPreservesContexts(log, preserved, u, v);
    RootIsFirstOfAncestry(log, v);
    MembersAreAsOf(log, v);
    KeptIsLeast(log, preserved, v, {});
    ForkKeptHeedsAlike(log, ids, preserved, Members(log, v), root);
    if Resent(log, preserved, v).Some? {
      var p := Resent(log, preserved, v).value;
      ResentStandsBefore(log, preserved, v);
      ResentIsReached(log, preserved, v);
      KeptHoldsReached(log, preserved, v);
      assert Listed(p.ids) <= ids;
      ChosenInKeep(log, ids, p.ids);
      KeepOfKeep(log, ids, Members(log, v) - Listed(p.ids));
      assert ids * (Members(log, v) - Listed(p.ids)) == Members(log, v) - Listed(p.ids);
    }
  }

  /** The part of `ForkKeptPreservesRenderingWhereNeedsAreKept` about what is sent across a boundary. */
  lemma ForkKeptRendersAlikeAcross(log: Log, preserved: Preservation, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u) && v in Uuids(log)
    requires Kept(log, preserved, v) <= Kept(log, preserved, u)
    requires Crossed(log, preserved, v).Some?
    ensures var c := Crossed(log, preserved, v).value;
            && v in Uuids(ForkKept(log, preserved, u))
            && IsThere(log, preserved, c) && IsThere(ForkKept(log, preserved, u), preserved, c)
            && RenderedAcross(ForkKept(log, preserved, u), preserved, c, v) == RenderedAcross(log, preserved, c, v)
  {
    hide Members, Reaches, Kept, Crossed, ReachesAcross, ForkKept, Keep, Chosen, ListedUpTo;
    var ids, fork, c := Kept(log, preserved, u), ForkKept(log, preserved, u), Crossed(log, preserved, v).value;
    WellFormedHasUniqueUuids(log);
    WhatIsCrossed(log, preserved, v);
    CrossedIsReached(log, preserved, v);
    KeptHoldsReached(log, preserved, v);
    KeptIsLeast(log, preserved, v, {});
    ForkKeptReachesAlike(log, preserved, u, v);
    WhatIsCrossedIsThere(fork, preserved, v);
    var anchor, again := preserved[c.boundary].anchor, Again(preserved, c);
    KeptHoldsConversations(log, preserved, v, anchor);
    ForkKeptPreservesContexts(log, preserved, u, v);
    ForkKeptPreservesContexts(log, preserved, u, anchor);
    ForkKeptPreservesContexts(log, preserved, u, c.at);
    var first := Members(log, anchor) - Listed(again);
    var last := Members(log, v) - Members(log, c.at) - Listed(again) - Members(log, anchor);
    assert fork == Keep(log, ids) by {
      reveal ForkKept;
    }
    ChosenInKeep(log, ids, again);
    KeepOfKeep(log, ids, first);
    KeepOfKeep(log, ids, last);
    assert ids * first == first && ids * last == last;
  }

  /** The client sends the same at the fork point, and at every other entry of its conversation that crosses no other
    * boundary. */
  lemma ForkKeptPreservesRendering(log: Log, preserved: Preservation, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Members(log, u) && v in Uuids(log)
    requires CrossesNoOther(log, preserved, u, v)
    ensures v in Uuids(ForkKept(log, preserved, u)) && WellFormed(ForkKept(log, preserved, u))
    ensures Rendered(ForkKept(log, preserved, u), preserved, v) == Rendered(log, preserved, v)
  {
    hide Kept, Rendered, Members, ForkKept, CrossesNoOther, Crossed;
    WellFormedHasUniqueUuids(log);
    MembersNeedNoMoreKept(log, preserved, u, v);
    ForkKeptPreservesRenderingWhereNeedsAreKept(log, preserved, u, v);
  }

  /** A fork of a fork is the fork of the log, exactly where the first has what the second needs; at every entry of the
    * conversation that crosses no other boundary it has. */
  lemma ForkKeptOfForkKept(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u) && v in Uuids(log)
    ensures v in Uuids(ForkKept(log, preserved, u))
    ensures ForkKept(ForkKept(log, preserved, u), preserved, v) == ForkKept(log, preserved, v) <==>
            Kept(log, preserved, v) <= Kept(log, preserved, u)
    ensures v in Members(log, u) && CrossesNoOther(log, preserved, u, v) ==>
              Kept(log, preserved, v) <= Kept(log, preserved, u)
  {
    hide Kept, Members, CrossesNoOther;
    var ids, fork := Kept(log, preserved, u), ForkKept(log, preserved, u);
    ForkKeptHoldsExactlyWhatIsKept(log, preserved, u);
    ForkKeptHoldsExactlyWhatIsKept(fork, preserved, v);
    ForkKeptHoldsExactlyWhatIsKept(log, preserved, v);
    ForkKeptKeepsWhatIsKept(log, preserved, u, v);
    if Kept(log, preserved, v) <= ids {
      KeepOfKeep(log, ids, Kept(log, preserved, v));
      assert ids * Kept(log, preserved, v) == Kept(log, preserved, v);
    }
    if v in Members(log, u) {
      MembersNeedNoMoreKept(log, preserved, u, v);
    }
  }

  /** Forking again at the fork point changes nothing. */
  lemma ForkingKeptAgainChangesNothing(log: Log, preserved: Preservation, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures u in Uuids(ForkKept(log, preserved, u))
    ensures ForkKept(ForkKept(log, preserved, u), preserved, u) == ForkKept(log, preserved, u)
  {
    MembersContainsItself(log, u);
    ForkKeptOfForkKept(log, preserved, u, u);
  }

  /** The fork is the plain fork exactly if what is reached belongs to the conversation anyway, so where nothing is preserved. */
  lemma ForkKeptIsForkExactly(log: Log, preserved: Preservation, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures ForkKept(log, preserved, u) == Fork(log, u) <==> Reaches(log, preserved, u) <= Members(log, u)
  {
    hide Members, Kept, Reaches, ForkKept, Fork;
    ForkKeptHoldsExactlyWhatIsKept(log, preserved, u);
    ForkHoldsExactlyTheContext(log, u);
    KeptIsLeast(log, preserved, u, Members(log, u));
    if Reaches(log, preserved, u) <= Members(log, u) {
      forall v | v in Uuids(log) && v in Reaches(log, preserved, u) ensures Members(log, v) <= Members(log, u) {
        MembersOfMember(log, u, v);
      }
      assert Kept(log, preserved, u) == Members(log, u);
      reveal ForkKept, Fork;
    } else {
      KeptHoldsReached(log, preserved, u);
    }
  }

  /** What is preserved changes nothing about where a session may be forked: in the fork nothing comes after the fork point, so it is
    * settled there, and resumable exactly if its context is balanced; and a kept entry that is legal (or resumable) in the log
    * is so in the fork. */
  lemma ForkKeptKeepsLegal(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u)
    ensures var fork := ForkKept(log, preserved, u);
            && v in Uuids(log) && u in Uuids(fork) && v in Uuids(fork)
            && Settled(fork, u)
            && (Resumable(fork, u) <==> Balanced(Context(log, u)))
            && (Resumable(log, v) ==> Resumable(fork, v))
            && (Legal(log, v) ==> Legal(fork, v))
  {
    var fork := ForkKept(log, preserved, u);
    ForkKeptHoldsExactlyWhatIsKept(log, preserved, u);
    MembersContainsItself(log, u);
    LastIsSettled(fork);
    ForkKeptPreservesContexts(log, preserved, u, u);
    ForkKeptPreservesContexts(log, preserved, u, v);
    SameUuidIsSameEntry(log, Get(fork, v), Get(log, v));
    if Settled(log, v) {
      ClosedInPart(log, fork, Members(log, v));
    }
  }

  // --- Growth ---

  /** The two maps say the same of every entry of the log. */
  ghost predicate Agree(log: Log, a: Preservation, b: Preservation) {
    forall e | e in log :: (e.uuid in a <==> e.uuid in b) && (e.uuid in a ==> a[e.uuid] == b[e.uuid])
  }

  /** A prefix of a log heeds the same boundaries: a boundary looks at nothing that comes after it. */
  lemma HeedsInPrefix(log: Log, preserved: Preservation, more: Preservation, n: nat, conversation: set<Id>, b: Id)
    requires UniqueUuids(log)
    requires n <= |log|
    requires b in Uuids(log[..n])
    requires Agree(log[..n], preserved, more)
    ensures b in Uuids(log)
    ensures Heeds(log[..n], preserved, conversation, b) <==> Heeds(log, more, conversation, b)
  {
    IndexOfInPrefix(log, n, b);
    assert log[..n][..IndexOf(log, b)] == log[..IndexOf(log, b)];
    assert Get(log[..n], b) in log[..n];
  }

  /** Maps that say the same of a log let the same be crossed. */
  lemma CrossedAlike(log: Log, preserved: Preservation, more: Preservation, u: Id)
    requires u in Uuids(log)
    requires Agree(log, preserved, more)
    ensures Crossed(log, preserved, u) == Crossed(log, more, u)
    ensures var c := Crossed(log, more, u);
            c.Some? ==>
              && IsThere(log, preserved, c.value) && IsThere(log, more, c.value)
              && preserved[c.value.boundary] == more[c.value.boundary]
    decreases |log|
  {
    var e, before := log[|log| - 1], log[..|log| - 1];
    assert Agree(before, preserved, more);
    if e.uuid != u {
      CrossedAlike(before, preserved, more, u);
    } else if e.parent.Some? && e.parent.value in Uuids(before) {
      var p := e.parent.value;
      forall b | b in Uuids(before) ensures Preserves(before, preserved, b, p) <==> Preserves(before, more, b, p) {
        assert Get(before, b) in before;
      }
      assert Preservers(before, preserved, p) == Preservers(before, more, p);
      CrossedAlike(before, preserved, more, p);
    }
    WhatIsCrossedIsThere(log, preserved, u);
    WhatIsCrossedIsThere(log, more, u);
    if Crossed(log, more, u).Some? {
      assert Get(log, Crossed(log, more, u).value.boundary) in log;
    }
  }

  /** A prefix of a log crosses the same, where the maps say the same of it. */
  lemma CrossedInPrefix(log: Log, preserved: Preservation, more: Preservation, n: nat, u: Id)
    requires UniqueUuids(log)
    requires n <= |log|
    requires u in Uuids(log[..n])
    requires Agree(log[..n], preserved, more)
    ensures u in Uuids(log)
    ensures Crossed(log[..n], preserved, u) == Crossed(log, more, u)
    ensures var c := Crossed(log, more, u);
            c.Some? ==>
              && IsThere(log[..n], preserved, c.value) && IsThere(log, more, c.value)
              && preserved[c.value.boundary] == more[c.value.boundary]
  {
    hide Crossed, Agree, UniqueUuids;
    CrossedAlike(log[..n], preserved, more, u);
    CrossedAsOf(log, more, n, u);
    WhatIsCrossedIsThere(log, more, u);
  }

  /** A prefix of a log needs the same entries kept, and is rendered alike. */
  lemma RenderedInPrefix(log: Log, preserved: Preservation, more: Preservation, n: nat, u: Id)
    requires WellFormed(log)
    requires n <= |log|
    requires u in Uuids(log[..n])
    requires Agree(log[..n], preserved, more)
    ensures WellFormed(log[..n]) && u in Uuids(log)
    ensures Kept(log[..n], preserved, u) == Kept(log, more, u)
    ensures Rendered(log[..n], preserved, u) == Rendered(log, more, u)
    ensures ForkKept(log[..n], preserved, u) == ForkKept(log, more, u)
  {
    hide UniqueUuids, WellFormed, Members, Reaches, Crossed, Agree, Keep, RenderedFromRoot, RenderedAcross;
    var first := log[..n];
    WellFormedHasUniqueUuids(log);
    PrefixIsWellFormed(log, n);
    WellFormedHasUniqueUuids(first);
    MembersInPrefix(log, n, u);
    UuidsOfPrefix(log, n);
    ReachesInPrefix(log, preserved, more, n, u);
    forall v | v in Reaches(log, more, u) ensures v in Uuids(first) && v in Uuids(log) && Members(first, v) == Members(log, v) {
      MembersInPrefix(log, n, v);
    }
    assert Kept(first, preserved, u) == Kept(log, more, u);
    KeptIsWhole(first, preserved, u);
    KeepFromPrefix(log, n, Kept(log, more, u));
    CrossedInPrefix(log, preserved, more, n, u);
    if Crossed(log, more, u).Some? {
      RenderedAcrossInPrefix(log, preserved, more, n, Crossed(log, more, u).value, u);
    } else {
      RenderedFromRootInPrefix(log, preserved, more, n, u);
    }
  }

  /** The part of `RenderedInPrefix` about what is sent from the root. */
  lemma RenderedFromRootInPrefix(log: Log, preserved: Preservation, more: Preservation, n: nat, u: Id)
    requires WellFormed(log) && n <= |log|
    requires WellFormed(log[..n])
    requires u in Uuids(log[..n])
    requires Agree(log[..n], preserved, more)
    ensures u in Uuids(log)
    ensures RenderedFromRoot(log[..n], preserved, u) == RenderedFromRoot(log, more, u)
  {
    hide Members, WellFormed, UniqueUuids, Heeds;
    var first := log[..n];
    WellFormedHasUniqueUuids(log);
    WellFormedHasUniqueUuids(first);
    MembersInPrefix(log, n, u);
    ContextInPrefix(log, n, u);
    AncestryInPrefix(log, n, u);
    SameAncestrySameRoot(first, log, u);
    RootIsFirstOfAncestry(log, u);
    RootIsFirstOfAncestry(first, u);
    HeedsInPrefix(log, preserved, more, n, Members(log, u), Root(log, u));
    assert Get(first, Root(log, u)) in first;
    if Resent(log, more, u).Some? {
      assert Root(log, u) in more && Root(log, u) in preserved by {
        reveal Heeds;
      }
      RenderedInPrefixWhereResent(log, preserved, more, n, u);
    }
  }

  /** The part of `RenderedInPrefix` about what is sent across a boundary. */
  lemma RenderedAcrossInPrefix(log: Log, preserved: Preservation, more: Preservation, n: nat, c: Crossing, u: Id)
    requires UniqueUuids(log) && n <= |log|
    requires u in Uuids(log[..n])
    requires IsThere(log[..n], preserved, c) && IsThere(log, more, c)
    requires preserved[c.boundary] == more[c.boundary]
    ensures u in Uuids(log)
    ensures RenderedAcross(log[..n], preserved, c, u) == RenderedAcross(log, more, c, u)
  {
    hide Members, UniqueUuids, Chosen, Keep, ListedUpTo;
    var first, anchor, again := log[..n], more[c.boundary].anchor, Again(more, c);
    MembersInPrefix(log, n, u);
    MembersInPrefix(log, n, anchor);
    MembersInPrefix(log, n, c.at);
    MembersAreAsOf(first, u);
    MembersAreAsOf(first, anchor);
    KeepFromPrefix(log, n, Members(log, anchor) - Listed(again));
    KeepFromPrefix(log, n, Members(log, u) - Members(log, c.at) - Listed(again) - Members(log, anchor));
    ChosenInPrefix(log, n, again);
  }

  /** What is chosen from a prefix is chosen from the log. */
  lemma ChosenInPrefix(log: Log, n: nat, ids: seq<Id>)
    requires UniqueUuids(log)
    requires n <= |log|
    requires forall v | v in ids :: v in Uuids(log[..n])
    ensures forall v | v in ids :: v in Uuids(log)
    ensures Chosen(log[..n], ids) == Chosen(log, ids)
  {
    hide UniqueUuids, Get, Uuids;
    UuidsOfPrefix(log, n);
    forall i | 0 <= i < |ids| ensures Chosen(log[..n], ids)[i] == Chosen(log, ids)[i] {
      assert ids[i] in ids;
      IndexOfInPrefix(log, n, ids[i]);
    }
  }

  /** The part of `RenderedInPrefix` about what is reached. */
  lemma ReachesInPrefix(log: Log, preserved: Preservation, more: Preservation, n: nat, u: Id)
    requires UniqueUuids(log)
    requires n <= |log|
    requires u in Uuids(log[..n])
    requires Agree(log[..n], preserved, more)
    ensures u in Uuids(log)
    ensures Reaches(log[..n], preserved, u) == Reaches(log, more, u)
    ensures Reaches(log, more, u) <= Uuids(log[..n])
  {
    hide Members, UniqueUuids, Crossed, ReachesWithin;
    CrossedInPrefix(log, preserved, more, n, u);
    ReachesWithinInPrefix(log, preserved, more, n, u);
  }

  /** The part of `ReachesInPrefix` about the conversation's own boundaries. */
  lemma ReachesWithinInPrefix(log: Log, preserved: Preservation, more: Preservation, n: nat, u: Id)
    requires UniqueUuids(log)
    requires n <= |log|
    requires u in Uuids(log[..n])
    requires Agree(log[..n], preserved, more)
    ensures u in Uuids(log)
    ensures ReachesWithin(log[..n], preserved, u) == ReachesWithin(log, more, u)
    ensures ReachesWithin(log, more, u) <= Uuids(log[..n])
  {
    hide Members, UniqueUuids, Heeds;
    var first := log[..n];
    MembersInPrefix(log, n, u);
    UuidsOfPrefix(log, n);
    MembersAreAsOf(first, u);
    forall b | b in Uuids(log) && (b !in Uuids(first) || b !in Members(log, u))
      ensures !Heeds(log, more, Members(log, u), b)
      ensures b in Uuids(first) ==> !Heeds(first, preserved, Members(log, u), b)
    {
      reveal Heeds;
    }
    forall b | b in Uuids(first)
      ensures b in Uuids(log)
      ensures Heeds(first, preserved, Members(log, u), b) <==> Heeds(log, more, Members(log, u), b)
      ensures b in preserved ==> b in more && preserved[b] == more[b]
    {
      HeedsInPrefix(log, preserved, more, n, Members(log, u), b);
      assert Get(first, b) in first;
    }
    forall v | v in ReachesWithin(log, more, u) ensures v in ReachesWithin(first, preserved, u) {
      var b :| b in Uuids(log) && Heeds(log, more, Members(log, u), b) && v in more[b].ids;
      assert b in preserved by {
        reveal Heeds;
      }
      WhatIsHeededIsThere(first, preserved, Members(log, u), b);
    }
    forall v | v in ReachesWithin(first, preserved, u) ensures v in ReachesWithin(log, more, u) {
      var b :| b in Uuids(first) && Heeds(first, preserved, Members(log, u), b) && v in preserved[b].ids;
      assert b in Uuids(log) && v in Uuids(log);
    }
  }

  /** What a heeded boundary preserves stands in the log. */
  lemma WhatIsHeededIsThere(log: Log, preserved: Preservation, conversation: set<Id>, b: Id)
    requires b in Uuids(log)
    requires Heeds(log, preserved, conversation, b)
    ensures forall v | v in preserved[b].ids :: v in Uuids(log)
  {
    WhatResolvesIsThere(log, b, preserved[b].ids);
  }

  /** The part of `RenderedFromRootInPrefix` about what is sent again. */
  lemma RenderedInPrefixWhereResent(log: Log, preserved: Preservation, more: Preservation, n: nat, u: Id)
    requires n <= |log|
    requires WellFormed(log) && WellFormed(log[..n])
    requires u in Uuids(log[..n]) && u in Uuids(log)
    requires Members(log[..n], u) == Members(log, u)
    requires Resent(log, more, u).Some?
    requires Resent(log[..n], preserved, u) == Resent(log, more, u)
    ensures RenderedFromRoot(log[..n], preserved, u) == RenderedFromRoot(log, more, u)
  {
    hide WellFormed, UniqueUuids, Members, Resent, Chosen, PutAfter;
    var first, p := log[..n], Resent(log, more, u).value;
    WellFormedHasUniqueUuids(log);
    ResentStandsBefore(first, preserved, u);
    ResentStandsBefore(log, more, u);
    MembersAreAsOf(first, u);
    KeepFromPrefix(log, n, Members(log, u) - Listed(p.ids));
    ChosenInPrefix(log, n, p.ids);
  }

  /** An append changes no old rendering, and nothing that an old entry needs kept, as long as the old boundaries preserve what
    * they did. */
  lemma AppendKeepsOldRenderings(log: Log, preserved: Preservation, more: Preservation, e: Entry, v: Id)
    requires WellFormed(log)
    requires Fits(log, e)
    requires v in Uuids(log)
    requires Agree(log, preserved, more)
    ensures WellFormed(Append(log, e)) && v in Uuids(Append(log, e))
    ensures Rendered(Append(log, e), more, v) == Rendered(log, preserved, v)
    ensures Kept(Append(log, e), more, v) == Kept(log, preserved, v)
    ensures ForkKept(Append(log, e), more, v) == ForkKept(log, preserved, v)
  {
    var after := Append(log, e);
    AppendIsWellFormed(log, e);
    assert after[..|log|] == log;
    RenderedInPrefix(after, preserved, more, |log|, v);
  }

  /** No boundary of the log waits for the entry as its anchor. */
  predicate NotAwaited(log: Log, preserved: Preservation, e: Entry) {
    forall b | b in Uuids(log) && b in preserved :: preserved[b].anchor != e.uuid
  }

  /** No boundary of the log preserves the entry, so one that goes on there crosses no other than it does. */
  predicate NotPreserved(log: Log, preserved: Preservation, v: Id) {
    forall b | b in Uuids(log) :: !Preserves(log, preserved, b, v)
  }

  /** An entry that needs nothing else of the log than the conversation that it continues, where nothing else was to come
    * for that conversation, no boundary waits for the entry as its anchor, and none preserves the entry at which it goes
    * on, is sent after what was sent before: nothing that was sent changes. */
  lemma AppendRendersOneMore(log: Log, preserved: Preservation, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires NeedsNothingElse(log, v, e)
    requires NotAwaited(log, preserved, e)
    requires NotPreserved(log, preserved, v)
    ensures WellFormed(Append(log, e)) && e.uuid in Uuids(Append(log, e))
    ensures Rendered(Append(log, e), preserved, e.uuid) == Rendered(log, preserved, v) + [e]
  {
    hide WellFormed, Uuids, Fits, Context, Resent, NeedsNothingElse, NotAwaited, NotPreserved;
    hide Crossed, RenderedFromRoot, RenderedAcross;
    WellFormedHasUniqueUuids(log);
    AppendIsWellFormed(log, e);
    AppendAddsExactlyOne(log, e);
    AppendCrossesTheSame(log, preserved, e, v);
    WhatIsCrossedIsThere(log, preserved, v);
    WhatIsCrossedIsThere(Append(log, e), preserved, e.uuid);
    if Crossed(log, preserved, v).Some? {
      AppendRendersBeyond(log, preserved, e, v, Crossed(log, preserved, v).value);
    } else {
      AppendRendersOneMoreFromRoot(log, preserved, e, v);
    }
  }

  /** A new entry crosses what the one that it continues does, where no boundary preserves this one; and the last one that
    * does. */
  lemma AppendCrossesTheSame(log: Log, preserved: Preservation, e: Entry, v: Id)
    requires UniqueUuids(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    ensures e.uuid in Uuids(Append(log, e))
    ensures NotPreserved(log, preserved, v) <==> LastOf(log, Preservers(log, preserved, v)).None?
    ensures NotPreserved(log, preserved, v) ==> Crossed(Append(log, e), preserved, e.uuid) == Crossed(log, preserved, v)
    ensures !NotPreserved(log, preserved, v) ==>
              Crossed(Append(log, e), preserved, e.uuid)
              == Some(Crossing(LastOf(log, Preservers(log, preserved, v)).value, v))
  {
    hide Preserves, LastOf, UniqueUuids, Fits;
    AppendAddsExactlyOne(log, e);
    LastOfIsLast(log, Preservers(log, preserved, v));
    var after := Append(log, e);
    assert after[|after| - 1] == e && after[..|after| - 1] == log;
  }

  /** Where a boundary preserves the entry at which a new one goes on, what is sent is the conversation at the anchor, the
    * list up to that entry, and the new one. */
  lemma AppendRendersAcross(log: Log, preserved: Preservation, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires NeedsNothingElse(log, v, e)
    requires !NotPreserved(log, preserved, v)
    ensures WellFormed(Append(log, e)) && e.uuid in Uuids(Append(log, e))
    ensures var last := LastOf(log, Preservers(log, preserved, v));
            && last.Some? && last.value in Uuids(log) && Preserves(log, preserved, last.value, v)
            && IsThere(log, preserved, Crossing(last.value, v))
            && (var p := preserved[last.value];
                && Rendered(Append(log, e), preserved, e.uuid) ==
                   Keep(log, Members(log, p.anchor) - Listed(ListedUpTo(p.ids, v))) + Chosen(log, ListedUpTo(p.ids, v)) + [e])
  {
    hide WellFormed, UniqueUuids, Fits, NeedsNothingElse, NotPreserved, Preserves, Crossed;
    hide Keep, Chosen, ListedUpTo, LastOf, Members;
    var after := Append(log, e);
    WellFormedHasUniqueUuids(log);
    AppendIsWellFormed(log, e);
    AppendCrossesTheSame(log, preserved, e, v);
    AppendAddsExactlyOne(log, e);
    WhatIsCrossedIsThere(after, preserved, e.uuid);
    var b := LastOf(log, Preservers(log, preserved, v)).value;
    var c, p := Crossing(b, v), preserved[b];
    assert IsThere(log, preserved, c) by {
      reveal Preserves;
      WhatResolvesIsThere(log, b, p.ids);
    }
    NeedingNothingElseAddsOne(log, e, v);
    var again := ListedUpTo(p.ids, v);
    AppendRendersBeyond(log, preserved, e, v, c);
    MembersAreAsOf(log, p.anchor);
    assert Members(log, v) - Members(log, v) - Listed(again) - Members(log, p.anchor) == {};
    KeepingNoneIsEmpty(log, {});
  }

  /** What is sent across a boundary at a new entry is what the conversation that it continues would be sent, and the entry. */
  lemma AppendRendersBeyond(log: Log, preserved: Preservation, e: Entry, v: Id, c: Crossing)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires NeedsNothingElse(log, v, e)
    requires IsThere(log, preserved, c)
    ensures WellFormed(Append(log, e)) && e.uuid in Uuids(Append(log, e))
    ensures IsThere(Append(log, e), preserved, c)
    ensures RenderedAcross(Append(log, e), preserved, c, e.uuid) == RenderedAcross(log, preserved, c, v) + [e]
  {
    hide WellFormed, UniqueUuids, NeedsNothingElse, Keep, Chosen, ListedUpTo, Members, Fits;
    var after, anchor, again := Append(log, e), preserved[c.boundary].anchor, Again(preserved, c);
    WellFormedHasUniqueUuids(log);
    AppendIsWellFormed(log, e);
    AppendAddsExactlyOne(log, e);
    NeedingNothingElseAddsOne(log, e, v);
    AppendKeepsOldContexts(log, e, anchor);
    AppendKeepsOldContexts(log, e, c.at);
    MembersAreAsOf(log, v);
    MembersAreAsOf(log, anchor);
    MembersAreAsOf(log, c.at);
    assert e.uuid !in Uuids(log) by {
      reveal Fits;
    }
    var first := Members(log, anchor) - Listed(again);
    var last := Members(log, v) - Members(log, c.at) - Listed(again) - Members(log, anchor);
    assert Members(log, v) + {e.uuid} - Members(log, c.at) - Listed(again) - Members(log, anchor) == last + {e.uuid};
    KeepOfLast(log, e, first);
    KeepOfLast(log, e, last + {e.uuid});
    KeepDependsOnIdsThere(log, last, last + {e.uuid}) by {
      assert Uuids(log) * last == Uuids(log) * (last + {e.uuid});
    }
    ChosenInAppended(log, e, again);
  }

  /** The part of `AppendRendersOneMore` about what is sent from the root. */
  lemma AppendRendersOneMoreFromRoot(log: Log, preserved: Preservation, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires NeedsNothingElse(log, v, e)
    requires NotAwaited(log, preserved, e)
    ensures WellFormed(Append(log, e)) && e.uuid in Uuids(Append(log, e))
    ensures RenderedFromRoot(Append(log, e), preserved, e.uuid) == RenderedFromRoot(log, preserved, v) + [e]
  {
    hide WellFormed, Uuids, Fits, Context, Resent, NeedsNothingElse, NotAwaited;
    if Resent(log, preserved, v).Some? {
      AppendRendersOneMoreWhereResent(log, preserved, e, v);
    } else {
      AppendResendsTheSame(log, preserved, e, v);
      AppendContextIsContextAndEntry(log, e, v);
    }
  }

  /** What is sent again in the conversation at the new entry is what was sent again in the one that it continues. */
  lemma AppendResendsTheSame(log: Log, preserved: Preservation, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires NeedsNothingElse(log, v, e)
    requires NotAwaited(log, preserved, e)
    ensures WellFormed(Append(log, e)) && e.uuid in Uuids(Append(log, e))
    ensures Resent(Append(log, e), preserved, e.uuid) == Resent(log, preserved, v)
  {
    hide WellFormed, UniqueUuids, Members, Root, NeedsNothingElse, Resolves, Fits;
    var after, m, root := Append(log, e), Members(log, v), Root(log, v);
    WellFormedHasUniqueUuids(log);
    AppendIsWellFormed(log, e);
    AppendAddsExactlyOne(log, e);
    NeedingNothingElseAddsOne(log, e, v);
    RootOfAppended(log, e, v);
    RootIsFirstOfAncestry(log, v);
    HeedsInPrefix(after, preserved, preserved, |log|, m, root);
    assert Heeds(after, preserved, m + {e.uuid}, root) <==> Heeds(after, preserved, m, root) by {
      reveal Fits;
    }
  }

  /** The part of `AppendRendersOneMoreFromRoot` about what is sent again. */
  lemma AppendRendersOneMoreWhereResent(log: Log, preserved: Preservation, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires NeedsNothingElse(log, v, e)
    requires NotAwaited(log, preserved, e)
    requires Resent(log, preserved, v).Some?
    ensures WellFormed(Append(log, e)) && e.uuid in Uuids(Append(log, e))
    ensures RenderedFromRoot(Append(log, e), preserved, e.uuid) == RenderedFromRoot(log, preserved, v) + [e]
  {
    hide WellFormed, UniqueUuids, Members, Resent, NeedsNothingElse, NotAwaited, Keep, Chosen, PutAfter;
    var p := Resent(log, preserved, v).value;
    var ids := Members(log, v) - Listed(p.ids);
    WellFormedHasUniqueUuids(log);
    AppendResendsTheSame(log, preserved, e, v);
    NeedingNothingElseAddsOne(log, e, v);
    ResentStandsBefore(log, preserved, v);
    assert Members(log, v) + {e.uuid} - Listed(p.ids) == ids + {e.uuid};
    KeepOfLast(log, e, ids + {e.uuid});
    KeepDependsOnIdsThere(log, ids, ids + {e.uuid}) by {
      assert Uuids(log) * ids == Uuids(log) * (ids + {e.uuid});
    }
    ChosenInAppended(log, e, p.ids);
    MembersAreAsOf(log, v);
    PutAfterBeforeTheLast(Keep(log, ids), e, p.anchor, Chosen(log, p.ids));
  }

  /** What is chosen from a log is chosen from it with one more entry. */
  lemma ChosenInAppended(log: Log, e: Entry, ids: seq<Id>)
    requires UniqueUuids(log)
    requires Fits(log, e)
    requires forall v | v in ids :: v in Uuids(log)
    ensures forall v | v in ids :: v in Uuids(Append(log, e))
    ensures Chosen(Append(log, e), ids) == Chosen(log, ids)
  {
    hide UniqueUuids, Fits, Get, Uuids;
    AppendAddsExactlyOne(log, e);
    forall i | 0 <= i < |ids| ensures Chosen(Append(log, e), ids)[i] == Chosen(log, ids)[i] {
      assert ids[i] in ids;
      IndexOfInPrefix(Append(log, e), |log|, ids[i]);
    }
  }

  /** What is put after an entry goes before a last one that is not the anchor. */
  lemma PutAfterBeforeTheLast(entries: Log, e: Entry, anchor: Id, more: Log)
    requires e.uuid != anchor
    ensures PutAfter(entries + [e], anchor, more) == PutAfter(entries, anchor, more) + [e]
  {
    assert (entries + [e])[..|entries|] == entries;
  }

  /** A new entry's conversation starts where that of the entry that it continues does. */
  lemma RootOfAppended(log: Log, e: Entry, v: Id)
    requires WellFormed(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    ensures WellFormed(Append(log, e)) && e.uuid in Uuids(Append(log, e))
    ensures Root(Append(log, e), e.uuid) == Root(log, v)
  {
    AppendIsWellFormed(log, e);
    WellFormedHasUniqueUuids(log);
    AppendAddsExactlyOne(log, e);
    assert Append(log, e)[..|log|] == log;
  }

  /** Branching and then forking is forking and then appending, under the conditions of `AppendRendersOneMore`. */
  lemma BranchThenForkKeptIsForkKeptThenAppend(log: Log, preserved: Preservation, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires NeedsNothingElse(log, v, e)
    requires NotAwaited(log, preserved, e)
    requires NotPreserved(log, preserved, v)
    ensures e.uuid in Uuids(Append(log, e))
    ensures Fits(ForkKept(log, preserved, v), e)
    ensures ForkKept(Append(log, e), preserved, e.uuid) == Append(ForkKept(log, preserved, v), e)
  {
    hide WellFormed, UniqueUuids, NeedsNothingElse, Keep, Members, Reaches, NotAwaited, NotPreserved;
    var after, ids := Append(log, e), Kept(log, preserved, v);
    WellFormedHasUniqueUuids(log);
    ForkKeptHoldsExactlyWhatIsKept(log, preserved, v);
    KeptIsLeast(log, preserved, v, {});
    MembersContainsItself(log, v);
    AppendAddsExactlyOne(log, e);
    AppendReachesNoMore(log, preserved, e, v);
    NeedingNothingElseAddsOne(log, e, v);
    WhatIsReachedIsThere(log, preserved, v);
    forall w | w in Reaches(log, preserved, v) ensures w in Uuids(log) && Members(after, w) == Members(log, w) {
      AppendKeepsOldContexts(log, e, w);
    }
    assert Kept(after, preserved, e.uuid) == ids + {e.uuid};
    KeepOfLast(log, e, ids + {e.uuid});
    assert Uuids(log) * ids == Uuids(log) * (ids + {e.uuid});
    KeepDependsOnIdsThere(log, ids, ids + {e.uuid});
  }

  /** The conversation at the new entry reaches what the one that it continues does. */
  lemma AppendReachesNoMore(log: Log, preserved: Preservation, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires NeedsNothingElse(log, v, e)
    requires NotAwaited(log, preserved, e)
    requires NotPreserved(log, preserved, v)
    ensures e.uuid in Uuids(Append(log, e))
    ensures Reaches(Append(log, e), preserved, e.uuid) == Reaches(log, preserved, v)
  {
    hide WellFormed, UniqueUuids, NeedsNothingElse, Members, NotAwaited, NotPreserved, ReachesWithin, Crossed, Fits;
    WellFormedHasUniqueUuids(log);
    AppendAddsExactlyOne(log, e);
    AppendCrossesTheSame(log, preserved, e, v);
    AppendReachesNoMoreWithin(log, preserved, e, v);
  }

  /** The part of `AppendReachesNoMore` about the conversation's own boundaries. */
  lemma AppendReachesNoMoreWithin(log: Log, preserved: Preservation, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires NeedsNothingElse(log, v, e)
    requires NotAwaited(log, preserved, e)
    ensures e.uuid in Uuids(Append(log, e))
    ensures ReachesWithin(Append(log, e), preserved, e.uuid) == ReachesWithin(log, preserved, v)
  {
    hide WellFormed, UniqueUuids, NeedsNothingElse, Members, Resolves;
    var after, m := Append(log, e), Members(log, v);
    WellFormedHasUniqueUuids(log);
    AppendAddsExactlyOne(log, e);
    NeedingNothingElseAddsOne(log, e, v);
    MembersAreAsOf(log, v);
    assert after[..|log|] == log;
    forall b | b in m
      ensures b in Uuids(after) && b in Uuids(log)
      ensures Heeds(log, preserved, m, b) <==> Heeds(after, preserved, m + {e.uuid}, b)
    {
      HeedsInPrefix(after, preserved, preserved, |log|, m, b);
      assert Heeds(after, preserved, m + {e.uuid}, b) <==> Heeds(after, preserved, m, b);
    }
    forall w | w in ReachesWithin(log, preserved, v) ensures w in ReachesWithin(after, preserved, e.uuid) {
      assert w in Uuids(after);
    }
    assert Get(after, e.uuid).parent.Some?;
    forall w | w in ReachesWithin(after, preserved, e.uuid) ensures w in ReachesWithin(log, preserved, v) {
      var b :| b in Uuids(after) && Heeds(after, preserved, m + {e.uuid}, b) && w in preserved[b].ids;
      assert b in m;
      WhatResolvesIsThere(log, b, preserved[b].ids);
    }
  }

  // --- Balance ---

  /** The books of two conversations at once, when their calls have no id in common. */
  ghost function Together(books: Books, out: set<Id>, made: set<Id>): Books {
    match books
    case Broken => Broken
    case Books(o, m) => Books(o + out, m + made)
  }

  /** Blocks do not meet the calls of another conversation. */
  lemma RunBesideOthers(books: Books, blocks: seq<Block>, out: set<Id>, made: set<Id>)
    requires out <= made
    requires UseIds(blocks) + ResultIds(blocks) !! made
    ensures Run(Together(books, out, made), blocks) == Together(Run(books, blocks), out, made)
    decreases |blocks|
  {
    if |blocks| > 0 {
      var before, b := blocks[..|blocks| - 1], blocks[|blocks| - 1];
      IdsOfOneMoreBlock(blocks);
      RunBesideOthers(books, before, out, made);
      EnterBesideOthers(Run(books, before), b, out, made);
    }
  }

  /** One block does not meet the calls of another conversation. */
  lemma EnterBesideOthers(books: Books, b: Block, out: set<Id>, made: set<Id>)
    requires out <= made
    requires !b.Opaque? ==> b.id !in made
    ensures Enter(Together(books, out, made), b) == Together(Enter(books, b), out, made)
  {
    match books
    case Broken =>
    case Books(o, m) =>
      match b
      case Use(t) =>
        assert o + {t} + out == o + out + {t} && m + {t} + made == m + made + {t};
      case Result(t) =>
        assert o - {t} + out == o + out - {t};
      case Opaque(_) =>
  }

  /** The tool ids of a sequence of entries: its calls and what it has results of. */
  ghost function ToolIds(entries: Log): set<Id> {
    UseIds(Blocks(entries)) + ResultIds(Blocks(entries))
  }

  /** A stretch put into a conversation with which it shares no tool id leaves it sound, or balanced, exactly if both are. */
  lemma InsertedBalance(first: Log, more: Log, last: Log)
    requires ToolIds(more) !! ToolIds(first + last)
    ensures Sound(first + more + last) <==> Sound(first + last) && Sound(more)
    ensures Balanced(first + more + last) <==> Balanced(first + last) && Balanced(more)
  {
    var x, m, y := Blocks(first), Blocks(more), Blocks(last);
    BooksOfConcatenation(first, more);
    BooksOfConcatenation(first + more, last);
    BooksOfConcatenation(first, last);
    BlocksOfConcatenation(first, last);
    ToolIdsOfParts(x, y);
    var one := Run(Blank, x);
    match one
    case Broken =>
      BrokenStaysBroken(m);
      BrokenStaysBroken(y);
    case Books(o, made) =>
      BooksSayWhatIsOut(x);
      assert Together(Blank, o, made) == one;
      RunBesideOthers(Blank, m, o, made);
      var two := Run(Blank, m);
      match two
      case Broken =>
        BrokenStaysBroken(y);
      case Books(o2, made2) =>
        BooksSayWhatIsOut(m);
        assert Together(one, o2, made2) == Together(two, o, made) == Run(one, m);
        RunBesideOthers(one, y, o2, made2);
  }

  /** The calls and results of two stretches, one after the other, are those of both. */
  lemma ToolIdsOfParts(a: seq<Block>, b: seq<Block>)
    ensures UseIds(a + b) == UseIds(a) + UseIds(b)
    ensures ResultIds(a + b) == ResultIds(a) + ResultIds(b)
  {
    assert forall x :: x in a + b <==> x in a || x in b;
  }

  /** Where no boundary is crossed and something is sent again, and it and the rest of the context have no tool id in
    * common, neither of a call nor of a result, what is sent is balanced exactly if each of the two is by itself. The rest
    * is the context, unless something that is sent again belongs to it. */
  lemma RenderedIsBalancedExactly(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Crossed(log, preserved, u).None?
    requires Resent(log, preserved, u).Some?
    ensures forall v | v in Resent(log, preserved, u).value.ids :: v in Uuids(log)
    ensures var ids := Resent(log, preserved, u).value.ids;
            var rest, again := Keep(log, Members(log, u) - Listed(ids)), Chosen(log, ids);
            && (Members(log, u) !! Listed(ids) ==> rest == Context(log, u))
            && (ToolIds(again) !! ToolIds(rest) ==>
                  && (Balanced(Rendered(log, preserved, u)) <==> Balanced(rest) && Balanced(again))
                  && (Sound(Rendered(log, preserved, u)) <==> Sound(rest) && Sound(again)))
  {
    hide WellFormed, Members, Crossed, Rendered, Resent, Keep, Chosen, Balanced, Sound, ToolIds, IndexOf, Uuids;
    RenderedIsRestWithPreservedAfterAnchor(log, preserved, u);
    var p := Resent(log, preserved, u).value;
    var rest, again := Keep(log, Members(log, u) - Listed(p.ids)), Chosen(log, p.ids);
    var k := IndexOf(rest, p.anchor) + 1;
    assert rest == rest[..k] + rest[k..];
    if ToolIds(again) !! ToolIds(rest) {
      InsertedBalance(rest[..k], again, rest[k..]);
    }
  }

  /** Across a boundary it is alike: where what is sent again has no tool id in common with what is sent before and behind
    * it, what is sent is balanced exactly if what is sent again is by itself, and what is sent before and behind it is
    * together. */
  lemma RenderedAcrossIsBalancedExactly(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Crossed(log, preserved, u).Some?
    ensures IsThere(log, preserved, Crossed(log, preserved, u).value)
    ensures var c := Crossed(log, preserved, u).value;
            var first, ids := Members(log, preserved[c.boundary].anchor), Again(preserved, c);
            var rest := Keep(log, first - Listed(ids)) + Keep(log, Members(log, u) - Members(log, c.at) - Listed(ids) - first);
            var again := Chosen(log, ids);
            && (ToolIds(again) !! ToolIds(rest) ==>
                  && (Balanced(Rendered(log, preserved, u)) <==> Balanced(rest) && Balanced(again))
                  && (Sound(Rendered(log, preserved, u)) <==> Sound(rest) && Sound(again)))
  {
    hide WellFormed, Members, Crossed, Rendered, Keep, Chosen, Balanced, Sound, ToolIds, ListedUpTo;
    RenderedIsSentAcross(log, preserved, u);
    var c := Crossed(log, preserved, u).value;
    var first, ids := Members(log, preserved[c.boundary].anchor), Again(preserved, c);
    var last := Members(log, u) - Members(log, c.at) - Listed(ids) - first;
    if ToolIds(Chosen(log, ids)) !! ToolIds(Keep(log, first - Listed(ids)) + Keep(log, last)) {
      InsertedBalance(Keep(log, first - Listed(ids)), Chosen(log, ids), Keep(log, last));
    }
  }
}

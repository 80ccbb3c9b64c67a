// Chapter 11, proofs: what a drop leaves (P1, P2), what it does to ancestries, contexts and balance (P3), and when a
// compaction is a drop with a stub.
include "03-Ancestries.Proofs.dfy"
include "05-Balance.Proofs.dfy"
include "07-Forks.Proofs.dfy"
include "11-Rewriting.dfy"

module RewritingProofs {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened Ancestries
  import opened AncestriesProofs
  import opened Contexts
  import opened ContextsProofs
  import opened Balance
  import opened BalanceProofs
  import opened ForksProofs
  import opened Rewriting

  // --- What a drop leaves ---

  /** The ids of what a drop leaves are those that are not covered. */
  lemma UuidsOfDrop(log: Log, ids: set<Id>)
    ensures Uuids(Drop(log, ids)) == Uuids(log) - ids
    decreases |log|
  {
    if |log| > 0 {
      UuidsOfDrop(log[..|log| - 1], ids);
      UuidsOfLast(log);
      if log[|log| - 1].uuid !in ids {
        UuidsOfLast(Drop(log, ids));
      }
    }
  }

  /** An heir stands in the log and is not covered. */
  lemma HeirSurvives(log: Log, ids: set<Id>, p: Option<Id>)
    requires WellFormed(log)
    requires p.Some? ==> p.value in Uuids(log)
    ensures var h := Heir(log, ids, p); h.Some? ==> h.value in Uuids(log) && h.value !in ids
    decreases |log|
  {
    if p.Some? && p.value in ids {
      UuidsOfLast(log);
      HeirSurvives(log[..|log| - 1], ids, if log[|log| - 1].uuid == p.value then log[|log| - 1].parent else p);
    }
  }

  /** What a drop leaves of a well-formed log is well-formed, whatever is covered. */
  lemma DropIsWellFormed(log: Log, ids: set<Id>)
    requires WellFormed(log)
    ensures WellFormed(Drop(log, ids))
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      DropIsWellFormed(before, ids);
      if e.uuid !in ids {
        UuidsOfDrop(before, ids);
        HeirSurvives(before, ids, e.parent);
        assert Drop(log, ids)[..|Drop(log, ids)| - 1] == Drop(before, ids);
      }
    }
  }

  /** One more entry, that is covered or not. */
  lemma DropOfLast(log: Log, e: Entry, ids: set<Id>)
    ensures Drop(log + [e], ids) ==
            if e.uuid in ids then Drop(log, ids) else Drop(log, ids) + [e.(parent := Heir(log, ids, e.parent))]
  {
    assert (log + [e])[..|log + [e]| - 1] == log;
  }

  /** The heir of what stands in a prefix is found there. */
  lemma HeirInPrefix(log: Log, n: nat, ids: set<Id>, p: Option<Id>)
    requires WellFormed(log)
    requires n <= |log|
    requires p.Some? ==> p.value in Uuids(log[..n])
    ensures Heir(log[..n], ids, p) == Heir(log, ids, p)
    decreases |log|
  {
    if n == |log| {
      assert log[..n] == log;
    } else {
      var before := log[..|log| - 1];
      assert before[..n] == log[..n];
      UuidsOfPrefix(before, n);
      HeirInPrefix(before, n, ids, p);
    }
  }

  /** An entry as a drop leaves it. */
  function Reparented(log: Log, ids: set<Id>, e: Entry): Entry {
    e.(parent := Heir(log, ids, e.parent))
  }

  /** A drop leaves exactly the entries that are not covered, in the order of the log, each as it was but for its parent, which
    * is its nearest surviving ancestor. */
  lemma DropHoldsExactlyTheRest(log: Log, ids: set<Id>)
    requires WellFormed(log)
    ensures Uuids(Drop(log, ids)) == Uuids(log) - ids
    ensures |Drop(log, ids)| == |Rest(log, ids)|
    ensures forall i | 0 <= i < |Drop(log, ids)| :: Drop(log, ids)[i] == Reparented(log, ids, Rest(log, ids)[i])
    decreases |log|
  {
    UuidsOfDrop(log, ids);
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      DropHoldsExactlyTheRest(before, ids);
      RestOfLast(log, ids);
      KeepHoldsExactly(before, Uuids(before) - ids);
      forall i | 0 <= i < |Rest(before, ids)|
        ensures Reparented(before, ids, Rest(before, ids)[i]) == Reparented(log, ids, Rest(before, ids)[i])
      {
        var x := Rest(before, ids)[i];
        assert x in before;
        WellFormedHasNoDanglingParents(before);
        HeirInPrefix(log, |before|, ids, x.parent);
      }
      if e.uuid !in ids {
        HeirInPrefix(log, |before|, ids, e.parent);
      }
    }
  }

  /** The rest of one more entry. */
  lemma RestOfLast(log: Log, ids: set<Id>)
    requires |log| > 0
    ensures var before, e := log[..|log| - 1], log[|log| - 1];
            Rest(log, ids) == if e.uuid in ids then Rest(before, ids) else Rest(before, ids) + [e]
  {
    var before := log[..|log| - 1];
    UuidsOfLast(log);
    KeepDependsOnIdsThere(before, Uuids(log) - ids, Uuids(before) - ids) by {
      assert Uuids(before) * (Uuids(log) - ids) == Uuids(before) * (Uuids(before) - ids);
    }
  }

  // --- The nearest surviving ancestor ---

  /** The heir of an entry that is not covered is the entry itself; the heir of one that is covered is its parent's. */
  lemma HeirUnfolds(log: Log, ids: set<Id>, p: Id)
    requires WellFormed(log)
    requires p in Uuids(log)
    ensures Heir(log, ids, Some(p)) == if p in ids then Heir(log, ids, Get(log, p).parent) else Some(p)
  {
    if p in ids {
      var n := IndexOf(log, p) + 1;
      var asOf := log[..n];
      assert asOf[|asOf| - 1].uuid == p && asOf[..|asOf| - 1] == log[..n - 1];
      assert asOf[n - 1] in asOf;
      HeirInPrefix(log, n, ids, Some(p));
      EachEntryFits(log, n - 1);
      HeirInPrefix(log, n - 1, ids, Get(log, p).parent);
    }
  }

  /** Links that stay in a set of ids lead to heirs in it. */
  lemma HeirStaysIn(log: Log, s: set<Id>, ids: set<Id>, p: Option<Id>)
    requires ParentClosed(log, s)
    requires p.Some? ==> p.value in s
    ensures var h := Heir(log, ids, p); h.Some? ==> h.value in s
    decreases |log|
  {
    if p.Some? && p.value in ids && |log| > 0 {
      HeirStaysIn(log[..|log| - 1], s, ids, if log[|log| - 1].uuid == p.value then log[|log| - 1].parent else p);
    }
  }

  /** The heir is the last entry of the ancestry that is not covered, so the nearest surviving ancestor; there is none exactly
    * if the whole ancestry is covered. */
  lemma HeirIsNearestSurvivingAncestor(log: Log, ids: set<Id>, p: Id)
    requires WellFormed(log)
    requires p in Uuids(log)
    ensures var rest := Rest(Ancestry(log, p), ids);
            Heir(log, ids, Some(p)) == if |rest| == 0 then None else Some(rest[|rest| - 1].uuid)
    decreases IndexOf(log, p)
  {
    var way := Ancestry(log, p);
    AncestryUnfolds(log, p);
    HeirUnfolds(log, ids, p);
    if Get(log, p).parent.Some? {
      var q := Get(log, p).parent.value;
      ParentStandsBefore(log, p);
      HeirIsNearestSurvivingAncestor(log, ids, q);
      assert way[..|way| - 1] == Ancestry(log, q);
    } else {
      assert way[..|way| - 1] == [];
    }
    AncestryIsWellFormed(log, p);
    RestOfLast(way, ids);
  }

  /** An ancestry is a well-formed log by itself. */
  lemma AncestryIsWellFormed(log: Log, p: Id)
    requires WellFormed(log)
    requires p in Uuids(log)
    ensures WellFormed(Ancestry(log, p))
  {
    AncestryIsKept(log, p);
    AncestryIsParentClosed(log, p);
    KeepIsWellFormed(log, Uuids(Ancestry(log, p)));
  }

  // --- Ancestries ---

  /** Dropping from what is kept is keeping from what a drop leaves, where the kept ids are closed under parents. */
  lemma DropOfKeep(log: Log, s: set<Id>, ids: set<Id>)
    requires ParentClosed(log, s)
    ensures Drop(Keep(log, s), ids) == Keep(Drop(log, ids), s)
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      DropOfKeep(before, s, ids);
      KeepOfLast(Drop(before, ids), e.(parent := Heir(before, ids, e.parent)), s);
      if e.uuid in s {
        DropOfLast(Keep(before, s), e, ids);
        HeirInKeep(before, s, ids, e.parent);
      }
    }
  }

  /** What is kept finds the same heirs, where the kept ids are closed under parents. */
  lemma HeirInKeep(log: Log, s: set<Id>, ids: set<Id>, p: Option<Id>)
    requires ParentClosed(log, s)
    requires p.Some? ==> p.value in s
    ensures Heir(Keep(log, s), ids, p) == Heir(log, ids, p)
    decreases |log|
  {
    if p.Some? && p.value in ids && |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      HeirInKeep(before, s, ids, if e.uuid == p.value then e.parent else p);
      if e.uuid in s {
        assert Keep(log, s)[..|Keep(log, s)| - 1] == Keep(before, s);
      }
    }
  }

  /** An ancestry is what the log keeps of its ids. */
  lemma AncestryIsKept(log: Log, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    ensures Keep(log, Uuids(Ancestry(log, v))) == Ancestry(log, v)
    decreases |log|
  {
    var before, e := log[..|log| - 1], log[|log| - 1];
    UuidsOfLast(log);
    if e.uuid != v {
      AncestryIsKept(before, v);
      UuidsOfPart(before, Ancestry(before, v));
    } else {
      AncestryIsParentClosed(log, v);
      UuidsOfLast(Ancestry(log, v));
      if e.parent.None? {
        assert Ancestry(log, v)[..0] == [];
        assert Uuids(Ancestry(log, v)) == {v};
        KeepingNoneIsEmpty(before, {v});
      } else {
        var above := Ancestry(before, e.parent.value);
        AncestryIsKept(before, e.parent.value);
        assert Ancestry(log, v)[..|above|] == above;
        KeepDependsOnIdsThere(before, Uuids(above) + {v}, Uuids(above)) by {
          assert Uuids(before) * (Uuids(above) + {v}) == Uuids(before) * Uuids(above);
        }
      }
    }
  }

  /** What is made of a log's entries has no ids that the log lacks. */
  lemma UuidsOfPart(log: Log, part: Log)
    requires forall e | e in part :: e in log
    ensures Uuids(part) <= Uuids(log)
  {
  }

  /** The ancestry of a survivor is its old one without what is covered. */
  lemma AncestryAfterDrop(log: Log, ids: set<Id>, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log) && v !in ids
    ensures WellFormed(Drop(log, ids))
    ensures v in Uuids(Drop(log, ids))
    ensures Ancestry(Drop(log, ids), v) == Drop(Ancestry(log, v), ids)
  {
    DropIsWellFormed(log, ids);
    UuidsOfDrop(log, ids);
    AncestryOfHeir(log, ids, v);
  }

  /** The ancestries in a log with one more entry. */
  lemma AncestryOfLast(log: Log, e: Entry)
    requires WellFormed(log + [e])
    ensures WellFormed(log)
    ensures e.parent.Some? ==> e.parent.value in Uuids(log)
    ensures e.uuid in Uuids(log + [e])
    ensures Ancestry(log + [e], e.uuid) == if e.parent.None? then [e] else Ancestry(log, e.parent.value) + [e]
  {
    assert (log + [e])[..|log|] == log;
    UuidsOfLast(log + [e]);
  }

  /** An heir finds the same in an ancestry as in the log. */
  lemma HeirInAncestry(log: Log, ids: set<Id>, p: Id)
    requires WellFormed(log)
    requires p in Uuids(log)
    ensures Heir(Ancestry(log, p), ids, Some(p)) == Heir(log, ids, Some(p))
  {
    AncestryIsKept(log, p);
    AncestryIsParentClosed(log, p);
    AncestryEndsInItself(log, p);
    HeirInKeep(log, Uuids(Ancestry(log, p)), ids, Some(p));
  }

  /** A log with an id in it has an entry. */
  lemma LogIsNotEmpty(log: Log, u: Id)
    requires u in Uuids(log)
    ensures |log| > 0
  {
  }

  /** The ancestry of an heir is the old ancestry without what is covered: `AncestryAfterDrop`, said of covered entries too, for
    * the induction. */
  lemma AncestryOfHeir(log: Log, ids: set<Id>, p: Id)
    requires WellFormed(log)
    requires p in Uuids(log)
    ensures WellFormed(Drop(log, ids))
    ensures var h := Heir(log, ids, Some(p)); h.Some? ==> h.value in Uuids(Drop(log, ids))
    ensures var h := Heir(log, ids, Some(p));
            Drop(Ancestry(log, p), ids) == if h.None? then [] else Ancestry(Drop(log, ids), h.value)
    decreases |log|
  {
    hide WellFormed, Uuids, Ancestry, Drop, Heir;
    LogIsNotEmpty(log, p);
    var before, e := log[..|log| - 1], log[|log| - 1];
    var left := Drop(before, ids);
    PrefixIsWellFormed(log, |before|);
    DropIsWellFormed(log, ids);
    UuidsOfDrop(log, ids);
    HeirSurvives(log, ids, Some(p));
    UuidsOfLast(log);
    DropOfLast(before, e, ids);
    assert log == before + [e];
    if e.uuid != p {
      AncestryOfHeir(before, ids, p);
      assert Drop(log, ids)[..|left|] == left;
      AncestryInPrefix(log, |before|, p);
      HeirInPrefix(log, |before|, ids, Some(p));
      if Heir(log, ids, Some(p)).Some? {
        AncestryInPrefix(Drop(log, ids), |left|, Heir(log, ids, Some(p)).value);
      }
    } else {
      AncestryOfLast(before, e);
      HeirOfLast(before, e, ids);
      if e.parent.Some? {
        AncestryOfHeir(before, ids, e.parent.value);
        HeirInAncestry(before, ids, e.parent.value);
        DropOfLast(Ancestry(before, e.parent.value), e, ids);
      } else {
        assert [] + [e] == [e];
        DropOfLast([], e, ids);
        assert Drop([], ids) == [] && Heir([], ids, None) == None == Heir(before, ids, None) by {
          reveal Drop, Heir;
        }
      }
      if e.uuid !in ids {
        AncestryOfLast(left, e.(parent := Heir(before, ids, e.parent)));
      }
    }
  }

  /** The heir of the last entry of a log is the entry, or its parent's heir. */
  lemma HeirOfLast(log: Log, e: Entry, ids: set<Id>)
    ensures Heir(log + [e], ids, Some(e.uuid)) == if e.uuid in ids then Heir(log, ids, e.parent) else Some(e.uuid)
  {
    assert (log + [e])[..|log|] == log;
  }

  // --- Two drops ---

  /** Dropping twice is dropping both at once. */
  lemma DropOfDropIsDropOfUnion(log: Log, a: set<Id>, b: set<Id>)
    requires WellFormed(log)
    ensures Drop(Drop(log, a), b) == Drop(log, a + b)
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      DropOfDropIsDropOfUnion(before, a, b);
      if e.uuid !in a {
        DropOfLast(Drop(before, a), e.(parent := Heir(before, a, e.parent)), b);
        HeirOfHeir(before, a, b, e.parent);
      }
    }
  }

  /** The nearest survivor of both drops is the nearest survivor of the second above the nearest of the first. */
  lemma HeirOfHeir(log: Log, a: set<Id>, b: set<Id>, p: Option<Id>)
    requires WellFormed(log)
    requires p.Some? ==> p.value in Uuids(log)
    ensures Heir(Drop(log, a), b, Heir(log, a, p)) == Heir(log, a + b, p)
    decreases |log|
  {
    if p.Some? && p.value in a + b {
      var before, e := log[..|log| - 1], log[|log| - 1];
      UuidsOfLast(log);
      var q := if e.uuid == p.value then e.parent else p;
      HeirOfHeir(before, a, b, q);
      HeirSurvives(before, a, q);
      if e.uuid !in a {
        assert Drop(log, a)[..|Drop(log, a)| - 1] == Drop(before, a);
      }
    }
  }

  /** Drops commute, also where they overlap. */
  lemma DropsCommute(log: Log, a: set<Id>, b: set<Id>)
    requires WellFormed(log)
    ensures Drop(Drop(log, a), b) == Drop(Drop(log, b), a)
  {
    DropOfDropIsDropOfUnion(log, a, b);
    DropOfDropIsDropOfUnion(log, b, a);
    assert a + b == b + a;
  }

  /** Covering nothing changes nothing. */
  lemma CoveringNothing(log: Log)
    ensures Drop(log, {}) == log
    decreases |log|
  {
    if |log| > 0 {
      CoveringNothing(log[..|log| - 1]);
    }
  }

  /** Covering nothing that is there changes nothing. */
  lemma DropOfNothingIsTheLog(log: Log, ids: set<Id>)
    requires WellFormed(log)
    requires Uuids(log) !! ids
    ensures Drop(log, ids) == log
    decreases |log|
  {
    if |log| > 0 {
      hide *;
      var before, e := log[..|log| - 1], log[|log| - 1];
      assert log == before + [e];
      UuidsOfLast(log);
      assert WellFormed(before) && Fits(before, e) by {
        reveal WellFormed;
      }
      DropOfNothingIsTheLog(before, ids);
      assert e.parent.Some? ==> e.parent.value in Uuids(before) by {
        reveal Fits;
      }
      HeirOfUncovered(before, ids, e.parent);
      calc {
        Drop(log, ids);
        { DropOfLast(before, e, ids); }
        before + [e.(parent := e.parent)];
        log;
      }
    }
  }

  // --- Contexts ---

  /** The log as of a survivor, after a drop. */
  lemma AsOfAfterDrop(log: Log, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log) && u !in ids
    ensures u in Uuids(Drop(log, ids))
    ensures AsOf(Drop(log, ids), u) == Drop(AsOf(log, u), ids)
    decreases |log|
  {
    var before, e := log[..|log| - 1], log[|log| - 1];
    var left, after := Drop(before, ids), Drop(log, ids);
    DropIsWellFormed(log, ids);
    WellFormedHasUniqueUuids(log);
    WellFormedHasUniqueUuids(after);
    UuidsOfDrop(log, ids);
    if e.uuid == u {
      IndexOfIsPosition(log, |log| - 1);
      IndexOfIsPosition(after, |after| - 1);
      assert AsOf(log, u) == log && AsOf(after, u) == after;
    } else {
      UuidsOfLast(log);
      AsOfAfterDrop(before, ids, u);
      IndexOfInPrefix(log, |before|, u);
      assert after[..|left|] == left;
      IndexOfInPrefix(after, |left|, u);
    }
  }

  /** What a drop leaves of an entry. */
  lemma SurvivorOf(log: Log, ids: set<Id>, e: Entry)
    requires WellFormed(log)
    requires e in log && e.uuid !in ids
    ensures Reparented(log, ids, e) in Drop(log, ids)
  {
    DropHoldsExactlyTheRest(log, ids);
    KeepHoldsExactly(log, Uuids(log) - ids);
    var i :| 0 <= i < |Rest(log, ids)| && Rest(log, ids)[i] == e;
    assert Drop(log, ids)[i] == Reparented(log, ids, e);
  }

  /** What a survivor was. */
  lemma OriginOf(log: Log, ids: set<Id>, x: Entry) returns (e: Entry)
    requires WellFormed(log)
    requires x in Drop(log, ids)
    ensures e in log && e.uuid !in ids
    ensures x == Reparented(log, ids, e)
  {
    DropHoldsExactlyTheRest(log, ids);
    KeepHoldsExactly(log, Uuids(log) - ids);
    var i :| 0 <= i < |Drop(log, ids)| && Drop(log, ids)[i] == x;
    e := Rest(log, ids)[i];
    assert e in Rest(log, ids);
  }

  /** The conversation after a drop holds nothing that it did not hold before, and nothing that is covered, whatever is
    * covered. */
  lemma DropAddsNoMembers(log: Log, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log) && u !in ids
    ensures u in Uuids(Drop(log, ids))
    ensures Members(Drop(log, ids), u) <= Members(log, u) - ids
  {
    hide WellFormed, Drop, Heir, Members, Needs, Uuids, AsOf;
    var asOf, m := AsOf(log, u), Members(log, u);
    AsOfIsWellFormed(log, u);
    AsOfAfterDrop(log, ids, u);
    MembersAreClosedAsOf(log, u);
    MembersContainsItself(log, u);
    forall x, y | x in Drop(asOf, ids) && y in Drop(asOf, ids) && x.uuid in m - ids && Needs(x, y) ensures y.uuid in m - ids {
      NeedsAfterDrop(asOf, ids, m, x, y);
    }
    MembersAreLeast(Drop(log, ids), u, m - ids);
  }

  /** What is closed needs nothing more after a drop either. */
  lemma NeedsAfterDrop(log: Log, ids: set<Id>, m: set<Id>, x: Entry, y: Entry)
    requires WellFormed(log)
    requires Closed(log, m)
    requires x in Drop(log, ids) && y in Drop(log, ids)
    requires x.uuid in m && Needs(x, y)
    ensures y.uuid in m - ids
  {
    hide WellFormed, Drop, Heir;
    var a := OriginOf(log, ids, x);
    var b := OriginOf(log, ids, y);
    if x.parent == Some(y.uuid) {
      WellFormedHasNoDanglingParents(log);
      ClosedIsParentClosed(log, m);
      if a.parent.Some? {
        HeirStaysIn(log, m, ids, a.parent);
      } else {
        assert {:contradiction} Heir(log, ids, None) == None by {
          reveal Heir;
        }
      }
    } else {
      assert Needs(a, b);
    }
  }

  /** Where nothing that a covered member needs gets lost, the members are those of the conversation after the drop, and what
    * is covered. */
  lemma ExitsKeepMembers(log: Log, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log) && u !in ids
    requires Exits(log, ids, u)
    ensures u in Uuids(Drop(log, ids))
    ensures Members(log, u) <= Members(Drop(log, ids), u) + ids
  {
    hide WellFormed, Drop, Heir, Members, Needs, Uuids, AsOf;
    var asOf, m := AsOf(log, u), Members(log, u);
    AsOfIsWellFormed(log, u);
    AsOfAfterDrop(log, ids, u);
    DropAddsNoMembers(log, ids, u);
    var s := Members(Drop(log, ids), u);
    var t := s + ids * m;
    MembersContainsItself(Drop(log, ids), u);
    MembersAreClosedAsOf(log, u);
    MembersAreClosedAsOf(Drop(log, ids), u);
    forall a, b | a in asOf && b in asOf && a.uuid in t && Needs(a, b) ensures b.uuid in t {
      assert b.uuid in m;
      if b.uuid !in ids && a.uuid !in ids {
        SurvivorsNeedAlike(asOf, ids, a, b);
      }
    }
    MembersAreLeast(log, u, t);
  }

  /** What a survivor needs of the survivors it needs after the drop. */
  lemma SurvivorsNeedAlike(log: Log, ids: set<Id>, a: Entry, b: Entry)
    requires WellFormed(log)
    requires a in log && b in log
    requires a.uuid !in ids && b.uuid !in ids
    requires Needs(a, b)
    ensures Reparented(log, ids, a) in Drop(log, ids) && Reparented(log, ids, b) in Drop(log, ids)
    ensures Needs(Reparented(log, ids, a), Reparented(log, ids, b))
  {
    SurvivorOf(log, ids, a);
    SurvivorOf(log, ids, b);
  }

  /** Dropping from a context is keeping its members from what the drop leaves. */
  lemma DropOfContext(log: Log, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Drop(Context(log, u), ids) == Keep(Drop(log, ids), Members(log, u))
    ensures Drop(Context(log, u), ids) == Keep(Drop(log, ids), Members(log, u) - ids)
    ensures Uuids(Drop(Context(log, u), ids)) == Members(log, u) - ids
  {
    var m := Members(log, u);
    MembersAreParentClosed(log, u);
    DropOfKeep(log, m, ids);
    UuidsOfDrop(log, ids);
    UuidsOfDrop(Context(log, u), ids);
    ContextHoldsExactlyTheMembers(log, u);
    KeepDependsOnIdsThere(Drop(log, ids), m, m - ids) by {
      assert Uuids(Drop(log, ids)) * m == Uuids(Drop(log, ids)) * (m - ids);
    }
  }

  /** The context after a drop is exactly the context before, without what is covered, exactly if no survivor that a covered
    * entry of the context needs gets lost. */
  lemma ContextAfterDropExactly(log: Log, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log) && u !in ids
    ensures u in Uuids(Drop(log, ids))
    ensures Exits(log, ids, u) <==> Context(Drop(log, ids), u) == Drop(Context(log, u), ids)
    ensures Exits(log, ids, u) <==> Members(Drop(log, ids), u) == Members(log, u) - ids
  {
    hide WellFormed, Drop, Members, Needs, Uuids, AsOf, Keep;
    DropAddsNoMembers(log, ids, u);
    DropOfContext(log, ids, u);
    ContextHoldsExactlyTheMembers(Drop(log, ids), u);
    if Exits(log, ids, u) {
      ExitsKeepMembers(log, ids, u);
      assert Members(Drop(log, ids), u) == Members(log, u) - ids;
    }
    if Members(Drop(log, ids), u) == Members(log, u) - ids {
      MembersAreClosedAsOf(log, u);
      assert Exits(log, ids, u);
    }
  }

  /** What a context covers of a whole, rooted span of the log is whole and rooted itself. */
  lemma WholeAndRootedInContext(log: Log, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Whole(log, ids) ==> Whole(Context(log, u), ids)
    ensures WholeForTools(log, ids) ==> WholeForTools(Context(log, u), ids)
    ensures Rooted(log, ids) ==> Rooted(Context(log, u), ids)
  {
    var m := Members(log, u);
    KeepHoldsExactly(log, m);
    if Rooted(log, ids) {
      RootedInKeep(log, ids, m);
    }
  }

  /** What is kept of a rooted span is rooted. */
  lemma RootedInKeep(log: Log, ids: set<Id>, s: set<Id>)
    requires WellFormed(log)
    requires Rooted(log, ids)
    ensures Rooted(Keep(log, s), ids)
  {
    var all, some := Keep(log, ids), Keep(Keep(log, s), ids);
    KeepOfKeep(log, s, ids);
    KeepOfKeep(log, ids, s);
    assert s * ids == ids * s;
    assert some == Keep(all, s);
    KeepHoldsExactly(log, ids);
    KeepHoldsExactly(all, s);
    WellFormedHasUniqueUuids(log);
    KeepIsUnique(log, ids);
    KeepIsUnique(all, s);
    forall i | 0 < i < |some| ensures some[i].parent.Some? && some[i].parent.value in ids {
      assert some[i] in all;
      var k :| 0 <= k < |all| && all[k] == some[i];
      if k == 0 {
        KeepingFirstIsFirst(all, s);
      }
    }
  }

  /** Where the first entry is kept it is the first kept. */
  lemma KeepingFirstIsFirst(log: Log, s: set<Id>)
    requires |log| > 0
    requires log[0].uuid in s
    ensures |Keep(log, s)| > 0 && Keep(log, s)[0] == log[0]
    decreases |log|
  {
    if |log| > 1 {
      KeepingFirstIsFirst(log[..|log| - 1], s);
    } else {
      assert log[..0] == [];
    }
  }

  /** In a rooted span everything below the first covered entry hangs on that entry's parent after the drop. */
  lemma HeirInRootedSpan(log: Log, ids: set<Id>, p: Id)
    requires WellFormed(log)
    requires Rooted(log, ids)
    requires p in Uuids(log) && p in ids
    ensures |Keep(log, ids)| > 0
    ensures Heir(log, ids, Some(p)) == Keep(log, ids)[0].parent
    decreases |log|
  {
    var before, e := log[..|log| - 1], log[|log| - 1];
    UuidsOfLast(log);
    assert Rooted(before, ids) by {
      assert Keep(before, ids) <= Keep(log, ids);
    }
    if e.uuid != p {
      HeirInRootedSpan(before, ids, p);
    } else if |Keep(before, ids)| == 0 {
      assert Keep(log, ids) == [e];
      UuidsOfKeep(before, ids);
      assert e.parent.Some? ==> e.parent.value !in Uuids(before) * ids;
    } else {
      assert Keep(log, ids)[|Keep(before, ids)|] == e;
      HeirInRootedSpan(before, ids, e.parent.value);
    }
  }

  /** A rooted span has one way out: a covered entry that continues one that is not covered is the first one. */
  lemma OneWayOut(log: Log, ids: set<Id>, a: Entry)
    requires Rooted(log, ids)
    requires a in log && a.uuid in ids
    requires a.parent.Some? && a.parent.value !in ids
    ensures |Keep(log, ids)| > 0 && Keep(log, ids)[0] == a
  {
    KeepHoldsExactly(log, ids);
    var i :| 0 <= i < |Keep(log, ids)| && Keep(log, ids)[i] == a;
  }

  /** The check at run time: where what is covered of the context is whole and rooted, nothing that survives gets lost, so the
    * context after the drop is exactly the context before, without what is covered. */
  lemma WholeAndRootedHasExits(log: Log, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log) && u !in ids
    requires Whole(Context(log, u), ids)
    requires Rooted(Context(log, u), ids)
    ensures Exits(log, ids, u)
    ensures u in Uuids(Drop(log, ids))
    ensures Context(Drop(log, ids), u) == Drop(Context(log, u), ids)
  {
    hide *;
    reveal Exits;
    var asOf, m, context := AsOf(log, u), Members(log, u), Context(log, u);
    SurvivorIsThere(log, ids, u);
    var s := Members(Drop(log, ids), u);
    forall a, b | a in asOf && b in asOf && a.uuid in ids && a.uuid in m && Needs(a, b) ensures b.uuid in ids || b.uuid in s {
      if b.uuid !in ids {
        WholeAndRootedLeadsOut(log, ids, u, a, b);
      }
    }
    ContextAfterDropExactly(log, ids, u);
  }

  /** One case of `WholeAndRootedHasExits`: the survivor is the parent of the first covered entry. Some survivor of the
    * conversation hangs on a covered entry, for nothing else leads there; so it hangs on that parent after the drop. */
  lemma WholeAndRootedLeadsOut(log: Log, ids: set<Id>, u: Id, a: Entry, b: Entry)
    requires WellFormed(log)
    requires u in Uuids(log) && u !in ids
    requires Whole(Context(log, u), ids)
    requires Rooted(Context(log, u), ids)
    requires a in AsOf(log, u) && b in AsOf(log, u)
    requires a.uuid in ids && a.uuid in Members(log, u) && b.uuid !in ids
    requires Needs(a, b)
    ensures u in Uuids(Drop(log, ids))
    ensures b.uuid in Members(Drop(log, ids), u)
  {
    hide WellFormed, Drop, Heir, Members, Needs, Uuids, AsOf, Keep, Context, Whole, Rooted;
    var asOf, m, context := AsOf(log, u), Members(log, u), Context(log, u);
    AsOfIsWellFormed(log, u);
    DropAddsNoMembers(log, ids, u);
    AsOfAfterDrop(log, ids, u);
    MembersAreClosedAsOf(log, u);
    AsOfIsPart(log, u);
    ContextHoldsExactlyTheMembers(log, u);
    WholeIsLeftByParent(context, ids, a, b);
    OneWayOut(context, ids, a);
    var s := Members(Drop(log, ids), u);
    if b.uuid !in s {
      MembersContainsItself(Drop(log, ids), u);
      MembersAreClosedAsOf(Drop(log, ids), u);
      forall x, y | x in asOf && y in asOf && x.uuid in s && Needs(x, y) ensures y.uuid in s {
        assert y.uuid in m;
        if y.uuid !in ids {
          SurvivorsNeedAlike(asOf, ids, x, y);
        } else {
          WholeIsEnteredByParent(context, ids, x, y);
          SurvivorHangsOnHeir(log, ids, u, x, a);
          SurvivorOf(asOf, ids, x);
          SurvivorOf(asOf, ids, b);
          assert {:contradiction} Needs(Reparented(asOf, ids, x), Reparented(asOf, ids, b)) by {
            reveal Needs;
          }
        }
      }
      MembersAreLeast(log, u, s);
    }
  }

  /** The log as of an entry is a part of the log. */
  lemma AsOfIsPart(log: Log, u: Id)
    requires u in Uuids(log)
    ensures forall e | e in AsOf(log, u) :: e in log
  {
  }

  /** From a whole span only a parent link leads out. */
  lemma WholeIsLeftByParent(entries: Log, ids: set<Id>, a: Entry, b: Entry)
    requires Whole(entries, ids)
    requires a in entries && b in entries
    requires a.uuid in ids && b.uuid !in ids
    requires Needs(a, b)
    ensures a.parent == Some(b.uuid)
  {
    AnswersAreTied(a, b);
  }

  /** A call and its answer are tied. */
  lemma AnswersAreTied(a: Entry, b: Entry)
    ensures Answers(a, b) ==> Tied(a, b)
  {
    if Answers(a, b) {
      var t :| t in UsesOf(a) * ResultsOf(b);
      assert t in ToolsOf(a) * ToolsOf(b);
    }
  }

  /** Into a whole span only a parent link leads. */
  lemma WholeIsEnteredByParent(entries: Log, ids: set<Id>, a: Entry, b: Entry)
    requires Whole(entries, ids)
    requires a in entries && b in entries
    requires a.uuid !in ids && b.uuid in ids
    requires Needs(a, b)
    ensures a.parent == Some(b.uuid)
  {
    AnswersAreTied(a, b);
    TiedIsMutual(a, b);
  }

  /** A survivor that continues a covered entry of a rooted span continues the parent of the first covered one after the drop. */
  lemma SurvivorHangsOnHeir(log: Log, ids: set<Id>, u: Id, x: Entry, first: Entry)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Rooted(Context(log, u), ids)
    requires x in AsOf(log, u)
    requires x.uuid in Members(log, u)
    requires x.parent.Some? && x.parent.value in ids
    requires |Keep(Context(log, u), ids)| > 0 && Keep(Context(log, u), ids)[0] == first
    ensures Heir(AsOf(log, u), ids, x.parent) == first.parent
  {
    hide WellFormed, Heir, Members, Rooted, AsOf, Keep, Uuids;
    AsOfIsWellFormed(log, u);
    WellFormedHasUniqueUuids(log);
    ContextIsKeptFromAsOf(log, u);
    MembersAreClosedAsOf(log, u);
    WellFormedHasNoDanglingParents(AsOf(log, u));
    ClosedIsParentClosed(AsOf(log, u), Members(log, u));
    HeirInKeep(AsOf(log, u), Members(log, u), ids, x.parent);
    ContextIsParentClosed(log, u);
    ContextHoldsExactlyTheMembers(log, u);
    HeirInRootedSpan(Context(log, u), ids, x.parent.value);
  }

  // --- Balance (P3) ---

  /** Blocks whose ids are all hidden leave the other calls of the books as they are. */
  lemma HiddenBlocksChangeNothingElse(books: Books, blocks: seq<Block>, hidden: set<Id>)
    requires Run(books, blocks).Books?
    requires forall b | b in blocks && !b.Opaque? :: b.id in hidden
    ensures books.Books?
    ensures Run(books, blocks).out - hidden == books.out - hidden
    ensures Run(books, blocks).made - hidden == books.made - hidden
    decreases |blocks|
  {
    if |blocks| > 0 {
      HiddenBlocksChangeNothingElse(books, blocks[..|blocks| - 1], hidden);
      assert blocks[|blocks| - 1] in blocks;
    }
  }

  /** Blocks none of whose ids is hidden are booked alike where the hidden calls are left out of the books. */
  lemma OtherBlocksAreBookedAlike(books: Books, blocks: seq<Block>, hidden: set<Id>)
    requires books.Books?
    requires Run(books, blocks).Books?
    requires forall b | b in blocks && !b.Opaque? :: b.id !in hidden
    ensures Run(Books(books.out - hidden, books.made - hidden), blocks)
         == Books(Run(books, blocks).out - hidden, Run(books, blocks).made - hidden)
    decreases |blocks|
  {
    if |blocks| > 0 {
      var before, b := blocks[..|blocks| - 1], blocks[|blocks| - 1];
      OtherBlocksAreBookedAlike(books, before, hidden);
      assert b in blocks;
      var r := Run(books, before);
      if b.Use? {
        assert (r.out + {b.id}) - hidden == (r.out - hidden) + {b.id};
        assert (r.made + {b.id}) - hidden == (r.made - hidden) + {b.id};
      } else if b.Result? {
        assert (r.out - {b.id}) - hidden == (r.out - hidden) - {b.id};
      }
    }
  }

  /** The ids of an entry's blocks are its tools. */
  lemma ToolsAreIdsOfBlocks(e: Entry)
    ensures forall b | b in e.blocks && !b.Opaque? :: b.id in ToolsOf(e)
    ensures forall t | t in ToolsOf(e) :: Use(t) in e.blocks || Result(t) in e.blocks
  {
  }

  /** Where a cover hides all tools of the covered entries and none of the others, the books after the drop are the books before
    * without the hidden calls. */
  lemma BooksAfterDrop(entries: Log, ids: set<Id>, hidden: set<Id>)
    requires forall e | e in entries && e.uuid in ids :: ToolsOf(e) <= hidden
    requires forall e | e in entries && e.uuid !in ids :: ToolsOf(e) !! hidden
    requires BooksOf(entries).Books?
    ensures BooksOf(Drop(entries, ids)) == Books(BooksOf(entries).out - hidden, BooksOf(entries).made - hidden)
    decreases |entries|
  {
    if |entries| > 0 {
      var before, e := entries[..|entries| - 1], entries[|entries| - 1];
      assert entries == before + [e] && e in entries;
      BooksOfOneMoreEntry(before, e);
      if BooksOf(before).Broken? {
        BrokenStaysBroken(e.blocks);
      }
      BooksAfterDrop(before, ids, hidden);
      ToolsAreIdsOfBlocks(e);
      if e.uuid in ids {
        HiddenBlocksChangeNothingElse(BooksOf(before), e.blocks, hidden);
      } else {
        BooksOfOneMoreEntry(Drop(before, ids), e.(parent := Heir(before, ids, e.parent)));
        OtherBlocksAreBookedAlike(BooksOf(before), e.blocks, hidden);
      }
    }
  }

  /** The books after one more entry. */
  lemma BooksOfOneMoreEntry(entries: Log, e: Entry)
    ensures BooksOf(entries + [e]) == Run(BooksOf(entries), e.blocks)
  {
    BooksOfConcatenation(entries, [e]);
    BlocksOfOne(e);
  }

  /** The tools of the covered entries. */
  ghost function HiddenTools(entries: Log, ids: set<Id>): set<Id> {
    set e, t | e in entries && e.uuid in ids && t in ToolsOf(e) :: t
  }

  /** A whole cover takes its calls out of the books, together with their answers, and nothing else. */
  lemma WholeDropTakesItsCallsOut(entries: Log, ids: set<Id>)
    requires Sound(entries)
    requires WholeForTools(entries, ids)
    ensures var hidden, books := HiddenTools(entries, ids), BooksOf(entries);
            BooksOf(Drop(entries, ids)) == Books(books.out - hidden, books.made - hidden)
  {
    var hidden := HiddenTools(entries, ids);
    forall e | e in entries && e.uuid !in ids ensures ToolsOf(e) !! hidden {
      forall t | t in ToolsOf(e) ensures t !in hidden {
        if t in hidden {
          var a :| a in entries && a.uuid in ids && t in ToolsOf(a);
          assert {:contradiction} t in ToolsOf(a) * ToolsOf(e);
        }
      }
    }
    forall e | e in entries && e.uuid in ids ensures ToolsOf(e) <= hidden {
    }
    BooksAfterDrop(entries, ids, hidden);
  }

  /** Every block of a conversation is covered or left. */
  lemma BlocksAreCoveredOrLeft(entries: Log, ids: set<Id>)
    ensures multiset(Blocks(entries)) == multiset(Blocks(Drop(entries, ids))) + multiset(Blocks(Keep(entries, ids)))
    decreases |entries|
  {
    if |entries| > 0 {
      var before, e := entries[..|entries| - 1], entries[|entries| - 1];
      BlocksAreCoveredOrLeft(before, ids);
      if e.uuid in ids {
        assert Keep(entries, ids)[..|Keep(before, ids)|] == Keep(before, ids);
      } else {
        assert Drop(entries, ids)[..|Drop(before, ids)|] == Drop(before, ids);
      }
    }
  }

  /** The blocks of a covered entry are covered, those of a survivor are left. */
  lemma BlocksGoWithTheirEntry(entries: Log, ids: set<Id>, e: Entry, b: Block)
    requires e in entries
    requires b in e.blocks
    ensures if e.uuid in ids then b in Blocks(Keep(entries, ids)) else b in Blocks(Drop(entries, ids))
    decreases |entries|
  {
    var before, last := entries[..|entries| - 1], entries[|entries| - 1];
    if e != last {
      assert e in before;
      BlocksGoWithTheirEntry(before, ids, e, b);
    }
    if last.uuid in ids {
      assert Keep(entries, ids)[..|Keep(before, ids)|] == Keep(before, ids);
    } else {
      assert Drop(entries, ids)[..|Drop(before, ids)|] == Drop(before, ids);
    }
  }

  /** Where both are balanced, no call is covered whose answer is left, nor the other way round: each would count twice. */
  lemma BalancedDropSeparatesNoCall(entries: Log, ids: set<Id>, a: Entry, b: Entry, t: Id)
    requires Balanced(entries) && Balanced(Drop(entries, ids))
    requires a in entries && b in entries
    requires a.uuid in ids
    requires t in ToolsOf(a) * ToolsOf(b)
    ensures b.uuid in ids
  {
    hide Balanced, Blocks, Drop, Keep;
    var all, left, gone := Blocks(entries), Blocks(Drop(entries, ids)), Blocks(Keep(entries, ids));
    BalancedIsPairedByIdAndOrder(entries);
    PairedIsCountedAndOrdered(all);
    BalancedIsPairedByIdAndOrder(Drop(entries, ids));
    PairedIsCountedAndOrdered(left);
    BlocksAreCoveredOrLeft(entries, ids);
    ToolsAreIdsOfBlocks(a);
    ToolsAreIdsOfBlocks(b);
    var x := if Use(t) in a.blocks then Use(t) else Result(t);
    var y := if Use(t) in b.blocks then Use(t) else Result(t);
    BlocksGoWithTheirEntry(entries, ids, a, x);
    assert multiset(gone)[x] >= 1;
    assert multiset(left)[Use(t)] == multiset(left)[Result(t)];
    assert multiset(all)[x] == multiset(left)[x] + multiset(gone)[x];
    assert multiset(all)[Use(t)] == multiset(all)[Result(t)] <= 1;
    if b.uuid !in ids {
      BlocksGoWithTheirEntry(entries, ids, b, y);
      assert {:contradiction} multiset(left)[y] >= 1;
    }
  }

  /** A balanced conversation is balanced after a drop exactly if the cover separates no call from its answer. */
  lemma BalancedAfterDropExactly(entries: Log, ids: set<Id>)
    requires Balanced(entries)
    ensures Balanced(Drop(entries, ids)) <==> WholeForTools(entries, ids)
  {
    hide Drop, BooksOf;
    if WholeForTools(entries, ids) {
      WholeDropTakesItsCallsOut(entries, ids);
    }
    if Balanced(Drop(entries, ids)) {
      forall a, b | a in entries && b in entries && a.uuid in ids && ToolsOf(a) * ToolsOf(b) != {} ensures b.uuid in ids {
        var t :| t in ToolsOf(a) * ToolsOf(b);
        BalancedDropSeparatesNoCall(entries, ids, a, b, t);
      }
    }
  }

  /** What is whole is whole for tools. */
  lemma WholeIsWholeForTools(entries: Log, ids: set<Id>)
    requires Whole(entries, ids)
    ensures WholeForTools(entries, ids)
  {
  }

  // --- Cuts, spans and steps ---

  /** A call that was answered is never heard of again in sound books. */
  lemma AnsweredCallsAreDone(books: Books, blocks: seq<Block>, t: Id)
    requires books.Books?
    requires t in books.made && t !in books.out
    requires Run(books, blocks).Books?
    ensures Use(t) !in blocks && Result(t) !in blocks
    ensures t in Run(books, blocks).made && t !in Run(books, blocks).out
    decreases |blocks|
  {
    if |blocks| > 0 {
      var before := blocks[..|blocks| - 1];
      AnsweredCallsAreDone(books, before, t);
      assert blocks == before + [blocks[|blocks| - 1]];
    }
  }

  /** In a sound conversation no call stands on one side of a balanced place and its answer on the other. */
  lemma BalancedPlaceSeparatesTools(entries: Log, n: nat, a: Entry, b: Entry)
    requires Sound(entries)
    requires n <= |entries|
    requires Balanced(entries[..n])
    requires a in entries[..n] && b in entries[n..]
    ensures ToolsOf(a) * ToolsOf(b) == {} == ToolsOf(b) * ToolsOf(a)
  {
    hide Blocks, Run;
    var first, rest := entries[..n], entries[n..];
    assert entries == first + rest;
    BooksOfConcatenation(first, rest);
    BooksSayWhatIsOut(Blocks(first));
    BlocksAreOfEntries(first);
    BlocksAreOfEntries(rest);
    ToolsAreIdsOfBlocks(a);
    ToolsAreIdsOfBlocks(b);
    forall t | t in ToolsOf(a) ensures t !in ToolsOf(b) {
      assert Use(t) in Blocks(first) || Result(t) in Blocks(first);
      assert t in UseIds(Blocks(first)) || t in ResultIds(Blocks(first));
      AnsweredCallsAreDone(BooksOf(first), Blocks(rest), t);
    }
  }

  /** A span between two cuts of a sound conversation, a balanced one in particular, is whole. */
  lemma SpanBetweenCutsIsWhole(entries: Log, m: nat, n: nat)
    requires UniqueUuids(entries)
    requires Sound(entries)
    requires m <= n
    requires IsCut(entries, m) && IsCut(entries, n)
    ensures Whole(entries, Span(entries, m, n))
  {
    hide Sound, Balanced, ToolsOf;
    var ids := Span(entries, m, n);
    forall a, b | a in entries && b in entries && a.uuid in ids && Tied(a, b) ensures b.uuid in ids {
      var x :| x in entries[m..n] && x.uuid == a.uuid;
      var k :| 0 <= k < n - m && entries[m..n][k] == x;
      var i := m + k;
      assert entries[i] == x;
      SameUuidIsSameEntry(entries, a, x);
      var j :| 0 <= j < |entries| && entries[j] == b;
      assert Mates(a, b) <==> Mates(b, a);
      if j < m {
        assert entries[..m][j] in entries[..m] && entries[m..][i - m] in entries[m..];
        BalancedPlaceSeparatesTools(entries, m, b, a);
      } else if j >= n {
        assert entries[..n][i] in entries[..n] && entries[n..][j - n] in entries[n..];
        BalancedPlaceSeparatesTools(entries, n, a, b);
      } else {
        assert entries[m..n][j - m] in entries[m..n];
      }
    }
  }

  /** Between two cuts of a balanced conversation a drop keeps balance. */
  lemma DropBetweenCutsKeepsBalance(entries: Log, m: nat, n: nat)
    requires UniqueUuids(entries)
    requires Balanced(entries)
    requires m <= n
    requires IsCut(entries, m) && IsCut(entries, n)
    ensures Balanced(Drop(entries, Span(entries, m, n)))
  {
    SpanBetweenCutsIsWhole(entries, m, n);
    BalancedAfterDropExactly(entries, Span(entries, m, n));
  }

  /** The ends of a balanced conversation are cuts; the beginning of every conversation is one. */
  lemma EndsAreCuts(entries: Log)
    ensures IsCut(entries, 0)
    ensures Balanced(entries) ==> IsCut(entries, |entries|)
  {
    assert Blocks(entries[..0]) == [];
    assert entries[..|entries|] == entries;
  }

  /** The last cut up to a place. */
  lemma LastCut(entries: Log, i: nat) returns (m: nat)
    requires IsCut(entries, 0)
    ensures m <= i && IsCut(entries, m)
    ensures forall k: nat | m < k <= i :: !IsCut(entries, k)
    decreases i
  {
    hide IsCut;
    if IsCut(entries, i) {
      m := i;
    } else {
      m := LastCut(entries, i - 1);
    }
  }

  /** The first cut from a place on. */
  lemma NextCut(entries: Log, i: nat, c: nat) returns (n: nat)
    requires i <= c && IsCut(entries, c)
    ensures i <= n <= c && IsCut(entries, n)
    ensures forall k: nat | i <= k < n :: !IsCut(entries, k)
    decreases c - i
  {
    hide IsCut;
    if IsCut(entries, i) {
      n := i;
    } else {
      n := NextCut(entries, i + 1, c);
    }
  }

  /** Each entry before a cut stands in a step, and in no other one. */
  lemma EachEntryHasItsStep(entries: Log, i: nat, c: nat)
    requires i < c && IsCut(entries, c)
    ensures exists m: nat, n: nat :: m <= i < n && IsStep(entries, m, n)
    ensures forall m: nat, n: nat, k: nat, l: nat |
              m <= i < n && IsStep(entries, m, n) && k <= i < l && IsStep(entries, k, l) :: m == k && n == l
  {
    hide IsCut;
    EndsAreCuts(entries);
    var m := LastCut(entries, i);
    var n := NextCut(entries, i + 1, c);
    assert IsStep(entries, m, n);
  }

  /** No step is empty. */
  lemma NoStepIsEmpty(entries: Log, m: nat, n: nat)
    requires IsStep(entries, m, n)
    ensures |Span(entries, m, n)| > 0
  {
    assert entries[m..n][0] in entries[m..n];
    assert entries[m..n][0].uuid in Span(entries, m, n);
  }

  // --- Legal points ---

  /** Looking up a survivor finds what a drop left of it. */
  lemma GetAfterDrop(log: Log, ids: set<Id>, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log) && v !in ids
    ensures v in Uuids(Drop(log, ids))
    ensures Get(Drop(log, ids), v) == Reparented(log, ids, Get(log, v))
  {
    DropIsWellFormed(log, ids);
    WellFormedHasUniqueUuids(Drop(log, ids));
    SurvivorOf(log, ids, Get(log, v));
    GetFindsEntry(Drop(log, ids), Reparented(log, ids, Get(log, v)));
  }

  /** A settled survivor stays settled where nothing gets lost. */
  lemma SettledAfterDrop(log: Log, ids: set<Id>, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log) && v !in ids
    requires Exits(log, ids, v)
    requires Settled(log, v)
    ensures v in Uuids(Drop(log, ids))
    ensures Settled(Drop(log, ids), v)
  {
    hide WellFormed, Drop, Members, Needs, Uuids, Exits;
    ContextAfterDropExactly(log, ids, v);
    forall x, y | x in Drop(log, ids) && y in Drop(log, ids) && x.uuid in Members(log, v) - ids && Needs(x, y)
      ensures y.uuid in Members(log, v) - ids
    {
      NeedsAfterDrop(log, ids, Members(log, v), x, y);
    }
  }

  /** A legal point that survives stays legal exactly if the cover separates no call of its context from its answer, where nothing
    * of the context gets lost. The same holds of resumable points. */
  lemma LegalAfterDropExactly(log: Log, ids: set<Id>, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log) && v !in ids
    requires Exits(log, ids, v)
    ensures v in Uuids(Drop(log, ids))
    ensures Resumable(log, v) ==> (Resumable(Drop(log, ids), v) <==> WholeForTools(Context(log, v), ids))
    ensures Legal(log, v) ==> (Legal(Drop(log, ids), v) <==> WholeForTools(Context(log, v), ids))
  {
    hide WellFormed, Drop, Uuids, Exits, Settled, Balanced, WholeForTools, Context;
    ContextAfterDropExactly(log, ids, v);
    GetAfterDrop(log, ids, v);
    if Resumable(log, v) {
      SettledAfterDrop(log, ids, v);
      BalancedAfterDropExactly(Context(log, v), ids);
    }
  }

  /** After the check at run time, made once for the whole log, every survivor has exactly its old context without what is
    * covered, and every legal or resumable point that survives stays so. */
  lemma LegalPointsOutsideStayLegal(log: Log, ids: set<Id>, v: Id)
    requires WellFormed(log)
    requires Whole(log, ids) && Rooted(log, ids)
    requires v in Uuids(log) && v !in ids
    ensures v in Uuids(Drop(log, ids))
    ensures Context(Drop(log, ids), v) == Drop(Context(log, v), ids)
    ensures Resumable(log, v) ==> Resumable(Drop(log, ids), v)
    ensures Legal(log, v) ==> Legal(Drop(log, ids), v)
  {
    hide WellFormed, Drop, Uuids, Whole, Rooted, Resumable, Legal, Exits;
    WholeAndRootedInContext(log, ids, v);
    WholeAndRootedHasExits(log, ids, v);
    WholeIsWholeForTools(Context(log, v), ids);
    LegalAfterDropExactly(log, ids, v);
  }

  // --- Stubs ---

  /** The ids after a replacement. */
  lemma UuidsOfReplaced(log: Log, first: Id, stub: Entry)
    requires UniqueUuids(log)
    ensures Uuids(Replace(log, first, stub)) == if first in Uuids(log) then Uuids(log) - {first} + {stub.uuid} else Uuids(log)
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      UuidsOfReplaced(before, first, stub);
      UuidsOfLast(log);
      UuidsOfLast(Replace(log, first, stub));
      LaterIsNotInPrefix(log, |before|, e.uuid);
      IndexOfIsPosition(log, |before|);
    }
  }

  /** A well-formed log stays well-formed when a new entry takes the place of an old one. */
  lemma ReplacedIsWellFormed(log: Log, first: Id, stub: Entry)
    requires WellFormed(log)
    requires stub.uuid !in Uuids(log)
    ensures WellFormed(Replace(log, first, stub))
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      UuidsOfLast(log);
      ReplacedIsWellFormed(before, first, stub);
      WellFormedHasUniqueUuids(before);
      UuidsOfReplaced(before, first, stub);
      assert Replace(log, first, stub)[..|before|] == Replace(before, first, stub) by {
        ReplacedHasEqualLength(before, first, stub);
      }
    }
  }

  /** A replacement takes nothing away and adds nothing. */
  lemma ReplacedHasEqualLength(log: Log, first: Id, stub: Entry)
    ensures |Replace(log, first, stub)| == |log|
    decreases |log|
  {
    if |log| > 0 {
      ReplacedHasEqualLength(log[..|log| - 1], first, stub);
    }
  }

  /** An entry as a replacement leaves it. */
  function Relinked(e: Entry, first: Id, stub: Entry): Entry {
    if e.uuid == first then stub.(parent := e.parent) else e.(parent := Relink(e.parent, {first}, stub.uuid))
  }

  /** A replacement in a log with one more entry. */
  lemma ReplacedOfLast(log: Log, e: Entry, first: Id, stub: Entry)
    ensures Replace(log + [e], first, stub) == Replace(log, first, stub) + [Relinked(e, first, stub)]
  {
    assert (log + [e])[..|log|] == log;
  }

  /** Where a link leads in a log with one more entry. */
  lemma HeirWithLast(log: Log, e: Entry, ids: set<Id>, p: Option<Id>)
    ensures Heir(log + [e], ids, p) ==
            if p.None? || p.value !in ids then p
            else if e.uuid == p.value then Heir(log, ids, e.parent)
            else Heir(log, ids, p)
  {
    assert (log + [e])[..|log|] == log;
  }

  /** Heirs after a replacement: what leads to the replaced entry leads to the new one. */
  lemma HeirOfReplaced(log: Log, first: Id, stub: Entry, ids: set<Id>, p: Option<Id>)
    requires WellFormed(log)
    requires stub.uuid !in Uuids(log)
    requires p.Some? ==> p.value in Uuids(log)
    requires first !in ids && stub.uuid !in ids
    ensures Heir(Replace(log, first, stub), ids, Relink(p, {first}, stub.uuid)) == Relink(Heir(log, ids, p), {first}, stub.uuid)
    decreases |log|
  {
    if p.Some? && p.value in ids {
      LogIsNotEmpty(log, p.value);
      hide Heir, Replace, Uuids;
      var before, e := log[..|log| - 1], log[|log| - 1];
      UuidsOfLast(log);
      assert log == before + [e];
      HeirOfReplaced(before, first, stub, ids, if e.uuid == p.value then e.parent else p);
      ReplacedOfLast(before, e, first, stub);
      HeirWithLast(before, e, ids, p);
      HeirWithLast(Replace(before, first, stub), Relinked(e, first, stub), ids, p);
    } else {
      HeirOfUncovered(log, ids, p);
      HeirOfUncovered(Replace(log, first, stub), ids, Relink(p, {first}, stub.uuid));
    }
  }

  /** Where nothing covered is linked, the link stays. */
  lemma HeirOfUncovered(log: Log, ids: set<Id>, p: Option<Id>)
    requires p.Some? ==> p.value !in ids
    ensures Heir(log, ids, p) == p
  {
  }

  /** Dropping others commutes with a replacement. */
  lemma DropOfReplaced(log: Log, first: Id, stub: Entry, ids: set<Id>)
    requires WellFormed(log)
    requires stub.uuid !in Uuids(log)
    requires first !in ids && stub.uuid !in ids
    ensures Drop(Replace(log, first, stub), ids) == Replace(Drop(log, ids), first, stub)
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      UuidsOfLast(log);
      assert log == before + [e];
      DropOfReplaced(before, first, stub, ids);
      HeirOfReplaced(before, first, stub, ids, e.parent);
      ReplacedOfLast(before, e, first, stub);
      DropOfLast(before, e, ids);
      if e.uuid == first {
        FirstIsNotItsOwnHeir(before, e, ids);
        DropOfLast(Replace(before, first, stub), stub.(parent := e.parent), ids);
        ReplacedOfLast(Drop(before, ids), e.(parent := Heir(before, ids, e.parent)), first, stub);
      } else {
        var x := e.(parent := Relink(e.parent, {first}, stub.uuid));
        DropOfLast(Replace(before, first, stub), x, ids);
        if e.uuid !in ids {
          ReplacedOfLast(Drop(before, ids), e.(parent := Heir(before, ids, e.parent)), first, stub);
        }
      }
    }
  }

  /** No link before an entry leads to it. */
  lemma FirstIsNotItsOwnHeir(log: Log, e: Entry, ids: set<Id>)
    requires WellFormed(log + [e])
    ensures e.parent != Some(e.uuid)
    ensures Heir(log, ids, e.parent) != Some(e.uuid)
  {
    assert (log + [e])[..|log|] == log;
    HeirSurvives(log, ids, e.parent);
  }

  /** Dropping the new entry is dropping the one whose place it took. */
  lemma DropOfStub(log: Log, first: Id, stub: Entry)
    requires WellFormed(log)
    requires stub.uuid !in Uuids(log)
    requires first in Uuids(log)
    ensures Drop(Replace(log, first, stub), {stub.uuid}) == Drop(log, {first})
    decreases |log|
  {
    var before, e := log[..|log| - 1], log[|log| - 1];
    UuidsOfLast(log);
    assert log == before + [e];
    ReplacedOfLast(before, e, first, stub);
    if e.uuid == first {
      ReplacingNothing(before, first, stub);
      UuidsOfLast(log);
      DropOfNothingIsTheLog(before, {stub.uuid});
      DropOfNothingIsTheLog(before, {first});
      DropOfLast(Replace(before, first, stub), stub.(parent := e.parent), {stub.uuid});
    } else {
      DropOfStub(before, first, stub);
      HeirOfStub(before, first, stub, e.parent);
      DropOfLast(Replace(before, first, stub), e.(parent := Relink(e.parent, {first}, stub.uuid)), {stub.uuid});
    }
  }

  /** Where the entry is not there nothing is replaced. */
  lemma ReplacingNothing(log: Log, first: Id, stub: Entry)
    requires WellFormed(log)
    requires first !in Uuids(log)
    ensures Replace(log, first, stub) == log
    decreases |log|
  {
    if |log| > 0 {
      UuidsOfLast(log);
      ReplacingNothing(log[..|log| - 1], first, stub);
    }
  }

  /** What hung on the replaced entry finds the same heir when the new one is dropped. */
  lemma HeirOfStub(log: Log, first: Id, stub: Entry, p: Option<Id>)
    requires WellFormed(log)
    requires stub.uuid !in Uuids(log)
    requires p.Some? ==> p.value in Uuids(log)
    ensures Heir(Replace(log, first, stub), {stub.uuid}, Relink(p, {first}, stub.uuid)) == Heir(log, {first}, p)
    decreases |log|
  {
    if p == Some(first) {
      var before, e := log[..|log| - 1], log[|log| - 1];
      UuidsOfLast(log);
      assert log == before + [e];
      ReplacedOfLast(before, e, first, stub);
      ReplacedHasEqualLength(before, first, stub);
      assert Replace(log, first, stub)[..|before|] == Replace(before, first, stub);
      if e.uuid != first {
        HeirOfStub(before, first, stub, p);
      }
    }
  }

  /** What is first is covered. */
  lemma FirstIsCovered(log: Log, ids: set<Id>)
    ensures First(log, ids).None? <==> Uuids(log) !! ids
    ensures First(log, ids).Some? ==> First(log, ids).value in Uuids(log) && First(log, ids).value in ids
  {
    KeepHoldsExactly(log, ids);
    UuidsOfKeep(log, ids);
    if Uuids(log) !! ids {
      KeepingNoneIsEmpty(log, ids);
    } else {
      var u :| u in Uuids(log) && u in ids;
      assert u in Uuids(Keep(log, ids));
    }
    if First(log, ids).Some? {
      assert Keep(log, ids)[0] in Keep(log, ids);
    }
  }

  /** A drop that leaves a stub leaves a well-formed log: the plain drop, and the stub. When the stub is dropped too it is
    * exactly the plain drop. */
  lemma DropWithStubIsDropAndStub(log: Log, ids: set<Id>, stub: Entry)
    requires WellFormed(log)
    requires stub.uuid !in Uuids(log)
    requires !(Uuids(log) !! ids)
    ensures WellFormed(DropWithStub(log, ids, stub))
    ensures Uuids(DropWithStub(log, ids, stub)) == Uuids(log) - ids + {stub.uuid}
    ensures Drop(DropWithStub(log, ids, stub), {stub.uuid}) == Drop(log, ids)
  {
    hide WellFormed, Drop, Replace, Uuids, Keep;
    FirstIsCovered(log, ids);
    var first := First(log, ids).value;
    var left := Drop(log, ids - {first});
    DropIsWellFormed(log, ids - {first});
    UuidsOfDrop(log, ids - {first});
    ReplacedIsWellFormed(left, first, stub);
    WellFormedHasUniqueUuids(left);
    UuidsOfReplaced(left, first, stub);
    DropOfStub(left, first, stub);
    DropOfDropIsDropOfUnion(log, ids - {first}, {first});
    assert ids - {first} + {first} == ids;
    assert Uuids(log) - (ids - {first}) - {first} + {stub.uuid} == Uuids(log) - ids + {stub.uuid};
  }

  /** A replacement leaves every entry in its place. */
  lemma ReplaceHoldsExactly(log: Log, first: Id, stub: Entry)
    ensures |Replace(log, first, stub)| == |log|
    ensures forall i | 0 <= i < |log| :: Replace(log, first, stub)[i] == Relinked(log[i], first, stub)
    decreases |log|
  {
    if |log| > 0 {
      ReplaceHoldsExactly(log[..|log| - 1], first, stub);
    }
  }

  /** A drop with a stub leaves what the drop of all covered entries but the first leaves, in order, with the stub in the place
    * of the first: it continues what that one continued, and what then continued that one continues the stub. */
  lemma StubStandsInPlace(log: Log, ids: set<Id>, stub: Entry)
    requires WellFormed(log)
    requires First(log, ids).Some?
    ensures var first := First(log, ids).value;
            var rest := ids - {first};
            && first in Uuids(log)
            && |DropWithStub(log, ids, stub)| == |Rest(log, rest)|
            && (forall i | 0 <= i < |Rest(log, rest)| ::
                  DropWithStub(log, ids, stub)[i] == Relinked(Reparented(log, rest, Rest(log, rest)[i]), first, stub))
  {
    hide WellFormed, Drop, Replace, Keep, Uuids;
    var first := First(log, ids).value;
    FirstIsCovered(log, ids);
    DropHoldsExactlyTheRest(log, ids - {first});
    ReplaceHoldsExactly(Drop(log, ids - {first}), first, stub);
  }

  /** Where nothing is covered no stub is left. */
  lemma NothingCoveredLeavesNoStub(log: Log, ids: set<Id>, stub: Entry)
    requires Uuids(log) !! ids
    ensures DropWithStub(log, ids, stub) == log
  {
    FirstIsCovered(log, ids);
  }

  /** Dropping entries that neither call nor answer changes no books. */
  lemma DroppingSilenceKeepsBooks(entries: Log, ids: set<Id>)
    requires forall e | e in entries && e.uuid in ids :: forall b | b in e.blocks :: b.Opaque?
    ensures BooksOf(Drop(entries, ids)) == BooksOf(entries)
    decreases |entries|
  {
    if |entries| > 0 {
      var before, e := entries[..|entries| - 1], entries[|entries| - 1];
      assert entries == before + [e] && e in entries;
      DroppingSilenceKeepsBooks(before, ids);
      BooksOfOneMoreEntry(before, e);
      if e.uuid in ids {
        OpaqueBlocksChangeNothing(BooksOf(before), e.blocks);
      } else {
        BooksOfOneMoreEntry(Drop(before, ids), e.(parent := Heir(before, ids, e.parent)));
      }
    }
  }

  /** What stands in the place of another entry is the stub. */
  lemma StubStandsAlone(log: Log, first: Id, stub: Entry, e: Entry)
    requires stub.uuid !in Uuids(log)
    requires e in Replace(log, first, stub) && e.uuid == stub.uuid
    ensures e.blocks == stub.blocks
    decreases |log|
  {
    if |log| > 0 {
      var before, last := log[..|log| - 1], log[|log| - 1];
      UuidsOfLast(log);
      if e in Replace(before, first, stub) {
        StubStandsAlone(before, first, stub, e);
      }
    }
  }

  /** A stub that neither calls nor answers leaves the books exactly as the plain drop does: so a balanced conversation stays
    * balanced exactly if the cover separates no call from its answer. */
  lemma SilentStubKeepsBooks(entries: Log, ids: set<Id>, stub: Entry)
    requires WellFormed(entries)
    requires stub.uuid !in Uuids(entries)
    requires !(Uuids(entries) !! ids)
    requires forall b | b in stub.blocks :: b.Opaque?
    ensures BooksOf(DropWithStub(entries, ids, stub)) == BooksOf(Drop(entries, ids))
    ensures Balanced(entries) ==> (Balanced(DropWithStub(entries, ids, stub)) <==> WholeForTools(entries, ids))
  {
    hide WellFormed, Drop, Replace, Keep, BooksOf, WholeForTools;
    FirstIsCovered(entries, ids);
    var first := First(entries, ids).value;
    var left := Drop(entries, ids - {first});
    var after := DropWithStub(entries, ids, stub);
    DropWithStubIsDropAndStub(entries, ids, stub);
    UuidsOfDrop(entries, ids - {first});
    forall e | e in after && e.uuid in {stub.uuid} ensures forall b | b in e.blocks :: b.Opaque? {
      StubStandsAlone(left, first, stub, e);
    }
    DroppingSilenceKeepsBooks(after, {stub.uuid});
    if Balanced(entries) {
      BalancedAfterDropExactly(entries, ids);
    }
  }

  /** Replacements of two entries commute. */
  lemma ReplacementsCommute(log: Log, a: Id, x: Entry, b: Id, y: Entry)
    requires WellFormed(log)
    requires a != b && x.uuid != y.uuid
    requires x.uuid !in Uuids(log) + {b} && y.uuid !in Uuids(log) + {a}
    ensures Replace(Replace(log, a, x), b, y) == Replace(Replace(log, b, y), a, x)
    decreases |log|
  {
    hide Uuids;
    if |log| > 0 {
      hide Replace;
      var before, e := log[..|log| - 1], log[|log| - 1];
      UuidsOfLast(log);
      assert log == before + [e];
      ReplacementsCommute(before, a, x, b, y);
      ReplacedOfLast(before, e, a, x);
      ReplacedOfLast(before, e, b, y);
      ReplacedOfLast(Replace(before, a, x), Relinked(e, a, x), b, y);
      ReplacedOfLast(Replace(before, b, y), Relinked(e, b, y), a, x);
      RelinkingsCommute(e, a, x, b, y);
    }
  }

  /** One entry, after both replacements. */
  lemma RelinkingsCommute(e: Entry, a: Id, x: Entry, b: Id, y: Entry)
    requires a != b && x.uuid != b && y.uuid != a
    ensures Relinked(Relinked(e, a, x), b, y) == Relinked(Relinked(e, b, y), a, x)
  {
  }

  /** What is first of another span is first after a drop with a stub. */
  lemma FirstAfterDropWithStub(log: Log, a: set<Id>, x: Entry, b: set<Id>)
    requires a !! b
    requires x.uuid !in b
    ensures First(DropWithStub(log, a, x), b) == First(log, b)
  {
    hide WellFormed, Drop, Replace, Uuids, Keep;
    FirstIsCovered(log, a);
    if First(log, a).Some? {
      var first := First(log, a).value;
      UuidsOfDrop(log, a - {first});
      KeptIdsAfterDrop(log, a - {first}, b);
      KeptIdsAfterReplace(Drop(log, a - {first}), first, x, b);
      SameIdsSameFirst(log, DropWithStub(log, a, x), b);
    }
  }

  /** The ids of entries, in their order. */
  function IdsOf(entries: Log): seq<Id>
    decreases |entries|
  {
    if |entries| == 0 then [] else IdsOf(entries[..|entries| - 1]) + [entries[|entries| - 1].uuid]
  }

  /** The ids of one more entry. */
  lemma IdsOfLast(entries: Log, e: Entry)
    ensures IdsOf(entries + [e]) == IdsOf(entries) + [e.uuid]
  {
    assert (entries + [e])[..|entries|] == entries;
  }

  /** Dropping others leaves the same ids of a span, in the same order. */
  lemma KeptIdsAfterDrop(log: Log, a: set<Id>, b: set<Id>)
    requires a !! b
    ensures IdsOf(Keep(Drop(log, a), b)) == IdsOf(Keep(log, b))
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      KeptIdsAfterDrop(before, a, b);
      var x := e.(parent := Heir(before, a, e.parent));
      KeepOfLast(Drop(before, a), x, b);
      IdsOfLast(Keep(before, b), e);
      IdsOfLast(Keep(Drop(before, a), b), x);
    }
  }

  /** Replacing another entry leaves the same ids of a span, in the same order. */
  lemma KeptIdsAfterReplace(log: Log, first: Id, stub: Entry, b: set<Id>)
    requires first !in b && stub.uuid !in b
    ensures IdsOf(Keep(Replace(log, first, stub), b)) == IdsOf(Keep(log, b))
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      KeptIdsAfterReplace(before, first, stub, b);
      var x := if e.uuid == first then stub.(parent := e.parent) else e.(parent := Relink(e.parent, {first}, stub.uuid));
      KeepOfLast(Replace(before, first, stub), x, b);
      IdsOfLast(Keep(before, b), e);
      IdsOfLast(Keep(Replace(before, first, stub), b), x);
    }
  }

  /** The same ids in the same order have the same first. */
  lemma SameIdsSameFirst(log: Log, other: Log, b: set<Id>)
    requires IdsOf(Keep(log, b)) == IdsOf(Keep(other, b))
    ensures First(log, b) == First(other, b)
  {
    IdsAtPositions(Keep(log, b));
    IdsAtPositions(Keep(other, b));
  }

  /** The ids by positions. */
  lemma IdsAtPositions(entries: Log)
    ensures |IdsOf(entries)| == |entries|
    ensures forall i | 0 <= i < |entries| :: IdsOf(entries)[i] == entries[i].uuid
    decreases |entries|
  {
    if |entries| > 0 {
      IdsAtPositions(entries[..|entries| - 1]);
    }
  }

  /** Drops of disjoint spans that leave stubs commute. */
  lemma DropsWithStubsCommute(log: Log, a: set<Id>, x: Entry, b: set<Id>, y: Entry)
    requires WellFormed(log)
    requires a !! b
    requires x.uuid != y.uuid
    requires x.uuid !in Uuids(log) && x.uuid !in b
    requires y.uuid !in Uuids(log) && y.uuid !in a
    ensures DropWithStub(DropWithStub(log, a, x), b, y) == DropWithStub(DropWithStub(log, b, y), a, x)
  {
    hide WellFormed, Drop, Replace, Uuids, First;
    FirstIsCovered(log, a);
    FirstIsCovered(log, b);
    FirstAfterDropWithStub(log, a, x, b);
    FirstAfterDropWithStub(log, b, y, a);
    if First(log, a).Some? && First(log, b).Some? {
      var fa, fb := First(log, a).value, First(log, b).value;
      ReplacementAndDropTwice(log, a - {fa}, fa, x, b - {fb}, fb, y);
    }
  }

  /** `DropsWithStubsCommute`, where both spans have a first entry. */
  lemma ReplacementAndDropTwice(log: Log, a: set<Id>, fa: Id, x: Entry, b: set<Id>, fb: Id, y: Entry)
    requires WellFormed(log)
    requires fa !in b && fb !in a && fa != fb
    requires fa in Uuids(log) && fb in Uuids(log)
    requires x.uuid != y.uuid
    requires x.uuid !in Uuids(log) && x.uuid !in b
    requires y.uuid !in Uuids(log) && y.uuid !in a
    ensures Replace(Drop(Replace(Drop(log, a), fa, x), b), fb, y) == Replace(Drop(Replace(Drop(log, b), fb, y), a), fa, x)
  {
    hide *;
    UuidsOfDrop(log, a);
    UuidsOfDrop(log, b);
    DropIsWellFormed(log, a);
    DropIsWellFormed(log, b);
    DropOfReplaced(Drop(log, a), fa, x, b);
    DropOfReplaced(Drop(log, b), fb, y, a);
    DropsCommute(log, a, b);
    UuidsOfDrop(Drop(log, a), b);
    DropIsWellFormed(Drop(log, a), b);
    ReplacementsCommute(Drop(Drop(log, a), b), fa, x, fb, y);
  }

  // --- Contexts with stubs ---

  /** In a rooted span everything hangs on the first covered entry, when that one is left. */
  lemma HeirInRootedSpanIsFirst(log: Log, ids: set<Id>, p: Id)
    requires WellFormed(log)
    requires Rooted(log, ids)
    requires p in Uuids(log) && p in ids
    ensures |Keep(log, ids)| > 0
    ensures Heir(log, ids - {Keep(log, ids)[0].uuid}, Some(p)) == Some(Keep(log, ids)[0].uuid)
    decreases |log|
  {
    var before, e := log[..|log| - 1], log[|log| - 1];
    UuidsOfLast(log);
    UuidsOfKeep(before, ids);
    assert Rooted(before, ids) by {
      assert Keep(before, ids) <= Keep(log, ids);
    }
    if e.uuid != p {
      HeirInRootedSpanIsFirst(before, ids, p);
    } else if |Keep(before, ids)| == 0 {
      assert Keep(log, ids) == [e];
    } else {
      assert Keep(log, ids)[|Keep(before, ids)|] == e;
      assert Keep(before, ids)[0] in Keep(before, ids);
      HeirInRootedSpanIsFirst(before, ids, e.parent.value);
    }
  }

  /** The first covered entry of a whole, rooted span belongs to every conversation that has anything of the span, also when
    * all the others are dropped. */
  lemma FirstIsStillMember(log: Log, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires Whole(log, ids) && Rooted(log, ids)
    requires u in Uuids(log) && u !in ids
    requires !(Members(log, u) !! ids)
    ensures First(log, ids).Some?
    ensures u in Uuids(Drop(log, ids - {First(log, ids).value}))
    ensures First(log, ids).value in Members(Drop(log, ids - {First(log, ids).value}), u)
  {
    hide WellFormed, Drop, Heir, Members, Needs, Uuids, AsOf, Keep, Whole, Rooted, First;
    var asOf, m := AsOf(log, u), Members(log, u);
    FirstIsCovered(log, ids);
    MembersAreAsOf(log, u);
    var first := First(log, ids).value;
    var rest := ids - {first};
    AsOfIsWellFormed(log, u);
    DropAddsNoMembers(log, rest, u);
    AsOfAfterDrop(log, rest, u);
    MembersAreClosedAsOf(log, u);
    AsOfIsPart(log, u);
    var s := Members(Drop(log, rest), u);
    if first !in s {
      MembersContainsItself(Drop(log, rest), u);
      MembersAreClosedAsOf(Drop(log, rest), u);
      forall x, y | x in asOf && y in asOf && x.uuid in s && Needs(x, y) ensures y.uuid in s {
        if y.uuid !in rest {
          SurvivorsNeedAlike(asOf, rest, x, y);
        } else {
          WholeIsEnteredByParent(log, ids, x, y);
          HangsOnFirstAfterDrop(log, ids, u, x, y);
        }
      }
      MembersAreLeast(log, u, s);
    }
  }

  /** A survivor that continues a covered entry needs the first covered one, when all the others are dropped. */
  lemma HangsOnFirstAfterDrop(log: Log, ids: set<Id>, u: Id, x: Entry, y: Entry)
    requires WellFormed(log)
    requires Rooted(log, ids)
    requires u in Uuids(log)
    requires x in AsOf(log, u) && y in AsOf(log, u)
    requires x.parent == Some(y.uuid) && y.uuid in ids && x.uuid !in ids
    ensures First(log, ids).Some?
    ensures var first := First(log, ids).value;
            var rest := ids - {first};
            && Reparented(AsOf(log, u), rest, x) in Drop(AsOf(log, u), rest)
            && exists z | z in Drop(AsOf(log, u), rest) :: z.uuid == first && Needs(Reparented(AsOf(log, u), rest, x), z)
  {
    hide WellFormed, Drop, Heir, Uuids, Keep, Rooted, IndexOf;
    var asOf := AsOf(log, u);
    AsOfIsWellFormed(log, u);
    assert y.uuid in Uuids(asOf) && y.uuid in Uuids(log) by {
      reveal Uuids;
    }
    HeirInRootedSpanIsFirst(log, ids, y.uuid);
    var first := First(log, ids).value;
    var rest := ids - {first};
    HeirInPrefix(log, IndexOf(log, u) + 1, rest, x.parent);
    HeirSurvives(asOf, rest, x.parent);
    SurvivorOf(asOf, rest, x);
    var e := Get(asOf, first);
    SurvivorOf(asOf, rest, e);
    assert Needs(Reparented(asOf, rest, x), Reparented(asOf, rest, e));
  }

  /** Where the first covered entry is left, nothing else that survives gets lost. */
  lemma ExitsWithFirstLeft(log: Log, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires Whole(log, ids) && Rooted(log, ids)
    requires u in Uuids(log) && u !in ids
    requires !(Members(log, u) !! ids)
    ensures First(log, ids).Some?
    ensures Exits(log, ids - {First(log, ids).value}, u)
  {
    hide WellFormed, Drop, Members, Needs, Uuids, AsOf, Whole, Rooted;
    FirstIsStillMember(log, ids, u);
    AsOfIsPart(log, u);
    var rest := ids - {First(log, ids).value};
    forall a, b | a in AsOf(log, u) && b in AsOf(log, u) && a.uuid in rest && a.uuid in Members(log, u) && Needs(a, b)
      ensures b.uuid in rest || b.uuid in Members(Drop(log, rest), u)
    {
      if b.uuid !in ids {
        WholeIsLeftByParent(log, ids, a, b);
        OneWayOut(log, ids, a);
      }
    }
  }

  /** An entry is tied to no other one. */
  ghost predicate StandsAlone(log: Log, first: Id, e: Entry) {
    forall b | b in log && b.uuid != first :: !Tied(e, b) && !Tied(b, e)
  }

  /** The log as of an entry, after a replacement of another one. */
  lemma AsOfReplaced(log: Log, first: Id, stub: Entry, u: Id)
    requires WellFormed(log)
    requires stub.uuid !in Uuids(log)
    requires u in Uuids(log) && u != first
    ensures u in Uuids(Replace(log, first, stub))
    ensures AsOf(Replace(log, first, stub), u) == Replace(AsOf(log, u), first, stub)
    decreases |log|
  {
    var before, e := log[..|log| - 1], log[|log| - 1];
    var left, after := Replace(before, first, stub), Replace(log, first, stub);
    ReplacedIsWellFormed(log, first, stub);
    WellFormedHasUniqueUuids(log);
    WellFormedHasUniqueUuids(after);
    UuidsOfReplaced(log, first, stub);
    ReplacedHasEqualLength(log, first, stub);
    ReplacedHasEqualLength(before, first, stub);
    if e.uuid == u {
      IndexOfIsPosition(log, |log| - 1);
      IndexOfIsPosition(after, |after| - 1);
      assert AsOf(log, u) == log && AsOf(after, u) == after;
    } else {
      UuidsOfLast(log);
      AsOfReplaced(before, first, stub, u);
      IndexOfInPrefix(log, |before|, u);
      assert after[..|left|] == left;
      IndexOfInPrefix(after, |left|, u);
    }
  }

  /** What an entry after a replacement was. */
  lemma OriginOfReplaced(log: Log, first: Id, stub: Entry, x: Entry) returns (e: Entry)
    requires x in Replace(log, first, stub)
    ensures e in log && x == Relinked(e, first, stub)
    decreases |log|
  {
    var before, last := log[..|log| - 1], log[|log| - 1];
    ReplacedOfLast(before, last, first, stub);
    assert log == before + [last];
    if x in Replace(before, first, stub) {
      e := OriginOfReplaced(before, first, stub, x);
    } else {
      e := last;
    }
  }

  /** Ids, where another one stands for `first`. */
  function Swapped(ids: set<Id>, first: Id, to: Id): set<Id> {
    if first in ids then ids - {first} + {to} else ids
  }

  /** A replacement adds no members, where neither entry is tied to any other. */
  lemma ReplacementAddsNoMembers(log: Log, first: Id, stub: Entry, u: Id)
    requires WellFormed(log)
    requires stub.uuid !in Uuids(log)
    requires first in Uuids(log) && u in Uuids(log) && u != first
    requires StandsAlone(log, first, stub)
    ensures u in Uuids(Replace(log, first, stub))
    ensures Members(Replace(log, first, stub), u) <= Swapped(Members(log, u), first, stub.uuid)
  {
    hide WellFormed, Replace, Members, Needs, Uuids, AsOf, StandsAlone, IndexOf;
    var asOf, m := AsOf(log, u), Members(log, u);
    var s := Swapped(m, first, stub.uuid);
    AsOfReplaced(log, first, stub, u);
    MembersAreClosedAsOf(log, u);
    MembersContainsItself(log, u);
    MembersAreAsOf(log, u);
    AsOfIsPart(log, u);
    forall x, y | x in Replace(asOf, first, stub) && y in Replace(asOf, first, stub) && x.uuid in s && Needs(x, y)
      ensures y.uuid in s
    {
      var a := OriginOfReplaced(asOf, first, stub, x);
      var b := OriginOfReplaced(asOf, first, stub, y);
      assert a.uuid in Uuids(log) && b.uuid in Uuids(log) by {
        reveal Uuids;
      }
      RelinkedNeedsAlike(log, first, stub, a, b);
    }
    MembersAreLeast(Replace(log, first, stub), u, s);
  }

  /** What an entry needs after a replacement it needed before, itself aside. */
  lemma RelinkedNeedsAlike(log: Log, first: Id, stub: Entry, a: Entry, b: Entry)
    requires WellFormed(log)
    requires stub.uuid !in Uuids(log)
    requires first in Uuids(log)
    requires StandsAlone(log, first, stub)
    requires a in log && b in log
    requires Needs(Relinked(a, first, stub), Relinked(b, first, stub))
    ensures Needs(a, b) || a.uuid == b.uuid
  {
    var x, y := Relinked(a, first, stub), Relinked(b, first, stub);
    WellFormedHasNoDanglingParents(log);
    if x.parent == Some(y.uuid) {
      assert a.parent == Some(b.uuid);
    } else {
      if Answers(x, y) {
        assert ToolsOf(x) * ToolsOf(y) != {} by {
          var t :| t in UsesOf(x) * ResultsOf(y);
          assert t in ToolsOf(x) * ToolsOf(y);
        }
      }
      assert Tied(x, y);
      assert a.uuid == first && b.uuid != first ==> Tied(stub, b);
      assert b.uuid == first && a.uuid != first ==> Tied(a, stub);
    }
  }

  /** Replacing back gives the log again. */
  lemma ReplacingBack(log: Log, first: Id, stub: Entry, e: Entry)
    requires WellFormed(log)
    requires stub.uuid !in Uuids(log)
    requires e.uuid == first
    requires forall x | x in log && x.uuid == first :: x == e
    ensures Replace(Replace(log, first, stub), stub.uuid, e) == log
    decreases |log|
  {
    hide Uuids;
    if |log| > 0 {
      hide Replace;
      var before, last := log[..|log| - 1], log[|log| - 1];
      UuidsOfLast(log);
      assert log == before + [last] && last in log;
      ReplacingBack(before, first, stub, e);
      ReplacedOfLast(before, last, first, stub);
      ReplacedOfLast(Replace(before, first, stub), Relinked(last, first, stub), stub.uuid, e);
      assert Relinked(Relinked(last, first, stub), stub.uuid, e) == last;
    }
  }

  /** Keeping what stands for the kept ids is replacing in what is kept. */
  lemma KeepOfReplaced(log: Log, first: Id, stub: Entry, m: set<Id>)
    requires stub.uuid !in Uuids(log) + m
    ensures Keep(Replace(log, first, stub), Swapped(m, first, stub.uuid)) == Replace(Keep(log, m), first, stub)
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      UuidsOfLast(log);
      KeepOfReplaced(before, first, stub, m);
      KeepOfLast(Replace(before, first, stub), Relinked(e, first, stub), Swapped(m, first, stub.uuid));
      if e.uuid in m {
        ReplacedOfLast(Keep(before, m), e, first, stub);
      }
    }
  }

  /** A replacement keeps the members, where neither entry is tied to any other: the new one stands for the old one. */
  lemma ReplacementKeepsMembers(log: Log, first: Id, stub: Entry, u: Id)
    requires WellFormed(log)
    requires stub.uuid !in Uuids(log)
    requires first in Uuids(log) && u in Uuids(log) && u != first
    requires StandsAlone(log, first, Get(log, first)) && StandsAlone(log, first, stub)
    ensures u in Uuids(Replace(log, first, stub))
    ensures Members(Replace(log, first, stub), u) == Swapped(Members(log, u), first, stub.uuid)
  {
    hide WellFormed, Replace, Members, Uuids, Tied;
    var after, e := Replace(log, first, stub), Get(log, first);
    WellFormedHasUniqueUuids(log);
    ReplacementAddsNoMembers(log, first, stub, u);
    ReplacedIsWellFormed(log, first, stub);
    UuidsOfReplaced(log, first, stub);
    forall x | x in log && x.uuid == first ensures x == e {
      SameUuidIsSameEntry(log, x, e);
    }
    ReplacingBack(log, first, stub, e);
    assert StandsAlone(after, stub.uuid, e) by {
      forall b | b in after && b.uuid != stub.uuid ensures !Tied(e, b) && !Tied(b, e) {
        var a := OriginOfReplaced(log, first, stub, b);
        TiedAlike(e, a, b);
      }
    }
    ReplacementAddsNoMembers(after, stub.uuid, e, u);
    MembersAreAsOf(log, u);
    MembersAreAsOf(after, u);
  }

  /** A parent ties nothing. */
  lemma TiedAlike(e: Entry, a: Entry, b: Entry)
    requires b == a.(parent := b.parent)
    ensures Tied(e, a) <==> Tied(e, b)
    ensures Tied(a, e) <==> Tied(b, e)
  {
  }

  /** Where a whole span leaves a stub that is tied to nothing, a context that has nothing of the span stays as it is. */
  lemma ContextBesideStub(log: Log, ids: set<Id>, stub: Entry, u: Id)
    requires WellFormed(log)
    requires Whole(log, ids)
    requires u in Uuids(log)
    requires Members(log, u) !! ids
    requires stub.uuid !in Uuids(log)
    requires forall b | b in log :: !Tied(stub, b) && !Tied(b, stub)
    ensures u in Uuids(DropWithStub(log, ids, stub))
    ensures Context(DropWithStub(log, ids, stub), u) == Context(log, u)
  {
    hide WellFormed, Drop, Heir, Replace, Members, Uuids, Keep, Tied, Whole, First;
    if First(log, ids).Some? {
      var first := First(log, ids).value;
      var rest, m := ids - {first}, Members(log, u);
      var left := Drop(log, rest);
      FirstIsCovered(log, ids);
      MembersContainsItself(log, u);
      assert u !in rest && m - rest == m;
      assert Exits(log, rest, u);
      ContextAfterDropExactly(log, rest, u);
      ContextIsParentClosed(log, u);
      ContextHoldsExactlyTheMembers(log, u);
      DropOfNothingIsTheLog(Context(log, u), rest);
      DropIsWellFormed(log, rest);
      UuidsOfDrop(log, rest);
      DropLeavesFirstAlone(log, ids, stub);
      ReplacementKeepsMembers(left, first, stub, u);
      MembersAreAsOf(left, u);
      KeepOfReplaced(left, first, stub, m);
      assert Keep(left, m) == Context(log, u);
      ReplacingNothing(Context(log, u), first, stub);
      assert Swapped(m, first, stub.uuid) == m;
    }
  }

  /** Where a whole, rooted span leaves a stub that is tied to nothing, the context after the drop is exactly the context
    * before, with the stub in place of the span, for every survivor. */
  lemma ContextAfterDropWithStub(log: Log, ids: set<Id>, stub: Entry, u: Id)
    requires WellFormed(log)
    requires Whole(log, ids) && Rooted(log, ids)
    requires u in Uuids(log) && u !in ids
    requires stub.uuid !in Uuids(log)
    requires forall b | b in log :: !Tied(stub, b) && !Tied(b, stub)
    ensures u in Uuids(DropWithStub(log, ids, stub))
    ensures Context(DropWithStub(log, ids, stub), u) == DropWithStub(Context(log, u), ids, stub)
  {
    hide WellFormed, Drop, Heir, Replace, Members, Uuids, Keep, Tied, Whole, Rooted, First, Exits;
    if Members(log, u) !! ids {
      ContextBesideStub(log, ids, stub, u);
      ContextHoldsExactlyTheMembers(log, u);
      NothingCoveredLeavesNoStub(Context(log, u), ids, stub);
    } else {
      ExitsWithFirstLeft(log, ids, u);
      FirstIsStillMember(log, ids, u);
      FirstIsCovered(log, ids);
      var first := First(log, ids).value;
      var rest := ids - {first};
      var left := Drop(log, rest);
      ContextAfterDropExactly(log, rest, u);
      UuidsOfDrop(log, rest);
      DropIsWellFormed(log, rest);
      GetAfterDrop(log, rest, first);
      DropLeavesFirstAlone(log, ids, stub);
      ReplacementKeepsMembers(left, first, stub, u);
      MembersAreAsOf(left, u);
      KeepOfReplaced(left, first, stub, Members(left, u));
      FirstOfContext(log, ids, u);
    }
  }

  /** When the rest of a whole span is dropped its first entry is tied to nothing. */
  lemma DropLeavesFirstAlone(log: Log, ids: set<Id>, stub: Entry)
    requires WellFormed(log)
    requires Whole(log, ids)
    requires First(log, ids).Some?
    requires forall b | b in log :: !Tied(stub, b) && !Tied(b, stub)
    ensures var first := First(log, ids).value;
            var left := Drop(log, ids - {first});
            && first in Uuids(left)
            && StandsAlone(left, first, Get(left, first)) && StandsAlone(left, first, stub)
  {
    hide WellFormed, Drop, Heir, Uuids, Keep, Tied, First;
    FirstIsCovered(log, ids);
    var first := First(log, ids).value;
    var rest := ids - {first};
    var left, e := Drop(log, rest), Get(log, first);
    GetAfterDrop(log, rest, first);
    forall b | b in left && b.uuid != first
      ensures !Tied(Get(left, first), b) && !Tied(b, Get(left, first)) && !Tied(stub, b) && !Tied(b, stub)
    {
      var a := OriginOf(log, rest, b);
      TiedAlike(Get(left, first), a, b);
      TiedAlike(a, e, Get(left, first));
      TiedAlike(stub, a, b);
      TiedIsMutual(e, a);
      assert a.uuid !in ids;
    }
  }

  /** To be tied is mutual. */
  lemma TiedIsMutual(a: Entry, b: Entry)
    ensures Tied(a, b) <==> Tied(b, a)
  {
    assert ToolsOf(a) * ToolsOf(b) == ToolsOf(b) * ToolsOf(a);
  }

  /** The first covered entry of a rooted span is the first covered one of every context that has anything of the span. */
  lemma FirstOfContext(log: Log, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires Whole(log, ids) && Rooted(log, ids)
    requires u in Uuids(log) && u !in ids
    requires !(Members(log, u) !! ids)
    ensures First(Context(log, u), ids) == First(log, ids)
  {
    hide WellFormed, Drop, Members, Uuids, Keep, Whole, Rooted;
    FirstIsStillMember(log, ids, u);
    var m, first := Members(log, u), First(log, ids).value;
    DropAddsNoMembers(log, ids - {first}, u) by {
      assert u !in ids - {first};
    }
    KeepOfKeep(log, m, ids);
    KeepOfKeep(log, ids, m);
    assert m * ids == ids * m;
    KeepingFirstIsFirst(Keep(log, ids), m);
  }

  // --- Legal points with stubs ---

  /** Where an entry that is tied to nothing takes the place of another such one, every other point that was settled is
    * settled. */
  lemma SettledAfterReplacement(log: Log, first: Id, stub: Entry, u: Id)
    requires WellFormed(log)
    requires stub.uuid !in Uuids(log)
    requires first in Uuids(log) && u in Uuids(log) && u != first
    requires StandsAlone(log, first, Get(log, first)) && StandsAlone(log, first, stub)
    requires Settled(log, u)
    ensures u in Uuids(Replace(log, first, stub))
    ensures Settled(Replace(log, first, stub), u)
  {
    hide WellFormed, Replace, Members, Uuids, Needs, StandsAlone;
    var after := Replace(log, first, stub);
    var m := Members(log, u);
    ReplacementKeepsMembers(log, first, stub, u);
    MembersAreAsOf(log, u);
    forall x, y | x in after && y in after && x.uuid in Members(after, u) && Needs(x, y)
      ensures y.uuid in Members(after, u)
    {
      var a := OriginOfReplaced(log, first, stub, x);
      var b := OriginOfReplaced(log, first, stub, y);
      RelinkedNeedsAlike(log, first, stub, a, b);
      assert a.uuid in Uuids(log) && b.uuid in Uuids(log) by {
        reveal Uuids;
      }
      assert a.uuid in m;
      if a.uuid != b.uuid {
        WhatSettledNeedsIsMember(log, u, a, b);
      }
    }
  }

  /** After a whole, rooted drop with a stub that is tied to nothing a survivor that was settled is settled. */
  lemma SettledAfterDropWithStub(log: Log, ids: set<Id>, stub: Entry, v: Id)
    requires WellFormed(log)
    requires Whole(log, ids) && Rooted(log, ids)
    requires v in Uuids(log) && v !in ids
    requires stub.uuid !in Uuids(log)
    requires forall b | b in log :: !Tied(stub, b) && !Tied(b, stub)
    requires Settled(log, v)
    ensures v in Uuids(DropWithStub(log, ids, stub))
    ensures Settled(DropWithStub(log, ids, stub), v)
  {
    hide WellFormed, Drop, Heir, Replace, Members, Uuids, Keep, Tied, Whole, Rooted, First, Exits, Settled;
    FirstIsCovered(log, ids);
    if First(log, ids).Some? {
      var first := First(log, ids).value;
      var rest := ids - {first};
      if Members(log, v) !! ids {
        assert Exits(log, rest, v) by {
          reveal Exits;
        }
      } else {
        ExitsWithFirstLeft(log, ids, v);
      }
      SettledAfterDrop(log, rest, v);
      UuidsOfDrop(log, rest);
      DropIsWellFormed(log, rest);
      DropLeavesFirstAlone(log, ids, stub);
      SettledAfterReplacement(Drop(log, rest), first, stub, v);
    }
  }

  /** A balanced context is balanced when a whole cover leaves a silent stub in it. */
  lemma BalancedAfterDropWithStub(log: Log, ids: set<Id>, stub: Entry, v: Id)
    requires WellFormed(log)
    requires Whole(log, ids)
    requires v in Uuids(log)
    requires stub.uuid !in Uuids(log)
    requires forall b | b in stub.blocks :: b.Opaque?
    requires Balanced(Context(log, v))
    ensures Balanced(DropWithStub(Context(log, v), ids, stub))
  {
    hide WellFormed, Drop, Replace, Members, Uuids, Keep, Whole, First, Balanced, WholeForTools, Context, DropWithStub;
    var c := Context(log, v);
    ContextIsParentClosed(log, v);
    ContextHoldsExactlyTheMembers(log, v);
    MembersAreAsOf(log, v);
    WholeAndRootedInContext(log, ids, v);
    WholeIsWholeForTools(c, ids);
    if Uuids(c) !! ids {
      NothingCoveredLeavesNoStub(c, ids, stub);
    } else {
      SilentStubKeepsBooks(c, ids, stub);
    }
  }

  /** A drop with a stub leaves a survivor what it was, an answer on the main line or not. */
  lemma KindAfterDropWithStub(log: Log, ids: set<Id>, stub: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log) && v !in ids
    requires stub.uuid !in Uuids(log)
    ensures v in Uuids(DropWithStub(log, ids, stub))
    ensures MainLineAssistant(Get(DropWithStub(log, ids, stub), v)) <==> MainLineAssistant(Get(log, v))
  {
    hide WellFormed, Drop, Heir, Replace, Uuids, Keep, First;
    FirstIsCovered(log, ids);
    if First(log, ids).Some? {
      var first := First(log, ids).value;
      var rest := ids - {first};
      var left := Drop(log, rest);
      GetAfterDrop(log, rest, v);
      UuidsOfDrop(log, rest);
      DropIsWellFormed(log, rest);
      UuidsOfReplaced(left, first, stub) by {
        WellFormedHasUniqueUuids(left);
      }
      ReplacedIsWellFormed(left, first, stub);
      var x := Get(Replace(left, first, stub), v);
      var a := OriginOfReplaced(left, first, stub, x);
      WellFormedHasUniqueUuids(left);
      GetFindsEntry(left, a);
    }
  }

  /** After a whole, rooted drop with a stub that is silent and tied to nothing, every survivor that was legal, or could be
    * resumed, still is and can. */
  lemma LegalPointsStayLegalWithStub(log: Log, ids: set<Id>, stub: Entry, v: Id)
    requires WellFormed(log)
    requires Whole(log, ids) && Rooted(log, ids)
    requires v in Uuids(log) && v !in ids
    requires stub.uuid !in Uuids(log)
    requires forall b | b in log :: !Tied(stub, b) && !Tied(b, stub)
    requires forall b | b in stub.blocks :: b.Opaque?
    ensures v in Uuids(DropWithStub(log, ids, stub))
    ensures Resumable(log, v) ==> Resumable(DropWithStub(log, ids, stub), v)
    ensures Legal(log, v) ==> Legal(DropWithStub(log, ids, stub), v)
  {
    hide WellFormed, Drop, Replace, Members, Uuids, Keep, Tied, Whole, Rooted, First, Exits, Settled, Balanced, Context;
    hide WholeForTools;
    ContextAfterDropWithStub(log, ids, stub, v);
    if Resumable(log, v) {
      SettledAfterDropWithStub(log, ids, stub, v);
      BalancedAfterDropWithStub(log, ids, stub, v);
    }
    if Legal(log, v) {
      KindAfterDropWithStub(log, ids, stub, v);
    }
  }

  // --- Compaction ---

  /** Whatever continues an entry of the prefix descends from the first entry. */
  ghost predicate HangsOnFirst(log: Log, n: nat)
    requires WellFormed(log)
    requires 0 < n <= |log|
  {
    forall e | e in log[n..] && e.parent.Some? && e.parent.value in Uuids(log[..n]) ::
      e.parent.value in Uuids(log) && IsAncestor(log, log[0].uuid, e.parent.value)
  }

  /** The prefix has one root, its first entry. */
  predicate OneRoot(log: Log, n: nat)
    requires n <= |log|
  {
    forall i | 0 < i < n :: log[i].parent.Some?
  }

  /** A prefix is closed under parents. */
  lemma PrefixIsParentClosed(log: Log, n: nat)
    requires WellFormed(log)
    requires n <= |log|
    ensures ParentClosed(log, Uuids(log[..n]))
  {
    PrefixIsWellFormed(log, n);
    WellFormedHasNoDanglingParents(log[..n]);
    WellFormedHasUniqueUuids(log);
    forall e | e in log && e.uuid in Uuids(log[..n]) && e.parent.Some? ensures e.parent.value in Uuids(log[..n]) {
      var x :| x in log[..n] && x.uuid == e.uuid;
      SameUuidIsSameEntry(log, x, e);
    }
  }

  /** Where all of a prefix but its first entry is covered, an entry of it has that one as heir, or none. */
  lemma HeirInPrefixIsFirst(log: Log, n: nat, q: Id)
    requires WellFormed(log)
    requires 0 < n <= |log|
    requires q in Uuids(log[..n])
    ensures q in Uuids(log)
    ensures Heir(log, Uuids(log[..n]) - {log[0].uuid}, Some(q)) ==
            if IsAncestor(log, log[0].uuid, q) then Some(log[0].uuid) else None
  {
    hide WellFormed, Heir, Ancestry, Keep;
    var first, prefix := log[0].uuid, Uuids(log[..n]);
    var ids := prefix - {first};
    UuidsOfPrefix(log, n);
    PrefixIsParentClosed(log, n);
    HeirSurvives(log, ids, Some(q));
    HeirStaysIn(log, prefix, ids, Some(q));
    HeirIsNearestSurvivingAncestor(log, ids, q);
    var way := Ancestry(log, q);
    var rest := Rest(way, ids);
    UuidsOfKeep(way, Uuids(way) - ids);
    assert Uuids(rest) == Uuids(way) - ids;
    assert first !in ids;
    if |rest| > 0 {
      assert rest[|rest| - 1] in rest;
      assert Heir(log, ids, Some(q)) == Some(rest[|rest| - 1].uuid);
      assert rest[|rest| - 1].uuid == first;
      assert first in Uuids(rest);
    } else {
      assert Uuids(rest) == {};
      assert first !in Uuids(way) - ids;
      assert !IsAncestor(log, first, q);
    }
  }

  /** Two sequences with one more entry each are equal exactly if both parts are. */
  lemma EqualWithLast(a: Log, x: Entry, b: Log, y: Entry)
    ensures a + [x] == b + [y] <==> a == b && x == y
  {
    if a + [x] == b + [y] {
      assert (a + [x])[|a|] == x && (b + [y])[|b|] == y;
      assert a == (a + [x])[..|a|] && b == (b + [y])[..|b|];
    }
  }

  /** The first entry of a log is the first of each of its prefixes. */
  lemma FirstOfPrefix(log: Log, n: nat)
    requires 0 < n <= |log|
    ensures First(log, Uuids(log[..n])) == Some(log[0].uuid)
  {
    assert log[..n][0] in log[..n];
    KeepingFirstIsFirst(log, Uuids(log[..n]));
  }

  /** A compaction is the drop of the prefix that leaves the summary as its stub, exactly if whatever continues an entry of
    * the prefix descends from the first entry. */
  lemma CompactIsDropOfPrefixExactly(log: Log, n: nat, stub: Entry)
    requires WellFormed(log)
    requires 0 < n <= |log|
    ensures Compact(log, n, stub) == DropWithStub(log, Uuids(log[..n]), stub) <==> HangsOnFirst(log, n)
    decreases |log|
  {
    hide WellFormed, Drop, Replace, Uuids, Keep, Heir, First, IsAncestor;
    FirstOfPrefix(log, n);
    if n == |log| {
      CompactingAll(log, stub);
    } else {
      var before, e := log[..|log| - 1], log[|log| - 1];
      assert before[..n] == log[..n];
      PrefixIsWellFormed(log, |before|);
      CompactIsDropOfPrefixExactly(before, n, stub);
      FirstOfPrefix(before, n);
      CompactOfLast(before, e, n, stub);
      assert log == before + [e];
      DropWithStubOfLast(before, e, n, stub);
      EachEntryFits(log, |before|);
      if e.parent.Some? && e.parent.value in Uuids(log[..n]) {
        HeirInPrefixIsFirst(before, n, e.parent.value);
      }
      HangsOnFirstOfLast(before, e, n);
      EqualWithLast(Compact(before, n, stub), LastCompacted(before, e, n, stub),
                    DropWithStub(before, Uuids(log[..n]), stub), LastDropped(before, e, n, stub));
      LastAlikeExactly(before, e, n, stub);
    }
  }

  /** The last entry, after a compaction. */
  function LastCompacted(log: Log, e: Entry, n: nat, stub: Entry): Entry
    requires n <= |log|
  {
    e.(parent := Relink(e.parent, Uuids(log[..n]), stub.uuid))
  }

  /** The last entry, after a drop of the prefix that leaves a stub. */
  function LastDropped(log: Log, e: Entry, n: nat, stub: Entry): Entry
    requires 0 < n <= |log|
  {
    e.(parent := Relink(Heir(log, Uuids(log[..n]) - {log[0].uuid}, e.parent), {log[0].uuid}, stub.uuid))
  }

  /** Compaction of one more entry. */
  lemma CompactOfLast(log: Log, e: Entry, n: nat, stub: Entry)
    requires n <= |log|
    ensures Compact(log + [e], n, stub) == Compact(log, n, stub) + [LastCompacted(log, e, n, stub)]
  {
    assert (log + [e])[..n] == log[..n];
    assert (log + [e])[n..] == log[n..] + [e];
    assert (log[n..] + [e])[..|log[n..]|] == log[n..];
  }

  /** A drop of a prefix with one more entry after it. */
  lemma DropWithStubOfLast(log: Log, e: Entry, n: nat, stub: Entry)
    requires WellFormed(log + [e])
    requires 0 < n <= |log|
    ensures DropWithStub(log + [e], Uuids(log[..n]), stub)
         == DropWithStub(log, Uuids(log[..n]), stub) + [LastDropped(log, e, n, stub)]
  {
    var ids, first := Uuids(log[..n]), log[0].uuid;
    assert (log + [e])[..n] == log[..n] && (log + [e])[..|log|] == log;
    FirstOfPrefix(log, n);
    FirstOfPrefix(log + [e], n);
    UuidsOfPrefix(log, n);
    assert log[..n][0] in log[..n];
    DropOfLast(log, e, ids - {first});
    ReplacedOfLast(Drop(log, ids - {first}), e.(parent := Heir(log, ids - {first}, e.parent)), first, stub);
  }

  /** What a compaction leaves is well-formed: the summary, and exactly the entries after the prefix. */
  lemma CompactIsWellFormed(log: Log, n: nat, stub: Entry)
    requires WellFormed(log)
    requires n <= |log|
    requires stub.uuid !in Uuids(log)
    ensures WellFormed(Compact(log, n, stub))
    ensures Uuids(Compact(log, n, stub)) == Uuids(log[n..]) + {stub.uuid}
    decreases |log|
  {
    hide *;
    if n == |log| {
      CompactOfAllIsWellFormed(log, stub);
    } else {
      var before, e := log[..|log| - 1], log[|log| - 1];
      assert log == before + [e];
      BeforeLast(before, e);
      CompactIsWellFormed(before, n, stub);
      CompactGrows(before, e, n, stub);
    }
  }

  /** What stands before the last entry of a well-formed log is well-formed, and the last one fits. */
  lemma BeforeLast(before: Log, e: Entry)
    requires WellFormed(before + [e])
    ensures WellFormed(before) && Fits(before, e)
    ensures Uuids(before + [e]) == Uuids(before) + {e.uuid}
  {
    assert (before + [e])[..|before + [e]| - 1] == before;
    UuidsOfLast(before + [e]);
  }

  /** All of it replaced: the summary alone. */
  lemma CompactOfAllIsWellFormed(log: Log, stub: Entry)
    ensures WellFormed(Compact(log, |log|, stub))
    ensures Uuids(Compact(log, |log|, stub)) == Uuids(log[|log|..]) + {stub.uuid}
  {
    var root := stub.(parent := None);
    assert log[|log|..] == [];
    assert Compact(log, |log|, stub) == [root];
    assert WellFormed([]) && [root][..|[root]| - 1] == [];
    OneMoreIsWellFormed([], root);
    assert [] + [root] == [root];
    UuidsOfOneMore([], root);
  }

  /** One more entry behind the prefix keeps a compaction well-formed. */
  lemma CompactGrows(before: Log, e: Entry, n: nat, stub: Entry)
    requires n <= |before|
    requires Fits(before, e)
    requires stub.uuid != e.uuid
    requires WellFormed(Compact(before, n, stub))
    requires Uuids(Compact(before, n, stub)) == Uuids(before[n..]) + {stub.uuid}
    ensures WellFormed(Compact(before + [e], n, stub))
    ensures Uuids(Compact(before + [e], n, stub)) == Uuids((before + [e])[n..]) + {stub.uuid}
  {
    hide WellFormed, Uuids, Compact;
    var last := LastCompacted(before, e, n, stub);
    CompactOfLast(before, e, n, stub);
    assert (before + [e])[n..] == before[n..] + [e];
    UuidsOfOneMore(before[n..], e);
    UuidsOfOneMore(Compact(before, n, stub), last);
    assert before[..n] + before[n..] == before;
    UuidsOfConcatenation(before[..n], before[n..]);
    OneMoreIsWellFormed(Compact(before, n, stub), last);
  }

  /** The uuids of a log with one more entry. */
  lemma UuidsOfOneMore(log: Log, e: Entry)
    ensures Uuids(log + [e]) == Uuids(log) + {e.uuid}
  {
    UuidsOfConcatenation(log, [e]);
    assert e in [e];
  }

  /** One more entry that fits. */
  lemma OneMoreIsWellFormed(log: Log, e: Entry)
    requires WellFormed(log)
    requires Fits(log, e)
    ensures WellFormed(log + [e])
  {
    assert (log + [e])[..|log + [e]| - 1] == log;
  }

  /** A log that is all prefix becomes the stub. */
  lemma CompactingAll(log: Log, stub: Entry)
    requires WellFormed(log)
    requires |log| > 0
    ensures Compact(log, |log|, stub) == [stub.(parent := None)] == DropWithStub(log, Uuids(log[..|log|]), stub)
  {
    var first := log[0].uuid;
    assert log[..|log|] == log && log[|log|..] == [];
    FirstOfPrefix(log, |log|);
    DropAllButFirst(log);
    assert Drop(log, Uuids(log) - {first}) == [log[0]] == [] + [log[0]];
    ReplacedOfLast([], log[0], first, stub);
    assert Onto([], Uuids(log), stub.uuid) == [];
  }

  /** All but the first entry is covered. */
  lemma DropAllButFirst(log: Log)
    requires WellFormed(log)
    requires |log| > 0
    ensures log[0].parent.None?
    ensures Drop(log, Uuids(log) - {log[0].uuid}) == [log[0]]
  {
    hide Drop, WellFormed, Heir;
    var ids := Uuids(log) - {log[0].uuid};
    WellFormedHasUniqueUuids(log);
    EachEntryFits(log, 0);
    assert Reparented(log, ids, log[0]) == log[0] by {
      reveal Heir;
    }
    assert log == [log[0]] + log[1..];
    DropHoldsExactlyTheRest(log, ids);
    assert log[0] in log;
    assert Uuids(log) - ids == {log[0].uuid};
    KeepSplits([log[0]], log[1..], {log[0].uuid});
    NothingStandsOnBothSides(log, 1);
    assert log[..1] == [log[0]] && log[0] in log[..1];
    KeepingNoneIsEmpty(log[1..], {log[0].uuid});
    assert [log[0]][..0] == [];
    assert Keep([log[0]], {log[0].uuid}) == [log[0]];
  }

  /** What continues the prefix, with one more entry. */
  lemma HangsOnFirstOfLast(log: Log, e: Entry, n: nat)
    requires WellFormed(log + [e])
    requires WellFormed(log)
    requires 0 < n <= |log|
    ensures HangsOnFirst(log + [e], n) <==>
            && HangsOnFirst(log, n)
            && (e.parent.Some? && e.parent.value in Uuids(log[..n]) ==>
                  e.parent.value in Uuids(log) && IsAncestor(log, log[0].uuid, e.parent.value))
  {
    hide WellFormed, Uuids, Ancestry;
    var after := log + [e];
    assert after[..n] == log[..n] && after[n..] == log[n..] + [e] && after[..|log|] == log;
    UuidsOfPrefix(log, n);
    UuidsOfPrefix(after, |log|);
    forall q | q in Uuids(log[..n]) ensures q in Uuids(log) && q in Uuids(after) && Ancestry(after, q) == Ancestry(log, q) {
      AncestryInPrefix(after, |log|, q);
    }
    assert e in after[n..];
    assert forall x | x in log[n..] :: x in after[n..];
  }

  /** A compaction and a drop leave the last entry alike exactly if it does not continue the prefix, or descends from the
    * first entry. */
  lemma LastAlikeExactly(log: Log, e: Entry, n: nat, stub: Entry)
    requires WellFormed(log)
    requires Fits(log, e)
    requires 0 < n <= |log|
    ensures LastCompacted(log, e, n, stub) == LastDropped(log, e, n, stub) <==>
            (e.parent.Some? && e.parent.value in Uuids(log[..n]) ==>
               e.parent.value in Uuids(log) && IsAncestor(log, log[0].uuid, e.parent.value))
  {
    hide WellFormed, Uuids, IsAncestor;
    UuidsOfPrefix(log, n);
    assert log[..n][0] in log[..n];
    assert log[0].uuid in Uuids(log[..n]) by {
      reveal Uuids;
    }
    if e.parent.Some? && e.parent.value in Uuids(log[..n]) {
      HeirInPrefixIsFirst(log, n, e.parent.value);
    } else {
      assert LastDropped(log, e, n, stub) == e;
    }
  }

  /** Where the prefix has one root everything in it descends from the first entry. */
  lemma OneRootIsAncestorOfAll(log: Log, n: nat, i: nat)
    requires WellFormed(log)
    requires i < n <= |log|
    requires OneRoot(log, n)
    ensures log[i].uuid in Uuids(log)
    ensures IsAncestor(log, log[0].uuid, log[i].uuid)
    decreases i
  {
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    AncestryUnfolds(log, log[i].uuid);
    if i == 0 {
      AncestryEndsInItself(log, log[0].uuid);
    } else {
      ParentStandsBefore(log, log[i].uuid);
      var k := IndexOf(log, log[i].parent.value);
      OneRootIsAncestorOfAll(log, n, k);
      UuidsOfConcatenation(Ancestry(log, log[i].parent.value), [log[i]]);
    }
  }

  /** Where the prefix has one root, a compaction is the drop of the prefix that leaves the summary as its stub, whatever
    * follows. */
  lemma CompactIsDropOfOneRootedPrefix(log: Log, n: nat, stub: Entry)
    requires WellFormed(log)
    requires 0 < n <= |log|
    requires OneRoot(log, n)
    ensures Compact(log, n, stub) == DropWithStub(log, Uuids(log[..n]), stub)
  {
    UuidsOfPrefix(log, n);
    forall e | e in log[n..] && e.parent.Some? && e.parent.value in Uuids(log[..n])
      ensures e.parent.value in Uuids(log) && IsAncestor(log, log[0].uuid, e.parent.value)
    {
      UuidsAreAtPositions(log[..n], e.parent.value);
      var i :| 0 <= i < n && log[..n][i].uuid == e.parent.value;
      OneRootIsAncestorOfAll(log, n, i);
    }
    CompactIsDropOfPrefixExactly(log, n, stub);
  }

  /** Where the prefix has a second root, it fails as soon as an entry after the prefix continues that one. */
  lemma SecondRootIsLostAnywhere(log: Log, n: nat, stub: Entry, i: nat, e: Entry)
    requires WellFormed(log)
    requires 0 < i < n <= |log|
    requires log[i].parent.None?
    requires e in log[n..] && e.parent == Some(log[i].uuid)
    ensures Compact(log, n, stub) != DropWithStub(log, Uuids(log[..n]), stub)
  {
    hide WellFormed, Uuids, Compact, DropWithStub;
    CompactIsDropOfPrefixExactly(log, n, stub);
    WellFormedHasUniqueUuids(log);
    var q := log[i].uuid;
    assert q in Uuids(log[..n]) by {
      reveal Uuids;
      assert log[..n][i] == log[i];
    }
    IndexOfIsPosition(log, i);
    AncestryUnfolds(log, q);
    assert Uuids([log[i]]) == {q} by {
      reveal Uuids;
      assert log[i] in [log[i]];
    }
    assert log[0].uuid != q;
    assert !IsAncestor(log, log[0].uuid, q);
    assert !HangsOnFirst(log, n);
  }

  /** Entries that are put onto another one stay in place and keep all but their parent. */
  lemma OntoHoldsExactly(entries: Log, ids: set<Id>, to: Id)
    ensures |Onto(entries, ids, to)| == |entries|
    ensures forall i | 0 <= i < |entries| ::
              Onto(entries, ids, to)[i] == entries[i].(parent := Relink(entries[i].parent, ids, to))
    decreases |entries|
  {
    if |entries| > 0 {
      OntoHoldsExactly(entries[..|entries| - 1], ids, to);
    }
  }

  /** A compaction leaves the summary, a root, and after it the entries after the prefix, in order, each unchanged but for
    * its parent: what continued an entry of the prefix continues the summary. */
  lemma CompactHoldsExactlyTheRest(log: Log, n: nat, stub: Entry)
    requires n <= |log|
    ensures |Compact(log, n, stub)| == |log| - n + 1
    ensures Compact(log, n, stub)[0] == stub.(parent := None)
    ensures forall i | n <= i < |log| ::
              Compact(log, n, stub)[i - n + 1] == log[i].(parent := Relink(log[i].parent, Uuids(log[..n]), stub.uuid))
  {
    OntoHoldsExactly(log[n..], Uuids(log[..n]), stub.uuid);
  }

  // --- Balance after a compaction (P3) ---

  /** Entries that are put onto another one keep their blocks. */
  lemma BlocksOfOnto(entries: Log, ids: set<Id>, to: Id)
    ensures Blocks(Onto(entries, ids, to)) == Blocks(entries)
    decreases |entries|
  {
    if |entries| > 0 {
      BlocksOfOnto(entries[..|entries| - 1], ids, to);
      var o := Onto(entries, ids, to);
      assert o[..|o| - 1] == Onto(entries[..|entries| - 1], ids, to);
    }
  }

  /** Where no call is out and what follows is sound, it is sound by itself too, with the same calls out. */
  lemma BalancedBooksAreAsBlank(books: Books, blocks: seq<Block>)
    requires books.Books? && books.out == {}
    requires Run(books, blocks).Books?
    ensures Run(Blank, blocks).Books?
    ensures Run(Blank, blocks).out == Run(books, blocks).out
    ensures Run(Blank, blocks).made <= Run(books, blocks).made
    decreases |blocks|
  {
    if |blocks| > 0 {
      assert Run(books, blocks[..|blocks| - 1]).Books?;
      BalancedBooksAreAsBlank(books, blocks[..|blocks| - 1]);
    }
  }

  /** What follows a balanced prefix of a balanced conversation is balanced by itself. */
  lemma BalancedAfterBalancedPrefix(log: Log, n: nat)
    requires n <= |log|
    requires Balanced(log) && Balanced(log[..n])
    ensures Run(Blank, Blocks(log[n..])).Books? && Run(Blank, Blocks(log[n..])).out == {}
  {
    assert log == log[..n] + log[n..];
    BooksOfConcatenation(log[..n], log[n..]);
    BalancedBooksAreAsBlank(BooksOf(log[..n]), Blocks(log[n..]));
  }

  /** A call that was made stays in the books. */
  lemma BooksForgetNoCall(books: Books, blocks: seq<Block>)
    requires books.Books? && Run(books, blocks).Books?
    ensures books.made <= Run(books, blocks).made
    decreases |blocks|
  {
    if |blocks| > 0 {
      assert Run(books, blocks[..|blocks| - 1]).Books?;
      BooksForgetNoCall(books, blocks[..|blocks| - 1]);
    }
  }

  /** A call that was made is not made again, where the books are sound. */
  lemma NoCallIsMadeTwice(books: Books, blocks: seq<Block>, t: Id)
    requires books.Books? && t in books.made
    requires Run(books, blocks).Books?
    ensures Use(t) !in blocks
    decreases |blocks|
  {
    if |blocks| > 0 {
      var before := blocks[..|blocks| - 1];
      assert blocks == before + [blocks[|blocks| - 1]];
      assert Run(books, before).Books?;
      NoCallIsMadeTwice(books, before, t);
      BooksForgetNoCall(books, before);
    }
  }

  /** A call that is out, and is no more after what follows, is answered there and not made there. */
  lemma WhatIsOutIsAnswered(books: Books, blocks: seq<Block>, t: Id)
    requires books.Books? && t in books.out && t in books.made
    requires Run(books, blocks).Books? && t !in Run(books, blocks).out
    ensures Result(t) in blocks && Use(t) !in blocks
    decreases |blocks|
  {
    if |blocks| > 0 {
      var before := blocks[..|blocks| - 1];
      assert blocks == before + [blocks[|blocks| - 1]];
      assert Run(books, before).Books?;
      BooksForgetNoCall(books, before);
      if t !in Run(books, before).out {
        WhatIsOutIsAnswered(books, before, t);
      } else {
        NoCallIsMadeTwice(books, before, t);
      }
    }
  }

  /** An answer without its call breaks the books. */
  lemma AnswerWithoutCallBreaks(blocks: seq<Block>, t: Id)
    requires Result(t) in blocks && Use(t) !in blocks
    ensures Run(Blank, blocks).Broken?
  {
    if Run(Blank, blocks).Books? {
      BooksSayWhatIsOut(blocks);
      assert {:contradiction} t in ResultIds(blocks) && t !in UseIds(blocks);
    }
  }

  /** A compaction of a balanced conversation with a summary without calls and results is balanced exactly if the prefix is,
    * that is, if no call is out at its end. */
  lemma CompactKeepsBalanceExactly(log: Log, n: nat, stub: Entry)
    requires n <= |log|
    requires Balanced(log)
    requires forall b | b in stub.blocks :: b.Opaque?
    ensures Balanced(Compact(log, n, stub)) <==> Balanced(log[..n])
  {
    hide BooksOf, Onto, Blocks;
    var root, rest := stub.(parent := None), Onto(log[n..], Uuids(log[..n]), stub.uuid);
    var compact := Compact(log, n, stub);
    BlocksOfConcatenation([root], rest);
    BlocksOfOne(root);
    BlocksOfOnto(log[n..], Uuids(log[..n]), stub.uuid);
    RunSplits(Blank, root.blocks, Blocks(rest));
    OpaqueBlocksChangeNothing(Blank, root.blocks);
    assert BooksOf(compact) == Run(Blank, Blocks(log[n..])) by {
      reveal BooksOf;
    }
    assert log == log[..n] + log[n..];
    BooksOfConcatenation(log[..n], log[n..]);
    if Balanced(log[..n]) {
      BalancedAfterBalancedPrefix(log, n);
    } else {
      if BooksOf(log[..n]).Books? {
        var t :| t in BooksOf(log[..n]).out;
        BooksSayWhatIsOut(Blocks(log[..n]));
        assert t in BooksOf(log[..n]).made by {
          reveal BooksOf;
        }
        WhatIsOutIsAnswered(BooksOf(log[..n]), Blocks(log[n..]), t);
        AnswerWithoutCallBreaks(Blocks(log[n..]), t);
      } else {
        BrokenStaysBroken(Blocks(log[n..]));
      }
    }
  }

  // --- The stub rule ---

  /** Every call that had an effect is left. */
  ghost predicate EffectsAreLeft(entries: Log, ids: set<Id>, notes: Notes) {
    forall e, t | e in entries && t in UsesOf(e) * notes.effects ::
      exists x | x in Drop(entries, ids) :: x.uuid == e.uuid && t in UsesOf(x)
  }

  /** Whatever a survivor refers to is left. */
  ghost predicate ReferencesAreLeft(entries: Log, ids: set<Id>, notes: Notes) {
    forall x, v | x in Drop(entries, ids) && x.uuid in notes.refers && v in notes.refers[x.uuid] * Uuids(entries) ::
      v in Uuids(Drop(entries, ids))
  }

  /** Every surviving decision stands after exactly what it was made after. */
  ghost predicate DecisionsStand(entries: Log, ids: set<Id>, notes: Notes) {
    forall j | 0 <= j < |entries| && entries[j].uuid !in ids && entries[j].uuid in notes.decisions ::
      Drop(entries[..j + 1], ids) == entries[..j + 1]
  }

  /** The stub rule is exact: a span may vanish without a stub exactly if every call that had an effect is left, whatever a
    * survivor refers to is left, and every surviving decision stands after exactly what it was made after. */
  lemma StubRuleExactly(entries: Log, ids: set<Id>, notes: Notes)
    requires WellFormed(entries)
    ensures !MustLeaveStub(entries, ids, notes) <==>
            EffectsAreLeft(entries, ids, notes) && ReferencesAreLeft(entries, ids, notes) && DecisionsStand(entries, ids, notes)
  {
    hide EffectsAreLeft, ReferencesAreLeft, DecisionsStand, CoversEffect, CoversReference, CoversBeforeDecision;
    EffectsAreLeftExactly(entries, ids, notes);
    ReferencesAreLeftExactly(entries, ids, notes);
    DecisionsStandExactly(entries, ids, notes);
  }

  /** `StubRuleExactly` for effects. */
  lemma EffectsAreLeftExactly(entries: Log, ids: set<Id>, notes: Notes)
    requires WellFormed(entries)
    ensures !CoversEffect(entries, ids, notes) <==> EffectsAreLeft(entries, ids, notes)
  {
    hide WellFormed, Drop;
    UuidsOfDrop(entries, ids);
    if !CoversEffect(entries, ids, notes) {
      forall e, t | e in entries && t in UsesOf(e) * notes.effects
        ensures exists x | x in Drop(entries, ids) :: x.uuid == e.uuid && t in UsesOf(x)
      {
        SurvivorOf(entries, ids, e);
        assert t in UsesOf(Reparented(entries, ids, e));
      }
    } else {
      var e :| e in entries && e.uuid in ids && UsesOf(e) * notes.effects != {};
      var t :| t in UsesOf(e) * notes.effects;
      forall x | x in Drop(entries, ids) ensures x.uuid != e.uuid {
        assert x.uuid in Uuids(Drop(entries, ids));
      }
    }
  }

  /** `StubRuleExactly` for references. */
  lemma ReferencesAreLeftExactly(entries: Log, ids: set<Id>, notes: Notes)
    requires WellFormed(entries)
    ensures !CoversReference(entries, ids, notes) <==> ReferencesAreLeft(entries, ids, notes)
  {
    hide WellFormed, Drop;
    UuidsOfDrop(entries, ids);
    if !CoversReference(entries, ids, notes) {
      forall x, v | x in Drop(entries, ids) && x.uuid in notes.refers && v in notes.refers[x.uuid] * Uuids(entries)
        ensures v in Uuids(Drop(entries, ids))
      {
        var e := OriginOf(entries, ids, x);
        var covered := notes.refers[e.uuid] * Uuids(entries) * ids;
        assert v in ids ==> v in covered;
      }
    } else {
      var e :| e in entries && e.uuid !in ids && e.uuid in notes.refers && notes.refers[e.uuid] * Uuids(entries) * ids != {};
      var v :| v in notes.refers[e.uuid] * Uuids(entries) * ids;
      SurvivorOf(entries, ids, e);
      assert v in notes.refers[Reparented(entries, ids, e).uuid] * Uuids(entries) && v !in Uuids(Drop(entries, ids));
    }
  }

  /** `StubRuleExactly` for decisions. */
  lemma DecisionsStandExactly(entries: Log, ids: set<Id>, notes: Notes)
    requires WellFormed(entries)
    ensures !CoversBeforeDecision(entries, ids, notes) <==> DecisionsStand(entries, ids, notes)
  {
    hide WellFormed, Drop;
    forall j | 0 <= j < |entries| && entries[j].uuid !in ids
      ensures Drop(entries[..j + 1], ids) == entries[..j + 1] <==> (forall i | 0 <= i < j :: entries[i].uuid !in ids)
    {
      var before := entries[..j + 1];
      PrefixIsWellFormed(entries, j + 1);
      UuidsOfDrop(before, ids);
      forall u | u in Uuids(before) ensures exists i :: 0 <= i <= j && entries[i].uuid == u {
        UuidsAreAtPositions(before, u);
        var i :| 0 <= i < |before| && before[i].uuid == u;
        assert entries[i].uuid == u;
      }
      if forall i | 0 <= i < j :: entries[i].uuid !in ids {
        DropOfNothingIsTheLog(before, ids);
      }
      if Drop(before, ids) == before {
        forall i | 0 <= i < j ensures entries[i].uuid !in ids {
          assert before[i] == entries[i] && before[i] in before;
        }
      }
    }
  }

  // --- The sub-agent rule ---

  /** One step fewer is left: why the induction ends. */
  lemma ThreadsGrow(log: Log, callers: Callers, ids: set<Id>)
    requires WellFormed(log)
    requires ids + Threads(log, callers, ids) != ids
    ensures |Uuids(log) - (ids + Threads(log, callers, ids))| < |Uuids(log) - ids|
  {
    var more := ids + Threads(log, callers, ids);
    assert Uuids(log) - more < Uuids(log) - ids by {
      var x :| x in more && x !in ids;
      assert x in Uuids(log) - ids && x !in Uuids(log) - more;
    }
    SmallerSet(Uuids(log) - more, Uuids(log) - ids);
  }

  /** With a turn everything is hidden that the sub-agents wrote which it called, and which these called, and nothing else: it
    * is the least such set. */
  lemma SubAgentsAreHiddenWithTheirTurn(log: Log, callers: Callers, ids: set<Id>)
    requires WellFormed(log)
    ensures ids <= WithThreads(log, callers, ids) <= Uuids(log) + ids
    ensures forall r | r in callers && callers[r] in WithThreads(log, callers, ids) ::
              Thread(log, r) <= WithThreads(log, callers, ids)
    ensures forall s: set<Id> | ids <= s && (forall r | r in callers && callers[r] in s :: Thread(log, r) <= s) ::
              WithThreads(log, callers, ids) <= s
    decreases |Uuids(log) - ids|
  {
    hide WellFormed, Thread;
    var more := ids + Threads(log, callers, ids);
    assert Threads(log, callers, ids) <= Uuids(log) by {
      reveal Thread;
    }
    if more != ids {
      ThreadsGrow(log, callers, ids);
      SubAgentsAreHiddenWithTheirTurn(log, callers, more);
      forall s: set<Id> | ids <= s && (forall r | r in callers && callers[r] in s :: Thread(log, r) <= s) ensures more <= s {
      }
    } else {
      forall r | r in callers && callers[r] in ids ensures Thread(log, r) <= ids {
        assert Thread(log, r) <= Threads(log, callers, ids);
      }
    }
  }

  /** Two roots have no descendant in common. */
  lemma ThreadsOfRootsAreDisjoint(log: Log, a: Id, b: Id)
    requires WellFormed(log)
    requires a in Uuids(log) && b in Uuids(log)
    requires Get(log, a).parent.None? && Get(log, b).parent.None?
    requires a != b
    ensures Thread(log, a) !! Thread(log, b)
  {
    forall u | u in Thread(log, a) ensures u !in Thread(log, b) {
      RootIsFirstOfAncestry(log, a, u);
      if u in Thread(log, b) {
        RootIsFirstOfAncestry(log, b, u);
      }
    }
  }

  /** A root stands first in the ancestry of all its descendants. */
  lemma RootIsFirstOfAncestry(log: Log, a: Id, u: Id)
    requires WellFormed(log)
    requires a in Uuids(log) && u in Uuids(log)
    requires Get(log, a).parent.None?
    requires IsAncestor(log, a, u)
    ensures |Ancestry(log, u)| > 0 && Ancestry(log, u)[0].uuid == a
  {
    var way := Ancestry(log, u);
    AncestryIsRootPath(log, u);
    forall i | 0 < i < |way| ensures way[i].parent.Some? {
      assert way[i].parent == Some(way[i - 1].uuid);
    }
    WellFormedHasUniqueUuids(log);
    var e :| e in way && e.uuid == a;
    SameUuidIsSameEntry(log, e, Get(log, a));
    var i :| 0 <= i < |way| && way[i] == e;
  }

  /** A sub-agent whose caller is left is left too, if nothing of it is covered itself. */
  lemma SubAgentsOfSurvivorsSurvive(log: Log, callers: Callers, ids: set<Id>, r: Id)
    requires WellFormed(log)
    requires forall x | x in callers :: x in Uuids(log) && Get(log, x).parent.None?
    requires r in callers
    requires callers[r] !in WithThreads(log, callers, ids)
    requires Thread(log, r) !! ids
    ensures Thread(log, r) !! WithThreads(log, callers, ids)
  {
    hide WellFormed, Thread, Uuids;
    var all := WithThreads(log, callers, ids);
    var s := all - Thread(log, r);
    SubAgentsAreHiddenWithTheirTurn(log, callers, ids);
    forall x | x in callers && callers[x] in s ensures Thread(log, x) <= s {
      ThreadsOfRootsAreDisjoint(log, r, x);
    }
    assert all <= s;
  }

  /** No running sub-agent is hidden exactly if none of those that run is covered, or hidden with what is. */
  lemma NoneRunsExactly(log: Log, callers: Callers, running: set<Id>, ids: set<Id>)
    requires WellFormed(log)
    ensures NoneRuns(log, callers, running, ids) <==> forall r | r in running :: r !in WithThreads(log, callers, ids)
  {
  }

  /** A turn whose sub-agent runs cannot be dropped; and no running one is hidden by a drop that is not refused. */
  lemma RunningSubAgentsAreNotHidden(log: Log, callers: Callers, running: set<Id>, ids: set<Id>, r: Id)
    requires WellFormed(log)
    requires r in callers && r in Uuids(log) && r in running
    ensures callers[r] in ids ==> !NoneRuns(log, callers, running, ids)
    ensures NoneRuns(log, callers, running, ids) ==>
              callers[r] !in WithThreads(log, callers, ids) && r in Uuids(Drop(log, WithThreads(log, callers, ids)))
  {
    SubAgentsAreHiddenWithTheirTurn(log, callers, ids);
    UuidsOfDrop(log, WithThreads(log, callers, ids));
    AncestryEndsInItself(log, r);
    assert r in Thread(log, r);
  }

  /** What descends from a root is closed under parents. */
  lemma ThreadIsParentClosed(log: Log, root: Id)
    requires WellFormed(log)
    requires root in Uuids(log) && Get(log, root).parent.None?
    ensures ParentClosed(log, Thread(log, root))
  {
    WellFormedHasUniqueUuids(log);
    WellFormedHasNoDanglingParents(log);
    forall e | e in log && e.uuid in Thread(log, root) && e.parent.Some? ensures e.parent.value in Thread(log, root) {
      GetFindsEntry(log, e);
      AncestryUnfolds(log, e.uuid);
      RootIsFirstOfAncestry(log, root, e.uuid);
      AncestryEndsInItself(log, e.parent.value);
      var above := Ancestry(log, e.parent.value);
      assert above[0] == Ancestry(log, e.uuid)[0] && above[0] in above;
    }
  }

  /** A sub-agent that is promoted is a well-formed log of its own: exactly its entries, in the order of the log, each with
    * the ancestry that it had. */
  lemma PromotedKeepsItsOwn(log: Log, root: Id, v: Id)
    requires WellFormed(log)
    requires root in Uuids(log) && Get(log, root).parent.None?
    requires v in Thread(log, root)
    ensures WellFormed(Promote(log, root))
    ensures Uuids(Promote(log, root)) == Thread(log, root)
    ensures forall e :: e in Promote(log, root) <==> e in log && e.uuid in Thread(log, root)
    ensures v in Uuids(Promote(log, root))
    ensures Ancestry(Promote(log, root), v) == Ancestry(log, v)
  {
    ThreadIsParentClosed(log, root);
    KeepHoldsExactly(log, Thread(log, root));
    UuidsOfKeep(log, Thread(log, root));
    AncestryInKeep(log, Thread(log, root), v);
  }

  /** A drop that is not refused leaves all of a running sub-agent, if nothing of it is covered itself. */
  lemma RunningSubAgentsAreLeftWhole(log: Log, callers: Callers, running: set<Id>, ids: set<Id>, r: Id)
    requires WellFormed(log)
    requires forall x | x in callers :: x in Uuids(log) && Get(log, x).parent.None?
    requires r in callers && r in running
    requires NoneRuns(log, callers, running, ids)
    requires Thread(log, r) !! ids
    ensures Thread(log, r) !! WithThreads(log, callers, ids)
    ensures Thread(log, r) <= Uuids(Drop(log, WithThreads(log, callers, ids)))
  {
    hide Thread, WithThreads, WellFormed, Uuids, Drop;
    RunningSubAgentsAreNotHidden(log, callers, running, ids, r);
    SubAgentsOfSurvivorsSurvive(log, callers, ids, r);
    UuidsOfDrop(log, WithThreads(log, callers, ids));
    reveal Thread;
  }

  /** A drop depends on what is covered of the log, and on nothing else. */
  lemma DropDependsOnIdsThere(log: Log, a: set<Id>, b: set<Id>)
    requires WellFormed(log)
    requires Uuids(log) * a == Uuids(log) * b
    ensures Drop(log, a) == Drop(log, b)
  {
    hide WellFormed, Drop;
    var both := a * b;
    DropOfDropIsDropOfUnion(log, both, a - b);
    DropOfDropIsDropOfUnion(log, both, b - a);
    UuidsOfDrop(log, both);
    DropIsWellFormed(log, both);
    forall x | x in Uuids(log) ensures x !in a - b && x !in b - a {
      assert x in a <==> x in Uuids(log) * a;
      assert x in b <==> x in Uuids(log) * b;
    }
    DropOfNothingIsTheLog(Drop(log, both), a - b);
    DropOfNothingIsTheLog(Drop(log, both), b - a);
    assert both + (a - b) == a && both + (b - a) == b;
  }

  /** Where nothing of the conversation at a survivor is hidden but what is covered, and the cover is whole and rooted there,
    * the survivor has its context without what is covered, whatever else is hidden with it. */
  lemma HiddenThreadsChangeNoContextBeside(log: Log, callers: Callers, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log) && u !in ids
    requires (WithThreads(log, callers, ids) - ids) !! Members(log, u)
    requires Whole(Context(log, u), ids) && Rooted(Context(log, u), ids)
    ensures u !in WithThreads(log, callers, ids)
    ensures u in Uuids(Drop(log, WithThreads(log, callers, ids)))
    ensures Context(Drop(log, WithThreads(log, callers, ids)), u) == Drop(Context(log, u), ids)
  {
    hide WithThreads, WellFormed, Uuids, Drop, Members, Keep, Rooted, Whole, Exits;
    var all := WithThreads(log, callers, ids);
    SubAgentsAreHiddenWithTheirTurn(log, callers, ids);
    MembersContainsItself(log, u);
    var c := Context(log, u);
    ContextHoldsExactlyTheMembers(log, u);
    assert forall e | e in c :: e.uuid in ids <==> e.uuid in all by {
      reveal Uuids;
    }
    assert Uuids(c) * ids == Uuids(c) * all;
    KeepDependsOnIdsThere(c, ids, all);
    assert Whole(c, all) by {
      reveal Whole;
    }
    assert Rooted(c, all) by {
      reveal Rooted;
      forall i | 0 < i < |Keep(c, all)| ensures Keep(c, all)[i].parent.Some? && Keep(c, all)[i].parent.value in all {
        assert Keep(c, ids)[i].parent.value in ids;
      }
    }
    WholeAndRootedHasExits(log, all, u);
    DropDependsOnIdsThere(c, ids, all) by {
      ContextIsParentClosed(log, u);
    }
  }

  /** An entry of a promoted sub-agent has there the context that it had exactly if its conversation there is closed in the
    * log: if nothing of it needs an entry of others. */
  lemma PromotedKeepsContextExactly(log: Log, root: Id, v: Id)
    requires WellFormed(log)
    requires v in Thread(log, root)
    ensures v in Uuids(Promote(log, root))
    ensures Context(Promote(log, root), v) == Context(log, v) <==> Closed(AsOf(log, v), Members(Promote(log, root), v))
  {
    hide WellFormed, Members, Closed, Context;
    WellFormedHasUniqueUuids(log);
    ContextInKeepExactly(log, Thread(log, root), v);
  }
}

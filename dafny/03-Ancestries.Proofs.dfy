// Chapter 3, proofs: an ancestry is the one way from a root, and a lineage is an ancestry after the lineage of what its
// root continues.
include "01-Entries.Proofs.dfy"
include "03-Ancestries.dfy"

module AncestriesProofs {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened Ancestries

  /** A prefix of a log has the same ancestries. */
  lemma AncestryInPrefix(log: Log, n: nat, u: Id)
    requires WellFormed(log)
    requires n <= |log|
    requires u in Uuids(log[..n])
    ensures WellFormed(log[..n])
    ensures u in Uuids(log)
    ensures Ancestry(log[..n], u) == Ancestry(log, u)
    decreases |log|
  {
    PrefixIsWellFormed(log, n);
    UuidsOfPrefix(log, n);
    if n == |log| {
      assert log[..n] == log;
    } else {
      var before, e := log[..|log| - 1], log[|log| - 1];
      assert before[..n] == log[..n];
      AncestryInPrefix(before, n, u);
    }
  }

  /** An ancestry is the parent's, then the entry; or the entry alone. */
  lemma AncestryUnfolds(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var e := Get(log, u);
            && (e.parent.None? ==> Ancestry(log, u) == [e])
            && (e.parent.Some? ==> e.parent.value in Uuids(log) && Ancestry(log, u) == Ancestry(log, e.parent.value) + [e])
  {
    var n := IndexOf(log, u) + 1;
    var asOf, e := log[..n], Get(log, u);
    assert e in asOf;
    AncestryInPrefix(log, n, u);
    if e.parent.Some? {
      ParentStandsBefore(log, u);
      EachEntryFits(log, n - 1);
      AncestryInPrefix(log, n - 1, e.parent.value);
      assert asOf[..n - 1] == log[..n - 1];
    }
  }

  /** An ancestry is a way from a root to the entry along parent links. */
  lemma AncestryIsRootPath(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures RootPath(log, Ancestry(log, u), u)
    decreases |log|
  {
    var e, before := log[|log| - 1], log[..|log| - 1];
    UuidsOfLast(log);
    if e.uuid != u {
      AncestryIsRootPath(before, u);
    } else if e.parent.Some? {
      AncestryIsRootPath(before, e.parent.value);
    }
  }

  /** There is no other way from a root to an entry along parent links. */
  lemma RootPathIsAncestry(log: Log, way: Log, u: Id)
    requires WellFormed(log)
    requires RootPath(log, way, u)
    ensures u in Uuids(log)
    ensures way == Ancestry(log, u)
    decreases |way|
  {
    var last, start := way[|way| - 1], way[..|way| - 1];
    assert last in way;
    WellFormedHasUniqueUuids(log);
    GetFindsEntry(log, last);
    AncestryUnfolds(log, u);
    if |way| > 1 {
      assert way[|way| - 2] == start[|start| - 1];
      RootPathIsAncestry(log, start, start[|start| - 1].uuid);
      assert way == start + [last];
    }
  }

  /** An ancestry ends in the entry itself, and begins with a root. */
  lemma AncestryEndsInItself(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures |Ancestry(log, u)| > 0
    ensures Ancestry(log, u)[|Ancestry(log, u)| - 1] == Get(log, u)
    ensures Ancestry(log, u)[0].parent.None?
    ensures IsAncestor(log, u, u)
  {
    AncestryUnfolds(log, u);
    AncestryIsRootPath(log, u);
  }

  /** The beginning of an ancestry, up to one of its entries, is the ancestry of that entry. */
  lemma AncestryBeginsWithAncestries(log: Log, u: Id, i: nat)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires i < |Ancestry(log, u)|
    ensures Ancestry(log, u)[i].uuid in Uuids(log)
    ensures Ancestry(log, u)[..i + 1] == Ancestry(log, Ancestry(log, u)[i].uuid)
  {
    var way := Ancestry(log, u);
    AncestryIsRootPath(log, u);
    RootPathIsAncestry(log, way[..i + 1], way[i].uuid);
  }

  /** A set that is closed under parents contains the ancestries of its entries. */
  lemma ParentClosedHoldsAncestries(log: Log, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires ParentClosed(log, ids)
    requires u in Uuids(log) && u in ids
    ensures Uuids(Ancestry(log, u)) <= ids
    decreases |log|
  {
    var e, before := log[|log| - 1], log[..|log| - 1];
    UuidsOfLast(log);
    if e.uuid != u {
      ParentClosedHoldsAncestries(before, ids, u);
    } else if e.parent.Some? {
      ParentClosedHoldsAncestries(before, ids, e.parent.value);
    }
  }

  /** An ancestry is closed under parents: the least set of ids that is, and contains the entry. */
  lemma AncestryIsParentClosed(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures ParentClosed(log, Uuids(Ancestry(log, u)))
  {
    var way := Ancestry(log, u);
    AncestryIsRootPath(log, u);
    WellFormedHasUniqueUuids(log);
    forall e | e in log && e.uuid in Uuids(way) && e.parent.Some? ensures e.parent.value in Uuids(way) {
      var a :| a in way && a.uuid == e.uuid;
      SameUuidIsSameEntry(log, a, e);
      var i :| 0 <= i < |way| && way[i] == a;
      assert way[i - 1] in way;
    }
  }

  /** Keeping a set that is closed under parents leaves every kept entry's ancestry as it was. */
  lemma AncestryInKeep(log: Log, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires ParentClosed(log, ids)
    requires u in Uuids(log) && u in ids
    ensures WellFormed(Keep(log, ids))
    ensures u in Uuids(Keep(log, ids))
    ensures Ancestry(Keep(log, ids), u) == Ancestry(log, u)
  {
    KeepIsWellFormed(log, ids);
    KeepHoldsExactly(log, ids);
    ParentClosedHoldsAncestries(log, ids, u);
    AncestryIsRootPath(log, u);
    RootPathIsAncestry(Keep(log, ids), Ancestry(log, u), u);
  }

  /** Ancestors stand at the entry or before it, each once. */
  lemma AncestryIsInOrder(log: Log, u: Id, i: nat, j: nat)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires i < j < |Ancestry(log, u)|
    ensures Ancestry(log, u)[i].uuid in Uuids(log) && Ancestry(log, u)[j].uuid in Uuids(log)
    ensures IndexOf(log, Ancestry(log, u)[i].uuid) < IndexOf(log, Ancestry(log, u)[j].uuid)
    decreases j
  {
    var way := Ancestry(log, u);
    AncestryIsRootPath(log, u);
    WellFormedHasUniqueUuids(log);
    GetFindsEntry(log, way[j]);
    assert way[j].parent == Some(way[j - 1].uuid);
    ParentStandsBefore(log, way[j].uuid);
    if i < j - 1 {
      AncestryIsInOrder(log, u, i, j - 1);
    }
  }

  /** The root of an ancestry stands at the entry or before it. */
  lemma RootStandsFirst(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures |Ancestry(log, u)| > 0
    ensures Ancestry(log, u)[0].uuid in Uuids(log)
    ensures IndexOf(log, Ancestry(log, u)[0].uuid) <= IndexOf(log, u)
  {
    AncestryEndsInItself(log, u);
    if |Ancestry(log, u)| > 1 {
      AncestryIsInOrder(log, u, 0, |Ancestry(log, u)| - 1);
    }
  }

  /** A prefix of a log has the same lineages. */
  lemma LineageInPrefix(log: Log, n: nat, u: Id)
    requires WellFormed(log)
    requires n <= |log|
    requires u in Uuids(log[..n])
    ensures WellFormed(log[..n])
    ensures u in Uuids(log)
    ensures Lineage(log[..n], u) == Lineage(log, u)
    decreases |log|
  {
    PrefixIsWellFormed(log, n);
    UuidsOfPrefix(log, n);
    if n == |log| {
      assert log[..n] == log;
    } else {
      var before, e := log[..|log| - 1], log[|log| - 1];
      assert before[..n] == log[..n];
      LineageInPrefix(before, n, u);
    }
  }

  /** `p` stands before `u`. */
  predicate StandsBefore(log: Log, p: Id, u: Id)
    requires u in Uuids(log)
  {
    p in Uuids(log[..IndexOf(log, u)])
  }

  /** A lineage is the lineage of what the entry continues, then the entry; or the entry alone, and what it continues is
    * outside. */
  lemma LineageUnfolds(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var e := Get(log, u);
            match LineageParent(e)
            case None => Lineage(log, u) == Line([e], None)
            case Some(p) =>
              if StandsBefore(log, p, u)
              then p in Uuids(log) && Lineage(log, u) == Line(Lineage(log, p).entries + [e], Lineage(log, p).outside)
              else Lineage(log, u) == Line([e], Some(p))
  {
    var n := IndexOf(log, u) + 1;
    var asOf, e := log[..n], Get(log, u);
    assert e in asOf;
    LineageInPrefix(log, n, u);
    assert asOf[..n - 1] == log[..n - 1];
    if LineageParent(e).Some? && StandsBefore(log, LineageParent(e).value, u) {
      LineageInPrefix(log, n - 1, LineageParent(e).value);
    }
  }

  /** A parent stands before its child, so lineage goes where ancestry goes. */
  lemma LineageOfChild(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Get(log, u).parent.Some?
    ensures var p := Get(log, u).parent.value;
            p in Uuids(log) && Lineage(log, u) == Line(Lineage(log, p).entries + [Get(log, u)], Lineage(log, p).outside)
  {
    EachEntryFits(log, IndexOf(log, u));
    LineageUnfolds(log, u);
  }

  /** A lineage is exactly the lineage of what the ancestry's root continues, then the ancestry. Where the root continues
    * nothing, or nothing that stands before it, the lineage is the ancestry. */
  lemma LineageIsAncestryAfterOlderLineage(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var way := Ancestry(log, u);
            && |way| > 0
            && way[0].uuid in Uuids(log)
            && (match way[0].logicalParent
                case None => Lineage(log, u) == Line(way, None)
                case Some(q) =>
                  if StandsBefore(log, q, way[0].uuid)
                  then q in Uuids(log) && Lineage(log, u) == Line(Lineage(log, q).entries + way, Lineage(log, q).outside)
                  else Lineage(log, u) == Line(way, Some(q)))
    decreases IndexOf(log, u)
  {
    var e := Get(log, u);
    AncestryUnfolds(log, u);
    LineageUnfolds(log, u);
    if e.parent.Some? {
      var p := e.parent.value;
      ParentStandsBefore(log, u);
      LineageOfChild(log, u);
      LineageIsAncestryAfterOlderLineage(log, p);
      var above := Ancestry(log, p);
      if above[0].logicalParent.Some? && StandsBefore(log, above[0].logicalParent.value, above[0].uuid) {
        var older := Lineage(log, above[0].logicalParent.value).entries;
        assert (older + above) + [e] == older + (above + [e]);
      }
    }
  }

  /** Without a boundary at its root an ancestry is the whole lineage, and nothing is outside. */
  lemma LineageIsAncestryWithoutBoundary(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires forall e | e in Ancestry(log, u) :: !IsBoundary(e)
    ensures Lineage(log, u) == Line(Ancestry(log, u), None)
  {
    LineageIsAncestryAfterOlderLineage(log, u);
    AncestryEndsInItself(log, u);
    assert Ancestry(log, u)[0] in Ancestry(log, u);
  }

  /** A lineage ends with the ancestry. */
  lemma LineageEndsWithAncestry(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures |Ancestry(log, u)| <= |Lineage(log, u).entries|
    ensures Lineage(log, u).entries[|Lineage(log, u).entries| - |Ancestry(log, u)|..] == Ancestry(log, u)
  {
    LineageIsAncestryAfterOlderLineage(log, u);
  }

  /** What a lineage says is outside is the logical parent of its first entry, and stands nowhere before it; a lineage that
    * says nothing is outside begins with a root that continues nothing. */
  lemma OutsideDoesNotStandBefore(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var line := Lineage(log, u);
            && |line.entries| > 0
            && line.entries[0] in log
            && line.entries[0].uuid in Uuids(log)
            && line.entries[0].parent.None?
            && line.entries[0].logicalParent == line.outside
            && (line.outside.Some? ==> !StandsBefore(log, line.outside.value, line.entries[0].uuid))
    decreases IndexOf(log, u)
  {
    var e := Get(log, u);
    LineageUnfolds(log, u);
    if LineageParent(e).Some? {
      var p := LineageParent(e).value;
      if e.parent.Some? {
        EachEntryFits(log, IndexOf(log, u));
      }
      if StandsBefore(log, p, u) {
        WellFormedHasUniqueUuids(log);
        IndexOfInPrefix(log, IndexOf(log, u), p);
        OutsideDoesNotStandBefore(log, p);
      }
    }
  }
}

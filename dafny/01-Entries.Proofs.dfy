// Chapter 1, proofs: what a well-formed log is, by positions; and what `Keep` keeps.
include "01-Entries.dfy"

module EntriesProofs {
  import opened Names
  import opened Entries

  /** The ids of a log are the ids at its positions. */
  lemma UuidsAreAtPositions(log: Log, u: Id)
    ensures u in Uuids(log) <==> exists i | 0 <= i < |log| :: log[i].uuid == u
  {
    if u in Uuids(log) {
      var e :| e in log && e.uuid == u;
      var i :| 0 <= i < |log| && log[i] == e;
    }
    if i :| 0 <= i < |log| && log[i].uuid == u {
      assert log[i] in log;
    }
  }

  /** The ids of two logs, one after the other, are those of both. */
  lemma UuidsOfConcatenation(a: Log, b: Log)
    ensures Uuids(a + b) == Uuids(a) + Uuids(b)
  {
    forall u | u in Uuids(a) + Uuids(b) ensures u in Uuids(a + b) {
      var e :| (e in a || e in b) && e.uuid == u;
      assert e in a + b;
    }
  }

  /** The ids of a log are those before its last entry, and the last one's. */
  lemma UuidsOfLast(log: Log)
    requires |log| > 0
    ensures Uuids(log) == Uuids(log[..|log| - 1]) + {log[|log| - 1].uuid}
  {
    var before, e := log[..|log| - 1], log[|log| - 1];
    assert log == before + [e];
    UuidsOfConcatenation(before, [e]);
    assert Uuids([e]) == {e.uuid} by {
      assert e in [e];
    }
  }

  /** A part of a log from its beginning has no ids that the log lacks. */
  lemma UuidsOfPrefix(log: Log, n: nat)
    requires n <= |log|
    ensures Uuids(log[..n]) <= Uuids(log)
  {
    forall u | u in Uuids(log[..n]) ensures u in Uuids(log) {
      var e :| e in log[..n] && e.uuid == u;
      assert e in log;
    }
  }

  /** Every beginning of a well-formed log is well-formed. */
  lemma PrefixIsWellFormed(log: Log, n: nat)
    requires WellFormed(log)
    requires n <= |log|
    ensures WellFormed(log[..n])
    decreases |log|
  {
    if n == |log| {
      assert log[..n] == log;
    } else {
      var before := log[..|log| - 1];
      assert before[..n] == log[..n];
      PrefixIsWellFormed(before, n);
    }
  }

  /** Every entry of a well-formed log fits what stands before it. */
  lemma EachEntryFits(log: Log, i: nat)
    requires WellFormed(log)
    requires i < |log|
    ensures Fits(log[..i], log[i])
  {
    PrefixIsWellFormed(log, i + 1);
    assert log[..i + 1][..i] == log[..i];
  }

  /** A log whose every entry fits what stands before it is well-formed. */
  lemma FittingMakesWellFormed(log: Log)
    requires forall i | 0 <= i < |log| :: Fits(log[..i], log[i])
    ensures WellFormed(log)
    decreases |log|
  {
    if |log| > 0 {
      var before := log[..|log| - 1];
      forall i | 0 <= i < |before| ensures Fits(before[..i], before[i]) {
        assert before[..i] == log[..i];
      }
      FittingMakesWellFormed(before);
    }
  }

  /** Well-formed, the recursive definition, is P1 together with parents first. */
  lemma WellFormedMeansUniqueAndParentsFirst(log: Log)
    ensures WellFormed(log) <==> UniqueUuids(log) && ParentsFirst(log)
  {
    if WellFormed(log) {
      forall i, j | 0 <= i < j < |log| ensures log[i].uuid != log[j].uuid {
        EachEntryFits(log, j);
        assert log[i] == log[..j][i];
      }
      forall i | 0 <= i < |log| && log[i].parent.Some? ensures log[i].parent.value in Uuids(log[..i]) {
        EachEntryFits(log, i);
      }
    }
    if UniqueUuids(log) && ParentsFirst(log) {
      forall i | 0 <= i < |log| ensures Fits(log[..i], log[i]) {
        UuidsAreAtPositions(log[..i], log[i].uuid);
      }
      FittingMakesWellFormed(log);
    }
  }

  /** P1 of every well-formed log. */
  lemma WellFormedHasUniqueUuids(log: Log)
    requires WellFormed(log)
    ensures UniqueUuids(log)
  {
    WellFormedMeansUniqueAndParentsFirst(log);
  }

  /** P2 of every well-formed log. */
  lemma WellFormedHasNoDanglingParents(log: Log)
    requires WellFormed(log)
    ensures NoDanglingParents(log)
  {
    forall e | e in log && e.parent.Some? ensures e.parent.value in Uuids(log) {
      var i :| 0 <= i < |log| && log[i] == e;
      EachEntryFits(log, i);
      UuidsOfPrefix(log, i);
    }
  }

  /** Where no two entries share a uuid, looking up an entry's uuid finds its position. */
  lemma IndexOfIsPosition(log: Log, i: nat)
    requires UniqueUuids(log)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures IndexOf(log, log[i].uuid) == i
  {
    assert log[i] in log;
  }

  /** Where no two entries share a uuid, looking up an entry's uuid finds the entry. */
  lemma GetFindsEntry(log: Log, e: Entry)
    requires UniqueUuids(log)
    requires e in log
    ensures e.uuid in Uuids(log)
    ensures Get(log, e.uuid) == e
  {
    var i :| 0 <= i < |log| && log[i] == e;
    IndexOfIsPosition(log, i);
  }

  /** Two entries of a log without shared uuids are the same when their uuids are. */
  lemma SameUuidIsSameEntry(log: Log, a: Entry, b: Entry)
    requires UniqueUuids(log)
    requires a in log && b in log
    requires a.uuid == b.uuid
    ensures a == b
  {
    GetFindsEntry(log, a);
    GetFindsEntry(log, b);
  }

  /** A parent stands before its child. */
  lemma ParentStandsBefore(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Get(log, u).parent.Some?
    ensures Get(log, u).parent.value in Uuids(log)
    ensures IndexOf(log, Get(log, u).parent.value) < IndexOf(log, u)
  {
    var i, p := IndexOf(log, u), Get(log, u).parent.value;
    EachEntryFits(log, i);
    UuidsAreAtPositions(log[..i], p);
    var k :| 0 <= k < i && log[..i][k].uuid == p;
    WellFormedMeansUniqueAndParentsFirst(log);
    IndexOfIsPosition(log, k);
  }

  /** Along parent links positions fall, so a way cannot end at an entry later than its first, nor at the first. */
  lemma PositionsFallAlongParents(log: Log, way: seq<Entry>, k: nat)
    requires WellFormed(log)
    requires k < |way|
    requires forall e | e in way :: e in log && e.parent.Some?
    requires forall i | 0 <= i < |way| - 1 :: way[i].parent.value == way[i + 1].uuid
    ensures way[0].uuid in Uuids(log) && way[k].uuid in Uuids(log)
    ensures IndexOf(log, way[k].uuid) <= IndexOf(log, way[0].uuid)
    decreases k
  {
    WellFormedMeansUniqueAndParentsFirst(log);
    assert way[0] in way && way[k] in way;
    if k > 0 {
      PositionsFallAlongParents(log, way, k - 1);
      assert way[k - 1] in way;
      GetFindsEntry(log, way[k - 1]);
      ParentStandsBefore(log, way[k - 1].uuid);
      assert way[k - 1].parent.value == way[k].uuid;
    }
  }

  /** No entry of a well-formed log is its own ancestor: a parent's position is lower than its child's. */
  lemma WellFormedIsAcyclic(log: Log)
    requires WellFormed(log)
    ensures Acyclic(log)
  {
    forall way: seq<Entry> ensures !Cycle(log, way) {
      if Cycle(log, way) {
        var last := way[|way| - 1];
        assert last in way;
        PositionsFallAlongParents(log, way, |way| - 1);
        WellFormedMeansUniqueAndParentsFirst(log);
        GetFindsEntry(log, last);
        ParentStandsBefore(log, last.uuid);
      }
    }
  }

  /** The log as of an entry is well-formed and ends with that entry. */
  lemma AsOfIsWellFormed(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures WellFormed(AsOf(log, u))
    ensures |AsOf(log, u)| > 0 && AsOf(log, u)[|AsOf(log, u)| - 1] == Get(log, u)
    ensures u in Uuids(AsOf(log, u))
  {
    PrefixIsWellFormed(log, IndexOf(log, u) + 1);
    assert Get(log, u) in AsOf(log, u);
  }

  /** What a prefix of a log holds stands there where it stands in the log. */
  lemma IndexOfInPrefix(log: Log, n: nat, u: Id)
    requires UniqueUuids(log)
    requires n <= |log|
    requires u in Uuids(log[..n])
    ensures u in Uuids(log)
    ensures IndexOf(log[..n], u) == IndexOf(log, u) < n
    ensures Get(log[..n], u) == Get(log, u)
    ensures AsOf(log[..n], u) == AsOf(log, u)
  {
    var i := IndexOf(log[..n], u);
    assert log[..n][i] == log[i];
    IndexOfIsPosition(log, i);
    assert log[..n][..i + 1] == log[..i + 1];
  }

  /** What stands after the end of a prefix is not in it. */
  lemma LaterIsNotInPrefix(log: Log, n: nat, u: Id)
    requires UniqueUuids(log)
    requires n <= |log|
    requires u in Uuids(log)
    ensures u in Uuids(log[..n]) <==> IndexOf(log, u) < n
  {
    if u in Uuids(log[..n]) {
      IndexOfInPrefix(log, n, u);
    }
    if IndexOf(log, u) < n {
      assert log[..n][IndexOf(log, u)] in log[..n];
    }
  }

  /** The entries of the log as of `u` are those that stand at `u` or before. */
  lemma AsOfHoldsExactly(log: Log, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log) && v in Uuids(log)
    ensures v in Uuids(AsOf(log, u)) <==> IndexOf(log, v) <= IndexOf(log, u)
  {
    LaterIsNotInPrefix(log, IndexOf(log, u) + 1, v);
  }

  /** `Keep` holds exactly the entries whose ids it is given. */
  lemma KeepHoldsExactly(log: Log, ids: set<Id>)
    ensures forall e :: e in Keep(log, ids) <==> e in log && e.uuid in ids
    decreases |log|
  {
    if |log| > 0 {
      var before := log[..|log| - 1];
      assert log == before + [log[|log| - 1]];
      KeepHoldsExactly(before, ids);
    }
  }

  /** The ids of what is kept are the ids to keep that are there. */
  lemma UuidsOfKeep(log: Log, ids: set<Id>)
    ensures Uuids(Keep(log, ids)) == Uuids(log) * ids
  {
    KeepHoldsExactly(log, ids);
    forall u | u in Uuids(log) * ids ensures u in Uuids(Keep(log, ids)) {
      var e :| e in log && e.uuid == u;
    }
  }

  /** Keeping from two logs, one after the other, is keeping from each. */
  lemma KeepSplits(a: Log, b: Log, ids: set<Id>)
    ensures Keep(a + b, ids) == Keep(a, ids) + Keep(b, ids)
    decreases |b|
  {
    if |b| == 0 {
      assert a + b == a;
    } else {
      var before, e := b[..|b| - 1], b[|b| - 1];
      assert (a + b)[..|a + b| - 1] == a + before;
      KeepSplits(a, before, ids);
    }
  }

  /** Keeping the last entry of a log or not. */
  lemma KeepOfLast(log: Log, e: Entry, ids: set<Id>)
    ensures Keep(log + [e], ids) == if e.uuid in ids then Keep(log, ids) + [e] else Keep(log, ids)
  {
    assert (log + [e])[..|log + [e]| - 1] == log;
  }

  /** Keeping twice is keeping what both keep. */
  lemma KeepOfKeep(log: Log, a: set<Id>, b: set<Id>)
    ensures Keep(Keep(log, a), b) == Keep(log, a * b)
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      KeepOfKeep(before, a, b);
      KeepOfLast(Keep(before, a), e, b);
    }
  }

  /** What is kept depends only on the ids that the log has. */
  lemma KeepDependsOnIdsThere(log: Log, a: set<Id>, b: set<Id>)
    requires Uuids(log) * a == Uuids(log) * b
    ensures Keep(log, a) == Keep(log, b)
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      UuidsOfLast(log);
      assert forall u | u in Uuids(log) :: u in a <==> u in Uuids(log) * a;
      assert forall u | u in Uuids(log) :: u in b <==> u in Uuids(log) * b;
      assert Uuids(before) * a == Uuids(before) * b;
      KeepDependsOnIdsThere(before, a, b);
    }
  }

  /** Keeping every id keeps the log. */
  lemma KeepingAllIsTheLog(log: Log, ids: set<Id>)
    requires Uuids(log) <= ids
    ensures Keep(log, ids) == log
    decreases |log|
  {
    if |log| > 0 {
      UuidsOfLast(log);
      KeepingAllIsTheLog(log[..|log| - 1], ids);
    }
  }

  /** Keeping no id that is there keeps nothing. */
  lemma KeepingNoneIsEmpty(log: Log, ids: set<Id>)
    requires Uuids(log) !! ids
    ensures Keep(log, ids) == []
    decreases |log|
  {
    if |log| > 0 {
      UuidsOfLast(log);
      KeepingNoneIsEmpty(log[..|log| - 1], ids);
    }
  }

  /** Where the ids to keep all stand in a prefix of the log, the prefix alone decides what is kept. */
  lemma KeepFromPrefix(log: Log, n: nat, ids: set<Id>)
    requires UniqueUuids(log)
    requires n <= |log|
    requires Uuids(log) * ids <= Uuids(log[..n])
    ensures Keep(log, ids) == Keep(log[..n], ids)
  {
    assert log == log[..n] + log[n..];
    KeepSplits(log[..n], log[n..], ids);
    forall u | u in Uuids(log[n..]) ensures u !in ids {
      UuidsAreAtPositions(log[n..], u);
      var i :| 0 <= i < |log[n..]| && log[n..][i].uuid == u;
      assert log[n + i].uuid == u;
      IndexOfIsPosition(log, n + i);
      LaterIsNotInPrefix(log, n, u);
    }
    KeepingNoneIsEmpty(log[n..], ids);
  }

  /** No two entries that are kept share a uuid, where none do. */
  lemma KeepIsUnique(log: Log, ids: set<Id>)
    requires UniqueUuids(log)
    ensures UniqueUuids(Keep(log, ids))
    decreases |log|
  {
    if |log| > 0 {
      var before := log[..|log| - 1];
      KeepIsUnique(before, ids);
      forall e | e in Keep(before, ids) ensures e.uuid != log[|log| - 1].uuid {
        KeepHoldsExactly(before, ids);
        var i :| 0 <= i < |before| && before[i] == e;
        assert log[i] == e;
      }
    }
  }

  /** What is kept stands in the order of the log. */
  lemma KeepIsInOrder(log: Log, ids: set<Id>, a: Id, b: Id)
    requires UniqueUuids(log)
    requires a in Uuids(Keep(log, ids)) && b in Uuids(Keep(log, ids))
    ensures a in Uuids(log) && b in Uuids(log)
    ensures IndexOf(Keep(log, ids), a) < IndexOf(Keep(log, ids), b) <==> IndexOf(log, a) < IndexOf(log, b)
  {
    UuidsOfKeep(log, ids);
    KeepIsUnique(log, ids);
    if IndexOf(log, a) < IndexOf(log, b) {
      EarlierIsKeptEarlier(log, ids, a, b);
    } else if IndexOf(log, b) < IndexOf(log, a) {
      EarlierIsKeptEarlier(log, ids, b, a);
    }
  }

  /** One direction of `KeepIsInOrder`: the log is cut between the two, and so is what is kept. */
  lemma EarlierIsKeptEarlier(log: Log, ids: set<Id>, a: Id, b: Id)
    requires UniqueUuids(log)
    requires a in Uuids(log) && b in Uuids(log)
    requires a in Uuids(Keep(log, ids)) && b in Uuids(Keep(log, ids))
    requires IndexOf(log, a) < IndexOf(log, b)
    ensures IndexOf(Keep(log, ids), a) < IndexOf(Keep(log, ids), b)
  {
    var n := IndexOf(log, b);
    var kept, first := Keep(log, ids), Keep(log[..n], ids);
    assert log == log[..n] + log[n..];
    KeepSplits(log[..n], log[n..], ids);
    KeepIsUnique(log, ids);
    UuidsOfKeep(log, ids);
    UuidsOfKeep(log[..n], ids);
    LaterIsNotInPrefix(log, n, a);
    LaterIsNotInPrefix(log, n, b);
    assert kept[..|first|] == first;
    LaterIsNotInPrefix(kept, |first|, a);
    LaterIsNotInPrefix(kept, |first|, b);
  }

  /** The set contains the parent of every entry that it contains. */
  ghost predicate ParentClosed(log: Log, ids: set<Id>) {
    forall e | e in log && e.uuid in ids && e.parent.Some? :: e.parent.value in ids
  }

  /** Keeping a set that is closed under parents leaves a log well-formed. */
  lemma KeepIsWellFormed(log: Log, ids: set<Id>)
    requires WellFormed(log)
    requires ParentClosed(log, ids)
    ensures WellFormed(Keep(log, ids))
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      KeepIsWellFormed(before, ids);
      if e.uuid in ids {
        UuidsOfKeep(before, ids);
      }
    }
  }
}

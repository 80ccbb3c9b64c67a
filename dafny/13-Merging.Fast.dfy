// Chapter 13, the algorithms: what is reached, in one pass down over positions; what is held; and two files as one log.
include "01-Entries.Fast.dfy"
include "03-Ancestries.Fast.dfy"
include "04-Contexts.Fast.dfy"
include "13-Merging.Proofs.dfy"

module MergingFast {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened Ancestries
  import opened AncestriesProofs
  import opened AncestriesFast
  import opened Contexts
  import opened ContextsProofs
  import opened Links
  import opened Merging
  import opened MergingProofs
  import ContextsFast
  import EntriesFast

  /** The position of the second parent of the entry at `i`; -1 where there is none. */
  method FastSecond(log: Log, merges: Merges, at: map<Id, nat>, i: nat) returns (second: int)
    requires UniqueUuids(log)
    requires IsIndex(log, at)
    requires i < |log|
    ensures log[i].uuid in Uuids(log) && -1 <= second < i
    ensures SecondParent(log, merges, log[i].uuid) == if second < 0 then None else Some(log[second].uuid)
  {
    var u := log[i].uuid;
    assert log[i] in log;
    IndexOfIsPosition(log, i);
    if u in merges {
      IndexTellsWhatStandsBefore(log, at, i, merges[u]);
      if merges[u] in at && at[merges[u]] < i {
        return at[merges[u]];
      }
    }
    second := -1;
  }

  /** The positions that are marked are those of the entries that are reached. */
  ghost predicate MarksReach(log: Log, merges: Merges, i: nat, mark: seq<bool>)
    requires WellFormed(log)
    requires i < |log|
  {
    && |mark| == |log|
    && log[i].uuid in Uuids(log)
    && (forall j | 0 <= j < |log| :: mark[j] <==> log[j].uuid in Reach(log, merges, log[i].uuid))
  }

  /** What is reached from the entry at `i`. */
  method FastReach(log: Log, merges: Merges, at: map<Id, nat>, up: seq<int>, i: nat) returns (mark: seq<bool>)
    requires WellFormed(log)
    requires IsIndex(log, at)
    requires AreParents(log, up)
    requires i < |log|
    ensures MarksReach(log, merges, i, mark)
  {
    hide WellFormed, IsIndex, AreParents, Marking, SecondParent, MarksReach, Uuids;
    WellFormedHasUniqueUuids(log);
    var marked := new bool[|log|](_ => false);
    marked[i] := true;
    MarkingTheFirst(log, merges, up, i, marked[..]);
    for k := i + 1 downto 0
      invariant Marking(log, merges, up, i, k, marked[..])
      modifies marked
    {
      ghost var before := marked[..];
      if marked[k] {
        var second := FastSecond(log, merges, at, k);
        var parent := up[k] by {
          reveal AreParents;
        }
        assert -1 <= parent < k by {
          reveal AreParents;
        }
        if parent >= 0 {
          marked[parent] := true;
        }
        assert marked[..] == Mark(before, parent);
        if second >= 0 {
          marked[second] := true;
        }
        assert marked[..] == Mark(Mark(before, parent), second);
        MarkingBothParents(log, merges, up, i, k, second, before);
      } else {
        MarkingNone(log, merges, up, i, k, before);
      }
    }
    mark := marked[..];
    MarkedIsReached(log, merges, up, i, mark);
  }

  /** One position more is marked, if it is one. */
  ghost function Mark(mark: seq<bool>, at: int): seq<bool>
    requires at < |mark|
  {
    if at >= 0 then mark[at := true] else mark
  }

  /** On the way down at position `k`: all that is marked is reached, and both parents of what is marked from there on are. */
  ghost predicate Marking(log: Log, merges: Merges, up: seq<int>, i: nat, k: int, mark: seq<bool>)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires i < |log|
  {
    && |mark| == |log|
    && mark[i]
    && log[i].uuid in Uuids(log)
    && (forall j | 0 <= j < |log| && mark[j] :: j <= i && log[j].uuid in Reach(log, merges, log[i].uuid))
    && (forall j | 0 <= k <= j < |log| && mark[j] :: BothParentsMarked(log, merges, up, mark, j))
  }

  /** At first only the entry itself is marked. */
  lemma MarkingTheFirst(log: Log, merges: Merges, up: seq<int>, i: nat, mark: seq<bool>)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires i < |log| == |mark| && mark[i] && (forall j | 0 <= j < |log| && mark[j] :: j == i)
    ensures Marking(log, merges, up, i, i + 1, mark)
  {
    assert log[i] in log;
    ReachIsInLog(log, merges, log[i].uuid);
  }

  /** Where nothing is marked nothing is to be done. */
  lemma MarkingNone(log: Log, merges: Merges, up: seq<int>, i: nat, k: nat, mark: seq<bool>)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires i < |log| && k < |log|
    requires Marking(log, merges, up, i, k + 1, mark)
    requires !mark[k]
    ensures Marking(log, merges, up, i, k, mark)
  {
  }

  /** Both parents of what is marked are marked. */
  lemma MarkingBothParents(log: Log, merges: Merges, up: seq<int>, i: nat, k: nat, second: int, mark: seq<bool>)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires i < |log| && k <= i && second < k
    requires Marking(log, merges, up, i, k + 1, mark)
    requires mark[k]
    requires log[k].uuid in Uuids(log)
    requires SecondParent(log, merges, log[k].uuid) == if second < 0 then None else Some(log[second].uuid)
    ensures Marking(log, merges, up, i, k, Mark(Mark(mark, up[k]), second))
  {
    hide WellFormed, AreParents, Uuids, Reach, SecondParent, BothParentsMarked;
    PositionsLeadBack(log, up);
    var after := Mark(Mark(mark, up[k]), second);
    ParentsAreReached(log, merges, up, i, k, second);
    ParentsAreMarked(log, merges, up, after, k, second);
    forall j | k <= j < |log| && after[j] ensures BothParentsMarked(log, merges, up, after, j) {
      if j > k {
        StillMarked(log, merges, up, mark, after, j);
      }
    }
  }

  /** Both parents of the entry at `j` are marked. */
  ghost predicate BothParentsMarked(log: Log, merges: Merges, up: seq<int>, mark: seq<bool>, j: nat)
    requires |up| == |mark| == |log| && j < |log|
    requires LeadsBack(up)
  {
    && log[j].uuid in Uuids(log)
    && (up[j] >= 0 ==> mark[up[j]])
    && (SecondParent(log, merges, log[j].uuid).Some? ==>
          exists s: nat :: s < j && mark[s] && SecondParent(log, merges, log[j].uuid) == Some(log[s].uuid))
  }

  /** With the positions of both parents marked, both parents are. */
  lemma ParentsAreMarked(log: Log, merges: Merges, up: seq<int>, mark: seq<bool>, k: nat, second: int)
    requires |up| == |mark| == |log| && k < |log|
    requires LeadsBack(up)
    requires log[k].uuid in Uuids(log) && second < k
    requires SecondParent(log, merges, log[k].uuid) == if second < 0 then None else Some(log[second].uuid)
    requires up[k] >= 0 ==> mark[up[k]]
    requires second >= 0 ==> mark[second]
    ensures BothParentsMarked(log, merges, up, mark, k)
  {
  }

  /** More marks take none away. */
  lemma StillMarked(log: Log, merges: Merges, up: seq<int>, before: seq<bool>, after: seq<bool>, j: nat)
    requires |up| == |before| == |after| == |log| && j < |log|
    requires LeadsBack(up)
    requires forall k | 0 <= k < |log| && before[k] :: after[k]
    requires BothParentsMarked(log, merges, up, before, j)
    ensures BothParentsMarked(log, merges, up, after, j)
  {
  }

  /** The parents of what is reached are reached. */
  lemma ParentsAreReached(log: Log, merges: Merges, up: seq<int>, i: nat, k: nat, second: int)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires i < |log| && k < |log| && second < k
    requires log[i].uuid in Uuids(log) && log[k].uuid in Uuids(log)
    requires log[k].uuid in Reach(log, merges, log[i].uuid)
    requires SecondParent(log, merges, log[k].uuid) == if second < 0 then None else Some(log[second].uuid)
    ensures up[k] >= 0 ==> log[up[k]].uuid in Reach(log, merges, log[i].uuid)
    ensures second >= 0 ==> log[second].uuid in Reach(log, merges, log[i].uuid)
  {
    hide Reach, SecondParent;
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, k);
    ReachIsBothParentsClosed(log, merges, log[i].uuid);
  }

  /** Marks that are closed under both parents hold all that is reached. */
  lemma MarkedIsReached(log: Log, merges: Merges, up: seq<int>, i: nat, mark: seq<bool>)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires i < |log|
    requires Marking(log, merges, up, i, 0, mark)
    ensures MarksReach(log, merges, i, mark)
  {
    hide Reach, SecondParent;
    WellFormedHasUniqueUuids(log);
    var ids := set j | 0 <= j < |log| && mark[j] :: log[j].uuid;
    forall u | u in Uuids(log) && u in ids
      ensures (Get(log, u).parent.Some? ==> Get(log, u).parent.value in ids)
      ensures (SecondParent(log, merges, u).Some? ==> SecondParent(log, merges, u).value in ids)
    {
      var j :| 0 <= j < |log| && mark[j] && log[j].uuid == u;
      IndexOfIsPosition(log, j);
      assert BothParentsMarked(log, merges, up, mark, j);
    }
    ReachIsLeast(log, merges, log[i].uuid, ids);
  }

  /** What is held at the entry at `i`: the conversations at everything that is marked as reached. */
  method FastHeld(links: Links, ghost log: Log, ghost merges: Merges, ghost i: nat, reach: seq<bool>) returns (held: seq<bool>)
    requires WellFormed(log)
    requires Represents(links, log)
    requires i < |log|
    requires MarksReach(log, merges, i, reach)
    ensures |held| == |log|
    ensures forall j | 0 <= j < |log| :: held[j] <==> log[j].uuid in Held(log, merges, log[i].uuid)
  {
    hide WellFormed, Represents, Reach, Members, Held;
    WellFormedHasUniqueUuids(log);
    held := seq(|reach|, _ => false);
    for k := |reach| downto 0
      invariant |held| == |log|
      invariant forall j | 0 <= j < |log| :: held[j] <==> HeldFrom(log, reach, k, log[j].uuid)
    {
      if reach[k] && !held[k] {
        var mark := ContextsFast.FastMembers(links, log, k);
        held := seq(|reach|, j requires 0 <= j < |held| == |mark| => held[j] || mark[j]);
      } else if reach[k] {
        HeldWithItsMembers(log, reach, k);
      }
    }
    HeldFromTheStart(log, merges, i, reach);
  }

  /** The conversation at some reached entry, at position `k` or further on, holds `w`. */
  ghost predicate HeldFrom(log: Log, reach: seq<bool>, k: nat, w: Id)
    requires |reach| == |log|
  {
    exists v :: k <= v < |log| && reach[v] && log[v].uuid in Uuids(log) && w in Members(log, log[v].uuid)
  }

  /** What is held is held with its conversation. */
  lemma HeldWithItsMembers(log: Log, reach: seq<bool>, k: nat)
    requires UniqueUuids(log)
    requires |reach| == |log| && k < |log|
    requires HeldFrom(log, reach, k + 1, log[k].uuid)
    ensures log[k].uuid in Uuids(log)
    ensures forall w | w in Members(log, log[k].uuid) :: HeldFrom(log, reach, k + 1, w)
  {
    hide Members;
    var v :| k + 1 <= v < |log| && reach[v] && log[v].uuid in Uuids(log) && log[k].uuid in Members(log, log[v].uuid);
    MembersOfMember(log, log[v].uuid, log[k].uuid);
  }

  /** All that is held is held from the start on. */
  lemma HeldFromTheStart(log: Log, merges: Merges, i: nat, reach: seq<bool>)
    requires WellFormed(log)
    requires i < |log|
    requires MarksReach(log, merges, i, reach)
    ensures forall w :: w in Held(log, merges, log[i].uuid) <==> HeldFrom(log, reach, 0, w)
  {
    hide Reach, Members;
    forall w ensures w in Held(log, merges, log[i].uuid) <==> HeldFrom(log, reach, 0, w) {
      if w in Held(log, merges, log[i].uuid) {
        var v :| v in Uuids(log) && v in Reach(log, merges, log[i].uuid) && w in Members(log, v);
        var e :| e in log && e.uuid == v;
        var p :| 0 <= p < |log| && log[p] == e;
      }
      if HeldFrom(log, reach, 0, w) {
        var v :| 0 <= v < |log| && reach[v] && log[v].uuid in Uuids(log) && w in Members(log, log[v].uuid);
      }
    }
  }

  /** A merge, and where the target goes on; the target stands at `i`. */
  method FastMerge(h: History, at: map<Id, nat>, up: seq<int>, node: Entry, source: Id, i: nat)
    returns (after: History, head: Id)
    requires CanMerge(h, node, source)
    requires IsIndex(h.log, at)
    requires AreParents(h.log, up)
    requires i < |h.log| && node.parent == Some(h.log[i].uuid)
    ensures after == Merge(h, node, source)
    ensures head == Head(h, node, source)
  {
    hide WellFormed, AreParents, Reach, IndexOf;
    var mark := FastReach(h.log, h.merges, at, up, i);
    var s := at[source];
    WellFormedHasUniqueUuids(h.log);
    if mark[s] {
      return h, h.log[i].uuid;
    }
    after := History(h.log + [node], h.merges[node.uuid := source]);
    head := node.uuid;
  }

  // --- Two files ---

  /** The entries of `b` that `a` does not have, by the index of `a`. */
  method FastNews(ghost a: Log, at: map<Id, nat>, b: Log) returns (news: Log)
    requires IsIndex(a, at)
    ensures news == News(a, b)
  {
    var there := Index(b);
    news := EntriesFast.FastKeep(b, there.Keys - at.Keys);
  }

  /** Whether a uuid that both have is the same entry in both. */
  method FastAgree(a: Log, at: map<Id, nat>, b: Log) returns (agree: bool)
    requires UniqueUuids(a)
    requires IsIndex(a, at)
    ensures agree == Agree(a, b)
  {
    for i := 0 to |b|
      invariant Agree(a, b[..i])
    {
      assert b[..i + 1] == b[..i] + [b[i]];
      if b[i].uuid in at {
        var x := a[at[b[i].uuid]];
        if x != b[i] {
          assert x in a && b[i] in b;
          return false;
        }
        forall y | y in a && y.uuid == b[i].uuid ensures y == x {
          var p :| 0 <= p < |a| && a[p] == y;
          IndexOfIsPosition(a, p);
        }
      }
    }
    assert b[..|b|] == b;
    agree := true;
  }

  /** Whether `b` begins with what it shares with `a`, as it stands there. */
  method FastPartsFrom(b: Log, a: Log) returns (parts: bool)
    ensures parts == PartsFrom(b, a)
  {
    var there := Index(b);
    var shared := EntriesFast.FastKeep(a, there.Keys);
    parts := shared <= b;
  }
}

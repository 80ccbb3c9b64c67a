// Chapter 13, proofs: what is reached; what a merge keeps, reaches and holds (R1, R2); which laws it has; that no linear
// history keeps two branches; what a merge node quotes; and what the union of two files keeps.
include "07-Forks.Proofs.dfy"
include "13-Merging.dfy"

module MergingProofs {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened Ancestries
  import opened AncestriesProofs
  import opened Contexts
  import opened ContextsProofs
  import opened Balance
  import opened BalanceProofs
  import opened Forks
  import opened ForksProofs
  import opened Merging

  // --- What is reached ---

  /** One more entry changes nothing that is reached from the others. */
  lemma ReachOfOneMore(log: Log, merges: Merges, e: Entry, u: Id)
    requires WellFormed(log)
    requires Fits(log, e)
    requires u in Uuids(log)
    ensures WellFormed(Append(log, e)) && u in Uuids(Append(log, e))
    ensures Reach(Append(log, e), merges, u) == Reach(log, merges, u)
  {
    AppendIsWellFormed(log, e);
    assert Append(log, e)[..|log|] == log;
    UuidsOfLast(Append(log, e));
  }

  /** What is reached does not depend on second parents of entries that are not there. */
  lemma ReachDependsOnMergesThere(log: Log, a: Merges, b: Merges, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires forall v | v in Uuids(log) :: (v in a <==> v in b) && (v in a ==> a[v] == b[v])
    ensures Reach(log, a, u) == Reach(log, b, u)
    decreases |log|
  {
    var e, before := log[|log| - 1], log[..|log| - 1];
    UuidsOfLast(log);
    if e.uuid != u {
      ReachDependsOnMergesThere(before, a, b, u);
    } else {
      if e.parent.Some? {
        ReachDependsOnMergesThere(before, a, b, e.parent.value);
      }
      if u in a && a[u] in Uuids(before) {
        ReachDependsOnMergesThere(before, a, b, a[u]);
      }
    }
  }

  /** What is reached, without recursion on the log: itself, and what is reached from the parent and from the second parent. */
  lemma ReachUnfolds(log: Log, merges: Merges, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var p, q := Get(log, u).parent, SecondParent(log, merges, u);
            && (p.Some? ==> p.value in Uuids(log) && IndexOf(log, p.value) < IndexOf(log, u))
            && (q.Some? ==> q.value in Uuids(log) && IndexOf(log, q.value) < IndexOf(log, u))
            && Reach(log, merges, u) ==
               {u} + (if p.Some? then Reach(log, merges, p.value) else {}) + (if q.Some? then Reach(log, merges, q.value) else {})
    decreases |log|
  {
    var e, before := log[|log| - 1], log[..|log| - 1];
    var p, q := Get(log, u).parent, SecondParent(log, merges, u);
    WellFormedHasUniqueUuids(log);
    assert log == Append(before, e);
    if p.Some? {
      ParentStandsBefore(log, u);
    }
    if q.Some? {
      UuidsOfPrefix(log, IndexOf(log, u));
      LaterIsNotInPrefix(log, IndexOf(log, u), q.value);
    }
    if e.uuid == u {
      if p.Some? {
        ReachOfOneMore(before, merges, e, p.value);
      }
      if q.Some? {
        ReachOfOneMore(before, merges, e, q.value);
      }
    } else {
      UuidsOfLast(log);
      IndexOfInPrefix(log, |before|, u);
      assert before[..IndexOf(before, u)] == log[..IndexOf(log, u)];
      ReachUnfolds(before, merges, u);
      if p.Some? {
        ReachOfOneMore(before, merges, e, p.value);
      }
      if q.Some? {
        ReachOfOneMore(before, merges, e, q.value);
      }
    }
  }

  /** What is reached stands in the log, at `u` or before it, and `u` is among it. */
  lemma ReachIsInLog(log: Log, merges: Merges, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures u in Reach(log, merges, u)
    ensures forall v | v in Reach(log, merges, u) :: v in Uuids(log) && IndexOf(log, v) <= IndexOf(log, u)
    decreases IndexOf(log, u)
  {
    ReachUnfolds(log, merges, u);
    var p, q := Get(log, u).parent, SecondParent(log, merges, u);
    if p.Some? {
      ReachIsInLog(log, merges, p.value);
    }
    if q.Some? {
      ReachIsInLog(log, merges, q.value);
    }
  }

  /** What is reached from something that is reached is reached. */
  lemma ReachOfReached(log: Log, merges: Merges, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Reach(log, merges, u)
    ensures v in Uuids(log)
    ensures Reach(log, merges, v) <= Reach(log, merges, u)
    decreases IndexOf(log, u)
  {
    ReachIsInLog(log, merges, u);
    ReachUnfolds(log, merges, u);
    var p, q := Get(log, u).parent, SecondParent(log, merges, u);
    if v != u {
      if p.Some? && v in Reach(log, merges, p.value) {
        ReachOfReached(log, merges, p.value, v);
      } else {
        ReachOfReached(log, merges, q.value, v);
      }
    }
  }

  /** What is reached is closed under both parents. */
  lemma ReachIsBothParentsClosed(log: Log, merges: Merges, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures BothParentsClosed(log, merges, Reach(log, merges, u))
  {
    forall v | v in Uuids(log) && v in Reach(log, merges, u)
      ensures Get(log, v).parent.Some? ==> Get(log, v).parent.value in Reach(log, merges, u)
      ensures SecondParent(log, merges, v).Some? ==> SecondParent(log, merges, v).value in Reach(log, merges, u)
    {
      ReachOfReached(log, merges, u, v);
      ReachUnfolds(log, merges, v);
      if Get(log, v).parent.Some? {
        ReachIsInLog(log, merges, Get(log, v).parent.value);
      }
      if SecondParent(log, merges, v).Some? {
        ReachIsInLog(log, merges, SecondParent(log, merges, v).value);
      }
    }
  }

  /** In a well-formed log of at most one entry there is no parent, so every set is closed. */
  lemma WithoutParentsAllIsClosed(log: Log, merges: Merges, ids: set<Id>)
    requires WellFormed(log)
    requires |log| <= 1
    ensures BothParentsClosed(log, merges, ids)
  {
    forall u | u in Uuids(log) ensures Get(log, u).parent.None? && SecondParent(log, merges, u).None? {
      assert IndexOf(log, u) == 0;
    }
  }

  /** What is reached is the least set that contains `u` and is closed under both parents. */
  lemma ReachIsLeast(log: Log, merges: Merges, u: Id, ids: set<Id>)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires u in ids
    requires BothParentsClosed(log, merges, ids)
    ensures Reach(log, merges, u) <= ids
    decreases IndexOf(log, u)
  {
    ReachUnfolds(log, merges, u);
    var p, q := Get(log, u).parent, SecondParent(log, merges, u);
    if p.Some? {
      ReachIsLeast(log, merges, p.value, ids);
    }
    if q.Some? {
      ReachIsLeast(log, merges, q.value, ids);
    }
  }

  /** The ancestry is reached; and where nothing was merged, nothing else is. */
  lemma ReachHoldsAncestry(log: Log, merges: Merges, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Uuids(Ancestry(log, u)) <= Reach(log, merges, u)
    ensures (forall v | v in Uuids(log) :: v !in merges) ==> Reach(log, merges, u) == Uuids(Ancestry(log, u))
    decreases IndexOf(log, u)
  {
    var e := Get(log, u);
    ReachUnfolds(log, merges, u);
    AncestryUnfolds(log, u);
    assert Uuids([e]) == {u} by {
      assert e in [e];
    }
    if e.parent.Some? {
      ReachHoldsAncestry(log, merges, e.parent.value);
      UuidsOfConcatenation(Ancestry(log, e.parent.value), [e]);
    }
  }

  // --- What a merge changes ---

  /** Merging a source that is already reached changes nothing, and only that. */
  lemma MergeChangesNothingExactlyWhereReached(h: History, node: Entry, source: Id)
    requires CanMerge(h, node, source)
    ensures Merge(h, node, source) == h <==> source in Reach(h.log, h.merges, node.parent.value)
  {
  }

  /** A merged log is well-formed: P1, P2 and acyclicity hold. */
  lemma MergeIsWellFormed(h: History, node: Entry, source: Id)
    requires CanMerge(h, node, source)
    ensures var after := Merge(h, node, source).log;
            WellFormed(after) && UniqueUuids(after) && NoDanglingParents(after) && Acyclic(after)
  {
    var after := Merge(h, node, source).log;
    AppendIsWellFormed(h.log, node);
    WellFormedHasUniqueUuids(after);
    WellFormedHasNoDanglingParents(after);
    WellFormedIsAcyclic(after);
  }

  /** P5: a merge appends at most its node; every old entry stands in its place, unchanged, and has the second parent that it
    * had. The source is not written to. */
  lemma MergeIsAppendOnly(h: History, node: Entry, source: Id)
    requires CanMerge(h, node, source)
    ensures var after := Merge(h, node, source);
            && (after.log == h.log || after.log == h.log + [node])
            && h.log <= after.log
            && (forall v | v in Uuids(h.log) ::
                  && (v in after.merges <==> v in h.merges)
                  && (v in h.merges ==> after.merges[v] == h.merges[v]))
  {
  }

  /** A merge changes no old ancestry and no old context, and nothing that was reached or held, on either side. */
  lemma MergeKeepsOldAncestriesAndContexts(h: History, node: Entry, source: Id, v: Id)
    requires CanMerge(h, node, source)
    requires v in Uuids(h.log)
    ensures var after := Merge(h, node, source);
            && WellFormed(after.log) && v in Uuids(after.log)
            && Get(after.log, v) == Get(h.log, v)
            && Ancestry(after.log, v) == Ancestry(h.log, v)
            && Members(after.log, v) == Members(h.log, v)
            && Context(after.log, v) == Context(h.log, v)
            && Reach(after.log, after.merges, v) == Reach(h.log, h.merges, v)
  {
    var after := Merge(h, node, source);
    if after != h {
      WellFormedHasUniqueUuids(h.log);
      AppendKeepsOldAncestries(h.log, node, v);
      AppendKeepsOldContexts(h.log, node, v);
      ReachOfOneMore(h.log, after.merges, node, v);
      ReachDependsOnMergesThere(h.log, after.merges, h.merges, v);
    }
  }

  /** What is held at an old entry is what was held there. */
  lemma MergeKeepsWhatIsHeld(h: History, node: Entry, source: Id, v: Id)
    requires CanMerge(h, node, source)
    requires v in Uuids(h.log)
    ensures var after := Merge(h, node, source);
            && WellFormed(after.log) && v in Uuids(after.log)
            && Held(after.log, after.merges, v) == Held(h.log, h.merges, v)
  {
    var after := Merge(h, node, source);
    MergeKeepsOldAncestriesAndContexts(h, node, source, v);
    ReachIsInLog(h.log, h.merges, v);
    forall x | x in Uuids(h.log)
      ensures x in Uuids(after.log) && Members(after.log, x) == Members(h.log, x)
    {
      MergeKeepsOldAncestriesAndContexts(h, node, source, x);
    }
  }

  // --- What a merge reaches ---

  /** From the merge node exactly this is reached: the node, what the target reached, and what the source reached. */
  lemma MergeReachesExactlyBoth(h: History, node: Entry, source: Id)
    requires CanMerge(h, node, source)
    requires source !in Reach(h.log, h.merges, node.parent.value)
    ensures var after := Merge(h, node, source);
            && WellFormed(after.log) && node.uuid in Uuids(after.log)
            && Reach(after.log, after.merges, node.uuid) ==
               {node.uuid} + Reach(h.log, h.merges, node.parent.value) + Reach(h.log, h.merges, source)
  {
    var after := Merge(h, node, source);
    AppendIsWellFormed(h.log, node);
    UuidsOfLast(after.log);
    assert after.log[..|after.log| - 1] == h.log;
    ReachDependsOnMergesThere(h.log, after.merges, h.merges, node.parent.value);
    ReachDependsOnMergesThere(h.log, after.merges, h.merges, source);
  }

  /** Whether or not there was something to merge: where the target goes on, what both reached is reached, and nothing else but
    * the node. */
  lemma HeadReachesExactlyBoth(h: History, node: Entry, source: Id)
    requires CanMerge(h, node, source)
    ensures var after, head := Merge(h, node, source), Head(h, node, source);
            && WellFormed(after.log) && head in Uuids(after.log)
            && Reach(after.log, after.merges, head) - {node.uuid} ==
               Reach(h.log, h.merges, node.parent.value) + Reach(h.log, h.merges, source)
  {
    var target := node.parent.value;
    ReachIsInLog(h.log, h.merges, target);
    ReachIsInLog(h.log, h.merges, source);
    if source in Reach(h.log, h.merges, target) {
      ReachOfReached(h.log, h.merges, target, source);
    } else {
      MergeReachesExactlyBoth(h, node, source);
    }
  }

  /** Each side is reached unchanged and in order: what the target reached stands in the merged log as it stood, and so does what
    * the source reached; and all that is reached is that, in the order of the log, and the node. */
  lemma MergeKeepsBothSidesInOrder(h: History, node: Entry, source: Id)
    requires CanMerge(h, node, source)
    requires source !in Reach(h.log, h.merges, node.parent.value)
    ensures var after, a, b := Merge(h, node, source), Reach(h.log, h.merges, node.parent.value), Reach(h.log, h.merges, source);
            && WellFormed(after.log) && node.uuid in Uuids(after.log)
            && Keep(after.log, a) == Keep(h.log, a)
            && Keep(after.log, b) == Keep(h.log, b)
            && Keep(after.log, Reach(after.log, after.merges, node.uuid)) == Keep(h.log, a + b) + [node]
  {
    var after, a, b := Merge(h, node, source), Reach(h.log, h.merges, node.parent.value), Reach(h.log, h.merges, source);
    MergeReachesExactlyBoth(h, node, source);
    ReachIsInLog(h.log, h.merges, node.parent.value);
    ReachIsInLog(h.log, h.merges, source);
    KeepOfLast(h.log, node, a);
    KeepOfLast(h.log, node, b);
    KeepOfLast(h.log, node, {node.uuid} + a + b);
    KeepDependsOnIdsThere(h.log, {node.uuid} + a + b, a + b) by {
      assert Uuids(h.log) * ({node.uuid} + a + b) == Uuids(h.log) * (a + b);
    }
  }

  // --- The laws ---

  /** Merging is idempotent: merged again where the target went on, the same source changes nothing. */
  lemma MergeIsIdempotent(h: History, node: Entry, again: Entry, source: Id)
    requires CanMerge(h, node, source)
    requires CanMerge(Merge(h, node, source), again, source)
    requires again.parent == Some(Head(h, node, source))
    ensures Merge(Merge(h, node, source), again, source) == Merge(h, node, source)
  {
    HeadReachesExactlyBoth(h, node, source);
    ReachIsInLog(h.log, h.merges, source);
  }

  /** Merging is absorbing: whatever either side reached, merged where the target went on, changes nothing. */
  lemma MergeAbsorbsWhatIsReached(h: History, node: Entry, source: Id, again: Entry, v: Id)
    requires CanMerge(h, node, source)
    requires v in Reach(h.log, h.merges, node.parent.value) || v in Reach(h.log, h.merges, source)
    requires CanMerge(Merge(h, node, source), again, v)
    requires again.parent == Some(Head(h, node, source))
    ensures Merge(Merge(h, node, source), again, v) == Merge(h, node, source)
  {
    HeadReachesExactlyBoth(h, node, source);
    ReachIsInLog(h.log, h.merges, source);
    ReachIsInLog(h.log, h.merges, node.parent.value);
  }

  /** Merging is commutative in what is reached, the nodes aside: a source into a target, or the target into the source. */
  lemma MergeIsCommutativeInReach(h: History, node: Entry, back: Entry, target: Id, source: Id)
    requires CanMerge(h, node, source) && node.parent == Some(target)
    requires CanMerge(h, back, target) && back.parent == Some(source)
    ensures var there, here := Merge(h, node, source), Merge(h, back, target);
            var a, b := Head(h, node, source), Head(h, back, target);
            && WellFormed(there.log) && a in Uuids(there.log)
            && WellFormed(here.log) && b in Uuids(here.log)
            && Reach(there.log, there.merges, a) - {node.uuid} == Reach(here.log, here.merges, b) - {back.uuid}
  {
    HeadReachesExactlyBoth(h, node, source);
    HeadReachesExactlyBoth(h, back, target);
  }

  /** Three branches merged from the left: `b` into `a`, then `c` into that. Everything that the three reached is reached, and
    * nothing else but the nodes. */
  lemma MergingFromTheLeftReaches(h: History, first: Entry, second: Entry, a: Id, b: Id, c: Id)
    requires CanMerge(h, first, b) && first.parent == Some(a)
    requires CanMerge(Merge(h, first, b), second, c) && second.parent == Some(Head(h, first, b))
    requires c in Uuids(h.log)
    ensures var after, head := Merge(Merge(h, first, b), second, c), Head(Merge(h, first, b), second, c);
            && WellFormed(after.log) && head in Uuids(after.log)
            && Reach(after.log, after.merges, head) - {first.uuid, second.uuid} ==
               Reach(h.log, h.merges, a) + Reach(h.log, h.merges, b) + Reach(h.log, h.merges, c)
  {
    hide Merge, Head, Reach, WellFormed, Uuids;
    var between := Merge(h, first, b);
    HeadReachesExactlyBoth(h, first, b);
    HeadReachesExactlyBoth(between, second, c);
    MergeKeepsOldAncestriesAndContexts(h, first, b, c);
    NewIsNotReached(h, first, a);
    NewIsNotReached(h, first, b);
    NewIsNotReached(h, first, c);
    var after, head := Merge(between, second, c), Head(between, second, c);
    AsideBoth(
      Reach(h.log, h.merges, a), Reach(h.log, h.merges, b), Reach(h.log, h.merges, c),
      Reach(between.log, between.merges, Head(h, first, b)), Reach(after.log, after.merges, head), first.uuid, second.uuid);
  }

  /** What two steps add beside three sets, each one id. */
  lemma AsideBoth(a: set<Id>, b: set<Id>, c: set<Id>, between: set<Id>, after: set<Id>, first: Id, second: Id)
    requires between - {first} == a + b
    requires after - {second} == between + c
    requires first !in c
    ensures after - {first, second} == a + b + c
  {
    forall v ensures v in after - {first, second} <==> v in a + b + c {
      assert v in between - {first} <==> v in a + b;
      assert v in after - {second} <==> v in between + c;
    }
  }

  /** Three branches merged from the right: `c` into `b`, then that into `a`. The same is reached. */
  lemma MergingFromTheRightReaches(h: History, first: Entry, second: Entry, a: Id, b: Id, c: Id)
    requires CanMerge(h, first, c) && first.parent == Some(b)
    requires CanMerge(Merge(h, first, c), second, Head(h, first, c)) && second.parent == Some(a)
    requires a in Uuids(h.log)
    ensures var between := Merge(h, first, c);
            var after, head := Merge(between, second, Head(h, first, c)), Head(between, second, Head(h, first, c));
            && WellFormed(after.log) && head in Uuids(after.log)
            && Reach(after.log, after.merges, head) - {first.uuid, second.uuid} ==
               Reach(h.log, h.merges, a) + Reach(h.log, h.merges, b) + Reach(h.log, h.merges, c)
  {
    hide Merge, Head, Reach, WellFormed, Uuids;
    var between := Merge(h, first, c);
    HeadReachesExactlyBoth(h, first, c);
    HeadReachesExactlyBoth(between, second, Head(h, first, c));
    MergeKeepsOldAncestriesAndContexts(h, first, c, a);
    NewIsNotReached(h, first, a);
    NewIsNotReached(h, first, b);
    NewIsNotReached(h, first, c);
    var head := Head(h, first, c);
    var after, last := Merge(between, second, head), Head(between, second, head);
    AsideBoth(
      Reach(h.log, h.merges, b), Reach(h.log, h.merges, c), Reach(h.log, h.merges, a),
      Reach(between.log, between.merges, head), Reach(after.log, after.merges, last), first.uuid, second.uuid);
  }

  /** What is reached in a log has no entry that is new. */
  lemma NewIsNotReached(h: History, node: Entry, v: Id)
    requires WellFormed(h.log)
    requires node.uuid !in Uuids(h.log)
    requires v in Uuids(h.log)
    ensures node.uuid !in Reach(h.log, h.merges, v)
  {
    ReachIsInLog(h.log, h.merges, v);
  }

  /** Merging is associative in what is reached, the nodes aside. */
  lemma MergeIsAssociativeInReach(h: History, n1: Entry, n2: Entry, m1: Entry, m2: Entry, a: Id, b: Id, c: Id)
    requires a in Uuids(h.log) && c in Uuids(h.log)
    requires CanMerge(h, n1, b) && n1.parent == Some(a)
    requires CanMerge(Merge(h, n1, b), n2, c) && n2.parent == Some(Head(h, n1, b))
    requires CanMerge(h, m1, c) && m1.parent == Some(b)
    requires CanMerge(Merge(h, m1, c), m2, Head(h, m1, c)) && m2.parent == Some(a)
    ensures var left, right := Merge(Merge(h, n1, b), n2, c), Merge(Merge(h, m1, c), m2, Head(h, m1, c));
            var x, y := Head(Merge(h, n1, b), n2, c), Head(Merge(h, m1, c), m2, Head(h, m1, c));
            && WellFormed(left.log) && x in Uuids(left.log)
            && WellFormed(right.log) && y in Uuids(right.log)
            && Reach(left.log, left.merges, x) - {n1.uuid, n2.uuid} == Reach(right.log, right.merges, y) - {m1.uuid, m2.uuid}
  {
    hide Merge, Head, Reach, WellFormed, Uuids;
    MergingFromTheLeftReaches(h, n1, n2, a, b, c);
    MergingFromTheRightReaches(h, m1, m2, a, b, c);
  }

  // --- The conversation at the node ---

  /** The context of the merge node is the context of the target and the node, exactly if the node needs nothing else: nothing of
    * the source comes in but what the node quotes. */
  lemma MergeContextIsTargetContextAndNode(h: History, node: Entry, source: Id)
    requires CanMerge(h, node, source)
    requires source !in Reach(h.log, h.merges, node.parent.value)
    ensures var after, target := Merge(h, node, source).log, node.parent.value;
            && node.uuid in Uuids(after)
            && (NeedsNothingElse(h.log, target, node) <==> Context(after, node.uuid) == Context(h.log, target) + [node])
  {
    AppendContextIsContextAndEntry(h.log, node, node.parent.value);
  }

  /** A user's node that makes no call needs nothing else where the target is settled. */
  lemma UsersNodeAddsOnlyItself(h: History, node: Entry, source: Id)
    requires CanMerge(h, node, source)
    requires source !in Reach(h.log, h.merges, node.parent.value)
    requires Settled(h.log, node.parent.value)
    requires node.kind.User? && UsesOf(node) == {}
    ensures var after, target := Merge(h, node, source).log, node.parent.value;
            && node.uuid in Uuids(after)
            && Context(after, node.uuid) == Context(h.log, target) + [node]
            && Members(after, node.uuid) == Members(h.log, target) + {node.uuid}
  {
    PromptNeedsNothingElse(h.log, node, node.parent.value);
    MergeContextIsTargetContextAndNode(h, node, source);
    NeedingNothingElseAddsOne(h.log, node, node.parent.value);
  }

  /** At a resumable target a user's node without tool blocks is resumable: P3 holds there; and every old point is legal, or
    * resumable, exactly if it was. */
  lemma MergeKeepsLegalExactly(h: History, node: Entry, source: Id, v: Id)
    requires CanMerge(h, node, source)
    requires node.kind.User? && (forall b | b in node.blocks :: b.Opaque?)
    requires v in Uuids(h.log)
    ensures var after := Merge(h, node, source).log;
            && v in Uuids(after)
            && (Legal(after, v) <==> Legal(h.log, v))
            && (Resumable(after, v) <==> Resumable(h.log, v))
            && (source !in Reach(h.log, h.merges, node.parent.value) && Resumable(h.log, node.parent.value) ==>
                  node.uuid in Uuids(after) && Resumable(after, node.uuid) && Balanced(Context(after, node.uuid)))
  {
    if source !in Reach(h.log, h.merges, node.parent.value) {
      WellFormedHasUniqueUuids(h.log);
      ToolFreeNodeTouchesNothing(h.log, node, v);
      LegalSurvivesAppendExactly(h.log, node, v);
      if Resumable(h.log, node.parent.value) {
        PromptAtResumablePointGoesOn(h.log, node, node.parent.value);
      }
    }
  }

  /** No old conversation needs a user's entry without tool blocks. */
  lemma ToolFreeNodeTouchesNothing(log: Log, node: Entry, v: Id)
    requires WellFormed(log)
    requires Fits(log, node)
    requires node.kind.User? && (forall b | b in node.blocks :: b.Opaque?)
    requires v in Uuids(log)
    ensures Untouched(log, v, node)
  {
    UntouchedIsNoPartAndNoAnswer(log, v, node);
    assert ResultsOf(node) == {};
  }

  /** Contexts never commute: two different branches merged into each other, however alike the nodes, have different contexts, for
    * each holds its own target in front of its node. */
  lemma ContextsNeverCommute(h: History, node: Entry, back: Entry, target: Id, source: Id)
    requires CanMerge(h, node, source) && node.parent == Some(target)
    requires CanMerge(h, back, target) && back.parent == Some(source)
    requires source !in Reach(h.log, h.merges, target) && target !in Reach(h.log, h.merges, source)
    requires NeedsNothingElse(h.log, target, node) && NeedsNothingElse(h.log, source, back)
    ensures var there, here := Merge(h, node, source).log, Merge(h, back, target).log;
            && node.uuid in Uuids(there) && back.uuid in Uuids(here)
            && Context(there, node.uuid) == Context(h.log, target) + [node]
            && Context(here, back.uuid) == Context(h.log, source) + [back]
            && Context(h.log, target) != Context(h.log, source)
  {
    hide WellFormed, UniqueUuids, Uuids, Context, Reach, NeedsNothingElse;
    WellFormedHasUniqueUuids(h.log);
    ReachIsInLog(h.log, h.merges, target);
    MergeContextIsTargetContextAndNode(h, node, source);
    MergeContextIsTargetContextAndNode(h, back, target);
    ContextEndsIn(h.log, target);
    ContextEndsIn(h.log, source);
  }

  // --- What is held (R1, R2) ---

  /** At the merge node exactly this is held: its own conversation, and what the target and the source held. */
  lemma MergeHoldsExactlyBoth(h: History, node: Entry, source: Id)
    requires CanMerge(h, node, source)
    requires source !in Reach(h.log, h.merges, node.parent.value)
    ensures var after, target := Merge(h, node, source), node.parent.value;
            && WellFormed(after.log) && node.uuid in Uuids(after.log)
            && Held(after.log, after.merges, node.uuid) ==
               Members(after.log, node.uuid) + Held(h.log, h.merges, target) + Held(h.log, h.merges, source)
  {
    var after, target := Merge(h, node, source), node.parent.value;
    MergeReachesExactlyBoth(h, node, source);
    MergeKeepsWhatIsHeld(h, node, source, target);
    MergeKeepsWhatIsHeld(h, node, source, source);
    MergeKeepsOldAncestriesAndContexts(h, node, source, target);
    MergeKeepsOldAncestriesAndContexts(h, node, source, source);
    HeldOfUnion(after, node.uuid, target, source);
  }

  /** Where what is reached is an entry and what two others reach, what is held is its conversation and what the two hold. */
  lemma HeldOfUnion(h: History, u: Id, a: Id, b: Id)
    requires WellFormed(h.log)
    requires u in Uuids(h.log) && a in Uuids(h.log) && b in Uuids(h.log)
    requires Reach(h.log, h.merges, u) == {u} + Reach(h.log, h.merges, a) + Reach(h.log, h.merges, b)
    ensures Held(h.log, h.merges, u) == Members(h.log, u) + Held(h.log, h.merges, a) + Held(h.log, h.merges, b)
  {
    hide Reach, WellFormed, Members;
  }

  /** The conversation at an entry is held there, and so is everything that is reached. */
  lemma HeldHoldsConversationAndReach(h: History, u: Id)
    requires WellFormed(h.log)
    requires u in Uuids(h.log)
    ensures Members(h.log, u) <= Held(h.log, h.merges, u)
    ensures Reach(h.log, h.merges, u) <= Held(h.log, h.merges, u)
  {
    ReachIsInLog(h.log, h.merges, u);
    forall v | v in Reach(h.log, h.merges, u) ensures v in Held(h.log, h.merges, u) {
      MembersContainsItself(h.log, v);
    }
  }

  /** Where nothing was merged, all that is reached belongs to the conversation. */
  lemma ReachIsInTheConversationWhereNothingWasMerged(h: History, u: Id)
    requires WellFormed(h.log)
    requires u in Uuids(h.log)
    requires forall v | v in Uuids(h.log) :: v !in h.merges
    ensures Reach(h.log, h.merges, u) <= Members(h.log, u)
  {
    hide WellFormed, Members, Reach;
    MembersContainsItself(h.log, u);
    MembersAreParentClosed(h.log, u);
    ReachIsLeast(h.log, h.merges, u, Members(h.log, u));
  }

  /** Where nothing was merged, what is held is the conversation. */
  lemma HeldIsTheConversationWhereNothingWasMerged(h: History, u: Id)
    requires WellFormed(h.log)
    requires u in Uuids(h.log)
    requires forall v | v in Uuids(h.log) :: v !in h.merges
    ensures Held(h.log, h.merges, u) == Members(h.log, u)
  {
    hide WellFormed, Members, Reach, UniqueUuids, Uuids;
    WellFormedHasUniqueUuids(h.log);
    ReachIsInTheConversationWhereNothingWasMerged(h, u);
    HeldHoldsConversationAndReach(h, u);
    forall v, w | v in Uuids(h.log) && v in Reach(h.log, h.merges, u) && w in Members(h.log, v)
      ensures w in Members(h.log, u)
    {
      MembersOfMember(h.log, u, v);
    }
  }

  /** R1: a merged session satisfies every property. It is well-formed (P1, P2, acyclic); the conversation at the node is balanced
    * where the target's was, and every old one is as it was (P3); every old ancestry is as it was (P4); and every old entry stands
    * where it stood (P5). */
  lemma MergedSessionSatisfiesEveryProperty(h: History, node: Entry, source: Id)
    requires CanMerge(h, node, source)
    requires source !in Reach(h.log, h.merges, node.parent.value)
    requires Resumable(h.log, node.parent.value)
    requires node.kind.User? && (forall b | b in node.blocks :: b.Opaque?)
    ensures var after := Merge(h, node, source).log;
            && WellFormed(after) && UniqueUuids(after) && NoDanglingParents(after) && Acyclic(after)
            && node.uuid in Uuids(after) && Balanced(Context(after, node.uuid)) && Resumable(after, node.uuid)
            && (forall v | v in Uuids(h.log) ::
                  && v in Uuids(after)
                  && (Balanced(Context(after, v)) <==> Balanced(Context(h.log, v)))
                  && (Legal(after, v) <==> Legal(h.log, v))
                  && Ancestry(after, v) == Ancestry(h.log, v))
            && after[..|h.log|] == h.log
  {
    hide WellFormed, Uuids, Context, Legal, Resumable, Ancestry, Balanced, Settled, Reach;
    var after := Merge(h, node, source).log;
    MergeIsWellFormed(h, node, source);
    MergeKeepsLegalExactly(h, node, source, node.parent.value) by {
      ParentOfFitting(h.log, node);
    }
    forall v | v in Uuids(h.log)
      ensures v in Uuids(after)
      ensures Balanced(Context(after, v)) <==> Balanced(Context(h.log, v))
      ensures Legal(after, v) <==> Legal(h.log, v)
      ensures Ancestry(after, v) == Ancestry(h.log, v)
    {
      MergeKeepsOldAncestriesAndContexts(h, node, source, v);
      MergeKeepsLegalExactly(h, node, source, v);
    }
  }

  /** The parent of an entry that fits is there. */
  lemma ParentOfFitting(log: Log, e: Entry)
    requires Fits(log, e)
    requires e.parent.Some?
    ensures e.parent.value in Uuids(log)
  {
  }

  /** R2: no entry of either branch is lost. All that belongs to the conversation at the target or at the source, its ancestry in
    * particular, is held where the target goes on, and stands in the merged log in its place, unchanged. */
  lemma NoEntryOfEitherBranchIsLost(h: History, node: Entry, source: Id, e: Entry)
    requires CanMerge(h, node, source)
    requires e in h.log
    requires e.uuid in Members(h.log, node.parent.value) || e.uuid in Members(h.log, source)
    ensures var after, head := Merge(h, node, source), Head(h, node, source);
            && WellFormed(after.log) && head in Uuids(after.log)
            && e.uuid in Held(after.log, after.merges, head)
            && e.uuid in Uuids(after.log) && Get(after.log, e.uuid) == e
            && IndexOf(after.log, e.uuid) == IndexOf(h.log, e.uuid)
  {
    hide WellFormed, Uuids, Members, Reach, Held, IndexOf, Get, UniqueUuids;
    var after, target := Merge(h, node, source), node.parent.value;
    WellFormedHasUniqueUuids(h.log);
    GetFindsEntry(h.log, e);
    OldEntriesStayInPlace(h, node, source, e.uuid);
    HeldHoldsConversationAndReach(h, target);
    HeldHoldsConversationAndReach(h, source);
    HeadHoldsBoth(h, node, source);
  }

  /** Every old entry stands in a merged log where it stood. */
  lemma OldEntriesStayInPlace(h: History, node: Entry, source: Id, v: Id)
    requires CanMerge(h, node, source)
    requires v in Uuids(h.log)
    ensures var after := Merge(h, node, source).log;
            v in Uuids(after) && Get(after, v) == Get(h.log, v) && IndexOf(after, v) == IndexOf(h.log, v)
  {
    var after := Merge(h, node, source).log;
    MergeIsWellFormed(h, node, source);
    assert after[..|h.log|] == h.log;
    IndexOfInPrefix(after, |h.log|, v);
  }

  /** Where the target goes on, what the target held and what the source held is held. */
  lemma HeadHoldsBoth(h: History, node: Entry, source: Id)
    requires CanMerge(h, node, source)
    ensures var after, head := Merge(h, node, source), Head(h, node, source);
            && WellFormed(after.log) && head in Uuids(after.log)
            && Held(h.log, h.merges, node.parent.value) <= Held(after.log, after.merges, head)
            && Held(h.log, h.merges, source) <= Held(after.log, after.merges, head)
  {
    if source in Reach(h.log, h.merges, node.parent.value) {
      HeldOfReached(h, node.parent.value, source);
    } else {
      MergeHoldsExactlyBoth(h, node, source);
    }
  }

  /** What is held at something that is reached is held. */
  lemma HeldOfReached(h: History, u: Id, v: Id)
    requires WellFormed(h.log)
    requires u in Uuids(h.log)
    requires v in Reach(h.log, h.merges, u)
    ensures v in Uuids(h.log)
    ensures Held(h.log, h.merges, v) <= Held(h.log, h.merges, u)
  {
    ReachOfReached(h.log, h.merges, u, v);
  }

  /** What is held stands in the log. */
  lemma HeldIsInLog(h: History, u: Id)
    requires WellFormed(h.log)
    requires u in Uuids(h.log)
    ensures Held(h.log, h.merges, u) <= Uuids(h.log)
  {
    forall v, w | v in Uuids(h.log) && w in Members(h.log, v) ensures w in Uuids(h.log) {
      MembersAreAsOf(h.log, v);
    }
  }

  /** Where the node needs nothing else than the target's conversation: where the target goes on, what both held is held, and
    * nothing else but the node. */
  lemma HeadHoldsExactlyBoth(h: History, node: Entry, source: Id)
    requires CanMerge(h, node, source)
    requires NeedsNothingElse(h.log, node.parent.value, node)
    ensures var after, head := Merge(h, node, source), Head(h, node, source);
            && WellFormed(after.log) && head in Uuids(after.log)
            && Held(after.log, after.merges, head) - {node.uuid} ==
               Held(h.log, h.merges, node.parent.value) + Held(h.log, h.merges, source)
  {
    hide WellFormed, Uuids, Members, Reach, Held, NeedsNothingElse;
    var target := node.parent.value;
    HeldIsInLog(h, target);
    HeldIsInLog(h, source);
    if source in Reach(h.log, h.merges, target) {
      HeldOfReached(h, target, source);
    } else {
      MergeHoldsExactlyBoth(h, node, source);
      NeedingNothingElseAddsOne(h.log, node, target);
      HeldHoldsConversationAndReach(h, target);
    }
  }

  // --- What is quoted ---

  /** A full node quotes exactly what the source holds and the target does not; the other modes quote no entry; and where there is
    * nothing to merge there is nothing to quote. */
  lemma QuotedExactly(h: History, mode: Mode, target: Id, source: Id)
    requires WellFormed(h.log)
    requires target in Uuids(h.log) && source in Uuids(h.log)
    ensures forall v :: v in Quoted(h, mode, target, source) <==>
                        mode.Full? && v in Held(h.log, h.merges, source) && v !in Held(h.log, h.merges, target)
    ensures source in Reach(h.log, h.merges, target) ==> Quoted(h, mode, target, source) == {}
  {
    if source in Reach(h.log, h.merges, target) {
      HeldOfReached(h, target, source);
    }
  }

  /** A full node quotes exactly what the merge brings to the conversation that goes on: what is held at the head afterwards, but for
    * the node, and was not held before. */
  lemma QuotedIsWhatTheMergeBrings(h: History, node: Entry, source: Id)
    requires CanMerge(h, node, source)
    requires NeedsNothingElse(h.log, node.parent.value, node)
    ensures var after, head := Merge(h, node, source), Head(h, node, source);
            && WellFormed(after.log) && head in Uuids(after.log)
            && Quoted(h, Full, node.parent.value, source) ==
               Held(after.log, after.merges, head) - {node.uuid} - Held(h.log, h.merges, node.parent.value)
  {
    HeadHoldsExactlyBoth(h, node, source);
  }

  /** Three branches merged in full from the left: the two nodes quote each entry once, and together exactly what the two sources
    * hold and the target does not. */
  lemma QuotedFromTheLeft(h: History, first: Entry, a: Id, b: Id, c: Id)
    requires CanMerge(h, first, b) && first.parent == Some(a)
    requires NeedsNothingElse(h.log, a, first)
    requires c in Uuids(h.log)
    ensures var between, head := Merge(h, first, b), Head(h, first, b);
            && WellFormed(between.log) && head in Uuids(between.log) && c in Uuids(between.log)
            && (var one, two := Quoted(h, Full, a, b), Quoted(between, Full, head, c);
                && one !! two
                && one + two ==
                   Held(h.log, h.merges, b) + Held(h.log, h.merges, c) - Held(h.log, h.merges, a))
  {
    hide WellFormed, Uuids, Held, NeedsNothingElse, Merge, Head;
    var between, head := Merge(h, first, b), Head(h, first, b);
    HeadHoldsExactlyBoth(h, first, b);
    MergeKeepsWhatIsHeld(h, first, b, c);
    HeldIsInLog(h, c);
    var held, both := Held(between.log, between.merges, head), Held(h.log, h.merges, a) + Held(h.log, h.merges, b);
    forall v | v != first.uuid ensures v in held <==> v in both {
      assert v in held - {first.uuid} <==> v in both;
    }
    assert forall v | v in both :: v in held - {first.uuid};
  }

  /** Merged in full from the right, the last node alone stands in the target, and quotes the same entries, and the node between. */
  lemma QuotedFromTheRight(h: History, first: Entry, a: Id, b: Id, c: Id)
    requires CanMerge(h, first, c) && first.parent == Some(b)
    requires NeedsNothingElse(h.log, b, first)
    requires a in Uuids(h.log)
    ensures var between, head := Merge(h, first, c), Head(h, first, c);
            && WellFormed(between.log) && head in Uuids(between.log) && a in Uuids(between.log)
            && Quoted(between, Full, a, head) - {first.uuid} ==
               Held(h.log, h.merges, b) + Held(h.log, h.merges, c) - Held(h.log, h.merges, a)
  {
    hide WellFormed, Uuids, Held, NeedsNothingElse, Merge, Head;
    var between, head := Merge(h, first, c), Head(h, first, c);
    HeadHoldsExactlyBoth(h, first, c);
    MergeKeepsWhatIsHeld(h, first, c, a);
    HeldIsInLog(h, b);
    HeldIsInLog(h, c);
    var held, both := Held(between.log, between.merges, head), Held(h.log, h.merges, b) + Held(h.log, h.merges, c);
    assert held - {first.uuid} == both;
    forall v ensures v in held && v != first.uuid <==> v in both {
      assert v in held - {first.uuid} <==> v in both;
    }
  }

  /** From the right an entry is quoted twice: what the third branch holds and neither of the others does is quoted by the node
    * between and once more, with that node, by the last one. */
  lemma FromTheRightTheThirdIsQuotedAgain(h: History, first: Entry, a: Id, b: Id, c: Id)
    requires CanMerge(h, first, c) && first.parent == Some(b)
    requires NeedsNothingElse(h.log, b, first)
    requires a in Uuids(h.log)
    requires c !in Reach(h.log, h.merges, b)
    ensures var between := Merge(h, first, c);
            && WellFormed(between.log) && first.uuid in Uuids(between.log) && a in Uuids(between.log)
            && Head(h, first, c) == first.uuid
            && Quoted(h, Full, b, c) * Quoted(between, Full, a, first.uuid) ==
               Held(h.log, h.merges, c) - Held(h.log, h.merges, b) - Held(h.log, h.merges, a)
            && first.uuid in Quoted(between, Full, a, first.uuid)
  {
    hide WellFormed, Uuids, Reach, Held, Members, NeedsNothingElse;
    QuotedFromTheRight(h, first, a, b, c);
    HeldIsInLog(h, b);
    HeldIsInLog(h, c);
    HeldIsInLog(h, a);
    var between := Merge(h, first, c);
    HeldHoldsConversationAndReach(between, first.uuid);
    MembersContainsItself(between.log, first.uuid);
    MergeKeepsWhatIsHeld(h, first, c, a);
    var one, two := Quoted(h, Full, b, c), Quoted(between, Full, a, first.uuid);
    assert first.uuid !in one;
    assert two - {first.uuid} == Held(h.log, h.merges, b) + Held(h.log, h.merges, c) - Held(h.log, h.merges, a);
    assert one * two == one * (two - {first.uuid});
  }

  // --- No linear history keeps two branches ---

  /** In a linear history with unique uuids no two entries have the same parent, and no two are roots. */
  lemma LinearHasOneChildAParent(log: Log, x: Entry, y: Entry)
    requires UniqueUuids(log)
    requires Linear(log)
    requires x in log && y in log
    requires x.parent == y.parent
    ensures x == y
  {
    var i :| 0 <= i < |log| && log[i] == x;
    var j :| 0 <= j < |log| && log[j] == y;
    assert i > 0 ==> log[i].parent == Some(log[i - 1].uuid);
    assert j > 0 ==> log[j].parent == Some(log[j - 1].uuid);
    if i > 0 {
      assert i - 1 == j - 1;
    }
  }

  /** A linear history that holds every entry of another one begins with it: each entry has its place. */
  lemma LinearHistoryBeginsWithWhatItHolds(part: Log, whole: Log)
    requires Linear(part)
    requires Linear(whole) && UniqueUuids(whole)
    requires forall e | e in part :: e in whole
    ensures part <= whole
    decreases |part|
  {
    if |part| > 0 {
      var n := |part| - 1;
      var before := part[..n];
      assert forall e | e in before :: e in part;
      LinearHistoryBeginsWithWhatItHolds(before, whole);
      assert part[n] in part;
      var k :| 0 <= k < |whole| && whole[k] == part[n];
      assert n > 0 ==> part[n].parent == Some(part[n - 1].uuid);
      assert k > 0 ==> whole[k].parent == Some(whole[k - 1].uuid);
      if n > 0 {
        assert part[n - 1] == before[n - 1] == whole[n - 1];
        assert k - 1 == n - 1;
      }
      assert k == n;
    }
  }

  /** The impossibility: there is a linear history that keeps every entry of two linear histories unchanged exactly if one of them
    * goes on from the other, so that there was nothing to merge. */
  lemma LinearHistoryKeepsBothExactly(a: Log, b: Log)
    requires Linear(a) && UniqueUuids(a)
    requires Linear(b) && UniqueUuids(b)
    ensures (exists log: Log :: Linear(log) && UniqueUuids(log) && (forall e | e in a || e in b :: e in log)) <==> a <= b || b <= a
  {
    if log: Log :| Linear(log) && UniqueUuids(log) && (forall e | e in a || e in b :: e in log) {
      LinearHistoryBeginsWithWhatItHolds(a, log);
      LinearHistoryBeginsWithWhatItHolds(b, log);
      if |a| <= |b| {
        assert a == log[..|a|] == b[..|a|];
      } else {
        assert b == log[..|b|] == a[..|b|];
      }
    }
    if a <= b {
      assert forall e | e in a || e in b :: e in b;
    } else if b <= a {
      assert forall e | e in a || e in b :: e in a;
    }
  }

  /** Two branches that share what stands up to a fork point, and go on differently from there, are kept in no linear history. */
  lemma NoLinearHistoryKeepsTwoBranches(shared: Log, a: Log, b: Log, log: Log)
    requires shared < a && shared < b
    requires a[|shared|] != b[|shared|]
    requires Linear(a) && Linear(b)
    requires Linear(log) && UniqueUuids(log)
    ensures exists e :: (e in a || e in b) && e !in log
  {
    if forall e | e in a || e in b :: e in log {
      LinearHistoryBeginsWithWhatItHolds(a, log);
      LinearHistoryBeginsWithWhatItHolds(b, log);
    }
  }

  // --- Two files ---

  /** The union with a file that has one more entry. */
  lemma UnionOfOneMore(a: Log, b: Log, e: Entry)
    ensures Union(a, b + [e]) == if e.uuid in Uuids(a) then Union(a, b) else Union(a, b) + [e]
  {
    var all, some := Uuids(b + [e]) - Uuids(a), Uuids(b) - Uuids(a);
    UuidsOfConcatenation(b, [e]);
    assert e in [e];
    KeepOfLast(b, e, all);
    KeepDependsOnIdsThere(b, all, some) by {
      assert Uuids(b) * all == Uuids(b) * some;
    }
  }

  /** The ids of a union are those of both. */
  lemma UuidsOfUnion(a: Log, b: Log)
    ensures Uuids(Union(a, b)) == Uuids(a) + Uuids(b)
    ensures Uuids(News(a, b)) == Uuids(b) - Uuids(a)
  {
    UuidsOfConcatenation(a, News(a, b));
    UuidsOfKeep(b, Uuids(b) - Uuids(a));
    assert Uuids(b) * (Uuids(b) - Uuids(a)) == Uuids(b) - Uuids(a);
  }

  /** The union of two well-formed files is well-formed, whatever they share. */
  lemma UnionIsWellFormed(a: Log, b: Log)
    requires WellFormed(a) && WellFormed(b)
    ensures WellFormed(Union(a, b))
    decreases |b|
  {
    if |b| == 0 {
      assert Union(a, b) == a;
    } else {
      var before, e := b[..|b| - 1], b[|b| - 1];
      assert b == before + [e];
      UnionIsWellFormed(a, before);
      UnionOfOneMore(a, before, e);
      UuidsOfUnion(a, before);
      if e.uuid !in Uuids(a) {
        AppendIsWellFormed(Union(a, before), e);
      }
    }
  }

  /** A file with itself is itself; and a file of which nothing is new adds nothing. */
  lemma UnionIsIdempotent(a: Log, b: Log)
    requires Uuids(b) <= Uuids(a)
    ensures Union(a, b) == a
    ensures Union(a, a) == a
  {
    KeepingNoneIsEmpty(b, Uuids(b) - Uuids(a));
    KeepingNoneIsEmpty(a, Uuids(a) - Uuids(a));
  }

  /** Union is associative, entry by entry in their order. */
  lemma UnionIsAssociative(a: Log, b: Log, c: Log)
    ensures Union(Union(a, b), c) == Union(a, Union(b, c))
  {
    hide Uuids, Keep;
    var ids := Uuids(b) + Uuids(c) - Uuids(a);
    UuidsOfUnion(a, b);
    UuidsOfUnion(b, c);
    assert Uuids(Union(b, c)) - Uuids(a) == ids;
    KeepSplits(b, News(b, c), ids);
    KeepDependsOnIdsThere(b, ids, Uuids(b) - Uuids(a)) by {
      assert Uuids(b) * ids == Uuids(b) * (Uuids(b) - Uuids(a));
    }
    KeepOfKeep(c, Uuids(c) - Uuids(b), ids);
    assert (Uuids(c) - Uuids(b)) * ids == Uuids(c) - Uuids(Union(a, b));
    assert News(a, Union(b, c)) == News(a, b) + News(Union(a, b), c);
  }

  /** Nothing of `b` is lost exactly if the same id means the same entry. */
  lemma UnionLosesNothingExactlyIfTheyAgree(a: Log, b: Log)
    requires UniqueUuids(a)
    ensures (forall e | e in b :: e in Union(a, b)) <==> Agree(a, b)
  {
    KeepHoldsExactly(b, Uuids(b) - Uuids(a));
    if Agree(a, b) {
      forall e | e in b ensures e in Union(a, b) {
        if e.uuid in Uuids(a) {
          var x :| x in a && x.uuid == e.uuid;
        } else {
          assert e in News(a, b);
        }
      }
    }
    if forall e | e in b :: e in Union(a, b) {
      forall x, y | x in a && y in b && x.uuid == y.uuid ensures x == y {
        assert y in Union(a, b);
        assert y !in News(a, b);
        SameUuidIsSameEntry(a, x, y);
      }
    }
  }

  /** Union is commutative in what it holds exactly if the same id means the same entry; then it holds what both hold. */
  lemma UnionCommutesExactlyIfTheyAgree(a: Log, b: Log)
    requires UniqueUuids(a) && UniqueUuids(b)
    ensures (forall e :: e in Union(a, b) <==> e in Union(b, a)) <==> Agree(a, b)
    ensures Agree(a, b) ==> forall e :: e in Union(a, b) <==> e in a || e in b
  {
    hide Uuids, UniqueUuids;
    UnionLosesNothingExactlyIfTheyAgree(a, b);
    UnionLosesNothingExactlyIfTheyAgree(b, a);
    UnionHoldsNothingElse(a, b);
    UnionHoldsNothingElse(b, a);
    if forall e :: e in Union(a, b) <==> e in Union(b, a) {
      forall e | e in b ensures e in Union(a, b) {
        assert e in Union(b, a);
      }
    }
  }

  /** A union holds all of the first file and nothing that neither holds. */
  lemma UnionHoldsNothingElse(a: Log, b: Log)
    ensures forall e | e in a :: e in Union(a, b)
    ensures forall e | e in Union(a, b) :: e in a || e in b
  {
    KeepHoldsExactly(b, Uuids(b) - Uuids(a));
  }

  /** The first file is the beginning of the union: every ancestry and every context of it is as it was. */
  lemma UnionKeepsTheFirstFile(a: Log, b: Log, v: Id)
    requires WellFormed(a) && WellFormed(b)
    requires v in Uuids(a)
    ensures a <= Union(a, b)
    ensures WellFormed(Union(a, b)) && v in Uuids(Union(a, b))
    ensures Ancestry(Union(a, b), v) == Ancestry(a, v)
    ensures Context(Union(a, b), v) == Context(a, v)
  {
    var both := Union(a, b);
    UnionIsWellFormed(a, b);
    WellFormedHasUniqueUuids(both);
    assert both[..|a|] == a;
    AncestryInPrefix(both, |a|, v);
    ContextInPrefix(both, |a|, v);
  }

  /** The second file stands in the union unchanged and in its order exactly if it begins with what it shares with the first. */
  lemma SecondFileStandsInUnionExactly(a: Log, b: Log)
    requires UniqueUuids(b)
    ensures Keep(Union(a, b), Uuids(b)) == b <==> PartsFrom(b, a)
  {
    var shared, news := Keep(a, Uuids(b)), News(a, b);
    KeepSplits(a, news, Uuids(b));
    UuidsOfUnion(a, b);
    KeepingAllIsTheLog(news, Uuids(b));
    assert Keep(Union(a, b), Uuids(b)) == shared + news;
    if PartsFrom(b, a) {
      var n := |shared|;
      assert b == shared + b[n..];
      UuidsOfKeep(a, Uuids(b));
      KeepSplits(shared, b[n..], Uuids(b) - Uuids(a));
      KeepingNoneIsEmpty(shared, Uuids(b) - Uuids(a));
      NothingStandsOnBothSides(b, n);
      UuidsOfConcatenation(shared, b[n..]);
      assert b[..n] == shared;
      KeepingAllIsTheLog(b[n..], Uuids(b) - Uuids(a));
      assert news == b[n..];
    }
  }

  /** Where the second file begins with what it shares with the first, an entry of it has in the union the ancestry that it had;
    * and the context that it had exactly if that is still closed, in the union as of the entry. */
  lemma UnionKeepsContextsOfTheSecondFileExactly(a: Log, b: Log, v: Id)
    requires WellFormed(a) && WellFormed(b)
    requires PartsFrom(b, a)
    requires v in Uuids(b)
    ensures WellFormed(Union(a, b)) && v in Uuids(Union(a, b))
    ensures Ancestry(Union(a, b), v) == Ancestry(b, v)
    ensures Context(Union(a, b), v) == Context(b, v) <==> Closed(AsOf(Union(a, b), v), Members(b, v))
  {
    var both := Union(a, b);
    UnionIsWellFormed(a, b);
    WellFormedHasUniqueUuids(both);
    WellFormedHasUniqueUuids(b);
    SecondFileStandsInUnionExactly(a, b);
    UuidsOfUnion(a, b);
    ContextInKeepExactly(both, Uuids(b), v);
    KeepHoldsExactly(both, Uuids(b));
    WellFormedHasNoDanglingParents(b);
    AncestryInKeep(both, Uuids(b), v);
  }

  /** A fork at a settled point, continued by entries that need nothing of the log outside the fork, comes back into the log by a
    * union that is the log and the continuation; every entry of the fork's file has in it the context that it had. */
  lemma UnionKeepsContextsOfASettledFork(log: Log, u: Id, more: Log, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log) && Settled(log, u)
    requires WellFormed(Fork(log, u) + more)
    requires Uuids(more) !! Uuids(log)
    requires forall x, y | x in more && y in log && Needs(x, y) :: y.uuid in Members(log, u)
    requires v in Uuids(Fork(log, u) + more)
    ensures Union(log, Fork(log, u) + more) == log + more
    ensures WellFormed(log + more) && v in Uuids(log + more)
    ensures Context(log + more, v) == Context(Fork(log, u) + more, v)
  {
    var fork := Fork(log, u);
    var b := fork + more;
    UnionWithContinuedFork(log, u, more);
    UnionKeepsContextsOfTheSecondFileExactly(log, b, v);
    var m, both := Members(b, v), log + more;
    WellFormedHasUniqueUuids(b);
    WellFormedHasUniqueUuids(both);
    SecondFileStandsInUnionExactly(log, b);
    AsOfInKeep(both, Uuids(b), v);
    KeepHoldsExactly(AsOf(both, v), Uuids(b));
    MembersAreClosedAsOf(b, v);
    MembersAreAsOf(b, v);
    ContextHoldsExactlyTheMembers(log, u);
    UuidsOfConcatenation(fork, more);
    forall x, y | x in AsOf(both, v) && y in AsOf(both, v) && x.uuid in m && Needs(x, y) ensures y.uuid in m {
      assert x in AsOf(b, v) && x in b;
      assert x in fork || x in more;
      assert x in fork ==> x in log;
      assert y in both;
      assert y in log ==> y.uuid in Members(log, u);
      assert y in more ==> y.uuid in Uuids(more);
      assert y in AsOf(b, v);
    }
  }

  /** The union of a log and a continued fork of it is the log and the continuation. */
  lemma UnionWithContinuedFork(log: Log, u: Id, more: Log)
    requires u in Uuids(log)
    requires Uuids(more) !! Uuids(log)
    ensures PartsFrom(Fork(log, u) + more, log)
    ensures Union(log, Fork(log, u) + more) == log + more
  {
    hide Uuids, Members;
    var fork := Fork(log, u);
    var b := fork + more;
    ContextHoldsExactlyTheMembers(log, u);
    MembersAreAsOf(log, u);
    UuidsOfConcatenation(fork, more);
    KeepDependsOnIdsThere(log, Uuids(b), Members(log, u)) by {
      assert Uuids(log) * Uuids(b) == Uuids(log) * Members(log, u);
    }
    var ids := Uuids(b) - Uuids(log);
    KeepSplits(fork, more, ids);
    KeepingNoneIsEmpty(fork, ids);
    KeepingAllIsTheLog(more, ids);
  }

  /** A fork continued by one entry keeps that entry's context in the union exactly if the fork point is settled and the entry needs
    * nothing else: a fork at an unsettled point comes back changed. */
  lemma UnionKeepsContextOfContinuedForkExactly(log: Log, u: Id, e: Entry)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Fits(log, e) && e.parent == Some(u)
    ensures var b := Fork(log, u) + [e];
            && Union(log, b) == Append(log, e)
            && e.uuid in Uuids(Append(log, e)) && e.uuid in Uuids(b)
            && (Context(Append(log, e), e.uuid) == Context(b, e.uuid) <==> NeedsNothingElse(log, u, e))
  {
    hide WellFormed, Members, Settled, Keep;
    var b := Fork(log, u) + [e];
    assert [e][..0] == [];
    assert Fork(log, u) + [] == Fork(log, u);
    WellFormedHasUniqueUuids(log);
    ForkFitsWhatFits(log, e, u);
    ForkHoldsExactlyTheContext(log, u);
    ForkIsSharedPrefixOfContinuation(log, u, [e]);
    AppendContextIsContextAndEntry(log, e, u);
    assert Uuids([e]) == {e.uuid} by {
      assert e in [e];
    }
    UnionWithContinuedFork(log, u, [e]);
  }

  // --- Two files merged ---

  /** The conversation at an entry of the first file is in the union what it was. */
  lemma UnionKeepsMembersOfTheFirstFile(a: Log, b: Log, v: Id)
    requires WellFormed(a) && WellFormed(b)
    requires v in Uuids(a)
    ensures v in Uuids(Union(a, b))
    ensures Members(Union(a, b), v) == Members(a, v)
  {
    hide WellFormed, Uuids, Keep, Members, UniqueUuids;
    UuidsOfUnion(a, b);
    UnionIsWellFormed(a, b);
    WellFormedHasUniqueUuids(Union(a, b));
    assert Union(a, b)[..|a|] == a;
    MembersInPrefix(Union(a, b), |a|, v);
  }

  /** In a union the first file stands before what is new in the second. */
  lemma FirstFileStandsBeforeNews(a: Log, b: Log, u: Id, v: Id)
    requires WellFormed(a) && WellFormed(b)
    requires u in Uuids(a)
    requires v in Uuids(b) && v !in Uuids(a)
    ensures u in Uuids(Union(a, b)) && v in Uuids(Union(a, b))
    ensures IndexOf(Union(a, b), u) < IndexOf(Union(a, b), v)
  {
    hide WellFormed, Uuids, Keep, UniqueUuids;
    var both := Union(a, b);
    UuidsOfUnion(a, b);
    UnionIsWellFormed(a, b);
    WellFormedHasUniqueUuids(both);
    assert both[..|a|] == a;
    LaterIsNotInPrefix(both, |a|, u);
    LaterIsNotInPrefix(both, |a|, v);
  }

  /** In a union what is new in the second file stands in its order there. */
  lemma NewsStandInOrder(a: Log, b: Log, u: Id, v: Id)
    requires WellFormed(a) && WellFormed(b)
    requires u in Uuids(b) && u !in Uuids(a)
    requires v in Uuids(b) && v !in Uuids(a)
    requires IndexOf(b, u) <= IndexOf(b, v)
    ensures u in Uuids(Union(a, b)) && v in Uuids(Union(a, b))
    ensures IndexOf(Union(a, b), u) <= IndexOf(Union(a, b), v)
  {
    hide WellFormed, Uuids, Keep, UniqueUuids;
    var both, news := Union(a, b), News(a, b);
    UuidsOfUnion(a, b);
    UnionIsWellFormed(a, b);
    WellFormedHasUniqueUuids(both);
    WellFormedHasUniqueUuids(b);
    KeepIsInOrder(b, Uuids(b) - Uuids(a), v, u);
    var p, q := IndexOf(news, u), IndexOf(news, v);
    assert both[|a| + p] == news[p] && both[|a| + q] == news[q];
    IndexOfIsPosition(both, |a| + p);
    IndexOfIsPosition(both, |a| + q);
  }

  /** What stands in the second file up to an entry that is new to the first stands in the union up to it. */
  lemma UnionKeepsWhatStandsBeforeNews(a: Log, b: Log, v: Id, x: Entry)
    requires WellFormed(a) && WellFormed(b)
    requires Agree(a, b)
    requires v in Uuids(b) && v !in Uuids(a)
    requires x in AsOf(b, v)
    ensures v in Uuids(Union(a, b))
    ensures x in AsOf(Union(a, b), v)
  {
    hide WellFormed, Uuids, Keep, UniqueUuids, Agree, Union;
    var both := Union(a, b);
    UuidsOfUnion(a, b);
    UnionIsWellFormed(a, b);
    WellFormedHasUniqueUuids(both);
    WellFormedHasUniqueUuids(a);
    WellFormedHasUniqueUuids(b);
    UnionLosesNothingExactlyIfTheyAgree(a, b);
    var i :| 0 <= i < |AsOf(b, v)| && AsOf(b, v)[i] == x;
    assert b[i] == x && x in b;
    GetFindsEntry(both, x);
    GetFindsEntry(b, x);
    IndexOfIsPosition(b, i);
    if x.uuid in Uuids(a) {
      FirstFileStandsBeforeNews(a, b, x.uuid, v);
    } else {
      NewsStandInOrder(a, b, x.uuid, v);
    }
    assert AsOf(both, v)[IndexOf(both, x.uuid)] == x;
  }

  /** What belongs in the second file to the conversation at an entry that is new to the first belongs to it in the union. */
  lemma UnionHoldsTheSecondFile(a: Log, b: Log, v: Id)
    requires WellFormed(a) && WellFormed(b)
    requires Agree(a, b)
    requires v in Uuids(b) && v !in Uuids(a)
    ensures v in Uuids(Union(a, b))
    ensures Members(b, v) <= Members(Union(a, b), v)
  {
    hide WellFormed, Uuids, Keep, Members, Needs, UniqueUuids;
    var both := Union(a, b);
    UuidsOfUnion(a, b);
    UnionIsWellFormed(a, b);
    WellFormedHasUniqueUuids(both);
    var m := Members(both, v);
    MembersContainsItself(both, v);
    forall x, y | x in AsOf(b, v) && y in AsOf(b, v) && x.uuid in m && Needs(x, y) ensures y.uuid in m {
      UnionKeepsWhatStandsBeforeNews(a, b, v, x);
      UnionKeepsWhatStandsBeforeNews(a, b, v, y);
      WhatMembersNeedIsMember(both, v, x, y);
    }
    MembersAreLeast(b, v, m);
  }

  /** R2 of two files: a branch of the second file merged into the first by way of their union. The first file stays its
    * beginning, and no entry of the conversation at the target there, or at the source in the second file, is lost. */
  lemma NothingOfTwoFilesIsLost(a: Log, b: Log, merges: Merges, node: Entry, source: Id, e: Entry)
    requires WellFormed(a) && WellFormed(b)
    requires Agree(a, b)
    requires source in Uuids(b) && source !in Uuids(a)
    requires Fits(Union(a, b), node) && node.parent.Some? && node.parent.value in Uuids(a)
    requires (e in a && e.uuid in Members(a, node.parent.value)) || (e in b && e.uuid in Members(b, source))
    ensures CanMerge(History(Union(a, b), merges), node, source)
    ensures var h := History(Union(a, b), merges);
            var after, head := Merge(h, node, source), Head(h, node, source);
            && a <= after.log
            && WellFormed(after.log) && head in Uuids(after.log)
            && e.uuid in Held(after.log, after.merges, head)
            && e.uuid in Uuids(after.log) && Get(after.log, e.uuid) == e
  {
    hide WellFormed, Uuids, Keep, Members, UniqueUuids, Reach, Held, Get, Closure, Context;
    var h := History(Union(a, b), merges);
    UuidsOfUnion(a, b);
    UnionIsWellFormed(a, b);
    UnionHoldsTheSecondFile(a, b, source);
    UnionLosesNothingExactlyIfTheyAgree(a, b) by {
      WellFormedHasUniqueUuids(a);
    }
    UnionKeepsMembersOfTheFirstFile(a, b, node.parent.value);
    assert e in h.log;
    NoEntryOfEitherBranchIsLost(h, node, source, e);
    MergeIsAppendOnly(h, node, source);
  }

  /** A target that is resumable in the first file is resumable in the union exactly if nothing of its conversation needs
    * something new of the second. */
  lemma ResumableInUnionExactly(a: Log, b: Log, v: Id)
    requires WellFormed(a) && WellFormed(b)
    requires v in Uuids(a) && Resumable(a, v)
    ensures v in Uuids(Union(a, b))
    ensures Resumable(Union(a, b), v) <==>
            forall x, y | x in a && x.uuid in Members(a, v) && y in News(a, b) :: !Needs(x, y)
  {
    hide WellFormed, Uuids, Keep, Members, UniqueUuids, Needs, Balanced, Context;
    var both := Union(a, b);
    UnionKeepsMembersOfTheFirstFile(a, b, v);
    MembersAreAsOf(a, v);
    UnionKeepsTheFirstFile(a, b, v);
    UuidsOfUnion(a, b);
    if Settled(both, v) {
      forall x, y | x in a && x.uuid in Members(a, v) && y in News(a, b) ensures !Needs(x, y) {
        assert x in both && y in both;
        assert y.uuid in Uuids(News(a, b)) by {
          reveal Uuids;
        }
      }
    }
    if forall x, y | x in a && x.uuid in Members(a, v) && y in News(a, b) :: !Needs(x, y) {
      forall x, y | x in both && y in both && x.uuid in Members(a, v) && Needs(x, y) ensures y.uuid in Members(a, v) {
        if x in News(a, b) {
          assert {:contradiction} x.uuid in Uuids(News(a, b)) by {
            reveal Uuids;
          }
        }
        assert x in a;
        assert y in a;
      }
    }
  }

  // --- What a node tells word for word ---

  /** The parts of a quotation with something behind it. */
  lemma PartsOfAQuote(marks: QuoteMarks, digest: Digest, words: Words, rest: Words)
    requires |digest(words)| == marks.width
    ensures var text := QuoteWords(marks, digest, words) + rest;
            var marked := |marks.opens| + marks.width;
            var start := marked + |marks.begins|;
            && start + |words| <= |text|
            && text[..|marks.opens|] == marks.opens
            && text[|marks.opens|..marked] == digest(words)
            && text[marked..start] == marks.begins
            && text[start..start + |words|] == words
            && ClosesAt(marks, digest, digest(words), text, start, start + |words|)
  {
    var text := QuoteWords(marks, digest, words) + rest;
    var close := marks.closes + digest(words) + marks.ends;
    var start := |marks.opens| + marks.width + |marks.begins|;
    assert text == marks.opens + digest(words) + marks.begins + words + close + rest;
    assert text[start..start + |words|] == words;
    assert text[start + |words|..start + |words| + |close|] == close;
  }

  /** A beginning of what stands somewhere stands there. */
  lemma BeginningStands(text: Words, start: nat, words: Words, k: nat)
    requires start + |words| <= |text|
    requires text[start..start + |words|] == words
    requires k <= |words|
    ensures text[start..start + k] == words[..k]
  {
    assert text[start..start + |words|][..k] == text[start..start + k];
  }

  /** Where no place before it closes, a place is the first. */
  lemma FirstCloseIs(marks: QuoteMarks, digest: Digest, mark: Words, text: Words, start: nat, at: nat, end: nat)
    requires start <= at <= end <= |text|
    requires forall k | at <= k < end :: !ClosesAt(marks, digest, mark, text, start, k)
    requires ClosesAt(marks, digest, mark, text, start, end)
    ensures FirstClose(marks, digest, mark, text, start, at) == Some(end)
    decreases end - at
  {
    if at < end {
      FirstCloseIs(marks, digest, mark, text, start, at + 1, end);
    }
  }

  /** Where a mark closes, what is between has its digest. */
  lemma ClosedHasTheDigest(marks: QuoteMarks, digest: Digest, mark: Words, text: Words, start: nat, at: nat)
    requires start <= at <= |text|
    requires ClosesAt(marks, digest, mark, text, start, at)
    ensures digest(text[start..at]) == mark
  {
  }

  /** What a merge quotes can be taken out again, exactly, whatever stands in it and behind it: marks too, even the marks of this
    * quotation. The digest has to tell the text from its own beginnings, as a hash does. */
  lemma UnquoteOfQuoteIsTheText(marks: QuoteMarks, digest: Digest, words: Words, rest: Words)
    requires |digest(words)| == marks.width
    requires forall k | 0 <= k < |words| :: digest(words[..k]) != digest(words)
    ensures UnquoteWords(marks, digest, QuoteWords(marks, digest, words) + rest) == Some(words)
  {
    var text := QuoteWords(marks, digest, words) + rest;
    var start := |marks.opens| + marks.width + |marks.begins|;
    PartsOfAQuote(marks, digest, words, rest);
    hide QuoteWords, ClosesAt, FirstClose;
    forall k | start <= k < start + |words|
      ensures !ClosesAt(marks, digest, digest(words), text, start, k)
    {
      BeginningStands(text, start, words, k - start);
      if ClosesAt(marks, digest, digest(words), text, start, k) {
        ClosedHasTheDigest(marks, digest, digest(words), text, start, k);
      }
    }
    FirstCloseIs(marks, digest, digest(words), text, start, start, start + |words|);
  }

  /** Five parts that stand behind each other at the beginning of a text. */
  lemma PartsStandBehindEachOther(text: Words, a: Words, b: Words, c: Words, d: Words, e: Words)
    requires |a| + |b| + |c| + |d| + |e| <= |text|
    requires text[..|a|] == a
    requires text[|a|..|a| + |b|] == b
    requires text[|a| + |b|..|a| + |b| + |c|] == c
    requires text[|a| + |b| + |c|..|a| + |b| + |c| + |d|] == d
    requires text[|a| + |b| + |c| + |d|..|a| + |b| + |c| + |d| + |e|] == e
    ensures a + b + c + d + e <= text
  {
    var i, j, k, l := |a|, |a| + |b|, |a| + |b| + |c|, |a| + |b| + |c| + |d|;
    assert text[..i] + text[i..j] == text[..j];
    assert text[..j] + text[j..k] == text[..k];
    assert text[..k] + text[k..l] == text[..l];
    assert text[..l] + text[l..l + |e|] == text[..l + |e|];
  }

  /** The mark that closes a quotation is one part. */
  lemma QuoteIsFiveParts(marks: QuoteMarks, digest: Digest, words: Words)
    ensures QuoteWords(marks, digest, words)
         == marks.opens + digest(words) + marks.begins + words + (marks.closes + digest(words) + marks.ends)
  {
    var before := marks.opens + digest(words) + marks.begins + words;
    assert before + marks.closes + digest(words) + marks.ends == before + (marks.closes + digest(words) + marks.ends);
  }

  /** What is taken out was quoted: the text begins with its quotation. So whoever changes a character of a quoted text leaves
    * nothing to take out, unless the digest does not see it. */
  lemma UnquotedWasQuoted(marks: QuoteMarks, digest: Digest, text: Words)
    requires UnquoteWords(marks, digest, text).Some?
    ensures QuoteWords(marks, digest, UnquoteWords(marks, digest, text).value) <= text
  {
    hide QuoteWords, FirstClose;
    var words := UnquoteWords(marks, digest, text).value;
    var marked := |marks.opens| + marks.width;
    var start := marked + |marks.begins|;
    var mark := text[|marks.opens|..marked];
    assert ClosesAt(marks, digest, mark, text, start, start + |words|);
    QuoteIsFiveParts(marks, digest, words);
    PartsStandBehindEachOther(text, marks.opens, mark, marks.begins, words, marks.closes + mark + marks.ends);
  }
}

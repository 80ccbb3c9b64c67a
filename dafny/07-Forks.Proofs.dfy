// Chapter 7, proofs: what fork, the prefix fork and append preserve (P1, P2, P3, P4), and that branching and then forking
// is forking and then appending.
include "03-Ancestries.Proofs.dfy"
include "05-Balance.Proofs.dfy"
include "07-Forks.dfy"

module ForksProofs {
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

  // --- P1, P2, acyclicity ---

  /** A fork of a well-formed log is well-formed: P1, P2 and acyclicity survive. */
  lemma ForkIsWellFormed(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures WellFormed(Fork(log, u))
  {
    ContextIsParentClosed(log, u);
  }

  /** A prefix fork of a well-formed log is well-formed. */
  lemma ForkPrefixIsWellFormed(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures WellFormed(ForkPrefix(log, u))
  {
    AsOfIsWellFormed(log, u);
  }

  /** A well-formed log stays well-formed when it grows by an entry that fits. */
  lemma AppendIsWellFormed(log: Log, e: Entry)
    requires WellFormed(log)
    requires Fits(log, e)
    ensures WellFormed(Append(log, e))
  {
    assert Append(log, e)[..|log|] == log;
  }

  /** What well-formed means, said for all three operations at once in the words of the properties: no two entries share a
    * uuid, every parent is there, no entry is its own ancestor. */
  lemma OperationsPreserveStructure(log: Log, u: Id, e: Entry)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Fits(log, e)
    ensures forall after | after in {Fork(log, u), ForkPrefix(log, u), Append(log, e)} ::
              UniqueUuids(after) && NoDanglingParents(after) && Acyclic(after)
  {
    ForkIsWellFormed(log, u);
    ForkPrefixIsWellFormed(log, u);
    AppendIsWellFormed(log, e);
    forall after | after in {Fork(log, u), ForkPrefix(log, u), Append(log, e)}
      ensures UniqueUuids(after) && NoDanglingParents(after) && Acyclic(after)
    {
      WellFormedHasUniqueUuids(after);
      WellFormedHasNoDanglingParents(after);
      WellFormedIsAcyclic(after);
    }
  }

  // --- Fork (P4) ---

  /** A fork holds exactly the entries of the context, each unchanged, in the order of the log, the fork point last, and
    * nothing else. */
  lemma ForkHoldsExactlyTheContext(log: Log, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures Uuids(Fork(log, u)) == Members(log, u) <= Uuids(log)
    ensures forall e :: e in Fork(log, u) <==> e in log && e.uuid in Members(log, u)
    ensures forall a, b | a in Uuids(Fork(log, u)) && b in Uuids(Fork(log, u)) ::
              IndexOf(Fork(log, u), a) < IndexOf(Fork(log, u), b) <==> IndexOf(log, a) < IndexOf(log, b)
    ensures |Fork(log, u)| > 0 && Fork(log, u)[|Fork(log, u)| - 1] == Get(log, u)
    ensures UniqueUuids(Fork(log, u))
  {
    ContextHoldsExactlyTheMembers(log, u);
    MembersAreAsOf(log, u);
    ContextEndsIn(log, u);
    ContextIsInLogOrder(log, u);
  }

  /** P4: every kept entry has the ancestry that it had. */
  lemma ForkPreservesAncestry(log: Log, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log) && v in Uuids(Fork(log, u))
    ensures WellFormed(Fork(log, u))
    ensures Ancestry(Fork(log, u), v) == Ancestry(log, v)
  {
    MembersAreParentClosed(log, u);
    MembersAreAsOf(log, u);
    AncestryInKeep(log, Members(log, u), v);
  }

  /** What a log keeps up to a kept entry is what is kept of the log up to it. */
  lemma AsOfInKeep(log: Log, ids: set<Id>, v: Id)
    requires UniqueUuids(log)
    requires v in Uuids(log) && v in ids
    ensures v in Uuids(Keep(log, ids))
    ensures AsOf(Keep(log, ids), v) == Keep(AsOf(log, v), ids)
  {
    var n := IndexOf(log, v) + 1;
    var asOf, kept := AsOf(log, v), Keep(log, ids);
    assert log == asOf + log[n..];
    KeepSplits(asOf, log[n..], ids);
    UuidsOfKeep(log, ids);
    KeepIsUnique(log, ids);
    var first := Keep(asOf, ids);
    assert asOf[|asOf| - 1].uuid == v;
    assert kept[|first| - 1].uuid == v;
    IndexOfIsPosition(kept, |first| - 1);
  }

  /** The strong form of P4, for ids: every kept entry has the conversation that it had. What the conversation at `v` needs
    * as of `v` is in the fork, since the fork is closed as of `u`, which is later. */
  lemma ForkPreservesMembers(log: Log, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log) && v in Uuids(Fork(log, u))
    ensures Members(Fork(log, u), v) == Members(log, v)
  {
    var kept, fork := Members(log, u), Fork(log, u);
    MembersStandBefore(log, u, v);
    AsOfInKeep(log, kept, v);
    KeepHoldsExactly(AsOf(log, v), kept);

    ClosedInPart(AsOf(log, v), AsOf(fork, v), Members(log, v)) by {
      MembersAreClosedAsOf(log, v);
    }
    MembersContainsItself(log, v);
    MembersAreLeast(fork, v, Members(log, v));

    var s := Members(fork, v);
    assert Closed(AsOf(log, v), s) by {
      ForkedMembersAreClosed(log, u, v);
    }
    MembersContainsItself(fork, v);
    MembersAreLeast(log, v, s);
  }

  /** The half of `ForkPreservesMembers` that uses that the fork is closed: the members in the fork need nothing more of the
    * log as of `v`. */
  lemma ForkedMembersAreClosed(log: Log, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log) && v in Uuids(log)
    requires v in Members(log, u)
    requires v in Uuids(Fork(log, u))
    ensures Closed(AsOf(log, v), Members(Fork(log, u), v))
  {
    var kept, fork := Members(log, u), Fork(log, u);
    var s := Members(fork, v);
    MembersStandBefore(log, u, v);
    AsOfInKeep(log, kept, v);
    KeepHoldsExactly(AsOf(log, v), kept);
    UuidsOfKeep(AsOf(log, v), kept);
    MembersAreAsOf(fork, v);
    MembersAreClosedAsOf(fork, v);
    assert AsOf(log, v) == AsOf(log, u)[..IndexOf(log, v) + 1];
    forall a, b | a in AsOf(log, v) && b in AsOf(log, v) && a.uuid in s && Needs(a, b) ensures b.uuid in s {
      assert a.uuid in kept;
      WhatMembersNeedIsMember(log, u, a, b);
      assert a in AsOf(fork, v) && b in AsOf(fork, v);
    }
  }

  /** The strong form of P4: every kept entry has the context that it had, whether or not it is a legal point. */
  lemma ForkPreservesContexts(log: Log, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log) && v in Uuids(Fork(log, u))
    ensures Context(Fork(log, u), v) == Context(log, v)
  {
    ForkPreservesMembers(log, u, v);
    MembersOfMember(log, u, v);
    KeepOfKeep(log, Members(log, u), Members(log, v));
    assert Members(log, u) * Members(log, v) == Members(log, v);
  }

  /** A fork of a fork is the fork of the log. */
  lemma ForkOfForkIsFork(log: Log, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log) && v in Uuids(Fork(log, u))
    ensures Fork(Fork(log, u), v) == Fork(log, v)
  {
    ForkPreservesContexts(log, u, v);
  }

  /** Forking again at the fork point changes nothing. */
  lemma ForkingAgainChangesNothing(log: Log, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures u in Uuids(Fork(log, u))
    ensures Fork(Fork(log, u), u) == Fork(log, u)
  {
    MembersContainsItself(log, u);
    ForkOfForkIsFork(log, u, u);
  }

  /** Fork preserves the truth, and the falsity, of P3 for every kept entry. */
  lemma ForkPreservesBalance(log: Log, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log) && v in Uuids(Fork(log, u))
    ensures Balanced(Context(Fork(log, u), v)) <==> Balanced(Context(log, v))
    ensures Sound(Context(Fork(log, u), v)) <==> Sound(Context(log, v))
  {
    ForkPreservesContexts(log, u, v);
  }

  /** A kept entry that is settled in the log is settled in the fork; where the fork point is settled, also conversely. */
  lemma ForkKeepsSettled(log: Log, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log) && v in Uuids(Fork(log, u))
    ensures Settled(log, v) ==> Settled(Fork(log, u), v)
    ensures Settled(log, u) && Settled(Fork(log, u), v) ==> Settled(log, v)
  {
    var fork := Fork(log, u);
    ForkPreservesMembers(log, u, v);
    MembersOfMember(log, u, v);
    ContextHoldsExactlyTheMembers(log, u);
    if Settled(log, v) {
      ClosedInPart(log, fork, Members(log, v));
    }
    if Settled(log, u) && Settled(fork, v) {
      forall a, b | a in log && b in log && a.uuid in Members(log, v) && Needs(a, b) ensures b.uuid in Members(log, v) {
        assert a in fork && b in fork;
      }
    }
  }

  /** A kept entry that is legal (or resumable) in the log is so in the fork; where the fork point is settled, also
    * conversely. */
  lemma ForkKeepsLegal(log: Log, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log) && v in Uuids(Fork(log, u))
    ensures Resumable(log, v) ==> Resumable(Fork(log, u), v)
    ensures Legal(log, v) ==> Legal(Fork(log, u), v)
    ensures Settled(log, u) && Resumable(Fork(log, u), v) ==> Resumable(log, v)
    ensures Settled(log, u) && Legal(Fork(log, u), v) ==> Legal(log, v)
  {
    ForkKeepsSettled(log, u, v);
    ForkPreservesContexts(log, u, v);
    KeptEntryIsTheSame(log, u, v);
  }

  /** Looking up a kept entry finds the same entry. */
  lemma KeptEntryIsTheSame(log: Log, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log) && v in Uuids(Fork(log, u))
    ensures Get(Fork(log, u), v) == Get(log, v)
  {
    ForkHoldsExactlyTheContext(log, u);
    SameUuidIsSameEntry(log, Get(Fork(log, u), v), Get(log, v));
  }

  /** In a fork nothing comes after the fork point, so the fork point is settled there, and resumable exactly if balanced. */
  lemma ForkPointIsSettled(log: Log, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures u in Uuids(Fork(log, u))
    ensures Members(Fork(log, u), u) == Uuids(Fork(log, u))
    ensures Settled(Fork(log, u), u)
    ensures Resumable(Fork(log, u), u) <==> Balanced(Context(log, u))
  {
    MembersContainsItself(log, u);
    ForkHoldsExactlyTheContext(log, u);
    ForkPreservesMembers(log, u, u);
    ForkPreservesContexts(log, u, u);
    LastIsSettled(Fork(log, u));
  }

  /** What stands before a kept entry in the fork is a member, and stands before it in the log. */
  lemma BeforeInForkIsBeforeInLog(log: Log, u: Id, q: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log) && v in Uuids(log) && v in Uuids(Fork(log, u))
    requires StandsBefore(Fork(log, u), q, v)
    ensures q in Members(log, u) && q in Uuids(log)
    ensures StandsBefore(log, q, v) && IndexOf(log, q) < IndexOf(log, v)
  {
    var fork := Fork(log, u);
    ForkHoldsExactlyTheContext(log, u);
    IndexOfInPrefix(fork, IndexOf(fork, v), q);
    LaterIsNotInPrefix(log, IndexOf(log, v), q);
  }

  /** `end` is how `whole` ends. */
  predicate IsEndOf(end: Log, whole: Log) {
    |end| <= |whole| && whole[|whole| - |end|..] == end
  }

  /** An end stays an end when both go on alike. */
  lemma EndsGoOnAlike(end: Log, whole: Log, more: Log)
    requires IsEndOf(end, whole)
    ensures IsEndOf(end + more, whole + more)
  {
  }

  /** A kept entry's lineage in the fork is an end of its lineage in the log: it can only stop earlier, at a boundary whose
    * logical parent is not in the fork. */
  lemma ForkLineageIsAnEndOfLineage(log: Log, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log) && v in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(Fork(log, u)) && WellFormed(Fork(log, u))
    ensures IsEndOf(Lineage(Fork(log, u), v).entries, Lineage(log, v).entries)
    decreases IndexOf(log, v)
  {
    var fork, way := Fork(log, u), Ancestry(log, v);
    WellFormedHasUniqueUuids(log);
    ForkPreservesAncestry(log, u, v);
    LineageIsAncestryAfterOlderLineage(log, v);
    LineageIsAncestryAfterOlderLineage(fork, v);
    LineageEndsWithAncestry(log, v);
    if way[0].logicalParent.Some? && StandsBefore(fork, way[0].logicalParent.value, way[0].uuid) {
      var q := way[0].logicalParent.value;
      BeforeInForkIsBeforeInLog(log, u, q, way[0].uuid);
      RootStandsFirst(log, v);
      ForkLineageIsAnEndOfLineage(log, u, q);
      EndsGoOnAlike(Lineage(fork, q).entries, Lineage(log, q).entries, way);
    }
  }

  // --- ForkPrefix ---

  /** A prefix fork changes no ancestry. */
  lemma ForkPrefixPreservesAncestry(log: Log, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Uuids(ForkPrefix(log, u))
    ensures v in Uuids(log)
    ensures WellFormed(ForkPrefix(log, u))
    ensures Ancestry(ForkPrefix(log, u), v) == Ancestry(log, v)
  {
    AncestryInPrefix(log, IndexOf(log, u) + 1, v);
  }

  /** A prefix fork changes no lineage. */
  lemma ForkPrefixPreservesLineage(log: Log, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Uuids(ForkPrefix(log, u))
    ensures v in Uuids(log)
    ensures WellFormed(ForkPrefix(log, u))
    ensures Lineage(ForkPrefix(log, u), v) == Lineage(log, v)
  {
    LineageInPrefix(log, IndexOf(log, u) + 1, v);
  }

  /** A prefix fork changes no context, so it preserves P3 too. */
  lemma ForkPrefixPreservesContexts(log: Log, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Uuids(ForkPrefix(log, u))
    ensures v in Uuids(log)
    ensures Members(ForkPrefix(log, u), v) == Members(log, v)
    ensures Context(ForkPrefix(log, u), v) == Context(log, v)
    ensures Balanced(Context(ForkPrefix(log, u), v)) <==> Balanced(Context(log, v))
  {
    MembersInPrefix(log, IndexOf(log, u) + 1, v);
    ContextInPrefix(log, IndexOf(log, u) + 1, v);
  }

  /** A prefix fork keeps legal points legal. */
  lemma ForkPrefixKeepsLegal(log: Log, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Uuids(ForkPrefix(log, u))
    ensures v in Uuids(log)
    ensures Resumable(log, v) ==> Resumable(ForkPrefix(log, u), v)
    ensures Legal(log, v) ==> Legal(ForkPrefix(log, u), v)
  {
    var n := IndexOf(log, u) + 1;
    ForkPrefixPreservesContexts(log, u, v);
    IndexOfInPrefix(log, n, v);
    if Settled(log, v) {
      ClosedInPrefix(log, n, Members(log, v));
    }
  }

  /** Fork and prefix fork are the same exactly if everything up to `u` belongs to its conversation. */
  lemma ForkIsForkPrefixExactly(log: Log, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures Fork(log, u) == ForkPrefix(log, u) <==> Members(log, u) == Uuids(AsOf(log, u))
  {
    ContextHoldsExactlyTheMembers(log, u);
    ContextIsKeptFromAsOf(log, u);
    if Members(log, u) == Uuids(AsOf(log, u)) {
      KeepingAllIsTheLog(AsOf(log, u), Members(log, u));
    }
  }

  /** In a linear log every entry up to `u` is a member of `u`: going back by parents leaves none out. */
  lemma LinearMembersAreAll(log: Log, u: Id, i: nat)
    requires UniqueUuids(log)
    requires Linear(log)
    requires u in Uuids(log)
    requires i <= IndexOf(log, u)
    ensures log[i].uuid in Members(log, u)
    decreases IndexOf(log, u) - i
  {
    if i == IndexOf(log, u) {
      MembersContainsItself(log, u);
    } else {
      LinearMembersAreAll(log, u, i + 1);
      var asOf := AsOf(log, u);
      assert log[i] == asOf[i] && log[i + 1] == asOf[i + 1];
      assert Needs(asOf[i + 1], asOf[i]);
      WhatMembersNeedIsMember(log, u, asOf[i + 1], asOf[i]);
    }
  }

  /** On a linear session the fork is the seed's formula: everything up to the fork point. */
  lemma ForkIsForkPrefixOnLinearLogs(log: Log, u: Id)
    requires UniqueUuids(log)
    requires Linear(log)
    requires u in Uuids(log)
    ensures Fork(log, u) == ForkPrefix(log, u)
  {
    MembersAreAsOf(log, u);
    forall v | v in Uuids(AsOf(log, u)) ensures v in Members(log, u) {
      UuidsAreAtPositions(AsOf(log, u), v);
      var i :| 0 <= i < |AsOf(log, u)| && AsOf(log, u)[i].uuid == v;
      LinearMembersAreAll(log, u, i);
    }
    ForkIsForkPrefixExactly(log, u);
  }

  // --- Append ---

  /** An append adds one entry at the end and changes nothing else. */
  lemma AppendAddsExactlyOne(log: Log, e: Entry)
    requires UniqueUuids(log)
    requires Fits(log, e)
    ensures Append(log, e)[..|log|] == log
    ensures Uuids(Append(log, e)) == Uuids(log) + {e.uuid}
    ensures UniqueUuids(Append(log, e))
    ensures IndexOf(Append(log, e), e.uuid) == |log|
    ensures Get(Append(log, e), e.uuid) == e
    ensures AsOf(Append(log, e), e.uuid) == Append(log, e)
  {
    var after := Append(log, e);
    UuidsOfLast(after);
    assert after[..|log|] == log;
    forall i, j | 0 <= i < j < |after| ensures after[i].uuid != after[j].uuid {
      if j == |log| {
        assert log[i] in log;
      }
    }
    IndexOfIsPosition(after, |log|);
  }

  /** P4 for growth: an append changes no old ancestry. */
  lemma AppendKeepsOldAncestries(log: Log, e: Entry, v: Id)
    requires WellFormed(log)
    requires Fits(log, e)
    requires v in Uuids(log)
    ensures WellFormed(Append(log, e))
    ensures v in Uuids(Append(log, e))
    ensures Ancestry(Append(log, e), v) == Ancestry(log, v)
  {
    AppendIsWellFormed(log, e);
    assert Append(log, e)[..|log|] == log;
    AncestryInPrefix(Append(log, e), |log|, v);
  }

  /** An append changes no old lineage: what stood outside stays outside. */
  lemma AppendKeepsOldLineages(log: Log, e: Entry, v: Id)
    requires WellFormed(log)
    requires Fits(log, e)
    requires v in Uuids(log)
    ensures WellFormed(Append(log, e))
    ensures v in Uuids(Append(log, e))
    ensures Lineage(Append(log, e), v) == Lineage(log, v)
  {
    AppendIsWellFormed(log, e);
    assert Append(log, e)[..|log|] == log;
    LineageInPrefix(Append(log, e), |log|, v);
  }

  /** An append changes no old context, so it preserves P3 too, without any condition on the entry. */
  lemma AppendKeepsOldContexts(log: Log, e: Entry, v: Id)
    requires UniqueUuids(log)
    requires Fits(log, e)
    requires v in Uuids(log)
    ensures v in Uuids(Append(log, e))
    ensures Get(Append(log, e), v) == Get(log, v)
    ensures Members(Append(log, e), v) == Members(log, v)
    ensures Context(Append(log, e), v) == Context(log, v)
    ensures Balanced(Context(Append(log, e), v)) <==> Balanced(Context(log, v))
  {
    AppendAddsExactlyOne(log, e);
    IndexOfInPrefix(Append(log, e), |log|, v);
    MembersInPrefix(Append(log, e), |log|, v);
    ContextInPrefix(Append(log, e), |log|, v);
  }

  /** No member of the conversation at `v` needs the entry: it is no further part of a message and no further answer. */
  predicate Untouched(log: Log, v: Id, e: Entry)
    requires v in Uuids(log)
  {
    forall a | a in log && a.uuid in Members(log, v) :: !Needs(a, e)
  }

  /** What a member could need of a new entry: to be a part of its message, or to answer its call. It cannot be its parent. */
  lemma UntouchedIsNoPartAndNoAnswer(log: Log, v: Id, e: Entry)
    requires WellFormed(log)
    requires Fits(log, e)
    requires v in Uuids(log)
    ensures Untouched(log, v, e) <==>
            (forall a | a in log && a.uuid in Members(log, v) :: !Mates(a, e) && !Answers(a, e))
  {
    WellFormedHasNoDanglingParents(log);
    forall a | a in log ensures a.parent != Some(e.uuid) {
    }
  }

  /** A settled point stays settled exactly if the new entry does not touch its conversation. */
  lemma SettledSurvivesAppendExactly(log: Log, e: Entry, v: Id)
    requires UniqueUuids(log)
    requires Fits(log, e)
    requires v in Uuids(log)
    ensures v in Uuids(Append(log, e))
    ensures Settled(Append(log, e), v) <==> Settled(log, v) && Untouched(log, v, e)
  {
    var after, m := Append(log, e), Members(log, v);
    AppendKeepsOldContexts(log, e, v);
    MembersAreAsOf(log, v);
    if Settled(after, v) {
      ClosedInPart(after, log, m);
      forall a | a in log && a.uuid in m ensures !Needs(a, e) {
        assert a in after && e in after;
      }
    }
    if Settled(log, v) && Untouched(log, v, e) {
      forall a, b | a in after && b in after && a.uuid in m && Needs(a, b) ensures b.uuid in m {
        assert a in log;
      }
    }
  }

  /** A legal point stays legal exactly if no entry of its conversation needs the new one; and no point becomes legal. The
    * same holds of resumable points. */
  lemma LegalSurvivesAppendExactly(log: Log, e: Entry, v: Id)
    requires UniqueUuids(log)
    requires Fits(log, e)
    requires v in Uuids(log)
    ensures v in Uuids(Append(log, e))
    ensures Resumable(Append(log, e), v) <==> Resumable(log, v) && Untouched(log, v, e)
    ensures Legal(Append(log, e), v) <==> Legal(log, v) && Untouched(log, v, e)
  {
    AppendKeepsOldContexts(log, e, v);
    SettledSurvivesAppendExactly(log, e, v);
  }

  /** Where the new entry answers no call that the log has an answer to, a resumable point stays resumable exactly if the
    * entry is no further part of a message of its conversation: all calls in it are answered already. */
  lemma NewAnswersLeaveResumablePoints(log: Log, e: Entry, v: Id)
    requires WellFormed(log)
    requires Fits(log, e)
    requires v in Uuids(log)
    requires Resumable(log, v)
    requires forall b | b in log :: ResultsOf(b) !! ResultsOf(e)
    ensures v in Uuids(Append(log, e))
    ensures Resumable(Append(log, e), v) <==> (forall a | a in log && a.uuid in Members(log, v) :: !Mates(a, e))
  {
    WellFormedHasUniqueUuids(log);
    LegalSurvivesAppendExactly(log, e, v);
    UntouchedIsNoPartAndNoAnswer(log, v, e);
    ContextHoldsExactlyTheMembers(log, v);
    forall a | a in log && a.uuid in Members(log, v) ensures !Answers(a, e) {
      forall t | t in UsesOf(a) ensures t !in ResultsOf(e) {
        BalancedAnswersItsCalls(Context(log, v), a, t);
        var b :| b in Context(log, v) && t in ResultsOf(b);
      }
    }
  }

  /** In a balanced conversation every call of an entry is answered in an entry. */
  lemma BalancedAnswersItsCalls(entries: Log, a: Entry, t: Id)
    requires Balanced(entries)
    requires a in entries
    requires t in UsesOf(a)
    ensures exists b | b in entries :: t in ResultsOf(b)
  {
    BooksSayWhatIsOut(Blocks(entries));
    BlocksAreOfEntries(entries);
    assert t !in UseIds(Blocks(entries)) - ResultIds(Blocks(entries));
    var b :| b in entries && Result(t) in b.blocks;
    assert t in ResultsOf(b);
  }

  /** The blocks of a sequence of entries are the entries' blocks. */
  lemma BlocksAreOfEntries(entries: Log)
    ensures forall x :: x in Blocks(entries) <==> exists e | e in entries :: x in e.blocks
    decreases |entries|
  {
    if |entries| > 0 {
      var before, e := entries[..|entries| - 1], entries[|entries| - 1];
      BlocksAreOfEntries(before);
      assert entries == before + [e];
      forall x ensures x in Blocks(entries) <==> exists y | y in entries :: x in y.blocks {
        if x in e.blocks {
          assert e in entries;
        }
        if y :| y in before && x in y.blocks {
          assert y in entries;
        }
      }
    }
  }

  // --- Branching and forking ---

  /** The conversation at `v` is all that a new entry after `v` needs: `v` is settled, and every entry of the log that the
    * new one needs (a part of the same message, an earlier answer to its call) belongs to it. */
  predicate NeedsNothingElse(log: Log, v: Id, e: Entry)
    requires v in Uuids(log)
  {
    && Settled(log, v)
    && (forall b | b in log && Needs(e, b) :: b.uuid in Members(log, v))
  }

  /** Branching at `v` gives the context of `v` and the new entry, exactly if the new entry needs nothing else. */
  lemma AppendContextIsContextAndEntry(log: Log, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    ensures e.uuid in Uuids(Append(log, e))
    ensures NeedsNothingElse(log, v, e) <==> Context(Append(log, e), e.uuid) == Context(log, v) + [e]
  {
    var after, m := Append(log, e), Members(log, v);
    WellFormedHasUniqueUuids(log);
    AppendAddsExactlyOne(log, e);
    MembersAreAsOf(log, v);
    ContextHoldsExactlyTheMembers(log, v);
    ContextHoldsExactlyTheMembers(after, e.uuid);
    KeepOfLast(log, e, m + {e.uuid});
    KeepDependsOnIdsThere(log, m, m + {e.uuid}) by {
      assert Uuids(log) * m == Uuids(log) * (m + {e.uuid});
    }
    assert Keep(after, m + {e.uuid}) == Context(log, v) + [e];
    if NeedsNothingElse(log, v, e) {
      NeedingNothingElseAddsOne(log, e, v);
    }
    if Context(after, e.uuid) == Context(log, v) + [e] {
      assert Members(after, e.uuid) == m + {e.uuid} by {
        UuidsOfConcatenation(Context(log, v), [e]);
        assert Uuids([e]) == {e.uuid} by {
          assert e in [e];
        }
      }
      AddingOneNeedsNothingElse(log, e, v);
    }
  }

  /** One direction of `AppendContextIsContextAndEntry`: the members of `v` and the new entry are closed, and nothing less is. */
  lemma NeedingNothingElseAddsOne(log: Log, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires NeedsNothingElse(log, v, e)
    ensures e.uuid in Uuids(Append(log, e))
    ensures Members(Append(log, e), e.uuid) == Members(log, v) + {e.uuid}
  {
    var after, m := Append(log, e), Members(log, v);
    WellFormedHasUniqueUuids(log);
    AppendAddsExactlyOne(log, e);
    MembersAreAsOf(log, v);
    forall a, b | a in after && b in after && a.uuid in m + {e.uuid} && Needs(a, b) ensures b.uuid in m + {e.uuid} {
    }
    MembersAreLeast(after, e.uuid, m + {e.uuid});
    AppendIsWellFormed(log, e);
    MembersOfParent(after, e.uuid);
    MembersContainsItself(after, e.uuid);
    AppendKeepsOldContexts(log, e, v);
  }

  /** The other direction of `AppendContextIsContextAndEntry`: members are closed. */
  lemma AddingOneNeedsNothingElse(log: Log, e: Entry, v: Id)
    requires UniqueUuids(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.uuid in Uuids(Append(log, e))
    requires Members(Append(log, e), e.uuid) == Members(log, v) + {e.uuid}
    ensures NeedsNothingElse(log, v, e)
  {
    var after, m := Append(log, e), Members(log, v);
    AppendAddsExactlyOne(log, e);
    MembersAreClosedAsOf(after, e.uuid);
    assert e in after;
    forall a, b | a in log && b in log && (a.uuid in m || a == e) && Needs(a, b) ensures b.uuid in m {
      assert b.uuid != e.uuid;
    }
    forall b | b in log && Needs(e, b) ensures b.uuid in m {
      assert b in after;
      assert b.uuid != e.uuid;
    }
  }

  /** A user entry that makes no call, in particular a prompt, needs nothing but the conversation that it continues. */
  lemma PromptNeedsNothingElse(log: Log, e: Entry, v: Id)
    requires v in Uuids(log)
    requires Settled(log, v)
    requires e.parent == Some(v)
    requires !e.kind.Assistant?
    requires UsesOf(e) == {}
    ensures NeedsNothingElse(log, v, e)
  {
    MembersContainsItself(log, v);
  }

  /** Branching at `v` and then forking is forking at `v` and then appending: shared prefix, fresh continuation, across two
    * logs. It holds exactly if the new entry needs nothing but the conversation at `v`. */
  lemma BranchThenForkIsForkThenAppend(log: Log, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    ensures e.uuid in Uuids(Append(log, e))
    ensures Fits(Fork(log, v), e)
    ensures NeedsNothingElse(log, v, e) <==> Fork(Append(log, e), e.uuid) == Append(Fork(log, v), e)
  {
    ForkFitsWhatFits(log, e, v);
    AppendContextIsContextAndEntry(log, e, v);
  }

  /** What may be appended to a log after `v` may be appended to the fork at `v`. */
  lemma ForkFitsWhatFits(log: Log, e: Entry, v: Id)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    ensures Fits(Fork(log, v), e)
  {
    ContextHoldsExactlyTheMembers(log, v);
    MembersAreAsOf(log, v);
    MembersContainsItself(log, v);
  }

  /** At a resumable point a prompt goes on from exactly the conversation there, in the log as in the fork, and the point
    * where it stands is resumable again. */
  lemma PromptAtResumablePointGoesOn(log: Log, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Resumable(log, v)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires e.kind.User?
    requires forall b | b in e.blocks :: b.Opaque?
    ensures e.uuid in Uuids(Append(log, e)) && Fits(Fork(log, v), e)
    ensures Context(Append(log, e), e.uuid) == Context(log, v) + [e]
    ensures Fork(Append(log, e), e.uuid) == Append(Fork(log, v), e)
    ensures Resumable(Append(log, e), e.uuid)
  {
    assert UsesOf(e) == {};
    PromptNeedsNothingElse(log, e, v);
    BranchThenForkIsForkThenAppend(log, e, v);
    AppendContextIsContextAndEntry(log, e, v);
    BooksOfConcatenation(Context(log, v), [e]);
    BlocksOfOne(e);
    OpaqueBlocksChangeNothing(BooksOf(Context(log, v)), e.blocks);
    WellFormedHasUniqueUuids(log);
    AppendAddsExactlyOne(log, e);
    LastIsSettled(Append(log, e));
  }

  /** A continuation of a log: new entries, the first one after the log's last entry, each other one after the one before it. */
  ghost predicate Continuation(log: Log, more: Log)
    decreases |more|
  {
    |more| == 0 ||
    (var before, e := log + more[..|more| - 1], more[|more| - 1];
     && Continuation(log, more[..|more| - 1])
     && Fits(before, e)
     && |before| > 0
     && e.parent == Some(before[|before| - 1].uuid))
  }

  /** Whatever a fork is continued with in one line, each new entry on the one before it and the first on the fork's last, the
    * conversation at its end is the fork and then the continuation: nothing of the fork gets lost and nothing of the source
    * comes in. Beyond that line nothing is asked of the entries, nor of the fork point. */
  lemma ForkIsSharedPrefixOfContinuation(log: Log, v: Id, more: Log)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Continuation(Fork(log, v), more)
    ensures var after := Fork(log, v) + more;
            && WellFormed(after)
            && |after| > 0
            && after[|after| - 1].uuid in Uuids(after)
            && Members(after, after[|after| - 1].uuid) == Uuids(after)
            && Context(after, after[|after| - 1].uuid) == after
  {
    hide WellFormed, Members, Context, Continuation;
    WellFormedHasUniqueUuids(log);
    ForkIsWellFormed(log, v);
    ContextEndsIn(log, v);
    ForkPointIsSettled(log, v);
    WholeConversationGoesOnInOneLine(Fork(log, v), more);
  }

  /** Where the conversation at a log's end is the whole log, it is so after every continuation. */
  lemma WholeConversationGoesOnInOneLine(log: Log, more: Log)
    requires WellFormed(log)
    requires |log| > 0
    requires log[|log| - 1].uuid in Uuids(log)
    requires Members(log, log[|log| - 1].uuid) == Uuids(log)
    requires Continuation(log, more)
    ensures var after := log + more;
            && WellFormed(after)
            && |after| > 0
            && after[|after| - 1].uuid in Uuids(after)
            && Members(after, after[|after| - 1].uuid) == Uuids(after)
            && Context(after, after[|after| - 1].uuid) == after
    decreases |more|
  {
    hide WellFormed, Uuids, Members, Fits;
    if |more| == 0 {
      assert log + more == log;
      KeepingAllIsTheLog(log, Uuids(log));
    } else {
      var before, e := log + more[..|more| - 1], more[|more| - 1];
      assert log + more == Append(before, e);
      WholeConversationGoesOnInOneLine(log, more[..|more| - 1]);
      WholeConversationGoesOn(before, e);
    }
  }

  /** Where the conversation at a log's end is the whole log, it is so after one more entry that continues the end. */
  lemma WholeConversationGoesOn(log: Log, e: Entry)
    requires WellFormed(log)
    requires |log| > 0
    requires log[|log| - 1].uuid in Uuids(log)
    requires Members(log, log[|log| - 1].uuid) == Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(log[|log| - 1].uuid)
    ensures WellFormed(Append(log, e))
    ensures e.uuid in Uuids(Append(log, e))
    ensures Members(Append(log, e), e.uuid) == Uuids(Append(log, e))
    ensures Context(Append(log, e), e.uuid) == Append(log, e)
  {
    var after, v := Append(log, e), log[|log| - 1].uuid;
    WellFormedHasUniqueUuids(log);
    AppendIsWellFormed(log, e);
    AppendAddsExactlyOne(log, e);
    AllIsClosed(log);
    assert NeedsNothingElse(log, v, e) by {
      forall b | b in log && Needs(e, b) ensures b.uuid in Members(log, v) {
        assert b.uuid in Uuids(log);
      }
    }
    NeedingNothingElseAddsOne(log, e, v);
    KeepingAllIsTheLog(after, Uuids(after));
  }

  /** A linear session with unique uuids is well-formed: each parent is the entry right before. */
  lemma LinearIsWellFormed(log: Log)
    requires UniqueUuids(log)
    requires Linear(log)
    ensures WellFormed(log)
  {
    forall i | 0 <= i < |log| && log[i].parent.Some?
      ensures log[i].parent.value in Uuids(log[..i])
    {
      assert i > 0 && log[i].parent == Some(log[i - 1].uuid);
      assert log[..i][i - 1] in log[..i];
    }
    WellFormedMeansUniqueAndParentsFirst(log);
  }

  // --- What is kept of a log, whatever it is ---

  /** The conversation of an entry that is kept is, in what is kept, what it was exactly if it is closed in the log as of the
    * entry. */
  lemma MembersInKeepExactly(log: Log, ids: set<Id>, v: Id)
    requires UniqueUuids(log)
    requires v in Uuids(log) && v in ids
    requires v in Uuids(Keep(log, ids))
    ensures Members(Keep(log, ids), v) == Members(log, v) <==> Closed(AsOf(log, v), Members(Keep(log, ids), v))
  {
    hide UniqueUuids, Uuids, Members, Keep, AsOf, Closed;
    var kept := Keep(log, ids);
    AsOfInKeep(log, ids, v);
    MembersAreClosedAsOf(log, v);
    if Closed(AsOf(log, v), Members(kept, v)) {
      MembersContainsItself(kept, v);
      MembersAreLeast(log, v, Members(kept, v));
      KeepHoldsExactly(AsOf(log, v), ids);
      ClosedInPart(AsOf(log, v), AsOf(kept, v), Members(log, v));
      MembersContainsItself(log, v);
      MembersAreLeast(kept, v, Members(log, v));
    }
  }

  /** An entry that is kept has, in what is kept, the context that it had exactly if its conversation there is closed in the log as
    * of it. */
  lemma ContextInKeepExactly(log: Log, ids: set<Id>, v: Id)
    requires UniqueUuids(log)
    requires v in Uuids(log) && v in ids
    ensures v in Uuids(Keep(log, ids))
    ensures Context(Keep(log, ids), v) == Context(log, v) <==> Closed(AsOf(log, v), Members(Keep(log, ids), v))
  {
    hide UniqueUuids, Members, Keep, AsOf, Closed;
    var kept := Keep(log, ids);
    UuidsOfKeep(log, ids);
    MembersInKeepExactly(log, ids, v);
    if Members(kept, v) == Members(log, v) {
      MembersAreAsOf(kept, v);
      KeepOfKeep(log, ids, Members(log, v));
      assert ids * Members(log, v) == Members(log, v);
    }
    if Context(kept, v) == Context(log, v) {
      ContextHoldsExactlyTheMembers(kept, v);
      ContextHoldsExactlyTheMembers(log, v);
    }
  }
}

// Chapter 4, proofs: the closure is the least closed set, and what follows for members and contexts.
include "03-Ancestries.Proofs.dfy"
include "04-Contexts.dfy"

module ContextsProofs {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened Ancestries
  import opened AncestriesProofs
  import opened Contexts

  /** What an entry needs, said of blocks: its parent, each part of its message, and each result, on the user's side, of a call in it. */
  lemma NeedsExactly(a: Entry, b: Entry)
    ensures Needs(a, b)
       <==> || a.parent == Some(b.uuid)
            || (exists m :: a.message == Some(m) && b.message == Some(m) && a.kind == Assistant && b.kind == Assistant)
            || (exists t :: b.kind == User && Use(t) in a.blocks && Result(t) in b.blocks)
  {
    forall t ensures t in UsesOf(a) <==> Use(t) in a.blocks {
      assert Use(t) in a.blocks ==> Use(t).id in UsesOf(a);
    }
    forall t ensures t in ResultsOf(b) <==> Result(t) in b.blocks {
      assert Result(t) in b.blocks ==> Result(t).id in ResultsOf(b);
    }
    if Answers(a, b) {
      var t :| t in UsesOf(a) * ResultsOf(b);
      assert b.kind == User && Use(t) in a.blocks && Result(t) in b.blocks;
    }
    if t :| b.kind == User && Use(t) in a.blocks && Result(t) in b.blocks {
      assert t in UsesOf(a) * ResultsOf(b);
    }
  }

  /** The closure contains what it is the closure of. */
  lemma ClosureContains(log: Log, ids: set<Id>)
    ensures ids <= Closure(log, ids)
    decreases |Uuids(log) - ids|
  {
    var more := ids + Needed(log, ids);
    if more != ids {
      ClosureStepGrows(log, ids);
      ClosureContains(log, more);
    }
  }

  /** The closure is closed. */
  lemma ClosureIsClosed(log: Log, ids: set<Id>)
    ensures Closed(log, Closure(log, ids))
    decreases |Uuids(log) - ids|
  {
    var more := ids + Needed(log, ids);
    if more != ids {
      ClosureStepGrows(log, ids);
      ClosureIsClosed(log, more);
    } else {
      forall a, b | a in log && b in log && a.uuid in ids && Needs(a, b) ensures b.uuid in ids {
        assert b.uuid in Needed(log, ids);
      }
    }
  }

  /** The closure is in every closed set that contains what it is the closure of. */
  lemma ClosureIsLeast(log: Log, ids: set<Id>, s: set<Id>)
    requires ids <= s
    requires Closed(log, s)
    ensures Closure(log, ids) <= s
    decreases |Uuids(log) - ids|
  {
    var more := ids + Needed(log, ids);
    if more != ids {
      ClosureStepGrows(log, ids);
      ClosureIsLeast(log, more, s);
    }
  }

  /** The closure of ids that stand in the log has no others. */
  lemma ClosureIsInLog(log: Log, ids: set<Id>)
    requires ids <= Uuids(log)
    ensures Closure(log, ids) <= Uuids(log)
  {
    ClosureIsLeast(log, ids, Uuids(log));
  }

  /** One step of the closure leaves fewer ids out: why the inductions end. */
  lemma ClosureStepGrows(log: Log, ids: set<Id>)
    requires ids + Needed(log, ids) != ids
    ensures |Uuids(log) - (ids + Needed(log, ids))| < |Uuids(log) - ids|
  {
    var more := ids + Needed(log, ids);
    assert Uuids(log) - more < Uuids(log) - ids by {
      var x :| x in more && x !in ids;
      assert x in Uuids(log) - ids && x !in Uuids(log) - more;
    }
    SmallerSet(Uuids(log) - more, Uuids(log) - ids);
  }

  /** The whole log is closed: there is nothing more to need. */
  lemma AllIsClosed(log: Log)
    ensures Closed(log, Uuids(log))
  {
  }

  /** What is closed in a log is closed in a log that has no further entries. */
  lemma ClosedInPart(log: Log, part: Log, ids: set<Id>)
    requires forall e | e in part :: e in log
    requires Closed(log, ids)
    ensures Closed(part, ids)
  {
  }

  /** What is closed in a log is closed in every prefix of it. */
  lemma ClosedInPrefix(log: Log, n: nat, ids: set<Id>)
    requires n <= |log|
    requires Closed(log, ids)
    ensures Closed(log[..n], ids)
  {
    ClosedInPart(log, log[..n], ids);
  }

  /** A closed set contains the parents of its entries. */
  lemma ClosedIsParentClosed(log: Log, ids: set<Id>)
    requires NoDanglingParents(log)
    requires Closed(log, ids)
    ensures ParentClosed(log, ids)
  {
    forall e | e in log && e.uuid in ids && e.parent.Some? ensures e.parent.value in ids {
      var p :| p in log && p.uuid == e.parent.value;
      assert Needs(e, p);
    }
  }

  /** An entry is in its own conversation. */
  lemma MembersContainsItself(log: Log, u: Id)
    requires u in Uuids(log)
    ensures u in Members(log, u)
  {
    ClosureContains(AsOf(log, u), {u});
  }

  /** A conversation looks at nothing that comes after it. */
  lemma MembersAreAsOf(log: Log, u: Id)
    requires u in Uuids(log)
    ensures Members(log, u) <= Uuids(AsOf(log, u))
    ensures Members(log, u) <= Uuids(log)
  {
    assert log[IndexOf(log, u)] in AsOf(log, u);
    ClosureIsInLog(AsOf(log, u), {u});
    UuidsOfPrefix(log, IndexOf(log, u) + 1);
  }

  /** The members of a conversation need nothing more of the log as it was then. */
  lemma MembersAreClosedAsOf(log: Log, u: Id)
    requires u in Uuids(log)
    ensures Closed(AsOf(log, u), Members(log, u))
  {
    ClosureIsClosed(AsOf(log, u), {u});
  }

  /** Every set that contains `u` and is closed in the log as of `u` contains the members. */
  lemma MembersAreLeast(log: Log, u: Id, s: set<Id>)
    requires u in Uuids(log)
    requires u in s
    requires Closed(AsOf(log, u), s)
    ensures Members(log, u) <= s
  {
    ClosureIsLeast(AsOf(log, u), {u}, s);
  }

  /** The definition of a conversation, complete: a set with these four properties is the members, so there is one only. */
  lemma MembersAreTheLeastClosedSet(log: Log, u: Id, m: set<Id>)
    requires u in Uuids(log)
    requires u in m
    requires Closed(AsOf(log, u), m)
    requires forall s: set<Id> | u in s && Closed(AsOf(log, u), s) :: m <= s
    ensures m == Members(log, u)
  {
    MembersAreLeast(log, u, m);
    MembersContainsItself(log, u);
    MembersAreClosedAsOf(log, u);
  }

  /** Every set that contains `u` and is closed in the whole log contains the members. */
  lemma MembersAreInClosedSets(log: Log, u: Id, s: set<Id>)
    requires u in Uuids(log)
    requires u in s
    requires Closed(log, s)
    ensures Members(log, u) <= s
  {
    ClosedInPrefix(log, IndexOf(log, u) + 1, s);
    MembersAreLeast(log, u, s);
  }

  /** Members stand at `u` or before it. */
  lemma MembersStandBefore(log: Log, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log)
    ensures IndexOf(log, v) <= IndexOf(log, u)
  {
    MembersAreAsOf(log, u);
    AsOfHoldsExactly(log, u, v);
  }

  /** A prefix of a log has the same conversations: members of `u` need the log only up to `u`. */
  lemma MembersInPrefix(log: Log, n: nat, u: Id)
    requires UniqueUuids(log)
    requires n <= |log|
    requires u in Uuids(log[..n])
    ensures u in Uuids(log)
    ensures Members(log[..n], u) == Members(log, u)
  {
    IndexOfInPrefix(log, n, u);
  }

  /** The conversation at a member is part of the conversation. */
  lemma MembersOfMember(log: Log, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log)
    ensures Members(log, v) <= Members(log, u)
  {
    MembersStandBefore(log, u, v);
    MembersAreClosedAsOf(log, u);
    var asOf := AsOf(log, u);
    assert AsOf(log, v) == asOf[..IndexOf(log, v) + 1];
    ClosedInPrefix(asOf, IndexOf(log, v) + 1, Members(log, u));
    MembersAreLeast(log, v, Members(log, u));
  }

  /** What a member needs, as far as it stands at `u` or before, is a member. */
  lemma WhatMembersNeedIsMember(log: Log, u: Id, a: Entry, b: Entry)
    requires u in Uuids(log)
    requires a in AsOf(log, u) && b in AsOf(log, u)
    requires a.uuid in Members(log, u)
    requires Needs(a, b)
    ensures b.uuid in Members(log, u)
  {
    MembersAreClosedAsOf(log, u);
  }

  /** The members of a conversation include the parents of all its entries. */
  lemma MembersAreParentClosed(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures ParentClosed(log, Members(log, u))
  {
    WellFormedHasUniqueUuids(log);
    AsOfIsWellFormed(log, u);
    WellFormedHasNoDanglingParents(AsOf(log, u));
    MembersAreClosedAsOf(log, u);
    ClosedIsParentClosed(AsOf(log, u), Members(log, u));
    forall e | e in log && e.uuid in Members(log, u) ensures e in AsOf(log, u) {
      MembersAreAsOf(log, u);
      var a :| a in AsOf(log, u) && a.uuid == e.uuid;
      SameUuidIsSameEntry(log, a, e);
    }
  }

  /** The conversation at a parent is part of the conversation at its child, always. */
  lemma MembersOfParent(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Get(log, u).parent.Some?
    ensures Get(log, u).parent.value in Uuids(log)
    ensures Get(log, u).parent.value in Members(log, u)
    ensures Members(log, Get(log, u).parent.value) <= Members(log, u)
  {
    WellFormedHasUniqueUuids(log);
    MembersContainsItself(log, u);
    MembersAreParentClosed(log, u);
    MembersOfMember(log, u, Get(log, u).parent.value);
  }

  /** A context holds exactly the members, each the log's own entry. */
  lemma ContextHoldsExactlyTheMembers(log: Log, u: Id)
    requires u in Uuids(log)
    ensures forall e :: e in Context(log, u) <==> e in log && e.uuid in Members(log, u)
    ensures Uuids(Context(log, u)) == Members(log, u)
  {
    KeepHoldsExactly(log, Members(log, u));
    UuidsOfKeep(log, Members(log, u));
    MembersAreAsOf(log, u);
    assert Uuids(log) * Members(log, u) == Members(log, u);
  }

  /** The entries of a context stand in the order of the log, and no two of them share a uuid. */
  lemma ContextIsInLogOrder(log: Log, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures UniqueUuids(Context(log, u))
    ensures Uuids(Context(log, u)) <= Uuids(log)
    ensures forall a, b | a in Uuids(Context(log, u)) && b in Uuids(Context(log, u)) ::
              IndexOf(Context(log, u), a) < IndexOf(Context(log, u), b) <==> IndexOf(log, a) < IndexOf(log, b)
  {
    KeepIsUnique(log, Members(log, u));
    UuidsOfKeep(log, Members(log, u));
    forall a, b | a in Uuids(Context(log, u)) && b in Uuids(Context(log, u))
      ensures IndexOf(Context(log, u), a) < IndexOf(Context(log, u), b) <==> IndexOf(log, a) < IndexOf(log, b)
    {
      KeepIsInOrder(log, Members(log, u), a, b);
    }
  }

  /** The log as of `u` alone decides the context of `u`. */
  lemma ContextIsKeptFromAsOf(log: Log, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures Context(log, u) == Keep(AsOf(log, u), Members(log, u))
  {
    MembersAreAsOf(log, u);
    KeepFromPrefix(log, IndexOf(log, u) + 1, Members(log, u));
  }

  /** A context ends in the entry whose context it is. */
  lemma ContextEndsIn(log: Log, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures |Context(log, u)| > 0
    ensures Context(log, u)[|Context(log, u)| - 1] == Get(log, u)
  {
    ContextIsKeptFromAsOf(log, u);
    MembersContainsItself(log, u);
  }

  /** A context has every parent of its entries, in front of them: it is a well-formed log by itself. */
  lemma ContextIsParentClosed(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures WellFormed(Context(log, u))
  {
    MembersAreParentClosed(log, u);
    KeepIsWellFormed(log, Members(log, u));
  }

  /** A context holds the whole ancestry of each of its members, so of its own entry too. */
  lemma ContextHoldsAncestry(log: Log, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log)
    ensures Uuids(Ancestry(log, v)) <= Members(log, u)
    ensures forall e | e in Ancestry(log, v) :: e in Context(log, u)
  {
    MembersAreAsOf(log, u);
    MembersAreParentClosed(log, u);
    ParentClosedHoldsAncestries(log, Members(log, u), v);
    ContextHoldsExactlyTheMembers(log, u);
  }

  /** A prefix of a log has the same contexts. */
  lemma ContextInPrefix(log: Log, n: nat, u: Id)
    requires UniqueUuids(log)
    requires n <= |log|
    requires u in Uuids(log[..n])
    ensures u in Uuids(log)
    ensures Context(log[..n], u) == Context(log, u)
  {
    IndexOfInPrefix(log, n, u);
    MembersInPrefix(log, n, u);
    MembersAreAsOf(log[..n], u);
    KeepFromPrefix(log, n, Members(log, u));
  }

  /** What the settled conversation at `u` needs is in it, wherever it stands. */
  lemma WhatSettledNeedsIsMember(log: Log, u: Id, a: Entry, b: Entry)
    requires u in Uuids(log) && Settled(log, u)
    requires a in log && b in log
    requires a.uuid in Members(log, u)
    requires Needs(a, b)
    ensures b.uuid in Members(log, u)
  {
  }

  /** At the last entry of a log every conversation is settled: nothing comes later. */
  lemma LastIsSettled(log: Log)
    requires UniqueUuids(log)
    requires |log| > 0
    ensures log[|log| - 1].uuid in Uuids(log)
    ensures Settled(log, log[|log| - 1].uuid)
  {
    var u := log[|log| - 1].uuid;
    IndexOfIsPosition(log, |log| - 1);
    assert AsOf(log, u) == log;
    MembersAreClosedAsOf(log, u);
  }
}

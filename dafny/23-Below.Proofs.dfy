// Chapter 23, proofs: what hangs below stands beside the conversation and says nothing to it; a fork that keeps it is a log
// again, with every context as it was, and has the same below; and growth changes neither.
include "10-Rendering.Proofs.dfy"
include "19-Holes.dfy"
include "23-Below.dfy"

module BelowProofs {
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
  import opened Rendering
  import opened RenderingProofs
  import opened Below
  import Holes

  // --- What a client passes over ---

  /** A prefix that holds an entry passes over the same from it. */
  lemma SkippedInPrefix(log: Log, n: nat, p: Option<Id>)
    requires WellFormed(log)
    requires n <= |log|
    requires p.Some? ==> p.value in Uuids(log[..n])
    ensures Skipped(log[..n], p) == Skipped(log, p)
    ensures Passed(log[..n], p) == Passed(log, p)
    decreases |log|
  {
    if n == |log| {
      assert log[..n] == log;
    } else {
      var before := log[..|log| - 1];
      assert before[..n] == log[..n];
      UuidsOfPrefix(before, n);
      SkippedInPrefix(before, n, p);
    }
  }

  /** What is kept passes over the same, if it has the parents of its entries. */
  lemma SkippedInKeep(log: Log, ids: set<Id>, p: Option<Id>)
    requires WellFormed(log)
    requires ParentClosed(log, ids)
    requires p.Some? ==> p.value in ids
    ensures Skipped(Keep(log, ids), p) == Skipped(log, p)
    ensures Passed(Keep(log, ids), p) == Passed(log, p)
    decreases |log|
  {
    if |log| > 0 {
      var before, last := log[..|log| - 1], log[|log| - 1];
      assert forall e | e in before :: e in log;
      assert last in log;
      SkippedInKeep(before, ids, p);
      if last.uuid in ids {
        var kept := Keep(log, ids);
        assert kept[..|kept| - 1] == Keep(before, ids);
        SkippedInKeep(before, ids, last.parent);
      }
    }
  }

  /** What is passed over is such an entry, and stands on the way to the one that is found. */
  lemma PassedLeadsToSkipped(log: Log, p: Option<Id>)
    requires WellFormed(log)
    requires Skipped(log, p).Some?
    ensures p.Some? && (p.value in Passed(log, p) || p == Skipped(log, p))
    ensures Passed(log, p) <= Uuids(log)
    ensures forall e | e in log && e.uuid in Passed(log, p) ::
              PassedOver(e) && e.parent.Some? && (e.parent.value in Passed(log, p) || e.parent == Skipped(log, p))
    decreases |log|
  {
    if |log| > 0 {
      var before, last := log[..|log| - 1], log[|log| - 1];
      assert forall e | e in before :: e in log;
      assert last in log;
      WellFormedHasUniqueUuids(log);
      var q := if p != Some(last.uuid) then p else last.parent;
      if p != Some(last.uuid) || PassedOver(last) {
        PassedLeadsToSkipped(before, q);
        forall e | e in log && e.uuid in Passed(log, p)
          ensures PassedOver(e) && e.parent.Some? && (e.parent.value in Passed(log, p) || e.parent == Skipped(log, p))
        {
          if e.uuid == last.uuid {
            SameUuidIsSameEntry(log, e, last);
            assert last.uuid !in Uuids(before);
          } else {
            assert e in before;
          }
        }
      }
    }
  }

  /** An entry hangs on one that stands before it. */
  lemma HookStandsBefore(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Hook(log, u).Some?
    ensures Get(log, u).parent.Some?
    ensures Hook(log, u).value in Uuids(log)
    ensures IndexOf(log, Hook(log, u).value) < IndexOf(log, u)
  {
    var p, n := Get(log, u).parent, IndexOf(log, u);
    WellFormedHasUniqueUuids(log);
    PassedLeadsToSkipped(log, p);
    EachEntryFits(log, n);
    SkippedInPrefix(log, n, p);
    LaterIsNotInPrefix(log, n, Hook(log, u).value);
  }

  /** From an entry that is there, a client goes on upwards where it passes the entry over, and stops there where it sees it. */
  lemma SkippedUnfolds(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var e := Get(log, u);
            && (PassedOver(e) ==>
                  && Skipped(log, Some(u)) == Skipped(log, e.parent)
                  && Passed(log, Some(u)) == {u} + Passed(log, e.parent))
            && (Seen(e) ==> Skipped(log, Some(u)) == Some(u) && Passed(log, Some(u)) == {})
            && (!PassedOver(e) && !Seen(e) ==> Skipped(log, Some(u)) == None && Passed(log, Some(u)) == {})
  {
    var n := IndexOf(log, u);
    var first := log[..n + 1];
    WellFormedHasUniqueUuids(log);
    EachEntryFits(log, n);
    assert log[n] in first;
    assert first[..n] == log[..n];
    SkippedInPrefix(log, n + 1, Some(u));
    SkippedInPrefix(log, n, log[n].parent);
  }

  // --- What is taken ---

  /** A way that belongs to a set which needs nothing more brings nothing else. */
  lemma TakenIsWithin(log: Log, way: set<Id>, m: set<Id>)
    requires way <= m
    requires Closed(log, m)
    ensures CallParts(log, way) <= m
    ensures Taken(log, way) <= m
  {
    hide UsesOf, Mates, Answers;
    assert forall a, b | a in log && b in log && a.uuid in m && (Mates(a, b) || Answers(a, b)) :: b.uuid in m;
    assert Parts(log, way) <= m;
    assert ResultsOfParts(log, way) <= m;
  }

  /** A part of a part's message is a part. */
  lemma MatesArePartsToo(log: Log, way: set<Id>, c: Entry, a: Entry)
    requires UniqueUuids(log)
    requires c in log && c.uuid in Parts(log, way)
    requires a in log && Mates(c, a)
    ensures a.uuid in Parts(log, way)
  {
    hide UniqueUuids, Mates;
    var w, d :| w in log && w.uuid in way && d in log && Mates(w, d) && d.uuid == c.uuid;
    SameUuidIsSameEntry(log, c, d);
    assert Mates(w, a) by {
      reveal Mates;
    }
  }

  /** A part of a message that makes a call is a part of a message on the way. */
  lemma CallPartsAreParts(log: Log, way: set<Id>)
    requires UniqueUuids(log)
    ensures CallParts(log, way) <= Parts(log, way)
  {
    hide UniqueUuids, UsesOf;
    forall c, a | c in log && c.uuid in Parts(log, way) && a in log && Mates(c, a)
      ensures a.uuid in Parts(log, way)
    {
      MatesArePartsToo(log, way, c, a);
    }
  }

  /** Chains hang below what is taken. */
  lemma AnchorsAreTaken(log: Log, sides: Sides, way: set<Id>, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires Anchors(log, sides, way, u)
    ensures u in Taken(log, way)
  {
    CallPartsAreParts(log, way);
  }

  /** The way to an entry belongs to its conversation. */
  lemma WayIsOfTheConversation(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Way(log, preserved, u) <= Uuids(Ancestry(log, u)) <= Members(log, u)
  {
    hide Crossed, Members, Ancestry;
    WhatIsCrossedIsThere(log, preserved, u);
    MembersContainsItself(log, u);
    ContextHoldsAncestry(log, u, u);
  }

  /** What is taken belongs to the conversation. */
  lemma TakenIsOfTheConversation(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Taken(AsOf(log, u), Way(log, preserved, u)) <= Members(log, u)
  {
    hide Members, Way, Taken;
    WayIsOfTheConversation(log, preserved, u);
    MembersAreClosedAsOf(log, u);
    TakenIsWithin(AsOf(log, u), Way(log, preserved, u), Members(log, u));
  }

  // --- What the chains of a log are ---

  /** An entry hangs on another one exactly if it is seen, was not taken, and finds the other one upwards. */
  lemma ChildrenExactly(log: Log, way: set<Id>, u: Id, e: Entry)
    requires UniqueUuids(log)
    requires e in log
    ensures Get(log, e.uuid) == e
    ensures e.uuid in Children(log, way, u) <==> Seen(e) && e.uuid !in Taken(log, way) && Hook(log, e.uuid) == Some(u)
  {
    hide UniqueUuids, Taken, Skipped, Seen, Get;
    GetFindsEntry(log, e);
    if e.uuid in Children(log, way, u) {
      var c :| c in log && Seen(c) && c.uuid !in Taken(log, way) && Hook(log, c.uuid) == Some(u) && c.uuid == e.uuid;
      SameUuidIsSameEntry(log, c, e);
    }
  }

  /** What hangs on an entry of a chain is of that chain. */
  lemma ChildHangsToo(log: Log, sides: Sides, way: set<Id>, u: Id, e: Entry)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires Hangs(log, sides, way, u)
    requires e in log && e.uuid in Children(log, way, u)
    ensures Hangs(log, sides, way, e.uuid)
    ensures IndexOf(log, e.uuid) > IndexOf(log, u)
  {
    hide UniqueUuids, Taken, Anchors, IsAside, OnOneSide, Skipped, Seen, Get, IndexOf;
    ChildrenExactly(log, way, u, e);
    assert Whole(log, sides, way, e.uuid) && OnOneSide(sides, u, e.uuid) && IndexOf(log, u) < IndexOf(log, e.uuid);
  }

  /** An entry of a chain is a side entry, and its hook is taken or of a chain. */
  lemma WhatHangsHangsOn(log: Log, sides: Sides, way: set<Id>, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Hangs(log, sides, way, u)
    ensures IsAside(sides, Get(log, u))
    ensures Hook(log, u).Some?
    ensures Hook(log, u).value in Taken(log, way) || Hook(log, u).value in Chains(log, sides, way)
  {
    hide Taken, Children, Hook, IsAside, Anchors;
    WellFormedHasUniqueUuids(log);
    var h := Hook(log, u).value;
    if Anchors(log, sides, way, h) {
      AnchorsAreTaken(log, sides, way, h);
    } else {
      assert Get(log, h) in log;
      assert Hangs(log, sides, way, Get(log, h).uuid);
    }
  }

  /** Each entry of the chains is a side entry or is passed over, and its parent is taken or there too. */
  lemma ChainsHangTogether(log: Log, sides: Sides, way: set<Id>)
    requires WellFormed(log)
    ensures Chains(log, sides, way) <= Uuids(log)
    ensures forall e | e in log && e.uuid in Chains(log, sides, way) ::
              && (IsAside(sides, e) || PassedOver(e))
              && e.parent.Some?
              && e.parent.value in Taken(log, way) + Chains(log, sides, way)
  {
    hide Taken, Hangs, IsAside, PassedOver, Skipped, Passed;
    WellFormedHasUniqueUuids(log);
    forall e | e in log && Hangs(log, sides, way, e.uuid)
      ensures IsAside(sides, e)
      ensures e.parent.Some? && e.parent.value in Taken(log, way) + Chains(log, sides, way)
      ensures Passed(log, e.parent) <= Uuids(log)
      ensures forall x | x in log && x.uuid in Passed(log, e.parent) ::
                PassedOver(x) && x.parent.Some? && x.parent.value in Taken(log, way) + Chains(log, sides, way)
    {
      GetFindsEntry(log, e);
      WhatHangsHangsOn(log, sides, way, e.uuid);
      PassedLeadsToSkipped(log, e.parent);
    }
  }

  /** A set that needs nothing more needs nothing more with its chains. */
  lemma ChainsNeedNothingMore(log: Log, sides: Sides, way: set<Id>, m: set<Id>)
    requires WellFormed(log)
    requires way <= m
    requires Closed(log, m)
    ensures Closed(log, m + Chains(log, sides, way))
  {
    hide Taken, Chains;
    TakenIsWithin(log, way, m);
    ChainsHangTogether(log, sides, way);
  }

  // --- What is below ---

  /** Of an entry in what is below, all that the definition says. */
  lemma BelowIsOfChains(log: Log, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Kept(log, preserved, u) + Beneath(log, preserved, sides, u)
         == Kept(log, preserved, u) + Chains(AsOf(log, u), sides, Way(log, preserved, u))
    ensures Beneath(log, preserved, sides, u) <= Uuids(AsOf(log, u)) <= Uuids(log)
    ensures forall e :: e in log && e.uuid in Beneath(log, preserved, sides, u)
                        <==> e in AsOf(log, u) && e.uuid in Beneath(log, preserved, sides, u)
  {
    hide Kept, Way, Chains;
    AsOfIsWellFormed(log, u);
    WellFormedHasUniqueUuids(log);
    ChainsHangTogether(AsOf(log, u), sides, Way(log, preserved, u));
    UuidsOfPrefix(log, IndexOf(log, u) + 1);
    var below := Beneath(log, preserved, sides, u);
    forall e | e in log && e.uuid in below
      ensures e in AsOf(log, u)
    {
      var a :| a in AsOf(log, u) && a.uuid == e.uuid;
      SameUuidIsSameEntry(log, a, e);
    }
  }

  /** What is below stands beside what is kept, in the log before the entry. */
  lemma BelowStandsAside(log: Log, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Beneath(log, preserved, sides, u) !! Kept(log, preserved, u)
    ensures Beneath(log, preserved, sides, u) <= Uuids(AsOf(log, u)) <= Uuids(log)
    ensures forall v | v in Uuids(log) && v in Beneath(log, preserved, sides, u) :: IndexOf(log, v) < IndexOf(log, u)
  {
    hide Kept, Way, Chains, Members;
    WellFormedHasUniqueUuids(log);
    BelowIsOfChains(log, preserved, sides, u);
    KeptIsLeast(log, preserved, u, {});
    MembersContainsItself(log, u);
    forall v | v in Uuids(log) && v in Beneath(log, preserved, sides, u)
      ensures IndexOf(log, v) < IndexOf(log, u)
    {
      AsOfHoldsExactly(log, u, v);
    }
  }

  /** What is below hangs on what is kept or on what is below. */
  lemma BelowHangsOnWhatIsSent(log: Log, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures forall e | e in log && e.uuid in Beneath(log, preserved, sides, u) ::
              && e.parent.Some?
              && e.parent.value in Kept(log, preserved, u) + Beneath(log, preserved, sides, u)
  {
    hide Kept, Way, Chains, Members, Taken;
    AsOfIsWellFormed(log, u);
    BelowIsOfChains(log, preserved, sides, u);
    ChainsHangTogether(AsOf(log, u), sides, Way(log, preserved, u));
    TakenIsOfTheConversation(log, preserved, u);
    KeptIsLeast(log, preserved, u, {});
  }

  /** What is below makes no call, answers none and is no part of a message: it holds side entries and what is passed over. */
  lemma BelowIsSilent(log: Log, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures forall e | e in log && e.uuid in Beneath(log, preserved, sides, u) ::
              && (IsAside(sides, e) || PassedOver(e))
              && UsesOf(e) == {} && ResultsOf(e) == {}
              && !e.kind.Assistant?
              && forall a :: !Mates(a, e) && !Mates(e, a) && !Answers(a, e) && !Answers(e, a)
  {
    hide Kept, Way, Chains, UsesOf, ResultsOf, WellFormed, IsAside, PassedOver, Mates, Answers, Beneath, AsOf;
    AsOfIsWellFormed(log, u);
    BelowIsOfChains(log, preserved, sides, u);
    ChainsHangTogether(AsOf(log, u), sides, Way(log, preserved, u));
    forall e | e in log && e.uuid in Beneath(log, preserved, sides, u)
      ensures IsAside(sides, e) || PassedOver(e)
      ensures UsesOf(e) == {} && ResultsOf(e) == {} && !e.kind.Assistant?
      ensures forall a :: !Mates(a, e) && !Mates(e, a) && !Answers(a, e) && !Answers(e, a)
    {
      assert e.uuid in Chains(AsOf(log, u), sides, Way(log, preserved, u)) by {
        reveal Beneath;
      }
      SilentEntriesStandAlone(sides, e);
    }
  }

  /** A side entry and one that is passed over are no parts of messages, make no calls and answer none. */
  lemma SilentEntriesStandAlone(sides: Sides, e: Entry)
    requires IsAside(sides, e) || PassedOver(e)
    ensures UsesOf(e) == {} && ResultsOf(e) == {} && !e.kind.Assistant?
    ensures forall a :: !Mates(a, e) && !Mates(e, a) && !Answers(a, e) && !Answers(e, a)
  {
    hide UsesOf, ResultsOf;
  }

  /** What is kept and what is below hold the conversation at each of their entries. */
  lemma KeptAndBelowAreWhole(log: Log, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures HoldsConversations(log, Kept(log, preserved, u) + Beneath(log, preserved, sides, u))
  {
    hide Kept, Way, Chains, Members, Beneath;
    var way, asOf := Way(log, preserved, u), AsOf(log, u);
    var m := Members(log, u) + Chains(asOf, sides, way);
    var kept, below := Kept(log, preserved, u), Beneath(log, preserved, sides, u);
    WellFormedHasUniqueUuids(log);
    AsOfIsWellFormed(log, u);
    BelowIsOfChains(log, preserved, sides, u);
    WayIsOfTheConversation(log, preserved, u);
    MembersAreClosedAsOf(log, u);
    ChainsNeedNothingMore(asOf, sides, way, Members(log, u));
    KeptIsLeast(log, preserved, u, {});
    KeptIsWhole(log, preserved, u);
    BelowStandsAside(log, preserved, sides, u);
    forall v | v in Uuids(log) && v in below
      ensures Members(log, v) <= kept + below
    {
      assert v in m;
      assert AsOf(log, v) == asOf[..IndexOf(log, v) + 1];
      ClosedInPrefix(asOf, IndexOf(log, v) + 1, m);
      MembersAreLeast(log, v, m);
    }
  }

  // --- The fork ---

  /** The fork that keeps what is below is well-formed. */
  lemma ForkBelowIsWellFormed(log: Log, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures WellFormed(ForkBelow(log, preserved, sides, u))
  {
    hide Kept, Beneath;
    var ids := Kept(log, preserved, u) + Beneath(log, preserved, sides, u);
    KeptAndBelowAreWhole(log, preserved, sides, u);
    WholeIsParentClosed(log, ids);
    KeepIsWellFormed(log, ids);
  }

  /** It holds exactly what is kept and what is below, each entry unchanged, in the order of the log; the fork point is last. */
  lemma ForkBelowHoldsExactly(log: Log, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var fork, ids := ForkBelow(log, preserved, sides, u), Kept(log, preserved, u) + Beneath(log, preserved, sides, u);
            && Uuids(fork) == ids <= Uuids(log)
            && (forall e :: e in fork <==> e in log && e.uuid in ids)
            && UniqueUuids(fork)
            && (forall a, b | a in Uuids(fork) && b in Uuids(fork) ::
                  IndexOf(fork, a) < IndexOf(fork, b) <==> IndexOf(log, a) < IndexOf(log, b))
            && |fork| > 0 && fork[|fork| - 1] == Get(log, u)
            && u in Uuids(fork) && AsOf(fork, u) == fork == Keep(AsOf(log, u), ids)
  {
    hide Kept, Beneath, Members;
    var fork, ids := ForkBelow(log, preserved, sides, u), Kept(log, preserved, u) + Beneath(log, preserved, sides, u);
    WellFormedHasUniqueUuids(log);
    KeptAndBelowAreWhole(log, preserved, sides, u);
    BelowStandsAside(log, preserved, sides, u);
    KeptIsLeast(log, preserved, u, {});
    MembersContainsItself(log, u);
    KeepHoldsExactly(log, ids);
    UuidsOfKeep(log, ids);
    KeepIsUnique(log, ids);
    assert Uuids(log) * ids == ids;
    forall a, b | a in Uuids(fork) && b in Uuids(fork)
      ensures IndexOf(fork, a) < IndexOf(fork, b) <==> IndexOf(log, a) < IndexOf(log, b)
    {
      KeepIsInOrder(log, ids, a, b);
    }
    forall v | v in ids
      ensures v in Uuids(AsOf(log, u))
    {
      if v in Kept(log, preserved, u) {
        KeptStandsBefore(log, preserved, u, v);
        AsOfHoldsExactly(log, u, v);
      }
    }
    KeepFromPrefix(log, IndexOf(log, u) + 1, ids);
    assert AsOf(log, u)[|AsOf(log, u)| - 1] == Get(log, u);
    IndexOfIsPosition(fork, |fork| - 1);
  }

  /** P4: each entry of the fork has its ancestry, its conversation and its context of the log, what is below included. */
  lemma ForkBelowPreservesContexts(log: Log, preserved: Preservation, sides: Sides, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u) + Beneath(log, preserved, sides, u)
    ensures var fork := ForkBelow(log, preserved, sides, u);
            && WellFormed(fork) && v in Uuids(log) && v in Uuids(fork)
            && Get(fork, v) == Get(log, v)
            && Ancestry(fork, v) == Ancestry(log, v)
            && Members(fork, v) == Members(log, v)
            && Context(fork, v) == Context(log, v)
  {
    hide Kept, Beneath, Members, Ancestry, Context;
    var fork, ids := ForkBelow(log, preserved, sides, u), Kept(log, preserved, u) + Beneath(log, preserved, sides, u);
    WellFormedHasUniqueUuids(log);
    KeptAndBelowAreWhole(log, preserved, sides, u);
    WholeIsParentClosed(log, ids);
    AncestryInKeep(log, ids, v);
    KeepingConversationsKeepsMembers(log, ids, v);
    KeepingConversationsKeepsContexts(log, ids, v);
    KeepHoldsExactly(log, ids);
    SameUuidIsSameEntry(log, Get(fork, v), Get(log, v));
  }

  // --- What the fork keeps is what it kept ---

  /** What keeps whole conversations, and all that is kept at an entry, keeps the same there. */
  lemma KeptInKeep(log: Log, ids: set<Id>, preserved: Preservation, v: Id)
    requires UniqueUuids(log)
    requires HoldsConversations(log, ids)
    requires v in Uuids(log) && v in ids
    requires Kept(log, preserved, v) <= ids
    ensures v in Uuids(Keep(log, ids))
    ensures Crossed(Keep(log, ids), preserved, v) == Crossed(log, preserved, v)
    ensures Kept(Keep(log, ids), preserved, v) == Kept(log, preserved, v)
  {
    hide UniqueUuids, HoldsConversations, Members, Crossed, ReachesWithin, ReachesAcross, Keep;
    var kept := Keep(log, ids);
    UuidsOfKeep(log, ids);
    KeptHoldsReached(log, preserved, v);
    CrossedInKeep(log, ids, preserved, v);
    ReachesWithinInKeep(log, ids, preserved, v);
    assert ReachesAcross(kept, preserved, v) == ReachesAcross(log, preserved, v) by {
      reveal ReachesAcross;
    }
    KeepingConversationsKeepsMembers(log, ids, v);
    WhatIsReachedIsThere(log, preserved, v);
    forall w | w in Reaches(log, preserved, v)
      ensures w in ids && w in Uuids(log) && w in Uuids(kept) && Members(kept, w) == Members(log, w)
    {
      KeepingConversationsKeepsMembers(log, ids, w);
    }
    assert Reaches(kept, preserved, v) == Reaches(log, preserved, v);
    SameReachedSameKept(log, kept, preserved, v);
  }

  /** Logs in which an entry reaches the same, and the conversations there are the same, keep the same. */
  lemma SameReachedSameKept(a: Log, b: Log, preserved: Preservation, v: Id)
    requires v in Uuids(a) && v in Uuids(b)
    requires Members(a, v) == Members(b, v)
    requires Reaches(a, preserved, v) == Reaches(b, preserved, v)
    requires forall w | w in Reaches(a, preserved, v) :: w in Uuids(a) && w in Uuids(b) && Members(a, w) == Members(b, w)
    ensures Kept(a, preserved, v) == Kept(b, preserved, v)
  {
    hide Members, Reaches, Uuids;
  }

  /** What keeps whole conversations, and what is kept at an entry, leaves what its boundaries preserve. */
  lemma ReachesWithinInKeep(log: Log, ids: set<Id>, preserved: Preservation, v: Id)
    requires UniqueUuids(log)
    requires HoldsConversations(log, ids)
    requires v in Uuids(log) && v in ids
    requires Kept(log, preserved, v) <= ids
    ensures v in Uuids(Keep(log, ids))
    ensures ReachesWithin(Keep(log, ids), preserved, v) == ReachesWithin(log, preserved, v)
  {
    hide Kept, Members, Reaches, Heeds, HoldsConversations, Keep;
    var kept := Keep(log, ids);
    UuidsOfKeep(log, ids);
    KeepingConversationsKeepsMembers(log, ids, v);
    MembersAreAsOf(log, v);
    KeptIsLeast(log, preserved, v, {});
    forall w | w in ReachesWithin(log, preserved, v)
      ensures w in ReachesWithin(kept, preserved, v)
    {
      var b :| b in Uuids(log) && Heeds(log, preserved, Members(log, v), b) && w in preserved[b].ids;
      WhatIsHeededIsKept(log, preserved, v, b);
      assert b in ids by {
        reveal Heeds;
      }
      ForkKeptHeedsAlike(log, ids, preserved, Members(log, v), b);
      assert w in Uuids(kept);
    }
    forall w | w in ReachesWithin(kept, preserved, v)
      ensures w in ReachesWithin(log, preserved, v)
    {
      var b :| b in Uuids(kept) && Heeds(kept, preserved, Members(log, v), b) && w in preserved[b].ids;
      assert b in Uuids(log) && b in ids && w in Uuids(log);
      ForkKeptHeedsAlike(log, ids, preserved, Members(log, v), b);
    }
  }

  /** The fork keeps at its point what the log does, and crosses the same boundary on the same way. */
  lemma ForkBelowKeepsTheSame(log: Log, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var fork := ForkBelow(log, preserved, sides, u);
            && WellFormed(fork) && u in Uuids(fork)
            && Crossed(fork, preserved, u) == Crossed(log, preserved, u)
            && Kept(fork, preserved, u) == Kept(log, preserved, u)
            && Way(fork, preserved, u) == Way(log, preserved, u)
  {
    hide Kept, Beneath, Members, Crossed, Ancestry, HoldsConversations, ForkBelow;
    var fork, ids := ForkBelow(log, preserved, sides, u), Kept(log, preserved, u) + Beneath(log, preserved, sides, u);
    WellFormedHasUniqueUuids(log);
    ForkBelowIsWellFormed(log, preserved, sides, u);
    ForkBelowHoldsExactly(log, preserved, sides, u);
    KeptAndBelowAreWhole(log, preserved, sides, u);
    KeptIsLeast(log, preserved, u, {});
    MembersContainsItself(log, u);
    KeptInKeep(log, ids, preserved, u);
    assert fork == Keep(log, ids) by {
      reveal ForkBelow;
    }
    ForkBelowPreservesContexts(log, preserved, sides, u, u);
    WhatIsCrossedIsThere(log, preserved, u);
    WhatIsCrossedIsThere(fork, preserved, u);
    if Crossed(log, preserved, u).Some? {
      WhatIsCrossed(log, preserved, u);
      ForkBelowPreservesContexts(log, preserved, sides, u, Crossed(log, preserved, u).value.at);
    }
  }

  // --- Chains in what is kept of a log ---

  /** What keeps all that is taken takes the same. */
  lemma TakenInKeep(log: Log, ids: set<Id>, way: set<Id>)
    requires UniqueUuids(log)
    requires Taken(log, way) <= ids
    ensures CallParts(Keep(log, ids), way) == CallParts(log, way)
    ensures ResultsOfParts(Keep(log, ids), way) == ResultsOfParts(log, way)
    ensures Taken(Keep(log, ids), way) == Taken(log, way)
  {
    hide UniqueUuids, UsesOf, Mates, Answers, Keep;
    var kept := Keep(log, ids);
    KeepHoldsExactly(log, ids);
    CallPartsAreParts(log, way);
    PartsInKeep(log, ids, way);
    forall c, a | c in log && c.uuid in Parts(log, way) && UsesOf(c) != {} && a in log && Mates(c, a)
      ensures a.uuid in CallParts(kept, way)
    {
      assert a.uuid in CallParts(log, way);
    }
    assert CallParts(kept, way) <= CallParts(log, way);
    forall c, b | c in log && c.uuid in Parts(log, way) && b in log && Answers(c, b)
      ensures b.uuid in ResultsOfParts(kept, way)
    {
      assert b.uuid in ResultsOfParts(log, way);
    }
    assert ResultsOfParts(kept, way) <= ResultsOfParts(log, way);
  }

  /** What keeps the parts of the messages on a way has the same parts. */
  lemma PartsInKeep(log: Log, ids: set<Id>, way: set<Id>)
    requires way + Parts(log, way) <= ids
    ensures Parts(Keep(log, ids), way) == Parts(log, way)
  {
    hide Mates, Keep;
    KeepHoldsExactly(log, ids);
    forall w, a | w in log && w.uuid in way && a in log && Mates(w, a)
      ensures a.uuid in Parts(Keep(log, ids), way)
    {
      assert a.uuid in Parts(log, way);
    }
  }

  /** In what is kept, an entry hangs where it hung, if the parents of what is kept are kept. */
  lemma HookInKeep(log: Log, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires ParentClosed(log, ids)
    requires u in Uuids(log) && u in ids
    ensures WellFormed(Keep(log, ids)) && u in Uuids(Keep(log, ids))
    ensures Get(Keep(log, ids), u) == Get(log, u)
    ensures Hook(Keep(log, ids), u) == Hook(log, u)
    ensures Passed(Keep(log, ids), Get(log, u).parent) == Passed(log, Get(log, u).parent)
    ensures Hook(log, u).Some? ==>
              && Hook(log, u).value in ids
              && IndexOf(log, Hook(log, u).value) < IndexOf(log, u)
              && IndexOf(Keep(log, ids), Hook(log, u).value) < IndexOf(Keep(log, ids), u)
  {
    hide WellFormed, UniqueUuids, Keep, Skipped, Passed, Get;
    var kept := Keep(log, ids);
    WellFormedHasUniqueUuids(log);
    KeepIsWellFormed(log, ids);
    UuidsOfKeep(log, ids);
    KeepHoldsExactly(log, ids);
    SameUuidIsSameEntry(log, Get(kept, u), Get(log, u));
    assert Get(log, u) in log && Get(log, u).uuid == u;
    SkippedInKeep(log, ids, Get(log, u).parent);
    if Hook(log, u).Some? {
      HookStandsBefore(log, u);
      HookStandsBefore(kept, u);
    }
  }

  /** What is kept hangs on an entry as it did in the log. */
  lemma ChildrenInKeep(log: Log, ids: set<Id>, way: set<Id>, u: Id)
    requires WellFormed(log)
    requires ParentClosed(log, ids)
    requires Taken(log, way) <= ids
    ensures Children(Keep(log, ids), way, u) == Children(log, way, u) * ids
  {
    hide WellFormed, ParentClosed, UniqueUuids, Keep, Skipped, Get, Taken, Seen, Hook;
    var kept := Keep(log, ids);
    WellFormedHasUniqueUuids(log);
    KeepHoldsExactly(log, ids);
    TakenInKeep(log, ids, way);
    forall e | e in kept
      ensures e in log && e.uuid in ids && Hook(kept, e.uuid) == Hook(log, e.uuid)
    {
      HookInKeep(log, ids, e.uuid);
    }
    forall e | e in log && Seen(e) && e.uuid !in Taken(log, way) && Hook(log, e.uuid) == Some(u) && e.uuid in ids
      ensures e.uuid in Children(kept, way, u)
    {
      assert e in kept;
    }
  }

  /** In what is kept, chains hang below the same entries. */
  lemma AnchorsInKeep(log: Log, sides: Sides, ids: set<Id>, way: set<Id>, u: Id)
    requires WellFormed(log)
    requires ParentClosed(log, ids)
    requires Taken(log, way) <= ids
    requires u in Uuids(log) && u in ids
    requires u in Uuids(Keep(log, ids))
    ensures Anchors(Keep(log, ids), sides, way, u) == Anchors(log, sides, way, u)
    decreases IndexOf(log, u)
  {
    hide WellFormed, ParentClosed, Keep, Hook, Get, Taken, IsAside, CallParts, ResultsOfParts, IndexOf;
    WellFormedHasUniqueUuids(log);
    TakenInKeep(log, ids, way);
    HookInKeep(log, ids, u);
    if Hook(log, u).Some? {
      UuidsOfKeep(log, ids);
      AnchorsInKeep(log, sides, ids, way, Hook(log, u).value);
    }
  }

  /** A chain of the log is whole in what keeps the chains. */
  lemma WholeInKeep(log: Log, sides: Sides, ids: set<Id>, way: set<Id>, u: Id)
    requires WellFormed(log)
    requires ParentClosed(log, ids)
    requires Taken(log, way) <= ids
    requires Chains(log, sides, way) <= ids
    requires u in Uuids(log) && Hangs(log, sides, way, u)
    ensures u in ids && u in Uuids(Keep(log, ids))
    ensures Whole(Keep(log, ids), sides, way, u)
    decreases |log| - IndexOf(log, u)
  {
    hide WellFormed, ParentClosed, Keep, Hook, Get, Taken, IsAside, Anchors, IndexOf, Children, OnOneSide;
    var kept := Keep(log, ids);
    WellFormedHasUniqueUuids(log);
    UuidsOfKeep(log, ids);
    KeepHoldsExactly(log, ids);
    HangingIsOfChains(log, sides, way, u);
    HookInKeep(log, ids, u);
    ChildrenInKeep(log, ids, way, u);
    assert Whole(log, sides, way, u);
    forall e | e in kept && e.uuid in Children(kept, way, u)
      ensures IndexOf(kept, e.uuid) > IndexOf(kept, u) && OnOneSide(sides, u, e.uuid) && Whole(kept, sides, way, e.uuid)
    {
      ChildHangsToo(log, sides, way, u, e);
      KeepIsInOrder(log, ids, u, e.uuid);
      WholeInKeep(log, sides, ids, way, e.uuid);
    }
  }

  /** What hangs is of the chains, and so is what is passed over between. */
  lemma HangingIsOfChains(log: Log, sides: Sides, way: set<Id>, u: Id)
    requires u in Uuids(log) && Hangs(log, sides, way, u)
    ensures u in Chains(log, sides, way)
    ensures Passed(log, Get(log, u).parent) <= Chains(log, sides, way)
  {
    hide Hangs, Passed, Get;
    assert Get(log, u) in log && Get(log, u).uuid == u;
  }

  /** An entry of a chain of the log is of a chain in what keeps the chains. */
  lemma HangsInKeep(log: Log, sides: Sides, ids: set<Id>, way: set<Id>, u: Id)
    requires WellFormed(log)
    requires ParentClosed(log, ids)
    requires Taken(log, way) <= ids
    requires Chains(log, sides, way) <= ids
    requires u in Uuids(log) && Hangs(log, sides, way, u)
    ensures u in ids && u in Uuids(Keep(log, ids))
    ensures Hangs(Keep(log, ids), sides, way, u)
    decreases IndexOf(log, u)
  {
    hide WellFormed, ParentClosed, Keep, Hook, Get, Taken, IsAside, Anchors, IndexOf, Children, OnOneSide, Whole, Chains;
    WellFormedHasUniqueUuids(log);
    UuidsOfKeep(log, ids);
    WholeInKeep(log, sides, ids, way, u);
    HookInKeep(log, ids, u);
    TakenInKeep(log, ids, way);
    var h := Hook(log, u).value;
    AnchorsInKeep(log, sides, ids, way, h);
    if !Anchors(log, sides, way, h) {
      HangsInKeep(log, sides, ids, way, h);
    }
  }

  /** What keeps the chains of a log has them. */
  lemma ChainsInKeep(log: Log, sides: Sides, ids: set<Id>, way: set<Id>)
    requires WellFormed(log)
    requires ParentClosed(log, ids)
    requires Taken(log, way) <= ids
    requires Chains(log, sides, way) <= ids
    ensures Chains(log, sides, way) <= Chains(Keep(log, ids), sides, way)
  {
    hide WellFormed, ParentClosed, Keep, Hook, Get, Taken, Hangs, Passed;
    var kept := Keep(log, ids);
    WellFormedHasUniqueUuids(log);
    KeepHoldsExactly(log, ids);
    forall e | e in log && Hangs(log, sides, way, e.uuid)
      ensures e in kept && Hangs(kept, sides, way, e.uuid) && Passed(kept, e.parent) == Passed(log, e.parent)
    {
      HangsInKeep(log, sides, ids, way, e.uuid);
      HookInKeep(log, ids, e.uuid);
      GetFindsEntry(log, e);
    }
  }

  /** What hangs below in the fork is what hangs below in the log. */
  lemma BelowOfForkBelow(log: Log, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var fork := ForkBelow(log, preserved, sides, u);
            && WellFormed(fork) && u in Uuids(fork)
            && Kept(fork, preserved, u) == Kept(log, preserved, u)
            && Beneath(fork, preserved, sides, u) == Beneath(log, preserved, sides, u)
  {
    hide Kept, Members, Crossed, HoldsConversations, ForkBelow, Way, Chains, Beneath, WellFormed, Keep, Taken;
    var fork, asOf, way := ForkBelow(log, preserved, sides, u), AsOf(log, u), Way(log, preserved, u);
    var kept, below := Kept(log, preserved, u), Beneath(log, preserved, sides, u);
    var ids := kept + below;
    WellFormedHasUniqueUuids(log);
    AsOfIsWellFormed(log, u);
    ForkBelowKeepsTheSame(log, preserved, sides, u);
    ForkBelowHoldsExactly(log, preserved, sides, u);
    BelowIsOfChains(log, preserved, sides, u);
    BelowIsOfChains(fork, preserved, sides, u);
    KeptIsLeast(log, preserved, u, {});
    TakenIsOfTheConversation(log, preserved, u);
    KeptAndBelowAreWhole(log, preserved, sides, u);
    WholeIsParentClosed(log, ids);
    assert ParentClosed(asOf, ids);
    ChainsInKeep(asOf, sides, ids, way);
    BelowStandsAside(log, preserved, sides, u);
    BelowStandsAside(fork, preserved, sides, u);
  }

  /** Forking again at the fork point changes nothing. */
  lemma ForkBelowOfForkBelow(log: Log, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var fork := ForkBelow(log, preserved, sides, u);
            && WellFormed(fork) && u in Uuids(fork)
            && ForkBelow(fork, preserved, sides, u) == fork
  {
    hide Kept, Beneath, WellFormed;
    var fork, ids := ForkBelow(log, preserved, sides, u), Kept(log, preserved, u) + Beneath(log, preserved, sides, u);
    BelowOfForkBelow(log, preserved, sides, u);
    KeepOfKeep(log, ids, ids);
    assert ids * ids == ids;
  }

  // --- Growth ---

  /** Two readers say the same of every entry of a log. */
  ghost predicate AgreeOnSides(log: Log, a: Sides, b: Sides) {
    forall u | u in Uuids(log) ::
      && (u in a.aside <==> u in b.aside)
      && (u in a.said <==> u in b.said)
      && (u in a.said ==> a.said[u] == b.said[u])
  }

  /** Readers that say the same of a log let chains hang below the same entries. */
  lemma AnchorsAlike(log: Log, sides: Sides, more: Sides, way: set<Id>, u: Id)
    requires AgreeOnSides(log, sides, more)
    requires u in Uuids(log)
    ensures Anchors(log, sides, way, u) == Anchors(log, more, way, u)
    decreases IndexOf(log, u)
  {
    hide CallParts, ResultsOfParts, Skipped, Uuids, IndexOf, Get;
    if Hook(log, u).Some? && IndexOf(log, Hook(log, u).value) < IndexOf(log, u) {
      AnchorsAlike(log, sides, more, way, Hook(log, u).value);
    }
  }

  /** Readers that say the same of a log find the same chains whole. */
  lemma WholeAlike(log: Log, sides: Sides, more: Sides, way: set<Id>, u: Id)
    requires AgreeOnSides(log, sides, more)
    requires u in Uuids(log)
    ensures Whole(log, sides, way, u) == Whole(log, more, way, u)
    decreases |log| - IndexOf(log, u)
  {
    hide Children, Hook, IndexOf, Get;
    forall e | e in log && IndexOf(log, e.uuid) > IndexOf(log, u)
      ensures Whole(log, sides, way, e.uuid) == Whole(log, more, way, e.uuid)
      ensures OnOneSide(sides, u, e.uuid) == OnOneSide(more, u, e.uuid)
    {
      assert e.uuid in Uuids(log);
      WholeAlike(log, sides, more, way, e.uuid);
    }
  }

  /** Readers that say the same of a log find the same entries in chains. */
  lemma HangsAlike(log: Log, sides: Sides, more: Sides, way: set<Id>, u: Id)
    requires AgreeOnSides(log, sides, more)
    requires u in Uuids(log)
    ensures Hangs(log, sides, way, u) == Hangs(log, more, way, u)
    decreases IndexOf(log, u)
  {
    hide Taken, Anchors, Whole, Skipped, Uuids, IndexOf, Get;
    WholeAlike(log, sides, more, way, u);
    if Hook(log, u).Some? && IndexOf(log, Hook(log, u).value) < IndexOf(log, u) {
      AnchorsAlike(log, sides, more, way, Hook(log, u).value);
      HangsAlike(log, sides, more, way, Hook(log, u).value);
    }
  }

  /** Readers that say the same of a log find the same chains in it. */
  lemma ChainsAlike(log: Log, sides: Sides, more: Sides, way: set<Id>)
    requires AgreeOnSides(log, sides, more)
    ensures Chains(log, sides, way) == Chains(log, more, way)
  {
    hide Hangs, Passed, AgreeOnSides;
    forall e | e in log
      ensures Hangs(log, sides, way, e.uuid) == Hangs(log, more, way, e.uuid)
    {
      HangsAlike(log, sides, more, way, e.uuid);
    }
  }

  /** A prefix of a log has the same way to an entry. */
  lemma WayInPrefix(log: Log, preserved: Preservation, more: Preservation, n: nat, u: Id)
    requires WellFormed(log)
    requires n <= |log|
    requires u in Uuids(log[..n])
    requires Agree(log[..n], preserved, more)
    ensures WellFormed(log[..n]) && u in Uuids(log)
    ensures Way(log[..n], preserved, u) == Way(log, more, u)
  {
    hide Crossed, Ancestry, WellFormed, Agree, Uuids;
    WellFormedHasUniqueUuids(log);
    AncestryInPrefix(log, n, u);
    CrossedInPrefix(log, preserved, more, n, u);
    if Crossed(log, more, u).Some? {
      AncestryInPrefix(log, n, Crossed(log, more, u).value.at);
    }
  }

  /** A prefix of a log has the same below, whatever readers say of entries that are not in it. */
  lemma BelowInPrefix(
    log: Log, preserved: Preservation, more: Preservation, sides: Sides, others: Sides, n: nat, u: Id)
    requires WellFormed(log)
    requires n <= |log|
    requires u in Uuids(log[..n])
    requires Agree(log[..n], preserved, more) && AgreeOnSides(log[..n], sides, others)
    ensures WellFormed(log[..n]) && u in Uuids(log)
    ensures Kept(log[..n], preserved, u) == Kept(log, more, u)
    ensures Beneath(log[..n], preserved, sides, u) == Beneath(log, more, others, u)
    ensures ForkBelow(log[..n], preserved, sides, u) == ForkBelow(log, more, others, u)
  {
    hide Way, Chains, Kept, WellFormed, Agree, Members;
    WellFormedHasUniqueUuids(log);
    WayInPrefix(log, preserved, more, n, u);
    RenderedInPrefix(log, preserved, more, n, u);
    IndexOfInPrefix(log, n, u);
    AsOfIsInPrefix(log, n, u);
    ChainsAlike(AsOf(log, u), sides, others, Way(log, more, u));
    BelowStandsAside(log[..n], preserved, sides, u);
    KeptIsWhole(log[..n], preserved, u);
    KeepFromPrefix(log, n, Kept(log, more, u) + Beneath(log, more, others, u));
  }

  /** What stands up to an entry of a prefix stands in it. */
  lemma AsOfIsInPrefix(log: Log, n: nat, u: Id)
    requires UniqueUuids(log)
    requires n <= |log|
    requires u in Uuids(log[..n])
    ensures u in Uuids(log)
    ensures Uuids(AsOf(log, u)) <= Uuids(log[..n])
  {
    hide UniqueUuids;
    IndexOfInPrefix(log, n, u);
    UuidsOfPrefix(log[..n], IndexOf(log, u) + 1);
  }

  /** Growth changes no old fork: a new entry leaves what hung below before, whatever is said of it. */
  lemma AppendKeepsBelow(
    log: Log, preserved: Preservation, more: Preservation, sides: Sides, others: Sides, e: Entry, v: Id)
    requires WellFormed(log)
    requires Fits(log, e)
    requires v in Uuids(log)
    requires Agree(log, preserved, more) && AgreeOnSides(log, sides, others)
    ensures WellFormed(Append(log, e)) && v in Uuids(Append(log, e))
    ensures Beneath(Append(log, e), more, others, v) == Beneath(log, preserved, sides, v)
    ensures ForkBelow(Append(log, e), more, others, v) == ForkBelow(log, preserved, sides, v)
  {
    hide Beneath, ForkBelow, Kept, Agree, AgreeOnSides, WellFormed, Fits;
    AppendIsWellFormed(log, e);
    assert Append(log, e)[..|log|] == log;
    BelowInPrefix(Append(log, e), preserved, more, sides, others, |log|, v);
  }

  /** What is below is as of the entry: the log up to there has the same. */
  lemma BelowIsAsOf(log: Log, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures WellFormed(AsOf(log, u)) && u in Uuids(AsOf(log, u))
    ensures Beneath(AsOf(log, u), preserved, sides, u) == Beneath(log, preserved, sides, u)
    ensures ForkBelow(AsOf(log, u), preserved, sides, u) == ForkBelow(log, preserved, sides, u)
  {
    hide Beneath, ForkBelow, Kept, WellFormed;
    AsOfIsWellFormed(log, u);
    BelowInPrefix(log, preserved, preserved, sides, sides, IndexOf(log, u) + 1, u);
  }

  // --- Calls and results ---

  /** Entries without calls and results leave the books as they are. */
  lemma SilentLeavesTheBooks(log: Log, ids: set<Id>, more: set<Id>)
    requires forall e | e in log && e.uuid in more && e.uuid !in ids :: Silent(e)
    ensures BooksOf(Keep(log, ids + more)) == BooksOf(Keep(log, ids))
    decreases |log|
  {
    hide BooksOf;
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      assert forall x | x in before :: x in log;
      SilentLeavesTheBooks(before, ids, more);
      if e.uuid in ids {
        BooksOfConcatenation(Keep(before, ids), [e]);
        BooksOfConcatenation(Keep(before, ids + more), [e]);
      } else if e.uuid in more {
        assert e in log;
        BooksOfConcatenation(Keep(before, ids + more), [e]);
        BlocksOfOne(e);
        SilentBlocksAreOpaque(e);
        OpaqueBlocksChangeNothing(BooksOf(Keep(before, ids + more)), e.blocks);
      }
    }
  }

  /** The blocks of an entry without calls and results are neither. */
  lemma SilentBlocksAreOpaque(e: Entry)
    requires Silent(e)
    ensures forall b | b in e.blocks :: b.Opaque?
  {
    assert forall b | b in e.blocks && b.Use? :: b.id in UsesOf(e);
    assert forall b | b in e.blocks && b.Result? :: b.id in ResultsOf(e);
  }

  /** Whatever is sent beside it, what is below changes no books: with it the same is balanced. */
  lemma BalancedWithBelow(log: Log, preserved: Preservation, sides: Sides, u: Id, ids: set<Id>)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var below := Beneath(log, preserved, sides, u);
            && BooksOf(Keep(log, ids + below)) == BooksOf(Keep(log, ids))
            && (Sound(Keep(log, ids + below)) <==> Sound(Keep(log, ids)))
            && (Balanced(Keep(log, ids + below)) <==> Balanced(Keep(log, ids)))
  {
    hide Beneath, IsAside, PassedOver, BooksOf, WellFormed, UsesOf, ResultsOf;
    BelowIsSilent(log, preserved, sides, u);
    SilentLeavesTheBooks(log, ids, Beneath(log, preserved, sides, u));
  }

  /** The fork has the books of the fork without what is below, and the conversation has those of it with what is below. */
  lemma ForkBelowIsBalancedExactly(log: Log, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Balanced(ForkBelow(log, preserved, sides, u)) <==> Balanced(ForkKept(log, preserved, u))
    ensures Balanced(Keep(log, Members(log, u) + Beneath(log, preserved, sides, u))) <==> Balanced(Context(log, u))
  {
    hide Beneath, Kept, Members, Balanced, BooksOf, WellFormed;
    BalancedWithBelow(log, preserved, sides, u, Kept(log, preserved, u));
    BalancedWithBelow(log, preserved, sides, u, Members(log, u));
  }

  /** In the fork nothing comes after its point; one that is legal in the log is legal there, and so is each other entry. */
  lemma LegalWithBelow(log: Log, preserved: Preservation, sides: Sides, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u) + Beneath(log, preserved, sides, u)
    ensures var fork := ForkBelow(log, preserved, sides, u);
            && v in Uuids(log) && u in Uuids(fork) && v in Uuids(fork)
            && Settled(fork, u)
            && (Resumable(fork, u) <==> Balanced(Context(log, u)))
            && (Resumable(log, v) ==> Resumable(fork, v))
            && (Legal(log, v) ==> Legal(fork, v))
  {
    hide Beneath, Kept, Members, Balanced, WellFormed, ForkBelow, Context, Ancestry, Closed;
    var fork := ForkBelow(log, preserved, sides, u);
    ForkBelowHoldsExactly(log, preserved, sides, u);
    LastIsSettled(fork);
    ForkBelowPreservesContexts(log, preserved, sides, u, v);
    ForkBelowPreservesContexts(log, preserved, sides, u, u);
    if Settled(log, v) {
      ClosedInPart(log, fork, Members(log, v));
    }
  }

  /** The older fork is this one without what is below. */
  lemma ForkKeptLeavesBelow(log: Log, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures ForkKept(log, preserved, u) == Keep(ForkBelow(log, preserved, sides, u), Kept(log, preserved, u))
    ensures WellFormed(ForkBelow(log, preserved, sides, u)) && u in Uuids(ForkBelow(log, preserved, sides, u))
    ensures ForkKept(ForkBelow(log, preserved, sides, u), preserved, u) == ForkKept(log, preserved, u)
  {
    hide Beneath, Kept, WellFormed, Keep;
    var kept, below := Kept(log, preserved, u), Beneath(log, preserved, sides, u);
    KeepOfKeep(log, kept + below, kept);
    assert (kept + below) * kept == kept;
    ForkBelowKeepsTheSame(log, preserved, sides, u);
  }

  /** The client sends the same of the context at the fork point, and at each other entry of its conversation that crosses no
    * other boundary. */
  lemma ForkBelowPreservesRendering(log: Log, preserved: Preservation, sides: Sides, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Members(log, u) && v in Uuids(log)
    requires CrossesNoOther(log, preserved, u, v)
    ensures var fork := ForkBelow(log, preserved, sides, u);
            WellFormed(fork) && v in Uuids(fork) && Rendered(fork, preserved, v) == Rendered(log, preserved, v)
  {
    hide Beneath, Kept, WellFormed, Members, Rendered, ForkBelow, ForkKept, Crossed, HoldsConversations;
    var fork, ids := ForkBelow(log, preserved, sides, u), Kept(log, preserved, u) + Beneath(log, preserved, sides, u);
    WellFormedHasUniqueUuids(log);
    KeptIsLeast(log, preserved, u, {});
    MembersContainsItself(log, u);
    ForkKeptLeavesBelow(log, preserved, sides, u);
    ForkBelowPreservesContexts(log, preserved, sides, u, u);
    ForkBelowPreservesContexts(log, preserved, sides, u, v);
    ForkBelowKeepsTheSame(log, preserved, sides, u);
    KeptAndBelowAreWhole(log, preserved, sides, u);
    MembersNeedNoMoreKept(log, preserved, u, v);
    KeptInKeep(log, ids, preserved, v);
    assert fork == Keep(log, ids) by {
      reveal ForkBelow;
    }
    ForkKeptPreservesRendering(log, preserved, u, v);
    ForkKeptPreservesRendering(fork, preserved, u, v);
  }

  /** A point that is legal to send is so in the fork. */
  lemma LegalToSendWithBelow(log: Log, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var fork := ForkBelow(log, preserved, sides, u);
            && WellFormed(fork) && u in Uuids(fork)
            && (Holes.LegalToSend(log, preserved, u) ==> Holes.LegalToSend(fork, preserved, u))
  {
    hide Beneath, Kept, WellFormed, Members, Rendered, ForkBelow, Legal;
    KeptIsLeast(log, preserved, u, {});
    MembersContainsItself(log, u);
    LegalWithBelow(log, preserved, sides, u, u);
    ForkBelowPreservesRendering(log, preserved, sides, u, u);
  }

  // --- Nothing to keep ---

  /** Without side entries nothing is below, and the fork is the older one. */
  lemma NoSideEntriesNoBelow(log: Log, preserved: Preservation, said: map<Id, Value>, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Beneath(log, preserved, Sides({}, said), u) == {}
    ensures ForkBelow(log, preserved, Sides({}, said), u) == ForkKept(log, preserved, u)
  {
    hide Kept, Way, WellFormed, Keep;
    var asOf, way, sides := AsOf(log, u), Way(log, preserved, u), Sides({}, said);
    forall e | e in asOf
      ensures !Hangs(asOf, sides, way, e.uuid)
    {
      hide Taken, Hook, Children;
      assert !IsAside(sides, Get(asOf, e.uuid));
    }
    assert Chains(asOf, sides, way) == {} by {
      hide Hangs, Passed;
    }
    assert Kept(log, preserved, u) + {} == Kept(log, preserved, u);
  }

  /** A part belongs to its own message. */
  lemma PartsAreOfMessages(log: Log, way: set<Id>, c: Entry)
    requires UniqueUuids(log)
    requires c in log && c.uuid in Parts(log, way)
    ensures Mates(c, c)
  {
    hide UniqueUuids;
    var w, a :| w in log && w.uuid in way && a in log && Mates(w, a) && a.uuid == c.uuid;
    SameUuidIsSameEntry(log, a, c);
  }

  /** What is answered is in a part that makes a call. */
  lemma ResultsAreOfCallParts(log: Log, way: set<Id>)
    requires UniqueUuids(log)
    ensures ResultsOfParts(log, way) != {} ==> CallParts(log, way) != {}
  {
    hide UniqueUuids, Parts, UsesOf, ResultsOf, Mates;
    if ResultsOfParts(log, way) != {} {
      var x :| x in ResultsOfParts(log, way);
      var c, b :| c in log && c.uuid in Parts(log, way) && b in log && Answers(c, b) && b.uuid == x;
      PartsAreOfMessages(log, way, c);
      assert c.uuid in CallParts(log, way);
    }
  }

  /** Where no message on a way makes a call, none is answered, and nothing hangs below. */
  lemma NoCallsNoAnchors(log: Log, sides: Sides, way: set<Id>, u: Id)
    requires UniqueUuids(log)
    requires CallParts(log, way) == {}
    requires u in Uuids(log)
    ensures ResultsOfParts(log, way) == {}
    ensures !Anchors(log, sides, way, u)
    decreases IndexOf(log, u)
  {
    hide UniqueUuids, CallParts, ResultsOfParts, Skipped, IsAside, IndexOf;
    ResultsAreOfCallParts(log, way);
    if Hook(log, u).Some? && IndexOf(log, Hook(log, u).value) < IndexOf(log, u) {
      NoCallsNoAnchors(log, sides, way, Hook(log, u).value);
    }
  }

  /** Where nothing anchors a chain, none hangs. */
  lemma NoAnchorsNothingHangs(log: Log, sides: Sides, way: set<Id>, u: Id)
    requires forall x | x in Uuids(log) :: !Anchors(log, sides, way, x)
    requires u in Uuids(log)
    ensures !Hangs(log, sides, way, u)
    decreases IndexOf(log, u)
  {
    hide Anchors, Taken, Whole, Seen, IndexOf, Skipped, Uuids;
    if Hook(log, u).Some? && IndexOf(log, Hook(log, u).value) < IndexOf(log, u) {
      NoAnchorsNothingHangs(log, sides, way, Hook(log, u).value);
    }
  }

  /** Where no message with a part on the way makes a call, nothing is below, and the fork is the older one. */
  lemma NoCallsNothingBelow(log: Log, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires CallParts(AsOf(log, u), Way(log, preserved, u)) == {}
    ensures Beneath(log, preserved, sides, u) == {}
    ensures ForkBelow(log, preserved, sides, u) == ForkKept(log, preserved, u)
  {
    hide Kept, Way, WellFormed, UniqueUuids, Keep, CallParts, Anchors;
    var asOf, way := AsOf(log, u), Way(log, preserved, u);
    AsOfIsWellFormed(log, u);
    WellFormedHasUniqueUuids(asOf);
    forall x | x in Uuids(asOf)
      ensures !Anchors(asOf, sides, way, x)
    {
      NoCallsNoAnchors(asOf, sides, way, x);
    }
    forall e | e in asOf
      ensures !Hangs(asOf, sides, way, e.uuid)
    {
      NoAnchorsNothingHangs(asOf, sides, way, e.uuid);
    }
    assert Chains(asOf, sides, way) == {} by {
      hide Hangs, Passed;
    }
    assert Kept(log, preserved, u) + {} == Kept(log, preserved, u);
  }

  // --- Chains, said without the recursion ---

  /** A chain of an anchor: side entries on its side, none taken. The first hangs on the anchor, each next one is all that
    * hangs on the one before it, and nothing hangs on the last. */
  ghost predicate IsChain(log: Log, sides: Sides, way: set<Id>, anchor: Id, chain: seq<Id>) {
    && |chain| > 0
    && chain[0] in Children(log, way, anchor)
    && (forall i | 0 <= i < |chain| ::
          && chain[i] in Uuids(log)
          && chain[i] !in Taken(log, way)
          && IsAside(sides, Get(log, chain[i]))
          && OnOneSide(sides, anchor, chain[i]))
    && (forall i | 0 <= i < |chain| - 1 :: Children(log, way, chain[i]) == {chain[i + 1]})
    && Children(log, way, chain[|chain| - 1]) == {}
  }

  /** Side entries of which each next one is all that hangs on the one before it: a chain without its anchor. */
  ghost predicate IsThread(log: Log, sides: Sides, way: set<Id>, chain: seq<Id>) {
    && |chain| > 0
    && (forall i | 0 <= i < |chain| ::
          && chain[i] in Uuids(log)
          && chain[i] !in Taken(log, way)
          && IsAside(sides, Get(log, chain[i]))
          && OnOneSide(sides, chain[0], chain[i]))
    && (forall i | 0 <= i < |chain| - 1 :: Children(log, way, chain[i]) == {chain[i + 1]})
    && Children(log, way, chain[|chain| - 1]) == {}
  }

  /** An entry stands in a chain of some anchor. */
  ghost predicate InSomeChain(log: Log, sides: Sides, way: set<Id>, u: Id) {
    exists anchor: Id, chain: seq<Id> ::
      && anchor in Uuids(log) && Anchors(log, sides, way, anchor)
      && IsChain(log, sides, way, anchor, chain)
      && u in chain
  }

  /** An entry that hangs on another one stands behind it, is seen and was not taken. */
  lemma ChildStandsBehind(log: Log, way: set<Id>, u: Id, c: Id)
    requires WellFormed(log)
    requires c in Children(log, way, u)
    ensures c in Uuids(log) && Seen(Get(log, c)) && c !in Taken(log, way)
    ensures Hook(log, c) == Some(u) && u in Uuids(log) && IndexOf(log, u) < IndexOf(log, c)
  {
    hide WellFormed, Taken, Seen, Skipped, Get, Children;
    WellFormedHasUniqueUuids(log);
    assert c in Uuids(log) by {
      reveal Children;
    }
    ChildrenExactly(log, way, u, Get(log, c));
    HookStandsBefore(log, c);
  }

  /** From each entry of a chain on, the chain is whole. */
  lemma ChainsAreWhole(log: Log, sides: Sides, way: set<Id>, anchor: Id, chain: seq<Id>, i: nat)
    requires WellFormed(log)
    requires IsChain(log, sides, way, anchor, chain)
    requires i < |chain|
    ensures Whole(log, sides, way, chain[i])
    decreases |chain| - i
  {
    hide WellFormed, Taken, Hook, IsAside, Get, Children, IndexOf;
    if i + 1 < |chain| {
      ChainsAreWhole(log, sides, way, anchor, chain, i + 1);
      assert Children(log, way, chain[i]) == {chain[i + 1]};
      ChildStandsBehind(log, way, chain[i], chain[i + 1]);
    }
  }

  /** Each entry of a chain hangs. */
  lemma ChainsHang(log: Log, sides: Sides, way: set<Id>, anchor: Id, chain: seq<Id>, i: nat)
    requires WellFormed(log)
    requires anchor in Uuids(log) && Anchors(log, sides, way, anchor)
    requires IsChain(log, sides, way, anchor, chain)
    requires i < |chain|
    ensures chain[i] in Uuids(log) && Hangs(log, sides, way, chain[i])
    decreases i
  {
    hide WellFormed, Taken, Hook, IsAside, Get, Children, Whole, Anchors, Seen, IndexOf;
    ChainsAreWhole(log, sides, way, anchor, chain, i);
    if i == 0 {
      ChildStandsBehind(log, way, anchor, chain[0]);
    } else {
      ChainsHang(log, sides, way, anchor, chain, i - 1);
      assert Children(log, way, chain[i - 1]) == {chain[i]};
      ChildStandsBehind(log, way, chain[i - 1], chain[i]);
    }
  }

  /** From an entry that hangs, the rest of its chain. */
  lemma HangingGoesDown(log: Log, sides: Sides, way: set<Id>, u: Id) returns (chain: seq<Id>)
    requires WellFormed(log)
    requires u in Uuids(log) && Hangs(log, sides, way, u)
    ensures IsThread(log, sides, way, chain)
    ensures chain[0] == u
    decreases |log| - IndexOf(log, u)
  {
    hide WellFormed, Taken, Hook, IsAside, Get, Children, Anchors, Seen, IndexOf;
    WellFormedHasUniqueUuids(log);
    assert Whole(log, sides, way, u) && u !in Taken(log, way) && IsAside(sides, Get(log, u));
    if Children(log, way, u) == {} {
      chain := [u];
    } else {
      var c :| c in Children(log, way, u);
      ChildStandsBehind(log, way, u, c);
      var e := Get(log, c);
      assert e in log && e.uuid == c;
      ChildHangsToo(log, sides, way, u, e);
      assert OnOneSide(sides, u, c);
      assert Children(log, way, u) == {c};
      var rest := HangingGoesDown(log, sides, way, c);
      chain := [u] + rest;
      ThreadGoesUp(log, sides, way, u, rest);
    }
  }

  /** A thread with one more entry, on which it hangs alone, is a thread. */
  lemma ThreadGoesUp(log: Log, sides: Sides, way: set<Id>, u: Id, rest: seq<Id>)
    requires IsThread(log, sides, way, rest)
    requires u in Uuids(log) && u !in Taken(log, way) && IsAside(sides, Get(log, u))
    requires OnOneSide(sides, u, rest[0])
    requires Children(log, way, u) == {rest[0]}
    ensures IsThread(log, sides, way, [u] + rest)
  {
    hide Taken, IsAside, Get, Children;
    var chain := [u] + rest;
    forall i | 0 <= i < |chain|
      ensures chain[i] in Uuids(log) && chain[i] !in Taken(log, way)
      ensures IsAside(sides, Get(log, chain[i])) && OnOneSide(sides, u, chain[i])
    {
      if i > 0 {
        assert chain[i] == rest[i - 1];
      }
    }
    forall i | 0 <= i < |chain| - 1
      ensures Children(log, way, chain[i]) == {chain[i + 1]}
    {
      if i > 0 {
        assert chain[i] == rest[i - 1] && chain[i + 1] == rest[i];
      }
    }
    assert chain[|chain| - 1] == rest[|rest| - 1];
  }

  /** From an entry that hangs, the chain up to its anchor. */
  lemma HangingGoesUp(log: Log, sides: Sides, way: set<Id>, u: Id, rest: seq<Id>) returns (anchor: Id, chain: seq<Id>)
    requires WellFormed(log)
    requires u in Uuids(log) && Hangs(log, sides, way, u)
    requires IsThread(log, sides, way, rest) && rest[0] == u
    ensures anchor in Uuids(log) && Anchors(log, sides, way, anchor)
    ensures IsChain(log, sides, way, anchor, chain)
    ensures forall x | x in rest :: x in chain
    decreases IndexOf(log, u)
  {
    hide WellFormed, Taken, Hook, IsAside, Get, Children, Anchors, Seen, Whole, IndexOf;
    WellFormedHasUniqueUuids(log);
    anchor := Hook(log, u).value;
    HookStandsBefore(log, u);
    ChildrenExactly(log, way, anchor, Get(log, u));
    assert u in Children(log, way, anchor);
    assert OnOneSide(sides, anchor, u);
    if Anchors(log, sides, way, anchor) {
      chain := rest;
    } else {
      var h := anchor;
      assert Hangs(log, sides, way, h);
      HangingHasOneChild(log, sides, way, h, u);
      ThreadGoesUp(log, sides, way, h, rest);
      anchor, chain := HangingGoesUp(log, sides, way, h, [h] + rest);
      assert forall x | x in rest :: x in [h] + rest;
    }
  }

  /** All that hangs on an entry of a chain is one entry, if something does. */
  lemma HangingHasOneChild(log: Log, sides: Sides, way: set<Id>, h: Id, u: Id)
    requires h in Uuids(log) && Hangs(log, sides, way, h)
    requires u in Children(log, way, h)
    ensures Children(log, way, h) == {u}
    ensures h !in Taken(log, way) && IsAside(sides, Get(log, h))
  {
    hide Taken, Hook, IsAside, Get, Children, Anchors, Seen, IndexOf;
    assert Whole(log, sides, way, h);
  }

  /** An entry hangs exactly if it stands in a chain of some anchor. */
  lemma HangingIsInSomeChain(log: Log, sides: Sides, way: set<Id>, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Hangs(log, sides, way, u) <==> InSomeChain(log, sides, way, u)
  {
    hide WellFormed, Hangs, Anchors, IsChain;
    if Hangs(log, sides, way, u) {
      var rest := HangingGoesDown(log, sides, way, u);
      var anchor, chain := HangingGoesUp(log, sides, way, u, rest);
      assert u in chain;
    }
    if InSomeChain(log, sides, way, u) {
      var anchor: Id, chain: seq<Id> :|
        anchor in Uuids(log) && Anchors(log, sides, way, anchor) && IsChain(log, sides, way, anchor, chain) && u in chain;
      var i :| 0 <= i < |chain| && chain[i] == u;
      ChainsHang(log, sides, way, anchor, chain, i);
    }
  }

  /** What is below is all entries of all chains of all anchors, and what is passed over between, if it is not kept anyway. */
  lemma BelowIsChains(log: Log, preserved: Preservation, sides: Sides, u: Id, x: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var asOf, way := AsOf(log, u), Way(log, preserved, u);
            x in Beneath(log, preserved, sides, u) <==>
                 && x !in Kept(log, preserved, u)
                 && (|| (x in Uuids(asOf) && InSomeChain(asOf, sides, way, x))
                     || (exists e | e in asOf && InSomeChain(asOf, sides, way, e.uuid) :: x in Passed(asOf, e.parent)))
  {
    hide WellFormed, Hangs, InSomeChain, Passed, Kept, Way;
    var asOf, way := AsOf(log, u), Way(log, preserved, u);
    AsOfIsWellFormed(log, u);
    forall e | e in asOf
      ensures Hangs(asOf, sides, way, e.uuid) <==> InSomeChain(asOf, sides, way, e.uuid)
    {
      HangingIsInSomeChain(asOf, sides, way, e.uuid);
    }
  }

  // --- What trails behind the last words ---

  /** The last words at or above an entry are on the way to it. */
  lemma SpokenIsAbove(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Spoken(log, u).Some? ==>
              var s := Spoken(log, u).value;
              && s in Uuids(log) && s in Uuids(Ancestry(log, u))
              && (Get(log, s).kind.User? || Get(log, s).kind.Assistant?)
    decreases IndexOf(log, u)
  {
    hide WellFormed;
    var e := Get(log, u);
    AncestryEndsInItself(log, u);
    AncestryUnfolds(log, u);
    if !(e.kind.User? || e.kind.Assistant?) && e.parent.Some? && e.parent.value in Uuids(log)
       && IndexOf(log, e.parent.value) < IndexOf(log, u) {
      SpokenIsAbove(log, e.parent.value);
    }
  }

  /** From an entry that follows the last words, the first one upwards that a client sees follows them too. */
  lemma WhatFollowsHangsOnWhatFollows(log: Log, sides: Sides, s: Id, u: Id)
    requires WellFormed(log)
    requires s in Uuids(log) && (Get(log, s).kind.User? || Get(log, s).kind.Assistant?)
    requires u in Uuids(log)
    requires Follows(log, sides, s, u)
    ensures Skipped(log, Some(u)).Some?
    ensures var h := Skipped(log, Some(u)).value;
            h in Uuids(log) && (h == s || (IsNoted(sides, Get(log, h)) && Follows(log, sides, s, h)))
    decreases IndexOf(log, u)
  {
    hide WellFormed, Skipped, Passed, Silent;
    SkippedUnfolds(log, u);
    var e := Get(log, u);
    if u != s && PassedOver(e) {
      WhatFollowsHangsOnWhatFollows(log, sides, s, e.parent.value);
    }
  }

  /** What trails is noted or passed over, and hangs on the last words or on what trails. */
  lemma TrailingHangsTogether(log: Log, sides: Sides, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Trailing(log, sides, u) <= Uuids(log)
    ensures forall e | e in log && e.uuid in Trailing(log, sides, u) ::
              && (IsAside(sides, e) || PassedOver(e))
              && e.parent.Some?
              && e.parent.value in Trailing(log, sides, u) + Uuids(Ancestry(log, u))
  {
    hide WellFormed, Skipped, Passed, Silent, Ancestry, Get;
    SpokenIsAbove(log, u);
    WellFormedHasUniqueUuids(log);
    if Spoken(log, u).Some? {
      var s := Spoken(log, u).value;
      var trailing := Trailing(log, sides, u);
      forall e | e in log && IsNoted(sides, e) && Follows(log, sides, s, e.uuid)
        ensures e.parent.Some? && Passed(log, e.parent) <= Uuids(log)
        ensures e.parent.value in trailing + Uuids(Ancestry(log, u))
        ensures forall x | x in log && x.uuid in Passed(log, e.parent) ::
                  PassedOver(x) && x.parent.Some? && x.parent.value in trailing + Uuids(Ancestry(log, u))
      {
        NotedHangsOnWhatTrails(log, sides, u, s, e);
      }
      forall x | x in trailing
        ensures x in Uuids(log)
      {
        if !(exists e :: e in log && IsNoted(sides, e) && Follows(log, sides, s, e.uuid) && e.uuid == x) {
          var e :| e in log && IsNoted(sides, e) && Follows(log, sides, s, e.uuid) && x in Passed(log, e.parent);
        }
      }
      forall x | x in log && x.uuid in trailing
        ensures IsAside(sides, x) || PassedOver(x)
        ensures x.parent.Some? && x.parent.value in trailing + Uuids(Ancestry(log, u))
      {
        if e :| e in log && IsNoted(sides, e) && Follows(log, sides, s, e.uuid) && e.uuid == x.uuid {
          SameUuidIsSameEntry(log, e, x);
        } else {
          var e :| e in log && IsNoted(sides, e) && Follows(log, sides, s, e.uuid) && x.uuid in Passed(log, e.parent);
        }
      }
    }
  }

  /** Of an attachment that follows the last words: where it hangs, and what is passed over above it. */
  lemma NotedHangsOnWhatTrails(log: Log, sides: Sides, u: Id, s: Id, e: Entry)
    requires WellFormed(log)
    requires u in Uuids(log) && Spoken(log, u) == Some(s)
    requires e in log && e.uuid in Uuids(log) && IsNoted(sides, e) && Follows(log, sides, s, e.uuid)
    ensures e.parent.Some? && Passed(log, e.parent) <= Uuids(log)
    ensures e.parent.value in Trailing(log, sides, u) + Uuids(Ancestry(log, u))
    ensures forall x | x in log && x.uuid in Passed(log, e.parent) ::
              PassedOver(x) && x.parent.Some? && x.parent.value in Trailing(log, sides, u) + Uuids(Ancestry(log, u))
  {
    hide WellFormed, Skipped, Passed, Silent, Ancestry;
    WellFormedHasUniqueUuids(log);
    SpokenIsAbove(log, u);
    GetFindsEntry(log, e);
    SameUuidIsSameEntry(log, Get(log, s), Get(log, s));
    assert e.uuid != s;
    var p := e.parent.value;
    WhatFollowsHangsOnWhatFollows(log, sides, s, p);
    PassedLeadsToSkipped(log, e.parent);
    var h := Skipped(log, e.parent).value;
    assert h == s || (Get(log, h) in log && Get(log, h).uuid == h);
    assert h in Trailing(log, sides, u) + Uuids(Ancestry(log, u));
  }

  // --- The fork that keeps all that is sent ---

  /** A log up to a place holds the entry, and its way. */
  lemma UpToHolds(log: Log, u: Id, end: nat)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var first := UpTo(log, u, end);
            && WellFormed(first) && u in Uuids(first) && Uuids(first) <= Uuids(log)
            && Ancestry(first, u) == Ancestry(log, u)
            && (forall e | e in first :: e in log)
  {
    var n := if end <= IndexOf(log, u) then IndexOf(log, u) + 1 else if end < |log| then end else |log|;
    assert log[..n][IndexOf(log, u)].uuid == u;
    AncestryInPrefix(log, n, u);
    UuidsOfPrefix(log, n);
  }

  /** What is sent beside what is kept is none of it, and is silent: each entry of it is aside or passed over. */
  lemma SentBesideStandsAside(log: Log, preserved: Preservation, sides: Sides, u: Id, end: nat)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures SentBeside(log, preserved, sides, u, end) !! Kept(log, preserved, u)
    ensures SentBeside(log, preserved, sides, u, end) <= Uuids(log)
    ensures forall e | e in log && e.uuid in SentBeside(log, preserved, sides, u, end) ::
              && (IsAside(sides, e) || PassedOver(e))
              && e.parent.Some?
              && e.parent.value in Kept(log, preserved, u) + SentBeside(log, preserved, sides, u, end)
  {
    hide Kept, Beneath, Trailing, WellFormed, Ancestry, Members, UpTo, IsAside, PassedOver;
    var first := UpTo(log, u, end);
    WellFormedHasUniqueUuids(log);
    UpToHolds(log, u, end);
    BelowStandsAside(log, preserved, sides, u);
    BelowIsSilent(log, preserved, sides, u);
    BelowHangsOnWhatIsSent(log, preserved, sides, u);
    TrailingHangsTogether(first, sides, u);
    KeptIsLeast(log, preserved, u, {});
    WayIsOfTheConversation(log, preserved, u);
    forall e | e in log && e.uuid in Trailing(first, sides, u)
      ensures e in first
    {
      var a :| a in first && a.uuid == e.uuid;
      SameUuidIsSameEntry(log, a, e);
    }
  }

  /** With each entry that is sent its parent is. */
  lemma WhatIsSentIsParentClosed(log: Log, preserved: Preservation, sides: Sides, u: Id, end: nat)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures ParentClosed(log, Kept(log, preserved, u) + SentBeside(log, preserved, sides, u, end))
  {
    hide Kept, SentBeside, WellFormed, HoldsConversations;
    WellFormedHasUniqueUuids(log);
    SentBesideStandsAside(log, preserved, sides, u, end);
    KeptIsWhole(log, preserved, u);
    WholeIsParentClosed(log, Kept(log, preserved, u));
  }

  /** The fork that keeps all that is sent is well-formed, and holds exactly that, each entry unchanged. */
  lemma ForkSentHoldsExactly(log: Log, preserved: Preservation, sides: Sides, u: Id, end: nat)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var fork, ids := ForkSent(log, preserved, sides, u, end),
                             Kept(log, preserved, u) + SentBeside(log, preserved, sides, u, end);
            && WellFormed(fork)
            && Uuids(fork) == ids <= Uuids(log)
            && (forall e :: e in fork <==> e in log && e.uuid in ids)
            && u in Uuids(fork)
  {
    hide Kept, SentBeside, WellFormed, HoldsConversations, Members;
    var ids := Kept(log, preserved, u) + SentBeside(log, preserved, sides, u, end);
    WellFormedHasUniqueUuids(log);
    SentBesideStandsAside(log, preserved, sides, u, end);
    WhatIsSentIsParentClosed(log, preserved, sides, u, end);
    KeptIsWhole(log, preserved, u);
    KeptIsLeast(log, preserved, u, {});
    MembersContainsItself(log, u);
    KeepIsWellFormed(log, ids);
    KeepHoldsExactly(log, ids);
    UuidsOfKeep(log, ids);
    assert Uuids(log) * ids == ids;
  }

  /** What keeps all of a conversation keeps it as it is. */
  lemma OneConversationInKeep(log: Log, ids: set<Id>, v: Id)
    requires UniqueUuids(log)
    requires v in Uuids(log) && Members(log, v) <= ids
    ensures v in ids && v in Uuids(Keep(log, ids))
    ensures Members(Keep(log, ids), v) == Members(log, v)
    ensures Context(Keep(log, ids), v) == Context(log, v)
  {
    var kept := Keep(log, ids);
    MembersContainsItself(log, v);
    UuidsOfKeep(log, ids);
    AsOfInKeep(log, ids, v);
    KeepHoldsExactly(AsOf(log, v), ids);
    MembersAreClosedAsOf(log, v);
    ClosedInPart(AsOf(log, v), AsOf(kept, v), Members(log, v));
    MembersAreLeast(kept, v, Members(log, v));
    MembersContainsItself(kept, v);
    MembersAreClosedAsOf(kept, v);
    forall a, b | a in AsOf(log, v) && b in AsOf(log, v) && a.uuid in Members(kept, v) && Needs(a, b)
      ensures b.uuid in Members(kept, v)
    {
      assert a.uuid in Members(log, v);
      assert b.uuid in Members(log, v);
      assert a in AsOf(kept, v) && b in AsOf(kept, v);
    }
    MembersAreLeast(log, v, Members(kept, v));
    KeepOfKeep(log, ids, Members(log, v));
    assert ids * Members(log, v) == Members(log, v);
  }

  /** P4: in that fork each entry that is kept, or that hangs below, has its ancestry, its conversation and its context. */
  lemma ForkSentPreservesContexts(log: Log, preserved: Preservation, sides: Sides, u: Id, end: nat, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u) + Beneath(log, preserved, sides, u)
    ensures var fork := ForkSent(log, preserved, sides, u, end);
            && WellFormed(fork) && v in Uuids(log) && v in Uuids(fork)
            && Get(fork, v) == Get(log, v)
            && Ancestry(fork, v) == Ancestry(log, v)
            && Members(fork, v) == Members(log, v)
            && Context(fork, v) == Context(log, v)
  {
    hide Kept, Beneath, Trailing, Members, Context, Ancestry, WellFormed;
    var fork := ForkSent(log, preserved, sides, u, end);
    var ids := Kept(log, preserved, u) + SentBeside(log, preserved, sides, u, end);
    WellFormedHasUniqueUuids(log);
    KeptAndBelowAreWhole(log, preserved, sides, u);
    SentBesideStandsAside(log, preserved, sides, u, end);
    WhatIsSentIsParentClosed(log, preserved, sides, u, end);
    OneConversationInKeep(log, ids, v);
    AncestryInKeep(log, ids, v);
    KeepHoldsExactly(log, ids);
    SameUuidIsSameEntry(log, Get(fork, v), Get(log, v));
  }

  /** Whatever is sent beside it, all that is sent changes no books: with it the same is balanced. */
  lemma ForkSentIsBalancedExactly(log: Log, preserved: Preservation, sides: Sides, u: Id, end: nat)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var beside := SentBeside(log, preserved, sides, u, end);
            && (Balanced(ForkSent(log, preserved, sides, u, end)) <==> Balanced(ForkKept(log, preserved, u)))
            && (Balanced(Keep(log, Members(log, u) + beside)) <==> Balanced(Context(log, u)))
  {
    hide SentBeside, Kept, Members, IsAside, PassedOver, BooksOf, WellFormed, UsesOf, ResultsOf;
    var beside := SentBeside(log, preserved, sides, u, end);
    SentBesideStandsAside(log, preserved, sides, u, end);
    forall e | e in log && e.uuid in beside
      ensures Silent(e)
    {
      SilentEntriesStandAlone(sides, e);
    }
    SilentLeavesTheBooks(log, Kept(log, preserved, u), beside);
    SilentLeavesTheBooks(log, Members(log, u), beside);
  }

  /** Growth changes no fork of a file that went up to a place. */
  lemma AppendKeepsWhatIsSent(
    log: Log, preserved: Preservation, more: Preservation, sides: Sides, others: Sides, e: Entry, v: Id, end: nat)
    requires WellFormed(log)
    requires Fits(log, e)
    requires v in Uuids(log)
    requires end <= |log|
    requires Agree(log, preserved, more) && AgreeOnSides(log, sides, others)
    ensures WellFormed(Append(log, e)) && v in Uuids(Append(log, e))
    ensures SentBeside(Append(log, e), more, others, v, end) == SentBeside(log, preserved, sides, v, end)
    ensures ForkSent(Append(log, e), more, others, v, end) == ForkSent(log, preserved, sides, v, end)
  {
    hide Beneath, Kept, Trailing, Agree, WellFormed;
    var longer := Append(log, e);
    AppendIsWellFormed(log, e);
    assert longer[..|log|] == log;
    WellFormedHasUniqueUuids(longer);
    BelowInPrefix(longer, preserved, more, sides, others, |log|, v);
    IndexOfInPrefix(longer, |log|, v);
    assert UpTo(longer, v, end) == UpTo(log, v, end);
    UpToHolds(log, v, end);
    TrailingAlike(UpTo(log, v, end), sides, others, v);
    KeptIsWhole(log, preserved, v);
    SentBesideStandsAside(log, preserved, sides, v, end);
    KeepFromPrefix(longer, |log|, Kept(log, preserved, v) + SentBeside(log, preserved, sides, v, end));
  }

  /** What readers say of entries that are not there counts for nothing. */
  lemma TrailingAlike(log: Log, sides: Sides, others: Sides, u: Id)
    requires AgreeOnSides(log, sides, others)
    requires u in Uuids(log)
    ensures Trailing(log, sides, u) == Trailing(log, others, u)
  {
    if Spoken(log, u).Some? {
      var s := Spoken(log, u).value;
      forall e | e in log
        ensures e.uuid in Uuids(log)
        ensures IsNoted(sides, e) == IsNoted(others, e)
        ensures Follows(log, sides, s, e.uuid) == Follows(log, others, s, e.uuid)
      {
        FollowsAlike(log, sides, others, s, e.uuid);
      }
    }
  }

  /** The same of what follows. */
  lemma FollowsAlike(log: Log, sides: Sides, others: Sides, s: Id, u: Id)
    requires AgreeOnSides(log, sides, others)
    requires u in Uuids(log)
    ensures Follows(log, sides, s, u) == Follows(log, others, s, u)
    decreases IndexOf(log, u)
  {
    var e := Get(log, u);
    if e.parent.Some? && e.parent.value in Uuids(log) && IndexOf(log, e.parent.value) < IndexOf(log, u) {
      FollowsAlike(log, sides, others, s, e.parent.value);
    }
  }

  // --- Forking again ---

  /** In what is kept the last words are the same. */
  lemma SpokenInKeep(log: Log, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires ParentClosed(log, ids)
    requires u in Uuids(log) && u in ids
    ensures u in Uuids(Keep(log, ids)) && Spoken(Keep(log, ids), u) == Spoken(log, u)
    decreases IndexOf(log, u)
  {
    hide WellFormed, Keep;
    var kept := Keep(log, ids);
    EntryInKeep(log, ids, u);
    var e := Get(log, u);
    if !(e.kind.User? || e.kind.Assistant?) && e.parent.Some? {
      SpokenInKeep(log, ids, e.parent.value);
      EntryInKeep(log, ids, e.parent.value);
    }
  }

  /** In what is kept an entry is what it was, and stands behind its parent. */
  lemma EntryInKeep(log: Log, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires ParentClosed(log, ids)
    requires u in Uuids(log) && u in ids
    ensures var kept := Keep(log, ids);
            && WellFormed(kept) && u in Uuids(kept) && Get(kept, u) == Get(log, u)
            && (Get(log, u).parent.Some? ==>
                  var p := Get(log, u).parent.value;
                  && p in ids && p in Uuids(log) && p in Uuids(kept)
                  && IndexOf(log, p) < IndexOf(log, u) && IndexOf(kept, p) < IndexOf(kept, u))
  {
    hide WellFormed, Keep;
    var kept := Keep(log, ids);
    WellFormedHasUniqueUuids(log);
    KeepIsWellFormed(log, ids);
    WellFormedHasUniqueUuids(kept);
    UuidsOfKeep(log, ids);
    KeepHoldsExactly(log, ids);
    SameUuidIsSameEntry(log, Get(kept, u), Get(log, u));
    if Get(log, u).parent.Some? {
      AncestryUnfolds(log, u);
      EachEntryFits(log, IndexOf(log, u));
      LaterIsNotInPrefix(log, IndexOf(log, u), Get(log, u).parent.value);
      EachEntryFits(kept, IndexOf(kept, u));
      LaterIsNotInPrefix(kept, IndexOf(kept, u), Get(log, u).parent.value);
    }
  }

  /** In what is kept the same follows. */
  lemma FollowsInKeep(log: Log, ids: set<Id>, sides: Sides, s: Id, u: Id)
    requires WellFormed(log)
    requires ParentClosed(log, ids)
    requires u in Uuids(log) && u in ids
    ensures u in Uuids(Keep(log, ids)) && Follows(Keep(log, ids), sides, s, u) == Follows(log, sides, s, u)
    decreases IndexOf(log, u)
  {
    hide WellFormed, Keep;
    EntryInKeep(log, ids, u);
    if Get(log, u).parent.Some? {
      FollowsInKeep(log, ids, sides, s, Get(log, u).parent.value);
    }
  }

  /** In what keeps all that trails the same trails. */
  lemma TrailingInKeep(log: Log, ids: set<Id>, sides: Sides, u: Id)
    requires WellFormed(log)
    requires ParentClosed(log, ids)
    requires u in Uuids(log) && u in ids
    requires Trailing(log, sides, u) <= ids
    ensures u in Uuids(Keep(log, ids)) && Trailing(Keep(log, ids), sides, u) == Trailing(log, sides, u)
  {
    hide WellFormed, Keep, Passed, Follows, IsNoted, ParentClosed;
    var kept := Keep(log, ids);
    SpokenInKeep(log, ids, u);
    KeepHoldsExactly(log, ids);
    WellFormedHasUniqueUuids(log);
    if Spoken(log, u).Some? {
      var s := Spoken(log, u).value;
      forall e | e in log && e.uuid in ids
        ensures Follows(kept, sides, s, e.uuid) == Follows(log, sides, s, e.uuid)
        ensures Passed(kept, e.parent) == Passed(log, e.parent)
      {
        FollowsInKeep(log, ids, sides, s, e.uuid);
        HookInKeep(log, ids, e.uuid);
        GetFindsEntry(log, e);
      }
      forall e | e in log && IsNoted(sides, e) && Follows(log, sides, s, e.uuid)
        ensures e in kept
      {
        assert e.uuid in Trailing(log, sides, u);
      }
    }
  }
}

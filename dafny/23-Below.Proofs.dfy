// Chapter 23, proofs: what hangs below stands beside the conversation and says nothing to it; a fork that keeps it is a log
// again, with every context as it was, and has the same below; and growth changes neither.
include "10-Rendering.Proofs.dfy"
include "13-Merging.dfy"
include "18-Certificates.Proofs.dfy"
include "19-Holes.dfy"
include "22-Trims.Proofs.dfy"
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
  import Appends
  import Certificates
  import CertificatesProofs
  import Holes
  import Merging
  import Rewriting
  import RewritingProofs
  import Stores
  import opened Trims
  import opened TrimsProofs

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

  /** A prefix of a log has the same fork of what went up to a place in it: whatever is written behind, as by a rewind, a record or
    * a merge, changes no such fork. */
  lemma PrefixHasWhatIsSent(
    log: Log, preserved: Preservation, more: Preservation, sides: Sides, others: Sides, n: nat, v: Id, end: nat)
    requires WellFormed(log)
    requires end <= n <= |log|
    requires v in Uuids(log[..n])
    requires Agree(log[..n], preserved, more) && AgreeOnSides(log[..n], sides, others)
    ensures WellFormed(log[..n]) && v in Uuids(log)
    ensures SentBeside(log[..n], preserved, sides, v, end) == SentBeside(log, more, others, v, end)
    ensures ForkSent(log[..n], preserved, sides, v, end) == ForkSent(log, more, others, v, end)
  {
    hide Beneath, Kept, Trailing, Agree, WellFormed;
    var first := log[..n];
    WellFormedHasUniqueUuids(log);
    BelowInPrefix(log, preserved, more, sides, others, n, v);
    IndexOfInPrefix(log, n, v);
    assert UpTo(log, v, end) == UpTo(first, v, end);
    UpToHolds(first, v, end);
    TrailingAlike(UpTo(first, v, end), sides, others, v);
    KeptIsWhole(first, preserved, v);
    SentBesideStandsAside(first, preserved, sides, v, end);
    KeepFromPrefix(log, n, Kept(first, preserved, v) + SentBeside(first, preserved, sides, v, end));
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
    hide SentBeside, ForkSent, Agree, WellFormed;
    AppendIsWellFormed(log, e);
    assert Append(log, e)[..|log|] == log;
    PrefixHasWhatIsSent(Append(log, e), preserved, more, sides, others, |log|, v, end);
  }

  /** Nor does a merge, which brings a branch of another log and puts it behind. */
  lemma UnionKeepsWhatIsSent(
    log: Log, other: Log, preserved: Preservation, more: Preservation, sides: Sides, others: Sides, v: Id, end: nat)
    requires WellFormed(Merging.Union(log, other))
    requires v in Uuids(log)
    requires end <= |log|
    requires Agree(log, preserved, more) && AgreeOnSides(log, sides, others)
    ensures WellFormed(log) && v in Uuids(Merging.Union(log, other))
    ensures ForkSent(Merging.Union(log, other), more, others, v, end) == ForkSent(log, preserved, sides, v, end)
  {
    hide SentBeside, ForkSent, Agree, WellFormed;
    var both := Merging.Union(log, other);
    assert both[..|log|] == log;
    PrefixHasWhatIsSent(both, preserved, more, sides, others, |log|, v, end);
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

  /** Forking again at the fork point, up to the end of the fork, changes nothing, where the fork has the conversation of each entry
    * that is sent. */
  lemma ForkSentOfForkSent(log: Log, preserved: Preservation, sides: Sides, u: Id, end: nat)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires HoldsConversations(log, Kept(log, preserved, u) + SentBeside(log, preserved, sides, u, end))
    ensures var fork := ForkSent(log, preserved, sides, u, end);
            && WellFormed(fork) && u in Uuids(fork)
            && Kept(fork, preserved, u) == Kept(log, preserved, u)
            && ForkSent(fork, preserved, sides, u, |fork|) == fork
  {
    hide Kept, Beneath, Trailing, WellFormed, HoldsConversations, Members, ParentClosed, SentBeside, Uuids, UpTo, Keep;
    var fork, beside := ForkSent(log, preserved, sides, u, end), SentBeside(log, preserved, sides, u, end);
    var ids := Kept(log, preserved, u) + beside;
    WellFormedHasUniqueUuids(log);
    ForkSentHoldsExactly(log, preserved, sides, u, end);
    WhatIsSentIsParentClosed(log, preserved, sides, u, end);
    KeptInKeep(log, ids, preserved, u);
    assert Beneath(log, preserved, sides, u) <= beside by {
      reveal SentBeside;
    }
    BelowStaysInKeep(log, ids, preserved, sides, u);
    WhatTrailsStaysInFork(log, preserved, sides, u, end);
    assert UpTo(fork, u, |fork|) == fork by {
      reveal UpTo;
    }
    assert beside <= SentBeside(fork, preserved, sides, u, |fork|) by {
      reveal SentBeside;
    }
    SentBesideStandsAside(fork, preserved, sides, u, |fork|);
    assert Kept(fork, preserved, u) + SentBeside(fork, preserved, sides, u, |fork|) == ids;
    KeepOfKeep(log, ids, ids);
    assert ids * ids == ids;
  }

  /** What keeps all that is kept at an entry, and all that hangs below, has it below, too. */
  lemma BelowStaysInKeep(log: Log, ids: set<Id>, preserved: Preservation, sides: Sides, u: Id)
    requires WellFormed(log)
    requires HoldsConversations(log, ids) && ParentClosed(log, ids)
    requires u in Uuids(log) && u in ids
    requires Kept(log, preserved, u) + Beneath(log, preserved, sides, u) <= ids
    ensures WellFormed(Keep(log, ids)) && u in Uuids(Keep(log, ids))
    ensures Beneath(log, preserved, sides, u) <= Beneath(Keep(log, ids), preserved, sides, u)
  {
    hide Kept, Chains, WellFormed, HoldsConversations, Members, Ancestry, Crossed, Way, Taken, Keep;
    var fork, asOf, way := Keep(log, ids), AsOf(log, u), Way(log, preserved, u);
    WellFormedHasUniqueUuids(log);
    KeepIsWellFormed(log, ids);
    AsOfIsWellFormed(log, u);
    KeptInKeep(log, ids, preserved, u);
    KeptIsLeast(log, preserved, u, {});
    BelowIsOfChains(log, preserved, sides, u);
    TakenIsOfTheConversation(log, preserved, u);
    AncestryInKeep(log, ids, u);
    WhatIsCrossedIsThere(log, preserved, u);
    WhatIsCrossedIsThere(fork, preserved, u);
    if Crossed(log, preserved, u).Some? {
      WhatIsCrossed(log, preserved, u);
      AncestryInKeep(log, ids, Crossed(log, preserved, u).value.at);
    }
    assert Way(fork, preserved, u) == way by {
      reveal Way;
    }
    AsOfInKeep(log, ids, u);
    assert ParentClosed(asOf, ids);
    ChainsInKeep(asOf, sides, ids, way);
  }

  /** In the fork the same trails, up to its end. */
  lemma WhatTrailsStaysInFork(log: Log, preserved: Preservation, sides: Sides, u: Id, end: nat)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var fork := ForkSent(log, preserved, sides, u, end);
            u in Uuids(fork) && Trailing(fork, sides, u) == Trailing(UpTo(log, u, end), sides, u)
  {
    hide Kept, Beneath, Trailing, WellFormed, Members, Keep;
    var first := UpTo(log, u, end);
    var ids := Kept(log, preserved, u) + SentBeside(log, preserved, sides, u, end);
    WellFormedHasUniqueUuids(log);
    UpToHolds(log, u, end);
    ForkSentHoldsExactly(log, preserved, sides, u, end);
    WhatIsSentIsParentClosed(log, preserved, sides, u, end);
    BelowStandsAside(log, preserved, sides, u);
    TrailingHangsTogether(first, sides, u);
    forall v | v in ids
      ensures v in Uuids(first)
    {
      if v in Kept(log, preserved, u) {
        KeptStandsBefore(log, preserved, u, v);
        assert first[IndexOf(log, v)].uuid == v;
      } else if v in Beneath(log, preserved, sides, u) {
        assert first[IndexOf(log, v)].uuid == v;
      }
    }
    var n := |first|;
    assert first == log[..n];
    KeepFromPrefix(log, n, ids);
    assert ParentClosed(first, ids);
    TrailingInKeep(first, ids, sides, u);
  }

  // --- What is trimmed, left out and written ---

  /** Entries that are alike are both aside, noted, passed over and seen, or both not. */
  lemma AlikeStandAsideTogether(sides: Sides, a: Entry, b: Entry)
    requires Alike(a, b)
    ensures Silent(a) == Silent(b)
    ensures IsAside(sides, a) == IsAside(sides, b)
    ensures IsNoted(sides, a) == IsNoted(sides, b)
    ensures PassedOver(a) == PassedOver(b)
    ensures Seen(a) == Seen(b)
  {
    AlikeCallTheSame(a, b);
  }

  /** In logs that are alike the entry with an id is alike. */
  lemma AlikeGet(a: Log, b: Log, u: Id)
    requires AllAlike(a, b)
    requires u in Uuids(a)
    ensures u in Uuids(b) && IndexOf(a, u) == IndexOf(b, u) && Alike(Get(a, u), Get(b, u))
  {
    AlikeHaveTheSameIds(a, b);
    AlikeHaveTheSamePlaces(a, b, u);
  }

  /** In logs that are alike a client passes over the same. */
  lemma AlikeSkipped(a: Log, b: Log, p: Option<Id>)
    requires AllAlike(a, b)
    ensures Skipped(a, p) == Skipped(b, p)
    ensures Passed(a, p) == Passed(b, p)
    decreases |a|
  {
    hide Alike;
    if |a| > 0 {
      var last, other := a[|a| - 1], b[|b| - 1];
      assert Alike(last, other);
      assert last.uuid == other.uuid && last.parent == other.parent by {
        reveal Alike;
      }
      AlikeStandAsideTogether(Sides({}, map[]), last, other);
      AlikeSkipped(a[..|a| - 1], b[..|b| - 1], p);
      AlikeSkipped(a[..|a| - 1], b[..|b| - 1], last.parent);
    }
  }

  /** And an entry hangs on the same. */
  lemma AlikeHook(a: Log, b: Log, u: Id)
    requires AllAlike(a, b)
    requires u in Uuids(a)
    ensures u in Uuids(b) && Hook(a, u) == Hook(b, u)
  {
    AlikeGet(a, b, u);
    AlikeSkipped(a, b, Get(a, u).parent);
  }

  /** The same ancestors. */
  lemma AlikeAncestry(a: Log, b: Log, u: Id)
    requires AllAlike(a, b)
    requires WellFormed(a) && WellFormed(b)
    requires u in Uuids(a)
    ensures u in Uuids(b) && Uuids(Ancestry(a, u)) == Uuids(Ancestry(b, u))
    decreases |a|
  {
    AlikeHaveTheSameIds(a, b);
    var before, other := a[..|a| - 1], b[..|b| - 1];
    var last, twin := a[|a| - 1], b[|b| - 1];
    assert Alike(last, twin);
    assert AllAlike(before, other);
    UuidsOfLast(a);
    UuidsOfLast(b);
    if last.uuid != u {
      AlikeAncestry(before, other, u);
    } else if last.parent.Some? {
      AlikeAncestry(before, other, last.parent.value);
      UuidsOfConcatenation(Ancestry(before, last.parent.value), [last]);
      UuidsOfConcatenation(Ancestry(other, last.parent.value), [twin]);
    }
  }

  /** The same boundaries are heeded. */
  lemma AlikeHeed(a: Log, b: Log, preserved: Preservation, conversation: set<Id>, u: Id)
    requires AllAlike(a, b)
    requires u in Uuids(a)
    ensures u in Uuids(b) && Heeds(a, preserved, conversation, u) == Heeds(b, preserved, conversation, u)
  {
    AlikeGet(a, b, u);
    var n := IndexOf(a, u);
    assert AllAlike(a[..n], b[..n]);
    AlikeHaveTheSameIds(a[..n], b[..n]);
  }

  /** The same boundaries preserve an entry. */
  lemma AlikePreservers(a: Log, b: Log, preserved: Preservation, p: Id)
    requires AllAlike(a, b)
    ensures Preservers(a, preserved, p) == Preservers(b, preserved, p)
  {
    hide Heeds, Members;
    AlikeHaveTheSameIds(a, b);
    forall u | u in Uuids(a)
      ensures Preserves(a, preserved, u, p) == Preserves(b, preserved, u, p)
    {
      if u in preserved && preserved[u].anchor in Uuids(a) {
        AlikeHaveTheSameMembers(a, b, preserved[u].anchor);
        AlikeHeed(a, b, preserved, Members(a, preserved[u].anchor), u);
      }
    }
  }

  /** The last entry of a set is the same. */
  lemma AlikeLast(a: Log, b: Log, ids: set<Id>)
    requires AllAlike(a, b)
    ensures LastOf(a, ids) == LastOf(b, ids)
    decreases |a|
  {
    if |a| > 0 {
      assert Alike(a[|a| - 1], b[|b| - 1]);
      AlikeLast(a[..|a| - 1], b[..|b| - 1], ids);
    }
  }

  /** The same boundary is crossed. */
  lemma AlikeCrossed(a: Log, b: Log, preserved: Preservation, u: Id)
    requires AllAlike(a, b)
    requires u in Uuids(a)
    ensures u in Uuids(b) && Crossed(a, preserved, u) == Crossed(b, preserved, u)
    decreases |a|
  {
    hide Preservers;
    AlikeHaveTheSameIds(a, b);
    var before, other, last, twin := a[..|a| - 1], b[..|b| - 1], a[|a| - 1], b[|b| - 1];
    assert Alike(last, twin);
    assert AllAlike(before, other);
    AlikeHaveTheSameIds(before, other);
    UuidsOfLast(a);
    UuidsOfLast(b);
    if last.uuid != u {
      AlikeCrossed(before, other, preserved, u);
    } else if last.parent.Some? && last.parent.value in Uuids(before) {
      var p := last.parent.value;
      AlikePreservers(before, other, preserved, p);
      AlikeLast(before, other, Preservers(before, preserved, p));
      AlikeCrossed(before, other, preserved, p);
    }
  }

  /** The same is kept. */
  lemma AlikeKept(a: Log, b: Log, preserved: Preservation, u: Id)
    requires AllAlike(a, b)
    requires u in Uuids(a)
    ensures u in Uuids(b) && Kept(a, preserved, u) == Kept(b, preserved, u)
  {
    hide Members, Crossed, Heeds, Reaches;
    AlikeHaveTheSameIds(a, b);
    AlikeHaveTheSameMembers(a, b, u);
    assert Reaches(a, preserved, u) == Reaches(b, preserved, u) by {
      reveal Reaches;
      AlikeCrossed(a, b, preserved, u);
      WhatIsCrossedIsThere(a, preserved, u);
      WhatIsCrossedIsThere(b, preserved, u);
      forall one | one in Uuids(a)
        ensures Heeds(a, preserved, Members(a, u), one) == Heeds(b, preserved, Members(b, u), one)
      {
        AlikeHeed(a, b, preserved, Members(a, u), one);
      }
    }
    forall v | v in Uuids(a)
      ensures v in Uuids(b) && Members(a, v) == Members(b, v)
    {
      AlikeHaveTheSameMembers(a, b, v);
    }
  }

  /** The same way. */
  lemma AlikeWay(a: Log, b: Log, preserved: Preservation, u: Id)
    requires AllAlike(a, b)
    requires WellFormed(a) && WellFormed(b)
    requires u in Uuids(a)
    ensures u in Uuids(b) && Way(a, preserved, u) == Way(b, preserved, u)
  {
    hide Crossed, Ancestry;
    AlikeHaveTheSameIds(a, b);
    AlikeCrossed(a, b, preserved, u);
    AlikeAncestry(a, b, u);
    WhatIsCrossedIsThere(a, preserved, u);
    if Crossed(a, preserved, u).Some? {
      AlikeAncestry(a, b, Crossed(a, preserved, u).value.at);
    }
  }

  /** For each entry of a log there is one of the other that is alike. */
  lemma AlikeTwin(a: Log, b: Log, e: Entry) returns (f: Entry)
    requires AllAlike(a, b)
    requires e in a
    ensures f in b && Alike(e, f)
  {
    var i :| 0 <= i < |a| && a[i] == e;
    f := b[i];
  }

  /** Entries that are alike are parts of the same message, and answer the same call. */
  lemma AlikeMate(a: Entry, b: Entry, c: Entry, d: Entry)
    requires Alike(a, c) && Alike(b, d)
    ensures Mates(a, b) == Mates(c, d)
    ensures Answers(a, b) == Answers(c, d)
  {
    AlikeCallTheSame(a, c);
    AlikeCallTheSame(b, d);
  }

  /** What is taken of one log is taken of one that is alike. */
  lemma AlikeTakenIn(a: Log, b: Log, way: set<Id>)
    requires AllAlike(a, b)
    ensures Parts(a, way) <= Parts(b, way)
    ensures CallParts(a, way) <= CallParts(b, way)
    ensures ResultsOfParts(a, way) <= ResultsOfParts(b, way)
  {
    hide AllAlike, Mates, Answers, UsesOf, SameShape;
    forall w, m | w in a && w.uuid in way && m in a && Mates(w, m)
      ensures m.uuid in Parts(b, way)
    {
      var x := AlikeTwin(a, b, w);
      var y := AlikeTwin(a, b, m);
      AlikeMate(w, m, x, y);
    }
    forall c, m | c in a && c.uuid in Parts(a, way) && UsesOf(c) != {} && m in a && Mates(c, m)
      ensures m.uuid in CallParts(b, way)
    {
      var x := AlikeTwin(a, b, c);
      var y := AlikeTwin(a, b, m);
      AlikeMate(c, m, x, y);
      AlikeCallTheSame(c, x);
    }
    forall c, r | c in a && c.uuid in Parts(a, way) && r in a && Answers(c, r)
      ensures r.uuid in ResultsOfParts(b, way)
    {
      var x := AlikeTwin(a, b, c);
      var y := AlikeTwin(a, b, r);
      AlikeMate(c, r, x, y);
    }
  }

  /** To be alike goes both ways. */
  lemma AlikeGoesBack(a: Log, b: Log)
    requires AllAlike(a, b)
    ensures AllAlike(b, a)
  {
    forall i | 0 <= i < |a|
      ensures Alike(b[i], a[i])
    {
      assert Alike(a[i], b[i]);
    }
  }

  /** The same is taken. */
  lemma AlikeTaken(a: Log, b: Log, way: set<Id>)
    requires AllAlike(a, b)
    ensures Parts(a, way) == Parts(b, way)
    ensures CallParts(a, way) == CallParts(b, way)
    ensures ResultsOfParts(a, way) == ResultsOfParts(b, way)
    ensures Taken(a, way) == Taken(b, way)
  {
    AlikeGoesBack(a, b);
    AlikeTakenIn(a, b, way);
    AlikeTakenIn(b, a, way);
  }

  /** What hangs on an entry hangs on it in a log that is alike. */
  lemma AlikeChildrenIn(a: Log, b: Log, way: set<Id>, u: Id)
    requires AllAlike(a, b)
    ensures Children(a, way, u) <= Children(b, way, u)
  {
    hide Taken, Hook, AllAlike, Alike;
    AlikeTaken(a, b, way);
    forall e | e in a && Seen(e) && e.uuid !in Taken(a, way) && Hook(a, e.uuid) == Some(u)
      ensures e.uuid in Children(b, way, u)
    {
      var f := AlikeTwin(a, b, e);
      assert e.uuid == f.uuid by {
        reveal Alike;
      }
      AlikeStandAsideTogether(Sides({}, map[]), e, f);
      AlikeHook(a, b, e.uuid);
    }
  }

  /** The same hangs on an entry. */
  lemma AlikeChildren(a: Log, b: Log, way: set<Id>, u: Id)
    requires AllAlike(a, b)
    ensures Children(a, way, u) == Children(b, way, u)
  {
    AlikeGoesBack(a, b);
    AlikeChildrenIn(a, b, way, u);
    AlikeChildrenIn(b, a, way, u);
  }

  /** Chains hang below the same entries. */
  lemma AlikeAnchors(a: Log, b: Log, sides: Sides, way: set<Id>, u: Id)
    requires AllAlike(a, b)
    requires u in Uuids(a)
    ensures u in Uuids(b) && Anchors(a, sides, way, u) == Anchors(b, sides, way, u)
    decreases IndexOf(a, u)
  {
    hide Hook, Taken, CallParts, ResultsOfParts, AllAlike, Alike, IsAside;
    AlikeGet(a, b, u);
    AlikeHook(a, b, u);
    AlikeTaken(a, b, way);
    AlikeStandAsideTogether(sides, Get(a, u), Get(b, u));
    if Hook(a, u).Some? && Hook(a, u).value in Uuids(a) {
      AlikeGet(a, b, Hook(a, u).value);
      if IndexOf(a, Hook(a, u).value) < IndexOf(a, u) {
        AlikeAnchors(a, b, sides, way, Hook(a, u).value);
      }
    }
  }

  /** The same chains are whole. */
  lemma AlikeWhole(a: Log, b: Log, sides: Sides, way: set<Id>, u: Id)
    requires AllAlike(a, b)
    requires u in Uuids(a)
    ensures u in Uuids(b) && Whole(a, sides, way, u) == Whole(b, sides, way, u)
    decreases |a| - IndexOf(a, u)
  {
    hide Children, AllAlike, Alike, IsAside, OnOneSide, IndexOf, Get;
    assert |a| == |b| by {
      reveal AllAlike;
    }
    AlikeGet(a, b, u);
    AlikeChildren(a, b, way, u);
    AlikeHaveTheSameIds(a, b);
    AlikeStandAsideTogether(sides, Get(a, u), Get(b, u));
    forall v | v in Uuids(a) && v in Children(a, way, u)
      ensures IndexOf(a, v) == IndexOf(b, v)
      ensures IndexOf(a, v) > IndexOf(a, u) ==> Whole(a, sides, way, v) == Whole(b, sides, way, v)
    {
      AlikeGet(a, b, v);
      if IndexOf(a, v) > IndexOf(a, u) {
        AlikeWhole(a, b, sides, way, v);
      }
    }
    assert forall e | e in a :: e.uuid in Uuids(a);
    assert forall e | e in b :: e.uuid in Uuids(a);
    assert forall v | v in Uuids(a) :: exists e :: e in a && e.uuid == v;
    assert forall v | v in Uuids(a) :: exists e :: e in b && e.uuid == v;
  }

  /** The same hangs. */
  lemma AlikeHangs(a: Log, b: Log, sides: Sides, way: set<Id>, u: Id)
    requires AllAlike(a, b)
    requires u in Uuids(a)
    ensures u in Uuids(b) && Hangs(a, sides, way, u) == Hangs(b, sides, way, u)
    decreases IndexOf(a, u)
  {
    hide Hook, Taken, AllAlike, Alike, IsAside, Anchors, Whole, OnOneSide;
    AlikeGet(a, b, u);
    AlikeHook(a, b, u);
    AlikeTaken(a, b, way);
    AlikeWhole(a, b, sides, way, u);
    AlikeStandAsideTogether(sides, Get(a, u), Get(b, u));
    if Hook(a, u).Some? {
      var h := Hook(a, u).value;
      assert h in Uuids(a) by {
        reveal Hook;
      }
      AlikeGet(a, b, h);
      AlikeAnchors(a, b, sides, way, h);
      if IndexOf(a, h) < IndexOf(a, u) {
        AlikeHangs(a, b, sides, way, h);
      }
    }
  }

  /** What is of a chain is of one in a log that is alike. */
  lemma AlikeChainsIn(a: Log, b: Log, sides: Sides, way: set<Id>)
    requires AllAlike(a, b)
    ensures Chains(a, sides, way) <= Chains(b, sides, way)
  {
    hide Hangs, Passed, AllAlike, Alike;
    forall e | e in a && Hangs(a, sides, way, e.uuid)
      ensures e.uuid in Chains(b, sides, way) && Passed(a, e.parent) <= Chains(b, sides, way)
    {
      var f := AlikeTwin(a, b, e);
      assert e.uuid == f.uuid && e.parent == f.parent by {
        reveal Alike;
      }
      AlikeHangs(a, b, sides, way, e.uuid);
      AlikeSkipped(a, b, e.parent);
    }
  }

  /** The same last words. */
  lemma AlikeSpoken(a: Log, b: Log, u: Id)
    requires AllAlike(a, b)
    requires u in Uuids(a)
    ensures u in Uuids(b) && Spoken(a, u) == Spoken(b, u)
    decreases IndexOf(a, u)
  {
    hide AllAlike;
    AlikeGet(a, b, u);
    var p := Get(a, u).parent;
    if p.Some? {
      AlikeHaveTheSameIds(a, b);
      if p.value in Uuids(a) {
        AlikeGet(a, b, p.value);
        if IndexOf(a, p.value) < IndexOf(a, u) {
          AlikeSpoken(a, b, p.value);
        }
      }
    }
  }

  /** The same follows them. */
  lemma AlikeFollows(a: Log, b: Log, sides: Sides, s: Id, u: Id)
    requires AllAlike(a, b)
    requires u in Uuids(a)
    ensures u in Uuids(b) && Follows(a, sides, s, u) == Follows(b, sides, s, u)
    decreases IndexOf(a, u)
  {
    hide AllAlike, IsNoted, PassedOver;
    AlikeGet(a, b, u);
    AlikeStandAsideTogether(sides, Get(a, u), Get(b, u));
    var p := Get(a, u).parent;
    if p.Some? {
      AlikeHaveTheSameIds(a, b);
      if p.value in Uuids(a) {
        AlikeGet(a, b, p.value);
        if IndexOf(a, p.value) < IndexOf(a, u) {
          AlikeFollows(a, b, sides, s, p.value);
        }
      }
    }
  }

  /** What trails does in a log that is alike. */
  lemma AlikeTrailingIn(a: Log, b: Log, sides: Sides, u: Id)
    requires AllAlike(a, b)
    requires u in Uuids(a)
    ensures u in Uuids(b) && Trailing(a, sides, u) <= Trailing(b, sides, u)
  {
    hide Follows, Passed, AllAlike, Alike, IsNoted;
    AlikeSpoken(a, b, u);
    if Spoken(a, u).Some? {
      var s := Spoken(a, u).value;
      forall e | e in a && IsNoted(sides, e) && Follows(a, sides, s, e.uuid)
        ensures e.uuid in Trailing(b, sides, u) && Passed(a, e.parent) <= Trailing(b, sides, u)
      {
        var f := AlikeTwin(a, b, e);
        assert e.uuid == f.uuid && e.parent == f.parent by {
          reveal Alike;
        }
        AlikeStandAsideTogether(sides, e, f);
        AlikeFollows(a, b, sides, s, e.uuid);
        AlikeSkipped(a, b, e.parent);
      }
    }
  }

  /** The same is sent beside what is kept. */
  lemma AlikeSendTheSame(a: Log, b: Log, preserved: Preservation, sides: Sides, u: Id, end: nat)
    requires AllAlike(a, b)
    requires WellFormed(a)
    requires u in Uuids(a)
    ensures WellFormed(b) && u in Uuids(b)
    ensures Kept(a, preserved, u) == Kept(b, preserved, u)
    ensures SentBeside(a, preserved, sides, u, end) == SentBeside(b, preserved, sides, u, end)
  {
    hide Kept, Chains, Trailing, WellFormed, Way, Alike;
    AlikeAreWellFormedTogether(a, b);
    AlikeHaveTheSameIds(a, b);
    AlikeHaveTheSamePlaces(a, b, u);
    AlikeKept(a, b, preserved, u);
    AlikeWay(a, b, preserved, u);
    AlikeGoesBack(AsOf(a, u), AsOf(b, u));
    AlikeChainsIn(AsOf(a, u), AsOf(b, u), sides, Way(a, preserved, u));
    AlikeChainsIn(AsOf(b, u), AsOf(a, u), sides, Way(a, preserved, u));
    assert AllAlike(UpTo(a, u, end), UpTo(b, u, end));
    AlikeGoesBack(UpTo(a, u, end), UpTo(b, u, end));
    AlikeTrailingIn(UpTo(a, u, end), UpTo(b, u, end), sides, u);
    AlikeTrailingIn(UpTo(b, u, end), UpTo(a, u, end), sides, u);
  }

  /** A trim changes nothing of what is sent but contents: the same entries are kept, hang below and trail. */
  lemma TrimKeepsWhatIsSent(log: Log, faces: Faces, preserved: Preservation, sides: Sides, u: Id, end: nat)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures WellFormed(Trim(log, faces)) && u in Uuids(Trim(log, faces))
    ensures SentBeside(Trim(log, faces), preserved, sides, u, end) == SentBeside(log, preserved, sides, u, end)
    ensures ForkSent(Trim(log, faces), preserved, sides, u, end) == Trim(ForkSent(log, preserved, sides, u, end), faces)
  {
    hide Kept, SentBeside, WellFormed;
    TrimKeepsTheRest(log, faces);
    AlikeHaveTheSameIds(log, Trim(log, faces));
    AlikeSendTheSame(log, Trim(log, faces), preserved, sides, u, end);
    TrimOfWhatIsKept(log, faces, Kept(log, preserved, u) + SentBeside(log, preserved, sides, u, end));
  }

  /** What is left out takes along what hangs on it: then the rest of what is sent beside stays, each entry as it is. */
  lemma DropKeepsWhatHangs(log: Log, preserved: Preservation, sides: Sides, u: Id, end: nat, covered: set<Id>)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires forall e | e in log && e.uuid in SentBeside(log, preserved, sides, u, end) ::
               e.parent.Some? && e.parent.value in covered ==> e.uuid in covered
    ensures var left := Rewriting.Drop(ForkSent(log, preserved, sides, u, end), covered);
            && WellFormed(left)
            && (forall e | e in log && e.uuid in SentBeside(log, preserved, sides, u, end) - covered :: e in left)
  {
    hide Kept, SentBeside, WellFormed, ForkSent;
    var fork := ForkSent(log, preserved, sides, u, end);
    ForkSentHoldsExactly(log, preserved, sides, u, end);
    RewritingProofs.DropIsWellFormed(fork, covered);
    RewritingProofs.DropHoldsExactlyTheRest(fork, covered);
    forall e | e in log && e.uuid in SentBeside(log, preserved, sides, u, end) - covered
      ensures e in Rewriting.Drop(fork, covered)
    {
      var rest := Rewriting.Rest(fork, covered);
      assert e in fork && e.uuid in Uuids(fork) - covered;
      KeepHoldsExactly(fork, Uuids(fork) - covered);
      var i :| 0 <= i < |rest| && rest[i] == e;
      assert Rewriting.Drop(fork, covered)[i] == RewritingProofs.Reparented(fork, covered, e);
      assert Rewriting.Heir(fork, covered, e.parent) == e.parent;
      assert RewritingProofs.Reparented(fork, covered, e) == e;
    }
  }

  /** P25: a file that is accepted, where all that is sent was asked for, is read as the fork that keeps it. */
  lemma AcceptedFileHoldsWhatIsSent(
    reading: Certificates.Reading, request: Certificates.Request, parse: Certificates.Text -> Entry, log: Log,
    preserved: Preservation, sides: Sides, u: Id, end: nat, lines: seq<Certificates.Text>)
    requires Certificates.Sensible(request)
    requires WellFormed(log) && u in Uuids(log)
    requires Certificates.AsksFor(
               request, parse, ForkSent(log, preserved, sides, u, end), (one: Entry, other: Entry) => one == other)
    requires Certificates.Accepts(reading, request, lines)
    ensures Certificates.LogOf(reading, parse, lines) == ForkSent(log, preserved, sides, u, end)
  {
    var fork := ForkSent(log, preserved, sides, u, end);
    CertificatesProofs.AcceptedFileIsReadAsWhatWasAsked(
      reading, request, parse, fork, (one: Entry, other: Entry) => one == other, lines);
    assert Certificates.LogOf(reading, parse, lines) == fork;
  }

  /** What a client loads of a conversation that no boundary cuts is of the conversation, and is all of it exactly if it needs nothing
    * more: if the one step that the client takes from the way is enough. Then it is the context, in the order of the log. */
  lemma ClientLoadsTheConversationExactly(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Loaded(log, u) <= Members(log, u)
    ensures Loaded(log, u) == Members(log, u) <==> Closed(AsOf(log, u), Loaded(log, u))
    ensures Keep(log, Loaded(log, u)) == Context(log, u) <==> Closed(AsOf(log, u), Loaded(log, u))
  {
    hide Members, Context, WellFormed, Ancestry, Parts, ResultsOfParts, Closed, Keep, Uuids;
    var asOf, loaded := AsOf(log, u), Loaded(log, u);
    WellFormedHasUniqueUuids(log);
    MembersContainsItself(log, u);
    MembersAreClosedAsOf(log, u);
    ContextHoldsAncestry(log, u, u);
    AncestryEndsInItself(log, u);
    TakenIsWithin(asOf, Uuids(Ancestry(log, u)), Members(log, u));
    assert u in loaded;
    if Closed(asOf, loaded) {
      MembersAreLeast(log, u, loaded);
    }
    ContextHoldsExactlyTheMembers(log, u);
    MembersAreAsOf(log, u);
    UuidsOfKeep(log, loaded);
    assert Uuids(log) * loaded == loaded;
    assert Keep(log, Members(log, u)) == Context(log, u) by {
      reveal Context;
    }
  }

  /** P4: a fork is sent at its point as the log was there: the same conversation, and the same beside it, provided that it has the
    * conversation of each entry that is sent. The lists of boundaries that it does not keep say nothing to it, nor do the sides of
    * entries that it does not keep. */
  lemma ForkIsSentAsTheLogWas(
    log: Log, preserved: Preservation, said: Preservation, sides: Sides, others: Sides, u: Id, end: nat)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires HoldsConversations(log, Kept(log, preserved, u) + SentBeside(log, preserved, sides, u, end))
    requires Agree(ForkSent(log, preserved, sides, u, end), preserved, said)
    requires AgreeOnSides(ForkSent(log, preserved, sides, u, end), sides, others)
    ensures var fork := ForkSent(log, preserved, sides, u, end);
            && WellFormed(fork) && u in Uuids(fork)
            && Rendered(fork, said, u) == Rendered(log, preserved, u)
            && SentBeside(fork, said, others, u, |fork|) == SentBeside(log, preserved, sides, u, end)
            && (forall e | e in fork :: e in log)
  {
    hide Kept, SentBeside, WellFormed, HoldsConversations, Members, Uuids, Keep, Rendered, Agree, AgreeOnSides;
    var fork := ForkSent(log, preserved, sides, u, end);
    var kept, beside := Kept(log, preserved, u), SentBeside(log, preserved, sides, u, end);
    WellFormedHasUniqueUuids(log);
    ForkSentHoldsExactly(log, preserved, sides, u, end);
    ForkSentOfForkSent(log, preserved, sides, u, end);
    SentBesideStandsAside(log, preserved, sides, u, end);
    SentBesideStandsAside(fork, preserved, sides, u, |fork|);
    ForkSentHoldsExactly(fork, preserved, sides, u, |fork|);
    assert SentBeside(fork, preserved, sides, u, |fork|) == beside;
    KeepOfKeep(log, kept + beside, kept);
    assert (kept + beside) * kept == kept;
    assert ForkKept(fork, preserved, u) == ForkKept(log, preserved, u);
    SentAtThePointOfAFork(log, preserved, u);
    SentAtThePointOfAFork(fork, preserved, u);
    assert fork[..|fork|] == fork;
    RenderedInPrefix(fork, preserved, said, |fork|, u);
    PrefixHasWhatIsSent(fork, preserved, said, sides, others, |fork|, u, |fork|);
  }

  /** The same conversation is sent at the point of a fork that keeps no more than that needs. */
  lemma SentAtThePointOfAFork(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures WellFormed(ForkKept(log, preserved, u)) && u in Uuids(ForkKept(log, preserved, u))
    ensures Rendered(ForkKept(log, preserved, u), preserved, u) == Rendered(log, preserved, u)
  {
    hide Kept, Rendered, Members, ForkKept;
    WellFormedHasUniqueUuids(log);
    MembersContainsItself(log, u);
    ForkKeptPreservesRendering(log, preserved, u, u);
  }

  /** From the bytes read to the bytes written: where the request takes from a file the lines of the fork at `u`, and the fork has the
    * conversation of each entry that is sent, every file that is accepted for it reads as a session that is sent at `u` as the one
    * before was, conversation and what is beside it, each entry the same. The reader tells the same sides of what is kept in both. It
    * goes on at the last entry of the fork, which is `u` where nothing trails behind. */
  lemma ForkOfAFileIsSentAsTheFileWas(
    format: Certificates.Format, file: Certificates.Text, request: Certificates.Request, made: Certificates.Text, sides: Sides,
    others: Sides, u: Id, end: nat)
    requires Certificates.TellsByName(format)
    requires var s := Certificates.SessionOf(format, file);
             && WellFormed(s.log) && u in Uuids(s.log)
             && HoldsConversations(s.log, Kept(s.log, s.preserved, u) + SentBeside(s.log, s.preserved, sides, u, end))
             && AgreeOnSides(ForkSent(s.log, s.preserved, sides, u, end), sides, others)
             && request.kept == Certificates.InOrder(ForkSent(s.log, s.preserved, sides, u, end))
    requires Certificates.Sensible(request)
    requires Certificates.TakenFrom(format, request, file)
    requires Certificates.Accepts(format.reading, request, Appends.Read(format.reader, made))
    ensures var s, t := Certificates.SessionOf(format, file), Certificates.SessionOf(format, made);
            && WellFormed(t.log) && u in Uuids(t.log)
            && t.log == ForkSent(s.log, s.preserved, sides, u, end)
            && t == Stores.PartOf(s, t.log, t.log[|t.log| - 1].uuid)
            && Rendered(t.log, t.preserved, u) == Rendered(s.log, s.preserved, u)
            && SentBeside(t.log, t.preserved, others, u, |t.log|) == SentBeside(s.log, s.preserved, sides, u, end)
            && (NothingTrailsBehind(s.log, s.preserved, sides, u, end) ==> t.head == Some(u))
  {
    hide Kept, SentBeside, WellFormed, HoldsConversations, Members, Rendered, Certificates.Accepts, Certificates.SessionOf,
      Certificates.TakenFrom, ForkSent, AgreeOnSides, NothingTrailsBehind;
    var s, t := Certificates.SessionOf(format, file), Certificates.SessionOf(format, made);
    var fork := ForkSent(s.log, s.preserved, sides, u, end);
    WellFormedHasUniqueUuids(s.log);
    ForkSentHoldsExactly(s.log, s.preserved, sides, u, end);
    assert |fork| > 0;
    CertificatesProofs.AcceptedFileIsPartOfTheSession(format, file, request, made, fork);
    assert Agree(fork, s.preserved, t.preserved) by {
      assert forall e | e in fork :: e.uuid in Uuids(fork);
    }
    ForkIsSentAsTheLogWas(s.log, s.preserved, t.preserved, sides, others, u, end);
    if NothingTrailsBehind(s.log, s.preserved, sides, u, end) {
      ForkEndsAtItsPoint(s.log, s.preserved, sides, u, end);
    }
  }

  /** Where nothing trails behind the point, the fork ends there. */
  lemma ForkEndsAtItsPoint(log: Log, preserved: Preservation, sides: Sides, u: Id, end: nat)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires NothingTrailsBehind(log, preserved, sides, u, end)
    ensures var fork := ForkSent(log, preserved, sides, u, end);
            |fork| > 0 && fork[|fork| - 1].uuid == u
  {
    hide Kept, Beneath, Trailing, WellFormed, Members, Keep, Uuids, SentBeside, UniqueUuids, UpTo;
    var asOf, ids := AsOf(log, u), Kept(log, preserved, u) + SentBeside(log, preserved, sides, u, end);
    WellFormedHasUniqueUuids(log);
    assert SentBeside(log, preserved, sides, u, end)
        <= Beneath(log, preserved, sides, u) + (Trailing(UpTo(log, u, end), sides, u) - Kept(log, preserved, u)) by {
      reveal SentBeside;
    }
    AsOfIsWellFormed(log, u);
    BelowIsOfChains(log, preserved, sides, u);
    KeptIsLeast(log, preserved, u, {});
    MembersContainsItself(log, u);
    forall v | v in ids
      ensures v in Uuids(asOf)
    {
      if v in Kept(log, preserved, u) {
        KeptStandsBefore(log, preserved, u, v);
        AsOfHoldsExactly(log, u, v);
      }
    }
    assert Uuids(log) * ids <= Uuids(asOf);
    KeepFromPrefix(log, IndexOf(log, u) + 1, ids);
    assert u in ids;
    assert asOf[|asOf| - 1].uuid == u;
    assert Keep(asOf, ids)[|Keep(asOf, ids)| - 1] == asOf[|asOf| - 1] by {
      reveal Keep;
    }
  }

  /** What trails, where the file goes up to `end`, stands at the point or before, or is kept anyway. */
  predicate NothingTrailsBehind(log: Log, preserved: Preservation, sides: Sides, u: Id, end: nat)
    requires u in Uuids(log)
  {
    Trailing(UpTo(log, u, end), sides, u) <= Kept(log, preserved, u) + Uuids(AsOf(log, u))
  }

  /** So it is of a file that went no further than the point. */
  lemma NothingTrailsBehindTheEnd(log: Log, preserved: Preservation, sides: Sides, u: Id, end: nat)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires end <= IndexOf(log, u) + 1
    ensures NothingTrailsBehind(log, preserved, sides, u, end)
  {
    hide Kept, Trailing, WellFormed;
    AsOfIsWellFormed(log, u);
    assert UpTo(log, u, end) == AsOf(log, u);
    TrailingHangsTogether(AsOf(log, u), sides, u);
  }
}

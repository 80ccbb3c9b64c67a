// Chapter 23, examples: a fork that keeps a chain; a chain that forks and is left out whole, so that what is below does not
// grow; an entry on another side; a line that is passed over; a side entry on the way; and a compaction.
include "04-Contexts.Examples.dfy"
include "18-Certificates.Examples.dfy"
include "23-Below.Proofs.dfy"

module BelowExamples {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened EntriesExamples
  import opened Ancestries
  import opened AncestriesProofs
  import opened Contexts
  import opened ContextsProofs
  import opened ContextsExamples
  import opened Balance
  import opened Forks
  import opened ForksProofs
  import opened Rendering
  import opened RenderingProofs
  import opened Below
  import opened BelowProofs
  import Certificates
  import CertificatesExamples
  import Merging
  import opened Trims
  import opened TrimsProofs

  // --- Small logs of one call ---

  /** An attachment. */
  function Hung(n: nat, parent: nat): Entry {
    Plain(n, Some(parent), Attachment, None, [])
  }

  /** The result of the call below. */
  function Answered(n: nat): Entry {
    Asks(n, Some(0), [Result(Name(9))])
  }

  /** In a log without boundaries, where the way to the last entry needs nothing more, it is all that is kept and taken. */
  lemma TheWayIsAll(log: Log, way: Log, u: Id)
    requires WellFormed(log)
    requires |log| > 0 && log[|log| - 1].uuid == u
    requires RootPath(log, way, u)
    requires Closed(log, Uuids(way))
    ensures u in Uuids(log) && AsOf(log, u) == log
    ensures Kept(log, map[], u) == Members(log, u) == Uuids(way)
    ensures Way(log, map[], u) == Uuids(way)
    ensures Taken(log, Uuids(way)) == Uuids(way)
  {
    hide Members, Kept, Ancestry, Crossed, Closed, Taken, WellFormed;
    WellFormedHasUniqueUuids(log);
    RootPathIsAncestry(log, way, u);
    IndexOfIsPosition(log, |log| - 1);
    assert AsOf(log, u) == log;
    NothingPreservedNothingResent(log, map[], u);
    MembersContainsItself(log, u);
    ContextHoldsAncestry(log, u, u);
    assert way[|way| - 1] in way;
    MembersAreLeast(log, u, Uuids(way));
    TakenIsWithin(log, Uuids(way), Uuids(way));
    assert Taken(log, Uuids(way)) >= Uuids(way) by {
      reveal Taken;
    }
  }

  /** Below a call on the way hang chains. */
  lemma CallsAreAnchors(log: Log, sides: Sides, way: set<Id>, c: Entry)
    requires UniqueUuids(log)
    requires c in log && c.uuid in way
    requires c.kind.Assistant? && c.message.Some? && UsesOf(c) != {}
    ensures c.uuid in Parts(log, way)
    ensures c.uuid in Uuids(log) && Anchors(log, sides, way, c.uuid)
  {
    hide UniqueUuids, UsesOf;
    assert Mates(c, c);
  }

  /** An entry hangs on its parent, if a client sees the parent. */
  lemma HangsOnItsParent(log: Log, e: Entry, p: Entry)
    requires WellFormed(log)
    requires e in log && p in log
    requires e.parent == Some(p.uuid) && Seen(p)
    ensures Hook(log, e.uuid) == Some(p.uuid)
    ensures Passed(log, e.parent) == {}
  {
    hide WellFormed, Skipped, Passed;
    WellFormedHasUniqueUuids(log);
    GetFindsEntry(log, e);
    GetFindsEntry(log, p);
    SkippedUnfolds(log, p.uuid);
  }

  /** A root hangs on nothing. */
  lemma RootsHangOnNothing(log: Log, e: Entry)
    requires WellFormed(log)
    requires e in log && e.parent.None?
    ensures Hook(log, e.uuid) == None
  {
    hide WellFormed;
    WellFormedHasUniqueUuids(log);
    GetFindsEntry(log, e);
    SkippedInPrefix(log, 0, None);
  }

  /** What stands on a way that takes all of itself does not hang. */
  lemma WhatIsTakenDoesNotHang(log: Log, sides: Sides, way: set<Id>, u: Id)
    requires u in Uuids(log) && u in Taken(log, way)
    ensures !Hangs(log, sides, way, u)
  {
    hide Taken, Hook, Whole, Anchors;
  }

  // --- A chain of two ---

  /** A call, an attachment below it, another one below that, and the result of the call. Opaque, as all concrete logs here. */
  opaque ghost function Hooked(): Log {
    [Calling(), Hung(1, 0), Hung(2, 1), Answered(3)]
  }

  /** What the reader says: attachments are side entries, and no entry says on which side it is. */
  function Quiet(): Sides {
    Sides({Name(1), Name(2), Name(4)}, map[])
  }

  /** The first six names differ. */
  lemma FewNamesDiffer()
    ensures Name(0) !in {Name(1), Name(2), Name(3), Name(4), Name(5)}
    ensures Name(1) !in {Name(2), Name(3), Name(4), Name(5)}
    ensures Name(2) !in {Name(3), Name(4), Name(5)}
    ensures Name(3) !in {Name(4), Name(5)}
    ensures Name(4) != Name(5)
  {
    forall m, n | 0 <= m < n <= 5
      ensures Name(m) != Name(n)
    {
      NamesDiffer(m, n);
    }
  }

  /** The log is well-formed. */
  lemma HookedIsWellFormed()
    ensures WellFormed(Hooked()) && UniqueUuids(Hooked())
    ensures |Hooked()| == 4 && Hooked()[3] == Answered(3)
    ensures forall e :: e in Hooked() <==> e in {Calling(), Hung(1, 0), Hung(2, 1), Answered(3)}
    ensures Uuids(Hooked()) == {Name(0), Name(1), Name(2), Name(3)}
  {
    hide WellFormed, UniqueUuids, Uuids, Get, AsOf, IndexOf;
    reveal Hooked;
    FewNamesDiffer();
    OfOne(Calling());
    OfTwo(Calling(), Hung(1, 0));
    OfThree(Calling(), Hung(1, 0), Hung(2, 1));
    OfFour(Calling(), Hung(1, 0), Hung(2, 1), Answered(3));
  }

  /** The way to the result is the call and the result. */
  lemma HookedWay()
    ensures WellFormed(Hooked()) && Name(3) in Uuids(Hooked()) && AsOf(Hooked(), Name(3)) == Hooked()
    ensures Kept(Hooked(), map[], Name(3)) == Members(Hooked(), Name(3)) == {Name(0), Name(3)}
    ensures Way(Hooked(), map[], Name(3)) == {Name(0), Name(3)}
    ensures Taken(Hooked(), {Name(0), Name(3)}) == {Name(0), Name(3)}
    ensures Closed(Hooked(), {Name(0), Name(3)})
  {
    hide WellFormed, UniqueUuids, Kept, Members, Way, Taken;
    var log, way := Hooked(), [Calling(), Answered(3)];
    HookedIsWellFormed();
    FewNamesDiffer();
    OfTwo(Calling(), Answered(3));
    OneUse(Calling(), Name(9));
    OneResult(Answered(3), Name(9));
    TheWayIsAll(log, way, Name(3));
  }

  /** Where each entry hangs. */
  lemma HookedHooks()
    ensures WellFormed(Hooked()) && Uuids(Hooked()) == {Name(0), Name(1), Name(2), Name(3)}
    ensures Hook(Hooked(), Name(0)) == None && Hook(Hooked(), Name(1)) == Some(Name(0))
    ensures Hook(Hooked(), Name(2)) == Some(Name(1)) && Hook(Hooked(), Name(3)) == Some(Name(0))
    ensures Get(Hooked(), Name(1)) == Hung(1, 0) && Get(Hooked(), Name(2)) == Hung(2, 1)
    ensures Passed(Hooked(), Some(Name(0))) == {} && Passed(Hooked(), Some(Name(1))) == {}
  {
    hide WellFormed, UniqueUuids, Hook, Passed, Get;
    var log := Hooked();
    HookedIsWellFormed();
    RootsHangOnNothing(log, Calling());
    HangsOnItsParent(log, Hung(1, 0), Calling());
    HangsOnItsParent(log, Hung(2, 1), Hung(1, 0));
    HangsOnItsParent(log, Answered(3), Calling());
    GetFindsEntry(log, Hung(1, 0));
    GetFindsEntry(log, Hung(2, 1));
  }

  /** What hangs on an entry. */
  lemma HookedChild(u: Id, x: Id)
    ensures WellFormed(Hooked()) && Uuids(Hooked()) == {Name(0), Name(1), Name(2), Name(3)}
    ensures x in Children(Hooked(), {Name(0), Name(3)}, u) <==> x in {Name(1), Name(2)} && Hook(Hooked(), x) == Some(u)
  {
    hide WellFormed, UniqueUuids, Skipped, Taken, Get, Children;
    var log, way := Hooked(), {Name(0), Name(3)};
    HookedIsWellFormed();
    HookedWay();
    FewNamesDiffer();
    if x in Children(log, way, u) {
      ChildStandsBehind(log, way, u, x);
    }
    if x == Name(1) {
      ChildrenExactly(log, way, u, Hung(1, 0));
    }
    if x == Name(2) {
      ChildrenExactly(log, way, u, Hung(2, 1));
    }
  }

  /** What hangs on each entry. */
  lemma HookedChildren()
    ensures Children(Hooked(), {Name(0), Name(3)}, Name(0)) == {Name(1)}
    ensures Children(Hooked(), {Name(0), Name(3)}, Name(1)) == {Name(2)}
    ensures Children(Hooked(), {Name(0), Name(3)}, Name(2)) == {}
  {
    hide WellFormed, Hook, Get, Children;
    var log, way := Hooked(), {Name(0), Name(3)};
    HookedHooks();
    FewNamesDiffer();
    forall x
      ensures x in Children(log, way, Name(0)) <==> x == Name(1)
      ensures x in Children(log, way, Name(1)) <==> x == Name(2)
      ensures x !in Children(log, way, Name(2))
    {
      HookedChild(Name(0), x);
      HookedChild(Name(1), x);
      HookedChild(Name(2), x);
    }
  }

  /** The attachments are side entries. */
  lemma HungIsAside(sides: Sides, n: nat, p: nat)
    requires Name(n) in sides.aside
    ensures IsAside(sides, Hung(n, p))
  {
    SilentEntry(Hung(n, p));
  }

  /** The two attachments are a chain of the call. */
  lemma HookedIsAChain()
    ensures var log, way := Hooked(), {Name(0), Name(3)};
            && Name(0) in Uuids(log) && Anchors(log, Quiet(), way, Name(0))
            && IsChain(log, Quiet(), way, Name(0), [Name(1), Name(2)])
  {
    hide WellFormed, UniqueUuids, Hook, Taken, Get, Children, Anchors;
    var log, way := Hooked(), {Name(0), Name(3)};
    HookedIsWellFormed();
    HookedHooks();
    HookedWay();
    HookedChildren();
    FewNamesDiffer();
    OneUse(Calling(), Name(9));
    CallsAreAnchors(log, Quiet(), way, Calling());
    HungIsAside(Quiet(), 1, 0);
    HungIsAside(Quiet(), 2, 1);
  }

  /** The fork at the result keeps both attachments, and the older fork neither. */
  lemma AForkKeepsAChain()
    ensures WellFormed(Hooked()) && Name(3) in Uuids(Hooked())
    ensures Beneath(Hooked(), map[], Quiet(), Name(3)) == {Name(1), Name(2)}
    ensures ForkBelow(Hooked(), map[], Quiet(), Name(3)) == Hooked()
    ensures Uuids(ForkKept(Hooked(), map[], Name(3))) == {Name(0), Name(3)}
  {
    hide WellFormed, UniqueUuids, Hangs, Hook, Taken, Get, Children, Anchors, Kept, Way, Members, Chains, IsChain;
    var log, way := Hooked(), {Name(0), Name(3)};
    HookedIsWellFormed();
    HookedWay();
    HookedIsAChain();
    FewNamesDiffer();
    ChainsHang(log, Quiet(), way, Name(0), [Name(1), Name(2)], 0);
    ChainsHang(log, Quiet(), way, Name(0), [Name(1), Name(2)], 1);
    HangingIsOfChains(log, Quiet(), way, Name(1));
    HangingIsOfChains(log, Quiet(), way, Name(2));
    ChainsHangTogether(log, Quiet(), way);
    ForkKeptHoldsExactlyWhatIsKept(log, map[], Name(3));
    KeepingAllIsTheLog(log, {Name(0), Name(3)} + {Name(1), Name(2)});
  }

  // --- A second child ---

  /** The same log, some time later: below the first attachment hangs another one, and the conversation went on. */
  opaque ghost function Grown(): Log {
    Hooked() + [Hung(4, 1)] + [Asks(5, Some(3), [])]
  }

  /** The log is well-formed. */
  lemma GrownIsWellFormed()
    ensures WellFormed(Grown()) && UniqueUuids(Grown())
    ensures |Grown()| == 6 && Grown()[5] == Asks(5, Some(3), [])
    ensures forall e :: e in Grown() <==>
                        e in {Calling(), Hung(1, 0), Hung(2, 1), Answered(3), Hung(4, 1), Asks(5, Some(3), [])}
    ensures Uuids(Grown()) == {Name(0), Name(1), Name(2), Name(3), Name(4), Name(5)}
    ensures Fits(Hooked(), Hung(4, 1)) && Fits(Hooked() + [Hung(4, 1)], Asks(5, Some(3), []))
  {
    hide WellFormed, UniqueUuids, Uuids, Get, AsOf, IndexOf;
    reveal Grown;
    HookedIsWellFormed();
    FewNamesDiffer();
    OneMore(Hooked(), Hung(4, 1));
    OneMore(Hooked() + [Hung(4, 1)], Asks(5, Some(3), []));
  }

  /** The way to its last entry. */
  lemma GrownWay()
    ensures WellFormed(Grown()) && Name(5) in Uuids(Grown()) && AsOf(Grown(), Name(5)) == Grown()
    ensures Kept(Grown(), map[], Name(5)) == Members(Grown(), Name(5)) == {Name(0), Name(3), Name(5)}
    ensures Way(Grown(), map[], Name(5)) == {Name(0), Name(3), Name(5)}
    ensures Taken(Grown(), {Name(0), Name(3), Name(5)}) == {Name(0), Name(3), Name(5)}
  {
    hide WellFormed, UniqueUuids, Kept, Members, Way, Taken;
    var log, way := Grown(), [Calling(), Answered(3), Asks(5, Some(3), [])];
    GrownIsWellFormed();
    FewNamesDiffer();
    OfThree(Calling(), Answered(3), Asks(5, Some(3), []));
    OneUse(Calling(), Name(9));
    OneResult(Answered(3), Name(9));
    SilentEntry(Asks(5, Some(3), []));
    TheWayIsAll(log, way, Name(5));
  }

  /** Two entries hang on the first attachment now, so no chain goes through it. */
  lemma GrownHasNoChains()
    ensures Chains(Grown(), Quiet(), {Name(0), Name(3), Name(5)}) == {}
  {
    hide WellFormed, UniqueUuids, Taken, Skipped, Passed, Get, Children, Whole, Hangs;
    var log, way := Grown(), {Name(0), Name(3), Name(5)};
    GrownIsWellFormed();
    GrownWay();
    FewNamesDiffer();
    HangsOnItsParent(log, Hung(1, 0), Calling());
    HangsOnItsParent(log, Hung(2, 1), Hung(1, 0));
    HangsOnItsParent(log, Hung(4, 1), Hung(1, 0));
    ChildrenExactly(log, way, Name(1), Hung(2, 1));
    ChildrenExactly(log, way, Name(1), Hung(4, 1));
    assert !Whole(log, Quiet(), way, Name(1)) by {
      reveal Whole;
    }
    NoChainBesideIt(log, Quiet(), way, Name(1), Name(2));
    NoChainBesideIt(log, Quiet(), way, Name(1), Name(4));
    forall e | e in log
      ensures !Hangs(log, Quiet(), way, e.uuid)
    {
      if e.uuid in way {
        WhatIsTakenDoesNotHang(log, Quiet(), way, e.uuid);
      } else {
        assert e.uuid in {Name(1), Name(2), Name(4)};
        reveal Hangs;
      }
    }
  }

  /** What hangs on an entry that is no anchor and no part of a whole chain does not hang. */
  lemma NoChainBesideIt(log: Log, sides: Sides, way: set<Id>, h: Id, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log) && h in Uuids(log) && h !in Taken(log, way)
    requires Hook(log, u) == Some(h)
    requires !Whole(log, sides, way, h)
    ensures !Hangs(log, sides, way, u)
  {
    hide UniqueUuids, Taken, Skipped, Whole, Anchors;
    if Anchors(log, sides, way, h) {
      AnchorsAreTaken(log, sides, way, h);
    }
  }

  /** A chain that forks is left out whole. */
  lemma AForkingChainIsLeftOut()
    ensures WellFormed(Grown()) && Name(5) in Uuids(Grown())
    ensures Beneath(Grown(), map[], Quiet(), Name(5)) == {}
    ensures Uuids(ForkBelow(Grown(), map[], Quiet(), Name(5))) == {Name(0), Name(3), Name(5)}
  {
    hide WellFormed, UniqueUuids, Kept, Way, Members, Chains;
    GrownIsWellFormed();
    GrownWay();
    GrownHasNoChains();
    ForkBelowHoldsExactly(Grown(), map[], Quiet(), Name(5));
  }

  /** What is below does not grow with the conversation: a second child makes entries leave. Each context holds its parent's,
    * but with what is below it does not. */
  lemma BelowIsNotMonotone()
    ensures var log, v, w := Grown(), Name(3), Name(5);
            && WellFormed(log) && v in Uuids(log) && w in Uuids(log)
            && Get(log, w).parent == Some(v)
            && Members(log, v) <= Members(log, w)
            && Beneath(log, map[], Quiet(), v) == {Name(1), Name(2)}
            && Kept(log, map[], w) + Beneath(log, map[], Quiet(), w) == {Name(0), Name(3), Name(5)}
            && Name(1) !in Kept(log, map[], w) + Beneath(log, map[], Quiet(), w)
  {
    hide WellFormed, UniqueUuids, Kept, Way, Members, Beneath, Get, ForkBelow;
    var between := Hooked() + [Hung(4, 1)];
    FewNamesDiffer();
    HookedIsWellFormed();
    GrownIsWellFormed();
    AForkKeepsAChain();
    AppendKeepsBelow(Hooked(), map[], map[], Quiet(), Quiet(), Hung(4, 1), Name(3));
    AppendKeepsBelow(between, map[], map[], Quiet(), Quiet(), Asks(5, Some(3), []), Name(3));
    assert Append(between, Asks(5, Some(3), [])) == Grown() by {
      reveal Grown;
    }
    GrownWay();
    AForkingChainIsLeftOut();
    GetFindsEntry(Grown(), Asks(5, Some(3), []));
    MembersOfParent(Grown(), Name(5));
  }

  /** A fork at an earlier entry of a fork may lack what the log has below there: the later one left it out. */
  lemma AForkForgetsWhatHungEarlier()
    ensures var log, v, w := Grown(), Name(3), Name(5);
            && WellFormed(log) && v in Uuids(log) && w in Uuids(log)
            && v in Members(log, w)
            && (var fork := ForkBelow(log, map[], Quiet(), w);
                && WellFormed(fork) && v in Uuids(fork)
                && Name(1) in Uuids(ForkBelow(log, map[], Quiet(), v))
                && Name(1) !in Uuids(ForkBelow(fork, map[], Quiet(), v)))
  {
    hide WellFormed, UniqueUuids, Kept, Way, Members, Beneath, Get, ForkBelow, Uuids;
    var log, v, w := Grown(), Name(3), Name(5);
    BelowIsNotMonotone();
    GrownWay();
    FewNamesDiffer();
    AForkingChainIsLeftOut();
    ForkBelowIsWellFormed(log, map[], Quiet(), w);
    var fork := ForkBelow(log, map[], Quiet(), w);
    ForkBelowHoldsExactly(log, map[], Quiet(), v);
    ForkBelowHoldsExactly(fork, map[], Quiet(), v);
  }

  // --- Another side ---

  /** The reader says of the attachments, and not of the call, on which side they are. */
  function Aside(): Sides {
    Sides({Name(1), Name(2)}, map[Name(1) := ValueNamed(0), Name(2) := ValueNamed(0)])
  }

  /** An attachment that says on which side it is does not hang below a call that does not say it. What hangs on it does not
    * either. */
  lemma AnotherSideIsLeftOut()
    ensures WellFormed(Hooked()) && Name(3) in Uuids(Hooked())
    ensures Beneath(Hooked(), map[], Aside(), Name(3)) == {}
    ensures Beneath(Hooked(), map[], Sides({Name(1), Name(2)}, map[]), Name(3)) == {Name(1), Name(2)}
  {
    hide WellFormed, UniqueUuids, Taken, Skipped, Passed, Get, Children, Whole, Hangs, Kept, Way, Members, Chains, Beneath;
    var log, way := Hooked(), {Name(0), Name(3)};
    HookedIsWellFormed();
    HookedWay();
    HookedHooks();
    FewNamesDiffer();
    assert !OnOneSide(Aside(), Name(0), Name(1));
    OnAnotherSideNothingHangs(log, Aside(), way, Name(0), Name(1));
    OnAnotherSideNothingHangsOn(log, Aside(), way, Name(1), Name(2));
    forall e | e in log
      ensures !Hangs(log, Aside(), way, e.uuid)
    {
      if e.uuid in way {
        WhatIsTakenDoesNotHang(log, Aside(), way, e.uuid);
      }
    }
    assert Chains(log, Aside(), way) == {} by {
      reveal Chains;
    }
    reveal Beneath;
    AForkKeepsAChain();
    var few := Sides({Name(1), Name(2)}, map[]);
    assert log[..4] == log;
    BelowInPrefix(log, map[], map[], Quiet(), few, 4, Name(3));
  }

  /** What is not on the side of its hook does not hang. */
  lemma OnAnotherSideNothingHangs(log: Log, sides: Sides, way: set<Id>, h: Id, u: Id)
    requires u in Uuids(log)
    requires Hook(log, u) == Some(h)
    requires !OnOneSide(sides, h, u)
    ensures !Hangs(log, sides, way, u)
  {
    hide Taken, Skipped, Whole, Anchors;
  }

  /** What hangs on an entry that is not taken and does not hang does not hang either. */
  lemma OnAnotherSideNothingHangsOn(log: Log, sides: Sides, way: set<Id>, h: Id, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log) && h in Uuids(log)
    requires Hook(log, u) == Some(h)
    requires h !in Taken(log, way) && !Hangs(log, sides, way, h)
    ensures !Hangs(log, sides, way, u)
  {
    hide UniqueUuids, Taken, Skipped, Whole, Anchors;
    if Anchors(log, sides, way, h) {
      AnchorsAreTaken(log, sides, way, h);
    }
  }

  // --- A line that is passed over ---

  /** A progress line. */
  function Going(n: nat, parent: nat): Entry {
    Plain(n, Some(parent), Progress, None, [])
  }

  /** A call, a progress line below it, an attachment below that, and the result of the call. */
  opaque ghost function Passing(): Log {
    [Calling(), Going(1, 0), Hung(2, 1), Answered(3)]
  }

  /** The log is well-formed. */
  lemma PassingIsWellFormed()
    ensures WellFormed(Passing()) && UniqueUuids(Passing())
    ensures |Passing()| == 4 && Passing()[3] == Answered(3)
    ensures forall e :: e in Passing() <==> e in {Calling(), Going(1, 0), Hung(2, 1), Answered(3)}
    ensures Uuids(Passing()) == {Name(0), Name(1), Name(2), Name(3)}
  {
    hide WellFormed, UniqueUuids, Uuids, Get, AsOf, IndexOf;
    reveal Passing;
    FewNamesDiffer();
    OfOne(Calling());
    OfTwo(Calling(), Going(1, 0));
    OfThree(Calling(), Going(1, 0), Hung(2, 1));
    OfFour(Calling(), Going(1, 0), Hung(2, 1), Answered(3));
  }

  /** The way to the result. */
  lemma PassingWay()
    ensures WellFormed(Passing()) && Name(3) in Uuids(Passing()) && AsOf(Passing(), Name(3)) == Passing()
    ensures Kept(Passing(), map[], Name(3)) == Members(Passing(), Name(3)) == {Name(0), Name(3)}
    ensures Way(Passing(), map[], Name(3)) == {Name(0), Name(3)}
    ensures Taken(Passing(), {Name(0), Name(3)}) == {Name(0), Name(3)}
  {
    hide WellFormed, UniqueUuids, Kept, Members, Way, Taken;
    var log, way := Passing(), [Calling(), Answered(3)];
    PassingIsWellFormed();
    FewNamesDiffer();
    OfTwo(Calling(), Answered(3));
    OneUse(Calling(), Name(9));
    OneResult(Answered(3), Name(9));
    TheWayIsAll(log, way, Name(3));
  }

  /** The attachment hangs on the call, as a client sees it, and the progress line lies between. */
  lemma PassingHooks()
    ensures WellFormed(Passing()) && Uuids(Passing()) == {Name(0), Name(1), Name(2), Name(3)}
    ensures Hook(Passing(), Name(2)) == Some(Name(0))
    ensures Get(Passing(), Name(2)) == Hung(2, 1)
    ensures Passed(Passing(), Some(Name(1))) == {Name(1)}
  {
    hide WellFormed, UniqueUuids, Skipped, Passed, Get;
    var log := Passing();
    PassingIsWellFormed();
    SilentEntry(Going(1, 0));
    GetFindsEntry(log, Calling());
    GetFindsEntry(log, Going(1, 0));
    GetFindsEntry(log, Hung(2, 1));
    SkippedUnfolds(log, Name(1));
    SkippedUnfolds(log, Name(0));
  }

  /** What hangs on an entry. */
  lemma PassingChild(x: Id)
    ensures x in Children(Passing(), {Name(0), Name(3)}, Name(0)) <==> x == Name(2)
    ensures x !in Children(Passing(), {Name(0), Name(3)}, Name(2))
  {
    hide WellFormed, UniqueUuids, Skipped, Taken, Children;
    var log, way := Passing(), {Name(0), Name(3)};
    PassingIsWellFormed();
    PassingWay();
    PassingHooks();
    FewNamesDiffer();
    GetFindsEntry(log, Going(1, 0));
    ChildrenExactly(log, way, Name(0), Hung(2, 1));
    if x in Children(log, way, Name(0)) {
      ChildStandsBehind(log, way, Name(0), x);
    }
    if x in Children(log, way, Name(2)) {
      ChildStandsBehind(log, way, Name(2), x);
    }
  }

  /** The attachment is a chain of the call. */
  lemma PassingIsAChain()
    ensures var log, way := Passing(), {Name(0), Name(3)};
            && Name(0) in Uuids(log) && Anchors(log, Quiet(), way, Name(0))
            && IsChain(log, Quiet(), way, Name(0), [Name(2)])
  {
    hide WellFormed, UniqueUuids, Hook, Taken, Get, Children, Anchors;
    var log, way := Passing(), {Name(0), Name(3)};
    PassingIsWellFormed();
    PassingWay();
    PassingHooks();
    FewNamesDiffer();
    OneUse(Calling(), Name(9));
    CallsAreAnchors(log, Quiet(), way, Calling());
    HungIsAside(Quiet(), 2, 1);
    PassingChild(Name(2));
    assert Children(log, way, Name(2)) == {} by {
      forall x
        ensures x !in Children(log, way, Name(2))
      {
        PassingChild(x);
      }
    }
  }

  /** The fork keeps the attachment, and along with it the progress line on which it hangs. */
  lemma AProgressLineIsKeptAlong()
    ensures WellFormed(Passing()) && Name(3) in Uuids(Passing())
    ensures Beneath(Passing(), map[], Quiet(), Name(3)) == {Name(1), Name(2)}
    ensures ForkBelow(Passing(), map[], Quiet(), Name(3)) == Passing()
  {
    hide WellFormed, UniqueUuids, Hangs, Hook, Taken, Anchors, Kept, Way, Members, Chains, IsChain, Passed, Get;
    var log, way := Passing(), {Name(0), Name(3)};
    PassingIsWellFormed();
    PassingWay();
    PassingHooks();
    PassingIsAChain();
    FewNamesDiffer();
    ChainsHang(log, Quiet(), way, Name(0), [Name(2)], 0);
    HangingIsOfChains(log, Quiet(), way, Name(2));
    ChainsHangTogether(log, Quiet(), way);
    KeepingAllIsTheLog(log, {Name(0), Name(3)} + {Name(1), Name(2)});
  }

  /** Without what is passed over, a fork would have an entry without its parent. */
  lemma WithoutThePassedAParentIsMissing()
    ensures WellFormed(Passing()) && !NoDanglingParents(Keep(Passing(), {Name(0), Name(2), Name(3)}))
  {
    hide WellFormed, UniqueUuids;
    PassingIsWellFormed();
    FewNamesDiffer();
    KeepHoldsExactly(Passing(), {Name(0), Name(2), Name(3)});
    UuidsOfKeep(Passing(), {Name(0), Name(2), Name(3)});
    assert Hung(2, 1) in Keep(Passing(), {Name(0), Name(2), Name(3)});
  }

  // --- A side entry on the way ---

  /** A call and its result; an attachment, on which the next prompt hangs; and beside that prompt another attachment. */
  opaque ghost function OnTheWay(): Log {
    [Calling(), Answered(1), Hung(2, 1), Hung(3, 2)] + [Asks(4, Some(2), [])]
  }

  /** The log is well-formed. */
  lemma OnTheWayIsWellFormed()
    ensures WellFormed(OnTheWay()) && UniqueUuids(OnTheWay())
    ensures |OnTheWay()| == 5 && OnTheWay()[4] == Asks(4, Some(2), [])
    ensures forall e :: e in OnTheWay() <==>
                        e in {Calling(), Answered(1), Hung(2, 1), Hung(3, 2), Asks(4, Some(2), [])}
    ensures Uuids(OnTheWay()) == {Name(0), Name(1), Name(2), Name(3), Name(4)}
  {
    hide WellFormed, UniqueUuids, Uuids, Get, AsOf, IndexOf;
    reveal OnTheWay;
    FewNamesDiffer();
    OfOne(Calling());
    OfTwo(Calling(), Answered(1));
    OfThree(Calling(), Answered(1), Hung(2, 1));
    OfFour(Calling(), Answered(1), Hung(2, 1), Hung(3, 2));
    OneMore([Calling(), Answered(1), Hung(2, 1), Hung(3, 2)], Asks(4, Some(2), []));
  }

  /** The way to the prompt. */
  lemma WayToThePrompt()
    ensures WellFormed(OnTheWay()) && Name(4) in Uuids(OnTheWay()) && AsOf(OnTheWay(), Name(4)) == OnTheWay()
    ensures Kept(OnTheWay(), map[], Name(4)) == Members(OnTheWay(), Name(4)) == {Name(0), Name(1), Name(2), Name(4)}
    ensures Way(OnTheWay(), map[], Name(4)) == {Name(0), Name(1), Name(2), Name(4)}
    ensures Taken(OnTheWay(), {Name(0), Name(1), Name(2), Name(4)}) == {Name(0), Name(1), Name(2), Name(4)}
  {
    hide WellFormed, UniqueUuids, Kept, Members, Way, Taken;
    var log, way := OnTheWay(), [Calling(), Answered(1), Hung(2, 1), Asks(4, Some(2), [])];
    OnTheWayIsWellFormed();
    FewNamesDiffer();
    OfFour(Calling(), Answered(1), Hung(2, 1), Asks(4, Some(2), []));
    OneUse(Calling(), Name(9));
    OneResult(Answered(1), Name(9));
    SilentEntry(Hung(2, 1));
    SilentEntry(Asks(4, Some(2), []));
    TheWayIsAll(log, way, Name(4));
  }

  /** The attachment on the way hangs on the result, so chains hang below it. */
  lemma TheWayAnchorsToo()
    ensures Name(2) in Uuids(OnTheWay())
    ensures Anchors(OnTheWay(), Sides({Name(2), Name(3)}, map[]), {Name(0), Name(1), Name(2), Name(4)}, Name(2))
  {
    hide WellFormed, UniqueUuids, Skipped, Taken, CallParts;
    var log, way, sides := OnTheWay(), {Name(0), Name(1), Name(2), Name(4)}, Sides({Name(2), Name(3)}, map[]);
    OnTheWayIsWellFormed();
    OneUse(Calling(), Name(9));
    OneResult(Answered(1), Name(9));
    CallsAreAnchors(log, sides, way, Calling());
    assert Answers(Calling(), Answered(1)) by {
      assert Name(9) in UsesOf(Calling()) * ResultsOf(Answered(1));
    }
    assert Name(1) in ResultsOfParts(log, way);
    HangsOnItsParent(log, Hung(2, 1), Answered(1));
    GetFindsEntry(log, Hung(2, 1));
    HookStandsBefore(log, Name(2));
    HungIsAside(sides, 2, 1);
  }

  /** Nothing but the other attachment hangs on the one on the way, and nothing hangs on that. */
  lemma WayChild(x: Id)
    ensures var way := {Name(0), Name(1), Name(2), Name(4)};
            && (x in Children(OnTheWay(), way, Name(2)) <==> x == Name(3))
            && x !in Children(OnTheWay(), way, Name(3))
  {
    hide WellFormed, UniqueUuids, Skipped, Taken, Children;
    var log, way := OnTheWay(), {Name(0), Name(1), Name(2), Name(4)};
    OnTheWayIsWellFormed();
    WayToThePrompt();
    FewNamesDiffer();
    HangsOnItsParent(log, Hung(3, 2), Hung(2, 1));
    ChildrenExactly(log, way, Name(2), Hung(3, 2));
    if x in Children(log, way, Name(2)) {
      ChildStandsBehind(log, way, Name(2), x);
    }
    if x in Children(log, way, Name(3)) {
      ChildStandsBehind(log, way, Name(3), x);
    }
  }

  /** What hangs below a side entry on the way is below. */
  lemma ASideEntryOnTheWayAnchors()
    ensures WellFormed(OnTheWay()) && Name(4) in Uuids(OnTheWay())
    ensures Beneath(OnTheWay(), map[], Sides({Name(2), Name(3)}, map[]), Name(4)) == {Name(3)}
  {
    hide WellFormed, UniqueUuids, Hangs, Hook, Taken, Anchors, Kept, Way, Members, Chains, Passed, Children;
    var log, way, sides := OnTheWay(), {Name(0), Name(1), Name(2), Name(4)}, Sides({Name(2), Name(3)}, map[]);
    OnTheWayIsWellFormed();
    WayToThePrompt();
    TheWayAnchorsToo();
    FewNamesDiffer();
    WayChild(Name(3));
    assert Children(log, way, Name(3)) == {} by {
      forall x
        ensures x !in Children(log, way, Name(3))
      {
        WayChild(x);
      }
    }
    GetFindsEntry(log, Hung(3, 2));
    HungIsAside(sides, 3, 2);
    assert IsChain(log, sides, way, Name(2), [Name(3)]);
    ChainsHang(log, sides, way, Name(2), [Name(3)], 0);
    HangingIsOfChains(log, sides, way, Name(3));
    ChainsHangTogether(log, sides, way);
  }

  // --- A compaction ---

  /** A boundary that continues the result. */
  function Cut(): Entry {
    Entry(Name(4), None, Some(Name(3)), System, None, [], false, 0, map[])
  }

  /** The log with a chain of two, then a boundary and its summary. */
  opaque ghost function Compacted(): Log {
    Hooked() + [Cut()] + [Asks(5, Some(4), [])]
  }

  /** The boundary preserves the call and its result. */
  function CallIsPreserved(): Preservation {
    map[Name(4) := Preserved(Name(5), [Name(0), Name(3)])]
  }

  /** The log is well-formed. */
  lemma CompactedIsWellFormed()
    ensures WellFormed(Compacted()) && UniqueUuids(Compacted())
    ensures forall e :: e in Compacted() <==> e in {Calling(), Hung(1, 0), Hung(2, 1), Answered(3), Cut(), Asks(5, Some(4), [])}
    ensures Uuids(Compacted()) == {Name(0), Name(1), Name(2), Name(3), Name(4), Name(5)}
    ensures IndexOf(Compacted(), Name(4)) == 4 && Compacted()[..4] == Hooked()
    ensures Get(Compacted(), Name(4)) == Cut() && Get(Compacted(), Name(5)) == Asks(5, Some(4), [])
    ensures AsOf(Compacted(), Name(5)) == Compacted()
  {
    hide WellFormed, UniqueUuids, Uuids, Get, AsOf, IndexOf;
    reveal Compacted;
    HookedIsWellFormed();
    FewNamesDiffer();
    OneMore(Hooked(), Cut());
    OneMore(Hooked() + [Cut()], Asks(5, Some(4), []));
    assert (Hooked() + [Cut()] + [Asks(5, Some(4), [])])[..4] == Hooked();
  }

  /** The conversation at the summary heeds what the boundary preserves: the call and its result are sent again. */
  lemma CallIsSentAgain()
    ensures WellFormed(Compacted()) && Name(5) in Uuids(Compacted())
    ensures {Name(0), Name(3)} <= Kept(Compacted(), CallIsPreserved(), Name(5))
  {
    hide WellFormed, UniqueUuids, Get, Members, IndexOf, AsOf, Kept, Reaches;
    var log, ids := Compacted(), [Name(0), Name(3)];
    CompactedIsWellFormed();
    HookedIsWellFormed();
    FewNamesDiffer();
    MembersContainsItself(log, Name(5));
    MembersOfParent(log, Name(5));
    assert Resolves(log, Name(4), ids);
    WhatIsHeededIsKept(log, CallIsPreserved(), Name(5), Name(4));
    assert ids[0] in ids && ids[1] in ids;
  }

  /** The way to the summary goes up to the boundary and crosses none. */
  lemma CompactedWay()
    ensures WellFormed(Compacted()) && Name(5) in Uuids(Compacted())
    ensures Way(Compacted(), CallIsPreserved(), Name(5)) == {Name(4), Name(5)}
  {
    hide WellFormed, UniqueUuids, Get, Members, IndexOf, AsOf, Ancestry, Crossed, Crosses;
    var log, way := Compacted(), [Cut(), Asks(5, Some(4), [])];
    CompactedIsWellFormed();
    FewNamesDiffer();
    OfTwo(Cut(), Asks(5, Some(4), []));
    RootPathIsAncestry(log, way, Name(5));
    CrossedIsTheLast(log, CallIsPreserved(), Name(5));
    forall a, b | a in way && b in Uuids(log)
      ensures !Crosses(log, CallIsPreserved(), b, a.uuid)
    {
      reveal Crosses;
    }
  }

  /** Below what is preserved hangs nothing: the call is sent again, and the attachments below it are not. */
  lemma NothingHangsBelowThePreserved()
    ensures WellFormed(Compacted()) && Name(5) in Uuids(Compacted())
    ensures {Name(0), Name(3)} <= Kept(Compacted(), CallIsPreserved(), Name(5))
    ensures Beneath(Compacted(), CallIsPreserved(), Quiet(), Name(5)) == {}
  {
    hide WellFormed, UniqueUuids, Kept, Way, Beneath, AsOf, Get, IndexOf;
    var log, way := Compacted(), {Name(4), Name(5)};
    CompactedIsWellFormed();
    CallIsSentAgain();
    CompactedWay();
    FewNamesDiffer();
    assert Parts(log, way) == {} by {
      forall w, a | w in log && w.uuid in way && a in log
        ensures !Mates(w, a)
      {
        assert w in {Cut(), Asks(5, Some(4), [])};
      }
    }
    assert CallParts(log, way) == {};
    NoCallsNothingBelow(log, CallIsPreserved(), Quiet(), Name(5));
  }

  // --- Witnesses ---

  /** What the theorems about chains need is there in the log with a chain of two. */
  lemma HookedMeetsTheConditions()
    ensures var log, way, ids := Hooked(), {Name(0), Name(3)}, {Name(0), Name(1), Name(2), Name(3)};
            && WellFormed(log) && UniqueUuids(log) && Uuids(log) == ids
            && Way(log, map[], Name(3)) == way && AsOf(log, Name(3)) == log
            && Kept(log, map[], Name(3)) == Members(log, Name(3)) == way
            && Beneath(log, map[], Quiet(), Name(3)) == {Name(1), Name(2)}
            && HoldsConversations(log, ids) && ParentClosed(log, ids)
            && Closed(log, way) && Taken(log, way) == way
            && Chains(log, Quiet(), way) <= ids
            && Name(0) in CallParts(log, way)
            && Anchors(log, Quiet(), way, Name(0))
            && Hangs(log, Quiet(), way, Name(1)) && Hangs(log, Quiet(), way, Name(2))
            && Children(log, way, Name(1)) == {Name(2)}
            && IsThread(log, Quiet(), way, [Name(2)]) && IsThread(log, Quiet(), way, [Name(1), Name(2)])
            && Hook(log, Name(1)) == Some(Name(0)) && Hook(log, Name(2)) == Some(Name(1))
  {
    hide WellFormed, UniqueUuids, Hangs, Hook, Taken, Get, Children, Anchors, Kept, Way, Members, Chains, Beneath;
    hide HoldsConversations;
    var log, way, ids := Hooked(), {Name(0), Name(3)}, {Name(0), Name(1), Name(2), Name(3)};
    HookedIsWellFormed();
    HookedWay();
    HookedHooks();
    HookedIsAChain();
    HookedChildren();
    FewNamesDiffer();
    AForkKeepsAChain();
    ChainsHang(log, Quiet(), way, Name(0), [Name(1), Name(2)], 0);
    ChainsHang(log, Quiet(), way, Name(0), [Name(1), Name(2)], 1);
    ChainsHangTogether(log, Quiet(), way);
    assert {Name(0), Name(3)} + {Name(1), Name(2)} == ids;
    KeptAndBelowAreWhole(log, map[], Quiet(), Name(3));
    WholeIsParentClosed(log, ids);
    OneUse(Calling(), Name(9));
    CallsAreAnchors(log, Quiet(), way, Calling());
    assert Name(0) in CallParts(log, way) by {
      assert Mates(Calling(), Calling());
    }
    assert IsThread(log, Quiet(), way, [Name(1), Name(2)]) by {
      assert [Name(1), Name(2)][0] == Name(1);
    }
    HungIsAside(Quiet(), 2, 1);
  }

  /** The theorems about what is passed over and taken apply to it. */
  lemma TheoremsApplyToWhatIsTaken()
  {
    hide WellFormed, UniqueUuids, Hangs, Taken, Children, Anchors, Kept, Way, Members, Chains, Beneath, Skipped, CallParts, Get;
    hide Keep, Whole, IsThread;
    var log, way, ids := Hooked(), {Name(0), Name(3)}, {Name(0), Name(1), Name(2), Name(3)};
    HookedMeetsTheConditions();
    HookedIsWellFormed();
    FewNamesDiffer();
    assert log[..4] == log;
    SkippedInPrefix(log, 4, Some(Name(0)));
    SkippedInKeep(log, ids, Some(Name(0)));
    GetFindsEntry(log, Hung(1, 0));
    PassedLeadsToSkipped(log, Some(Name(0)));
    SkippedUnfolds(log, Name(0));
    HookStandsBefore(log, Name(1));
    TakenIsWithin(log, way, way);
    CallPartsAreParts(log, way);
    MatesArePartsToo(log, way, Calling(), Calling());
    AnchorsAreTaken(log, Quiet(), way, Name(0));
    WayIsOfTheConversation(log, map[], Name(3));
    TakenIsOfTheConversation(log, map[], Name(3));
    ChildrenExactly(log, way, Name(1), Hung(2, 1));
    ChildHangsToo(log, Quiet(), way, Name(1), Hung(2, 1));
    WhatHangsHangsOn(log, Quiet(), way, Name(1));
    ChainsNeedNothingMore(log, Quiet(), way, way);
    HangingIsOfChains(log, Quiet(), way, Name(1));
    HangingHasOneChild(log, Quiet(), way, Name(1), Name(2));
    ChildStandsBehind(log, way, Name(1), Name(2));
  }

  /** The theorems about forks apply to it. */
  lemma TheoremsApplyToItsFork()
  {
    hide *;
    reveal Quiet;
    var log, way, ids := Hooked(), {Name(0), Name(3)}, {Name(0), Name(1), Name(2), Name(3)};
    HookedMeetsTheConditions();
    BelowIsOfChains(log, map[], Quiet(), Name(3));
    BelowStandsAside(log, map[], Quiet(), Name(3));
    BelowHangsOnWhatIsSent(log, map[], Quiet(), Name(3));
    BelowIsSilent(log, map[], Quiet(), Name(3));
    ForkBelowIsWellFormed(log, map[], Quiet(), Name(3));
    ForkBelowHoldsExactly(log, map[], Quiet(), Name(3));
    ForkBelowPreservesContexts(log, map[], Quiet(), Name(3), Name(1));
    KeptInKeep(log, ids, map[], Name(3));
    ReachesWithinInKeep(log, ids, map[], Name(3));
    WhatIsReachedIsThere(log, map[], Name(3));
    SameReachedSameKept(log, log, map[], Name(3));
    ForkBelowKeepsTheSame(log, map[], Quiet(), Name(3));
    TakenInKeep(log, ids, way);
    HookInKeep(log, ids, Name(1));
    ChildrenInKeep(log, ids, way, Name(1));
    AnchorsInKeep(log, Quiet(), ids, way, Name(0)) by {
      UuidsOfKeep(log, ids);
    }
    WholeInKeep(log, Quiet(), ids, way, Name(1));
    HangsInKeep(log, Quiet(), ids, way, Name(1));
    ChainsInKeep(log, Quiet(), ids, way);
    BelowOfForkBelow(log, map[], Quiet(), Name(3));
    ForkBelowOfForkBelow(log, map[], Quiet(), Name(3));
    BalancedWithBelow(log, map[], Quiet(), Name(3), way);
    ForkBelowIsBalancedExactly(log, map[], Quiet(), Name(3));
    LegalWithBelow(log, map[], Quiet(), Name(3), Name(1));
    ForkKeptLeavesBelow(log, map[], Quiet(), Name(3));
    assert CrossesNoOther(log, map[], Name(3), Name(3)) by {
      reveal CrossesNoOther;
    }
    ForkBelowPreservesRendering(log, map[], Quiet(), Name(3), Name(3));
    LegalToSendWithBelow(log, map[], Quiet(), Name(3));
    NoSideEntriesNoBelow(log, map[], map[], Name(3));
    BelowIsAsOf(log, map[], Quiet(), Name(3));
    HangingIsInSomeChain(log, Quiet(), way, Name(1));
    BelowIsChains(log, map[], Quiet(), Name(3), Name(1));
  }

  /** What keeps the parts of its messages is there. */
  lemma TheoremsApplyToItsParts()
  {
    hide WellFormed, UniqueUuids, Kept, Way, Members, Chains, Beneath, Hangs, Children, Anchors, CallParts, Hook, Mates;
    var log, way, ids := Hooked(), {Name(0), Name(3)}, {Name(0), Name(1), Name(2), Name(3)};
    HookedMeetsTheConditions();
    assert Parts(log, way) <= Taken(log, way);
    PartsInKeep(log, ids, way);
  }

  /** The theorems about growth and about chains apply to it. */
  lemma TheoremsApplyToItsChain()
  {
    hide WellFormed, UniqueUuids, Hangs, Hook, Taken, Get, Children, Anchors, Kept, Way, Members, Chains, Beneath, Whole, Agree;
    hide ForkBelow, IsChain, IsThread, Append, Fits;
    var log, way, few := Hooked(), {Name(0), Name(3)}, Sides({Name(1), Name(2)}, map[]);
    HookedMeetsTheConditions();
    HookedIsWellFormed();
    HookedIsAChain();
    GrownIsWellFormed();
    FewNamesDiffer();
    assert AgreeOnSides(log, Quiet(), few);
    AnchorsAlike(log, Quiet(), few, way, Name(0));
    WholeAlike(log, Quiet(), few, way, Name(1));
    HangsAlike(log, Quiet(), few, way, Name(1));
    ChainsAlike(log, Quiet(), few, way);
    assert log[..4] == log;
    assert Agree(log, map[], map[]) by {
      reveal Agree;
    }
    WayInPrefix(log, map[], map[], 4, Name(3));
    BelowInPrefix(log, map[], map[], Quiet(), few, 4, Name(3));
    AsOfIsInPrefix(log, 4, Name(3));
    AppendKeepsBelow(log, map[], map[], Quiet(), few, Hung(4, 1), Name(3));
    SilentEntry(Hung(1, 0));
    SilentBlocksAreOpaque(Hung(1, 0));
    HungIsAside(Quiet(), 1, 0);
    SilentEntriesStandAlone(Quiet(), Hung(1, 0));
    SilentEntry(Hung(2, 1));
    SilentLeavesTheBooks(log, way, {Name(1), Name(2)});
    ChainsAreWhole(log, Quiet(), way, Name(0), [Name(1), Name(2)], 0);
    ChainsHang(log, Quiet(), way, Name(0), [Name(1), Name(2)], 1);
    var chain := HangingGoesDown(log, Quiet(), way, Name(1));
    var anchor, all := HangingGoesUp(log, Quiet(), way, Name(1), chain);
  }

  /** A thread of one entry goes on upwards. */
  lemma TheThreadGoesUp()
  {
    hide WellFormed, UniqueUuids, Hangs, Hook, Taken, Get, Children, Anchors, Kept, Way, Members, Chains, Beneath, IsThread;
    var log, way := Hooked(), {Name(0), Name(3)};
    HookedMeetsTheConditions();
    HookedHooks();
    FewNamesDiffer();
    HungIsAside(Quiet(), 1, 0);
    ThreadGoesUp(log, Quiet(), way, Name(1), [Name(2)]);
  }

  /** In a chat nothing calls, so nothing is below. */
  lemma TheoremsApplyToAChat()
    ensures WellFormed(Chat()) && Name(1) in Uuids(Chat())
    ensures Beneath(Chat(), map[], Quiet(), Name(1)) == {}
  {
    hide WellFormed, UniqueUuids, Way, Anchors, Hangs, Beneath, Kept;
    var log := Chat();
    ChatIsWellFormed();
    var way := Way(log, map[], Name(1));
    SilentEntry(Prompt());
    SilentEntry(Reply());
    assert CallParts(log, way) == {};
    NoCallsNothingBelow(log, map[], Quiet(), Name(1));
    NoCallsNoAnchors(log, Quiet(), way, Name(0));
    NoCallsNoAnchors(log, Quiet(), way, Name(1));
    NoAnchorsNothingHangs(log, Quiet(), way, Name(1));
  }

  /** A call is a part of its own message. */
  lemma TheoremsApplyToTheCall()
  {
    hide WellFormed, UniqueUuids, Taken, Anchors;
    HookedIsWellFormed();
    OneUse(Calling(), Name(9));
    CallsAreAnchors(Hooked(), Quiet(), {Name(0)}, Calling());
    PartsAreOfMessages(Hooked(), {Name(0)}, Calling());
    ResultsAreOfCallParts(Hooked(), {Name(0)});
  }

  // --- What trails ---

  /** Both attachments trail behind the call, as seen from the first of them. */
  lemma AttachmentsTrail()
    ensures var log := Hooked();
            && WellFormed(log) && Name(0) in Uuids(log) && Name(1) in Uuids(log) && Name(2) in Uuids(log)
            && Get(log, Name(0)) == Calling()
            && Spoken(log, Name(1)) == Some(Name(0))
            && Follows(log, Quiet(), Name(0), Name(1)) && Follows(log, Quiet(), Name(0), Name(2))
            && IsNoted(Quiet(), Hung(1, 0)) && IsNoted(Quiet(), Hung(2, 1))
            && {Name(1), Name(2)} <= Trailing(log, Quiet(), Name(1))
  {
    hide WellFormed, UniqueUuids, Get, IndexOf, Uuids, IsAside, Passed;
    var log := Hooked();
    HookedIsWellFormed();
    FewNamesDiffer();
    assert log[0] == Calling() && log[1] == Hung(1, 0) && log[2] == Hung(2, 1) by {
      reveal Hooked;
    }
    IndexOfIsPosition(log, 0);
    IndexOfIsPosition(log, 1);
    IndexOfIsPosition(log, 2);
    GetFindsEntry(log, Calling());
    GetFindsEntry(log, Hung(1, 0));
    GetFindsEntry(log, Hung(2, 1));
    HungIsAside(Quiet(), 1, 0);
    HungIsAside(Quiet(), 2, 1);
    assert Spoken(log, Name(0)) == Some(Name(0));
    assert Follows(log, Quiet(), Name(0), Name(0));
    assert Follows(log, Quiet(), Name(0), Name(1));
    assert Follows(log, Quiet(), Name(0), Name(2));
  }

  /** One more attachment may follow, and readers agree on the others. */
  lemma OneMoreFits()
    ensures Fits(Hooked(), Hung(4, 3))
    ensures Agree(Hooked(), map[], map[]) && AgreeOnSides(Hooked(), Quiet(), Quiet())
  {
    hide Uuids;
    HookedIsWellFormed();
    FewNamesDiffer();
  }

  /** The theorems about what trails apply to them. */
  lemma TheoremsApplyToWhatTrails()
  {
    hide *;
    reveal Quiet;
    var log, ids := Hooked(), {Name(0), Name(1), Name(2), Name(3)};
    AttachmentsTrail();
    HookedMeetsTheConditions();
    HookedIsWellFormed();
    SpokenIsAbove(log, Name(1));
    WhatFollowsHangsOnWhatFollows(log, Quiet(), Name(0), Name(1)) by {
      reveal Calling, Asks, Plain;
    }
    NotedHangsOnWhatTrails(log, Quiet(), Name(1), Name(0), Hung(1, 0)) by {
      reveal Hung, Plain, Uuids;
    }
    OneConversationInKeep(log, ids, Name(3));
    ForkSentHoldsExactly(log, map[], Quiet(), Name(3), 4);
    ForkSentPreservesContexts(log, map[], Quiet(), Name(3), 4, Name(3));
    ForkSentIsBalancedExactly(log, map[], Quiet(), Name(3), 4);
    SpokenInKeep(log, ids, Name(1));
    EntryInKeep(log, ids, Name(1));
    FollowsInKeep(log, ids, Quiet(), Name(0), Name(1));
    TrailingHangsTogether(log, Quiet(), Name(1));
    TrailingInKeep(log, ids, Quiet(), Name(1));
    SentBesideStandsAside(log, map[], Quiet(), Name(3), 4);
    OneMoreFits();
    AppendKeepsWhatIsSent(log, map[], map[], Quiet(), Quiet(), Hung(4, 3), Name(3), 4);
  }

  // --- What is sent, forked again, grown, trimmed, left out and written ---

  /** The fork that keeps all that is sent is the log. */
  lemma AllIsSent()
    ensures var log, ids := Hooked(), {Name(0), Name(1), Name(2), Name(3)};
            && WellFormed(log) && Name(3) in Uuids(log)
            && Kept(log, map[], Name(3)) + SentBeside(log, map[], Quiet(), Name(3), 4) == ids
            && HoldsConversations(log, ids) && ParentClosed(log, ids)
            && Beneath(log, map[], Quiet(), Name(3)) <= ids
  {
    hide *;
    var log, ids := Hooked(), {Name(0), Name(1), Name(2), Name(3)};
    HookedMeetsTheConditions();
    ForkSentHoldsExactly(log, map[], Quiet(), Name(3), 4);
    assert Beneath(log, map[], Quiet(), Name(3)) <= SentBeside(log, map[], Quiet(), Name(3), 4) by {
      reveal SentBeside;
    }
  }

  /** The theorems about what becomes of it apply. */
  lemma TheoremsApplyToWhatIsSent()
  {
    hide *;
    reveal Quiet;
    var log, ids := Hooked(), {Name(0), Name(1), Name(2), Name(3)};
    AllIsSent();
    HookedMeetsTheConditions();
    HookedIsWellFormed();
    OneMoreFits();
    ForkSentOfForkSent(log, map[], Quiet(), Name(3), 4);
    BelowStaysInKeep(log, ids, map[], Quiet(), Name(3));
    WhatTrailsStaysInFork(log, map[], Quiet(), Name(3), 4);
    assert log[..4] == log;
    PrefixHasWhatIsSent(log, map[], map[], Quiet(), Quiet(), 4, Name(3), 4);
    assert Merging.Union(log, []) == log by {
      reveal Merging.Union, Merging.News, Keep;
    }
    UnionKeepsWhatIsSent(log, [], map[], map[], Quiet(), Quiet(), Name(3), 4);
    TrimKeepsWhatIsSent(log, map[], map[], Quiet(), Name(3), 4);
    DropKeepsWhatHangs(log, map[], Quiet(), Name(3), 4, {});
  }

  /** A log is alike to itself. */
  lemma LogIsAlikeToItself(log: Log)
    ensures AllAlike(log, log)
  {
  }

  /** The theorems about logs that are alike apply. */
  lemma TheoremsApplyToAlikeLogs()
  {
    hide *;
    reveal Quiet;
    var log, way, call := Hooked(), {Name(0), Name(3)}, Calling();
    HookedMeetsTheConditions();
    HookedIsWellFormed();
    LogIsAlikeToItself(log);
    assert Alike(call, call) by {
      reveal Alike, SameShape, SamePart;
    }
    AlikeStandAsideTogether(Quiet(), call, call);
    AlikeMate(call, call, call, call);
    AlikeGet(log, log, Name(1));
    AlikeSkipped(log, log, Some(Name(1)));
    AlikeHook(log, log, Name(1));
    AlikeAncestry(log, log, Name(3));
    AlikeHeed(log, log, map[], {}, Name(1));
    AlikePreservers(log, log, map[], Name(1));
    AlikeLast(log, log, {});
    AlikeCrossed(log, log, map[], Name(3));
    AlikeKept(log, log, map[], Name(3));
    AlikeWay(log, log, map[], Name(3));
    var twin := AlikeTwin(log, log, call);
    AlikeTakenIn(log, log, way);
    AlikeGoesBack(log, log);
    AlikeTaken(log, log, way);
    AlikeChildrenIn(log, log, way, Name(1));
    AlikeChildren(log, log, way, Name(1));
    AlikeAnchors(log, log, Quiet(), way, Name(0));
    AlikeWhole(log, log, Quiet(), way, Name(1));
    AlikeHangs(log, log, Quiet(), way, Name(1));
    AlikeChainsIn(log, log, Quiet(), way);
    AlikeSpoken(log, log, Name(1));
    AlikeFollows(log, log, Quiet(), Name(0), Name(1));
    AlikeTrailingIn(log, log, Quiet(), Name(1));
    AlikeSendTheSame(log, log, map[], Quiet(), Name(3), 4);
  }

  /** A file that was asked for is read as the fork that keeps all that is sent. */
  lemma TheoremsApplyToItsFile()
  {
    var log := [Prompt()];
    CertificatesExamples.ThePromptAloneForks();
    CertificatesExamples.AForkIsAskedFor();
    CertificatesExamples.AForkIsAccepted();
    assert WellFormed(log) && Name(0) in Uuids(log);
    ForkSentHoldsExactly(log, map[], Quiet(), Name(0), 0);
    hide *;
    reveal ForkSent;
    CertificatesExamples.KeepOfOne(log[0], Kept(log, map[], Name(0)) + SentBeside(log, map[], Quiet(), Name(0), 0));
    AcceptedFileHoldsWhatIsSent(
      CertificatesExamples.Numbered(), CertificatesExamples.OnlyThePrompt(), (line: Certificates.Text) => Prompt(),
      log, map[], Quiet(), Name(0), 0, [[1], [5]]);
  }

  /** From the bytes read to the bytes written: the file of a prompt, forked there, is sent as it was. */
  lemma TheoremsApplyFromFileToFile()
  {
    var log := [Prompt()];
    CertificatesExamples.ThePromptAloneForks();
    CertificatesExamples.AFileIsTaken();
    CertificatesExamples.AForkIsAskedFor();
    CertificatesExamples.AForkIsAccepted();
    var format, file := CertificatesExamples.ByFirstBytes(), Appends.Append([], [[1], [5]]);
    assert WellFormed(log) && Name(0) in Uuids(log);
    assert Certificates.SessionOf(format, file) == CertificatesExamples.Alone();
    assert CertificatesExamples.Alone().log == log && CertificatesExamples.Alone().preserved == map[];
    assert format.reading == CertificatesExamples.Numbered();
    assert IndexOf(log, Name(0)) == 0;
    ForkSentHoldsExactly(log, map[], Quiet(), Name(0), 0);
    SentBesideStandsAside(log, map[], Quiet(), Name(0), 0);
    NothingTrailsBehindTheEnd(log, map[], Quiet(), Name(0), 0);
    assert AgreeOnSides(log, Quiet(), Quiet());
    hide *;
    reveal ForkSent;
    var ids := Kept(log, map[], Name(0)) + SentBeside(log, map[], Quiet(), Name(0), 0);
    CertificatesExamples.KeepOfOne(log[0], ids);
    assert ForkSent(log, map[], Quiet(), Name(0), 0) == log;
    TheWholeIsWhole(log, Name(0), ids);
    assert Certificates.InOrder(log) == [Name(0)] by {
      reveal Certificates.InOrder;
      assert log[1..] == [];
      assert Certificates.InOrder(log[1..]) == [];
    }
    assert CertificatesExamples.OnlyThePrompt().kept == [Name(0)] by {
      reveal CertificatesExamples.OnlyThePrompt;
    }
    ForkOfAFileIsSentAsTheFileWas(format, file, CertificatesExamples.OnlyThePrompt(), file, Quiet(), Quiet(), Name(0), 0);
    ForkIsSentAsTheLogWas(log, map[], map[], Quiet(), Quiet(), Name(0), 0) by {
      reveal Agree;
    }
    ForkEndsAtItsPoint(log, map[], Quiet(), Name(0), 0);
    SentAtThePointOfAFork(log, map[], Name(0));
    ClientLoadsTheConversationExactly(log, Name(0));
  }

  /** All of a log holds each of its conversations. */
  lemma TheWholeIsWhole(log: Log, u: Id, ids: set<Id>)
    requires UniqueUuids(log)
    requires ids == Uuids(log)
    ensures HoldsConversations(log, ids)
  {
    forall v | v in Uuids(log)
      ensures Members(log, v) <= ids
    {
      MembersAreAsOf(log, v);
      AsOfHoldsExactly(log, v, v);
    }
  }
}

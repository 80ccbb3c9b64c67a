// Chapter 21, proofs: every change keeps a thread sound and every old event and timeline as they were; a stale append changes nothing;
// of two appends on one head one is taken; a retry appends once; the timeline by segments is the walk by parents; a state is the same
// by snapshot and by replay; fan-in gives one result a task; and reports of many clients have an explanation exactly where no two
// contradict each other.
include "01-Entries.Proofs.dfy"
include "03-Ancestries.Proofs.dfy"
include "21-Worldlines.dfy"

module WorldlinesProofs {
  import opened Names
  import opened Entries
  import opened Ancestries
  import opened Worldlines
  import EntriesProofs
  import AncestriesProofs

  // --- Sound threads stay sound ---

  /** The first place of an id is its only one. */
  lemma FoundOnce(lines: seq<Worldline>, i: nat, from: nat)
    requires UniqueIds(lines)
    requires from <= i < |lines|
    ensures Find(lines, lines[i].id, from) == Some(i)
    decreases i - from
  {
    if from < i {
      FoundOnce(lines, i, from + 1);
    }
  }

  /** The owner of an event is the worldline that has it. */
  lemma OwnerIsTheOne(lines: seq<Worldline>, i: nat, event: Id, from: nat)
    requires OwnedOnce(lines)
    requires from <= i < |lines| && event in lines[i].own
    ensures Owner(lines, event, from) == Some(i)
  {
    forall j | 0 <= j < |lines| && j != i
      ensures event !in lines[j].own
    {
      assert Apart(lines[i], lines[j]);
    }
    assert Owner(lines, event, from).Some?;
  }

  /** P1, P2 over worldlines: a taken append keeps a thread sound. */
  lemma AppendKeepsThreadsValid(t: Thread, id: Id, event: Entry, expected: Option<Id>)
    requires ValidThread(t)
    ensures ValidThread(AppendTo(t, id, event, expected).0)
    ensures GoesOn(AppendTo(t, id, event, expected).0, t)
  {
    hide Chained, Rooted, EachOnce, Apart, WellFormed, Uuids, Owned, Before;
      var (after, outcome) := AppendTo(t, id, event, expected);
    if outcome.Taken? {
      var at := Find(t.lines, id, 0).value;
      var line := t.lines[at];
      var grown := line.(own := line.own + [event.uuid]);
      assert after == Thread(t.log + [event], t.lines[at := grown]);
      WellFormedWithOneMore(t.log, event);
      forall i | 0 <= i < |t.lines|
        ensures event.uuid !in t.lines[i].own
      {
        OwnEventsAreInTheLog(t, i, event.uuid);
      }
      forall i | 0 <= i < |after.lines|
        ensures Rooted(after.lines, i)
      {
        reveal Rooted;
        assert Rooted(t.lines, i);
      }
      forall i | 0 <= i < |after.lines|
        ensures Chained(after.log, after.lines[i])
      {
        ChainedWithOneMore(t.log, event, t.lines[i]);
        if i == at {
          ChainGrows(t.log, event, line);
        }
      }
      forall i | 0 <= i < |after.lines|
        ensures EachOnce(after.lines[i].own)
      {
        reveal EachOnce;
        assert EachOnce(t.lines[i].own);
      }
      forall i, j | 0 <= i < |after.lines| && 0 <= j < |after.lines| && i != j
        ensures Apart(after.lines[i], after.lines[j])
      {
        reveal Apart;
        assert Apart(t.lines[i], t.lines[j]);
      }
      forall e | e in after.log
        ensures Owned(after.lines, e.uuid)
      {
        reveal Owned;
        if e in t.log {
          assert Owned(t.lines, e.uuid);
          var i :| 0 <= i < |t.lines| && e.uuid in t.lines[i].own;
          assert e.uuid in after.lines[i].own;
        } else {
          assert e.uuid in after.lines[at].own;
        }
      }
    }
  }

  /** What a worldline appended is in the log. */
  lemma OwnEventsAreInTheLog(t: Thread, i: nat, event: Id)
    requires AllChained(t.log, t.lines)
    requires i < |t.lines|
    ensures event in t.lines[i].own ==> event in Uuids(t.log)
  {
    assert Chained(t.log, t.lines[i]);
  }

  /** A log with one more entry that fits is well-formed, and finds its old entries as before. */
  lemma WellFormedWithOneMore(log: Log, e: Entry)
    requires WellFormed(log)
    requires Fits(log, e)
    ensures WellFormed(log + [e])
    ensures Uuids(log + [e]) == Uuids(log) + {e.uuid}
    ensures Get(log + [e], e.uuid) == e
    ensures forall u | u in Uuids(log) :: u in Uuids(log + [e]) && Get(log + [e], u) == Get(log, u)
  {
    var more := log + [e];
    assert more[..|more| - 1] == log && more[|more| - 1] == e;
    EntriesProofs.UuidsOfConcatenation(log, [e]);
    assert e in more;
    EntriesProofs.WellFormedHasUniqueUuids(more);
    EntriesProofs.GetFindsEntry(more, e);
    forall u | u in Uuids(log)
      ensures u in Uuids(more) && Get(more, u) == Get(log, u)
    {
      assert Get(log, u) in more;
      EntriesProofs.GetFindsEntry(more, Get(log, u));
    }
  }

  /** A chain stays one when the log grows. */
  lemma ChainedWithOneMore(log: Log, e: Entry, line: Worldline)
    requires WellFormed(log)
    requires Fits(log, e)
    requires Chained(log, line)
    ensures Chained(log + [e], line)
  {
    WellFormedWithOneMore(log, e);
  }

  /** A chain with the event that continues its head is one. */
  lemma ChainGrows(log: Log, e: Entry, line: Worldline)
    requires WellFormed(log)
    requires Fits(log, e)
    requires Chained(log, line)
    requires e.parent == Head(line)
    ensures Chained(log + [e], line.(own := line.own + [e.uuid]))
  {
    hide Uuids, WellFormed, Get;
    WellFormedWithOneMore(log, e);
    var grown := line.(own := line.own + [e.uuid]);
    forall k | 0 <= k < |grown.own|
      ensures grown.own[k] in Uuids(log + [e]) && Get(log + [e], grown.own[k]).parent == Before(grown, k)
    {
      if k < |line.own| {
        assert grown.own[k] == line.own[k];
        assert Before(grown, k) == Before(line, k);
      }
    }
  }

  /** A taken branch keeps a thread sound. */
  lemma BranchKeepsThreadsValid(t: Thread, id: Id, base: Option<Id>)
    requires ValidThread(t)
    ensures ValidThread(Branch(t, id, base).0)
    ensures GoesOn(Branch(t, id, base).0, t)
  {
    hide Chained, Rooted, EachOnce, Apart, WellFormed, Uuids, Owned, Before;
      var (after, outcome) := Branch(t, id, base);
    if outcome.Taken? {
      var last := after.lines[|t.lines|];
      forall i | 0 <= i < |after.lines|
        ensures Rooted(after.lines, i)
      {
        reveal Rooted;
        if i < |t.lines| {
          assert Rooted(t.lines, i);
        }
      }
      assert Chained(t.log, last) by {
        reveal Chained;
      }
      assert EachOnce(last.own) by {
        reveal EachOnce;
      }
      forall i, j | 0 <= i < |after.lines| && 0 <= j < |after.lines| && i != j
        ensures Apart(after.lines[i], after.lines[j])
      {
        reveal Apart;
        if i < |t.lines| && j < |t.lines| {
          assert Apart(t.lines[i], t.lines[j]);
        }
      }
      forall e | e in after.log
        ensures Owned(after.lines, e.uuid)
      {
        reveal Owned;
        assert Owned(t.lines, e.uuid);
        var i :| 0 <= i < |t.lines| && e.uuid in t.lines[i].own;
        assert e.uuid in after.lines[i].own;
      }
    }
  }

  /** P5 over worldlines: whatever is done, a sound thread stays sound, and it goes on: no event, origin or place changes. */
  lemma ChangesKeepThreadsValid(t: Thread, changes: seq<Change>)
    requires ValidThread(t)
    ensures ValidThread(DoAll(t, changes))
    ensures GoesOn(DoAll(t, changes), t)
    decreases |changes|
  {
    if |changes| > 0 {
      var next := Do(t, changes[0]).0;
      match changes[0] {
        case Appending(id, event, expected) => AppendKeepsThreadsValid(t, id, event, expected);
        case Branching(id, base) => BranchKeepsThreadsValid(t, id, base);
      }
      ChangesKeepThreadsValid(next, changes[1..]);
      GoesOnIsTransitive(DoAll(next, changes[1..]), next, t);
    }
  }

  /** What goes on from what goes on goes on. */
  lemma GoesOnIsTransitive(latest: Thread, later: Thread, t: Thread)
    requires GoesOn(latest, later)
    requires GoesOn(later, t)
    ensures GoesOn(latest, t)
  {
    assert latest.log[..|t.log|] == latest.log[..|later.log|][..|t.log|];
  }

  // --- P7, P8, P18 ---

  /** P7: an append with another head than the one that is there changes nothing, and names both. */
  lemma StaleAppendChangesNothing(t: Thread, i: nat, event: Entry, expected: Option<Id>)
    requires ValidThread(t)
    requires i < |t.lines|
    requires event.uuid !in Uuids(t.log)
    requires expected != Head(t.lines[i])
    ensures AppendTo(t, t.lines[i].id, event, expected) == (t, Stale(expected, Head(t.lines[i])))
  {
    FoundOnce(t.lines, i, 0);
  }

  /** An append that fits on the head that is expected is taken: the event becomes the head of its worldline, and nothing else changes. */
  lemma FittingAppendIsTaken(t: Thread, i: nat, event: Entry)
    requires ValidThread(t)
    requires i < |t.lines|
    requires Fits(t.log, event)
    requires event.parent == Head(t.lines[i])
    ensures var (after, outcome) := AppendTo(t, t.lines[i].id, event, Head(t.lines[i]));
            && outcome.Taken?
            && after.log == t.log + [event]
            && |after.lines| == |t.lines|
            && after.lines[i] == t.lines[i].(own := t.lines[i].own + [event.uuid])
            && Head(after.lines[i]) == Some(event.uuid)
            && (forall j | 0 <= j < |t.lines| && j != i :: after.lines[j] == t.lines[j])
  {
    FoundOnce(t.lines, i, 0);
  }

  /** P7: an append was done before exactly if its worldline has this very event, whatever head is expected. It is stale exactly if
    * nothing has its id and the head is another, whether or not it would fit. It is taken exactly if nothing has its id, the head is
    * the one that is expected, and it fits there. Otherwise it is refused. Only an append that is taken changes anything. */
  lemma AppendEndsExactly(t: Thread, i: nat, event: Entry, expected: Option<Id>)
    requires ValidThread(t)
    requires i < |t.lines|
    ensures var (after, outcome) := AppendTo(t, t.lines[i].id, event, expected);
            && (outcome.Again? <==> event in t.log && event.uuid in t.lines[i].own)
            && (outcome.Stale? <==> event.uuid !in Uuids(t.log) && expected != Head(t.lines[i]))
            && (outcome.Taken? <==>
                event.uuid !in Uuids(t.log) && expected == Head(t.lines[i]) && event.parent == expected && Fits(t.log, event))
            && (!outcome.Taken? ==> after == t)
  {
    FoundOnce(t.lines, i, 0);
    EntriesProofs.WellFormedHasUniqueUuids(t.log);
    if event in t.log {
      EntriesProofs.GetFindsEntry(t.log, event);
    }
  }

  /** P8: of two different events appended to one worldline on one head, the first is taken, and the second is stale: it is told the
    * head that it expected, and the first event, which is there. So exactly one wins, whichever comes first. */
  lemma OneOfTwoAppendsIsTaken(t: Thread, i: nat, first: Entry, second: Entry)
    requires ValidThread(t)
    requires i < |t.lines|
    requires Fits(t.log, first) && Fits(t.log, second)
    requires first.uuid != second.uuid
    requires first.parent == Head(t.lines[i])
    ensures var (after, outcome) := AppendTo(t, t.lines[i].id, first, Head(t.lines[i]));
            && outcome.Taken?
            && AppendTo(after, t.lines[i].id, second, Head(t.lines[i]))
               == (after, Stale(Head(t.lines[i]), Some(first.uuid)))
  {
    var head := Head(t.lines[i]);
    FittingAppendIsTaken(t, i, first);
    AppendKeepsThreadsValid(t, t.lines[i].id, first, head);
    var after := AppendTo(t, t.lines[i].id, first, head).0;
    WellFormedWithOneMore(t.log, first);
    assert head != Some(first.uuid) by {
      HeadIsInTheLog(t, i);
    }
    StaleAppendChangesNothing(after, i, second, head);
  }

  /** The head of a worldline is in the log, and so is the event from which it comes. */
  lemma HeadIsInTheLog(t: Thread, i: nat)
    requires ValidThread(t)
    requires i < |t.lines|
    ensures Base(t.lines[i]).Some? ==> Base(t.lines[i]).value in Uuids(t.log)
    ensures Head(t.lines[i]).Some? ==> Head(t.lines[i]).value in Uuids(t.log)
  {
    assert Rooted(t.lines, i) && Chained(t.log, t.lines[i]);
    if t.lines[i].origin.Some? {
      var from := t.lines[i].origin.value;
      assert Chained(t.log, t.lines[from.line]);
      var k :| 0 <= k < |t.lines[from.line].own| && t.lines[from.line].own[k] == from.event;
    }
  }

  /** P18: an append that was taken, asked once more, whatever happened since, changes nothing. So is a branch. */
  lemma RetryAppendsOnce(t: Thread, id: Id, event: Entry, expected: Option<Id>, since: seq<Change>)
    requires ValidThread(t)
    requires AppendTo(t, id, event, expected).1.Taken?
    ensures var later := DoAll(AppendTo(t, id, event, expected).0, since);
            forall whatever: Option<Id> :: AppendTo(later, id, event, whatever) == (later, Again)
  {
    var after := AppendTo(t, id, event, expected).0;
    var i := Find(t.lines, id, 0).value;
    AppendKeepsThreadsValid(t, id, event, expected);
    ChangesKeepThreadsValid(after, since);
    var later := DoAll(after, since);
    StandsInWhatGoesOn(later, after, i, event);
  }

  /** An event of a worldline is there in whatever goes on: appending it again changes nothing. */
  lemma StandsInWhatGoesOn(later: Thread, t: Thread, i: nat, event: Entry)
    requires ValidThread(later)
    requires GoesOn(later, t)
    requires i < |t.lines| && event in t.log && event.uuid in t.lines[i].own
    ensures forall whatever: Option<Id> :: AppendTo(later, t.lines[i].id, event, whatever) == (later, Again)
  {
    hide AllRooted, AllChained, OwnedOnce, Owned, Head, Fits;
    FoundOnce(later.lines, i, 0);
    assert event.uuid in later.lines[i].own;
    assert event in later.log by {
      assert event in later.log[..|t.log|];
    }
    EntriesProofs.WellFormedHasUniqueUuids(later.log);
    EntriesProofs.GetFindsEntry(later.log, event);
  }

  /** A branch that was made, asked once more, changes nothing; the same id for another place is refused. */
  lemma RetryBranchesOnce(t: Thread, id: Id, base: Option<Id>, since: seq<Change>, other: Option<Id>)
    requires ValidThread(t)
    requires Branch(t, id, base).1.Taken?
    ensures var later := DoAll(Branch(t, id, base).0, since);
            Branch(later, id, other) == (later, if other == base then Again else Refused)
  {
    var after := Branch(t, id, base).0;
    var i := |t.lines|;
    BranchKeepsThreadsValid(t, id, base);
    ChangesKeepThreadsValid(after, since);
    var later := DoAll(after, since);
    FoundOnce(later.lines, i, 0) by {
      assert later.lines[i].id == after.lines[i].id == id;
    }
    assert Base(later.lines[i]) == Base(after.lines[i]);
  }

  // --- P9, P17 ---

  /** An event stands in one place of a worldline. */
  lemma PlaceIsTheOne(lines: seq<Worldline>, i: nat, k: nat)
    requires OwnedOnce(lines)
    requires i < |lines| && k < |lines[i].own|
    ensures PlaceOf(lines[i].own, lines[i].own[k]) == k
  {
    var place := PlaceOf(lines[i].own, lines[i].own[k]);
    assert lines[i].own[place] == lines[i].own[k];
  }

  /** The walk to an event is the walk to its parent, and the event. */
  lemma WalkUnfolds(log: Log, event: Id)
    requires WellFormed(log)
    requires event in Uuids(log)
    ensures Get(log, event).parent.Some? ==> Get(log, event).parent.value in Uuids(log)
    ensures Walk(log, Some(event)) == Walk(log, Get(log, event).parent) + [event]
  {
    var e := Get(log, event);
    AncestriesProofs.AncestryUnfolds(log, event);
    if e.parent.None? {
      assert [e][..|[e]| - 1] == [];
      assert Ids([e]) == Ids([]) + [event];
    } else {
      var way := Ancestry(log, e.parent.value);
      assert (way + [e])[..|way + [e]| - 1] == way;
      assert Ids(way + [e]) == Ids(way) + [event];
    }
  }

  /** The timeline as of an own event is the one before it, and the event. */
  lemma TimelineUnfolds(lines: seq<Worldline>, i: nat, k: nat)
    requires AllRooted(lines)
    requires i < |lines| && 0 < k <= |lines[i].own|
    ensures TimelineTo(lines, i, k) == TimelineTo(lines, i, k - 1) + [lines[i].own[k - 1]]
  {
    assert Rooted(lines, i);
    assert lines[i].own[..k] == lines[i].own[..k - 1] + [lines[i].own[k - 1]];
  }

  /** The timeline before all own events is that of the source, as of the event from which the worldline comes. */
  lemma TimelineBegins(lines: seq<Worldline>, i: nat)
    requires AllRooted(lines)
    requires i < |lines|
    ensures lines[i].origin.None? ==> TimelineTo(lines, i, 0) == []
    ensures lines[i].origin.Some? ==>
              var from := lines[i].origin.value;
              && from.line < i && from.event in lines[from.line].own
              && var place := PlaceOf(lines[from.line].own, from.event);
              && TimelineTo(lines, i, 0) == TimelineTo(lines, from.line, place + 1)
              && Before(lines[from.line], place + 1) == Some(from.event) == Before(lines[i], 0)
  {
    assert Rooted(lines, i);
    assert lines[i].own[..0] == [];
  }

  /** P17: the timeline of a worldline by segments, as of any of its own events, is the walk by parents that ends there. */
  lemma TimelineIsTheWalk(t: Thread, i: nat, k: nat)
    requires ValidThread(t)
    requires i < |t.lines| && k <= |t.lines[i].own|
    ensures Before(t.lines[i], k).Some? ==> Before(t.lines[i], k).value in Uuids(t.log)
    ensures TimelineTo(t.lines, i, k) == Walk(t.log, Before(t.lines[i], k))
    decreases i, k
  {
    hide Walk, Uuids, WellFormed, OwnedOnce, UniqueIds, Owned, TimelineTo, Rooted, PlaceOf;
    var line := t.lines[i];
    if k > 0 {
      TimelineIsTheWalk(t, i, k - 1);
      TimelineUnfolds(t.lines, i, k);
      assert Chained(t.log, line);
      WalkUnfolds(t.log, line.own[k - 1]);
    } else {
      TimelineBegins(t.lines, i);
      if line.origin.Some? {
        var from := line.origin.value;
        TimelineIsTheWalk(t, from.line, PlaceOf(t.lines[from.line].own, from.event) + 1);
      } else {
        reveal Walk;
      }
    }
  }

  /** P9: what goes on leaves every timeline as it was, as of every event; also the walk by parents at every old event. */
  lemma OldTimelinesStay(later: Thread, t: Thread, i: nat, k: nat)
    requires ValidThread(t) && ValidThread(later)
    requires GoesOn(later, t)
    requires i < |t.lines| && k <= |t.lines[i].own|
    ensures k <= |later.lines[i].own|
    ensures TimelineTo(later.lines, i, k) == TimelineTo(t.lines, i, k)
    ensures Before(later.lines[i], k) == Before(t.lines[i], k)
    decreases i, k
  {
    hide WellFormed, Uuids, AllChained, UniqueIds, Owned, TimelineTo, Rooted, EachOnce, Apart;
    assert t.lines[i].own <= later.lines[i].own && later.lines[i].origin == t.lines[i].origin;
    if k > 0 {
      OldTimelinesStay(later, t, i, k - 1);
      TimelineUnfolds(t.lines, i, k);
      TimelineUnfolds(later.lines, i, k);
    } else {
      TimelineBegins(t.lines, i);
      TimelineBegins(later.lines, i);
      if t.lines[i].origin.Some? {
        var from := t.lines[i].origin.value;
        var place := PlaceOf(t.lines[from.line].own, from.event);
        assert later.lines[from.line].own[place] == from.event;
        PlaceIsTheOne(later.lines, from.line, place);
        OldTimelinesStay(later, t, from.line, place + 1);
      }
    }
  }

  /** P9: a branch leaves the log and every worldline that is there as they are. What it holds is what its source had at that event. */
  lemma BranchLeavesAllUntouched(t: Thread, id: Id, event: Id)
    requires ValidThread(t)
    requires Find(t.lines, id, 0).None?
    requires event in Uuids(t.log)
    ensures var (after, outcome) := Branch(t, id, Some(event));
            && outcome.Taken?
            && ValidThread(after)
            && after.log == t.log
            && |after.lines| == |t.lines| + 1 && after.lines[..|t.lines|] == t.lines
            && Head(after.lines[|t.lines|]) == Some(event)
            && Timeline(after.lines, |t.lines|) == Walk(t.log, Some(event))
  {
    var e: Entry :| e in t.log && e.uuid == event;
    var owner :| 0 <= owner < |t.lines| && event in t.lines[owner].own;
    assert Owner(t.lines, event, 0).Some?;
    BranchKeepsThreadsValid(t, id, Some(event));
    var after := Branch(t, id, Some(event)).0;
    TimelineIsTheWalk(after, |t.lines|, 0);
  }

  /** P9, in both directions: what is done to other worldlines does not show in a worldline. */
  lemma OthersDoNotShow(t: Thread, change: Change, i: nat)
    requires ValidThread(t)
    requires i < |t.lines|
    requires change.Appending? ==> change.id != t.lines[i].id
    ensures var after := Do(t, change).0;
            && ValidThread(after)
            && i < |after.lines|
            && after.lines[i] == t.lines[i]
            && Timeline(after.lines, i) == Timeline(t.lines, i)
  {
    hide ValidThread, TimelineTo, GoesOn;
    match change {
      case Appending(id, event, expected) => AppendKeepsThreadsValid(t, id, event, expected);
      case Branching(id, base) => BranchKeepsThreadsValid(t, id, base);
    }
    var after := Do(t, change).0;
    assert i < |after.lines| && after.lines[i] == t.lines[i];
    OldTimelinesStay(after, t, i, |t.lines[i].own|);
  }

  // --- P15 ---

  /** P15: the state at an event from the nearest right snapshot and the events behind it is the state by replay of all events. Without
    * any snapshot it is that replay. */
  lemma RestoreIsReplay<S(!new)>(reduce: Reducer<S>, start: S, log: Log, snapshots: map<Id, S>, event: Id)
    requires WellFormed(log)
    requires event in Uuids(log)
    requires Right(reduce, start, log, snapshots)
    ensures Restore(reduce, start, snapshots, Ancestry(log, event)) == StateAt(reduce, start, log, event)
    ensures Restore(reduce, start, map[], Ancestry(log, event)) == StateAt(reduce, start, log, event)
    decreases IndexOf(log, event)
  {
    hide Ancestry;
    var way, e := Ancestry(log, event), Get(log, event);
    AncestriesProofs.AncestryUnfolds(log, event);
    var above := way[..|way| - 1];
    if e.parent.None? {
      assert above == [];
    } else {
      EntriesProofs.ParentStandsBefore(log, event);
      RestoreIsReplay(reduce, start, log, snapshots, e.parent.value);
      assert above == Ancestry(log, e.parent.value);
    }
    assert way[|way| - 1] == e && e.uuid == event;
    assert StateAt(reduce, start, log, event) == reduce(Replay(reduce, start, above), e);
    assert Restore(reduce, start, map[], way) == reduce(Restore(reduce, start, map[], above), e);
  }

  /** P15: a state is restored from the last snapshot on the way, whatever that says, and the events behind it alone. */
  lemma RestoreGoesOnFromTheLastSnapshot<S>(
    reduce: Reducer<S>, start: S, snapshots: map<Id, S>, way: seq<Entry>, n: nat)
    requires n <= |way|
    requires forall k | n <= k < |way| :: way[k].uuid !in snapshots
    ensures n == 0 ==> Restore(reduce, start, snapshots, way) == Replay(reduce, start, way)
    ensures n > 0 && way[n - 1].uuid in snapshots ==>
              Restore(reduce, start, snapshots, way) == Replay(reduce, snapshots[way[n - 1].uuid], way[n..])
    decreases |way|
  {
    if |way| > n {
      var above := way[..|way| - 1];
      RestoreGoesOnFromTheLastSnapshot(reduce, start, snapshots, above, n);
      assert way[n..][..|way| - n - 1] == above[n..];
    }
  }

  /** P15: a right snapshot stays right whatever is appended, and the state at an old event stays what it was. */
  lemma SnapshotsStayRight<S(!new)>(reduce: Reducer<S>, start: S, log: Log, n: nat, snapshots: map<Id, S>)
    requires WellFormed(log)
    requires n <= |log|
    requires WellFormed(log[..n])
    requires snapshots.Keys <= Uuids(log[..n])
    requires Right(reduce, start, log[..n], snapshots)
    ensures Right(reduce, start, log, snapshots)
    ensures forall event | event in Uuids(log[..n]) ::
              event in Uuids(log) && StateAt(reduce, start, log, event) == StateAt(reduce, start, log[..n], event)
  {
    forall event | event in Uuids(log[..n])
      ensures event in Uuids(log) && StateAt(reduce, start, log, event) == StateAt(reduce, start, log[..n], event)
    {
      AncestriesProofs.AncestryInPrefix(log, n, event);
    }
  }

  // --- P22 ---

  /** P22: fan-in gives one result a task, in the order of the tasks, that of which nothing is known has timed out, and the counters add
    * up, each to how many ended so. */
  lemma OneResultATask<R>(tasks: seq<Id>, known: map<Id, Ending<R>>)
    ensures var all := Gather(tasks, known);
            && |all.results| == |tasks|
            && all.completed + all.failed + all.timedOut == |tasks|
            && (forall i | 0 <= i < |tasks| :: all.results[i] == if tasks[i] in known then known[tasks[i]] else TimedOut)
            && all.completed == HowMany(all.results, (one: Ending<R>) => one.Completed?)
            && all.failed == HowMany(all.results, (one: Ending<R>) => one.Failed?)
            && all.timedOut == HowMany(all.results, (one: Ending<R>) => one.TimedOut?)
  {
    ResultsOfTasks(tasks, known);
    Counted(tasks, known, (one: Ending<R>) => one.Completed?, (one: Ending<R>) => one.Failed?, (one: Ending<R>) => one.TimedOut?);
  }

  /** What came of each task, and that each is counted once. */
  lemma ResultsOfTasks<R>(tasks: seq<Id>, known: map<Id, Ending<R>>)
    ensures var all := Gather(tasks, known);
            && |all.results| == |tasks|
            && all.completed + all.failed + all.timedOut == |tasks|
            && (forall i | 0 <= i < |tasks| :: all.results[i] == if tasks[i] in known then known[tasks[i]] else TimedOut)
    decreases |tasks|
  {
    if |tasks| > 0 {
      ResultsOfTasks(tasks[..|tasks| - 1], known);
    }
  }

  /** Each counter says how many ended so. */
  lemma Counted<R>(
    tasks: seq<Id>,
    known: map<Id, Ending<R>>,
    completed: Ending<R> -> bool,
    failed: Ending<R> -> bool,
    timedOut: Ending<R> -> bool)
    requires forall one: Ending<R> :: completed(one) == one.Completed?
    requires forall one: Ending<R> :: failed(one) == one.Failed?
    requires forall one: Ending<R> :: timedOut(one) == one.TimedOut?
    ensures var all := Gather(tasks, known);
            && all.completed == HowMany(all.results, completed)
            && all.failed == HowMany(all.results, failed)
            && all.timedOut == HowMany(all.results, timedOut)
    decreases |tasks|
  {
    if |tasks| > 0 {
      var before, last := Gather(tasks[..|tasks| - 1], known), tasks[|tasks| - 1];
      var ending := if last in known then known[last] else TimedOut;
      Counted(tasks[..|tasks| - 1], known, completed, failed, timedOut);
      HowManyOfLast(before.results, ending, completed);
      HowManyOfLast(before.results, ending, failed);
      HowManyOfLast(before.results, ending, timedOut);
    }
  }

  /** How many of some things are such. */
  function HowMany<T>(all: seq<T>, such: T -> bool): nat
    decreases |all|
  {
    if |all| == 0 then 0 else HowMany(all[..|all| - 1], such) + (if such(all[|all| - 1]) then 1 else 0)
  }

  /** One thing more counts if it is such. */
  lemma HowManyOfLast<T>(all: seq<T>, last: T, such: T -> bool)
    ensures HowMany(all + [last], such) == HowMany(all, such) + (if such(last) then 1 else 0)
  {
    assert (all + [last])[..|all + [last]| - 1] == all;
  }

  /** P17: the timeline of a worldline is the walk by parents from its head. */
  lemma TimelineIsTheWalkFromTheHead(t: Thread, i: nat)
    requires ValidThread(t)
    requires i < |t.lines|
    ensures Head(t.lines[i]).Some? ==> Head(t.lines[i]).value in Uuids(t.log)
    ensures Timeline(t.lines, i) == Walk(t.log, Head(t.lines[i]))
  {
    TimelineIsTheWalk(t, i, |t.lines[i].own|);
  }

  /** No snapshots are right, and so are those of events that are not there. */
  lemma NothingSnappedIsRight<S>(reduce: Reducer<S>, start: S, log: Log, snapshots: map<Id, S>)
    requires WellFormed(log)
    ensures Right(reduce, start, log, map[])
    ensures Right(reduce, start, [], snapshots)
  {
  }

  // --- Histories ---

  /** No report is wrong about nothing: each one more must be answered after it is called, and without any only the count counts. */
  lemma ReportsOneByOne(size: nat, reports: seq<Report>, next: Report, count: nat -> nat, moment: nat -> nat)
    ensures AnsweredLater([])
    ensures AnsweredLater(reports + [next]) <==> AnsweredLater(reports) && next.called <= next.answered
    ensures MomentsInOrder([next], moment) <==> next.called <= next.answered
    ensures Explains(size, [], count, moment) <==> Increases(size, count)
  {
    var more := reports + [next];
    assert more[|reports|] == next;
    if AnsweredLater(more) {
      forall i | 0 <= i < |reports| ensures reports[i].called <= reports[i].answered {
        assert more[i] == reports[i];
      }
    }
  }

  /** A moment in which nothing happens, before all others, changes nothing of a report. */
  lemma HappenedOneMomentLater(report: Report, count: nat -> nat, moment: nat)
    ensures Happened(report, (x: nat) => if x == 0 then count(0) else count(x - 1), moment + 1) <==> Happened(report, count, moment)
  {
  }

  /** P8: what one worldline can explain does not contradict itself. */
  lemma ExplainedReportsAreConsistent(size: nat, reports: seq<Report>)
    requires Explained(size, reports)
    ensures ConsistentReports(size, reports)
  {
    var count: nat -> nat, moment: nat -> nat :| Explains(size, reports, count, moment);
    forall i | 0 <= i < |reports|
      ensures PossibleReport(size, reports[i])
    {
      assert Happened(reports[i], count, moment(i));
      assert count(moment(i) + 1) <= size && count(moment(i)) <= size;
    }
    forall i, j | 0 <= i < |reports| && 0 <= j < |reports| && i != j
      ensures ReportsAgree(reports[i], reports[j])
    {
      assert Happened(reports[i], count, moment(i));
      assert Happened(reports[j], count, moment(j));
      LaterMoments(size, count, moment(i), moment(j));
      LaterMoments(size, count, moment(j), moment(i));
    }
  }

  /** A later moment has no fewer own events. */
  lemma LaterMoments(size: nat, count: nat -> nat, x: nat, y: nat)
    requires Increases(size, count)
    ensures x <= y ==> count(x) <= count(y)
    ensures x <= y ==> count(x + 1) <= count(y + 1)
    ensures x < y ==> count(x + 1) <= count(y)
  {
  }

  /** The time of the last call. */
  function LastCall(reports: seq<Report>): nat
    ensures forall i | 0 <= i < |reports| :: reports[i].called <= LastCall(reports)
    decreases |reports|
  {
    if |reports| == 0 then 0
    else
      var before, last := LastCall(reports[..|reports| - 1]), reports[|reports| - 1].called;
      assert forall i | 0 <= i < |reports| - 1 :: reports[i] == reports[..|reports| - 1][i];
      if last > before then last else before
  }

  /** An append led beyond the `p - 1`-th own event to the `p`-th and those that it left behind. */
  predicate Spans(report: Report, p: nat) {
    report.Went? && report.from < p <= report.to
  }

  /** How many own events there are once the `p`-th is there: an append leaves all of its own at once. */
  ghost function SpanEnd(reports: seq<Report>, p: nat): nat
    ensures p <= SpanEnd(reports, p)
  {
    if i :| 0 <= i < |reports| && Spans(reports[i], p) then reports[i].to else p
  }

  /** With an append that spans it, it is what that left. */
  lemma SpanEndIs(size: nat, reports: seq<Report>, i: nat, p: nat)
    requires ConsistentReports(size, reports)
    requires i < |reports| && Spans(reports[i], p)
    ensures SpanEnd(reports, p) == reports[i].to
  {
    var j :| 0 <= j < |reports| && Spans(reports[j], p) && SpanEnd(reports, p) == reports[j].to;
    if i != j {
      assert ReportsAgree(reports[i], reports[j]);
    }
  }

  /** With more own events it is no less. */
  lemma SpanEndIncreases(size: nat, reports: seq<Report>, p: nat, q: nat)
    requires ConsistentReports(size, reports)
    requires p <= q
    ensures SpanEnd(reports, p) <= SpanEnd(reports, q)
  {
    if i :| 0 <= i < |reports| && Spans(reports[i], p) {
      SpanEndIs(size, reports, i, p);
      if q <= reports[i].to {
        SpanEndIs(size, reports, i, q);
      }
    }
  }

  /** The moment behind which the `p`-th own event is there. */
  ghost function GateOf(reports: seq<Report>, step: nat, p: nat): nat {
    Steps(2 * SpanEnd(reports, p), step)
  }

  /** How many own events there are at a moment. */
  ghost function CountAt(reports: seq<Report>, step: nat, size: nat, x: nat): nat
    ensures CountAt(reports, step, size, x) <= size
  {
    if size == 0 then 0 else if GateOf(reports, step, size) < x then size else CountAt(reports, step, size - 1, x)
  }

  /** So many steps of one size. */
  function Steps(many: nat, step: nat): nat
    decreases many
  {
    if many == 0 then 0 else step + Steps(many - 1, step)
  }

  /** More steps lead at least one step further. */
  lemma MoreSteps(a: nat, b: nat, step: nat)
    ensures a < b ==> Steps(a, step) + step <= Steps(b, step)
    ensures a <= b ==> Steps(a, step) <= Steps(b, step)
    decreases b
  {
    if a < b {
      MoreSteps(a, b - 1, step);
    }
  }

  /** The gates come one behind the other. */
  lemma GateIncreases(size: nat, reports: seq<Report>, step: nat, p: nat, q: nat)
    requires ConsistentReports(size, reports)
    requires p <= q
    ensures GateOf(reports, step, p) <= GateOf(reports, step, q)
  {
    SpanEndIncreases(size, reports, p, q);
    MoreSteps(2 * SpanEnd(reports, p), 2 * SpanEnd(reports, q), step);
  }

  /** So many own events are there at a moment whose gate was passed, when the next was not. */
  lemma CountAtIs(whole: nat, reports: seq<Report>, step: nat, size: nat, x: nat, p: nat)
    requires ConsistentReports(whole, reports)
    requires p <= size
    requires p == 0 || GateOf(reports, step, p) < x
    requires p == size || x <= GateOf(reports, step, p + 1)
    ensures CountAt(reports, step, size, x) == p
    decreases size
  {
    if p < size {
      GateIncreases(whole, reports, step, p + 1, size);
      CountAtIs(whole, reports, step, size - 1, x, p);
    }
  }

  /** Later there are no fewer own events. */
  lemma CountIncreases(reports: seq<Report>, step: nat, size: nat, x: nat, y: nat)
    requires x <= y
    ensures CountAt(reports, step, size, x) <= CountAt(reports, step, size, y)
    decreases size
  {
    if size > 0 {
      CountIncreases(reports, step, size - 1, x, y);
    }
  }

  /** The moment of a report: by its rank, and looks of one rank by their calls. */
  function MomentOf(report: Report, step: nat): nat {
    Steps(ReportRank(report), step) + if report.Saw? then report.called else 0
  }

  /** P8: reports that do not contradict each other are those of one worldline that was read and written one by one. */
  lemma ConsistentReportsAreExplained(size: nat, reports: seq<Report>)
    requires AnsweredLater(reports)
    requires ConsistentReports(size, reports)
    ensures Explained(size, reports)
  {
    var step := LastCall(reports) + 1;
    var count := (x: nat) => CountAt(reports, step, size, x);
    var moment := (i: nat) => if i < |reports| then MomentOf(reports[i], step) else 0;
    forall x: nat, y: nat | x <= y
      ensures count(x) <= count(y)
    {
      CountIncreases(reports, step, size, x, y);
    }
    assert Increases(size, count);
    forall i, j | 0 <= i < |reports| && 0 <= j < |reports| && reports[i].answered < reports[j].called
      ensures moment(i) < moment(j)
    {
      MomentsAreInOrder(size, reports, step, i, j);
    }
    forall i | 0 <= i < |reports|
      ensures Happened(reports[i], count, moment(i))
    {
      HappensThere(size, reports, step, i);
    }
    forall i, j | 0 <= i < |reports| && 0 <= j < |reports| && i != j && reports[i].Went? && reports[j].Went?
      ensures moment(i) != moment(j)
    {
      assert ReportsAgree(reports[i], reports[j]);
      assert PossibleReport(size, reports[i]) && PossibleReport(size, reports[j]);
      MoreSteps(ReportRank(reports[i]), ReportRank(reports[j]), step);
      MoreSteps(ReportRank(reports[j]), ReportRank(reports[i]), step);
    }
    assert Explains(size, reports, count, moment);
  }

  /** These moments respect what was answered before what. */
  lemma MomentsAreInOrder(size: nat, reports: seq<Report>, step: nat, i: nat, j: nat)
    requires AnsweredLater(reports)
    requires ConsistentReports(size, reports)
    requires step == LastCall(reports) + 1
    requires i < |reports| && j < |reports| && reports[i].answered < reports[j].called
    ensures MomentOf(reports[i], step) < MomentOf(reports[j], step)
  {
    assert i != j;
    assert ReportsAgree(reports[j], reports[i]) && ReportsAgree(reports[i], reports[j]);
    MoreSteps(ReportRank(reports[i]), ReportRank(reports[j]), step);
    assert PossibleReport(size, reports[i]) && PossibleReport(size, reports[j]);
  }

  /** At its moment each report is what the worldline was. */
  lemma HappensThere(size: nat, reports: seq<Report>, step: nat, i: nat)
    requires ConsistentReports(size, reports)
    requires step == LastCall(reports) + 1
    requires i < |reports|
    ensures
      var x := MomentOf(reports[i], step);
      match reports[i]
      case Saw(at, _, _) => CountAt(reports, step, size, x) == at
      case Went(from, to, _, _) =>
        from < to && CountAt(reports, step, size, x) == from && CountAt(reports, step, size, x + 1) == to
  {
    var x := MomentOf(reports[i], step);
    assert PossibleReport(size, reports[i]);
    match reports[i]
    case Saw(at, called, _) =>
      NoAppendIsHalfDone(size, reports, i, at);
      MoreSteps(2 * at, 2 * at + 1, step);
      MoreSteps(2 * at + 1, 2 * SpanEnd(reports, at + 1), step);
      CountAtIs(size, reports, step, size, x, at);
    case Went(from, to, _, _) =>
      NoAppendIsHalfDone(size, reports, i, from);
      SpanEndIs(size, reports, i, from + 1);
      MoreSteps(2 * from, 2 * to, step);
      CountAtIs(size, reports, step, size, x, from);
      SpanEndIs(size, reports, i, to);
      MoreSteps(2 * to, 2 * SpanEnd(reports, to + 1), step);
      CountAtIs(size, reports, step, size, x + 1, to);
  }

  /** Where a report finds a worldline, no append is half done. */
  lemma NoAppendIsHalfDone(size: nat, reports: seq<Report>, i: nat, p: nat)
    requires ConsistentReports(size, reports)
    requires i < |reports|
    requires p == (if reports[i].Saw? then reports[i].at else reports[i].from)
    ensures SpanEnd(reports, p) == p
  {
    if j :| 0 <= j < |reports| && Spans(reports[j], p) {
      SpanEndIs(size, reports, j, p);
      if j != i {
        assert ReportsAgree(reports[j], reports[i]);
        assert PossibleReport(size, reports[i]);
      }
    }
  }

  /** P8: reports have an explanation exactly where no two of them contradict each other. */
  lemma ReportsAreExplainedWhenConsistent(size: nat, reports: seq<Report>)
    requires AnsweredLater(reports)
    ensures Explained(size, reports) <==> ConsistentReports(size, reports)
  {
    if Explained(size, reports) {
      ExplainedReportsAreConsistent(size, reports);
    }
    if ConsistentReports(size, reports) {
      ConsistentReportsAreExplained(size, reports);
    }
  }
}

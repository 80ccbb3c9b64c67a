// Chapter 10, examples: a compacted session that meets the theorems' conditions, and plausible statements about rendered
// contexts that are false.
include "07-Forks.Examples.dfy"
include "10-Rendering.Proofs.dfy"

module RenderingExamples {
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
  import opened BalanceProofs
  import opened BalanceExamples
  import opened Forks
  import opened ForksProofs
  import opened Rendering
  import opened RenderingProofs

  // --- A compacted session ---

  /** An entry that needs nothing but its parent. */
  predicate Quiet(e: Entry) {
    !e.kind.Assistant? && UsesOf(e) == {}
  }

  /** A boundary and its summary need nothing of the log but each other. */
  predicate AreOnTheirOwn(log: Log, b: Entry, s: Entry) {
    && b.parent.None? && s.parent == Some(b.uuid)
    && (forall z | z in log && (Needs(b, z) || Needs(s, z)) :: z.uuid in {b.uuid, s.uuid})
  }

  /** Three entries and a map: `x`, which is preserved; a boundary `b`; and its summary `s`. */
  ghost predicate IsCompacted(x: Entry, b: Entry, s: Entry, preserved: Preservation, anchor: Id) {
    && x.uuid != b.uuid && s.uuid !in {x.uuid, b.uuid}
    && x.parent.None? && AreOnTheirOwn([x, b, s], b, s)
    && anchor in {b.uuid, s.uuid}
    && b.uuid in preserved && preserved[b.uuid] == Preserved(anchor, [x.uuid])
  }

  /** The conversation at a summary is the boundary and the summary. */
  lemma PairIsAConversation(log: Log, b: Entry, s: Entry)
    requires WellFormed(log)
    requires b in log && s in log
    requires AreOnTheirOwn(log, b, s)
    ensures b.uuid in Uuids(log) && s.uuid in Uuids(log)
    ensures Get(log, b.uuid) == b && Get(log, s.uuid) == s
    ensures Members(log, s.uuid) == {b.uuid, s.uuid}
    ensures Root(log, s.uuid) == b.uuid
  {
    WellFormedHasUniqueUuids(log);
    GetFindsEntry(log, b);
    GetFindsEntry(log, s);
    MembersContainsItself(log, s.uuid);
    MembersOfParent(log, s.uuid);
    var asOf := AsOf(log, s.uuid);
    forall y, z | y in asOf && z in asOf && y.uuid in {b.uuid, s.uuid} && Needs(y, z) ensures z.uuid in {b.uuid, s.uuid} {
      if y.uuid == b.uuid {
        SameUuidIsSameEntry(log, y, b);
      } else {
        SameUuidIsSameEntry(log, y, s);
      }
    }
    MembersAreLeast(log, s.uuid, {b.uuid, s.uuid});
    RootPathIsAncestry(log, [b, s], s.uuid);
    RootBeginsAncestry(log, s.uuid);
  }

  /** An entry that stands right behind its parent crosses no boundary by itself: there is none between them. */
  lemma NextToItsParentCrossesNoMore(log: Log, preserved: Preservation, i: nat)
    requires WellFormed(log)
    requires 0 < i < |log|
    requires log[i].parent == Some(log[i - 1].uuid)
    ensures log[i].uuid in Uuids(log) && log[i - 1].uuid in Uuids(log)
    ensures Crossed(log, preserved, log[i].uuid) == Crossed(log, preserved, log[i - 1].uuid)
  {
    hide WellFormed, UniqueUuids, Preserves, LastOf, Crossed;
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    IndexOfIsPosition(log, i - 1);
    CrossedUnfolds(log, preserved, log[i].uuid);
    forall b | b in Uuids(log) ensures !Crosses(log, preserved, b, log[i].uuid) {
      if Preserves(log, preserved, b, log[i - 1].uuid) {
        assert log[i - 1].uuid in preserved[b].ids by {
          reveal Preserves;
        }
        PreserverStandsBetween(log, preserved, b, log[i - 1].uuid);
      }
    }
  }

  /** A boundary and its summary, one right behind the other, cross nothing. */
  lemma PairCrossesNothing(log: Log, preserved: Preservation, i: nat)
    requires WellFormed(log)
    requires i < |log| - 1
    requires log[i].parent.None? && log[i + 1].parent == Some(log[i].uuid)
    ensures log[i + 1].uuid in Uuids(log)
    ensures Crossed(log, preserved, log[i + 1].uuid).None?
  {
    hide Crossed;
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    NextToItsParentCrossesNoMore(log, preserved, i + 1);
    CrossedUnfolds(log, preserved, log[i].uuid);
  }

  /** The conversation at the summary of a compacted session heeds the boundary. */
  lemma CompactedIsHeeded(x: Entry, b: Entry, s: Entry, preserved: Preservation, anchor: Id)
    requires IsCompacted(x, b, s, preserved, anchor)
    ensures var log := [x, b, s];
            && WellFormed(log) && UniqueUuids(log)
            && Uuids(log) == {x.uuid, b.uuid, s.uuid}
            && Members(log, s.uuid) == {b.uuid, s.uuid}
            && Get(log, x.uuid) == x
            && Crossed(log, preserved, s.uuid).None?
            && Resent(log, preserved, s.uuid) == Some(Preserved(anchor, [x.uuid]))
            && Heeds(log, preserved, Members(log, s.uuid), b.uuid)
            && Context(log, s.uuid) == [b, s]
  {
    var log := [x, b, s];
    OfOne(x);
    OfTwo(x, b);
    OfThree(x, b, s);
    assert log[0] == x && log[1] == b && log[2] == s;
    PairIsAConversation(log, b, s);
    PairCrossesNothing(log, preserved, 1);
    IndexOfIsPosition(log, 1);
    assert log[..1][0] == x;
    assert x in log[..1];
    KeepFromThree(x, b, s, {b.uuid, s.uuid});
  }

  /** What is sent at the summary of a compacted session: boundary and summary, and what is preserved right after the anchor. */
  lemma CompactedIsRendered(x: Entry, b: Entry, s: Entry, preserved: Preservation, anchor: Id)
    requires IsCompacted(x, b, s, preserved, anchor)
    ensures var log := [x, b, s];
            && WellFormed(log) && s.uuid in Uuids(log)
            && Rendered(log, preserved, s.uuid) == if anchor == s.uuid then [b, s, x] else [b, x, s]
  {
    var log := [x, b, s];
    CompactedIsHeeded(x, b, s, preserved, anchor);
    RenderedIsRestWithPreservedAfterAnchor(log, preserved, s.uuid);
    assert Members(log, s.uuid) !! Listed([x.uuid]);
    var pair := [b, s];
    OfTwo(b, s);
    assert Chosen(log, [x.uuid]) == [x];
    IndexOfIsPosition(pair, 0);
    IndexOfIsPosition(pair, 1);
    if anchor == s.uuid {
      assert pair[..2] == [b, s] && pair[2..] == [];
    } else {
      assert pair[..1] == [b] && pair[1..] == [s];
    }
  }

  /** What is kept at the summary of a compacted session: all three. */
  lemma CompactedIsKept(x: Entry, b: Entry, s: Entry, preserved: Preservation, anchor: Id)
    requires IsCompacted(x, b, s, preserved, anchor)
    ensures var log := [x, b, s];
            && s.uuid in Uuids(log)
            && x.uuid in Reaches(log, preserved, s.uuid)
            && Kept(log, preserved, s.uuid) == Uuids(log)
            && ForkKept(log, preserved, s.uuid) == log
  {
    var log := [x, b, s];
    CompactedIsHeeded(x, b, s, preserved, anchor);
    WhatIsHeededIsKept(log, preserved, s.uuid, b.uuid);
    assert x.uuid in preserved[b.uuid].ids;
    assert x.uuid in Listed(preserved[b.uuid].ids);
    KeptIsWhole(log, preserved, s.uuid);
    KeepingAllIsTheLog(log, Uuids(log));
  }

  /** The nth name as a boundary that continues the mth. */
  function Boundary(n: nat, m: nat): Entry {
    Entry(Name(n), None, Some(Name(m)), System, None, [], false, 0, map[])
  }

  /** There is a compacted session, and a prompt that goes on from it. */
  lemma ACompactedSessionExists()
    ensures var x, b, s, e := Asks(0, None, []), Boundary(1, 0), Asks(2, Some(1), []), Asks(3, Some(2), []);
            var preserved := map[Name(1) := Preserved(Name(2), [Name(0)])];
            && IsCompacted(x, b, s, preserved, s.uuid)
            && IsBoundary(b)
            && Fits([x, b, s], e) && e.parent == Some(s.uuid)
            && NeedsNothingElse([x, b, s], s.uuid, e)
            && NotAwaited([x, b, s], preserved, e)
            && NotPreserved([x, b, s], preserved, s.uuid)
            && WellFormed([x, b, s]) && OneRoot([x, b, s], s.uuid)
            && HoldsConversations([x, b, s], Kept([x, b, s], preserved, s.uuid))
            && (var more := preserved[Name(3) := Preserved(Name(3), [Name(0)])];
                more != preserved && Agree([x, b, s], preserved, more))
  {
    var x, b, s, e := Asks(0, None, []), Boundary(1, 0), Asks(2, Some(1), []), Asks(3, Some(2), []);
    var preserved := map[Name(1) := Preserved(Name(2), [Name(0)])];
    forall m, n | 0 <= m < n <= 3 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    SilentEntry(b);
    SilentEntry(s);
    SilentEntry(e);
    CompactedIsHeeded(x, b, s, preserved, s.uuid);
    KeptIsWhole([x, b, s], preserved, s.uuid);
    WellFormedHasUniqueUuids([x, b, s]);
    assert s == [x, b, s][2];
    SilenceNeedsNothing(x, b, s);
    PromptNeedsNothingElse([x, b, s], e, s.uuid);
    assert Name(3) !in preserved;
    PairIsAConversation([x, b, s], b, s);
    assert NotPreserved([x, b, s], preserved, s.uuid) by {
      hide UniqueUuids;
      assert preserved.Keys == {b.uuid};
    }
  }

  /** The summary of a compacted session is its last entry, so nothing of its conversation comes later. */
  lemma SilenceNeedsNothing(x: Entry, b: Entry, s: Entry)
    requires UniqueUuids([x, b, s])
    ensures s.uuid in Uuids([x, b, s]) && Settled([x, b, s], s.uuid)
  {
    LastIsSettled([x, b, s]);
  }

  // --- Going on at a preserved entry ---

  /** Among entries that need nothing but their parents a conversation is an ancestry. */
  lemma QuietConversation(log: Log, way: Log, u: Id)
    requires WellFormed(log)
    requires forall e | e in log :: Quiet(e)
    requires RootPath(log, way, u)
    ensures u in Uuids(log) && Ancestry(log, u) == way
    ensures Members(log, u) == Uuids(way)
  {
    RootPathIsAncestry(log, way, u);
    WellFormedHasUniqueUuids(log);
    AncestryEndsInItself(log, u);
    AncestryIsParentClosed(log, u);
    MembersContainsItself(log, u);
    ContextHoldsAncestry(log, u, u);
    var asOf := AsOf(log, u);
    forall a, b | a in asOf && b in asOf && a.uuid in Uuids(way) && Needs(a, b) ensures b.uuid in Uuids(way) {
      assert a in log;
    }
    MembersAreLeast(log, u, Uuids(way));
  }

  /** A compacted session, `x` preserved, and an entry `e` that goes on at `x` behind the summary. */
  ghost predicate IsCrossing(x: Entry, b: Entry, s: Entry, e: Entry, preserved: Preservation, anchor: Id) {
    && IsCompacted(x, b, s, preserved, anchor)
    && Quiet(x) && Quiet(b) && Quiet(s) && Quiet(e)
    && e.uuid !in {x.uuid, b.uuid, s.uuid} && e.parent == Some(x.uuid)
  }

  /** The entry crosses the boundary. */
  lemma CrossingIsCrossed(x: Entry, b: Entry, s: Entry, e: Entry, preserved: Preservation, anchor: Id)
    requires IsCrossing(x, b, s, e, preserved, anchor)
    ensures var log := [x, b, s, e];
            && WellFormed(log) && UniqueUuids(log) && WellFormed([x, b, s]) && UniqueUuids([x, b, s])
            && Uuids(log) == {x.uuid, b.uuid, s.uuid, e.uuid} && Uuids([x, b, s]) == {x.uuid, b.uuid, s.uuid}
            && Fits([x, b, s], e) && Append([x, b, s], e) == log
            && Preserves([x, b, s], preserved, b.uuid, x.uuid)
            && Crossed(log, preserved, e.uuid) == Some(Crossing(b.uuid, x.uuid))
            && Members(log, b.uuid) == {b.uuid} && Members(log, s.uuid) == {b.uuid, s.uuid}
            && Members(log, x.uuid) == {x.uuid} && Members(log, e.uuid) == {x.uuid, e.uuid}
            && Root(log, e.uuid) == x.uuid && Get(log, e.uuid) == e && Get(log, x.uuid) == x
  {
    var log := [x, b, s, e];
    CompactedIsHeeded(x, b, s, preserved, anchor);
    OfOne(x);
    OfTwo(x, b);
    OfThree(x, b, s);
    OfFour(x, b, s, e);
    assert log[0] == x && log[1] == b && log[2] == s && log[3] == e;
    assert [x, b, s] + [e] == log;
    CrossingConversations(x, b, s, e, log);
    RootBeginsAncestry(log, e.uuid);
    BoundaryPreserves(x, b, s, preserved, anchor);
    var before := [x, b, s];
    assert log[..3] == before && before[..2] == [x, b];
    assert s.uuid !in Preservers(before, preserved, x.uuid);
    assert b.uuid in Preservers(before, preserved, x.uuid);
    assert LastOf([x, b], Preservers(before, preserved, x.uuid)) == Some(b.uuid);
    assert LastOf(before, Preservers(before, preserved, x.uuid)) == Some(b.uuid);
  }

  /** The conversations in a session with an entry that goes on at the preserved one. */
  lemma CrossingConversations(x: Entry, b: Entry, s: Entry, e: Entry, log: Log)
    requires WellFormed(log)
    requires log == [x, b, s, e]
    requires Quiet(x) && Quiet(b) && Quiet(s) && Quiet(e)
    requires x.parent.None? && b.parent.None? && s.parent == Some(b.uuid) && e.parent == Some(x.uuid)
    ensures {x.uuid, b.uuid, s.uuid, e.uuid} <= Uuids(log)
    ensures Members(log, b.uuid) == {b.uuid} && Members(log, s.uuid) == {b.uuid, s.uuid}
    ensures Members(log, x.uuid) == {x.uuid} && Members(log, e.uuid) == {x.uuid, e.uuid}
    ensures Ancestry(log, e.uuid) == [x, e]
  {
    hide Quiet, WellFormed, Members, Ancestry;
    assert log[0] == x && log[1] == b && log[2] == s && log[3] == e;
    QuietConversation(log, [x], x.uuid);
    QuietConversation(log, [b], b.uuid);
    QuietConversation(log, [b, s], s.uuid);
    QuietConversation(log, [x, e], e.uuid);
    OfOne(x);
    OfOne(b);
    UuidsOfConcatenation([b], [s]);
    UuidsOfConcatenation([x], [e]);
    OfOne(s);
    OfOne(e);
    assert [b] + [s] == [b, s] && [x] + [e] == [x, e];
  }

  /** The boundary preserves its entry, whether the summary or the boundary itself is the anchor. */
  lemma BoundaryPreserves(x: Entry, b: Entry, s: Entry, preserved: Preservation, anchor: Id)
    requires IsCompacted(x, b, s, preserved, anchor)
    ensures b.uuid in Uuids([x, b, s]) && Preserves([x, b, s], preserved, b.uuid, x.uuid)
  {
    var log := [x, b, s];
    CompactedIsHeeded(x, b, s, preserved, anchor);
    assert [x.uuid][0] in [x.uuid];
    MembersContainsItself(log, anchor);
    assert b.uuid in Members(log, anchor);
  }

  /** What is sent at it: boundary and summary, the preserved entry, and the new one. Where the boundary itself is the
    * anchor the summary is not sent. */
  lemma CrossingIsRendered(x: Entry, b: Entry, s: Entry, e: Entry, preserved: Preservation, anchor: Id)
    requires IsCrossing(x, b, s, e, preserved, anchor)
    ensures var log := [x, b, s, e];
            && WellFormed(log) && e.uuid in Uuids(log)
            && Rendered(log, preserved, e.uuid) == if anchor == s.uuid then [b, s, x, e] else [b, x, e]
  {
    var log := [x, b, s, e];
    CrossingIsCrossed(x, b, s, e, preserved, anchor);
    hide WellFormed, UniqueUuids, Members, Crossed, Quiet, Preserves;
    var c := Crossing(b.uuid, x.uuid);
    assert [x.uuid][0] in [x.uuid];
    assert Again(preserved, c) == [x.uuid];
    assert Chosen(log, [x.uuid]) == [x];
    var first := Members(log, anchor) - Listed([x.uuid]);
    var last := Members(log, e.uuid) - Members(log, x.uuid) - Listed([x.uuid]) - Members(log, anchor);
    assert first == Members(log, anchor) && last == {e.uuid};
    assert log == [x, b, s] + [e];
    KeepFromThree(x, b, s, first);
    KeepFromThree(x, b, s, last);
    KeepOfLast([x, b, s], e, first);
    KeepOfLast([x, b, s], e, last);
    WhatIsCrossedIsThere(log, preserved, e.uuid);
    assert Rendered(log, preserved, e.uuid) == RenderedAcross(log, preserved, c, e.uuid);
  }

  /** A list with no id on it is empty. */
  lemma NothingListed(ids: seq<Id>)
    ensures (forall v :: v !in ids) ==> ids == []
  {
    if ids != [] {
      assert ids[0] in ids;
    }
  }

  /** A definition by the root of the ancestry alone loses the boundary and the summary. */
  lemma TheRootAloneLosesTheBoundary(x: Entry, b: Entry, s: Entry, e: Entry, preserved: Preservation)
    requires IsCrossing(x, b, s, e, preserved, s.uuid)
    ensures var log := [x, b, s, e];
            && WellFormed(log) && e.uuid in Uuids(log)
            && Rendered(log, preserved, e.uuid) == [b, s, x, e]
            && SentFromTheRootAlone(log, preserved, e.uuid) == [x, e]
            && Uuids(SentFromTheRootAlone(log, preserved, e.uuid)) !! {b.uuid, s.uuid}
  {
    var log := [x, b, s, e];
    CrossingIsCrossed(x, b, s, e, preserved, s.uuid);
    CrossingIsRendered(x, b, s, e, preserved, s.uuid);
    hide Crossed, Members, UniqueUuids, WellFormed, RenderedFromRoot, Rendered;
    assert log == [x, b, s] + [e];
    KeepFromThree(x, b, s, {x.uuid, e.uuid});
    KeepOfLast([x, b, s], e, {x.uuid, e.uuid});
    assert Context(log, e.uuid) == [x, e];
    assert log[0] == x;
    FirstPreservesNothing(log, preserved, e.uuid);
    OfTwo(x, e);
  }

  /** Before the first entry nothing stands, so it preserves nothing: the root of a conversation that begins with it sends the
    * context. */
  lemma FirstPreservesNothing(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires |log| > 0 && Root(log, u) == log[0].uuid
    ensures RenderedFromRoot(log, preserved, u) == Context(log, u)
  {
    hide Members, WellFormed, PutAfter;
    if Resent(log, preserved, u).Some? {
      ResentStandsBefore(log, preserved, u);
      var p := preserved[log[0].uuid];
      WellFormedHasUniqueUuids(log);
      IndexOfIsPosition(log, 0);
      NothingListed(p.ids);
      assert Chosen(log, p.ids) == [];
      assert Members(log, u) - Listed(p.ids) == Members(log, u);
      PuttingNothingChangesNothing(Context(log, u), p.anchor);
    }
  }

  /** A plausible definition: what is sent is decided by the root of the ancestry alone. */
  ghost function SentFromTheRootAlone(log: Log, preserved: Preservation, u: Id): Log
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    RenderedFromRoot(log, preserved, u)
  }

  /** There is such a session: boundary and summary, a preserved entry, and a prompt that goes on there; and another one
    * behind it. */
  lemma ACrossingExists()
    ensures var x, b, s, e := Asks(0, None, []), Boundary(1, 0), Asks(2, Some(1), []), Asks(3, Some(0), []);
            var preserved, f := map[Name(1) := Preserved(Name(2), [Name(0)])], Asks(4, Some(3), []);
            && IsCrossing(x, b, s, e, preserved, s.uuid)
            && IsBoundary(b)
            && preserved.Keys == {b.uuid}
            && f.uuid !in {x.uuid, b.uuid, s.uuid, e.uuid} && f.parent == Some(e.uuid) && Quiet(f)
            && !f.kind.Assistant? && !e.kind.Assistant?
  {
    forall m, n | 0 <= m < n <= 4 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    SilentEntry(Asks(0, None, []));
    SilentEntry(Boundary(1, 0));
    SilentEntry(Asks(2, Some(1), []));
    SilentEntry(Asks(3, Some(0), []));
    SilentEntry(Asks(4, Some(3), []));
  }

  /** An entry that goes on at a preserved one adds more than itself to what is sent there: the boundary and the summary. */
  lemma GoingOnAtThePreservedBringsTheBoundary(x: Entry, b: Entry, s: Entry, e: Entry, preserved: Preservation)
    requires IsCrossing(x, b, s, e, preserved, s.uuid)
    requires !e.kind.Assistant?
    ensures var log := [x, b, s];
            && WellFormed(log) && x.uuid in Uuids(log) && Fits(log, e)
            && NeedsNothingElse(log, x.uuid, e)
            && (preserved.Keys == {b.uuid} ==> NotAwaited(log, preserved, e))
            && !NotPreserved(log, preserved, x.uuid)
            && WellFormed(Append(log, e)) && e.uuid in Uuids(Append(log, e))
            && Rendered(log, preserved, x.uuid) == [x]
            && Rendered(Append(log, e), preserved, e.uuid) == [b, s, x, e] != Rendered(log, preserved, x.uuid) + [e]
  {
    var log := [x, b, s];
    CrossingIsCrossed(x, b, s, e, preserved, s.uuid);
    CrossingIsRendered(x, b, s, e, preserved, s.uuid);
    assert log[0] == x && log[1] == b && log[2] == s;
    FirstIsRenderedAlone(log, preserved);
    AppendKeepsOldContexts(log, e, x.uuid);
    QuietIsSettled(log, x.uuid);
    PromptNeedsNothingElse(log, e, x.uuid);
  }

  /** Among quiet entries each is settled: nothing of its conversation comes later. */
  lemma QuietIsSettled(log: Log, u: Id)
    requires WellFormed(log)
    requires forall e | e in log :: Quiet(e)
    requires u in Uuids(log)
    ensures Settled(log, u)
  {
    MembersAreParentClosed(log, u);
  }

  /** The first entry of a log is sent alone. */
  lemma FirstIsRenderedAlone(log: Log, preserved: Preservation)
    requires WellFormed(log)
    requires |log| > 0 && log[0].parent.None?
    ensures log[0].uuid in Uuids(log)
    ensures Rendered(log, preserved, log[0].uuid) == [log[0]]
  {
    hide Crossed, Members, UniqueUuids, WellFormed, Resent;
    var u := log[0].uuid;
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, 0);
    CrossedUnfolds(log, preserved, u);
    if Resent(log, preserved, u).Some? {
      ResentStandsBefore(log, preserved, u);
      var p := Resent(log, preserved, u).value;
      NothingListed(p.ids);
    }
    RenderedIsContextWhereNothingIsResent(log, preserved, u);
    assert AsOf(log, u) == [log[0]];
    OfOne(log[0]);
    MembersAreAsOf(log, u);
    MembersContainsItself(log, u);
    KeepFromPrefix(log, 1, {u});
    assert log[..1] == [log[0]];
    assert Keep([log[0]], {u}) == [log[0]] by {
      KeepingAllIsTheLog([log[0]], {u});
    }
    assert Members(log, u) == {u};
  }

  /** A list of which one entry is missing makes no crossing: parents alone decide what is sent. */
  lemma AMissingEntryMakesNoCrossing(x: Entry, b: Entry, e: Entry, y: Id, preserved: Preservation)
    requires x.uuid != b.uuid && e.uuid !in {x.uuid, b.uuid} && y !in {x.uuid, b.uuid, e.uuid}
    requires x.parent.None? && b.parent.None? && e.parent == Some(x.uuid)
    requires preserved == map[b.uuid := Preserved(b.uuid, [x.uuid, y])]
    ensures var log := [x, b, e];
            && WellFormed(log) && e.uuid in Uuids(log)
            && Crossed(log, preserved, e.uuid).None?
            && Rendered(log, preserved, e.uuid) == Context(log, e.uuid)
            && b.uuid in Uuids(log) && x.uuid in preserved[b.uuid].ids
  {
    var log, before := [x, b, e], [x, b];
    OfOne(x);
    OfTwo(x, b);
    OfThree(x, b, e);
    assert log[..2] == before && log[0] == x && log[1] == b && log[2] == e && before[1] == b;
    var ids := [x.uuid, y];
    assert ids[0] in ids && ids[1] in ids;
    assert preserved.Keys == {b.uuid};
    forall v | v in Uuids(before) ensures !Preserves(before, preserved, v, x.uuid) {
      if v == b.uuid {
        UuidsOfPrefix(before, IndexOf(before, b.uuid));
      }
    }
    assert Preservers(before, preserved, x.uuid) == {};
    assert LastOf(before, {}).None?;
    CrossedUnfolds(before, preserved, x.uuid);
    RootPathIsAncestry(log, [x, e], e.uuid);
    RootBeginsAncestry(log, e.uuid);
    assert Resent(log, preserved, e.uuid).None?;
    RenderedIsContextWhereNothingIsResent(log, preserved, e.uuid);
  }

  /** There are such entries. */
  lemma AnEntryMayBeMissing()
    ensures var x, b, e, y := Asks(0, None, []), Boundary(1, 0), Asks(2, Some(0), []), Name(9);
            && x.uuid != b.uuid && e.uuid !in {x.uuid, b.uuid} && y !in {x.uuid, b.uuid, e.uuid}
            && x.parent.None? && b.parent.None? && e.parent == Some(x.uuid)
  {
    forall m, n | 0 <= m < n <= 9 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
  }

  // --- Two boundaries ---

  /** A session with two boundaries, each its own anchor: `e` goes on at `x` before the second stands, and `u` at `p` behind
    * it. */
  ghost predicate IsCrossedTwice(x: Entry, b: Entry, e: Entry, c: Entry, u: Entry, p: Id) {
    && Quiet(x) && Quiet(b) && Quiet(e) && Quiet(c) && Quiet(u)
    && x.uuid != b.uuid && e.uuid !in {x.uuid, b.uuid} && c.uuid !in {x.uuid, b.uuid, e.uuid}
    && u.uuid !in {x.uuid, b.uuid, e.uuid, c.uuid}
    && x.parent.None? && b.parent.None? && e.parent == Some(x.uuid) && c.parent.None?
    && p in {x.uuid, e.uuid} && u.parent == Some(p)
  }

  /** What the two preserve: the first `x`, the second `p`. */
  function PreservedTwice(x: Id, b: Id, c: Id, p: Id): Preservation {
    map[b := Preserved(b, [x]), c := Preserved(c, [p])]
  }

  /** A quiet boundary that is its own anchor preserves the one entry that it lists, where this stands before it. */
  lemma OwnAnchorPreserves(log: Log, preserved: Preservation, i: nat, p: Id)
    requires WellFormed(log)
    requires forall e | e in log :: Quiet(e)
    requires i < |log| && log[i].parent.None?
    requires log[i].uuid in preserved && preserved[log[i].uuid] == Preserved(log[i].uuid, [p])
    requires p in Uuids(log[..i])
    ensures log[i].uuid in Uuids(log) && Preserves(log, preserved, log[i].uuid, p)
    ensures Members(log, log[i].uuid) == {log[i].uuid}
  {
    hide Quiet;
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    QuietConversation(log, [log[i]], log[i].uuid);
    UuidsOfPrefix(log, i);
    LaterIsNotInPrefix(log, i, log[i].uuid);
    OfOne(log[i]);
    assert [p][0] in [p];
  }

  /** The entry that stands before the second boundary crosses the first, the one behind it the second; even where both
    * preserve the same entry. So the earlier of two boundaries counts for what stands before the second. */
  lemma EachCrossesTheLastBeforeIt(x: Entry, b: Entry, e: Entry, c: Entry, u: Entry, p: Id)
    requires IsCrossedTwice(x, b, e, c, u, p)
    ensures var log, preserved := [x, b, e, c, u], PreservedTwice(x.uuid, b.uuid, c.uuid, p);
            && WellFormed(log) && UniqueUuids(log)
            && Uuids(log) == {x.uuid, b.uuid, e.uuid, c.uuid, u.uuid}
            && Crossed(log, preserved, e.uuid) == Some(Crossing(b.uuid, x.uuid))
            && Crossed(log, preserved, u.uuid) == Some(Crossing(c.uuid, p))
  {
    var log, preserved := [x, b, e, c, u], PreservedTwice(x.uuid, b.uuid, c.uuid, p);
    hide Quiet, Members, Preserves;
    OfOne(x);
    OfTwo(x, b);
    OfThree(x, b, e);
    OfFour(x, b, e, c);
    OfFive(x, b, e, c, u);
    var two, four := [x, b], [x, b, e, c];
    assert log[..3] == [x, b, e] && log[..4] == four && [x, b, e][..2] == two;
    assert two[1] == b && two[0] == x && two[..1] == [x];
    assert four[3] == c && four[..3] == [x, b, e] && [x, b, e][2] == e;
    assert forall y | y in four :: Quiet(y);
    assert forall y | y in two :: Quiet(y);
    OwnAnchorPreserves(two, preserved, 1, x.uuid);
    OwnAnchorPreserves(four, preserved, 3, p);
    CrossedAsOf(log, preserved, 3, e.uuid);
    assert b.uuid in Preservers(two, preserved, x.uuid);
    assert LastOf(two, Preservers(two, preserved, x.uuid)) == Some(b.uuid);
    assert c.uuid in Preservers(four, preserved, p);
    assert LastOf(four, Preservers(four, preserved, p)) == Some(c.uuid);
  }

  /** An entry of the conversation may cross another boundary than the fork point, which the fork does not keep: there it is
    * not sent as it was. */
  lemma AMemberMayCrossAnotherBoundary(x: Entry, b: Entry, e: Entry, c: Entry, u: Entry)
    requires IsCrossedTwice(x, b, e, c, u, e.uuid)
    ensures var log, preserved := [x, b, e, c, u], PreservedTwice(x.uuid, b.uuid, c.uuid, e.uuid);
            && WellFormed(log) && u.uuid in Uuids(log) && e.uuid in Uuids(log)
            && e.uuid in Members(log, u.uuid)
            && !CrossesNoOther(log, preserved, u.uuid, e.uuid)
            && !(Kept(log, preserved, e.uuid) <= Kept(log, preserved, u.uuid))
            && (var fork := ForkKept(log, preserved, u.uuid);
                && WellFormed(fork) && e.uuid in Uuids(fork)
                && Rendered(fork, preserved, e.uuid) != Rendered(log, preserved, e.uuid))
  {
    var log, preserved := [x, b, e, c, u], PreservedTwice(x.uuid, b.uuid, c.uuid, e.uuid);
    EachCrossesTheLastBeforeIt(x, b, e, c, u, e.uuid);
    TwiceCrossedIsKept(x, b, e, c, u);
    hide Quiet, Members, Preserves, Crossed, Rendered, Kept, UniqueUuids, WellFormed, PreservedTwice, RenderedAcross;
    var fork := ForkKept(log, preserved, u.uuid);
    ForkKeptIsWellFormed(log, preserved, u.uuid);
    ForkKeptHoldsExactlyWhatIsKept(log, preserved, u.uuid);
    KeptHoldsWhatIsSent(log, preserved, e.uuid);
    RenderedHoldsExactly(log, preserved, e.uuid);
    assert b.uuid in Uuids(Rendered(log, preserved, e.uuid)) by {
      reveal PreservedTwice;
      MembersContainsItself(log, b.uuid);
    }
    RenderedHoldsExactly(fork, preserved, e.uuid);
    forall y | y in Rendered(fork, preserved, e.uuid) ensures y.uuid != b.uuid {
      assert y in fork;
    }
  }

  /** What is kept of such a session: not the first boundary. */
  lemma TwiceCrossedIsKept(x: Entry, b: Entry, e: Entry, c: Entry, u: Entry)
    requires IsCrossedTwice(x, b, e, c, u, e.uuid)
    ensures var log, preserved := [x, b, e, c, u], PreservedTwice(x.uuid, b.uuid, c.uuid, e.uuid);
            && {e.uuid, u.uuid, b.uuid} <= Uuids(log)
            && e.uuid in Members(log, u.uuid) && e.uuid in Kept(log, preserved, u.uuid)
            && b.uuid !in Kept(log, preserved, u.uuid)
  {
    var log, preserved := [x, b, e, c, u], PreservedTwice(x.uuid, b.uuid, c.uuid, e.uuid);
    hide Members, Preserves, Crossed, Kept, Quiet, WellFormed, UniqueUuids, Reaches;
    EachCrossesTheLastBeforeIt(x, b, e, c, u, e.uuid);
    TwiceCrossedConversations(x, b, e, c, u);
    TwiceCrossedReaches(x, b, e, c, u);
    KeptIsLeast(log, preserved, u.uuid, {x.uuid, e.uuid, u.uuid, c.uuid});
  }

  /** The conversations of such a session. */
  lemma TwiceCrossedConversations(x: Entry, b: Entry, e: Entry, c: Entry, u: Entry)
    requires IsCrossedTwice(x, b, e, c, u, e.uuid)
    ensures var log := [x, b, e, c, u];
            && {e.uuid, c.uuid, u.uuid} <= Uuids(log)
            && Members(log, u.uuid) == {x.uuid, e.uuid, u.uuid}
            && Members(log, e.uuid) == {x.uuid, e.uuid}
            && Members(log, c.uuid) == {c.uuid}
            && Get(log, u.uuid) == u && Get(log, e.uuid) == e && Get(log, x.uuid) == x
  {
    var log, preserved := [x, b, e, c, u], PreservedTwice(x.uuid, b.uuid, c.uuid, e.uuid);
    hide Members, Quiet, Ancestry, Crossed, WellFormed;
    EachCrossesTheLastBeforeIt(x, b, e, c, u, e.uuid);
    OfFive(x, b, e, c, u);
    assert log[0] == x && log[1] == b && log[2] == e && log[3] == c && log[4] == u;
    QuietConversation(log, [x, e, u], u.uuid);
    QuietConversation(log, [x, e], e.uuid);
    QuietConversation(log, [c], c.uuid);
    OfOne(c);
    OfTwo(x, e);
    OfThree(x, e, u);
  }

  /** What it reaches: the second boundary, and what this preserves. */
  lemma TwiceCrossedReaches(x: Entry, b: Entry, e: Entry, c: Entry, u: Entry)
    requires IsCrossedTwice(x, b, e, c, u, e.uuid)
    ensures var log, preserved := [x, b, e, c, u], PreservedTwice(x.uuid, b.uuid, c.uuid, e.uuid);
            u.uuid in Uuids(log) && Reaches(log, preserved, u.uuid) <= {e.uuid, c.uuid}
  {
    var log, preserved := [x, b, e, c, u], PreservedTwice(x.uuid, b.uuid, c.uuid, e.uuid);
    hide Members, Quiet, Crossed, WellFormed, UniqueUuids, Resolves;
    EachCrossesTheLastBeforeIt(x, b, e, c, u, e.uuid);
    TwiceCrossedConversations(x, b, e, c, u);
    assert preserved.Keys == {b.uuid, c.uuid};
    assert ReachesWithin(log, preserved, u.uuid) == {};
    assert Listed([e.uuid]) == {e.uuid};
    assert preserved[c.uuid] == Preserved(c.uuid, [e.uuid]);
  }

  /** There are such entries, for either. */
  lemma ASessionMayBeCrossedTwice()
    ensures var x, b, e, c := Asks(0, None, []), Boundary(1, 0), Asks(2, Some(0), []), Boundary(3, 2);
            && IsCrossedTwice(x, b, e, c, Asks(4, Some(0), []), x.uuid)
            && IsCrossedTwice(x, b, e, c, Asks(4, Some(2), []), e.uuid)
  {
    forall m, n | 0 <= m < n <= 4 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    SilentEntry(Asks(0, None, []));
    SilentEntry(Boundary(1, 0));
    SilentEntry(Asks(2, Some(0), []));
    SilentEntry(Boundary(3, 2));
    SilentEntry(Asks(4, Some(0), []));
    SilentEntry(Asks(4, Some(2), []));
  }

  /** What is kept where a boundary is crossed is more than what is sent and the conversations of it: the rest of the list
    * is kept, since the client heeds no part of a list. */
  lemma TheRestOfTheListIsKept(x: Entry, y: Entry, b: Entry, e: Entry, preserved: Preservation)
    requires IsListedTwo(x, y, b, e, preserved)
    ensures var log, s := [x, y, b, e], {x.uuid, b.uuid, e.uuid};
            && WellFormed(log) && e.uuid in Uuids(log)
            && OneRoot(log, e.uuid)
            && HoldsConversations(log, s)
            && Uuids(Rendered(log, preserved, e.uuid)) <= s
            && !(Kept(log, preserved, e.uuid) <= s)
            && Crossed(log, preserved, e.uuid).Some?
            && Resent(log, preserved, e.uuid).None?
            && HoldsConversations(log, s + {y.uuid}) && ReachesAcross(log, preserved, e.uuid) <= s + {y.uuid}
  {
    var log, s := [x, y, b, e], {x.uuid, b.uuid, e.uuid};
    ListedTwoConversations(x, y, b, e, preserved);
    ListedTwoIsCrossed(x, y, b, e, preserved);
    hide Members, Crossed, Kept, Quiet, WellFormed, UniqueUuids, Rendered, Reaches, Heeds;
    var c := Crossing(b.uuid, x.uuid);
    assert Listed([x.uuid]) == {x.uuid} && Listed([x.uuid, y.uuid]) == {x.uuid, y.uuid} by {
      var ids := [x.uuid, y.uuid];
      assert [x.uuid][0] in [x.uuid] && ids[0] in ids && ids[1] in ids;
    }
    RenderedHoldsExactly(log, preserved, e.uuid);
    CrossedIsReached(log, preserved, e.uuid);
    KeptHoldsReached(log, preserved, e.uuid);
    assert y.uuid in Kept(log, preserved, e.uuid);
  }

  /** The conversations of a session of which two entries are listed. */
  lemma ListedTwoConversations(x: Entry, y: Entry, b: Entry, e: Entry, preserved: Preservation)
    requires IsListedTwo(x, y, b, e, preserved)
    ensures var log := [x, y, b, e];
            && WellFormed(log) && UniqueUuids(log) && Uuids(log) == {x.uuid, y.uuid, b.uuid, e.uuid}
            && Members(log, x.uuid) == {x.uuid} && Members(log, y.uuid) == {x.uuid, y.uuid}
            && Members(log, b.uuid) == {b.uuid} && Members(log, e.uuid) == {x.uuid, e.uuid}
            && Root(log, e.uuid) == x.uuid && OneRoot(log, e.uuid)
            && Get(log, x.uuid) == x && Get(log, y.uuid) == y && Get(log, b.uuid) == b && Get(log, e.uuid) == e
  {
    var log := [x, y, b, e];
    OfOne(x);
    OfTwo(x, y);
    OfThree(x, y, b);
    OfFour(x, y, b, e);
    hide Members, Ancestry, Quiet, WellFormed;
    assert log[0] == x && log[1] == y && log[2] == b && log[3] == e;
    QuietConversation(log, [x], x.uuid);
    QuietConversation(log, [x, y], y.uuid);
    QuietConversation(log, [b], b.uuid);
    QuietConversation(log, [x, e], e.uuid);
    OfOne(b);
    OfTwo(x, e);
    RootBeginsAncestry(log, e.uuid);
  }

  /** What such a session crosses. */
  lemma ListedTwoIsCrossed(x: Entry, y: Entry, b: Entry, e: Entry, preserved: Preservation)
    requires IsListedTwo(x, y, b, e, preserved)
    ensures var log, c := [x, y, b, e], Crossing(b.uuid, x.uuid);
            && e.uuid in Uuids(log)
            && Crossed(log, preserved, e.uuid) == Some(c)
            && Again(preserved, c) == [x.uuid]
  {
    var log, before := [x, y, b, e], [x, y, b];
    OfOne(x);
    OfTwo(x, y);
    OfThree(x, y, b);
    OfFour(x, y, b, e);
    OfOne(b);
    hide Members, Ancestry, Quiet;
    assert log[..3] == before && log[3] == e;
    assert before[0] == x && before[1] == y && before[2] == b && before[..2] == [x, y];
    QuietConversation(before, [b], b.uuid);
    var ids := [x.uuid, y.uuid];
    assert ids[0] in ids && ids[1] in ids && ids[..1] == [x.uuid];
    IndexOfIsPosition(before, 2);
    assert Preserves(before, preserved, b.uuid, x.uuid);
    assert LastOf(before, Preservers(before, preserved, x.uuid)) == Some(b.uuid);
    assert [x.uuid][0] in [x.uuid];
    assert ListedUpTo([x.uuid], x.uuid) == [x.uuid];
  }

  /** And what the root of the ancestry preserves is kept where a boundary is crossed, though it is not sent: at the entry
    * where the conversation goes on it is. */
  lemma WhatTheRootPreservesIsKept(x: Entry, b: Entry, y: Entry, c: Entry, e: Entry)
    requires IsCrossedBehindAnother(x, b, y, c, e)
    ensures var log, preserved := [x, b, y, c, e], PreservedTwice(x.uuid, b.uuid, c.uuid, y.uuid);
            var s := {b.uuid, y.uuid, c.uuid, e.uuid};
            && WellFormed(log) && e.uuid in Uuids(log)
            && OneRoot(log, e.uuid)
            && HoldsConversations(log, s)
            && Uuids(Rendered(log, preserved, e.uuid)) <= s
            && Crossed(log, preserved, e.uuid).Some? && ReachesAcross(log, preserved, e.uuid) <= s
            && !(Kept(log, preserved, e.uuid) <= s)
  {
    var log, preserved := [x, b, y, c, e], PreservedTwice(x.uuid, b.uuid, c.uuid, y.uuid);
    var s := {b.uuid, y.uuid, c.uuid, e.uuid};
    BehindAnotherConversations(x, b, y, c, e);
    BehindAnotherIsCrossed(x, b, y, c, e);
    hide Members, Crossed, Kept, Quiet, WellFormed, UniqueUuids, Rendered, Reaches;
    assert [y.uuid][0] in [y.uuid] && [x.uuid][0] in [x.uuid];
    assert Listed([y.uuid]) == {y.uuid};
    RenderedHoldsExactly(log, preserved, e.uuid);
    CrossedIsReached(log, preserved, e.uuid);
    assert x.uuid in preserved[b.uuid].ids;
    WhatIsHeededIsKept(log, preserved, e.uuid, b.uuid);
    assert x.uuid in Listed(preserved[b.uuid].ids);
  }

  /** The conversations of a session that crosses a boundary behind another. */
  lemma BehindAnotherConversations(x: Entry, b: Entry, y: Entry, c: Entry, e: Entry)
    requires IsCrossedBehindAnother(x, b, y, c, e)
    ensures var log := [x, b, y, c, e];
            && WellFormed(log) && UniqueUuids(log) && Uuids(log) == {x.uuid, b.uuid, y.uuid, c.uuid, e.uuid}
            && Members(log, b.uuid) == {b.uuid} && Members(log, y.uuid) == {b.uuid, y.uuid}
            && Members(log, c.uuid) == {c.uuid} && Members(log, e.uuid) == {b.uuid, y.uuid, e.uuid}
            && Root(log, e.uuid) == b.uuid && OneRoot(log, e.uuid)
            && Get(log, b.uuid) == b && Get(log, y.uuid) == y && Get(log, c.uuid) == c && Get(log, e.uuid) == e
  {
    var log := [x, b, y, c, e];
    OfOne(x);
    OfTwo(x, b);
    OfThree(x, b, y);
    OfFour(x, b, y, c);
    OfFive(x, b, y, c, e);
    hide Members, Ancestry, Quiet, WellFormed;
    assert log[0] == x && log[1] == b && log[2] == y && log[3] == c && log[4] == e;
    QuietConversation(log, [b], b.uuid);
    QuietConversation(log, [b, y], y.uuid);
    QuietConversation(log, [c], c.uuid);
    QuietConversation(log, [b, y, e], e.uuid);
    OfOne(b);
    OfOne(c);
    OfTwo(b, y);
    OfThree(b, y, e);
    RootBeginsAncestry(log, e.uuid);
  }

  /** What such a session crosses, and what it heeds. */
  lemma BehindAnotherIsCrossed(x: Entry, b: Entry, y: Entry, c: Entry, e: Entry)
    requires IsCrossedBehindAnother(x, b, y, c, e)
    ensures var log, preserved := [x, b, y, c, e], PreservedTwice(x.uuid, b.uuid, c.uuid, y.uuid);
            && e.uuid in Uuids(log) && b.uuid in Uuids(log)
            && Crossed(log, preserved, e.uuid) == Some(Crossing(c.uuid, y.uuid))
            && Again(preserved, Crossing(c.uuid, y.uuid)) == [y.uuid]
            && Heeds(log, preserved, Members(log, e.uuid), b.uuid)
  {
    var log, preserved := [x, b, y, c, e], PreservedTwice(x.uuid, b.uuid, c.uuid, y.uuid);
    BehindAnotherConversations(x, b, y, c, e);
    OfOne(x);
    OfTwo(x, b);
    OfThree(x, b, y);
    OfFour(x, b, y, c);
    hide Members, Ancestry, Quiet, Preserves;
    var four := [x, b, y, c];
    assert log[..4] == four && log[4] == e && four[3] == c && four[..3] == [x, b, y];
    assert four[0] == x && four[1] == b && four[2] == y;
    OwnAnchorPreserves(four, preserved, 3, y.uuid);
    assert LastOf(four, Preservers(four, preserved, y.uuid)) == Some(c.uuid);
    assert [y.uuid][0] in [y.uuid] && [x.uuid][0] in [x.uuid];
    IndexOfIsPosition(log, 1);
    assert log[1] == b && log[..1] == [x];
  }

  /** A boundary with something preserved, an entry behind it that a second boundary preserves, and one that goes on there. */
  ghost predicate IsCrossedBehindAnother(x: Entry, b: Entry, y: Entry, c: Entry, e: Entry) {
    && Quiet(x) && Quiet(b) && Quiet(y) && Quiet(c) && Quiet(e)
    && x.uuid != b.uuid && y.uuid !in {x.uuid, b.uuid} && c.uuid !in {x.uuid, b.uuid, y.uuid}
    && e.uuid !in {x.uuid, b.uuid, y.uuid, c.uuid}
    && x.parent.None? && b.parent.None? && y.parent == Some(b.uuid) && c.parent.None? && e.parent == Some(y.uuid)
  }

  /** There are such entries. */
  lemma ASessionMayCrossBehindAnother()
    ensures IsCrossedBehindAnother(Asks(0, None, []), Boundary(1, 0), Asks(2, Some(1), []), Boundary(3, 2), Asks(4, Some(2), []))
  {
    forall m, n | 0 <= m < n <= 4 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    SilentEntry(Asks(0, None, []));
    SilentEntry(Boundary(1, 0));
    SilentEntry(Asks(2, Some(1), []));
    SilentEntry(Boundary(3, 2));
    SilentEntry(Asks(4, Some(2), []));
  }

  /** A boundary lists two entries, and one goes on at the first. */
  ghost predicate IsListedTwo(x: Entry, y: Entry, b: Entry, e: Entry, preserved: Preservation) {
    && Quiet(x) && Quiet(y) && Quiet(b) && Quiet(e)
    && x.uuid != y.uuid && b.uuid !in {x.uuid, y.uuid} && e.uuid !in {x.uuid, y.uuid, b.uuid}
    && x.parent.None? && y.parent == Some(x.uuid) && b.parent.None? && e.parent == Some(x.uuid)
    && preserved == map[b.uuid := Preserved(b.uuid, [x.uuid, y.uuid])]
  }

  /** There are such entries. */
  lemma TwoMayBeListed()
    ensures var x, y, b, e := Asks(0, None, []), Asks(1, Some(0), []), Boundary(2, 1), Asks(3, Some(0), []);
            IsListedTwo(x, y, b, e, map[Name(2) := Preserved(Name(2), [Name(0), Name(1)])])
  {
    forall m, n | 0 <= m < n <= 3 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    SilentEntry(Asks(0, None, []));
    SilentEntry(Asks(1, Some(0), []));
    SilentEntry(Boundary(2, 1));
    SilentEntry(Asks(3, Some(0), []));
  }

  // --- A fork that keeps the context alone, or too little of what is preserved ---

  /** The plain fork loses what is preserved: the client would send less. */
  lemma ForkLosesThePreserved(x: Entry, b: Entry, s: Entry, preserved: Preservation)
    requires IsCompacted(x, b, s, preserved, s.uuid)
    ensures var log := [x, b, s];
            && WellFormed(log) && s.uuid in Uuids(log)
            && WellFormed(Fork(log, s.uuid)) && s.uuid in Uuids(Fork(log, s.uuid))
            && Rendered(Fork(log, s.uuid), preserved, s.uuid) == [b, s] != Rendered(log, preserved, s.uuid)
  {
    var log := [x, b, s];
    CompactedIsRendered(x, b, s, preserved, s.uuid);
    CompactedIsHeeded(x, b, s, preserved, s.uuid);
    ForkIsWellFormed(log, s.uuid);
    var fork := Fork(log, s.uuid);
    assert fork == [b, s];
    assert fork[0] == b && fork[1] == s;
    PairIsAConversation(fork, b, s);
    PairCrossesNothing(fork, preserved, 0);
    OfTwo(b, s);
    IndexOfIsPosition(fork, 0);
    assert fork[..0] == [];
    assert x.uuid in preserved[b.uuid].ids && x.uuid !in Uuids(fork[..0]);
    KeepingAllIsTheLog(fork, {b.uuid, s.uuid});
  }

  /** Keeping entries that may be preserved without their ancestry leaves a dangling parent. */
  lemma PreservedNeedTheirAncestry(r: Entry, x: Entry, b: Entry, s: Entry)
    requires r.uuid != x.uuid && b.uuid !in {r.uuid, x.uuid} && s.uuid !in {r.uuid, x.uuid, b.uuid}
    requires r.parent.None? && x.parent == Some(r.uuid) && b.parent.None? && s.parent == Some(b.uuid)
    requires Quiet(b) && Quiet(s)
    ensures var log := [r, x, b, s];
            && WellFormed(log) && s.uuid in Uuids(log)
            && !NoDanglingParents(Keep(log, Members(log, s.uuid) + {x.uuid}))
  {
    var log := [r, x, b, s];
    OfOne(r);
    OfTwo(r, x);
    OfThree(r, x, b);
    OfFour(r, x, b, s);
    assert log[0] == r && log[1] == x && log[2] == b && log[3] == s;
    PairIsAConversation(log, b, s);
    var kept := Keep(log, Members(log, s.uuid) + {x.uuid});
    KeepHoldsExactly(log, Members(log, s.uuid) + {x.uuid});
    UuidsOfKeep(log, Members(log, s.uuid) + {x.uuid});
    assert x in kept && r.uuid !in Uuids(kept);
  }

  /** There are such entries. */
  lemma APreservedEntryMayHaveAParent()
    ensures var r, x, b, s := Asks(0, None, []), Asks(1, Some(0), []), Boundary(2, 1), Asks(3, Some(2), []);
            && r.uuid != x.uuid && b.uuid !in {r.uuid, x.uuid} && s.uuid !in {r.uuid, x.uuid, b.uuid}
            && r.parent.None? && x.parent == Some(r.uuid) && b.parent.None? && s.parent == Some(b.uuid)
            && Quiet(b) && Quiet(s)
  {
    forall m, n | 0 <= m < n <= 3 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    SilentEntry(Boundary(2, 1));
    SilentEntry(Asks(3, Some(2), []));
  }

  /** Keeping entries that may be preserved with their ancestry and no more changes conversations: where `y` is preserved and `x`
    * is another part of its message, beside it, `x` would be left out. */
  lemma AncestryAloneIsTooLittle(x: Entry, y: Entry, b: Entry, s: Entry)
    requires x.uuid != y.uuid && b.uuid !in {x.uuid, y.uuid} && s.uuid !in {x.uuid, y.uuid, b.uuid}
    requires x.parent.None? && y.parent.None? && Mates(y, x)
    requires b.parent.None? && s.parent == Some(b.uuid)
    requires Quiet(b) && Quiet(s)
    ensures var log := [x, y, b, s];
            && WellFormed(log) && s.uuid in Uuids(log) && y.uuid in Uuids(log)
            && (var ids := Members(log, s.uuid) + Uuids(Ancestry(log, y.uuid));
                && y.uuid in Uuids(Keep(log, ids))
                && Context(Keep(log, ids), y.uuid) != Context(log, y.uuid))
  {
    var log := [x, y, b, s];
    OfOne(x);
    OfTwo(x, y);
    OfThree(x, y, b);
    OfFour(x, y, b, s);
    assert log[0] == x && log[1] == y && log[2] == b && log[3] == s;
    PairIsAConversation(log, b, s);
    AncestryUnfolds(log, y.uuid);
    assert Uuids(Ancestry(log, y.uuid)) == {y.uuid};
    var ids := Members(log, s.uuid) + Uuids(Ancestry(log, y.uuid));
    UuidsOfKeep(log, ids);
    IndexOfIsPosition(log, 0);
    IndexOfIsPosition(log, 1);
    PartIsMember(log, x, y);
    ContextHoldsExactlyTheMembers(log, y.uuid);
    ContextHoldsExactlyTheMembers(Keep(log, ids), y.uuid);
    MembersAreAsOf(Keep(log, ids), y.uuid);
  }

  /** There are such entries. */
  lemma APartMayStandBeside()
    ensures var x, y, b, s := Speaks(0, None, 8, []), Speaks(1, None, 8, []), Boundary(2, 1), Asks(3, Some(2), []);
            && x.uuid != y.uuid && b.uuid !in {x.uuid, y.uuid} && s.uuid !in {x.uuid, y.uuid, b.uuid}
            && x.parent.None? && y.parent.None? && Mates(y, x)
            && b.parent.None? && s.parent == Some(b.uuid)
            && Quiet(b) && Quiet(s)
  {
    forall m, n | 0 <= m < n <= 3 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    SilentEntry(Boundary(2, 1));
    SilentEntry(Asks(3, Some(2), []));
  }

  // --- Not every kept entry is rendered alike ---

  /** A session compacted twice, where the second boundary preserves the summary of the first. */
  ghost predicate IsCompactedTwice(x: Entry, b: Entry, s: Entry, c: Entry, t: Entry, preserved: Preservation) {
    && IsCompacted(x, b, s, preserved, s.uuid)
    && Quiet(b) && Quiet(s)
    && c.uuid !in {x.uuid, b.uuid, s.uuid} && t.uuid !in {x.uuid, b.uuid, s.uuid, c.uuid}
    && c.parent.None? && t.parent == Some(c.uuid)
    && Quiet(c) && Quiet(t)
    && c.uuid in preserved && preserved[c.uuid] == Preserved(t.uuid, [s.uuid])
  }

  /** What is kept of a session compacted twice: the second conversation, and the first summary with its conversation, and
    * not what the first boundary preserves, which is not sent. */
  lemma TwiceCompactedIsKept(x: Entry, b: Entry, s: Entry, c: Entry, t: Entry, preserved: Preservation)
    requires IsCompactedTwice(x, b, s, c, t, preserved)
    ensures var log := [x, b, s, c, t];
            && WellFormed(log) && UniqueUuids(log)
            && Uuids(log) == {x.uuid, b.uuid, s.uuid, c.uuid, t.uuid}
            && Members(log, s.uuid) == {b.uuid, s.uuid}
            && Kept(log, preserved, t.uuid) == {b.uuid, s.uuid, c.uuid, t.uuid}
            && x.uuid in Uuids(Rendered(log, preserved, s.uuid))
  {
    var log := [x, b, s, c, t];
    OfOne(x);
    OfTwo(x, b);
    OfThree(x, b, s);
    OfFour(x, b, s, c);
    OfFive(x, b, s, c, t);
    assert log[1] == b && log[2] == s && log[3] == c && log[4] == t;
    hide Crossed, ReachesAcross;
    PairIsAConversation(log, b, s);
    PairIsAConversation(log, c, t);
    PairCrossesNothing(log, preserved, 1);
    PairCrossesNothing(log, preserved, 3);
    IndexOfIsPosition(log, 1);
    IndexOfIsPosition(log, 3);
    assert log[..1][0] == x && x in log[..1];
    assert log[..3][2] == s && s in log[..3];
    RenderedHoldsExactly(log, preserved, s.uuid);
    assert [x.uuid][0] in [x.uuid];
    TwiceCompactedReaches(log, c, t, s.uuid, preserved);
  }

  /** What a boundary reaches, in a conversation with no other root. */
  lemma TwiceCompactedReaches(log: Log, c: Entry, t: Entry, v: Id, preserved: Preservation)
    requires t.uuid in Uuids(log) && c.uuid in Uuids(log)
    requires Members(log, t.uuid) == {c.uuid, t.uuid}
    requires t.parent.Some? && Get(log, t.uuid) == t
    requires Heeds(log, preserved, {c.uuid, t.uuid}, c.uuid)
    requires preserved[c.uuid].ids == [v]
    requires v in Uuids(log)
    requires Crossed(log, preserved, t.uuid).None?
    ensures Reaches(log, preserved, t.uuid) == {v}
  {
    hide Crossed;
    assert [v][0] in [v];
    assert v in ReachesWithin(log, preserved, t.uuid);
  }

  /** The fork of a session compacted twice does not render the first summary as the log did: the client would send what the first
    * boundary preserves, and the fork does not have it. Nor is a fork there the fork that the log would give. */
  lemma KeptEntryMayLoseItsOwnPreserved(x: Entry, b: Entry, s: Entry, c: Entry, t: Entry, preserved: Preservation)
    requires IsCompactedTwice(x, b, s, c, t, preserved)
    ensures var log := [x, b, s, c, t];
            && WellFormed(log) && s.uuid in Uuids(log) && t.uuid in Uuids(log)
            && s.uuid in Kept(log, preserved, t.uuid)
            && !(Kept(log, preserved, s.uuid) <= Kept(log, preserved, t.uuid))
            && (var fork := ForkKept(log, preserved, t.uuid);
                && WellFormed(fork) && s.uuid in Uuids(fork)
                && Rendered(fork, preserved, s.uuid) != Rendered(log, preserved, s.uuid)
                && ForkKept(fork, preserved, s.uuid) != ForkKept(log, preserved, s.uuid))
  {
    var log := [x, b, s, c, t];
    TwiceCompactedIsKept(x, b, s, c, t, preserved);
    var fork := ForkKept(log, preserved, t.uuid);
    ForkKeptIsWellFormed(log, preserved, t.uuid);
    ForkKeptHoldsExactlyWhatIsKept(log, preserved, t.uuid);
    KeptHoldsWhatIsSent(log, preserved, s.uuid);
    assert x.uuid !in Uuids(fork);
    RenderedHoldsExactly(fork, preserved, s.uuid);
    forall y | y in Rendered(fork, preserved, s.uuid) ensures y.uuid != x.uuid {
      assert y in fork;
    }
    ForkKeptOfForkKept(log, preserved, t.uuid, s.uuid);
  }

  /** There is a session compacted twice. */
  lemma ASessionMayBeCompactedTwice()
    ensures var x, b, s, c, t := Asks(0, None, []), Boundary(1, 0), Asks(2, Some(1), []), Boundary(3, 2), Asks(4, Some(3), []);
            IsCompactedTwice(x, b, s, c, t,
                             map[Name(1) := Preserved(Name(2), [Name(0)]), Name(3) := Preserved(Name(4), [Name(2)])])
  {
    forall m, n | 0 <= m < n <= 4 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    SilentEntry(Boundary(1, 0));
    SilentEntry(Asks(2, Some(1), []));
    SilentEntry(Boundary(3, 2));
    SilentEntry(Asks(4, Some(3), []));
  }

  // --- Order ---

  /** A rendered conversation need not end in the entry that it is of, nor be in the order of the log: at the summary it ends in what is
    * preserved, which stands before both. */
  lemma RenderingLeavesTheOrderOfTheLog(x: Entry, b: Entry, s: Entry, preserved: Preservation)
    requires IsCompacted(x, b, s, preserved, s.uuid)
    ensures var log := [x, b, s];
            && WellFormed(log) && s.uuid in Uuids(log) && x.uuid in Uuids(log)
            && (var rendered := Rendered(log, preserved, s.uuid);
                && |rendered| == 3 && rendered[1] == s && rendered[2] == x
                && IndexOf(log, x.uuid) < IndexOf(log, s.uuid))
  {
    CompactedIsRendered(x, b, s, preserved, s.uuid);
    IndexOfIsPosition([x, b, s], 0);
    IndexOfIsPosition([x, b, s], 2);
  }

  // --- Growth ---

  /** Before its summary comes the conversation at a boundary is the boundary alone, and nothing is sent again. */
  lemma BoundaryIsAlone(x: Entry, b: Entry, s: Entry, preserved: Preservation)
    requires IsCompacted(x, b, s, preserved, s.uuid)
    ensures WellFormed([x, b]) && b.uuid in Uuids([x, b])
    ensures Context([x, b], b.uuid) == Rendered([x, b], preserved, b.uuid) == [b]
  {
    var log := [x, b];
    OfOne(x);
    OfTwo(x, b);
    assert log[1] == b;
    MembersContainsItself(log, b.uuid);
    forall y, z | y in log && z in log && y.uuid == b.uuid && Needs(y, z) ensures z.uuid == b.uuid {
      SameUuidIsSameEntry(log, y, b);
      assert z in [x, b, s];
    }
    MembersAreLeast(log, b.uuid, {b.uuid});
    assert Members(log, b.uuid) == {b.uuid};
    RootIsFirstOfAncestry(log, b.uuid);
    RenderedIsContextWhereNothingIsResent(log, preserved, b.uuid);
    KeepOfLast([x], b, {b.uuid});
    KeepOfLast([], x, {b.uuid});
    assert [x] + [b] == log && [] + [x] == [x];
  }

  /** The conversation at a boundary is sent as it is; once the summary comes, which the boundary waits for, it is sent with what
    * is preserved: so an entry that is awaited adds more than itself. */
  lemma TheAnchorBringsThePreserved(x: Entry, b: Entry, s: Entry, preserved: Preservation)
    requires IsCompacted(x, b, s, preserved, s.uuid)
    ensures Fits([x, b], s) && WellFormed([x, b]) && b.uuid in Uuids([x, b])
    ensures !NotAwaited([x, b], preserved, s)
    ensures Rendered([x, b], preserved, b.uuid) == [b]
    ensures WellFormed(Append([x, b], s)) && s.uuid in Uuids(Append([x, b], s))
    ensures Rendered(Append([x, b], s), preserved, s.uuid) != Rendered([x, b], preserved, b.uuid) + [s]
  {
    OfOne(x);
    OfTwo(x, b);
    BoundaryIsAlone(x, b, s, preserved);
    CompactedIsRendered(x, b, s, preserved, s.uuid);
    assert [x, b] + [s] == [x, b, s];
  }

  /** A list that resolves wherever its entries stand: a plausible definition, and what one client does. */
  predicate ResolvesAnywhere(log: Log, ids: seq<Id>) {
    Distinct(ids) && forall v | v in ids :: v in Uuids(log)
  }

  /** Resolved anywhere, an old boundary that preserved nothing would preserve something when the log grows; resolved before the
    * boundary, it does not. */
  lemma ResolvingAnywhereChanges(b: Entry, x: Entry)
    requires b.uuid != x.uuid
    ensures b.uuid in Uuids([b]) && b.uuid in Uuids([b] + [x])
    ensures !ResolvesAnywhere([b], [x.uuid]) && ResolvesAnywhere([b] + [x], [x.uuid])
    ensures !Resolves([b], b.uuid, [x.uuid]) && !Resolves([b] + [x], b.uuid, [x.uuid])
  {
    OfOne(b);
    OfTwo(b, x);
    assert [b] + [x] == [b, x];
    IndexOfIsPosition([b, x], 0);
    IndexOfIsPosition([b], 0);
    assert [x.uuid][0] in [x.uuid];
    assert [b, x][..0] == [] && [b][..0] == [];
  }

  /** There are such entries. */
  lemma TwoEntriesDiffer()
    ensures Boundary(0, 1).uuid != Asks(1, None, []).uuid
  {
    NamesDiffer(0, 1);
  }

  // --- Balance ---

  /** A call and its result in one entry. */
  lemma CallAndResultAreBalanced(e: Entry, t: Id)
    requires e.blocks == [Use(t), Result(t)]
    ensures Balanced([e])
  {
    BlocksOfOne(e);
    RunOfTwo(Blank, Use(t), Result(t));
  }

  /** A run over two blocks. */
  lemma RunOfTwo(books: Books, a: Block, b: Block)
    ensures Run(books, [a, b]) == Enter(Enter(books, a), b)
  {
    assert [a, b][..1] == [a] && [a][..0] == [];
    assert Run(books, [a]) == Enter(books, a);
  }

  /** An entry without blocks does not count. */
  lemma SilentEntryFirst(b: Entry, rest: Log)
    requires b.blocks == []
    ensures BooksOf([b] + rest) == BooksOf(rest)
  {
    BlocksOfConcatenation([b], rest);
    BlocksOfOne(b);
    assert [] + Blocks(rest) == Blocks(rest);
  }

  /** Context and preserved entries may both have calls, and none in common. */
  lemma CallsMayBeApart()
    ensures var x := Plain(0, None, Other, None, [Use(Name(9)), Result(Name(9))]);
            var b, s := Boundary(1, 0), Plain(2, Some(1), Other, None, [Use(Name(8)), Result(Name(8))]);
            && IsCompacted(x, b, s, map[Name(1) := Preserved(Name(2), [Name(0)])], s.uuid)
            && Balanced([x]) && Balanced([b, s])
            && ToolIds([x]) == {Name(9)} && ToolIds([b, s]) == {Name(8)} && ToolIds([x]) !! ToolIds([b, s])
  {
    var x := Plain(0, None, Other, None, [Use(Name(9)), Result(Name(9))]);
    var b, s := Boundary(1, 0), Plain(2, Some(1), Other, None, [Use(Name(8)), Result(Name(8))]);
    forall m, n | 0 <= m < n <= 9 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    SilentEntry(b);
    CallAndResultAreBalanced(x, Name(9));
    CallAndResultAreBalanced(s, Name(8));
    assert [b] + [s] == [b, s];
    SilentEntryFirst(b, [s]);
    BlocksOfConcatenation([b], [s]);
    BlocksOfOne(b);
    BlocksOfOne(x);
    BlocksOfOne(s);
    assert Blocks([x]) == [Use(Name(9)), Result(Name(9))];
    assert Blocks([b, s]) == [Use(Name(8)), Result(Name(8))];
    ToolIdsOfACallAndItsResult([x], Name(9));
    ToolIdsOfACallAndItsResult([b, s], Name(8));
  }

  /** The one tool id of a call and its result. */
  lemma ToolIdsOfACallAndItsResult(entries: Log, t: Id)
    requires Blocks(entries) == [Use(t), Result(t)]
    ensures ToolIds(entries) == {t}
  {
    var blocks := Blocks(entries);
    assert blocks[0] == Use(t) && blocks[1] == Result(t);
  }

  /** Context and preserved entries may each be balanced and what is sent not, where they have a call in common. */
  lemma SharedCallsSpoilTheBalance(x: Entry, b: Entry, s: Entry, preserved: Preservation, t: Id)
    requires IsCompacted(x, b, s, preserved, s.uuid)
    requires x.blocks == [Use(t), Result(t)] && b.blocks == [] && s.blocks == [Use(t), Result(t)]
    ensures var log := [x, b, s];
            && WellFormed(log) && s.uuid in Uuids(log)
            && Balanced(Context(log, s.uuid)) && Balanced([x])
            && !Balanced(Rendered(log, preserved, s.uuid))
  {
    CompactedIsHeeded(x, b, s, preserved, s.uuid);
    CompactedIsRendered(x, b, s, preserved, s.uuid);
    CallAndResultAreBalanced(x, t);
    CallAndResultAreBalanced(s, t);
    assert [b] + [s] == [b, s] && [b] + [s, x] == [b, s, x] && [s] + [x] == [s, x];
    SilentEntryFirst(b, [s]);
    SilentEntryFirst(b, [s, x]);
    BooksOfConcatenation([s], [x]);
    BlocksOfOne(s);
    BlocksOfOne(x);
    RunOfTwo(Blank, Use(t), Result(t));
    RunOfTwo(BooksOf([s]), Use(t), Result(t));
  }

  /** There are such entries: no user's result, so that the one does not need the other. */
  lemma CallsMayBeShared()
    ensures var blocks := [Use(Name(9)), Result(Name(9))];
            var x, b, s := Plain(0, None, Other, None, blocks), Boundary(1, 0), Plain(2, Some(1), Other, None, blocks);
            IsCompacted(x, b, s, map[Name(1) := Preserved(Name(2), [Name(0)])], s.uuid)
  {
    forall m, n | 0 <= m < n <= 2 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    SilentEntry(Boundary(1, 0));
  }

  /** A call and its result balance each other across what says nothing; neither does alone. */
  lemma CallAndResultBelongTogether(x: Entry, b: Entry, s: Entry, t: Id)
    requires x.blocks == [Use(t)] && b.blocks == [] && s.blocks == [Result(t)]
    ensures !Balanced([b, s]) && !Balanced([x]) && Balanced([b, x, s])
  {
    assert [b] + [s] == [b, s] && [b] + [x, s] == [b, x, s] && [x] + [s] == [x, s];
    SilentEntryFirst(b, [s]);
    SilentEntryFirst(b, [x, s]);
    assert [] + [x] == [x] && [] + [s] == [s];
    BooksOfOneMore([], x, Use(t));
    BooksOfOneMore([], s, Result(t));
    BooksOfOneMore([x], s, Result(t));
    assert t in BooksOf([x]).out;
  }

  /** What is sent may be balanced where neither the context nor what is preserved is: a call is preserved, its result stands after
    * the boundary. */
  lemma AnswersMayStandAfterTheBoundary(x: Entry, b: Entry, s: Entry, preserved: Preservation, t: Id)
    requires IsCompacted(x, b, s, preserved, b.uuid)
    requires x.blocks == [Use(t)] && b.blocks == [] && s.blocks == [Result(t)]
    ensures var log := [x, b, s];
            && WellFormed(log) && s.uuid in Uuids(log)
            && !Balanced(Context(log, s.uuid)) && !Balanced([x])
            && Balanced(Rendered(log, preserved, s.uuid))
  {
    hide Balanced;
    CompactedIsHeeded(x, b, s, preserved, b.uuid);
    CompactedIsRendered(x, b, s, preserved, b.uuid);
    assert [b] + [s] == [b, s] && [b] + [x, s] == [b, x, s];
    CallAndResultBelongTogether(x, b, s, t);
  }

  /** There are such entries. */
  lemma AResultMayComeAfterTheBoundary()
    ensures var x, b, s := Speaks(0, None, 8, [Use(Name(9))]), Boundary(1, 0), Asks(2, Some(1), [Result(Name(9))]);
            IsCompacted(x, b, s, map[Name(1) := Preserved(Name(1), [Name(0)])], b.uuid)
  {
    forall m, n | 0 <= m < n <= 2 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    SilentEntry(Boundary(1, 0));
    OneResult(Asks(2, Some(1), [Result(Name(9))]), Name(9));
  }

  /** A point may be resumable, or legal, and what is sent there unbalanced, when a list holds a call without its result. */
  lemma ResumableMayBeSentUnbalanced(x: Entry, b: Entry, s: Entry, preserved: Preservation, t: Id)
    requires IsCompacted(x, b, s, preserved, s.uuid)
    requires x.blocks == [Use(t)] && b.blocks == [] && s.blocks == []
    ensures var log := [x, b, s];
            && WellFormed(log) && s.uuid in Uuids(log)
            && Resumable(log, s.uuid)
            && (MainLineAssistant(s) ==> Legal(log, s.uuid))
            && !Balanced(Rendered(log, preserved, s.uuid))
  {
    CompactedIsHeeded(x, b, s, preserved, s.uuid);
    CompactedIsRendered(x, b, s, preserved, s.uuid);
    LastIsSettled([x, b, s]);
    assert [x, b, s][2] == s;
    SilenceIsBalanced([b, s]);
    CallAfterSilenceIsOut(b, s, x, t);
  }

  /** A call at the end, after entries without blocks, is out. */
  lemma CallAfterSilenceIsOut(b: Entry, s: Entry, x: Entry, t: Id)
    requires b.blocks == [] && s.blocks == [] && x.blocks == [Use(t)]
    ensures !Balanced([b, s, x])
  {
    assert [b] + [s, x] == [b, s, x] && [s] + [x] == [s, x] && [] + [x] == [x];
    SilentEntryFirst(b, [s, x]);
    SilentEntryFirst(s, [x]);
    BooksOfOneMore([], x, Use(t));
    assert t in BooksOf([x]).out;
  }

  /** There are such entries. */
  lemma ACallMayBePreservedAlone()
    ensures var x, b, s := Speaks(0, None, 8, [Use(Name(9))]), Boundary(1, 0), Speaks(2, Some(1), 7, []);
            && IsCompacted(x, b, s, map[Name(1) := Preserved(Name(2), [Name(0)])], s.uuid)
            && MainLineAssistant(s)
  {
    forall m, n | 0 <= m < n <= 9 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    SilentEntry(Boundary(1, 0));
    SilentEntry(Speaks(2, Some(1), 7, []));
  }

  /** The theorems apply to the compacted session. */
  lemma TheoremsApplyToACompactedSession()
  {
    hide *;
    ACompactedSessionExists();
    var x, b, s, e := Asks(0, None, []), Boundary(1, 0), Asks(2, Some(1), []), Asks(3, Some(2), []);
    var log, preserved := [x, b, s], map[Name(1) := Preserved(Name(2), [Name(0)])];
    var more := preserved[Name(3) := Preserved(Name(3), [Name(0)])];
    CompactedIsHeeded(x, b, s, preserved, s.uuid);
    CompactedIsKept(x, b, s, preserved, s.uuid);
    WellFormedHasUniqueUuids(log);
    var u := s.uuid;
    assert u in Members(log, u) && u in Kept(log, preserved, u);
    AppendKeepsOldRenderings(log, preserved, more, e, u);
    AppendRendersOneMore(log, preserved, e, u);
    BranchThenForkKeptIsForkKeptThenAppend(log, preserved, e, u);
    ForkKeptIsForkExactly(log, preserved, u);
    ForkKeptKeepsLegal(log, preserved, u, u);
    ForkKeptPreservesRenderingWhereNeedsAreKept(log, preserved, u, u);
    KeptIsLeast(log, preserved, u, Kept(log, preserved, u));
    RenderedEndsIn(log, preserved, u);
    KeptIsLeastThatSends(log, preserved, u, Kept(log, preserved, u)) by {
      KeptHoldsWhatIsSent(log, preserved, u);
    }
    assert Get(log, x.uuid).parent.None? by {
      reveal *;
    }
    LastRootOfTheFork(log, preserved, u, x.uuid);
  }

  /** What is said to be preserved at an entry that is no root is not sent again. */
  lemma TheoremsApplyToASummaryThatIsNoRoot()
  {
    var x, b, s := Asks(0, None, []), Boundary(1, 0), Asks(2, Some(1), []);
    var log, preserved := [x, b, s], map[s.uuid := Preserved(s.uuid, [x.uuid])];
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    assert forall root | root in log && root.parent.None? :: root.uuid !in preserved;
    ACompactedSessionExists();
    hide *;
    CompactedIsHeeded(x, b, s, map[Name(1) := Preserved(Name(2), [Name(0)])], s.uuid);
    assert s.uuid in Uuids(log);
    NothingPreservedNothingResent(log, preserved, s.uuid);
  }

  /** They apply to a session that was compacted twice, of which a fork leaves out the first entry. */
  lemma TheoremsApplyToATwiceCompactedSession()
  {
    hide *;
    ASessionMayBeCompactedTwice();
    var x, b, s, c, t := Asks(0, None, []), Boundary(1, 0), Asks(2, Some(1), []), Boundary(3, 2), Asks(4, Some(3), []);
    var longer, twice := [x, b, s, c, t], map[Name(1) := Preserved(Name(2), [Name(0)]), Name(3) := Preserved(Name(4), [Name(2)])];
    TwiceCompactedIsKept(x, b, s, c, t, twice);
    ForkKeptIsCanonical(longer, twice, t.uuid);
    ForkKeptPreservesAncestry(longer, twice, t.uuid, s.uuid);
    ForkKeptPreservesContexts(longer, twice, t.uuid, s.uuid);
    MembersContainsItself(longer, t.uuid);
    assert CrossesNoOther(longer, twice, t.uuid, t.uuid) by {
      reveal CrossesNoOther;
    }
    ForkKeptPreservesRendering(longer, twice, t.uuid, t.uuid);
    ForkingKeptAgainChangesNothing(longer, twice, t.uuid);
    KeptHoldsConversations(longer, twice, t.uuid, s.uuid);
    KeptStandsBefore(longer, twice, t.uuid, s.uuid);
  }

  /** They apply to a context and a preserved entry that both have calls, and none in common. */
  lemma TheoremsApplyToCallsApart()
  {
    hide *;
    CallsMayBeApart();
    var b, preserved := Boundary(1, 0), map[Name(1) := Preserved(Name(2), [Name(0)])];
    var called := Plain(0, None, Other, None, [Use(Name(9)), Result(Name(9))]);
    var calls := Plain(2, Some(1), Other, None, [Use(Name(8)), Result(Name(8))]);
    CompactedIsHeeded(called, b, calls, preserved, calls.uuid);
    CompactedIsKept(called, b, calls, preserved, calls.uuid);
    RenderedIsBalancedExactly([called, b, calls], preserved, calls.uuid);
  }

  /** They apply to an entry that goes on at a preserved one, behind the boundary. */
  lemma TheoremsApplyToACrossing()
  {
    hide *;
    ACrossingExists();
    var x, b, s, e := Asks(0, None, []), Boundary(1, 0), Asks(2, Some(1), []), Asks(3, Some(0), []);
    var log, preserved := [x, b, s, e], map[Name(1) := Preserved(Name(2), [Name(0)])];
    var u := e.uuid;
    CrossingIsCrossed(x, b, s, e, preserved, s.uuid);
    assert x.uuid in Members(log, u) && u in Members(log, u) && b.uuid in Members(log, s.uuid);
    CrossedUnfolds(log, preserved, u);
    CrossedIsTheLast(log, preserved, u);
    WhatIsCrossed(log, preserved, u);
    RenderedIsSentAcross(log, preserved, u);
    RenderedAcrossIsBalancedExactly(log, preserved, u);
    CrossedIsReached(log, preserved, u);
    assert preserved[b.uuid].anchor == s.uuid;
    ReachedStandsBefore(log, preserved, u, s.uuid);
    WhatIsReachedIsThere(log, preserved, u);
    KeptIsLeast(log, preserved, u, {});
    KeptStandsBefore(log, preserved, u, b.uuid);
    assert CrossesNoOther(log, preserved, u, u) by {
      reveal CrossesNoOther;
    }
    ForkKeptPreservesRendering(log, preserved, u, u);
    MembersNeedNoMoreKept(log, preserved, u, x.uuid);
    ForkKeptOfForkKept(log, preserved, u, x.uuid);
    GoingOnAtThePreservedBringsTheBoundary(x, b, s, e, preserved) by {
      reveal Asks, Plain;
    }
    AppendRendersAcross([x, b, s], preserved, e, x.uuid) by {
      reveal Asks, Plain, NameOf;
    }
  }

  /** They apply where one goes on behind that entry: nothing more is crossed. */
  lemma TheoremsApplyBehindACrossing()
  {
    hide *;
    ACrossingExists();
    var x, b, s, e, f := Asks(0, None, []), Boundary(1, 0), Asks(2, Some(1), []), Asks(3, Some(0), []), Asks(4, Some(3), []);
    var log, preserved := [x, b, s, e], map[Name(1) := Preserved(Name(2), [Name(0)])];
    CrossingIsCrossed(x, b, s, e, preserved, s.uuid);
    MayGoOnBehind(x, b, s, e, f, preserved);
    AppendKeepsOldRenderings(log, preserved, preserved, f, e.uuid) by {
      reveal Agree;
    }
    AppendRendersOneMore(log, preserved, f, e.uuid);
    BranchThenForkKeptIsForkKeptThenAppend(log, preserved, f, e.uuid);
    assert Get(log, b.uuid).parent.None? && b.uuid in Kept(log, preserved, e.uuid) by {
      reveal Get, Boundary;
      CrossedIsReached(log, preserved, e.uuid);
      KeptIsLeast(log, preserved, e.uuid, {});
      assert preserved[b.uuid].anchor == s.uuid;
      assert b.uuid in Members(log, s.uuid);
    }
    LastRootOfTheFork(log, preserved, e.uuid, b.uuid);
  }

  /** An entry may go on behind one that crosses a boundary. */
  lemma MayGoOnBehind(x: Entry, b: Entry, s: Entry, e: Entry, f: Entry, preserved: Preservation)
    requires IsCrossing(x, b, s, e, preserved, s.uuid)
    requires preserved.Keys == {b.uuid}
    requires f.uuid !in {x.uuid, b.uuid, s.uuid, e.uuid} && f.parent == Some(e.uuid) && Quiet(f) && !f.kind.Assistant?
    ensures var log := [x, b, s, e];
            && WellFormed(log) && e.uuid in Uuids(log)
            && Fits(log, f) && NeedsNothingElse(log, e.uuid, f)
            && NotAwaited(log, preserved, f) && NotPreserved(log, preserved, e.uuid)
            && OneRoot(log, e.uuid)
  {
    var log := [x, b, s, e];
    CrossingIsCrossed(x, b, s, e, preserved, s.uuid);
    hide Members, Crossed, UniqueUuids, WellFormed, Quiet;
    assert log[0] == x && log[1] == b && log[2] == s && log[3] == e;
    QuietIsSettled(log, e.uuid);
    PromptNeedsNothingElse(log, f, e.uuid) by {
      reveal Quiet;
    }
  }

  /** They apply where a boundary lists more than is sent. */
  lemma TheoremsApplyToTwoListed()
  {
    hide *;
    TwoMayBeListed();
    var x, y, b, e := Asks(0, None, []), Asks(1, Some(0), []), Boundary(2, 1), Asks(3, Some(0), []);
    var log, preserved := [x, y, b, e], map[Name(2) := Preserved(Name(2), [Name(0), Name(1)])];
    TheRestOfTheListIsKept(x, y, b, e, preserved);
    var s := {x.uuid, b.uuid, e.uuid};
    KeptIsLeastThatSends(log, preserved, e.uuid, s + {y.uuid});
  }
}

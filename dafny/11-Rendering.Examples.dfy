// Chapter 11, examples: a compacted session that meets the theorems' conditions, and plausible statements about rendered
// contexts that are false.
include "07-Forks.Examples.dfy"
include "11-Rendering.Proofs.dfy"

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

  /** The conversation at the summary of a compacted session heeds the boundary. */
  lemma CompactedIsHeeded(x: Entry, b: Entry, s: Entry, preserved: Preservation, anchor: Id)
    requires IsCompacted(x, b, s, preserved, anchor)
    ensures var log := [x, b, s];
            && WellFormed(log) && UniqueUuids(log)
            && Uuids(log) == {x.uuid, b.uuid, s.uuid}
            && Members(log, s.uuid) == {b.uuid, s.uuid}
            && Get(log, x.uuid) == x
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
  }

  /** The summary of a compacted session is its last entry, so nothing of its conversation comes later. */
  lemma SilenceNeedsNothing(x: Entry, b: Entry, s: Entry)
    requires UniqueUuids([x, b, s])
    ensures s.uuid in Uuids([x, b, s]) && Settled([x, b, s], s.uuid)
  {
    LastIsSettled([x, b, s]);
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
    PairIsAConversation(log, b, s);
    PairIsAConversation(log, c, t);
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
    ensures Reaches(log, preserved, t.uuid) == {v}
  {
    assert [v][0] in [v];
    assert v in Reaches(log, preserved, t.uuid);
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
}

// Chapter 13, examples: three branches that are merged either way, what a merge needs, and what two files lose or change.
include "05-Balance.Examples.dfy"
include "07-Forks.Examples.dfy"
include "13-Merging.Proofs.dfy"

module MergingExamples {
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
  import opened ForksExamples
  import opened Merging
  import opened MergingProofs

  // --- Witnesses ---

  /** A user's entry without blocks that continues another one. */
  function Says(n: nat, parent: nat): Entry {
    Asks(n, Some(parent), [])
  }

  /** A prompt and three branches that continue it. */
  opaque ghost function Branches(): Log {
    [Prompt(), Says(1, 0), Says(2, 0), Says(3, 0)]
  }

  /** Different numbers name different ids. */
  lemma AllNamesDiffer()
    ensures forall m: nat, n: nat | m != n :: Name(m) != Name(n)
  {
    forall m: nat, n: nat | m != n ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
  }

  /** Three branches are well-formed. */
  lemma BranchesAreWellFormed()
    ensures WellFormed(Branches()) && UniqueUuids(Branches())
    ensures Uuids(Branches()) == {Name(0), Name(1), Name(2), Name(3)}
    ensures Get(Branches(), Name(0)) == Prompt()
    ensures forall n: nat | 1 <= n <= 3 :: Name(n) in Uuids(Branches()) && Get(Branches(), Name(n)) == Says(n, 0)
    ensures forall e | e in Branches() :: e.kind.User? && e.blocks == []
  {
    hide WellFormed, UniqueUuids, Uuids, Get, AsOf;
    reveal Branches();
    AllNamesDiffer();
    OfOne(Prompt());
    OfTwo(Prompt(), Says(1, 0));
    OfThree(Prompt(), Says(1, 0), Says(2, 0));
    OfFour(Prompt(), Says(1, 0), Says(2, 0), Says(3, 0));
  }

  /** Three branches, nothing merged. */
  ghost function Unmerged(): History {
    History(Branches(), map[])
  }

  /** From a branch the prompt is reached, and no other branch. */
  lemma BranchReaches(n: nat)
    requires 1 <= n <= 3
    ensures WellFormed(Branches()) && Name(n) in Uuids(Branches())
    ensures Reach(Branches(), map[], Name(n)) == {Name(0), Name(n)}
  {
    BranchesAreWellFormed();
    ReachUnfolds(Branches(), map[], Name(0));
    ReachUnfolds(Branches(), map[], Name(n));
  }

  /** Where nobody makes a call and nobody but users speak, every point is settled. */
  lemma SilentUsersAreSettled(log: Log, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires forall e | e in log :: e.kind.User? && e.blocks == []
    ensures Settled(log, v)
  {
    MembersAreParentClosed(log, v);
    forall a, b | a in log && b in log && a.uuid in Members(log, v) && Needs(a, b) ensures b.uuid in Members(log, v) {
      SilentEntry(a);
    }
  }

  /** A branch can be merged into another one, from either side, by a user's node without blocks; the target is settled, and its
    * conversation is all that the node needs. */
  lemma BranchesCanBeMerged(n: nat, target: nat, source: nat)
    requires n >= 4
    requires 1 <= target <= 3 && 1 <= source <= 3 && target != source
    ensures CanMerge(Unmerged(), Says(n, target), Name(source))
    ensures Name(source) !in Reach(Branches(), map[], Name(target))
    ensures Head(Unmerged(), Says(n, target), Name(source)) == Name(n)
    ensures Settled(Branches(), Name(target))
    ensures NeedsNothingElse(Branches(), Name(target), Says(n, target))
    ensures Says(n, target).kind.User? && UsesOf(Says(n, target)) == {} && forall b | b in Says(n, target).blocks :: b.Opaque?
  {
    BranchesAreWellFormed();
    AllNamesDiffer();
    BranchReaches(target);
    SilentUsersAreSettled(Branches(), Name(target));
    SilentEntry(Says(n, target));
    PromptNeedsNothingElse(Branches(), Says(n, target), Name(target));
  }

  /** The end of a branch is resumable: all are silent. */
  lemma BranchesAreResumable(target: nat)
    requires 1 <= target <= 3
    ensures Name(target) in Uuids(Branches()) && Resumable(Branches(), Name(target))
  {
    BranchesAreWellFormed();
    SilentUsersAreSettled(Branches(), Name(target));
    ContextHoldsExactlyTheMembers(Branches(), Name(target));
    SilenceIsBalanced(Context(Branches(), Name(target)));
  }

  /** After a merge another one can follow where the target goes on: of the same source, or of a third branch. */
  lemma MergesCanFollow(n: nat, target: nat, source: nat, next: nat, v: nat)
    requires n >= 4 && next >= 4 && n != next
    requires 1 <= target <= 3 && 1 <= source <= 3 && target != source
    requires v <= 3
    ensures CanMerge(Unmerged(), Says(n, target), Name(source))
    ensures CanMerge(Merge(Unmerged(), Says(n, target), Name(source)), Says(next, n), Name(v))
  {
    hide WellFormed, Uuids, Reach;
    BranchesCanBeMerged(n, target, source);
    AppendingOne(n, target);
    assert v == 0 || v == 1 || v == 2 || v == 3;
    MergeIsWellFormed(Unmerged(), Says(n, target), Name(source));
  }

  /** The ids after one node came. */
  lemma AppendingOne(n: nat, target: nat)
    requires n >= 4 && 1 <= target <= 3
    ensures Fits(Branches(), Says(n, target))
    ensures Uuids(Append(Branches(), Says(n, target))) == {Name(0), Name(1), Name(2), Name(3), Name(n)}
    ensures forall m: nat | m >= 4 && m != n :: Name(m) !in Uuids(Append(Branches(), Says(n, target)))
  {
    BranchesAreWellFormed();
    AllNamesDiffer();
    AppendAddsExactlyOne(Branches(), Says(n, target));
  }

  /** Three branches merged from the left and from the right. */
  lemma ThreeBranchesMergeEitherWay()
    ensures CanMerge(Unmerged(), Says(4, 1), Name(2)) && CanMerge(Unmerged(), Says(6, 2), Name(3))
    ensures Head(Unmerged(), Says(4, 1), Name(2)) == Name(4) && Head(Unmerged(), Says(6, 2), Name(3)) == Name(6)
    ensures CanMerge(Merge(Unmerged(), Says(4, 1), Name(2)), Says(5, 4), Name(3))
    ensures CanMerge(Merge(Unmerged(), Says(6, 2), Name(3)), Says(7, 1), Name(6))
    ensures Name(1) in Uuids(Branches()) && Name(3) in Uuids(Branches())
  {
    BranchesAreWellFormed();
    BranchesCanBeMerged(4, 1, 2);
    BranchesCanBeMerged(6, 2, 3);
    MergesCanFollow(4, 1, 2, 5, 3);
    AppendingOne(6, 2);
    MergeIsWellFormed(Unmerged(), Says(6, 2), Name(3));
  }

  // --- What does not commute ---

  /** Merged into each other, two branches reach the same and are different conversations: in front of the node stands the one in
    * one, the other in the other. */
  lemma ContextsDiffer()
    ensures CanMerge(Unmerged(), Says(4, 1), Name(2)) && CanMerge(Unmerged(), Says(5, 2), Name(1))
    ensures Name(1) in Uuids(Branches()) && Name(2) in Uuids(Branches())
    ensures var there, here := Merge(Unmerged(), Says(4, 1), Name(2)).log, Merge(Unmerged(), Says(5, 2), Name(1)).log;
            && Name(4) in Uuids(there) && Name(5) in Uuids(here)
            && Context(there, Name(4)) == Context(Branches(), Name(1)) + [Says(4, 1)]
            && Context(here, Name(5)) == Context(Branches(), Name(2)) + [Says(5, 2)]
            && Context(Branches(), Name(1)) != Context(Branches(), Name(2))
  {
    hide Context, WellFormed, Uuids, Reach, Merge, NeedsNothingElse;
    BranchesCanBeMerged(4, 1, 2);
    BranchesCanBeMerged(5, 2, 1);
    ContextsNeverCommute(Unmerged(), Says(4, 1), Says(5, 2), Name(1), Name(2));
  }

  // --- What a merge node needs ---

  /** The target must be settled: merged at a call whose answer came later, the answer comes into the context of the node, and not
    * as something quoted. */
  lemma UnsettledTargetBringsMoreIn(a: Entry, b: Entry, node: Entry)
    requires a.uuid != b.uuid && node.uuid !in {a.uuid, b.uuid}
    requires a.parent.None? && b.parent == Some(a.uuid) && node.parent == Some(a.uuid)
    requires Answers(a, b)
    ensures CanMerge(History([a, b], map[]), node, b.uuid)
    ensures var h := History([a, b], map[]);
            var after := Merge(h, node, b.uuid).log;
            && b.uuid !in Reach(h.log, h.merges, a.uuid)
            && node.uuid in Uuids(after) && a.uuid in Uuids(h.log)
            && Context(after, node.uuid) != Context(h.log, a.uuid) + [node]
  {
    BranchNeedsASettledPoint(a, b, node);
    OfTwo(a, b);
    ReachUnfolds([a, b], map[], a.uuid);
  }

  /** The node must be no part of a message and make no call: where it is, or does, more comes in. */
  lemma NodeMustBeTheUsersAndMakeNoCall(r: Entry, x: Entry, node: Entry)
    requires r.uuid != x.uuid && node.uuid !in {r.uuid, x.uuid}
    requires r.parent.None? && x.parent == Some(r.uuid) && node.parent == Some(r.uuid)
    requires r.kind.User? && r.blocks == []
    requires Mates(node, x) || Answers(node, x)
    ensures CanMerge(History([r, x], map[]), node, x.uuid)
    ensures var h := History([r, x], map[]);
            var after := Merge(h, node, x.uuid).log;
            && x.uuid !in Reach(h.log, h.merges, r.uuid)
            && Settled(h.log, r.uuid)
            && node.uuid in Uuids(after)
            && Context(after, node.uuid) != Context(h.log, r.uuid) + [node]
  {
    BranchNeedsNothingBeside(r, x, node);
    OfTwo(r, x);
    ReachUnfolds([r, x], map[], r.uuid);
  }

  /** There are such entries. */
  lemma SuchNodesMayCome()
    ensures var a, b, node := Speaks(0, None, 8, [Use(Name(7))]), Asks(1, Some(0), [Result(Name(7))]), Asks(2, Some(0), []);
            && a.uuid != b.uuid && node.uuid !in {a.uuid, b.uuid}
            && a.parent.None? && b.parent == Some(a.uuid) && node.parent == Some(a.uuid)
            && Answers(a, b)
    ensures var r, x, node := Asks(0, None, []), Speaks(1, Some(0), 8, []), Speaks(2, Some(0), 8, []);
            && r.uuid != x.uuid && node.uuid !in {r.uuid, x.uuid}
            && r.parent.None? && x.parent == Some(r.uuid) && node.parent == Some(r.uuid)
            && r.kind.User? && r.blocks == []
            && Mates(node, x)
  {
    AnswersMayComeLater();
    NeededEntriesMayStandBeside();
  }

  // --- What is reached and what is held ---

  /** Both parents alone lose a part of a message that stands beside: it belongs to the conversation, and is held. */
  lemma ReachLosesAParallelPart(r: Entry, a1: Entry, a2: Entry)
    requires r.uuid != a1.uuid && a2.uuid !in {r.uuid, a1.uuid}
    requires r.parent.None? && a1.parent == Some(r.uuid) && a2.parent == Some(r.uuid)
    requires Mates(a2, a1)
    ensures WellFormed([r, a1, a2]) && a2.uuid in Uuids([r, a1, a2])
    ensures a1.uuid in Members([r, a1, a2], a2.uuid)
    ensures a1.uuid !in Reach([r, a1, a2], map[], a2.uuid)
    ensures a1.uuid in Held([r, a1, a2], map[], a2.uuid)
  {
    var log := [r, a1, a2];
    OfOne(r);
    OfTwo(r, a1);
    OfThree(r, a1, a2);
    assert log[1] == a1 && log[2] == a2;
    ReachUnfolds(log, map[], a2.uuid);
    ReachUnfolds(log, map[], r.uuid);
    MembersContainsItself(log, a2.uuid);
    WhatMembersNeedIsMember(log, a2.uuid, a2, a1);
    HeldHoldsConversationAndReach(History(log, map[]), a2.uuid);
  }

  /** There are such entries. */
  lemma AParallelPartMayStandBeside()
    ensures var r, a1, a2 := Asks(0, None, []), Speaks(1, Some(0), 8, []), Speaks(2, Some(0), 8, []);
            && r.uuid != a1.uuid && a2.uuid !in {r.uuid, a1.uuid}
            && r.parent.None? && a1.parent == Some(r.uuid) && a2.parent == Some(r.uuid)
            && Mates(a2, a1)
  {
    AllNamesDiffer();
  }

  // --- What is quoted twice ---

  /** A branch holds itself and no other branch. */
  lemma BranchHoldsNoOther(n: nat, m: nat)
    requires 1 <= n <= 3 && 1 <= m <= 3 && n != m
    ensures WellFormed(Branches()) && Name(n) in Uuids(Branches())
    ensures Name(m) !in Held(Branches(), map[], Name(n))
    ensures Name(n) in Held(Branches(), map[], Name(n))
  {
    hide WellFormed, Uuids, Get, Members, Held;
    BranchesAreWellFormed();
    AllNamesDiffer();
    MembersContainsItself(Branches(), Name(n));
    HeldIsTheConversationWhereNothingWasMerged(Unmerged(), Name(n));
    SilentConversation(n);
  }

  /** The conversation at a branch is the prompt and the branch at most. */
  lemma SilentConversation(n: nat)
    requires 1 <= n <= 3
    ensures Name(n) in Uuids(Branches())
    ensures Members(Branches(), Name(n)) <= {Name(0), Name(n)}
  {
    hide WellFormed, Uuids, Members;
    BranchesAreWellFormed();
    AllNamesDiffer();
    forall a, b | a in AsOf(Branches(), Name(n)) && b in AsOf(Branches(), Name(n)) && a.uuid in {Name(0), Name(n)} && Needs(a, b)
      ensures b.uuid in {Name(0), Name(n)}
    {
      SilentEntry(a);
      GetFindsEntry(Branches(), a);
      GetFindsEntry(Branches(), b);
    }
    MembersAreLeast(Branches(), Name(n), {Name(0), Name(n)});
  }

  /** Merged from the right, the third branch is quoted by the node between, and by the last node once more, with the node
    * between; merged from the left it is quoted once. */
  lemma QuotedTwiceFromTheRight()
    ensures WellFormed(Branches()) && {Name(1), Name(2), Name(3)} <= Uuids(Branches())
    ensures CanMerge(Unmerged(), Says(6, 2), Name(3))
    ensures var between := Merge(Unmerged(), Says(6, 2), Name(3));
            && WellFormed(between.log) && Name(1) in Uuids(between.log) && Name(6) in Uuids(between.log)
            && Name(3) in Quoted(Unmerged(), Full, Name(2), Name(3))
            && {Name(3), Name(6)} <= Quoted(between, Full, Name(1), Name(6))
  {
    hide WellFormed, Uuids, Reach, Held, Merge, Quoted, NeedsNothingElse;
    BranchesAreWellFormed();
    BranchesCanBeMerged(6, 2, 3);
    BranchHoldsNoOther(1, 3);
    BranchHoldsNoOther(2, 3);
    BranchHoldsNoOther(3, 1);
    FromTheRightTheThirdIsQuotedAgain(Unmerged(), Says(6, 2), Name(1), Name(2), Name(3));
    var one := Quoted(Unmerged(), Full, Name(2), Name(3));
    var two := Quoted(Merge(Unmerged(), Says(6, 2), Name(3)), Full, Name(1), Name(6));
    assert Name(3) in one * two;
  }

  // --- Linear histories ---

  /** The seed's formula cannot do what it should: two branches after one prompt are linear, each by itself, and no linear history
    * holds both as they are. */
  lemma InterleavingKeepsNotBoth()
    ensures var a, b := [Prompt(), Says(1, 0)], [Prompt(), Says(2, 0)];
            && Linear(a) && UniqueUuids(a) && Linear(b) && UniqueUuids(b)
            && [Prompt()] < a && [Prompt()] < b && a[1] != b[1]
            && !exists log: Log :: Linear(log) && UniqueUuids(log) && forall e | e in a || e in b :: e in log
  {
    var a, b := [Prompt(), Says(1, 0)], [Prompt(), Says(2, 0)];
    hide UniqueUuids, Linear;
    AllNamesDiffer();
    TwoInALine(Prompt(), Says(1, 0));
    TwoInALine(Prompt(), Says(2, 0));
    assert a[1] != b[1];
    LinearHistoryKeepsBothExactly(a, b);
  }

  /** A root and its child are a linear history. */
  lemma TwoInALine(r: Entry, x: Entry)
    requires r.uuid != x.uuid
    requires r.parent.None? && x.parent == Some(r.uuid)
    ensures Linear([r, x]) && UniqueUuids([r, x])
  {
    OfTwo(r, x);
  }

  // --- Two files ---

  /** Two files that hold another entry under the same id: the second one's is lost, whichever is second. */
  lemma OtherEntryUnderTheSameIdIsLost()
    ensures var a, b := [Asks(0, None, [])], [Speaks(0, None, 8, [])];
            && WellFormed(a) && WellFormed(b) && UniqueUuids(a) && UniqueUuids(b)
            && !Agree(a, b) && !PartsFrom(b, a)
            && Union(a, b) == a && Union(b, a) == b && a[0] != b[0]
  {
    hide WellFormed, UniqueUuids, Uuids, Keep, Union;
    var x, y := Asks(0, None, []), Speaks(0, None, 8, []);
    OfOne(x);
    OfOne(y);
    assert x in [x] && y in [y];
    UnionIsIdempotent([x], [y]);
    UnionIsIdempotent([y], [x]);
    KeepingAllIsTheLog([x], Uuids([y]));
  }

  /** As sequences two files do not commute, although they agree and each begins with what it shares with the other. */
  lemma UnionDoesNotCommuteInOrder()
    ensures var a, b := [Prompt(), Says(1, 0)], [Prompt(), Says(2, 0)];
            && WellFormed(a) && WellFormed(b)
            && Agree(a, b)
            && PartsFrom(b, a) && PartsFrom(a, b)
            && Union(a, b) != Union(b, a)
  {
    hide WellFormed, Uuids, Keep, Union, Get, AsOf, UniqueUuids;
    var r, x, y := Prompt(), Says(1, 0), Says(2, 0);
    AllNamesDiffer();
    OfOne(r);
    OfTwo(r, x);
    OfTwo(r, y);
    TwoBranchesUnited(r, x, y);
    TwoBranchesUnited(r, y, x);
    assert [r, x, y][1] != [r, y, x][1];
  }

  /** A root with one branch, and with another one: the union is the root and both. */
  lemma TwoBranchesUnited(r: Entry, x: Entry, y: Entry)
    requires r.uuid != x.uuid && y.uuid !in {r.uuid, x.uuid}
    ensures PartsFrom([r, y], [r, x])
    ensures Union([r, x], [r, y]) == [r, x, y]
  {
    hide Uuids, Keep, Union, Get, AsOf, UniqueUuids;
    var a, b := [r, x], [r, y];
    OfOne(r);
    OfTwo(r, x);
    OfTwo(r, y);
    assert a == [r] + [x] && b == [r] + [y];
    KeepOfLast([r], x, Uuids(b));
    KeepingAllIsTheLog([r], Uuids(b));
    UnionOfOneMore(a, [r], y);
    UnionIsIdempotent(a, [r]);
  }

  /** Files that agree and part more than once: the second does not stand in the union in its order. */
  lemma PartingTwiceChangesTheOrder()
    ensures var a, b := [Prompt(), Says(2, 0)], [Prompt(), Says(1, 0), Says(2, 0)];
            && WellFormed(a) && WellFormed(b) && UniqueUuids(b)
            && Agree(a, b)
            && !PartsFrom(b, a)
            && Keep(Union(a, b), Uuids(b)) != b
  {
    hide WellFormed, Uuids, Keep, Union, Get, AsOf, UniqueUuids;
    var r, n, s := Prompt(), Says(1, 0), Says(2, 0);
    var a, b := [r, s], [r, n, s];
    AllNamesDiffer();
    OfOne(r);
    OfTwo(r, s);
    OfTwo(r, n);
    OfThree(r, n, s);
    KeepingAllIsTheLog(a, Uuids(b));
    assert a[1] != b[1];
    SecondFileStandsInUnionExactly(a, b);
  }

  /** A fork at an unsettled point that went on comes back changed: in the log the answer belongs to its conversation. */
  lemma UnionChangesAnUnsettledFork(a: Entry, b: Entry, e: Entry)
    requires a.uuid != b.uuid && e.uuid !in {a.uuid, b.uuid}
    requires a.parent.None? && b.parent == Some(a.uuid) && e.parent == Some(a.uuid)
    requires Answers(a, b)
    ensures a.uuid in Uuids([a, b])
    ensures var fork := Fork([a, b], a.uuid) + [e];
            && e.uuid in Uuids(fork) && e.uuid in Uuids(Union([a, b], fork))
            && Context(Union([a, b], fork), e.uuid) != Context(fork, e.uuid)
  {
    BranchNeedsASettledPoint(a, b, e);
    UnionKeepsContextOfContinuedForkExactly([a, b], a.uuid, e);
  }

  /** A chat forked at its end and continued by a prompt comes back with every context as it was. */
  lemma ChatComesBack()
    ensures WellFormed(Chat()) && Name(1) in Uuids(Chat()) && Settled(Chat(), Name(1))
    ensures WellFormed(Fork(Chat(), Name(1)) + [Next()])
    ensures Uuids([Next()]) !! Uuids(Chat())
    ensures forall x, y | x in [Next()] && y in Chat() && Needs(x, y) :: y.uuid in Members(Chat(), Name(1))
    ensures PartsFrom(Fork(Chat(), Name(1)) + [Next()], Chat())
  {
    hide WellFormed, Uuids, Keep, Members, Context, Settled, Closed, Needs, UniqueUuids;
    ChatIsWellFormed();
    ChatGoesOn();
    ForkIsSharedPrefixOfContinuation(Chat(), Name(1), [Next()]);
    OfOne(Next());
    UnionWithContinuedFork(Chat(), Name(1), [Next()]);
  }

  /** A fork that left a call out goes on, and comes back. */
  lemma AForkBesideACallComesBack()
    ensures var tree := [Asks(0, None, []), Speaks(1, Some(0), 8, [Use(Name(7))]), Speaks(2, Some(0), 9, [])];
            var next := Asks(3, Some(2), []);
            && WellFormed(tree) && Name(2) in Uuids(tree) && Settled(tree, Name(2))
            && WellFormed(Fork(tree, Name(2)) + [next])
            && Uuids([next]) !! Uuids(tree)
            && (forall x, y | x in [next] && y in tree && Needs(x, y) :: y.uuid in Members(tree, Name(2)))
            && Name(3) in Uuids(Fork(tree, Name(2)) + [next])
  {
    hide WellFormed, Members, Settled, Legal, Needs, Uuids, Fork;
    var r, x, u := Asks(0, None, []), Speaks(1, Some(0), 8, [Use(Name(7))]), Speaks(2, Some(0), 9, []);
    var next := Asks(3, Some(2), []);
    ACallIsOpenBesideALegalPoint();
    AllNamesDiffer();
    OfOne(r);
    OfTwo(r, u);
    OfThree(r, u, next);
    assert [r, u] + [next] == [r, u, next];
    assert Name(3) in Uuids([r, u, next]) && Uuids([next]) == {Name(3)} && Uuids([r, x, u]) == {Name(0), Name(1), Name(2)} by {
      reveal Uuids;
      assert [r, u, next][2] == next;
    }
  }

  /** Two files that begin with one prompt and go on differently: the branch of the second can be merged into the first, whose
    * end is resumable, also in the union. */
  lemma BranchOfAnotherFileCanBeMerged()
    ensures var a, b, node := [Prompt(), Says(1, 0)], [Prompt(), Says(2, 0)], Says(4, 1);
            && WellFormed(a) && WellFormed(b) && Agree(a, b)
            && Name(2) in Uuids(b) && Name(2) !in Uuids(a)
            && node.parent == Some(Name(1)) && Name(1) in Uuids(a)
            && Fits(Union(a, b), node)
            && b[1] in b && b[1].uuid in Members(b, Name(2))
            && Resumable(a, Name(1))
            && Name(1) in Uuids(Union(a, b)) && Resumable(Union(a, b), Name(1))
  {
    hide WellFormed, Uuids, Keep, Union, Get, AsOf, UniqueUuids, Members, Settled, Context, Balanced, Needs;
    var r, x, y, node := Prompt(), Says(1, 0), Says(2, 0), Says(4, 1);
    var a, b := [r, x], [r, y];
    AllNamesDiffer();
    OfOne(r);
    OfTwo(r, x);
    OfTwo(r, y);
    OfThree(r, x, y);
    assert b[1] == y;
    TwoBranchesUnited(r, x, y);
    MembersContainsItself(b, Name(2));
    SilentUsersAreResumable(a, Name(1));
    SilentUsersAreResumable(Union(a, b), Name(1));
  }

  /** Where nobody makes a call and nobody but users speak, every point is resumable. */
  lemma SilentUsersAreResumable(log: Log, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires forall e | e in log :: e.kind.User? && e.blocks == []
    ensures Resumable(log, v)
  {
    SilentUsersAreSettled(log, v);
    ContextHoldsExactlyTheMembers(log, v);
    SilenceIsBalanced(Context(log, v));
  }

  /** A target that is resumable in the first file and not in the union: the second file has another part of its message. */
  lemma TargetMayNeedNews()
    ensures var a, b := [Speaks(0, None, 8, [])], [Speaks(0, None, 8, []), Speaks(1, Some(0), 8, [])];
            && WellFormed(a) && WellFormed(b) && Agree(a, b) && PartsFrom(b, a)
            && Name(0) in Uuids(a) && Resumable(a, Name(0))
            && Name(0) in Uuids(Union(a, b)) && !Resumable(Union(a, b), Name(0))
  {
    hide WellFormed, Uuids, Keep, Union, Get, AsOf, UniqueUuids, Members, Context, Balanced, Needs;
    var x, y := Speaks(0, None, 8, []), Speaks(1, Some(0), 8, []);
    var a, b := [x], [x, y];
    AllNamesDiffer();
    OfOne(x);
    OfTwo(x, y);
    MembersAreAsOf(a, Name(0));
    MembersContainsItself(a, Name(0));
    ContextHoldsExactlyTheMembers(a, Name(0));
    SilenceIsBalanced(Context(a, Name(0)));
    KeepingAllIsTheLog(a, Uuids(b));
    assert b == [x] + [y];
    UnionOfOneMore(a, [x], y);
    UnionIsIdempotent(a, [x]);
    assert a + [y] == b;
    assert y in News(a, b) by {
      assert Union(a, b) == b;
      reveal Union;
      assert News(a, b) == b[1..];
      assert b[1] == y;
    }
    assert Needs(x, y) by {
      reveal Needs;
    }
    assert x in a;
    ResumableInUnionExactly(a, b, Name(0));
  }

  /** The source must be new to the first file: where it stands there already and the files part twice, an entry of its
    * conversation in the second file stands in the union behind it, and is not held. */
  lemma SourceInBothFilesMayHoldLess()
    ensures var a, b := [Prompt(), Speaks(2, Some(0), 8, [])], [Prompt(), Speaks(1, Some(0), 8, []), Speaks(2, Some(0), 8, [])];
            && WellFormed(a) && WellFormed(b) && Agree(a, b) && !PartsFrom(b, a)
            && Name(2) in Uuids(a) && Name(2) in Uuids(b)
            && Name(1) in Members(b, Name(2))
            && WellFormed(Union(a, b)) && Name(2) in Uuids(Union(a, b))
            && Name(1) in Uuids(Union(a, b))
            && Name(1) !in Held(Union(a, b), map[], Name(2))
  {
    hide WellFormed, Uuids, Keep, Union, Get, AsOf, UniqueUuids, Members, Needs, Held, Reach;
    var r, x, s := Prompt(), Speaks(1, Some(0), 8, []), Speaks(2, Some(0), 8, []);
    var a, b := [r, s], [r, x, s];
    AllNamesDiffer();
    OfOne(r);
    OfTwo(r, s);
    OfTwo(r, x);
    OfThree(r, x, s);
    KeepingAllIsTheLog(a, Uuids(b));
    assert a[1] != b[1];
    MembersContainsItself(b, Name(2));
    assert x in b && s in b;
    assert Needs(s, x) by {
      reveal Needs;
    }
    WhatMembersNeedIsMember(b, Name(2), s, x);
    UuidsOfUnion(a, b);
    UnionIsWellFormed(a, b);
    HeldIsTheConversationWhereNothingWasMerged(History(Union(a, b), map[]), Name(2));
    UnionKeepsMembersOfTheFirstFile(a, b, Name(2));
    MembersAreAsOf(a, Name(2));
  }

  /** After a merge both parents of each entry that is reached are reached, and the third branch is not. */
  lemma WhatIsReachedIsClosed()
    ensures CanMerge(Unmerged(), Says(4, 1), Name(2))
    ensures var after, ids := Merge(Unmerged(), Says(4, 1), Name(2)), {Name(0), Name(1), Name(2), Name(4)};
            && WellFormed(after.log) && Name(4) in Uuids(after.log)
            && BothParentsClosed(after.log, after.merges, ids)
            && Name(2) in Reach(after.log, after.merges, Name(4))
  {
    hide WellFormed, Uuids, Reach, UniqueUuids;
    BranchesAreWellFormed();
    ThreeBranchesMergeEitherWay();
    MergeIsWellFormed(Unmerged(), Says(4, 1), Name(2));
    MergeReachesExactlyBoth(Unmerged(), Says(4, 1), Name(2)) by {
      BranchReaches(1);
      AllNamesDiffer();
    }
    var log, merges := Merge(Unmerged(), Says(4, 1), Name(2)).log, Merge(Unmerged(), Says(4, 1), Name(2)).merges;
    var ids := {Name(0), Name(1), Name(2), Name(4)};
    BranchReaches(1);
    BranchReaches(2);
    assert ids == Reach(log, merges, Name(4));
    ReachIsBothParentsClosed(log, merges, Name(4));
  }

  /** Of one entry alone every set is closed. */
  lemma OneEntryHasNoParent()
    ensures WellFormed([Prompt()]) && |[Prompt()]| == 1
    ensures BothParentsClosed([Prompt()], map[], {})
  {
    OfOne(Prompt());
    WithoutParentsAllIsClosed([Prompt()], map[], {});
  }

  /** A call beside a legal point can be merged there. */
  lemma ACallBesideCanBeMerged()
    ensures var tree := [Asks(0, None, []), Speaks(1, Some(0), 8, [Use(Name(7))]), Speaks(2, Some(0), 9, [])];
            var h, node := History(tree, map[]), Asks(3, Some(2), []);
            && CanMerge(h, node, Name(1)) && Name(2) in Uuids(tree) && Name(1) !in Reach(tree, map[], Name(2))
  {
    hide WellFormed, Reach, Members, Legal, NeedsNothingElse;
    ACallIsOpenBesideALegalPoint();
    var tree := [Asks(0, None, []), Speaks(1, Some(0), 8, [Use(Name(7))]), Speaks(2, Some(0), 9, [])];
    AllNamesDiffer();
    assert tree[1] in tree && tree[0] in tree && tree[2] in tree;
    assert Uuids(tree) == {Name(0), Name(1), Name(2)};
    GetFindsEntry(tree, tree[0]);
    GetFindsEntry(tree, tree[2]);
    ReachIsLeast(tree, map[], Name(2), {Name(0), Name(2)});
  }

  /** The theorems about merges apply to the branches, and to a call beside a legal point. */
  lemma TheoremsOfMergesApply()
  {
    hide *;
    AllNamesDiffer();
    BranchesAreWellFormed();
    BranchesCanBeMerged(4, 1, 2);
    BranchesAreResumable(1);
    MergesCanFollow(4, 1, 2, 5, 2);
    ThreeBranchesMergeEitherWay();
    ContextsDiffer();
    BranchReaches(1);
    BranchReaches(2);
    AncestryEndsInItself(Branches(), Name(1));
    var h, node, a, b, c := Unmerged(), Says(4, 1), Name(1), Name(2), Name(3);
    assert h.log == Branches() && h.merges == map[] && node.parent == Some(a) && Says(5, 2).parent == Some(b) by {
      reveal *;
    }
    assert Says(5, 4).parent == Some(Name(4)) && Says(6, 2).parent == Some(b) && Says(7, 1).parent == Some(a) by {
      reveal *;
    }
    HeadHoldsBoth(h, node, b);
    HeadHoldsExactlyBoth(h, node, b);
    HeadReachesExactlyBoth(h, node, b);
    MergeAbsorbsWhatIsReached(h, node, b, Says(5, 4), b);
    MergeChangesNothingExactlyWhereReached(h, node, b);
    MergeContextIsTargetContextAndNode(h, node, b);
    MergeHoldsExactlyBoth(h, node, b);
    MergeIsAssociativeInReach(h, node, Says(5, 4), Says(6, 2), Says(7, 1), a, b, c);
    MergeIsCommutativeInReach(h, node, Says(5, 2), a, b);
    MergeIsIdempotent(h, node, Says(5, 4), b);
    MergeKeepsBothSidesInOrder(h, node, b);
    ACallIsOpenBesideALegalPoint();
    ACallBesideCanBeMerged();
    var tree := [Asks(0, None, []), Speaks(1, Some(0), 8, [Use(Name(7))]), Speaks(2, Some(0), 9, [])];
    var beside, next := History(tree, map[]), Asks(3, Some(2), []);
    MergeKeepsLegalExactly(beside, next, a, b);
    MergedSessionSatisfiesEveryProperty(beside, next, a);
    var after := Merge(h, node, b);
    assert node.uuid == Name(4) by {
      reveal *;
    }
    MergeIsAppendOnly(after, Says(5, 4), c);
    MergeKeepsOldAncestriesAndContexts(after, Says(5, 4), c, node.uuid);
    MergeKeepsWhatIsHeld(after, Says(5, 4), c, node.uuid);
    MergeReachesExactlyBoth(h, node, b);
    MergingFromTheLeftReaches(h, node, Says(5, 4), a, b, c);
    MergingFromTheRightReaches(h, Says(6, 2), Says(7, 1), a, b, c);
    OldEntriesStayInPlace(h, node, b, a);
    UsersNodeAddsOnlyItself(h, node, b);
    BranchesCanBeMerged(6, 2, 3);
    QuotedExactly(h, Full, a, b);
    QuotedIsWhatTheMergeBrings(h, node, b);
    QuotedFromTheLeft(h, node, a, b, c);
    QuotedFromTheRight(h, Says(6, 2), a, b, c);
    MembersContainsItself(h.log, a);
    NoEntryOfEitherBranchIsLost(h, node, b, Get(h.log, a));
  }

  /** The theorems about what is reached apply to merged branches, those about two files to two that part. */
  lemma TheoremsOfFilesApply()
  {
    hide *;
    AllNamesDiffer();
    BranchesAreWellFormed();
    ThreeBranchesMergeEitherWay();
    var h, node := Unmerged(), Says(4, 1);
    HeadReachesExactlyBoth(h, node, Name(2));
    WhatIsReachedIsClosed();
    var after := Merge(h, node, Name(2));
    var log, merges, u := after.log, after.merges, Name(4);
    ReachHoldsAncestry(log, merges, u);
    ReachIsBothParentsClosed(log, merges, u);
    ReachIsInLog(log, merges, u);
    ReachIsLeast(log, merges, u, {Name(0), Name(1), Name(2), Name(4)});
    ReachOfReached(log, merges, u, Name(2));
    BranchOfAnotherFileCanBeMerged();
    var a, b := [Prompt(), Says(1, 0)], [Prompt(), Says(2, 0)];
    WellFormedHasUniqueUuids(a);
    WellFormedHasUniqueUuids(b);
    UnionCommutesExactlyIfTheyAgree(a, b);
    UnionHoldsTheSecondFile(a, b, Name(2));
    UnionKeepsTheFirstFile(a, b, Name(1));
    UnionLosesNothingExactlyIfTheyAgree(a, b);
    NothingOfTwoFilesIsLost(a, b, map[], node, Name(2), b[1]);
    UnionDoesNotCommuteInOrder();
    UnionKeepsContextsOfTheSecondFileExactly(a, b, Name(2));
  }

  /** The theorems about linear histories and continued forks apply to two branches and to a fork that left a call out. */
  lemma TheoremsOfLinesApply()
  {
    hide *;
    InterleavingKeepsNotBoth();
    var r, x, y := Prompt(), Says(1, 0), Says(2, 0);
    assert [r, x][0] in [r, x];
    LinearHasOneChildAParent([r, x], r, r);
    NoLinearHistoryKeepsTwoBranches([r], [r, x], [r, y], [r, x]);
    AForkBesideACallComesBack();
    var tree := [Asks(0, None, []), Speaks(1, Some(0), 8, [Use(Name(7))]), Speaks(2, Some(0), 9, [])];
    UnionKeepsContextsOfASettledFork(tree, Name(2), [Asks(3, Some(2), [])], Name(3));
  }

  // --- What a node tells word for word ---

  /** QuoteMarks of one character each. */
  const SmallMarks: QuoteMarks := QuoteMarks([1], 1, [2], [3], [4])

  /** A text that holds the closing mark of another one is quoted and taken out again, where the digest tells beginnings apart: here it
    * is the length. */
  lemma AMarkInATextIsQuoted()
    ensures var digest, words := (some: Words) => [|some|], [3, 0, 4, 5];
            UnquoteWords(SmallMarks, digest, QuoteWords(SmallMarks, digest, words) + [7]) == Some(words)
  {
    UnquoteOfQuoteIsTheText(SmallMarks, (some: Words) => [|some|], [3, 0, 4, 5], [7]);
    UnquotedWasQuoted(
      SmallMarks, (some: Words) => [|some|], QuoteWords(SmallMarks, (some: Words) => [|some|], [3, 0, 4, 5]) + [7]);
  }

  /** Where the digest does not tell a text from its beginning, a mark in the text ends it early. */
  lemma ADigestOfNothingEndsEarly()
    ensures var digest, words := (some: Words) => [0], [3, 0, 4, 5];
            UnquoteWords(SmallMarks, digest, QuoteWords(SmallMarks, digest, words)) == Some([])
  {
    var digest, words := (some: Words) => [0], [3, 0, 4, 5];
    var text := QuoteWords(SmallMarks, digest, words);
    assert text == [1, 0, 2, 3, 0, 4, 5, 3, 0, 4];
    assert text[3..6] == [3, 0, 4];
    assert ClosesAt(SmallMarks, digest, [0], text, 3, 3);
    assert text[1..2] == [0] && text[..1] == [1] && text[2..3] == [2];
  }
}

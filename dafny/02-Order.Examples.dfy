// Chapter 2, examples: files that meet the theorems' conditions, and files that show why the conditions are there.
include "01-Entries.Examples.dfy"
include "02-Order.Proofs.dfy"

module OrderExamples {
  import opened Names
  import opened Entries
  import opened EntriesExamples
  import opened Order
  import EntriesProofs
  import OrderProofs

  // --- Following an arrangement by hand ---

  /** The first ready entry, pointed at. */
  lemma ReadyOneIsFirst(file: Log, out: Log, rest: seq<Entry>, i: nat)
    requires i < |rest|
    requires Ready(file, out, rest[i])
    requires forall j | 0 <= j < i :: !Ready(file, out, rest[j])
    ensures FirstReady(file, out, rest) == i
  {
    OrderProofs.FirstReadyIsTheFirst(file, out, rest);
    NoneReadyMeansNone(file, out, rest);
  }

  /** The arrangement finds none only if none is ready. */
  lemma NoneReadyMeansNone(file: Log, out: Log, rest: seq<Entry>)
    ensures FirstReady(file, out, rest) == |rest| <==> forall j | 0 <= j < |rest| :: !Ready(file, out, rest[j])
  {
    OrderProofs.FirstReadyIsTheFirst(file, out, rest);
  }

  /** One step of the arrangement: the entry at `i` comes out. */
  lemma Takes(file: Log, out: Log, rest: seq<Entry>, i: nat, longer: Log, left: seq<Entry>)
    requires i < |rest|
    requires Ready(file, out, rest[i])
    requires forall j | 0 <= j < i :: !Ready(file, out, rest[j])
    requires longer == out + [rest[i]]
    requires left == rest[..i] + rest[i + 1..]
    ensures Arrange(file, out, rest) == Arrange(file, longer, left)
  {
    ReadyOneIsFirst(file, out, rest, i);
  }

  /** In an empty file nothing waits. */
  lemma NothingWaitsInAnEmptyFile(a: Entry, b: Entry)
    ensures Arrange([], [], [a, b]) == [a, b]
  {
    OrderProofs.WhatWaitsForNothingStays([], [], [a, b]);
  }

  /** A file of two entries of which the second must come out first. */
  lemma SecondThenFirst(a: Entry, b: Entry)
    requires var file := [a, b];
             !Ready(file, [], a) && Ready(file, [], b) && Ready(file, [b], a)
    ensures Arranged([a, b]) == [b, a]
  {
    var file := [a, b];
    Takes(file, [], file, 1, [b], [a]);
    Takes(file, [b], [a], 0, [b, a], []);
  }

  /** A file of three entries of which the third must come out first. */
  lemma ThirdThenFirstThenSecond(a: Entry, b: Entry, c: Entry)
    requires var file := [a, b, c];
             && !Ready(file, [], a) && !Ready(file, [], b) && Ready(file, [], c)
             && Ready(file, [c], a) && Ready(file, [c, a], b)
    ensures Arranged([a, b, c]) == [c, a, b]
  {
    var file := [a, b, c];
    Takes(file, [], file, 2, [c], [a, b]);
    Takes(file, [c], [a, b], 0, [c, a], [b]);
    Takes(file, [c, a], [b], 0, [c, a, b], []);
  }

  // --- Witnesses ---

  /** A reply in front of its prompt: real files have that. */
  ghost function ReplyFirst(): Log {
    [Speaks(1, Some(0), 0, []), Asks(0, None, [])]
  }

  /** The same two entries in canonical order. */
  ghost function ReplyLast(): Log {
    [Asks(0, None, []), Speaks(1, Some(0), 0, [])]
  }

  /** The prompt is taken first, its reply second. */
  lemma ReplyWaitsForPrompt()
    ensures Arranged(ReplyFirst()) == ReplyLast()
  {
    NamesDiffer(0, 1);
    var a, b := Asks(0, None, []), Speaks(1, Some(0), 0, []);
    OfTwo(b, a);
    OfOne(a);
    SecondThenFirst(b, a);
  }

  /** A file with a child in front of its parent is really reordered. It meets every condition of this chapter's theorems
    * although it is not well-formed as it stands; its canonical order is well-formed. */
  lemma ChildBeforeParentIsReordered()
    ensures UniqueUuids(ReplyFirst()) && !WellFormed(ReplyFirst())
    ensures NoDanglingParents(ReplyFirst()) && Acyclic(ReplyFirst())
    ensures Canonical(ReplyFirst()) == Some(ReplyLast())
    ensures ReplyLast() != ReplyFirst() && Permutation(ReplyFirst(), ReplyLast()) && WellFormed(ReplyLast())
  {
    ChildMayStandBeforeParent();
    ReplyWaitsForPrompt();
    OrderProofs.CanonicalExistsExactly(ReplyFirst());
    OrderProofs.CanonicalIsPermutation(ReplyFirst());
    OrderProofs.CanonicalIsWellFormed(ReplyFirst());
  }

  /** The canonical order of such a file meets the conditions of uniqueness: well-formed, stable, a permutation, and parents
    * first. */
  lemma ReorderedFileIsStable()
    ensures Permutation(ReplyFirst(), ReplyLast())
    ensures WellFormed(ReplyLast())
    ensures Stable(ReplyFirst(), ReplyLast())
    ensures OrderProofs.ParentsInFileFirst(ReplyFirst(), ReplyLast())
  {
    ChildBeforeParentIsReordered();
    OrderProofs.CanonicalIsStable(ReplyFirst());
    OrderProofs.ArrangedHasParentsFirst(ReplyFirst());
  }

  /** An entry may follow such a file, and comes last in canonical order. */
  lemma NextPromptFitsReorderedFile()
    ensures UniqueUuids(ReplyFirst()) && Canonical(ReplyFirst()).Some? && Fits(ReplyFirst(), Asks(2, Some(1), []))
    ensures Canonical(ReplyFirst() + [Asks(2, Some(1), [])]) == Some(ReplyLast() + [Asks(2, Some(1), [])])
  {
    ChildBeforeParentIsReordered();
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    OfTwo(Speaks(1, Some(0), 0, []), Asks(0, None, []));
    OrderProofs.CanonicalOfAppend(ReplyFirst(), Asks(2, Some(1), []));
  }

  /** What keeps the prompt, or both entries of that file, keeps all parents. */
  lemma TheoremsApplyToWhatIsKept()
  {
    ChildBeforeParentIsReordered();
    NamesDiffer(0, 1);
    OfTwo(Speaks(1, Some(0), 0, []), Asks(0, None, []));
    assert EntriesProofs.ParentClosed(ReplyFirst(), {Name(0)});
    OrderProofs.CanonicalOfKeep(ReplyFirst(), {Name(0)});
    OrderProofs.CanonicalIsPermutation(ReplyFirst());
    OrderProofs.PermutationKeepsEntries(ReplyFirst(), ReplyLast());
    OrderProofs.PermutationKeepsUniqueUuids(ReplyFirst(), ReplyLast());
    OrderProofs.CanonicalIsStable(ReplyFirst());
    OrderProofs.KeepIsStable(ReplyFirst(), ReplyLast(), {Name(0)});
    OrderProofs.SameEntriesArePermutation(ReplyFirst(), ReplyLast());
  }

  /** The theorems apply to that file, and to one with a cycle. */
  lemma TheoremsApplyToTheReorderedFile()
  {
    hide *;
    ChildBeforeParentIsReordered();
    var file := ReplyFirst();
    OrderProofs.ArrangedIsPermutation(file);
    OrderProofs.ArrangedIsStable(file);
    OrderProofs.CanonicalIsIdempotent(file);
    OrderProofs.OrderExistsExactly(file);
    CycleNeverComesOut();
    EntryBelowKnotLeadsToIt();
    assert |Knot()| == 3 by {
      reveal Knot;
    }
    OrderProofs.NeverOutExactlyBelowCycles(Knot(), Knot()[2]);
  }

  // --- Counterexamples ---

  /** A parent that is nowhere in the file does not stop the arrangement, which counts its child as a root; but then the
    * file has no canonical order. */
  lemma DanglingParentCountsAsRoot()
    ensures var file := [Speaks(1, Some(0), 0, [])];
            UniqueUuids(file) && Acyclic(file) && Arranged(file) == file && Canonical(file) == None
  {
    NamesDiffer(0, 1);
    var e := Speaks(1, Some(0), 0, []);
    OfOne(e);
    Takes([e], [], [e], 0, [e], []);
    OrderProofs.ArrangedIsCompleteExactlyWithoutCycles([e]);
    assert e in [e];
  }

  /** Two entries that are each other's parent, and a child of one of them. */
  ghost function Knot(): Log {
    [Asks(0, Some(1), []), Asks(1, Some(0), []), Asks(2, Some(0), [])]
  }

  /** P1 and P2 hold of the knot, and it has a cycle. */
  lemma KnotIsACycle()
    ensures UniqueUuids(Knot()) && NoDanglingParents(Knot()) && !Acyclic(Knot())
  {
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    var a, b, c := Asks(0, Some(1), []), Asks(1, Some(0), []), Asks(2, Some(0), []);
    assert Knot() == [a, b, c];
    OfThree(a, b, c);
    assert Cycle(Knot(), [a, b]);
  }

  /** Entries on a cycle never come out, nor does what hangs below one, although P1 and P2 hold of the file. */
  lemma CycleNeverComesOut()
    ensures UniqueUuids(Knot()) && NoDanglingParents(Knot()) && !Acyclic(Knot())
    ensures Arranged(Knot()) == [] && Canonical(Knot()) == None
  {
    hide Acyclic, NoDanglingParents, UniqueUuids;
    KnotIsACycle();
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    assert Knot() == [Asks(0, Some(1), []), Asks(1, Some(0), []), Asks(2, Some(0), [])];
    NoneReadyMeansNone(Knot(), [], Knot());
  }

  /** The way from the entry below the cycle leads up to it, and around it. */
  lemma EntryBelowKnotLeadsToIt()
    ensures OrderProofs.LeadsToCycle(Knot(), [Asks(2, Some(0), []), Asks(0, Some(1), []), Asks(1, Some(0), [])])
  {
    var a, b, c := Asks(0, Some(1), []), Asks(1, Some(0), []), Asks(2, Some(0), []);
    var way := [c, a, b];
    assert Knot() == [a, b, c];
    assert way[1].uuid == way[2].parent.value;
  }

  /** Two entries that are each other's parent, and a root that bears the uuid of one of them. */
  ghost function LooseKnot(): Log {
    [Asks(0, Some(1), []), Asks(1, Some(0), []), Asks(1, None, [])]
  }

  /** The ids of the loose knot, and its cycle. */
  lemma LooseKnotIsACycle()
    ensures Uuids(LooseKnot()) == {Name(0), Name(1)}
    ensures !UniqueUuids(LooseKnot()) && !Acyclic(LooseKnot())
  {
    NamesDiffer(0, 1);
    var file := LooseKnot();
    var a, b := file[0], file[1];
    assert file[1].uuid == file[2].uuid;
    assert Cycle(file, [a, b]);
  }

  /** Without unique uuids an order with every parent in front can exist although there is a cycle: the theorem on cycles
    * needs P1. */
  lemma DuplicateUuidCanHideACycle()
    ensures !UniqueUuids(LooseKnot()) && NoDanglingParents(LooseKnot()) && !Acyclic(LooseKnot())
    ensures Canonical(LooseKnot()) == Some([Asks(1, None, []), Asks(0, Some(1), []), Asks(1, Some(0), [])])
  {
    LooseKnotIsACycle();
    KnotOpensAtItsRoot();
  }

  /** The root comes out first, then the entry that names its uuid as parent, then the other. */
  lemma KnotOpensAtItsRoot()
    ensures Arranged(LooseKnot()) == [Asks(1, None, []), Asks(0, Some(1), []), Asks(1, Some(0), [])]
  {
    NamesDiffer(0, 1);
    var a, b, r := Asks(0, Some(1), []), Asks(1, Some(0), []), Asks(1, None, []);
    LooseKnotIsACycle();
    OfOne(r);
    OfTwo(r, a);
    ThirdThenFirstThenSecond(a, b, r);
  }

  /** Without unique uuids the arrangement can be complete and still not well-formed. */
  lemma DuplicateUuidStaysInCanonicalOrder()
    ensures var file := [Asks(0, None, []), Asks(0, None, [])];
            Canonical(file) == Some(file) && !WellFormed(file)
  {
    var r := Asks(0, None, []);
    var file := [r, r];
    Takes(file, [], file, 0, [r], [r]);
    Takes(file, [r], [r], 0, file, []);
    assert file[0].uuid == file[1].uuid;
    EntriesProofs.WellFormedMeansUniqueAndParentsFirst(file);
  }

  /** A prompt with two replies. */
  ghost function TwoReplies(): Log {
    [Asks(0, None, []), Speaks(1, Some(0), 0, []), Speaks(2, Some(0), 1, [])]
  }

  /** The same entries, the replies the other way round. */
  ghost function RepliesSwapped(): Log {
    [Asks(0, None, []), Speaks(2, Some(0), 1, []), Speaks(1, Some(0), 0, [])]
  }

  /** A root and two children of it are well-formed in this order, and in the other one. */
  lemma ChildrenFollowRoot(a: Entry, b: Entry, c: Entry)
    requires a.uuid != b.uuid && c.uuid !in {a.uuid, b.uuid}
    requires a.parent.None? && b.parent == Some(a.uuid) && c.parent == Some(a.uuid)
    ensures WellFormed([a, b, c])
  {
    OfOne(a);
    OfTwo(a, b);
    OfThree(a, b, c);
  }

  /** Both orders are well-formed, and hold the same entries. */
  lemma RepliesStandEitherWay()
    ensures WellFormed(TwoReplies()) && WellFormed(RepliesSwapped())
    ensures TwoReplies() != RepliesSwapped() && Permutation(TwoReplies(), RepliesSwapped())
  {
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    var a, b, c := Asks(0, None, []), Speaks(1, Some(0), 0, []), Speaks(2, Some(0), 1, []);
    ChildrenFollowRoot(a, b, c);
    ChildrenFollowRoot(a, c, b);
    SwappingIsPermutation(a, b, c);
    assert TwoReplies()[1] == b;
  }

  /** Swapping two entries loses none. */
  lemma SwappingIsPermutation(a: Entry, b: Entry, c: Entry)
    ensures Permutation([a, b, c], [a, c, b])
  {
  }

  /** A well-formed permutation that differs from the canonical order is not stable. */
  lemma OtherOrderIsUnstable(file: Log, order: Log)
    requires UniqueUuids(file)
    requires Permutation(file, order)
    requires WellFormed(order)
    requires Canonical(file) != Some(order)
    ensures !Stable(file, order)
  {
    if Stable(file, order) {
      OrderProofs.CanonicalIsUnique(file, order);
    }
  }

  /** A file can have several well-formed permutations: parents first alone does not say which is canonical, stability does. */
  lemma WellFormedPermutationMayBeUnstable()
    ensures WellFormed(TwoReplies()) && Canonical(TwoReplies()) == Some(TwoReplies())
    ensures Permutation(TwoReplies(), RepliesSwapped()) && WellFormed(RepliesSwapped())
    ensures TwoReplies() != RepliesSwapped() && !Stable(TwoReplies(), RepliesSwapped())
  {
    RepliesStandEitherWay();
    EntriesProofs.WellFormedHasUniqueUuids(TwoReplies());
    OrderProofs.CanonicalLeavesOrderedLogsAlone(TwoReplies());
    OtherOrderIsUnstable(TwoReplies(), RepliesSwapped());
  }

  /** When the missing parent of an entry is appended, the old entry moves behind it: appending keeps the order only of
    * files that have one. */
  lemma LateParentMovesInFront()
    ensures var file, e := [Speaks(1, Some(0), 0, [])], Asks(0, None, []);
            Fits(file, e) && Arranged(file) == file && Canonical(file + [e]) == Some([e] + file)
  {
    DanglingParentCountsAsRoot();
    NamesDiffer(0, 1);
    var file, e := [Speaks(1, Some(0), 0, [])], Asks(0, None, []);
    OfOne(file[0]);
    assert Canonical(file + [e]) == Some([e] + file) by {
      ChildBeforeParentIsReordered();
      assert file + [e] == ReplyFirst();
      assert [e] + file == ReplyLast();
    }
  }
}

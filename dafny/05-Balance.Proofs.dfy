// Chapter 5, proofs: what the books say, and that a child's books are its parent's, run over what the child adds.
include "04-Contexts.Proofs.dfy"
include "05-Balance.dfy"

module BalanceProofs {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened Contexts
  import opened ContextsProofs
  import opened Balance

  /** The blocks of entries, one sequence after another, are the blocks of each, one after another. */
  lemma BlocksOfConcatenation(a: Log, b: Log)
    ensures Blocks(a + b) == Blocks(a) + Blocks(b)
    decreases |b|
  {
    if |b| == 0 {
      assert a + b == a;
    } else {
      var before := b[..|b| - 1];
      assert (a + b)[..|a + b| - 1] == a + before;
      BlocksOfConcatenation(a, before);
    }
  }

  /** The blocks of one entry. */
  lemma BlocksOfOne(e: Entry)
    ensures Blocks([e]) == e.blocks
  {
    assert [e][..0] == [];
    assert Blocks([e]) == [] + e.blocks;
  }

  /** A run over blocks can be interrupted and taken up again anywhere. */
  lemma RunSplits(books: Books, a: seq<Block>, b: seq<Block>)
    ensures Run(books, a + b) == Run(Run(books, a), b)
    decreases |b|
  {
    if |b| == 0 {
      assert a + b == a;
    } else {
      assert (a + b)[..|a + b| - 1] == a + b[..|b| - 1];
      RunSplits(books, a, b[..|b| - 1]);
    }
  }

  /** Books once broken stay broken. */
  lemma BrokenStaysBroken(blocks: seq<Block>)
    ensures Run(Broken, blocks) == Broken
    decreases |blocks|
  {
    if |blocks| > 0 {
      BrokenStaysBroken(blocks[..|blocks| - 1]);
    }
  }

  /** Blocks that are no calls and no results leave the books as they are. */
  lemma OpaqueBlocksChangeNothing(books: Books, blocks: seq<Block>)
    requires forall b | b in blocks :: b.Opaque?
    ensures Run(books, blocks) == books
    decreases |blocks|
  {
    if |blocks| > 0 {
      OpaqueBlocksChangeNothing(books, blocks[..|blocks| - 1]);
      assert blocks[|blocks| - 1] in blocks;
    }
  }

  /** The books after two stretches of a conversation are those after the first, run over the second. */
  lemma BooksOfConcatenation(a: Log, b: Log)
    ensures BooksOf(a + b) == Run(BooksOf(a), Blocks(b))
  {
    BlocksOfConcatenation(a, b);
    RunSplits(Blank, Blocks(a), Blocks(b));
  }

  /** The calls that blocks make. */
  ghost function UseIds(blocks: seq<Block>): set<Id> {
    set b | b in blocks && b.Use? :: b.id
  }

  /** The calls that blocks have results of. */
  ghost function ResultIds(blocks: seq<Block>): set<Id> {
    set b | b in blocks && b.Result? :: b.id
  }

  /** No use id is used twice, none is answered twice, and every result stands after its use: calls may be out. */
  ghost predicate OnceEachInOrder(blocks: seq<Block>) {
    && (forall i, j | 0 <= i < j < |blocks| && blocks[i].Use? && blocks[j].Use? :: blocks[i].id != blocks[j].id)
    && (forall i, j | 0 <= i < j < |blocks| && blocks[i].Result? && blocks[j].Result? :: blocks[i].id != blocks[j].id)
    && (forall j | 0 <= j < |blocks| && blocks[j].Result? :: exists i | 0 <= i < j :: blocks[i] == Use(blocks[j].id))
  }

  /** What one more block adds to the calls made and answered. */
  lemma IdsOfOneMoreBlock(blocks: seq<Block>)
    requires |blocks| > 0
    ensures var before, b := blocks[..|blocks| - 1], blocks[|blocks| - 1];
            && UseIds(blocks) == (if b.Use? then UseIds(before) + {b.id} else UseIds(before))
            && ResultIds(blocks) == (if b.Result? then ResultIds(before) + {b.id} else ResultIds(before))
  {
    var before, b := blocks[..|blocks| - 1], blocks[|blocks| - 1];
    assert blocks == before + [b];
    assert forall x :: x in blocks <==> x in before || x == b;
  }

  /** Books that are not broken say which calls were made and which of them are not answered. */
  lemma BooksSayWhatIsOut(blocks: seq<Block>)
    requires Run(Blank, blocks).Books?
    ensures Run(Blank, blocks).made == UseIds(blocks)
    ensures Run(Blank, blocks).out == UseIds(blocks) - ResultIds(blocks)
    ensures ResultIds(blocks) <= UseIds(blocks)
    decreases |blocks|
  {
    if |blocks| > 0 {
      BooksSayWhatIsOut(blocks[..|blocks| - 1]);
      IdsOfOneMoreBlock(blocks);
    }
  }

  /** One more block keeps the order exactly if it is a call not made before, a result of a call that is out, or neither. */
  lemma OnceEachInOrderOfOneMore(blocks: seq<Block>)
    requires |blocks| > 0
    ensures var before, b := blocks[..|blocks| - 1], blocks[|blocks| - 1];
            OnceEachInOrder(blocks) <==>
            && OnceEachInOrder(before)
            && (b.Use? ==> b.id !in UseIds(before))
            && (b.Result? ==> b.id in UseIds(before) - ResultIds(before))
  {
    var before, b := blocks[..|blocks| - 1], blocks[|blocks| - 1];
    var n := |before|;
    assert forall i | 0 <= i < n :: before[i] == blocks[i];
    if OnceEachInOrder(blocks) {
      assert OnceEachInOrder(before);
      if b.Result? {
        var i :| 0 <= i < n && blocks[i] == Use(b.id);
        assert before[i] in before;
      }
    }
    if && OnceEachInOrder(before) && (b.Use? ==> b.id !in UseIds(before))
       && (b.Result? ==> b.id in UseIds(before) - ResultIds(before)) {
      forall j | 0 <= j < |blocks| && blocks[j].Result? ensures exists i | 0 <= i < j :: blocks[i] == Use(blocks[j].id) {
        if j < n {
          var i :| 0 <= i < j && before[i] == Use(before[j].id);
          assert blocks[i] == Use(blocks[j].id);
        } else {
          var x :| x in before && x.Use? && x.id == b.id;
          var i :| 0 <= i < n && before[i] == x;
          assert blocks[i] == Use(blocks[j].id);
        }
      }
    }
  }

  /** Books are not broken exactly if each call is made once, and answered once at most, later. */
  lemma SoundIsOnceEachInOrder(blocks: seq<Block>)
    ensures Run(Blank, blocks).Books? <==> OnceEachInOrder(blocks)
    decreases |blocks|
  {
    if |blocks| > 0 {
      var before := blocks[..|blocks| - 1];
      SoundIsOnceEachInOrder(before);
      OnceEachInOrderOfOneMore(blocks);
      if OnceEachInOrder(before) {
        BooksSayWhatIsOut(before);
      }
    }
  }

  /** In order, every call is answered exactly if every call is answered later. */
  lemma NothingOutIsPaired(blocks: seq<Block>)
    requires OnceEachInOrder(blocks)
    ensures UseIds(blocks) <= ResultIds(blocks) <==> PairedByIdAndOrder(blocks)
  {
    if UseIds(blocks) <= ResultIds(blocks) {
      forall i | 0 <= i < |blocks| && blocks[i].Use? ensures exists j | i < j < |blocks| :: blocks[j] == Result(blocks[i].id) {
        assert blocks[i].id in UseIds(blocks);
        var r :| r in blocks && r.Result? && r.id == blocks[i].id;
        var j :| 0 <= j < |blocks| && blocks[j] == r;
        var k :| 0 <= k < j && blocks[k] == Use(blocks[j].id);
        assert k == i;
      }
    }
    if PairedByIdAndOrder(blocks) {
      forall t | t in UseIds(blocks) ensures t in ResultIds(blocks) {
        var b :| b in blocks && b.Use? && b.id == t;
        var i :| 0 <= i < |blocks| && blocks[i] == b;
        var j :| i < j < |blocks| && blocks[j] == Result(blocks[i].id);
        assert blocks[j] in blocks;
      }
    }
  }

  /** P3, said by books and said by pairs, is the same: every call is made once and answered once, later, and nothing else
    * is answered. */
  lemma BalancedIsPairedByIdAndOrder(entries: Log)
    ensures Balanced(entries) <==> PairedByIdAndOrder(Blocks(entries))
  {
    var blocks := Blocks(entries);
    SoundIsOnceEachInOrder(blocks);
    if OnceEachInOrder(blocks) {
      BooksSayWhatIsOut(blocks);
      NothingOutIsPaired(blocks);
      assert UseIds(blocks) <= ResultIds(blocks) <==> UseIds(blocks) - ResultIds(blocks) == {} by {
        assert forall t | t in UseIds(blocks) && t !in ResultIds(blocks) :: t in UseIds(blocks) - ResultIds(blocks);
      }
    }
  }

  /** P3 by counts: each id has as many uses as results, one at most, and no result stands before its use. */
  ghost predicate PairedByCountAndOrder(blocks: seq<Block>) {
    && (forall t: Id :: multiset(blocks)[Use(t)] == multiset(blocks)[Result(t)] <= 1)
    && (forall i, j | 0 <= i < |blocks| && 0 <= j < |blocks| && blocks[i].Use? && blocks[j] == Result(blocks[i].id) :: i < j)
  }

  /** What occurs at two places counts twice. */
  lemma TwicePresentCountsTwo(blocks: seq<Block>, i: nat, j: nat)
    requires i < j < |blocks|
    requires blocks[i] == blocks[j]
    ensures multiset(blocks)[blocks[i]] >= 2
  {
    assert blocks == blocks[..j] + blocks[j..];
    assert blocks[..j][i] in multiset(blocks[..j]);
    assert blocks[j..][0] in multiset(blocks[j..]);
  }

  /** What occurs at one place at most counts once at most. */
  lemma OncePresentCountsOne(blocks: seq<Block>, b: Block)
    requires forall i, j | 0 <= i < j < |blocks| :: !(blocks[i] == b && blocks[j] == b)
    ensures multiset(blocks)[b] == if b in blocks then 1 else 0
    decreases |blocks|
  {
    if b in blocks {
      var i :| 0 <= i < |blocks| && blocks[i] == b;
      assert blocks == blocks[..i] + [b] + blocks[i + 1..];
      forall k | 0 <= k < |blocks| && k != i ensures blocks[k] != b {
      }
      assert b !in blocks[..i] && b !in blocks[i + 1..];
    }
  }

  /** P3 can be decided by counting, provided that order and the bound of one are checked too. */
  lemma PairedIsCountedAndOrdered(blocks: seq<Block>)
    ensures PairedByIdAndOrder(blocks) <==> PairedByCountAndOrder(blocks)
  {
    if PairedByIdAndOrder(blocks) {
      PairedIsCounted(blocks);
    }
    if PairedByCountAndOrder(blocks) {
      CountedIsPaired(blocks);
    }
  }

  /** One direction of `PairedIsCountedAndOrdered`. */
  lemma PairedIsCounted(blocks: seq<Block>)
    requires PairedByIdAndOrder(blocks)
    ensures PairedByCountAndOrder(blocks)
  {
    hide PairedByIdAndOrder;
    forall t: Id ensures multiset(blocks)[Use(t)] == multiset(blocks)[Result(t)] <= 1 {
      PairedIsCountedAt(blocks, t);
    }
    forall i, j | 0 <= i < |blocks| && 0 <= j < |blocks| && blocks[i].Use? && blocks[j] == Result(blocks[i].id) ensures i < j {
      PairedIsOrderedAt(blocks, i, j);
    }
  }

  /** A call and its result occur equally often, and once at most. */
  lemma PairedIsCountedAt(blocks: seq<Block>, t: Id)
    requires PairedByIdAndOrder(blocks)
    ensures multiset(blocks)[Use(t)] == multiset(blocks)[Result(t)] <= 1
  {
    hide PairedByIdAndOrder;
    assert Use(t) in blocks <==> Result(t) in blocks by {
      reveal PairedByIdAndOrder;
    }
    assert forall i, j | 0 <= i < j < |blocks| :: !(blocks[i] == Use(t) && blocks[j] == Use(t)) by {
      reveal PairedByIdAndOrder;
    }
    assert forall i, j | 0 <= i < j < |blocks| :: !(blocks[i] == Result(t) && blocks[j] == Result(t)) by {
      reveal PairedByIdAndOrder;
    }
    OncePresentCountsOne(blocks, Use(t));
    OncePresentCountsOne(blocks, Result(t));
  }

  /** A call comes before its result. */
  lemma PairedIsOrderedAt(blocks: seq<Block>, i: nat, j: nat)
    requires PairedByIdAndOrder(blocks)
    requires i < |blocks| && j < |blocks| && blocks[i].Use? && blocks[j] == Result(blocks[i].id)
    ensures i < j
  {
    var k :| 0 <= k < j && blocks[k] == Use(blocks[j].id);
    assert k == i;
  }

  /** The other direction of `PairedIsCountedAndOrdered`. */
  lemma CountedIsPaired(blocks: seq<Block>)
    requires PairedByCountAndOrder(blocks)
    ensures PairedByIdAndOrder(blocks)
  {
    forall i, j | 0 <= i < j < |blocks| && blocks[i].Use? && blocks[j].Use? ensures blocks[i].id != blocks[j].id {
      assert multiset(blocks)[Use(blocks[i].id)] <= 1;
      if blocks[i].id == blocks[j].id {
        TwicePresentCountsTwo(blocks, i, j);
      }
    }
    forall i, j | 0 <= i < j < |blocks| && blocks[i].Result? && blocks[j].Result? ensures blocks[i].id != blocks[j].id {
      assert multiset(blocks)[Result(blocks[i].id)] <= 1;
      if blocks[i].id == blocks[j].id {
        TwicePresentCountsTwo(blocks, i, j);
      }
    }
    forall i | 0 <= i < |blocks| && blocks[i].Use? ensures exists j | i < j < |blocks| :: blocks[j] == Result(blocks[i].id) {
      var t := blocks[i].id;
      assert Use(t) in multiset(blocks);
      assert multiset(blocks)[Use(t)] == multiset(blocks)[Result(t)];
      assert Result(t) in blocks;
    }
    forall j | 0 <= j < |blocks| && blocks[j].Result? ensures exists i | 0 <= i < j :: blocks[i] == Use(blocks[j].id) {
      var t := blocks[j].id;
      assert Result(t) in multiset(blocks);
      assert multiset(blocks)[Use(t)] == multiset(blocks)[Result(t)];
      assert Use(t) in blocks;
      var i :| 0 <= i < |blocks| && blocks[i] == Use(t);
    }
  }

  /** P3 at legal points, said by pairs: a point is legal exactly if the assistant wrote it in the main line, nothing that belongs to
    * its conversation comes later, and each call there is made once and answered once, later, and nothing else is answered. */
  lemma LegalPointsAreBalanced(log: Log, u: Id)
    requires u in Uuids(log)
    ensures Legal(log, u)
       <==> && Get(log, u).kind == Assistant && !Get(log, u).sidechain
            && Settled(log, u) && PairedByIdAndOrder(Blocks(Context(log, u)))
    ensures Legal(log, u) ==> Resumable(log, u) && Balanced(Context(log, u))
  {
    BalancedIsPairedByIdAndOrder(Context(log, u));
  }

  /** What the conversation at `u` adds to the one at `v`. */
  function Added(log: Log, v: Id, u: Id): Log
    requires v in Uuids(log)
    requires u in Uuids(log)
  {
    Keep(log, Members(log, u) - Members(log, v))
  }

  /** The conversation at `u` adds nothing to the one at `v` that stands at `v` or before: it only goes on. */
  predicate GoesOn(log: Log, v: Id, u: Id)
    requires v in Uuids(log)
    requires u in Uuids(log)
  {
    Members(log, u) * Uuids(AsOf(log, v)) <= Members(log, v)
  }

  /** The context of `u` is the context of a member `v`, in particular of the parent of `u`, followed by what it adds,
    * and begins with the context of `v` at all, exactly if every member of `u` that stands at `v` or before is one of `v`. */
  lemma ContextIsContextAndAdded(log: Log, v: Id, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log)
    ensures Members(log, v) <= Members(log, u)
    ensures GoesOn(log, v, u) <==> Context(log, u) == Context(log, v) + Added(log, v, u)
    ensures GoesOn(log, v, u) <==> Context(log, v) <= Context(log, u)
  {
    WellFormedHasUniqueUuids(log);
    MembersOfMember(log, u, v);
    if GoesOn(log, v, u) {
      GoingOnAppends(log, v, u);
    }
    if Context(log, v) <= Context(log, u) {
      BeginningGoesOn(log, v, u);
    }
  }

  /** One direction of `ContextIsContextAndAdded`: the log is cut after `v`. */
  lemma GoingOnAppends(log: Log, v: Id, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log) && v in Uuids(log)
    requires Members(log, v) <= Members(log, u)
    requires GoesOn(log, v, u)
    ensures Context(log, u) == Context(log, v) + Added(log, v, u)
  {
    var n := IndexOf(log, v) + 1;
    assert log == log[..n] + log[n..];
    MembersAreAsOf(log, v);
    NothingStandsOnBothSides(log, n);
    KeepOnBothSidesOfACut(log[..n], log[n..], Members(log, v), Members(log, u));
  }

  /** Where two sets, one in the other, have the same ids of a first part, and the smaller has none of the rest, keeping the
    * larger is keeping the smaller, then what the larger has more. */
  lemma KeepOnBothSidesOfACut(first: Log, rest: Log, less: set<Id>, more: set<Id>)
    requires less <= more
    requires Uuids(first) * more <= less
    requires Uuids(rest) !! less
    ensures Keep(first + rest, more) == Keep(first + rest, less) + Keep(first + rest, more - less)
  {
    KeepSplits(first, rest, more);
    KeepSplits(first, rest, less);
    KeepSplits(first, rest, more - less);
    KeepDependsOnIdsThere(first, more, less) by {
      assert Uuids(first) * more == Uuids(first) * less;
    }
    KeepDependsOnIdsThere(rest, more, more - less) by {
      assert Uuids(rest) * more == Uuids(rest) * (more - less);
    }
    KeepingNoneIsEmpty(rest, less);
    KeepingNoneIsEmpty(first, more - less);
  }

  /** A cut separates the ids of a log. */
  lemma NothingStandsOnBothSides(log: Log, n: nat)
    requires UniqueUuids(log)
    requires n <= |log|
    ensures Uuids(log[..n]) !! Uuids(log[n..])
  {
    forall u | u in Uuids(log[n..]) ensures u !in Uuids(log[..n]) {
      UuidsAreAtPositions(log[n..], u);
      UuidsAreAtPositions(log[..n], u);
      var i :| 0 <= i < |log[n..]| && log[n..][i].uuid == u;
      assert log[n + i].uuid == u;
    }
  }

  /** The other direction of `ContextIsContextAndAdded`: what else is in the context stands after `v` there, so also in the log. */
  lemma BeginningGoesOn(log: Log, v: Id, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log) && v in Members(log, u) && v in Uuids(log)
    requires Context(log, v) <= Context(log, u)
    ensures GoesOn(log, v, u)
  {
    var context, n := Context(log, u), |Context(log, v)|;
    forall x | x in Members(log, u) * Uuids(AsOf(log, v)) ensures x in Members(log, v) {
      if x !in Members(log, v) {
        MembersAreAsOf(log, u);
        MembersAreAsOf(log, v);
        MembersContainsItself(log, v);
        UuidsOfKeep(log, Members(log, u));
        UuidsOfKeep(log, Members(log, v));
        KeepIsUnique(log, Members(log, u));
        assert context[..n] == Context(log, v);
        LaterIsNotInPrefix(context, n, v);
        LaterIsNotInPrefix(context, n, x);
        KeepIsInOrder(log, Members(log, u), v, x);
        AsOfHoldsExactly(log, v, x);
      }
    }
  }

  /** The books of a child are its parent's, run over what the child adds, where the child only goes on: so one pass keeps
    * the books of every entry of a log. */
  lemma BalanceIsCompositional(log: Log, v: Id, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    requires v in Uuids(log)
    requires GoesOn(log, v, u)
    ensures BooksOf(Context(log, u)) == Run(BooksOf(Context(log, v)), Blocks(Added(log, v, u)))
  {
    ContextIsContextAndAdded(log, v, u);
    BooksOfConcatenation(Context(log, v), Added(log, v, u));
  }

  /** The same for the parent, which is always a member. */
  lemma ParentsBooksGoOn(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Get(log, u).parent.Some?
    ensures var p := Get(log, u).parent.value;
            && p in Uuids(log)
            && Members(log, p) <= Members(log, u)
            && (GoesOn(log, p, u) <==> Context(log, u) == Context(log, p) + Added(log, p, u))
            && (GoesOn(log, p, u) ==> BooksOf(Context(log, u)) == Run(BooksOf(Context(log, p)), Blocks(Added(log, p, u))))
  {
    MembersOfParent(log, u);
    var p := Get(log, u).parent.value;
    ContextIsContextAndAdded(log, p, u);
    if GoesOn(log, p, u) {
      BalanceIsCompositional(log, p, u);
    }
  }
}

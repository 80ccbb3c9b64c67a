// Chapter 19, proofs: where what is sent is balanced, and that a fork keeps that; what a conversation does not need leaves it as it is, wherever it stood; the condition decides exactly; and what
// can be read of a hole says exactly whether it is needed.
include "05-Balance.Proofs.dfy"
include "10-Rendering.Proofs.dfy"
include "13-Merging.Proofs.dfy"
include "19-Holes.dfy"

module HolesProofs {
  import opened Names
  import opened Entries
  import opened Contexts
  import opened Balance
  import opened Holes
  import Merging
  import EntriesProofs
  import MergingProofs
  import ContextsProofs
  import BalanceProofs
  import Rendering
  import RenderingProofs

  /** P3: at a point that is legal to send, every call that a client sends is answered, later, and once, in the context and in what
    * is sent. Where no root preserves anything, it is a legal point. A fork there is one to go on from again. */
  lemma WhatIsSentIsPaired(log: Log, preserved: Rendering.Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures LegalToSend(log, preserved, u) ==>
              PairedByIdAndOrder(Blocks(Context(log, u))) && PairedByIdAndOrder(Blocks(Rendering.Rendered(log, preserved, u)))
    ensures (forall e | e in log && e.parent.None? :: e.uuid !in preserved) ==>
              (LegalToSend(log, preserved, u) <==> Legal(log, u))
    ensures LegalToSend(log, preserved, u) ==>
              var fork := Rendering.ForkKept(log, preserved, u);
              WellFormed(fork) && u in Uuids(fork) && LegalToSend(fork, preserved, u)
  {
    BalanceProofs.BalancedIsPairedByIdAndOrder(Context(log, u));
    BalanceProofs.BalancedIsPairedByIdAndOrder(Rendering.Rendered(log, preserved, u));
    if forall e | e in log && e.parent.None? :: e.uuid !in preserved {
      RenderingProofs.NothingPreservedNothingResent(log, preserved, u);
    }
    ForkKeepsLegalToSend(log, preserved, u);
  }

  /** The part of the theorem about the fork. */
  lemma ForkKeepsLegalToSend(log: Log, preserved: Rendering.Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var fork := Rendering.ForkKept(log, preserved, u);
            && WellFormed(fork) && u in Uuids(fork)
            && (LegalToSend(log, preserved, u) ==> LegalToSend(fork, preserved, u))
  {
    EntriesProofs.WellFormedHasUniqueUuids(log);
    ContextsProofs.MembersContainsItself(log, u);
    RenderingProofs.ForkKeptPreservesRendering(log, preserved, u, u);
    RenderingProofs.ForkKeptKeepsLegal(log, preserved, u, u);
  }

  /** Entries that stand in both logs stand in the same order. */
  lemma OrderIsKept(log: Log, whole: Log, a: Id, b: Id)
    requires Fills(log, whole)
    requires a in Uuids(log) && b in Uuids(log)
    ensures UniqueUuids(log) && UniqueUuids(whole)
    ensures a in Uuids(whole) && b in Uuids(whole)
    ensures IndexOf(log, a) < IndexOf(log, b) <==> IndexOf(whole, a) < IndexOf(whole, b)
  {
    EntriesProofs.WellFormedHasUniqueUuids(whole);
    EntriesProofs.KeepIsUnique(whole, Uuids(log));
    EntriesProofs.KeepIsInOrder(whole, Uuids(log), a, b);
  }

  /** The entries of a log are those of the filled one with the same uuids. */
  lemma EntriesAreTheSame(log: Log, whole: Log)
    requires Fills(log, whole)
    ensures forall e :: e in log <==> e in whole && e.uuid in Uuids(log)
  {
    EntriesProofs.KeepHoldsExactly(whole, Uuids(log));
  }

  /** What stands up to a point stands up to it in the filled log, too. */
  lemma AsOfIsTheSame(log: Log, whole: Log, u: Id)
    requires Fills(log, whole)
    requires u in Uuids(log)
    ensures u in Uuids(whole)
    ensures forall e :: e in AsOf(log, u) <==> e in AsOf(whole, u) && e.uuid in Uuids(log)
  {
    EntriesAreTheSame(log, whole);
    OrderIsKept(log, whole, u, u);
    forall e | e in log
      ensures e in AsOf(log, u) <==> e in AsOf(whole, u)
    {
      assert e.uuid in Uuids(log);
      OrderIsKept(log, whole, u, e.uuid);
      EntriesProofs.AsOfHoldsExactly(log, u, e.uuid);
      EntriesProofs.AsOfHoldsExactly(whole, u, e.uuid);
      InPrefixExactly(log, IndexOf(log, u) + 1, e);
      InPrefixExactly(whole, IndexOf(whole, u) + 1, e);
    }
    forall e | e in AsOf(log, u)
      ensures e in log
    {
    }
    forall e | e in AsOf(whole, u) && e.uuid in Uuids(log)
      ensures e in log
    {
      assert e in whole;
    }
  }

  /** An entry of a log stands in a prefix exactly if its uuid does. */
  lemma InPrefixExactly(log: Log, n: nat, e: Entry)
    requires UniqueUuids(log)
    requires n <= |log|
    requires e in log
    ensures e in log[..n] <==> e.uuid in Uuids(log[..n])
  {
    if e.uuid in Uuids(log[..n]) {
      var x :| x in log[..n] && x.uuid == e.uuid;
      var i :| 0 <= i < n && log[..n][i] == x;
      var j :| 0 <= j < |log| && log[j] == e;
      assert log[i].uuid == log[j].uuid;
      assert i == j;
    }
  }

  /** P3: what the conversation at a point does not need leaves it as it is, whatever else stood in the holes and wherever: the same
    * conversation, settled or not as before, legal or not as before. */
  lemma UnneededFillingsChangeNothing(log: Log, whole: Log, u: Id)
    requires Fills(log, whole)
    requires u in Uuids(log)
    requires forall x | Fresh(log, whole, x) :: !NeededAt(log, u, x)
    ensures u in Uuids(whole)
    ensures Members(whole, u) == Members(log, u)
    ensures Context(whole, u) == Context(log, u)
    ensures Settled(whole, u) <==> Settled(log, u)
    ensures Resumable(whole, u) <==> Resumable(log, u)
    ensures Legal(whole, u) <==> Legal(log, u)
  {
    AsOfIsTheSame(log, whole, u);
    EntriesAreTheSame(log, whole);
    OrderIsKept(log, whole, u, u);
    var own := Members(log, u);
    ContextsProofs.MembersContainsItself(log, u);
    ContextsProofs.MembersAreAsOf(log, u);
    ContextsProofs.ContextHoldsExactlyTheMembers(log, u);
    ContextsProofs.MembersAreClosedAsOf(log, u);
    forall a, b | a in AsOf(whole, u) && b in AsOf(whole, u) && a.uuid in own && Needs(a, b)
      ensures b.uuid in own
    {
      assert a in AsOf(log, u) && a in log;
      assert a in Context(log, u);
      if b.uuid !in Uuids(log) {
        assert b in whole;
        assert Fresh(log, whole, b);
        assert NeededAt(log, u, b);
      } else {
        assert b in AsOf(log, u);
      }
    }
    assert Closed(AsOf(whole, u), own);
    ContextsProofs.MembersAreLeast(whole, u, own);
    var theirs := Members(whole, u);
    ContextsProofs.MembersContainsItself(whole, u);
    ContextsProofs.MembersAreClosedAsOf(whole, u);
    ContextsProofs.ClosedInPart(AsOf(whole, u), AsOf(log, u), theirs);
    ContextsProofs.MembersAreLeast(log, u, theirs);
    assert theirs == own;
    assert Uuids(log) * own == own;
    EntriesProofs.KeepOfKeep(whole, Uuids(log), own);
    assert Context(log, u) == Keep(Keep(whole, Uuids(log)), own);
    assert Context(whole, u) == Keep(whole, own);
    SettledAlike(log, whole, u);
    GetIsTheSame(log, whole, u);
  }

  /** The part of the theorem about what comes later. */
  lemma SettledAlike(log: Log, whole: Log, u: Id)
    requires Fills(log, whole)
    requires u in Uuids(log) && u in Uuids(whole)
    requires forall x | Fresh(log, whole, x) :: !NeededAt(log, u, x)
    requires Members(whole, u) == Members(log, u)
    ensures Settled(whole, u) <==> Settled(log, u)
  {
    EntriesAreTheSame(log, whole);
    ContextsProofs.MembersAreAsOf(log, u);
    ContextsProofs.ContextHoldsExactlyTheMembers(log, u);
    var own := Members(log, u);
    if Settled(log, u) {
      forall a, b | a in whole && b in whole && a.uuid in own && Needs(a, b)
        ensures b.uuid in own
      {
        assert a in log && a in Context(log, u);
        assert Fresh(log, whole, b) ==> NeededAt(log, u, b);
        assert b in log;
      }
    }
    if Settled(whole, u) {
      ContextsProofs.ClosedInPart(whole, log, own);
    }
  }

  /** The entry of a point is the same in both. */
  lemma GetIsTheSame(log: Log, whole: Log, u: Id)
    requires Fills(log, whole)
    requires u in Uuids(log) && u in Uuids(whole)
    ensures Get(whole, u) == Get(log, u)
  {
    EntriesAreTheSame(log, whole);
    OrderIsKept(log, whole, u, u);
    var e := Get(log, u);
    assert e in log && e in whole;
    EntriesProofs.WellFormedHasUniqueUuids(whole);
    var i :| 0 <= i < |whole| && whole[i] == e;
    EntriesProofs.IndexOfIsPosition(whole, i);
  }

  /** A log fills its own holes with nothing. */
  lemma NothingFills(log: Log)
    requires WellFormed(log)
    ensures Fills(log, log)
    ensures forall possible :: MayFill(log, log, possible)
    ensures forall x :: !Fresh(log, log, x)
  {
    EntriesProofs.KeepingAllIsTheLog(log, Uuids(log));
  }

  /** What is kept of a log is in it. */
  lemma WhatFillsHoldsAll(log: Log, whole: Log)
    requires Keep(whole, Uuids(log)) == log
    ensures Uuids(log) <= Uuids(whole)
  {
    EntriesProofs.UuidsOfKeep(whole, Uuids(log));
  }

  /** A log fills its holes with one entry that comes last. */
  lemma OneMoreFills(log: Log, x: Entry)
    requires WellFormed(log)
    requires Fits(log, x)
    ensures Fills(log, log + [x])
    ensures forall y :: Fresh(log, log + [x], y) <==> y == x
  {
    var whole := log + [x];
    assert whole[..|whole| - 1] == log;
    EntriesProofs.KeepOfLast(log, x, Uuids(log));
    EntriesProofs.KeepingAllIsTheLog(log, Uuids(log));
    forall e | e in log
      ensures e.uuid in Uuids(log)
    {
    }
  }

  /** P3: a point is legal however the holes are filled, exactly if it is legal as the file stands and needs nothing that may have
    * stood in a hole. The holes may stand anywhere, and may have held many entries each. */
  lemma LegalInEachExactly(log: Log, u: Id, possible: Possible)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures LegalInEach(log, u, possible) <==> LegalBesideHoles(log, u, possible)
  {
    if LegalBesideHoles(log, u, possible) {
      forall whole | MayFill(log, whole, possible)
        ensures u in Uuids(whole) && Legal(whole, u)
      {
        assert forall x | Fresh(log, whole, x) :: MayHaveStood(log, possible, x);
        UnneededFillingsChangeNothing(log, whole, u);
      }
    }
    if LegalInEach(log, u, possible) {
      NothingFills(log);
      assert MayFill(log, log, possible);
      forall x | MayHaveStood(log, possible, x)
        ensures !NeededAt(log, u, x)
      {
        var whole :| MayFill(log, whole, possible) && Fresh(log, whole, x);
        WrittenLast(log, whole);
        var last := Merging.Union(log, whole);
        assert MayFill(log, last, possible);
        if NeededAt(log, u, x) {
          NeededBehindIsNotLegal(log, Merging.News(log, whole), u, x);
        }
      }
    }
  }

  /** Whatever stood in holes may also have been written last, in its own order: the log that holds it there fills them, too. */
  lemma WrittenLast(log: Log, whole: Log)
    requires WellFormed(log)
    requires Fills(log, whole)
    ensures Fills(log, Merging.Union(log, whole))
    ensures forall x :: Fresh(log, Merging.Union(log, whole), x) <==> Fresh(log, whole, x)
  {
    var more := Merging.News(log, whole);
    MergingProofs.UnionIsWellFormed(log, whole);
    EntriesProofs.KeepHoldsExactly(whole, Uuids(whole) - Uuids(log));
    EntriesProofs.KeepSplits(log, more, Uuids(log));
    EntriesProofs.KeepingAllIsTheLog(log, Uuids(log));
    EntriesProofs.KeepingNoneIsEmpty(more, Uuids(log)) by {
      EntriesProofs.UuidsOfKeep(whole, Uuids(whole) - Uuids(log));
    }
    MergingProofs.UuidsOfUnion(log, whole);
    forall x
      ensures Fresh(log, Merging.Union(log, whole), x) <==> Fresh(log, whole, x)
    {
      assert x in log ==> x.uuid in Uuids(log);
    }
  }

  /** What fits behind the log may have stood in a hole, if it is possible; and nothing else than what is possible and new may. */
  lemma WhatFitsMayHaveStood(log: Log, possible: Possible, x: Entry)
    requires WellFormed(log)
    ensures possible(x) && Fits(log, x) ==> MayHaveStood(log, possible, x)
    ensures MayHaveStood(log, possible, x) ==> possible(x) && x.uuid !in Uuids(log)
  {
    if possible(x) && Fits(log, x) {
      OneMoreFills(log, x);
      assert MayFill(log, log + [x], possible);
    }
  }

  /** What is needed and comes behind the log leaves a point unsettled. */
  lemma NeededBehindIsNotLegal(log: Log, more: Log, u: Id, x: Entry)
    requires WellFormed(log + more)
    requires u in Uuids(log)
    requires x in more && NeededAt(log, u, x)
    ensures u in Uuids(log + more)
    ensures !Legal(log + more, u)
  {
    var whole := log + more;
    assert whole[..|log|] == log;
    EntriesProofs.WellFormedHasUniqueUuids(whole);
    EntriesProofs.UuidsOfConcatenation(log, more);
    ContextsProofs.MembersInPrefix(whole, |log|, u);
    ContextsProofs.MembersAreAsOf(log, u);
    ContextsProofs.ContextHoldsExactlyTheMembers(log, u);
    var a :| a in Context(log, u) && Needs(a, x);
    assert a in whole && x in whole;
    assert x.uuid !in Members(log, u) by {
      assert x.uuid in Uuids(more);
    }
  }

  /** P3: what can be read of a hole says exactly whether an entry may need what stood there, its parent apart. */
  lemma FragmentsDecideExactly(a: Entry, f: Fragment, id: Id)
    requires a.parent != Some(id)
    ensures Wants(a, f) <==> exists x: Entry :: x.uuid == id && Says(f, x) && Needs(a, x)
  {
    if Wants(a, f) {
      var x := Witness(f, id, a);
      assert x.uuid == id && Says(f, x) && Needs(a, x);
    }
    if exists x: Entry :: x.uuid == id && Says(f, x) && Needs(a, x) {
      var x: Entry :| x.uuid == id && Says(f, x) && Needs(a, x);
    }
  }

  /** An entry that says what was read, and is needed where one is wanted. */
  ghost function Witness(f: Fragment, id: Id, a: Entry): Entry
    ensures Witness(f, id, a).uuid == id
    ensures Wants(a, f) ==> Says(f, Witness(f, id, a)) && Needs(a, Witness(f, id, a))
  {
    match f
    case PartOf(m) => Entry(id, None, None, Assistant, Some(m), [], false, 0, map[])
    case AnswerTo(calls) =>
      var x := Entry(id, None, None, User, None, ResultBlocks(calls), false, 0, map[]);
      assert ResultsOf(x) == calls by {
        forall t
          ensures t in ResultsOf(x) <==> t in calls
        {
          if t in calls {
            assert Result(t) in x.blocks && Result(t).Result?;
          }
          if t in ResultsOf(x) {
            var b :| b in x.blocks && b.Result? && b.id == t;
            assert b == Result(t);
          }
        }
      }
      x
    case Aside => Entry(id, None, None, System, None, [], false, 0, map[])
  }

  /** In no log a message keeps its call; each entry with a call takes its message off the list. */
  lemma UnkeptOfOneMore(log: Log, x: Entry, announced: set<Id>)
    ensures Unkept([], announced) == announced
    ensures Unkept(log + [x], announced)
         == Unkept(log, announced)
            - if x.kind.Assistant? && x.message.Some? && UsesOf(x) != {} then {x.message.value} else {}
  {
    assert forall e :: e in log + [x] <==> e in log || e == x;
  }

  /** P3: where a conversation has an entry of a message that announced a call and shows none, no log that fills the holes and shows each
    * announced call has the same conversation at that point and is legal there. So a part of that message is a hole, and wanted. */
  lemma AnAnnouncedCallIsMissed(log: Log, whole: Log, u: Id, announced: set<Id>, a: Entry)
    requires Fills(log, whole)
    requires u in Uuids(log)
    requires Unkept(whole, announced) == {}
    requires a in Context(log, u)
    requires a.message.Some? && a.message.value in Unkept(log, announced)
    requires a.kind.Assistant?
    ensures u in Uuids(whole)
    ensures exists x :: Fresh(log, whole, x) && UsesOf(x) != {} && Says(PartOf(a.message.value), x)
    ensures Wants(a, PartOf(a.message.value))
    ensures Context(whole, u) == Context(log, u) ==> !Legal(whole, u)
  {
    var m := a.message.value;
    assert m !in Unkept(whole, announced);
    var x :| x in whole && x.kind.Assistant? && x.message == Some(m) && UsesOf(x) != {};
    EntriesAreTheSame(log, whole);
    assert x !in log;
    assert Fresh(log, whole, x);
    if Context(whole, u) == Context(log, u) {
      ContextsProofs.ContextHoldsExactlyTheMembers(whole, u);
      ContextsProofs.ContextHoldsExactlyTheMembers(log, u);
      assert x.uuid !in Members(whole, u);
      assert a in whole && Needs(a, x);
    }
  }

  /** A block for each call that is answered. */
  ghost function ResultBlocks(calls: set<Id>): (blocks: seq<Block>)
    ensures forall t :: t in calls <==> Result(t) in blocks
    ensures forall b | b in blocks :: b.Result?
    decreases |calls|
  {
    if calls == {} then []
    else
      var t :| t in calls;
      [Result(t)] + ResultBlocks(calls - {t})
  }
}

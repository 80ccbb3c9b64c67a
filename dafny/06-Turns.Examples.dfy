// Chapter 6, examples: a call that is out and the legal points nearest to it, branches with a first legal point each,
// places with none, an interrupted turn and one that the assistant goes on after, and why a complete turn asks that nothing
// at all is to come.
include "05-Balance.Examples.dfy"
include "06-Turns.Fast.dfy"

module TurnsExamples {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened EntriesExamples
  import opened Ancestries
  import opened AncestriesProofs
  import opened AncestriesFast
  import opened Contexts
  import opened ContextsProofs
  import opened Balance
  import opened BalanceProofs
  import BalanceExamples
  import opened Turns
  import opened TurnsProofs
  import opened TurnsFast

  // --- How contexts and legal points are found in a concrete log ---

  /** Entries named by their positions, each with its parent before it. */
  ghost predicate NamedInOrder(log: Log) {
    && (forall i: nat | i < |log| :: log[i].uuid == Name(i))
    && (forall i: nat | i < |log| && log[i].parent.Some? :: exists p: nat :: p < i && log[i].parent == Some(Name(p)))
  }

  /** A log whose entries are named by their positions is well-formed, and each entry is found at its number. */
  lemma NamedInOrderIsWellFormed(log: Log)
    requires NamedInOrder(log)
    ensures WellFormed(log) && UniqueUuids(log)
    ensures forall k: nat | k < |log| :: Name(k) in Uuids(log) && IndexOf(log, Name(k)) == k && Get(log, Name(k)) == log[k]
  {
    forall i | 0 <= i < |log|
      ensures Fits(log[..i], log[i])
    {
      UuidsAreAtPositions(log[..i], log[i].uuid);
      forall k: nat | k < i
        ensures log[..i][k].uuid != log[i].uuid
      {
        NamesDiffer(k, i);
      }
      if log[i].parent.Some? {
        var p: nat :| p < i && log[i].parent == Some(Name(p));
        UuidsAreAtPositions(log[..i], Name(p));
        assert log[..i][p].uuid == Name(p);
      }
    }
    FittingMakesWellFormed(log);
    WellFormedHasUniqueUuids(log);
    forall k: nat | k < |log|
      ensures Name(k) in Uuids(log) && IndexOf(log, Name(k)) == k
    {
      assert log[k].uuid == Name(k);
      IndexOfIsPosition(log, k);
    }
  }

  /** From the root to position `k` each entry continues the one before it. */
  ghost predicate OneWayTo(log: Log, k: nat) {
    && k < |log|
    && (forall i: nat | i <= k :: log[i].parent == if i == 0 then None else Some(Name(i - 1)))
  }

  /** Where each entry up to a position continues the one before it, they are a way from the root. */
  lemma OneWayIsARootPath(log: Log, k: nat)
    requires forall i: nat | i < |log| :: log[i].uuid == Name(i)
    requires OneWayTo(log, k)
    ensures RootPath(log, log[..k + 1], Name(k))
  {
    var way := log[..k + 1];
    forall i | 0 < i < |way|
      ensures way[i].parent == Some(way[i - 1].uuid)
    {
      var n: nat := i - 1;
      assert way[n] == log[n] && log[n].uuid == Name(n);
      assert way[i] == log[i] && log[i].parent == Some(Name(n));
    }
  }

  /** Where each entry up to a position continues the one before it, they are the ancestry and the context there. */
  lemma OneWayIsTheContext(log: Log, k: nat)
    requires NamedInOrder(log)
    requires WellFormed(log)
    requires OneWayTo(log, k)
    ensures Name(k) in Uuids(log)
    ensures Ancestry(log, Name(k)) == log[..k + 1]
    ensures Context(log, Name(k)) == log[..k + 1]
  {
    OneWayIsARootPath(log, k);
    hide NamedInOrder, WellFormed, RootPath, Ancestry, Context;
    NamedInOrderIsWellFormed(log);
    RootPathIsAncestry(log, log[..k + 1], Name(k));
    AncestryIsAllOfTheContext(log, Name(k));
  }

  /** Where everything up to `u` is its ancestry, everything up to `u` is its context. */
  lemma AncestryIsAllOfTheContext(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Ancestry(log, u) == AsOf(log, u)
    ensures Members(log, u) == Uuids(AsOf(log, u))
    ensures Context(log, u) == AsOf(log, u)
  {
    WellFormedHasUniqueUuids(log);
    MembersAreAsOf(log, u);
    MembersContainsItself(log, u);
    MembersAreParentClosed(log, u);
    ParentClosedHoldsAncestries(log, Members(log, u), u);
    ContextIsKeptFromAsOf(log, u);
    KeepingAllIsTheLog(AsOf(log, u), Members(log, u));
  }

  // --- A call, its result, and the legal points around them ---

  /** A prompt, a reply, a call by another message, its result, and the answer. */
  ghost function Story(): Log {
    [ Asks(0, None, []),
      Speaks(1, Some(0), 10, []),
      Speaks(2, Some(1), 11, [Use(Name(9))]),
      Asks(3, Some(2), [Result(Name(9))]),
      Speaks(4, Some(3), 12, [])]
  }

  /** The story is well-formed, and everything up to each entry is the entry's ancestry and its context. */
  lemma StoryIsOneWay()
    ensures NamedInOrder(Story()) && WellFormed(Story()) && |Story()| == 5
    ensures forall k: nat | k < 5 ::
              && Story()[k].uuid == Name(k)
              && Name(k) in Uuids(Story())
              && IndexOf(Story(), Name(k)) == k
              && Get(Story(), Name(k)) == Story()[k]
              && Ancestry(Story(), Name(k)) == Story()[..k + 1]
              && Context(Story(), Name(k)) == Story()[..k + 1]
  {
    var log := Story();
    assert NamedInOrder(log);
    NamedInOrderIsWellFormed(log);
    forall k: nat | k < 5
      ensures Ancestry(log, Name(k)) == log[..k + 1] && Context(log, Name(k)) == log[..k + 1]
    {
      assert OneWayTo(log, k);
      OneWayIsTheContext(log, k);
    }
  }

  /** One entry of the story. */
  lemma StoryAt(k: nat)
    requires k < 5
    ensures WellFormed(Story()) && |Story()| == 5
    ensures Name(k) in Uuids(Story())
    ensures Story()[k].uuid == Name(k) && IndexOf(Story(), Name(k)) == k && Get(Story(), Name(k)) == Story()[k]
    ensures Ancestry(Story(), Name(k)) == Context(Story(), Name(k)) == Story()[..k + 1]
  {
    hide Story, WellFormed, NamedInOrder;
    StoryIsOneWay();
  }

  /** In the story one entry is an ancestor of another exactly when it does not stand later. */
  lemma StoryHasNoBranches()
    ensures WellFormed(Story()) && (forall k: nat | k < 5 :: Name(k) in Uuids(Story()))
    ensures forall i: nat, k: nat | i < 5 && k < 5 ::
              && (IsAncestor(Story(), Name(i), Name(k)) <==> i <= k)
              && (Name(i) == Name(k) <==> i == k)
  {
    var log := Story();
    StoryIsOneWay();
    assert Ancestry(log, Name(4)) == log;
    forall i: nat, k: nat | i < 5 && k < 5
      ensures IsAncestor(log, Name(i), Name(k)) <==> i <= k
      ensures Name(i) == Name(k) <==> i == k
    {
      AncestorsOnOneWay(log, Name(4), i, k);
      assert log[i].uuid == Name(i) && log[k].uuid == Name(k);
    }
  }

  /** No entry after the reply is a part of its message, and none answers it or the prompt. */
  lemma NothingBelongsToTheReply(a: Entry, b: Entry)
    requires a in Story()[..2]
    requires b in Story()[2..]
    ensures a.blocks == []
    ensures !Mates(a, b) && !Answers(a, b)
  {
    NamesDiffer(10, 11);
    NamesDiffer(10, 12);
    var log := Story();
    assert a == log[0] || a == log[1];
    assert b == log[2] || b == log[3] || b == log[4];
    assert UsesOf(a) == {};
  }

  /** No call is out at the reply. */
  lemma ReplyIsBalanced()
    ensures Balanced(Story()[..2])
  {
    BalanceExamples.SilenceIsBalanced(Story()[..2]);
  }

  /** The reply is legal: it makes no call, and no later entry is a part of its message. */
  lemma ReplyIsLegal()
    ensures Name(1) in Uuids(Story()) && Legal(Story(), Name(1))
  {
    assert MainLineAssistant(Story()[1]);
    hide Mates, Answers, WellFormed, Settled, Balanced, Story;
    StoryAt(1);
    ReplyIsBalanced();
    forall a, b | a in Context(Story(), Name(1)) && b in Story()[2..]
      ensures !Mates(a, b) && !Answers(a, b)
    {
      NothingBelongsToTheReply(a, b);
    }
    SettledIsNothingNeededLater(Story(), Name(1));
  }

  /** The result answers the call. */
  lemma ResultAnswersTheCall()
    ensures Answers(Story()[2], Story()[3])
  {
    var call, result := Story()[2], Story()[3];
    assert call.blocks[0] in call.blocks && result.blocks[0] in result.blocks;
    assert Name(9) in UsesOf(call) * ResultsOf(result);
  }

  /** The call is illegal: its result comes later. */
  lemma CallIsIllegal()
    ensures Name(2) in Uuids(Story()) && !Legal(Story(), Name(2))
  {
    hide Mates, Answers, WellFormed, Settled, Balanced;
    StoryAt(2);
    assert Story()[..3][2] == Story()[2] && Story()[3..][0] == Story()[3];
    ResultAnswersTheCall();
    SettledIsNothingNeededLater(Story(), Name(2));
  }

  /** The answer is legal: the call has come back, and nothing stands later. */
  lemma AnswerIsLegal()
    ensures Name(4) in Uuids(Story()) && Legal(Story(), Name(4))
  {
    var log := Story();
    StoryIsOneWay();
    assert Context(log, Name(4)) == log;
    StoryIsBalanced();
    WellFormedHasUniqueUuids(log);
    LastIsSettled(log);
  }

  /** The books of the whole story: the call goes out and comes back. */
  lemma StoryIsBalanced()
    ensures Balanced(Story())
  {
    var log := Story();
    var use, result := Use(Name(9)), Result(Name(9));
    BalanceExamples.SilenceIsBalanced(log[..2]);
    assert log == log[..2] + ([log[2]] + [log[3]] + [log[4]]);
    BooksOfConcatenation(log[..2], [log[2]] + [log[3]] + [log[4]]);
    BlocksOfConcatenation([log[2]] + [log[3]], [log[4]]);
    BlocksOfConcatenation([log[2]], [log[3]]);
    BlocksOfOne(log[2]);
    BlocksOfOne(log[3]);
    BlocksOfOne(log[4]);
    var blocks := [use, result];
    assert blocks == [use] + [result] + [];
    assert blocks[..1] == [use] && [use][..0] == [];
    assert Run(Blank, [use]) == Enter(Run(Blank, []), use) == Books({Name(9)}, {Name(9)});
    assert Run(Blank, blocks) == Enter(Run(Blank, [use]), result);
  }

  /** The legal points of the story are the reply and the answer. */
  lemma StoryIsLegalTwice()
    ensures forall k: nat | k < 5 :: Name(k) in Uuids(Story()) && (Legal(Story(), Name(k)) <==> k == 1 || k == 4)
  {
    hide *;
    ReplyIsLegal();
    CallIsIllegal();
    AnswerIsLegal();
    PromptAndResultAreIllegal();
    forall k: nat | k < 5
      ensures Name(k) in Uuids(Story()) && (Legal(Story(), Name(k)) <==> k == 1 || k == 4)
    {
      assert k == 0 || k == 1 || k == 2 || k == 3 || k == 4;
    }
  }

  /** The prompt and the result are illegal: the user speaks there. */
  lemma PromptAndResultAreIllegal()
    ensures Name(0) in Uuids(Story()) && !Legal(Story(), Name(0))
    ensures Name(3) in Uuids(Story()) && !Legal(Story(), Name(3))
  {
    assert Story()[0].kind.User? && Story()[3].kind.User?;
    hide Story, WellFormed, Resumable;
    StoryAt(0);
    StoryAt(3);
  }

  /** Each id of the story is the name of a position. */
  lemma StoryNames(d: Id) returns (k: nat)
    requires d in Uuids(Story())
    ensures k < 5
    ensures d == Name(k)
  {
    k := IndexOf(Story(), d);
    assert Story()[k].uuid == Name(k);
  }

  /** A complete turn ends with the answer, and none with the call. */
  lemma TurnEndsWithTheAnswer()
    ensures WellFormed(Story()) && Name(2) in Uuids(Story()) && Name(4) in Uuids(Story())
    ensures CompleteTurn(Story(), Name(4)) && !CompleteTurn(Story(), Name(2))
  {
    StoryIsOneWay();
    StoryIsLegalTwice();
    LegalIsCompleteTurn(Story(), Name(2));
    LegalIsCompleteTurn(Story(), Name(4));
  }

  /** On the way to the call the reply is legal and the call, after it, is not. */
  lemma ReplyIsLastLegalBeforeTheCall()
    ensures WellFormed(Story()) && Name(2) in Uuids(Story())
    ensures LegalAndNoneAfter(Story(), Ancestry(Story(), Name(2)), Name(1))
  {
    ReplyIsLegal();
    CallIsIllegal();
    hide Legal, WellFormed, Ancestry, Story;
    StoryAt(1);
    StoryAt(2);
    var way := Ancestry(Story(), Name(2));
    assert way[1].uuid == Name(1) && way[2].uuid == Name(2);
  }

  /** Above the call the reply is the nearest legal point. */
  lemma ReplyIsNearestAboveTheCall()
    ensures WellFormed(Story()) && Name(2) in Uuids(Story())
    ensures NearestLegalAncestor(Story(), Name(2)) == Some(Name(1))
  {
    hide *;
    ReplyIsLastLegalBeforeTheCall();
    NearestLegalAncestorIsNearest(Story(), Name(2));
  }

  /** Above the prompt no point is legal. */
  lemma NothingIsLegalAboveThePrompt()
    ensures WellFormed(Story()) && Name(0) in Uuids(Story())
    ensures NearestLegalAncestor(Story(), Name(0)) == None
  {
    hide Legal, WellFormed, Ancestry, LastLegal, Story;
    StoryAt(0);
    StoryIsLegalTwice();
    NearestLegalAncestorIsNearest(Story(), Name(0));
  }

  /** Which entry is a first legal point below which, in the story. */
  lemma StoryFirstLegals(i: nat, k: nat)
    requires i < 5 && k < 5
    ensures WellFormed(Story()) && Name(i) in Uuids(Story())
    ensures Name(k) in FirstLegalDescendants(Story(), Name(i)) <==> (i < 1 == k) || (1 <= i < 4 == k)
  {
    hide Legal, IsAncestor;
    var log := Story();
    StoryHasNoBranches();
    StoryIsLegalTwice();
    FirstLegalDescendantsAreFirst(log, Name(i), Name(k));
    if k == 4 && i == 0 {
      assert StrictlyBelow(log, Name(0), Name(1)) && StrictlyBelow(log, Name(1), Name(4));
    }
    forall x | k == 4 && i >= 1 && x in Uuids(log) && StrictlyBelow(log, Name(i), x) && StrictlyBelow(log, x, Name(4))
      ensures !Legal(log, x)
    {
      var n := StoryNames(x);
    }
    forall x | k == 1 && x in Uuids(log) && StrictlyBelow(log, Name(i), x) && StrictlyBelow(log, x, Name(1))
      ensures !Legal(log, x)
    {
      var n := StoryNames(x);
    }
  }

  /** Below the call the answer is the one first legal point; below the prompt it is the reply alone, not the answer too;
    * below the answer there is none. */
  lemma AnswerIsFirstBelowTheCall()
    ensures WellFormed(Story()) && (forall k: nat | k < 5 :: Name(k) in Uuids(Story()))
    ensures FirstLegalDescendants(Story(), Name(2)) == {Name(4)}
    ensures FirstLegalDescendants(Story(), Name(0)) == {Name(1)}
    ensures FirstLegalDescendants(Story(), Name(4)) == {}
  {
    hide FirstLegalDescendants;
    StoryHasNoBranches();
    var log := Story();
    forall i: nat, d | i < 5 && d in FirstLegalDescendants(log, Name(i))
      ensures (i < 1 && d == Name(1)) || (1 <= i < 4 && d == Name(4))
    {
      FirstLegalDescendantsAreFirst(log, Name(i), d);
      var k := StoryNames(d);
      StoryFirstLegals(i, k);
    }
    StoryFirstLegals(2, 4);
    StoryFirstLegals(0, 1);
  }

  /** Each entry of the story names the one before it as its parent. */
  lemma StoryParent(i: nat)
    requires i < 5
    ensures |Story()| == 5 && Story()[i].parent == if i == 0 then None else Some(Name(i - 1))
  {
  }

  /** The positions of parents that the algorithms take, for the story. */
  lemma StoryHasParents()
    ensures WellFormed(Story()) && AreParents(Story(), [-1, 0, 1, 2, 3])
  {
    hide WellFormed, Story;
    StoryAt(0);
    var up: seq<int> := [-1, 0, 1, 2, 3];
    forall i: nat | i < 5
      ensures Story()[i].parent.None? ==> up[i] == -1
      ensures Story()[i].parent.Some? ==> up[i] >= 0 && Story()[up[i]].uuid == Story()[i].parent.value
    {
      StoryParent(i);
      if i > 0 {
        assert up[i] == i - 1;
        StoryAt(i - 1);
      }
    }
  }

  /** The verdicts that the algorithms take, for the story. */
  lemma StoryHasVerdicts()
    ensures AreVerdicts(Story(), [false, true, false, false, true])
  {
    hide Legal, WellFormed, Story, Ancestry, Context, NamedInOrder, Uuids, IndexOf, Get;
    StoryIsOneWay();
    StoryIsLegalTwice();
    var verdicts := [false, true, false, false, true];
    forall i: nat | i < 5
      ensures Story()[i].uuid in Uuids(Story()) && (verdicts[i] <==> Legal(Story(), Story()[i].uuid))
    {
      assert Story()[i].uuid == Name(i);
    }
  }

  // --- A first legal point on each branch ---

  /** A prompt, and two answers to it by different messages. */
  ghost function Retried(): Log {
    [Asks(0, None, []), Speaks(1, Some(0), 10, []), Speaks(2, Some(0), 11, [])]
  }

  /** Where each of the two answers hangs. */
  lemma RetriedHasTwoBranches()
    ensures NamedInOrder(Retried()) && WellFormed(Retried()) && |Retried()| == 3
    ensures forall k: nat | k < 3 ::
              Name(k) in Uuids(Retried()) && IndexOf(Retried(), Name(k)) == k && Get(Retried(), Name(k)) == Retried()[k]
    ensures Ancestry(Retried(), Name(0)) == [Retried()[0]]
    ensures Ancestry(Retried(), Name(1)) == [Retried()[0], Retried()[1]] == Context(Retried(), Name(1))
    ensures Ancestry(Retried(), Name(2)) == [Retried()[0], Retried()[2]]
  {
    hide Retried, NamedInOrder, WellFormed, Ancestry, Context, OneWayTo;
    var log := Retried();
    RetriedIsTwoWays();
    NamedInOrderIsWellFormed(log);
    OneWayIsTheContext(log, 0);
    OneWayIsTheContext(log, 1);
    assert log[..1] == [log[0]] && log[..2] == [log[0], log[1]];
    AncestryUnfolds(log, Name(2));
  }

  /** Each of the two answers continues the prompt. */
  lemma RetriedIsTwoWays()
    ensures |Retried()| == 3 && NamedInOrder(Retried())
    ensures OneWayTo(Retried(), 0) && OneWayTo(Retried(), 1)
    ensures Retried()[2].parent == Some(Name(0))
  {
  }

  /** The first answer is legal: the second is by another message. */
  lemma FirstTryIsLegal()
    ensures Name(1) in Uuids(Retried()) && Legal(Retried(), Name(1))
  {
    var log := Retried();
    RetriedHasTwoBranches();
    var context := Context(log, Name(1));
    BalanceExamples.SilenceIsBalanced(context);
    forall a, b | a in context && b in log[2..]
      ensures !Mates(a, b) && !Answers(a, b)
    {
      NamesDiffer(10, 11);
      assert b == log[2];
    }
    SettledIsNothingNeededLater(log, Name(1));
  }

  /** The second answer is legal. */
  lemma SecondTryIsLegal()
    ensures Name(2) in Uuids(Retried()) && Legal(Retried(), Name(2))
  {
    var log := Retried();
    RetriedHasTwoBranches();
    assert forall e | e in log :: e.blocks == [];
    ContextHoldsExactlyTheMembers(log, Name(2));
    BalanceExamples.SilenceIsBalanced(Context(log, Name(2)));
    WellFormedHasUniqueUuids(log);
    LastIsSettled(log);
  }

  /** In the log with two answers each one is below the prompt and neither is below the other. */
  lemma TriesAreBelowThePrompt()
    ensures WellFormed(Retried())
    ensures Uuids(Retried()) == {Name(0), Name(1), Name(2)}
    ensures StrictlyBelow(Retried(), Name(0), Name(1)) && StrictlyBelow(Retried(), Name(0), Name(2))
    ensures !StrictlyBelow(Retried(), Name(1), Name(2)) && !StrictlyBelow(Retried(), Name(2), Name(1))
  {
    hide WellFormed, Ancestry;
    RetriedHasTwoBranches();
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    var log := Retried();
    assert log[0] in Ancestry(log, Name(1)) && log[0] in Ancestry(log, Name(2));
    forall u | u in Uuids(log)
      ensures u in {Name(0), Name(1), Name(2)}
    {
      assert log[IndexOf(log, u)].uuid == u;
    }
  }

  /** Below the prompt each branch has its own first legal point, and they are not above one another. */
  lemma EachTryIsFirstOnItsBranch()
    ensures WellFormed(Retried()) && Name(0) in Uuids(Retried())
    ensures FirstLegalDescendants(Retried(), Name(0)) == {Name(1), Name(2)}
  {
    hide WellFormed, Legal, Retried, FirstLegalDescendants, IsAncestor;
    var log := Retried();
    TriesAreBelowThePrompt();
    FirstTryIsLegal();
    SecondTryIsLegal();
    forall d
      ensures d in FirstLegalDescendants(log, Name(0)) <==> d == Name(1) || d == Name(2)
    {
      FirstLegalDescendantsAreFirst(log, Name(0), d);
    }
  }

  /** The conditions of the theorems on branches: a legal point strictly below an entry, and two first ones. */
  lemma BranchesHaveFirstLegals()
    ensures WellFormed(Retried()) && Name(0) in Uuids(Retried()) && Name(1) in Uuids(Retried())
    ensures Legal(Retried(), Name(1)) && StrictlyBelow(Retried(), Name(0), Name(1))
    ensures Name(1) in FirstLegalDescendants(Retried(), Name(0)) && Name(2) in FirstLegalDescendants(Retried(), Name(0))
    ensures Name(1) != Name(2)
  {
    NamesDiffer(1, 2);
    TriesAreBelowThePrompt();
    FirstTryIsLegal();
    EachTryIsFirstOnItsBranch();
  }

  // --- Before and after a turn ---

  /** A prompt, a call that is never answered, another prompt, and its answer by another message. */
  ghost function Interrupted(): Log {
    [ Asks(0, None, []),
      Speaks(1, Some(0), 10, [Use(Name(9))]),
      Asks(2, Some(1), []),
      Speaks(3, Some(2), 11, [])]
  }

  /** The call is out in the whole of it. */
  lemma InterruptedCallIsOut()
    ensures |Interrupted()| == 4
    ensures Sound(Interrupted()) && Name(9) in BooksOf(Interrupted()).out && !Balanced(Interrupted())
  {
    var log := Interrupted();
    var call := Use(Name(9));
    assert log == [log[0]] + [log[1]] + [log[2]] + [log[3]];
    BalanceExamples.SilenceIsBalanced([log[0]]);
    BalanceExamples.BooksOfOneMore([log[0]], log[1], call);
    BalanceExamples.BooksOfSilent([log[0]] + [log[1]], log[2]);
    BalanceExamples.BooksOfSilent([log[0]] + [log[1]] + [log[2]], log[3]);
  }

  /** A turn that was interrupted spoils the turns after it: the last answer makes no call, nor does its prompt, and nothing is
    * to come; yet it is no legal point, and no complete turn ends there, for a call before its prompt is out for good. */
  lemma AnInterruptedTurnSpoilsLaterOnes()
    ensures WellFormed(Interrupted()) && |Interrupted()| == 4 && Name(3) in Uuids(Interrupted())
    ensures MainLineAssistant(Get(Interrupted(), Name(3))) && Get(Interrupted(), Name(3)) == Interrupted()[3]
    ensures Interrupted()[2].kind.User? && Interrupted()[2].blocks == Interrupted()[3].blocks == []
    ensures Settled(Interrupted(), Name(3)) && Interrupted()[1] in Context(Interrupted(), Name(3))
    ensures !Legal(Interrupted(), Name(3)) && !CompleteTurn(Interrupted(), Name(3))
  {
    var log := Interrupted();
    assert NamedInOrder(log);
    NamedInOrderIsWellFormed(log);
    OneWayIsTheContext(log, 3);
    assert Context(log, Name(3)) == log;
    InterruptedCallIsOut();
    LastIsSettled(log);
    LegalIsCompleteTurn(log, Name(3));
  }

  /** A prompt, its answer, and another message of the assistant below the answer. */
  ghost function GoneOn(): Log {
    [Asks(0, None, []), Speaks(1, Some(0), 10, []), Speaks(2, Some(1), 11, [])]
  }

  /** No entry after the answer is a part of its message, and none answers it or the prompt. */
  lemma NothingBelongsToTheFirstAnswer(a: Entry, b: Entry)
    requires a in GoneOn()[..2]
    requires b in GoneOn()[2..]
    ensures !Mates(a, b) && !Answers(a, b)
  {
    NamesDiffer(10, 11);
    assert a == GoneOn()[0] || a == GoneOn()[1];
    assert b == GoneOn()[2];
  }

  /** The assistant may go on after a legal point: below it the assistant speaks another message, and both points are legal. So
    * that a point is legal does not say that the user speaks next. */
  lemma TheAssistantMayGoOnAfterALegalPoint()
    ensures WellFormed(GoneOn()) && |GoneOn()| == 3 && Name(1) in Uuids(GoneOn()) && Name(2) in Uuids(GoneOn())
    ensures GoneOn()[2].kind.Assistant? && GoneOn()[2].parent == Some(Name(1))
    ensures Legal(GoneOn(), Name(1)) && Legal(GoneOn(), Name(2))
  {
    var log := GoneOn();
    assert NamedInOrder(log);
    NamedInOrderIsWellFormed(log);
    OneWayIsTheContext(log, 1);
    OneWayIsTheContext(log, 2);
    BalanceExamples.SilenceIsBalanced(log[..2]);
    BalanceExamples.SilenceIsBalanced(log[..3]);
    forall a, b | a in Context(log, Name(1)) && b in log[2..]
      ensures !Mates(a, b) && !Answers(a, b)
    {
      NothingBelongsToTheFirstAnswer(a, b);
    }
    SettledIsNothingNeededLater(log, Name(1));
    LastIsSettled(log);
  }

  // --- The weaker definition of a complete turn ---

  /** The weaker condition: no part of the point's own API message is outside its context. */
  ghost predicate OwnMessageIsWhole(log: Log, u: Id)
    requires u in Uuids(log)
  {
    forall e | e in log && Mates(Get(log, u), e) :: e.uuid in Members(log, u)
  }

  /** A prompt, a part of a message, another prompt, and an answer; then one more part of the first message. */
  ghost function LatePart(): Log {
    [ Asks(0, None, []),
      Speaks(1, Some(0), 10, []),
      Asks(2, Some(1), []),
      Speaks(3, Some(2), 11, []),
      Speaks(4, Some(0), 10, [])]
  }

  /** What the last log is. */
  lemma LatePartIsBesideTheWay()
    ensures WellFormed(LatePart()) && |LatePart()| == 5
    ensures Name(3) in Uuids(LatePart()) && IndexOf(LatePart(), Name(3)) == 3 && Get(LatePart(), Name(3)) == LatePart()[3]
    ensures Context(LatePart(), Name(3)) == LatePart()[..4]
  {
    assert NamedInOrder(LatePart());
    NamedInOrderIsWellFormed(LatePart());
    assert OneWayTo(LatePart(), 3);
    OneWayIsTheContext(LatePart(), 3);
  }

  /** The answer's own message has no other part, and the first message has one at the end. */
  lemma LatePartIsOfTheFirstMessage()
    ensures forall e | e in LatePart() && Mates(LatePart()[3], e) :: e == LatePart()[3]
    ensures Mates(LatePart()[1], LatePart()[4])
    ensures MainLineAssistant(LatePart()[3])
    ensures forall e | e in LatePart() :: e.blocks == []
  {
    NamesDiffer(10, 11);
  }

  /** Asking only that the point's own message is whole is too weak: the point is balanced, and its message is whole, but a
    * message earlier in its context is not, so its turn is not complete. */
  lemma OwnMessageIsTooLittle()
    ensures WellFormed(LatePart()) && Name(3) in Uuids(LatePart())
    ensures MainLineAssistant(Get(LatePart(), Name(3))) && Balanced(Context(LatePart(), Name(3)))
    ensures OwnMessageIsWhole(LatePart(), Name(3))
    ensures !Settled(LatePart(), Name(3)) && !CompleteTurn(LatePart(), Name(3))
  {
    hide WellFormed, LatePart, Mates, Answers, Balanced, Settled, CompleteTurn, Members, Context;
    var log := LatePart();
    LatePartIsBesideTheWay();
    LatePartIsOfTheFirstMessage();
    MembersContainsItself(log, Name(3));
    BalanceExamples.SilenceIsBalanced(log[..4]);
    assert log[..4][1] == log[1] && log[4..][0] == log[4];
    SettledIsNothingNeededLater(log, Name(3));
    LegalIsCompleteTurn(log, Name(3));
  }

  // --- Conditions that hold of something ---

  /** A way by which the call is heard at the answer: the answer's parent is the result, whose parent is the call. */
  lemma CallIsHeardAtTheAnswer()
    ensures Name(4) in Uuids(Story())
    ensures Way(Story(), [Story()[4], Story()[3], Story()[2]], Name(4))
    ensures Heard(Story(), Name(4), Story()[2])
  {
    assert Story()[4].parent == Some(Name(3)) && Story()[3].parent == Some(Name(2));
    hide Story, WellFormed, EventsOf, Ancestry, Context;
    StoryAt(2);
    StoryAt(3);
    StoryAt(4);
    var way := [Story()[4], Story()[3], Story()[2]];
    assert AsOf(Story(), Name(4)) == Story();
    assert CallsFor(way[0], way[1]) && CallsFor(way[1], way[2]);
    hide CallsFor;
    assert Way(Story(), way, Name(4));
    assert way[|way| - 1] == Story()[2];
  }

  /** Events in which no call is out, and blocks that are paired and say the same: those of the story. */
  lemma StoryEventsArePaired()
    ensures var events, blocks := Events(Story()), Blocks(PaddedLog(Story()));
            && |events| == |blocks|
            && (forall i | 0 <= i < |events| :: SaysTheSame(events[i], blocks[i]))
            && NoCallIsOut(events)
            && PairedByIdAndOrder(blocks)
  {
    hide *;
    reveal Balanced;
    EventsFollowPaddedBlocks(Story());
    StoryIsBalanced();
    NoCallIsOutIsBalanced(Story());
    PaddingKeepsTheBooks(Story());
    BalancedIsPairedByIdAndOrder(PaddedLog(Story()));
  }

  /** Nothing is to come after the reply, though entries stand there. */
  lemma NothingComesAfterTheReply()
    ensures |Story()| == 5
    ensures NothingToCome(Events(Story()[..2]), Events(Story()[2..]))
  {
    hide *;
    reveal Legal, Resumable;
    StoryAt(1);
    ReplyIsLegal();
    NothingToComeIsSettled(Story(), Name(1));
  }

  /** The theorems apply to the prompt that was answered twice, and to the story. */
  lemma TheoremsApplyToTheRetried()
  {
    hide *;
    BranchesHaveFirstLegals();
    var log, u, v := Retried(), Name(0), Name(1);
    WellFormedHasUniqueUuids(log);
    ConversationIsContext(log, v, Context(log, v));
    ThereIsExactlyOneConversation(log, v);
    LegalIsItsOwnNearest(log, v);
    AnswerIsLegal();
    LegalPointsAreBalanced(Story(), Name(4));
    assert UniqueUuids(Story()) by {
      reveal *;
      StoryIsOneWay();
      WellFormedHasUniqueUuids(Story());
    }
    CompleteTurnAsksOfOneConversation(Story(), Name(4));
    assert Settled(log, v) by {
      reveal Legal, Resumable;
    }
    SettledHoldsTheWholeMessage(log, v);
    EachBranchHasOneFirstLegal(log, u, v);
    FirstLegalsAreUnrelated(log, u, v, Name(2));
  }
}

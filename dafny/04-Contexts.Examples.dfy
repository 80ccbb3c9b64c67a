// Chapter 4, examples: two plausible definitions of a conversation that are false; the definition that holds, met; and a
// log as numbers.
include "01-Entries.Examples.dfy"
include "04-Contexts.Fast.dfy"
include "04-Contexts.Proofs.dfy"

module ContextsExamples {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened EntriesExamples
  import opened Ancestries
  import opened AncestriesProofs
  import opened Contexts
  import opened ContextsProofs
  import opened Links
  import opened ContextsFast

  /** An entry without blocks has no uses and no results. */
  lemma SilentEntry(e: Entry)
    requires e.blocks == []
    ensures UsesOf(e) == {} && ResultsOf(e) == {}
  {
  }

  /** The uses and results of an entry with one use. */
  lemma OneUse(e: Entry, t: Id)
    requires e.blocks == [Use(t)]
    ensures UsesOf(e) == {t} && ResultsOf(e) == {}
  {
    assert e.blocks[0] in e.blocks;
  }

  /** The uses and results of an entry with one result. */
  lemma OneResult(e: Entry, t: Id)
    requires e.blocks == [Result(t)]
    ensures UsesOf(e) == {} && ResultsOf(e) == {t}
  {
    assert e.blocks[0] in e.blocks;
  }

  // --- The closure over the whole log ---

  /** The conversation at `u` without "as of": a plausible definition, and a wrong one. */
  function MembersInWholeLog(log: Log, u: Id): set<Id>
    requires u in Uuids(log)
  {
    Closure(log, {u})
  }

  /** A call, and the user's answer that may come next. */
  function Calling(): Entry {
    Speaks(0, None, 0, [Use(Name(9))])
  }

  /** The answer. */
  function Answering(): Entry {
    Asks(1, Some(0), [Result(Name(9))])
  }

  /** Closed over the whole log, a conversation changes when the log grows: a call takes in its own future. */
  lemma WholeLogMembersChange()
    ensures var log, grown := [Calling()], [Calling()] + [Answering()];
            && WellFormed(grown)
            && Name(0) in Uuids(log) && Name(0) in Uuids(grown)
            && MembersInWholeLog(log, Name(0)) == {Name(0)}
            && MembersInWholeLog(grown, Name(0)) == {Name(0), Name(1)}
            && Members(log, Name(0)) == Members(grown, Name(0)) == {Name(0)}
  {
    var a, b := Calling(), Answering();
    NamesDiffer(0, 1);
    OfOne(a);
    OfTwo(a, b);
    OneUse(a, Name(9));
    OneResult(b, Name(9));
    assert [a] + [b] == [a, b];
    ClosureContains([a], {Name(0)});
    ClosureIsInLog([a], {Name(0)});
    var m := MembersInWholeLog([a, b], Name(0));
    ClosureContains([a, b], {Name(0)});
    ClosureIsInLog([a, b], {Name(0)});
    ClosureIsClosed([a, b], {Name(0)});
    assert Needs(a, b) by {
      assert Name(9) in UsesOf(a) * ResultsOf(b);
    }
    assert [a, b][0] == a && [a, b][1] == b;
  }

  // --- The closure in a fixed number of steps ---

  /** The entries of the log that are parts of messages of the set. */
  function WithMates(log: Log, ids: set<Id>): set<Id> {
    ids + set a, b | a in log && b in log && a.uuid in ids && Mates(a, b) :: b.uuid
  }

  /** And the answers to calls in the set. */
  function WithAnswers(log: Log, ids: set<Id>): set<Id> {
    ids + set a, b | a in log && b in log && a.uuid in ids && Answers(a, b) :: b.uuid
  }

  /** And the ancestries of all entries of the set. */
  function WithAncestors(log: Log, ids: set<Id>): set<Id>
    requires WellFormed(log)
  {
    ids + set e, a | e in log && e.uuid in ids && a in Ancestry(log, e.uuid) :: a.uuid
  }

  /** Messages, then results: the ancestry, the other parts of its messages, and the answers to its calls. */
  function TwoSteps(log: Log, u: Id): set<Id>
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    WithAnswers(log, WithMates(log, Uuids(Ancestry(log, u))))
  }

  /** Messages, then results, then all ancestries: closed under parents, and still not enough. */
  function TwoStepsAndAncestors(log: Log, u: Id): set<Id>
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    WithAncestors(log, TwoSteps(log, u))
  }

  /** A log of a prompt `r`, two parts `a1` and `a2` of one message, and two parts `b1` and `u` of another, where `b1`
    * continues `a2` and all others continue `r`. */
  ghost predicate IsBraid(log: Log, r: Entry, a1: Entry, a2: Entry, b1: Entry, u: Entry) {
    && WellFormed(log)
    && (forall e :: e in log <==> e in {r, a1, a2, b1, u})
    && (forall e | e in log :: UsesOf(e) == {})
    && |{r.uuid, a1.uuid, a2.uuid, b1.uuid, u.uuid}| == 5
    && r.kind.User? && r.parent.None?
    && a1.parent == Some(r.uuid) && a2.parent == Some(r.uuid) && b1.parent == Some(a2.uuid) && u.parent == Some(r.uuid)
    && Mates(a1, a2) && Mates(b1, u) && !Mates(a1, b1)
    && IndexOf(log, a1.uuid) < IndexOf(log, a2.uuid)
  }

  /** The uuids of a braid differ. */
  lemma BraidsUuidsDiffer(r: Id, a1: Id, a2: Id, b1: Id, u: Id)
    requires |{r, a1, a2, b1, u}| == 5
    ensures a1 !in {r, a2, b1, u} && b1 !in {r, a2, u} && r != a2 && r != u && a2 != u
  {
    if a1 in {r, a2, b1, u} {
      assert {:contradiction} {r, a1, a2, b1, u} == {r, a2, b1, u};
    } else if b1 in {r, a2, u} {
      assert {:contradiction} {r, a1, a2, b1, u} == {r, a1, a2, u};
    } else if r == a2 || r == u {
      assert {:contradiction} {r, a1, a2, b1, u} == {a1, a2, b1, u};
    } else if a2 == u {
      assert {:contradiction} {r, a1, a2, b1, u} == {r, a1, b1, u};
    }
  }

  /** The ancestries in a braid. */
  lemma BraidsAncestries(log: Log, r: Entry, a1: Entry, a2: Entry, b1: Entry, u: Entry)
    requires IsBraid(log, r, a1, a2, b1, u)
    ensures {r.uuid, a1.uuid, a2.uuid, b1.uuid, u.uuid} == Uuids(log)
    ensures Ancestry(log, r.uuid) == [r] && Ancestry(log, u.uuid) == [r, u]
    ensures Ancestry(log, a2.uuid) == [r, a2] && Ancestry(log, b1.uuid) == [r, a2, b1]
  {
    assert r in log && a1 in log && a2 in log && b1 in log && u in log;
    RootPathIsAncestry(log, [r], r.uuid);
    RootPathIsAncestry(log, [r, u], u.uuid);
    RootPathIsAncestry(log, [r, a2], a2.uuid);
    RootPathIsAncestry(log, [r, a2, b1], b1.uuid);
  }

  /** What two steps find from `u` in a braid. */
  lemma BraidsTwoSteps(log: Log, r: Entry, a1: Entry, a2: Entry, b1: Entry, u: Entry)
    requires IsBraid(log, r, a1, a2, b1, u)
    ensures u.uuid in Uuids(log)
    ensures TwoSteps(log, u.uuid) == {r.uuid, b1.uuid, u.uuid}
  {
    BraidsUuidsDiffer(r.uuid, a1.uuid, a2.uuid, b1.uuid, u.uuid);
    BraidsAncestries(log, r, a1, a2, b1, u);
    assert r in log && a1 in log && a2 in log && b1 in log && u in log;
    var path := Uuids(Ancestry(log, u.uuid));
    assert path == {r.uuid, u.uuid} by {
      OfTwo(r, u);
    }
    assert Mates(u, b1);
    assert b1.uuid in WithMates(log, path);
    assert WithMates(log, path) == {r.uuid, b1.uuid, u.uuid};
  }

  /** Two steps from `u` are not closed under parents, and even with all ancestries they lack what a kept entry needs: `a2`
    * is kept and `a1`, the other part of its message, is in the conversation at `a2` and is not kept. Only repeating until
    * nothing is added gives a set that a fork can hold. */
  lemma TwoStepsDropWhatIsNeeded(log: Log, r: Entry, a1: Entry, a2: Entry, b1: Entry, u: Entry)
    requires IsBraid(log, r, a1, a2, b1, u)
    ensures u.uuid in Uuids(log) && a2.uuid in Uuids(log)
    ensures !ParentClosed(log, TwoSteps(log, u.uuid))
    ensures a2.uuid in TwoStepsAndAncestors(log, u.uuid)
    ensures a1.uuid in Members(log, a2.uuid) && a1.uuid !in TwoStepsAndAncestors(log, u.uuid)
  {
    BraidsUuidsDiffer(r.uuid, a1.uuid, a2.uuid, b1.uuid, u.uuid);
    BraidsAncestries(log, r, a1, a2, b1, u);
    BraidsTwoSteps(log, r, a1, a2, b1, u);
    assert r in log && a1 in log && a2 in log && b1 in log && u in log;
    WellFormedHasUniqueUuids(log);
    assert b1.uuid in TwoSteps(log, u.uuid) && a2.uuid !in TwoSteps(log, u.uuid);
    assert a2 == Ancestry(log, b1.uuid)[1] && a2 in Ancestry(log, b1.uuid);
    forall e, a | e in log && e.uuid in TwoSteps(log, u.uuid) && a in Ancestry(log, e.uuid) ensures a.uuid != a1.uuid {
    }
    AsOfHoldsExactly(log, a2.uuid, a1.uuid);
    MembersContainsItself(log, a2.uuid);
    PartIsMember(log, a1, a2);
  }

  /** An earlier part of the same message is a member. */
  lemma PartIsMember(log: Log, a: Entry, u: Entry)
    requires UniqueUuids(log)
    requires a in log && u in log
    requires a.uuid in Uuids(log) && u.uuid in Uuids(log)
    requires IndexOf(log, a.uuid) < IndexOf(log, u.uuid)
    requires Mates(u, a)
    ensures a.uuid in Members(log, u.uuid)
  {
    var asOf := AsOf(log, u.uuid);
    GetFindsEntry(log, a);
    GetFindsEntry(log, u);
    assert asOf[IndexOf(log, a.uuid)] == a && asOf[IndexOf(log, u.uuid)] == u;
    MembersContainsItself(log, u.uuid);
    WhatMembersNeedIsMember(log, u.uuid, u, a);
  }

  /** A braid from five entries. */
  lemma FiveEntriesMakeABraid(r: Entry, a1: Entry, a2: Entry, b1: Entry, u: Entry)
    requires r.uuid != a1.uuid && a2.uuid !in {r.uuid, a1.uuid} && b1.uuid !in {r.uuid, a1.uuid, a2.uuid}
    requires u.uuid !in {r.uuid, a1.uuid, a2.uuid, b1.uuid}
    requires r.blocks == a1.blocks == a2.blocks == b1.blocks == u.blocks == []
    requires r.kind.User? && r.parent.None?
    requires a1.parent == Some(r.uuid) && a2.parent == Some(r.uuid) && b1.parent == Some(a2.uuid) && u.parent == Some(r.uuid)
    requires Mates(a1, a2) && Mates(b1, u) && !Mates(a1, b1)
    ensures IsBraid([r, a1, a2, b1, u], r, a1, a2, b1, u)
  {
    var log := [r, a1, a2, b1, u];
    OfOne(r);
    OfTwo(r, a1);
    OfThree(r, a1, a2);
    OfFour(r, a1, a2, b1);
    OfFive(r, a1, a2, b1, u);
    IndexOfIsPosition(log, 1);
    IndexOfIsPosition(log, 2);
    forall e | e in log ensures UsesOf(e) == {} {
      SilentEntry(e);
    }
    FiveDiffer(r.uuid, a1.uuid, a2.uuid, b1.uuid, u.uuid);
  }

  /** There are five such entries, so there is a braid. */
  lemma ABraidExists()
    ensures var r, a1, a2, b1, u :=
              Asks(0, None, []), Speaks(1, Some(0), 8, []), Speaks(2, Some(0), 8, []),
              Speaks(3, Some(2), 9, []), Speaks(4, Some(0), 9, []);
            IsBraid([r, a1, a2, b1, u], r, a1, a2, b1, u)
  {
    forall m, n | 0 <= m < n <= 9 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    FiveEntriesMakeABraid(
      Asks(0, None, []), Speaks(1, Some(0), 8, []), Speaks(2, Some(0), 8, []),
      Speaks(3, Some(2), 9, []), Speaks(4, Some(0), 9, []));
  }

  /** Five that differ are five. */
  lemma FiveDiffer(a: Id, b: Id, c: Id, d: Id, e: Id)
    requires a != b && c !in {a, b} && d !in {a, b, c} && e !in {a, b, c, d}
    ensures |{a, b, c, d, e}| == 5
  {
    assert |{a, b}| == 2;
    assert {a, b, c} == {a, b} + {c} && {a, b, c, d} == {a, b, c} + {d} && {a, b, c, d, e} == {a, b, c, d} + {e};
  }

  // --- The definition, and the number view, hold of something ---

  /** Every conversation meets the definition: there is a least closed set that contains `u`, in every log. */
  lemma TheLeastClosedSetExists(log: Log, u: Id)
    requires u in Uuids(log)
    ensures exists m: set<Id> ::
              && u in m
              && Closed(AsOf(log, u), m)
              && (forall s: set<Id> | u in s && Closed(AsOf(log, u), s) :: m <= s)
  {
    var m := Members(log, u);
    MembersContainsItself(log, u);
    MembersAreClosedAsOf(log, u);
    forall s: set<Id> | u in s && Closed(AsOf(log, u), s)
      ensures m <= s
    {
      MembersAreLeast(log, u, s);
    }
  }

  /** Who belongs to the two conversations of a chat: at the prompt the prompt alone, at the reply both. */
  lemma ChatHasMembers()
    ensures WellFormed(Chat()) && Name(0) in Uuids(Chat()) && Name(1) in Uuids(Chat())
    ensures Members(Chat(), Name(0)) == {Name(0)}
    ensures Members(Chat(), Name(1)) == {Name(0), Name(1)}
    ensures MarksMembers(Chat(), 0, [true, false])
    ensures MarksMembers(Chat(), 1, [true, true])
  {
    var log := Chat();
    ChatIsWellFormed();
    OfOne(Prompt());
    MembersContainsItself(log, Name(0));
    MembersAreAsOf(log, Name(0));
    MembersContainsItself(log, Name(1));
    MembersOfParent(log, Name(1));
    MembersAreAsOf(log, Name(1));
  }

  /** A chat as numbers: the reply's parent is the prompt, and one hub, the message, is opened and joined by the reply. */
  lemma ChatHasLinks()
    ensures WellFormed(Chat())
    ensures Represents(Links([-1, 0], [[], [0]], [[], [0]], [[1]]), Chat())
  {
    var links := Links([-1, 0], [[], [0]], [[], [0]], [[1]]);
    ChatIsWellFormed();
    SilentEntry(Prompt());
    SilentEntry(Reply());
    assert Shaped(links);
    assert 0 in links.opens[1];
  }
}

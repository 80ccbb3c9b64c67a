// Chapter 5, examples: legal and illegal points, and five plausible readings of balance that are too weak, vacuous or false.
include "04-Contexts.Examples.dfy"
include "05-Balance.Proofs.dfy"

module BalanceExamples {
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

  // --- Books of concrete conversations ---

  /** No entries, no calls. */
  lemma BooksOfNothing()
    ensures BooksOf([]) == Blank
  {
  }

  /** The books after one more entry with one block. */
  lemma BooksOfOneMore(entries: Log, e: Entry, b: Block)
    requires e.blocks == [b]
    ensures BooksOf(entries + [e]) == Enter(BooksOf(entries), b)
  {
    BooksOfConcatenation(entries, [e]);
    BlocksOfOne(e);
    assert [b][..0] == [];
    assert Run(BooksOf(entries), []) == BooksOf(entries);
  }

  /** Entries without blocks leave the books blank. */
  lemma SilenceIsBalanced(entries: Log)
    requires forall e | e in entries :: e.blocks == []
    ensures BooksOf(entries) == Blank
    ensures Balanced(entries)
    decreases |entries|
  {
    if |entries| > 0 {
      var before, e := entries[..|entries| - 1], entries[|entries| - 1];
      assert e in entries;
      SilenceIsBalanced(before);
      assert entries == before + [e];
      BooksOfConcatenation(before, [e]);
      BlocksOfOne(e);
    }
  }

  /** Where the conversation at the last entry is the whole log, is balanced, and the main-line assistant has the last word,
    * the last entry is a legal point. */
  lemma WholeLogIsLegal(log: Log, u: Id)
    requires UniqueUuids(log)
    requires |log| > 0 && log[|log| - 1].uuid == u
    requires u in Uuids(log) && Members(log, u) == Uuids(log)
    requires Balanced(log)
    requires MainLineAssistant(log[|log| - 1])
    ensures Legal(log, u)
    ensures Context(log, u) == log
  {
    KeepingAllIsTheLog(log, Uuids(log));
    LastIsSettled(log);
    IndexOfIsPosition(log, |log| - 1);
  }

  /** Legal points exist: a reply to a prompt is one. */
  lemma ChatEndsLegally()
    ensures WellFormed(Chat()) && Name(1) in Uuids(Chat()) && Name(0) in Members(Chat(), Name(1))
    ensures Legal(Chat(), Name(1)) && Resumable(Chat(), Name(1)) && Settled(Chat(), Name(1))
    ensures Members(Chat(), Name(1)) == Uuids(Chat())
    ensures Context(Chat(), Name(1)) == Chat()
  {
    var log := Chat();
    ChatIsWellFormed();
    MembersOfParent(log, Name(1));
    MembersContainsItself(log, Name(1));
    MembersAreAsOf(log, Name(1));
    SilenceIsBalanced(log);
    WellFormedHasUniqueUuids(log);
    WholeLogIsLegal(log, Name(1));
  }

  /** The theorems of this chapter and the one before apply to the chat, and to parallel calls. */
  lemma TheoremsApplyToTheChat()
  {
    hide *;
    ChatIsWellFormed();
    ChatEndsLegally();
    ReplyGoesOn();
    var log, u, v := Chat(), Name(1), Name(0);
    ContextEndsIn(log, u);
    ContextHoldsAncestry(log, u, v);
    ContextIsInLogOrder(log, u);
    AllIsClosed(log);
    MembersAreInClosedSets(log, u, Uuids(log));
    BalanceIsCompositional(log, v, u);
    AParallelLogExists();
    var a, b, c, d, e :=
      Speaks(0, None, 7, [Use(Name(8))]), Speaks(1, Some(0), 7, [Use(Name(9))]), Asks(2, Some(0), [Result(Name(8))]),
      Asks(3, Some(1), [Result(Name(9))]), Speaks(4, Some(3), 6, []);
    var calls := [a, b, c, d, e];
    BareAncestryIsUnbalanced(calls, a, b, c, d, e);
    LegalPointsAreBalanced(calls, e.uuid);
    assert WellFormed(calls) && d.uuid in Uuids(calls) && Get(calls, d.uuid).parent.Some? by {
      reveal *;
      assert calls[3] == d;
      assert d in calls;
      WellFormedHasUniqueUuids(calls);
      IndexOfIsPosition(calls, 3);
    }
    ParentsBooksGoOn(calls, d.uuid);
  }

  /** The chat's reply goes on from its prompt. */
  lemma ReplyGoesOn()
    ensures Name(0) in Uuids(Chat()) && Name(1) in Uuids(Chat())
    ensures GoesOn(Chat(), Name(0), Name(1))
  {
    ChatIsWellFormed();
    OfOne(Prompt());
    MembersContainsItself(Chat(), Name(0));
  }

  /** P3 is false in the middle of a turn: while a call is out the conversation is sound and not balanced. */
  lemma MidTurnIsSoundAndUnbalanced()
    ensures var log := [Speaks(0, None, 0, [Use(Name(9))])];
            && WellFormed(log) && Name(0) in Uuids(log)
            && Sound(Context(log, Name(0)))
            && !Balanced(Context(log, Name(0)))
  {
    var a := Speaks(0, None, 0, [Use(Name(9))]);
    var log := [a];
    OfOne(a);
    MembersContainsItself(log, Name(0));
    KeepingAllIsTheLog(log, Members(log, Name(0)));
    assert [] + [a] == log;
    BooksOfOneMore([], a, Use(Name(9)));
    assert Name(9) in BooksOf(log).out;
  }

  // --- Counting ---

  /** How many calls there are. */
  function CountUses(blocks: seq<Block>): nat {
    if |blocks| == 0 then 0
    else if blocks[0].Use? then 1 + CountUses(blocks[1..])
    else CountUses(blocks[1..])
  }

  /** How many results there are. */
  function CountResults(blocks: seq<Block>): nat {
    if |blocks| == 0 then 0
    else if blocks[0].Result? then 1 + CountResults(blocks[1..])
    else CountResults(blocks[1..])
  }

  /** Counting is too weak: as many uses as results, by id even, and the result stands before its use. */
  lemma CountingMissesOrder(t: Id)
    ensures var blocks := [Result(t), Use(t)];
            && CountUses(blocks) == CountResults(blocks)
            && multiset(blocks)[Use(t)] == multiset(blocks)[Result(t)]
            && Run(Blank, blocks) == Broken
            && !PairedByIdAndOrder(blocks)
  {
    var blocks := [Result(t), Use(t)];
    assert blocks[1..] == [Use(t)] && [Use(t)][1..] == [];
    assert CountUses([]) == 0 && CountResults([]) == 0;
    assert CountUses([Use(t)]) == 1 && CountResults([Use(t)]) == 0;
    RunOfTwo(Blank, Result(t), Use(t));
    SoundIsOnceEachInOrder(blocks);
    assert blocks[0].Result?;
  }

  /** Counting is too weak: one use, one result, of different calls. */
  lemma CountingMissesIds(s: Id, t: Id)
    requires s != t
    ensures var blocks := [Use(s), Result(t)];
            && CountUses(blocks) == CountResults(blocks)
            && Run(Blank, blocks) == Broken
            && !PairedByIdAndOrder(blocks)
  {
    var blocks := [Use(s), Result(t)];
    assert blocks[1..] == [Result(t)] && [Result(t)][1..] == [];
    assert CountUses([]) == 0 && CountResults([]) == 0;
    assert CountUses([Result(t)]) == 0 && CountResults([Result(t)]) == 1;
    RunOfTwo(Blank, Use(s), Result(t));
    assert blocks[1].Result? && blocks[0] != Use(t);
  }

  /** There are different ids. */
  lemma IdsMayDiffer()
    ensures Name(0) != Name(1)
  {
    NamesDiffer(0, 1);
  }

  /** The books after two blocks. */
  lemma RunOfTwo(books: Books, a: Block, b: Block)
    ensures Run(books, [a, b]) == Enter(Enter(books, a), b)
  {
    assert [a, b][..1] == [a] && [a][..0] == [];
    assert Run(books, []) == books;
    assert Run(books, [a]) == Enter(books, a);
  }

  // --- Bare ancestries ---

  /** The parent of a member, in the log as of the point asked about, is a member. */
  lemma ParentIsMember(log: Log, u: Id, a: Entry, p: Entry)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires a in log && p in log
    requires a.uuid in Members(log, u)
    requires a.parent == Some(p.uuid)
    ensures p.uuid in Members(log, u)
  {
    MembersAreParentClosed(log, u);
  }

  /** Two calls made at once, in two parts `a` and `b` of one message; the results `c` and `d` hang on their own calls; the
    * reply `e` hangs on the second result. */
  ghost predicate IsParallel(log: Log, a: Entry, b: Entry, c: Entry, d: Entry, e: Entry) {
    && log == [a, b, c, d, e]
    && WellFormed(log)
    && a.kind.Assistant? && b.kind.Assistant? && c.kind.User? && d.kind.User? && MainLineAssistant(e)
    && Mates(a, b)
    && a.parent.None? && b.parent == Some(a.uuid) && c.parent == Some(a.uuid)
    && d.parent == Some(b.uuid) && e.parent == Some(d.uuid)
    && a.blocks == [Use(Name(8))] && b.blocks == [Use(Name(9))]
    && c.blocks == [Result(Name(8))] && d.blocks == [Result(Name(9))] && e.blocks == []
  }

  /** All of it belongs to the conversation at its end. */
  lemma ParallelMembersAreAll(log: Log, a: Entry, b: Entry, c: Entry, d: Entry, e: Entry)
    requires IsParallel(log, a, b, c, d, e)
    ensures e.uuid in Uuids(log)
    ensures Members(log, e.uuid) == Uuids(log)
  {
    var u := e.uuid;
    assert a == log[0] && b == log[1] && c == log[2] && d == log[3] && e == log[4];
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, 4);
    assert AsOf(log, u) == log;
    MembersContainsItself(log, u);
    ParentIsMember(log, u, e, d);
    ParentIsMember(log, u, d, b);
    ParentIsMember(log, u, b, a);
    OneUse(a, Name(8));
    OneResult(c, Name(8));
    assert Name(8) in UsesOf(a) * ResultsOf(c);
    WhatMembersNeedIsMember(log, u, a, c);
    MembersAreAsOf(log, u);
    forall x | x in Uuids(log) ensures x in Members(log, u) {
      var y :| y in log && y.uuid == x;
    }
  }

  /** The books at its end, and those of the ancestry alone. */
  lemma ParallelBooks(log: Log, a: Entry, b: Entry, c: Entry, d: Entry, e: Entry)
    requires IsParallel(log, a, b, c, d, e)
    ensures BooksOf(log) == Books({}, {Name(8), Name(9)})
    ensures BooksOf([a, b, d, e]) == Books({Name(8)}, {Name(8), Name(9)})
  {
    NamesDiffer(8, 9);
    var t, s := Name(8), Name(9);
    var one, two: Log := [a], [a, b];
    assert [] + [a] == one && one + [b] == two;
    BooksOfOneMore([], a, Use(t));
    BooksOfOneMore(one, b, Use(s));
    assert BooksOf(two) == Books({t, s}, {t, s});
    BooksOfOneMore(two, c, Result(t));
    BooksOfOneMore(two + [c], d, Result(s));
    BooksOfSilent(two + [c] + [d], e);
    assert two + [c] + [d] + [e] == log;
    assert {t, s} - {t} == {s} && {t, s} - {s} == {t} && {s} - {s} == {};
    BooksOfOneMore(two, d, Result(s));
    BooksOfSilent(two + [d], e);
    assert two + [d] + [e] == [a, b, d, e];
  }

  /** The books after one more entry without blocks. */
  lemma BooksOfSilent(entries: Log, e: Entry)
    requires e.blocks == []
    ensures BooksOf(entries + [e]) == BooksOf(entries)
  {
    BooksOfConcatenation(entries, [e]);
    BlocksOfOne(e);
  }

  /** A bare ancestry is not the conversation: at a legal point after parallel calls it lacks a result that hangs beside the
    * path, so a call is out in it. */
  lemma BareAncestryIsUnbalanced(log: Log, a: Entry, b: Entry, c: Entry, d: Entry, e: Entry)
    requires IsParallel(log, a, b, c, d, e)
    ensures e.uuid in Uuids(log)
    ensures Legal(log, e.uuid)
    ensures !Balanced(Ancestry(log, e.uuid))
  {
    ParallelMembersAreAll(log, a, b, c, d, e);
    ParallelBooks(log, a, b, c, d, e);
    WellFormedHasUniqueUuids(log);
    WholeLogIsLegal(log, e.uuid);
    assert a in log && b in log && d in log && e in log;
    RootPathIsAncestry(log, [a, b, d, e], e.uuid);
    assert Name(8) in BooksOf(Ancestry(log, e.uuid)).out;
  }

  /** There is such a log. */
  lemma AParallelLogExists()
    ensures var a, b, c, d, e :=
              Speaks(0, None, 7, [Use(Name(8))]), Speaks(1, Some(0), 7, [Use(Name(9))]), Asks(2, Some(0), [Result(Name(8))]),
              Asks(3, Some(1), [Result(Name(9))]), Speaks(4, Some(3), 6, []);
            IsParallel([a, b, c, d, e], a, b, c, d, e)
  {
    forall m, n | 0 <= m < n <= 9 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    FiveAreWellFormed(
      Speaks(0, None, 7, [Use(Name(8))]), Speaks(1, Some(0), 7, [Use(Name(9))]), Asks(2, Some(0), [Result(Name(8))]),
      Asks(3, Some(1), [Result(Name(9))]), Speaks(4, Some(3), 6, []));
  }

  /** Five entries whose parents come first. */
  lemma FiveAreWellFormed(a: Entry, b: Entry, c: Entry, d: Entry, e: Entry)
    requires a.uuid != b.uuid && c.uuid !in {a.uuid, b.uuid} && d.uuid !in {a.uuid, b.uuid, c.uuid}
    requires e.uuid !in {a.uuid, b.uuid, c.uuid, d.uuid}
    requires a.parent.None?
    requires b.parent in {None, Some(a.uuid)}
    requires c.parent in {None, Some(a.uuid), Some(b.uuid)}
    requires d.parent in {None, Some(a.uuid), Some(b.uuid), Some(c.uuid)}
    requires e.parent in {None, Some(a.uuid), Some(b.uuid), Some(c.uuid), Some(d.uuid)}
    ensures WellFormed([a, b, c, d, e])
  {
    OfOne(a);
    OfTwo(a, b);
    OfThree(a, b, c);
    OfFour(a, b, c, d);
    OfFive(a, b, c, d, e);
  }

  /** The counterexample in a concrete log. */
  lemma BareAncestryMayBeUnbalanced()
    ensures exists log: Log, u: Id | WellFormed(log) && u in Uuids(log) :: Legal(log, u) && !Balanced(Ancestry(log, u))
  {
    AParallelLogExists();
    var a, b, c, d, e :=
      Speaks(0, None, 7, [Use(Name(8))]), Speaks(1, Some(0), 7, [Use(Name(9))]), Asks(2, Some(0), [Result(Name(8))]),
      Asks(3, Some(1), [Result(Name(9))]), Speaks(4, Some(3), 6, []);
    BareAncestryIsUnbalanced([a, b, c, d, e], a, b, c, d, e);
  }

  /** The other shape: a whole sibling call, `b` with its result `d`, hangs beside the path, which goes from `a` by its own
    * result `c` to the reply `e`. */
  ghost predicate IsSiblingCall(log: Log, a: Entry, b: Entry, c: Entry, d: Entry, e: Entry) {
    && log == [a, b, c, d, e]
    && WellFormed(log)
    && a.kind.Assistant? && b.kind.Assistant? && c.kind.User? && d.kind.User? && MainLineAssistant(e)
    && Mates(a, b)
    && a.parent.None? && b.parent == Some(a.uuid) && c.parent == Some(a.uuid)
    && d.parent == Some(b.uuid) && e.parent == Some(c.uuid)
    && a.blocks == [Use(Name(8))] && b.blocks == [Use(Name(9))]
    && c.blocks == [Result(Name(8))] && d.blocks == [Result(Name(9))] && e.blocks == []
  }

  /** All of it belongs to the conversation at its end. */
  lemma SiblingCallMembersAreAll(log: Log, a: Entry, b: Entry, c: Entry, d: Entry, e: Entry)
    requires IsSiblingCall(log, a, b, c, d, e)
    ensures e.uuid in Uuids(log)
    ensures Members(log, e.uuid) == Uuids(log)
  {
    var u := e.uuid;
    assert a == log[0] && b == log[1] && c == log[2] && d == log[3] && e == log[4];
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, 4);
    assert AsOf(log, u) == log;
    MembersContainsItself(log, u);
    ParentIsMember(log, u, e, c);
    ParentIsMember(log, u, c, a);
    WhatMembersNeedIsMember(log, u, a, b);
    OneUse(b, Name(9));
    OneResult(d, Name(9));
    assert Name(9) in UsesOf(b) * ResultsOf(d);
    WhatMembersNeedIsMember(log, u, b, d);
    MembersAreAsOf(log, u);
    forall x | x in Uuids(log) ensures x in Members(log, u) {
      var y :| y in log && y.uuid == x;
    }
  }

  /** The books at its end. */
  lemma SiblingCallBooks(log: Log, a: Entry, b: Entry, c: Entry, d: Entry, e: Entry)
    requires IsSiblingCall(log, a, b, c, d, e)
    ensures Balanced(log)
  {
    NamesDiffer(8, 9);
    var t, s := Name(8), Name(9);
    var one, two: Log := [a], [a, b];
    assert [] + [a] == one && one + [b] == two;
    BooksOfOneMore([], a, Use(t));
    BooksOfOneMore(one, b, Use(s));
    BooksOfOneMore(two, c, Result(t));
    BooksOfOneMore(two + [c], d, Result(s));
    BooksOfSilent(two + [c] + [d], e);
    assert two + [c] + [d] + [e] == log;
  }

  /** Here the bare ancestry, of a legal point again, does not even show the loss: a call and its result are missing from it,
    * though a part of the same message is there. */
  lemma BareAncestryLosesACall(log: Log, a: Entry, b: Entry, c: Entry, d: Entry, e: Entry)
    requires IsSiblingCall(log, a, b, c, d, e)
    ensures e.uuid in Uuids(log)
    ensures Legal(log, e.uuid)
    ensures b in Context(log, e.uuid) && d in Context(log, e.uuid)
    ensures Ancestry(log, e.uuid) == [a, c, e]
    ensures b !in Ancestry(log, e.uuid) && d !in Ancestry(log, e.uuid)
  {
    SiblingCallMembersAreAll(log, a, b, c, d, e);
    SiblingCallBooks(log, a, b, c, d, e);
    WellFormedHasUniqueUuids(log);
    WholeLogIsLegal(log, e.uuid);
    assert a in log && b in log && c in log && d in log && e in log;
    RootPathIsAncestry(log, [a, c, e], e.uuid);
  }

  /** There is such a log. */
  lemma ASiblingCallExists()
    ensures var a, b, c, d, e :=
              Speaks(0, None, 7, [Use(Name(8))]), Speaks(1, Some(0), 7, [Use(Name(9))]), Asks(2, Some(0), [Result(Name(8))]),
              Asks(3, Some(1), [Result(Name(9))]), Speaks(4, Some(2), 6, []);
            IsSiblingCall([a, b, c, d, e], a, b, c, d, e)
  {
    forall m, n | 0 <= m < n <= 9 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    FiveAreWellFormed(
      Speaks(0, None, 7, [Use(Name(8))]), Speaks(1, Some(0), 7, [Use(Name(9))]), Asks(2, Some(0), [Result(Name(8))]),
      Asks(3, Some(1), [Result(Name(9))]), Speaks(4, Some(2), 6, []));
  }

  // --- Filtering ---

  /** Only what user and assistant say, as in the obvious first move of building a tree from messages. */
  function Talk(log: Log): Log {
    if |log| == 0 then []
    else if log[|log| - 1].kind.User? || log[|log| - 1].kind.Assistant? then Talk(log[..|log| - 1]) + [log[|log| - 1]]
    else Talk(log[..|log| - 1])
  }

  /** Filtering holds exactly what users and assistants say. */
  lemma TalkHoldsExactly(log: Log)
    ensures forall e :: e in Talk(log) <==> e in log && (e.kind.User? || e.kind.Assistant?)
  {
    if |log| > 0 {
      var before := log[..|log| - 1];
      TalkHoldsExactly(before);
      assert log == before + [log[|log| - 1]];
    }
  }

  /** Filtering first shatters the tree: wherever a user's or assistant's entry hangs on another kind of entry, it loses its
    * parent, and its part of the tree its connection. */
  lemma FilteringShattersTheTree(log: Log, between: Entry, below: Entry)
    requires WellFormed(log)
    requires between in log && below in log
    requires !between.kind.User? && !between.kind.Assistant?
    requires below.kind.User? || below.kind.Assistant?
    requires below.parent == Some(between.uuid)
    ensures NoDanglingParents(log)
    ensures !NoDanglingParents(Talk(log))
  {
    WellFormedHasNoDanglingParents(log);
    WellFormedHasUniqueUuids(log);
    TalkHoldsExactly(log);
    if between.uuid in Uuids(Talk(log)) {
      var e :| e in Talk(log) && e.uuid == between.uuid;
      SameUuidIsSameEntry(log, e, between);
    }
    assert below in Talk(log);
  }

  /** There is such a log: a prompt, an attachment, and the reply below it. */
  lemma AttachmentsMayStandBetween()
    ensures var a, b, c := Asks(0, None, []), Plain(1, Some(0), Attachment, None, []), Speaks(2, Some(1), 0, []);
            && WellFormed([a, b, c]) && b in [a, b, c] && c in [a, b, c]
            && b.kind.Attachment? && c.kind.Assistant? && c.parent == Some(b.uuid)
  {
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    OfOne(Asks(0, None, []));
    OfTwo(Asks(0, None, []), Plain(1, Some(0), Attachment, None, []));
    OfThree(Asks(0, None, []), Plain(1, Some(0), Attachment, None, []), Speaks(2, Some(1), 0, []));
  }

  // --- Roles alternate ---

  /** Runs of equal values made one. */
  function Dedupe(kinds: seq<Kind>): seq<Kind> {
    if |kinds| <= 1 then kinds
    else if kinds[|kinds| - 1] == kinds[|kinds| - 2] then Dedupe(kinds[..|kinds| - 1])
    else Dedupe(kinds[..|kinds| - 1]) + [kinds[|kinds| - 1]]
  }

  /** Each value differs from the next. */
  predicate NeighboursDiffer(kinds: seq<Kind>) {
    forall i | 0 < i < |kinds| :: kinds[i - 1] != kinds[i]
  }

  /** Who speaks along a path. */
  function Kinds(path: Log): seq<Kind> {
    seq(|path|, i requires 0 <= i < |path| => path[i].kind)
  }

  /** "Roles alternate" as the seed's formula states it, runs made one first, says nothing: it holds of every path. */
  lemma RolesAlternateIsVacuous(path: Log)
    ensures NeighboursDiffer(Dedupe(Kinds(path)))
  {
    DedupedNeighboursDiffer(Kinds(path));
  }

  /** Once runs are made one, neighbours differ, whatever the values were. */
  lemma DedupedNeighboursDiffer(kinds: seq<Kind>)
    ensures NeighboursDiffer(Dedupe(kinds))
    ensures |kinds| > 0 ==> |Dedupe(kinds)| > 0 && Dedupe(kinds)[|Dedupe(kinds)| - 1] == kinds[|kinds| - 1]
    decreases |kinds|
  {
    if |kinds| > 1 {
      DedupedNeighboursDiffer(kinds[..|kinds| - 1]);
    }
  }

  /** "Roles alternate", read without making runs one, is false of a healthy conversation at a legal point: the assistant
    * speaks twice in a row. */
  lemma RolesNeedNotAlternate(a: Entry, b: Entry)
    requires a.uuid != b.uuid
    requires a.parent.None? && b.parent == Some(a.uuid)
    requires a.kind.Assistant? && MainLineAssistant(b)
    requires a.blocks == [] && b.blocks == []
    ensures WellFormed([a, b]) && b.uuid in Uuids([a, b])
    ensures Legal([a, b], b.uuid)
    ensures Context([a, b], b.uuid) == Ancestry([a, b], b.uuid) == [a, b]
    ensures !NeighboursDiffer(Kinds([a, b]))
  {
    var log := [a, b];
    TwoAreOneConversation(a, b);
    SilenceIsBalanced(log);
    WholeLogIsLegal(log, b.uuid);
    assert a in log && b in log;
    RootPathIsAncestry(log, log, b.uuid);
    assert Kinds(log)[0] == Kinds(log)[1];
  }

  /** An entry and its child, alone in a log, are one conversation. */
  lemma TwoAreOneConversation(a: Entry, b: Entry)
    requires a.uuid != b.uuid
    requires a.parent.None? && b.parent == Some(a.uuid)
    ensures WellFormed([a, b]) && UniqueUuids([a, b])
    ensures Uuids([a, b]) == {a.uuid, b.uuid}
    ensures Members([a, b], b.uuid) == Uuids([a, b])
  {
    OfOne(a);
    OfTwo(a, b);
    MembersContainsItself([a, b], b.uuid);
    MembersOfParent([a, b], b.uuid);
    MembersAreAsOf([a, b], b.uuid);
  }

  /** There are such entries: two parts of one message. */
  lemma TheAssistantMaySpeakTwice()
    ensures var a, b := Speaks(0, None, 7, []), Speaks(1, Some(0), 7, []);
            && a.uuid != b.uuid && a.parent.None? && b.parent == Some(a.uuid)
            && a.kind.Assistant? && MainLineAssistant(b) && a.blocks == [] && b.blocks == []
  {
    NamesDiffer(0, 1);
  }

  // --- Contexts of parents, and complete turns ---

  /** The context of a child need not begin with its parent's: here `x`, a part of the child's message, stands before the
    * parent `p`, on another branch. */
  lemma ParentsContextNeedNotComeFirst(log: Log, x: Entry, p: Entry, c: Entry)
    requires WellFormed(log)
    requires x in log && p in log && c in log
    requires c.parent == Some(p.uuid) && Mates(c, x)
    requires x.uuid in Uuids(log) && p.uuid in Uuids(log) && c.uuid in Uuids(log)
    requires IndexOf(log, x.uuid) < IndexOf(log, p.uuid)
    requires x.uuid !in Members(log, p.uuid)
    ensures p.uuid in Members(log, c.uuid)
    ensures !(Context(log, p.uuid) <= Context(log, c.uuid))
    ensures Context(log, c.uuid) != Context(log, p.uuid) + Added(log, p.uuid, c.uuid)
  {
    WellFormedHasUniqueUuids(log);
    GetFindsEntry(log, c);
    MembersOfParent(log, c.uuid);
    ParentStandsBefore(log, c.uuid);
    PartIsMember(log, x, c);
    AsOfHoldsExactly(log, p.uuid, x.uuid);
    ContextIsContextAndAdded(log, p.uuid, c.uuid);
  }

  /** There is such a log: two prompts, a part of a message before the second, and another part after it. */
  lemma SuchAPartMayComeFirst()
    ensures var x, p, c := Speaks(0, None, 8, []), Asks(1, None, []), Speaks(2, Some(1), 8, []);
            var log := [x, p, c];
            && WellFormed(log)
            && x in log && p in log && c in log
            && c.parent == Some(p.uuid) && Mates(c, x)
            && x.uuid in Uuids(log) && p.uuid in Uuids(log) && c.uuid in Uuids(log)
            && IndexOf(log, x.uuid) < IndexOf(log, p.uuid)
            && x.uuid !in Members(log, p.uuid)
  {
    var x, p, c := Speaks(0, None, 8, []), Asks(1, None, []), Speaks(2, Some(1), 8, []);
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    OfOne(x);
    OfTwo(x, p);
    OfThree(x, p, c);
    var log := [x, p, c];
    assert x == log[0] && p == log[1] && c == log[2];
    IndexOfIsPosition(log, 0);
    IndexOfIsPosition(log, 1);
    SilentEntry(p);
    MembersAreLeast(log, p.uuid, {p.uuid});
  }

  /** A part `x` of the child's message makes a call; the user's entry `p` answers it on another branch, as a root; the child
    * `c` hangs on the answer. */
  ghost predicate IsAnswerElsewhere(log: Log, x: Entry, p: Entry, c: Entry) {
    && log == [x, p, c]
    && WellFormed(log)
    && x.kind.Assistant? && p.kind.User? && MainLineAssistant(c)
    && Mates(c, x)
    && x.parent.None? && p.parent.None? && c.parent == Some(p.uuid)
    && x.blocks == [Use(Name(9))] && p.blocks == [Result(Name(9))] && c.blocks == []
  }

  /** Who belongs to the conversations at the parent and at the child. */
  lemma AnswerElsewhereMembers(log: Log, x: Entry, p: Entry, c: Entry)
    requires IsAnswerElsewhere(log, x, p, c)
    ensures p.uuid in Uuids(log) && c.uuid in Uuids(log) && x.uuid in Uuids(AsOf(log, p.uuid))
    ensures Members(log, p.uuid) == {p.uuid} && x.uuid != p.uuid
    ensures Context(log, p.uuid) == [p]
    ensures Members(log, c.uuid) == Uuids(log)
  {
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, 0);
    IndexOfIsPosition(log, 1);
    IndexOfIsPosition(log, 2);
    AsOfHoldsExactly(log, p.uuid, x.uuid);
    MembersContainsItself(log, p.uuid);
    OneResult(p, Name(9));
    MembersAreLeast(log, p.uuid, {p.uuid});
    KeepFromThree(x, p, c, {p.uuid});
    MembersContainsItself(log, c.uuid);
    ParentIsMember(log, c.uuid, c, p);
    PartIsMember(log, x, c);
    MembersAreAsOf(log, c.uuid);
    forall u | u in Uuids(log) ensures u in Members(log, c.uuid) {
      var e :| e in log && e.uuid == u;
    }
  }

  /** The books of an answer whose call is missing, and those of the whole. */
  lemma AnswerElsewhereBooks(log: Log, x: Entry, p: Entry, c: Entry)
    requires IsAnswerElsewhere(log, x, p, c)
    ensures BooksOf([p]) == Broken
    ensures Balanced(log)
  {
    hide WellFormed, Mates;
    assert [x] + [p] + [c] == log;
    BooksOfOneMore([], p, Result(Name(9)));
    BooksOfOneMore([], x, Use(Name(9)));
    BooksOfOneMore([x], p, Result(Name(9)));
    BooksOfSilent([x] + [p], c);
  }

  /** The condition of `BalanceIsCompositional` is needed: here the parent's books are broken, which no run mends, and the
    * child's conversation is balanced, and the child even legal, for it takes in the call that the parent lacks. */
  lemma BooksNeedTheCondition(log: Log, x: Entry, p: Entry, c: Entry)
    requires IsAnswerElsewhere(log, x, p, c)
    ensures p.uuid in Uuids(log) && c.uuid in Uuids(log)
    ensures Get(log, c.uuid).parent == Some(p.uuid) && p.uuid in Members(log, c.uuid)
    ensures !GoesOn(log, p.uuid, c.uuid)
    ensures BooksOf(Context(log, p.uuid)) == Broken
    ensures Legal(log, c.uuid) && Balanced(Context(log, c.uuid))
    ensures forall blocks :: BooksOf(Context(log, c.uuid)) != Run(BooksOf(Context(log, p.uuid)), blocks)
  {
    hide WellFormed, Mates, BooksOf, Members, Context, Settled;
    WellFormedHasUniqueUuids(log);
    AnswerElsewhereMembers(log, x, p, c);
    AnswerElsewhereBooks(log, x, p, c);
    IndexOfIsPosition(log, 2);
    WholeLogIsLegal(log, c.uuid);
    assert x.uuid in Members(log, c.uuid) * Uuids(AsOf(log, p.uuid)) by {
      assert x == log[0];
    }
    forall blocks ensures Run(Broken, blocks) == Broken {
      BrokenStaysBroken(blocks);
    }
  }

  /** There is such a log. */
  lemma AnAnswerMayStandElsewhere()
    ensures var x, p, c := Speaks(0, None, 8, [Use(Name(9))]), Asks(1, None, [Result(Name(9))]), Speaks(2, Some(1), 8, []);
            IsAnswerElsewhere([x, p, c], x, p, c)
  {
    var x, p, c := Speaks(0, None, 8, [Use(Name(9))]), Asks(1, None, [Result(Name(9))]), Speaks(2, Some(1), 8, []);
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    OfOne(x);
    OfTwo(x, p);
    OfThree(x, p, c);
  }

  /** A plausible definition of the end of a turn: no other part of the entry's own message is outside its conversation. */
  predicate NoOtherPart(log: Log, u: Id)
    requires u in Uuids(log)
  {
    forall b | b in log && Mates(Get(log, u), b) :: b.uuid in Members(log, u)
  }

  /** It is too weak: the conversation can hold a part of another message, whose next part comes later. */
  lemma NoOtherPartIsTooWeak(a: Entry, u: Entry, b: Entry)
    requires a.uuid != u.uuid && b.uuid !in {a.uuid, u.uuid}
    requires a.parent.None? && u.parent == Some(a.uuid) && b.parent == Some(a.uuid)
    requires a.blocks == [] && u.blocks == []
    requires MainLineAssistant(u) && Mates(a, b) && !Mates(u, b)
    ensures WellFormed([a, u, b]) && u.uuid in Uuids([a, u, b])
    ensures Balanced(Context([a, u, b], u.uuid)) && MainLineAssistant(Get([a, u, b], u.uuid))
    ensures NoOtherPart([a, u, b], u.uuid)
    ensures !Legal([a, u, b], u.uuid)
  {
    var log := [a, u, b];
    OfOne(a);
    OfTwo(a, u);
    OfThree(a, u, b);
    assert a == log[0] && u == log[1] && b == log[2];
    MembersContainsItself(log, u.uuid);
    ParentIsMember(log, u.uuid, u, a);
    MembersAreAsOf(log, u.uuid);
    ContextHoldsExactlyTheMembers(log, u.uuid);
    SilenceIsBalanced(Context(log, u.uuid));
    assert Needs(a, b);
  }

  /** There are such entries. */
  lemma APartMayComeLater()
    ensures var a, u, b := Speaks(0, None, 8, []), Speaks(1, Some(0), 9, []), Speaks(2, Some(0), 8, []);
            && a.uuid != u.uuid && b.uuid !in {a.uuid, u.uuid}
            && a.parent.None? && u.parent == Some(a.uuid) && b.parent == Some(a.uuid)
            && a.blocks == [] && u.blocks == []
            && MainLineAssistant(u) && Mates(a, b) && !Mates(u, b)
  {
    forall m, n | 0 <= m < n <= 9 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
  }
}

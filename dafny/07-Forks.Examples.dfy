// Chapter 7, examples: what a prefix fork carries along, why branching has its conditions, and how a legal point is lost.
include "05-Balance.Examples.dfy"
include "07-Forks.Proofs.dfy"

module ForksExamples {
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

  // --- Witnesses ---

  /** A log without entries is a linear session too. */
  lemma NothingIsLinear()
    ensures Linear([])
  {
  }

  /** The next prompt of a chat. */
  function Next(): Entry {
    Asks(2, Some(1), [])
  }

  /** A legal point and a prompt that continues it; the log is linear, and the prompt continues its fork. */
  lemma ChatGoesOn()
    ensures WellFormed(Chat()) && UniqueUuids(Chat()) && Linear(Chat())
    ensures Name(1) in Uuids(Chat()) && Name(0) in Members(Chat(), Name(1)) && Name(1) in Uuids(ForkPrefix(Chat(), Name(1)))
    ensures Legal(Chat(), Name(1)) && Resumable(Chat(), Name(1)) && Settled(Chat(), Name(1))
    ensures Fits(Chat(), Next()) && Next().parent == Some(Name(1)) && Next().kind.User? && UsesOf(Next()) == {}
    ensures forall b | b in Next().blocks :: b.Opaque?
    ensures forall b | b in Chat() :: ResultsOf(b) !! ResultsOf(Next())
    ensures NeedsNothingElse(Chat(), Name(1), Next())
    ensures Continuation(Fork(Chat(), Name(1)), [Next()])
  {
    ChatIsWellFormed();
    ChatEndsLegally();
    ReplyFitsChat();
    SilentEntry(Next());
    PromptNeedsNothingElse(Chat(), Next(), Name(1));
    assert [Next()][..0] == [] && Chat() + [] == Chat();
  }

  /** The chat and its next prompt are linear, and the prefix fork at the reply is the chat. */
  lemma ChatIsAPrefixFork()
    ensures var log := Chat() + [Next()];
            && UniqueUuids(log) && WellFormed(log) && Linear(log)
            && Name(1) in Uuids(log) && ForkPrefix(log, Name(1)) == Chat() && Name(1) in Uuids(Chat())
            && Name(0) in Uuids(ForkPrefix(log, Name(1)))
  {
    ChatGoesOn();
    ChatIsWellFormed();
    var log := Chat() + [Next()];
    AppendIsWellFormed(Chat(), Next());
    WellFormedHasUniqueUuids(log);
    UuidsOfConcatenation(Chat(), [Next()]);
    assert log[1] == Reply();
    IndexOfIsPosition(log, 1);
    assert log[..2] == Chat();
  }

  /** A tree: a call is open beside a legal point, whose fork leaves it out; a prompt goes on there, and an answer to the call. */
  lemma ACallIsOpenBesideALegalPoint()
    ensures var r, x, u := Asks(0, None, []), Speaks(1, Some(0), 8, [Use(Name(7))]), Speaks(2, Some(0), 9, []);
            var tree, e, answer := [r, x, u], Asks(3, Some(2), []), Asks(3, Some(1), [Result(Name(7))]);
            && WellFormed(tree) && UniqueUuids(tree) && Name(2) in Uuids(tree)
            && Name(0) in Members(tree, Name(2)) && Name(2) in Members(tree, Name(2))
            && Legal(tree, Name(2)) && Resumable(tree, Name(2)) && Fork(tree, Name(2)) == [r, u]
            && Fits(tree, e) && e.parent == Some(Name(2)) && e.kind.User? && (forall b | b in e.blocks :: b.Opaque?)
            && NeedsNothingElse(tree, Name(2), e)
            && Fits(tree, answer) && (forall b | b in tree :: ResultsOf(b) !! ResultsOf(answer))
  {
    hide WellFormed, Members, Uuids, Settled, Balanced, NeedsNothingElse;
    var r, x, u := Asks(0, None, []), Speaks(1, Some(0), 8, [Use(Name(7))]), Speaks(2, Some(0), 9, []);
    var tree, e := [r, x, u], Asks(3, Some(2), []);
    ACallMayBeOpenBeside();
    ForkPrefixCarriesAnOpenCall(r, x, u, Name(7));
    WellFormedHasUniqueUuids(tree);
    MembersContainsItself(tree, u.uuid);
    assert tree[0] == r && tree[1] == x && tree[2] == u;
    ParentIsMember(tree, u.uuid, u, r);
    NamesDiffer(0, 3);
    NamesDiffer(1, 3);
    NamesDiffer(2, 3);
    assert Uuids(tree) == {Name(0), Name(1), Name(2)} by {
      reveal Uuids;
    }
    SilentEntry(e);
    SilentEntry(r);
    SilentEntry(u);
    PromptNeedsNothingElse(tree, e, Name(2));
    assert ResultsOf(x) == {};
  }

  /** The theorems apply to the chat and to the prompt that continues it, and to a tree. */
  lemma TheoremsApplyToTheChat()
  {
    hide *;
    ChatGoesOn();
    var log, e, u, v := Chat(), Next(), Name(1), Name(0);
    AppendKeepsOldAncestries(log, e, u);
    AppendKeepsOldLineages(log, e, u);
    ContextInKeepExactly(log, {u}, u);
    ForkIsForkPrefixExactly(log, u);
    LinearIsWellFormed(log);
    ChatIsAPrefixFork();
    var longer := log + [e];
    ForkIsForkPrefixOnLinearLogs(longer, u);
    ForkPrefixIsWellFormed(longer, u);
    ForkPrefixKeepsLegal(longer, u, u);
    ForkPrefixPreservesAncestry(longer, u, u);
    ForkPrefixPreservesContexts(longer, u, u);
    ForkPrefixPreservesLineage(longer, u, u);
    ACallIsOpenBesideALegalPoint();
    var tree := [Asks(0, None, []), Speaks(1, Some(0), 8, [Use(Name(7))]), Speaks(2, Some(0), 9, [])];
    var next, answer, end := Asks(3, Some(2), []), Asks(3, Some(1), [Result(Name(7))]), Name(2);
    BranchThenForkIsForkThenAppend(tree, next, end);
    ForkLineageIsAnEndOfLineage(tree, end, end);
    ForkKeepsLegal(tree, end, end);
    ForkOfForkIsFork(tree, end, v);
    ForkPreservesAncestry(tree, end, v);
    ForkPreservesBalance(tree, end, v);
    ForkPreservesContexts(tree, end, v);
    ForkingAgainChangesNothing(tree, end);
    NewAnswersLeaveResumablePoints(tree, answer, end);
    OperationsPreserveStructure(tree, end, next);
    PromptAtResumablePointGoesOn(tree, next, end);
  }

  // --- The prefix fork on a tree ---

  /** On a tree a prefix fork carries an open call of another branch into the new session, although the fork point is legal:
    * `x` makes a call and has no answer yet, `u` is the end of another branch. The fork has nothing of it. */
  lemma ForkPrefixCarriesAnOpenCall(r: Entry, x: Entry, u: Entry, t: Id)
    requires r.uuid != x.uuid && u.uuid !in {r.uuid, x.uuid}
    requires r.parent.None? && x.parent == Some(r.uuid) && u.parent == Some(r.uuid)
    requires r.kind.User? && MainLineAssistant(u) && !Mates(u, x)
    requires r.blocks == [] && x.blocks == [Use(t)] && u.blocks == []
    ensures WellFormed([r, x, u]) && u.uuid in Uuids([r, x, u])
    ensures Legal([r, x, u], u.uuid)
    ensures Fork([r, x, u], u.uuid) == [r, u] && Balanced(Fork([r, x, u], u.uuid))
    ensures ForkPrefix([r, x, u], u.uuid) == [r, x, u] && !Balanced(ForkPrefix([r, x, u], u.uuid))
  {
    var log := [r, x, u];
    OfOne(r);
    OfTwo(r, x);
    OfThree(r, x, u);
    assert r == log[0] && x == log[1] && u == log[2];
    MembersContainsItself(log, u.uuid);
    ParentIsMember(log, u.uuid, u, r);
    SilentEntry(r);
    SilentEntry(u);
    MembersAreLeast(log, u.uuid, {r.uuid, u.uuid});
    assert Members(log, u.uuid) == {r.uuid, u.uuid};
    LastIsSettled(log);
    KeepFromThree(r, x, u, {r.uuid, u.uuid});
    assert Fork(log, u.uuid) == [r, u];
    SilenceIsBalanced([r, u]);
    OpenCallIsUnbalanced(r, x, u, t);
  }

  /** The books of the whole log have the call out. */
  lemma OpenCallIsUnbalanced(r: Entry, x: Entry, u: Entry, t: Id)
    requires r.blocks == [] && x.blocks == [Use(t)] && u.blocks == []
    ensures !Balanced([r, x, u])
  {
    var one: Log := [r];
    assert [] + [r] == one && one + [x] + [u] == [r, x, u];
    BooksOfSilent([], r);
    BooksOfOneMore(one, x, Use(t));
    BooksOfSilent(one + [x], u);
    assert t in BooksOf([r, x, u]).out;
  }

  /** There are such entries: a prompt and two replies, one of them a call. */
  lemma ACallMayBeOpenBeside()
    ensures var r, x, u := Asks(0, None, []), Speaks(1, Some(0), 8, [Use(Name(7))]), Speaks(2, Some(0), 9, []);
            && r.uuid != x.uuid && u.uuid !in {r.uuid, x.uuid}
            && r.parent.None? && x.parent == Some(r.uuid) && u.parent == Some(r.uuid)
            && r.kind.User? && MainLineAssistant(u) && !Mates(u, x)
            && r.blocks == [] && x.blocks == [Use(Name(7))] && u.blocks == []
  {
    forall m, n | 0 <= m < n <= 9 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
  }

  /** The counterexample in a concrete log. */
  lemma ForkPrefixMayBeUnbalanced()
    ensures exists log: Log, u: Id | WellFormed(log) && u in Uuids(log) :: Legal(log, u) && !Balanced(ForkPrefix(log, u))
  {
    ACallMayBeOpenBeside();
    var r, x, u := Asks(0, None, []), Speaks(1, Some(0), 8, [Use(Name(7))]), Speaks(2, Some(0), 9, []);
    ForkPrefixCarriesAnOpenCall(r, x, u, Name(7));
  }

  // --- Conditions of branching ---

  /** Branching needs a settled point: after a call whose answer `b` stands elsewhere in the log, a new prompt `e` brings the
    * answer in. */
  lemma BranchNeedsASettledPoint(a: Entry, b: Entry, e: Entry)
    requires a.uuid != b.uuid && e.uuid !in {a.uuid, b.uuid}
    requires a.parent.None? && b.parent == Some(a.uuid) && e.parent == Some(a.uuid)
    requires Answers(a, b)
    ensures WellFormed([a, b]) && a.uuid in Uuids([a, b]) && Fits([a, b], e)
    ensures !Settled([a, b], a.uuid)
    ensures e.uuid in Uuids(Append([a, b], e))
    ensures Context(Append([a, b], e), e.uuid) != Context([a, b], a.uuid) + [e]
  {
    var log := [a, b];
    OfOne(a);
    OfTwo(a, b);
    assert a == log[0] && b == log[1];
    MembersContainsItself(log, a.uuid);
    MembersAreAsOf(log, a.uuid);
    assert Needs(a, b);
    AppendContextIsContextAndEntry(log, e, a.uuid);
  }

  /** There are such entries. */
  lemma AnswersMayComeLater()
    ensures var a, b, e := Speaks(0, None, 8, [Use(Name(7))]), Asks(1, Some(0), [Result(Name(7))]), Asks(2, Some(0), []);
            && a.uuid != b.uuid && e.uuid !in {a.uuid, b.uuid}
            && a.parent.None? && b.parent == Some(a.uuid) && e.parent == Some(a.uuid)
            && Answers(a, b)
  {
    var a, b := Speaks(0, None, 8, [Use(Name(7))]), Asks(1, Some(0), [Result(Name(7))]);
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    OneUse(a, Name(7));
    OneResult(b, Name(7));
    assert Name(7) in UsesOf(a) * ResultsOf(b);
  }

  /** Branching at a settled point needs that the new entry needs nothing else: where a part of its message, or an earlier
    * answer to its call, stands on another branch, that comes in too. */
  lemma BranchNeedsNothingBeside(r: Entry, x: Entry, e: Entry)
    requires r.uuid != x.uuid && e.uuid !in {r.uuid, x.uuid}
    requires r.parent.None? && x.parent == Some(r.uuid) && e.parent == Some(r.uuid)
    requires r.kind.User? && r.blocks == []
    requires Mates(e, x) || Answers(e, x)
    ensures WellFormed([r, x]) && r.uuid in Uuids([r, x]) && Fits([r, x], e)
    ensures Settled([r, x], r.uuid)
    ensures e.uuid in Uuids(Append([r, x], e))
    ensures Context(Append([r, x], e), e.uuid) != Context([r, x], r.uuid) + [e]
  {
    var log := [r, x];
    OfOne(r);
    OfTwo(r, x);
    assert r == log[0] && x == log[1];
    SilentEntry(r);
    MembersContainsItself(log, r.uuid);
    MembersAreAsOf(log, r.uuid);
    assert Needs(e, x);
    AppendContextIsContextAndEntry(log, e, r.uuid);
  }

  /** There are such entries, with a part of the message beside, and with an answer beside. */
  lemma NeededEntriesMayStandBeside()
    ensures var r, x, e := Asks(0, None, []), Speaks(1, Some(0), 8, []), Speaks(2, Some(0), 8, []);
            && r.uuid != x.uuid && e.uuid !in {r.uuid, x.uuid}
            && r.parent.None? && x.parent == Some(r.uuid) && e.parent == Some(r.uuid)
            && r.kind.User? && r.blocks == []
            && Mates(e, x)
    ensures var r, x, e := Asks(0, None, []), Asks(1, Some(0), [Result(Name(7))]), Speaks(2, Some(0), 8, [Use(Name(7))]);
            && r.uuid != x.uuid && e.uuid !in {r.uuid, x.uuid}
            && r.parent.None? && x.parent == Some(r.uuid) && e.parent == Some(r.uuid)
            && r.kind.User? && r.blocks == []
            && Answers(e, x)
  {
    var x, e := Asks(1, Some(0), [Result(Name(7))]), Speaks(2, Some(0), 8, [Use(Name(7))]);
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    OneUse(e, Name(7));
    OneResult(x, Name(7));
    assert Name(7) in UsesOf(e) * ResultsOf(x);
  }

  // --- Legal points lost, and legal in the fork only ---

  /** A legal point is lost when a further part of its message comes in; and since a fork stops at its point, the point is
    * legal in the fork all the same. So "legal in the fork" does not imply "legal in the log" where the fork point is not settled. */
  lemma LegalityIsLostByAFurtherPart(a: Entry, e: Entry)
    requires a.uuid != e.uuid
    requires a.parent.None? && e.parent == Some(a.uuid)
    requires MainLineAssistant(a) && a.blocks == [] && Mates(a, e)
    ensures a.uuid in Uuids([a]) && Fits([a], e) && a.uuid in Uuids(Append([a], e))
    ensures Legal([a], a.uuid)
    ensures !Legal(Append([a], e), a.uuid)
    ensures a.uuid in Uuids(Fork(Append([a], e), a.uuid)) && Legal(Fork(Append([a], e), a.uuid), a.uuid)
  {
    var log := [a];
    OfOne(a);
    assert a == log[0];
    MembersContainsItself(log, a.uuid);
    MembersAreAsOf(log, a.uuid);
    SilenceIsBalanced(log);
    WholeLogIsLegal(log, a.uuid);
    LegalSurvivesAppendExactly(log, e, a.uuid);
    assert Needs(a, e);
    AppendKeepsOldContexts(log, e, a.uuid);
    assert Fork(Append(log, e), a.uuid) == log;
  }

  /** There are such entries. */
  lemma AFurtherPartMayCome()
    ensures var a, e := Speaks(0, None, 8, []), Speaks(1, Some(0), 8, []);
            && a.uuid != e.uuid && a.parent.None? && e.parent == Some(a.uuid)
            && MainLineAssistant(a) && a.blocks == [] && Mates(a, e)
  {
    NamesDiffer(0, 1);
  }
}

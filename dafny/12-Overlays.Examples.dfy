// Chapter 12, examples: records, their undo and redo; and why records count in their own conversation only.
include "07-Forks.Examples.dfy"
include "11-Rewriting.Examples.dfy"
include "12-Overlays.Proofs.dfy"

module OverlaysExamples {
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
  import opened Rewriting
  import opened RewritingProofs
  import RewritingExamples
  import opened Overlays
  import opened OverlaysProofs

  // --- Witnesses ---

  /** Nothing is said. */
  function Silent(): Sayings {
    map[]
  }

  /** A record, an entry that holds nothing itself. */
  function Recording(n: nat, parent: nat): Entry {
    Plain(n, Some(parent), System, None, [])
  }

  /** What the record says: the prompt is covered. */
  function CoversPrompt(): Overlay {
    Overlay({Name(0)}, ValueNamed(0), None, None)
  }

  /** A record after a chat, and its undo, meet what the theorems about them ask for. */
  lemma ChatIsCoveredAndUncovered()
    ensures var log, n, m := Chat(), Recording(2, 1), Recording(3, 2);
            && WellFormed(log) && UniqueUuids(log)
            && Name(1) in Uuids(log) && Settled(log, Name(1))
            && Fits(log, n) && n.parent == Some(Name(1)) && !n.kind.Assistant? && UsesOf(n) == {}
            && Fits(log + [n], m) && m.parent == Some(n.uuid) && !m.kind.Assistant? && UsesOf(m) == {}
            && Context(log, Name(1)) == log
            && Active(log, Silent()) == [] && n.uuid !in Silent()
            && StubsAreNew(log + [n] + [m], Active(log, Silent()))
            && (forall r | r in Active(log, Silent()) :: SpeaksOfOthers(r.says, {n.uuid, m.uuid}))
  {
    hide WellFormed, Settled, Members;
    var log, n, m := Chat(), Recording(2, 1), Recording(3, 2);
    ChatIsWellFormed();
    ChatEndsLegally();
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    NamesDiffer(0, 3);
    NamesDiffer(1, 3);
    NamesDiffer(2, 3);
    UuidsOfConcatenation(log, [n]);
    UuidsOfOne(n);
    SilentEntry(n);
    SilentEntry(m);
    NoRecords(log);
  }

  /** A record after a talk, which leaves a stub. */
  function LeavesAStub(): Overlay {
    Overlay(RewritingExamples.Middle(), ValueNamed(0), Some(RewritingExamples.Summed()), None)
  }

  /** A talk with three entries after it. */
  lemma ATalkGoesOn()
    ensures var n, m := Plain(4, Some(3), System, None, []), Plain(5, Some(4), System, None, []);
            var k, log := Plain(6, Some(5), System, None, []), RewritingExamples.Talk() + [n];
            && WellFormed(log) && Fits(log, m) && Fits(log + [m], k)
            && Uuids(log + [m] + [k]) == {Name(0), Name(1), Name(2), Name(3), Name(4), Name(5), Name(6)}
            && Name(4) !in Uuids(RewritingExamples.Talk()) && RewritingExamples.Summed().uuid !in Uuids(log + [m] + [k])
  {
    hide WellFormed, Uuids;
    var n, m := Plain(4, Some(3), System, None, []), Plain(5, Some(4), System, None, []);
    var k, talk := Plain(6, Some(5), System, None, []), RewritingExamples.Talk();
    RewritingExamples.TalkIsWellFormed();
    forall i, j | 0 <= i < j <= 9 ensures Name(i) != Name(j) {
      NamesDiffer(i, j);
    }
    AppendIsWellFormed(talk, n);
    UuidsOfConcatenation(talk, [n]);
    UuidsOfConcatenation(talk + [n], [m]);
    UuidsOfConcatenation(talk + [n] + [m], [k]);
    UuidsOfOne(n);
    UuidsOfOne(m);
    UuidsOfOne(k);
  }

  /** The record is the only one that counts at the end of it. */
  lemma TheOnlyRecordOfATalk()
    ensures var n := Plain(4, Some(3), System, None, []);
            Active(RewritingExamples.Talk() + [n], map[Name(4) := LeavesAStub()]) == [Record(Name(4), LeavesAStub())]
  {
    hide WellFormed, Uuids;
    var n := Plain(4, Some(3), System, None, []);
    var talk, sayings := RewritingExamples.Talk(), map[Name(4) := LeavesAStub()];
    ATalkGoesOn();
    RecordsDependOnSayingsThere(talk, sayings, Silent());
    NoRecords(talk);
    RecordsOfLast(talk, n, sayings);
    LatestWins([], Record(Name(4), LeavesAStub()));
  }

  /** Its stub is nowhere in a log. */
  lemma OneStubIsNew(log: Log, id: Id)
    requires RewritingExamples.Summed().uuid !in Uuids(log)
    ensures StubsAreNew(log, [Record(id, LeavesAStub())])
  {
    hide Uuids, Drop, DropWithStub;
    var active := [Record(id, LeavesAStub())];
    assert active[..0] == [];
    assert StubsAreNew(log, active[..0]);
    assert ApplyAll(log, active[..0]) == log;
  }

  /** An older record that leaves a stub counts, and the next record, and its undo, come after it. */
  lemma AnOlderRecordWithAStub()
    ensures var o := LeavesAStub();
            var n, m := Plain(4, Some(3), System, None, []), Plain(5, Some(4), System, None, []);
            var k := Plain(6, Some(5), System, None, []);
            var log, sayings := RewritingExamples.Talk() + [n], map[Name(4) := o];
            && WellFormed(log)
            && Active(log, sayings) == [Record(Name(4), o)]
            && Fits(log, m) && Fits(log + [m], k)
            && StubsAreNew(log, Active(log, sayings)) && StubsAreNew(log + [m] + [k], Active(log, sayings))
            && (forall r | r in Active(log, sayings) :: SpeaksOfOthers(r.says, {m.uuid, k.uuid}))
            && m.uuid !in sayings && o.stub.value.uuid !in o.covered
  {
    hide WellFormed, Uuids, StubsAreNew, Active, Fits;
    var m, k := Plain(5, Some(4), System, None, []), Plain(6, Some(5), System, None, []);
    var log := RewritingExamples.Talk() + [Plain(4, Some(3), System, None, [])];
    forall i, j | 0 <= i < j <= 9 ensures Name(i) != Name(j) {
      NamesDiffer(i, j);
    }
    ATalkGoesOn();
    TheOnlyRecordOfATalk();
    UuidsOfConcatenation(log + [m], [k]);
    UuidsOfConcatenation(log, [m]);
    OneStubIsNew(log, Name(4));
    OneStubIsNew(log + [m] + [k], Name(4));
  }

  /** That talk is balanced before the record is applied, and the record covers no call without its answer: what is shown of
    * it is balanced. */
  lemma WhatIsShownOfATalkIsBalanced()
    ensures var o := LeavesAStub();
            var log, sayings := RewritingExamples.Talk() + [Plain(4, Some(3), System, None, [])], map[Name(4) := o];
            && Balanced(log) && WholeForTools(log, o.covered) && Quiet(o.stub.value)
            && (forall e | e in log && e.uuid in sayings :: Quiet(e))
            && Balanced(Shown(log, sayings))
  {
    hide WellFormed, Uuids, Drop, DropWithStub, Balanced, StubsAreNew, Active;
    var n, o := Plain(4, Some(3), System, None, []), LeavesAStub();
    var log, sayings := RewritingExamples.Talk() + [n], map[Name(4) := o];
    RewritingExamples.TalkIsWellFormed();
    assert forall e | e in log :: e.blocks == [];
    SilenceIsBalanced(log);
    forall e | e in log ensures ToolsOf(e) == {} {
      SilentEntry(e);
    }
    AnOlderRecordWithAStub();
    ShownKeepsBalance(log, sayings);
  }

  /** What a record covers of a chat lies in the conversation at the prompt, which goes on to the reply. */
  lemma ChatGoesOnFromWhatIsCovered()
    ensures UniqueUuids(Chat()) && Name(0) in Uuids(Chat()) && Name(1) in Uuids(Chat())
    ensures Name(0) in Members(Chat(), Name(1)) && CoversPrompt().covered <= Members(Chat(), Name(0))
  {
    ChatIsWellFormed();
    ChatEndsLegally();
    MembersContainsItself(Chat(), Name(0));
  }

  /** The record of a chat does not belong to the conversation at the prompt: there the conversation itself is shown. */
  lemma PromptOfAChatHasNoRecord()
    ensures var log, one := Chat() + [Recording(2, 1)], map[Name(2) := CoversPrompt()];
            && UniqueUuids(log) && Name(0) in Uuids(log) && Members(log, Name(0)) !! one.Keys
            && ShownAt(log, one, Name(0)) == Context(log, Name(0)) != []
  {
    hide WellFormed, Members, Uuids, Context, ShownAt;
    var log, one := Chat() + [Recording(2, 1)], map[Name(2) := CoversPrompt()];
    ForkOfAChatHasItsRecord();
    WellFormedHasUniqueUuids(log);
    ForkHoldsExactlyTheContext(log, Name(0));
    WithoutRecordsTheContextIsShown(log, one, Name(0));
    MembersContainsItself(log, Name(0));
  }

  /** A fork of a chat at its record has the record, and at its prompt it has none. */
  lemma ForkOfAChatHasItsRecord()
    ensures var log, one := Chat() + [Recording(2, 1)], map[Name(2) := CoversPrompt()];
            && WellFormed(log) && Name(2) in Uuids(log) && Name(0) in Uuids(log)
            && Name(2) in Uuids(Fork(log, Name(2))) * one.Keys
            && Uuids(Fork(log, Name(0))) * one.Keys == {}
  {
    hide WellFormed, Members, Uuids, Fork;
    var n, one := Recording(2, 1), map[Name(2) := CoversPrompt()];
    var log := Chat() + [n];
    ChatIsCoveredAndUncovered();
    NamesDiffer(0, 2);
    AppendIsWellFormed(Chat(), n);
    WellFormedHasUniqueUuids(log);
    UuidsOfConcatenation(Chat(), [n]);
    UuidsOfOne(n);
    ChatIsWellFormed();
    MembersContainsItself(log, Name(2));
    MembersContainsItself(log, Name(0));
    ForkInheritsRecords(log, one, Name(2), Name(2));
    ForkInheritsRecords(log, one, Name(0), Name(0));
    assert log[0] == Prompt() && log[2] == n;
    IndexOfIsPosition(log, 0);
    IndexOfIsPosition(log, 2);
    if Name(2) in Members(log, Name(0)) {
      MembersStandBefore(log, Name(0), Name(2));
    }
  }

  /** The record after an older one is undone: the older one counts. */
  lemma UndoneRecordAfterAnOlder()
    ensures var o, m, k := LeavesAStub(), Plain(5, Some(4), System, None, []), Plain(6, Some(5), System, None, []);
            var entries := RewritingExamples.Talk() + [Plain(4, Some(3), System, None, [])] + [m];
            var two := map[Name(4) := o, m.uuid := CoversPrompt()];
            && WellFormed(entries) && Fits(entries, k)
            && m.uuid in Uuids(entries) && m.uuid in two
            && Living(Without(RecordsIn(entries, two), m.uuid), {}) == [Record(Name(4), o)]
            && StubsAreNew(entries + [k], [Record(Name(4), o)])
            && SpeaksOfOthers(o, {m.uuid, k.uuid})
  {
    hide WellFormed, Uuids, StubsAreNew, Fits, Living;
    var o, m := LeavesAStub(), Plain(5, Some(4), System, None, []);
    var log := RewritingExamples.Talk() + [Plain(4, Some(3), System, None, [])];
    var one, two := map[Name(4) := o], map[Name(4) := o, m.uuid := CoversPrompt()];
    NamesDiffer(4, 5);
    AnOlderRecordWithAStub();
    assert Record(Name(4), o) in Active(log, one);
    AppendIsWellFormed(log, m);
    UuidsOfConcatenation(log, [m]);
    UuidsOfOne(m);
    assert m.uuid !in Uuids(log) by {
      reveal Fits;
    }
    RecordsDependOnSayingsThere(log, two, one);
    RecordsOfLast(log, m, two);
    WithoutTheLast(log, two, Record(m.uuid, CoversPrompt()));
  }

  /** Where nothing is said there are no records. */
  lemma NoRecords(entries: Log)
    ensures RecordsIn(entries, Silent()) == []
    ensures Active(entries, Silent()) == []
    decreases |entries|
  {
    if |entries| > 0 {
      NoRecords(entries[..|entries| - 1]);
    }
  }

  /** The record changes what is shown, the undo brings it back, and the redo takes it away again. */
  lemma UndoAndRedoOfAChat()
    ensures var n, m, o := Recording(2, 1), Recording(3, 2), Recording(4, 3);
            var one := map[n.uuid := CoversPrompt()];
            var two := one[m.uuid := Undo(n.uuid, ValueNamed(0))];
            var three := two[o.uuid := Undo(m.uuid, ValueNamed(0))];
            && Shown(Chat(), Silent()) == Chat()
            && Name(0) !in Uuids(Shown(Chat() + [n], one))
            && Shown(Chat() + [n] + [m], two) == Chat()
            && Shown(Chat() + [n] + [m] + [o], three) == Shown(Chat() + [n], one)
  {
    hide WellFormed, Drop, Living, RecordsIn, ApplyAll;
    var n, m, o := Recording(2, 1), Recording(3, 2), Recording(4, 3);
    var one := map[n.uuid := CoversPrompt()];
    ChatIsCoveredAndUncovered();
    UndoRestoresWhatWasShown(Chat(), Silent(), n, CoversPrompt(), m, ValueNamed(0));
    assert Silent()[n.uuid := CoversPrompt()] == one;
    ChatIsShown();
    RecordOfAChat();
    RedoOfAChat();
  }

  /** The redo restores what was shown after the record. */
  lemma RedoOfAChat()
    ensures var n, m, o := Recording(2, 1), Recording(3, 2), Recording(4, 3);
            var one := map[n.uuid := CoversPrompt()];
            var two := one[m.uuid := Undo(n.uuid, ValueNamed(0))];
            var three := two[o.uuid := Undo(m.uuid, ValueNamed(0))];
            Shown(Chat() + [n] + [m] + [o], three) == Shown(Chat() + [n], one)
  {
    hide WellFormed, Drop, Living, RecordsIn, ApplyAll;
    var n, m, o := Recording(2, 1), Recording(3, 2), Recording(4, 3);
    var one := map[n.uuid := CoversPrompt()];
    ChatIsCoveredAndUncovered();
    RecordOfAChat();
    NamesDiffer(0, 4);
    NamesDiffer(1, 4);
    NamesDiffer(2, 4);
    NamesDiffer(3, 4);
    NamesDiffer(0, 2);
    NamesDiffer(0, 3);
    NamesDiffer(2, 3);
    ChatIsWellFormed();
    AppendIsWellFormed(Chat(), n);
    UuidsOfConcatenation(Chat(), [n]);
    UuidsOfOne(n);
    UuidsOfConcatenation(Chat() + [n], [m]);
    UuidsOfOne(m);
    UndoRestoresWhatWasShown(Chat() + [n], one, m, Undo(n.uuid, ValueNamed(0)), o, ValueNamed(0));
  }

  /** A chat without records is shown as it is. */
  lemma ChatIsShown()
    ensures Shown(Chat(), Silent()) == Chat()
  {
    NoRecords(Chat());
    CoveringNothing(Chat());
    assert Uuids(Chat()) * Silent().Keys == {};
  }

  /** The record of a chat counts, and the prompt is not shown. */
  lemma RecordOfAChat()
    ensures var n, one := Recording(2, 1), map[Name(2) := CoversPrompt()];
            && Active(Chat() + [n], one) == [Record(Name(2), CoversPrompt())]
            && Name(0) !in Uuids(Shown(Chat() + [n], one))
            && (forall r | r in Active(Chat() + [n], one) :: SpeaksOfOthers(r.says, {Name(3), Name(4)}))
            && StubsAreNew(Chat() + [n] + [Recording(3, 2)] + [Recording(4, 3)], Active(Chat() + [n], one))
  {
    var n, one, r := Recording(2, 1), map[Name(2) := CoversPrompt()], Record(Name(2), CoversPrompt());
    ChatIsWellFormed();
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    NamesDiffer(0, 3);
    NamesDiffer(0, 4);
    RecordsDependOnSayingsThere(Chat(), one, Silent());
    NoRecords(Chat());
    RecordsOfLast(Chat(), n, one);
    LatestWins([], r);
    assert Active(Chat() + [n], one) == [r] && [r][..0] == [];
    var after := Chat() + [n];
    assert ApplyAll(after, [r]) == Drop(after, {Name(0)});
    UuidsOfDrop(after, {Name(0)});
    UuidsOfDrop(Drop(after, {Name(0)}), Uuids(after) * one.Keys);
  }

  /** What a record had superseded lives again when that record is superseded itself: to be superseded once is not to be dead
    * for good. */
  lemma SupersededRecordsRevive(a: Record, b: Record, c: Record)
    requires a.id != b.id
    requires b.says.supersedes == Some(a.id) && c.says.supersedes == Some(b.id)
    ensures Living([a], {}) == [a]
    ensures Living([a, b], {}) == [b]
    ensures Living([a, b, c], {}) == [a, c]
  {
    assert [] + [a] == [a] && [a] + [b] == [a, b] && [a, b] + [c] == [a, b, c];
    LivingOfLast([], a, {});
    LivingOfLast([], a, {a.id});
    LivingOfLast([], a, {b.id});
    LatestWins([a], b);
    LatestWins([a, b], c);
    LivingOfLast([a], b, {b.id});
  }

  /** There are such records. */
  lemma ThreeRecords()
    ensures var a := Record(Name(0), CoversPrompt());
            var b, c := Record(Name(1), Undo(Name(0), ValueNamed(0))), Record(Name(2), Undo(Name(1), ValueNamed(0)));
            a.id != b.id && b.says.supersedes == Some(a.id) && c.says.supersedes == Some(b.id)
  {
    NamesDiffer(0, 1);
  }

  /** Where the conversation is the whole log, it is the same whether the records of the conversation count or those of the log. */
  lemma WhereTheConversationIsAllNothingIsGlobal(log: Log, sayings: Sayings, u: Id)
    requires u in Uuids(log)
    requires Context(log, u) == log
    ensures ShownGlobally(log, sayings, u) == ShownAt(log, sayings, u)
  {
  }

  /** The records of a log may all count for every head: then a record on one branch changes what is shown on every other one
    * that has what it covers. `n` is recorded after `a` and covers `r`; at `b`, beside it, `r` is gone too, although nothing
    * was recorded there. */
  lemma GlobalRecordsChangeOtherHeads(r: Entry, b: Entry, n: Entry, o: Overlay)
    requires r.uuid != b.uuid && n.uuid !in {r.uuid, b.uuid}
    requires r.parent.None? && b.parent == Some(r.uuid) && n.parent == Some(r.uuid)
    requires o == Overlay({r.uuid}, o.hash, None, None)
    ensures var log, more := [r, b], map[n.uuid := o];
            && WellFormed(log) && Fits(log, n)
            && b.uuid in Uuids(log) && b.uuid in Uuids(Append(log, n))
            && r.uuid in Uuids(ShownGlobally(log, Silent(), b.uuid))
            && r.uuid !in Uuids(ShownGlobally(Append(log, n), more, b.uuid))
            && ShownAt(Append(log, n), more, b.uuid) == ShownAt(log, Silent(), b.uuid)
  {
    hide Drop, Members, Context;
    var log, more := [r, b], map[n.uuid := o];
    OfOne(r);
    OfTwo(r, b);
    assert r in log && b in log;
    MembersContainsItself(log, b.uuid);
    ParentIsMember(log, b.uuid, b, r);
    ContextHoldsExactlyTheMembers(log, b.uuid);
    NoRecords(log);
    UuidsOfDrop(Context(log, b.uuid), Uuids(log) * Silent().Keys);
    RecordingChangesNothingElse(log, Silent(), n, more, b.uuid) by {
      assert more - {n.uuid} == Silent() == Silent() - {n.uuid};
    }
    RecordsDependOnSayingsThere(log, more, Silent());
    RecordsOfLast(log, n, more);
    LatestWins([], Record(n.uuid, o));
    assert Active(Append(log, n), more) == [Record(n.uuid, o)];
    var context := Context(Append(log, n), b.uuid);
    assert [Record(n.uuid, o)][..0] == [];
    assert ApplyAll(context, []) == context;
    assert ApplyAll(context, [Record(n.uuid, o)]) == Drop(context, {r.uuid});
    UuidsOfDrop(context, {r.uuid});
    UuidsOfDrop(Drop(context, {r.uuid}), Uuids(Append(log, n)) * more.Keys);
  }

  /** There are such entries. */
  lemma TwoHeads()
    ensures var r, b, n := Asks(0, None, []), Speaks(1, Some(0), 8, []), Recording(2, 0);
            && r.uuid != b.uuid && n.uuid !in {r.uuid, b.uuid}
            && r.parent.None? && b.parent == Some(r.uuid) && n.parent == Some(r.uuid)
  {
    NamesDiffer(0, 1);
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
  }

  // --- The hash ---

  /** A rendering is refused where the hash does not match: nothing is shown by halves. */
  lemma MismatchIsRefused(entries: Log, sayings: Sayings, digest: Log -> Value, r: Record)
    requires r in Active(entries, sayings)
    requires digest(Keep(entries, r.says.covered)) != r.says.hash
    ensures Checked(entries, sayings, digest) == None
  {
  }

  /** A hash need not tell all entries apart, which none does: it is enough that what is there is what the record was made
    * for. Here all hashes are the same, and the chat is shown. */
  lemma AHashOfAChatTellsEnough()
    ensures var log, one := Chat() + [Recording(2, 1)], map[Name(2) := CoversPrompt()];
            var digest, seen := (entries: Log) => ValueNamed(0), map[Name(2) := log];
            && MadeFor(Active(log, one), digest, seen)
            && TellsApart(log, Active(log, one), digest, seen)
            && (forall r | r in Active(log, one) :: seen[r.id] <= log && r.says.covered <= Uuids(log))
            && Checked(log, one, digest) == Some(Shown(log, one))
  {
    hide Active, Keep, Shown;
    RecordOfAChat();
    var log := Chat() + [Recording(2, 1)];
    ChatIsWellFormed();
    assert log[0] in log && Chat()[0].uuid == Name(0);
  }

  /** There is such a record: of a chat, with another hash. */
  lemma HashesMayDiffer()
    ensures var n, one := Recording(2, 1), map[Name(2) := CoversPrompt()];
            var digest := (log: Log) => ValueNamed(1);
            && Record(Name(2), CoversPrompt()) in Active(Chat() + [n], one)
            && digest(Keep(Chat() + [n], CoversPrompt().covered)) != CoversPrompt().hash
  {
    RecordOfAChat();
    assert NumberOfValue(ValueNamed(0)) == 0 && NumberOfValue(ValueNamed(1)) == 1;
  }

  /** The theorems apply to a chat and a talk with their records, older and newer. */
  lemma TheoremsApplyToRecords(digest: Log -> Value, hash: Value)
  {
    ChatIsCoveredAndUncovered();
    ChatGoesOnFromWhatIsCovered();
    UndoneRecordAfterAnOlder();
    AnOlderRecordWithAStub();
    hide *;
    var chat, n, m, o := Chat(), Recording(2, 1), Recording(3, 2), CoversPrompt();
    CoveredStaysTheSame(chat, Name(0), Name(1), o, digest);
    RecordGoesOn(chat, n, Name(1));
    AHashOfAChatTellsEnough();
    RefusedExactly(chat + [n], map[Name(2) := o], (entries: Log) => ValueNamed(0), map[Name(2) := chat + [n]]);
    AppendingIsNeverRefused(chat + [n], map[Name(2) := o], (entries: Log) => ValueNamed(0), map[Name(2) := chat + [n]]);
    assert n.uuid == Name(2) && n.uuid !in Uuids(chat) && o.stub.None? by {
      reveal Fits, Recording, Plain, CoversPrompt;
    }
    var stub, record := LeavesAStub(), Plain(4, Some(3), System, None, []);
    var talk, sayings := RewritingExamples.Talk() + [record], map[Name(4) := stub];
    ShownIsWellFormed(talk, sayings);
    assert record.uuid == Name(4) && Silent()[Name(4) := stub] == sayings && Name(4) !in Uuids(RewritingExamples.Talk()) by {
      ATalkGoesOn();
      reveal *;
    }
    LatestIsShownWithStub(RewritingExamples.Talk(), Silent(), record, stub);
    var next, undo := Plain(5, Some(4), System, None, []), Plain(6, Some(5), System, None, []);
    UndoIsNeverRecorded(talk + [next], map[Name(4) := stub, next.uuid := o], next.uuid, undo, hash);
    ShownDependsOnSayingsThere(talk, map[Name(4) := stub, next.uuid := o], sayings) by {
      reveal Uuids, Fits;
    }
    ARecordOfATalkGoesOn();
    assert next.uuid !in Uuids(talk) by {
      reveal Fits;
    }
    LatestIsShown(talk, sayings, next, o.(supersedes := Some(Name(4))));
    UndoAtHeadRestoresWhatWasShown(talk, sayings, Name(4), next, o, undo, hash);
  }

  /** At the record of a talk the conversation is all of it, settled, and the next record goes on there. */
  lemma ARecordOfATalkGoesOn()
    ensures var n, m := Plain(4, Some(3), System, None, []), Plain(5, Some(4), System, None, []);
            var k, talk := Plain(6, Some(5), System, None, []), RewritingExamples.Talk();
            && Name(4) in Uuids(talk + [n]) && Settled(talk + [n], Name(4)) && Context(talk + [n], Name(4)) == talk + [n]
            && m.parent == Some(Name(4)) && k.parent == Some(m.uuid)
            && !m.kind.Assistant? && !k.kind.Assistant? && UsesOf(m) == {} && UsesOf(k) == {}
  {
    hide WellFormed, Settled, Members, Uuids, Context;
    var n, talk := Plain(4, Some(3), System, None, []), RewritingExamples.Talk();
    SilentEntry(n);
    SilentEntry(Plain(5, Some(4), System, None, []));
    SilentEntry(Plain(6, Some(5), System, None, []));
    ATalkGoesOn();
    RewritingExamples.TalkEndsLegally();
    RewritingExamples.TalkIsWellFormed();
    assert Fits(talk, n);
    RecordGoesOn(talk, n, Name(3));
    LastIsSettled(talk + [n]);
  }
}

// Chapter 22, examples: a large result is covered; and what goes wrong with a face of another shape, a face of a stub, and faces that
// overlap.
include "12-Overlays.Examples.dfy"
include "22-Trims.Proofs.dfy"

module TrimsExamples {
  import opened Names
  import opened Entries
  import opened EntriesExamples
  import opened Contexts
  import opened Balance
  import opened BalanceExamples
  import opened Forks
  import opened Rewriting
  import opened Overlays
  import OverlaysExamples
  import opened Trims
  import opened TrimsProofs

  /** A call, and its result with something beside it. */
  function Asked(): Log {
    [Plain(0, None, Assistant, Some(7), [Use(Name(9))]), Plain(1, Some(0), User, None, [Result(Name(9)), Opaque(ValueNamed(1))])]
  }

  /** The face of the result: what stood beside it is another, shorter thing. */
  function Short(): Faces {
    map[Name(1) := Face([Result(Name(9)), Opaque(ValueNamed(2))], map[])]
  }

  /** What is kept of a call that was trimmed. */
  lemma AResultIsTrimmed()
    ensures |Trim(Asked(), Short())| == 2
    ensures Trim(Asked(), Short())[0] == Asked()[0]
    ensures Trim(Asked(), Short())[1].blocks == [Result(Name(9)), Opaque(ValueNamed(2))]
    ensures Trim(Asked(), Short())[1].parent == Some(Name(0))
  {
    TrimKeepsTheRest(Asked(), Short());
    NamesDiffer(0, 1);
    var e := Asked()[1];
    assert SamePart(e.blocks[0], Short()[Name(1)].blocks[0]) && SamePart(e.blocks[1], Short()[Name(1)].blocks[1]);
    assert SameShape(e.blocks, Short()[Name(1)].blocks);
  }

  /** A plausible trim, and a wrong one: it gives an entry whatever face there is. */
  function TrimAnyway(log: Log, faces: Faces): Log
    decreases |log|
  {
    if |log| == 0 then []
    else
      var e := log[|log| - 1];
      TrimAnyway(log[..|log| - 1], faces)
      + [if e.uuid in faces then e.(blocks := faces[e.uuid].blocks, fields := faces[e.uuid].fields) else e]
  }

  /** The books after the call alone. */
  lemma TheCallIsOut()
    ensures Run(Blank, [Use(Name(9))]) == Books({Name(9)}, {Name(9)})
  {
    assert [Use(Name(9))][..0] == [];
    assert Run(Blank, []) == Blank;
    assert {} + {Name(9)} == {Name(9)};
  }

  /** The call has its result. */
  lemma TheCallIsAnswered()
    ensures Balanced(Asked())
  {
    TheCallIsOut();
    var log := Asked();
    assert log[..1] == [log[0]] && [log[0]][..0] == [];
    assert Blocks([log[0]]) == [] + log[0].blocks == [Use(Name(9))];
    var blocks := [Use(Name(9)), Result(Name(9)), Opaque(ValueNamed(1))];
    assert Blocks(log) == blocks;
    assert blocks[..2] == [Use(Name(9)), Result(Name(9))] && blocks[..2][..1] == [Use(Name(9))];
    assert Run(Blank, blocks[..2]) == Books({Name(9)} - {Name(9)}, {Name(9)});
    assert {Name(9)} - {Name(9)} == {};
  }

  /** The entries as they would be if the result were gone. */
  function Unanswered(): Log {
    [Asked()[0], Asked()[1].(blocks := [], fields := map[])]
  }

  /** Then the call is open. */
  lemma TheCallIsOpen()
    ensures !Balanced(Unanswered())
  {
    TheCallIsOut();
    var log := Unanswered();
    assert log[..1] == [log[0]] && [log[0]][..0] == [];
    assert Blocks([log[0]]) == [] + log[0].blocks == [Use(Name(9))];
    assert Blocks(log) == [Use(Name(9))] + [] == [Use(Name(9))];
  }

  /** A face without the result leaves its call open; it is no face of the entry's shape, so a trim passes it over. */
  lemma AFaceOfAnotherShapeLosesAResult()
    ensures var bare := map[Name(1) := Face([], map[])];
            && Balanced(Asked())
            && !Balanced(TrimAnyway(Asked(), bare))
            && Trim(Asked(), bare) == Asked()
  {
    hide Balanced;
    var log, bare := Asked(), map[Name(1) := Face([], map[])];
    NamesDiffer(0, 1);
    TheCallIsAnswered();
    TheCallIsOpen();
    assert log[..1] == [log[0]] && [log[0]][..0] == [];
    assert TrimAnyway([log[0]], bare) == [log[0]];
    assert TrimAnyway(log, bare) == Unanswered();
    TrimKeepsTheRest(log, bare);
    assert !SameShape(log[1].blocks, []);
    assert Trim(log, bare) == log;
  }

  /** A trim that names the stub does not commute with the drop that leaves it. */
  lemma AFaceOfAStubDoesNotCommute()
    ensures var log, stub := [Plain(0, None, User, None, [])], Plain(5, None, User, None, [Opaque(ValueNamed(1))]);
            var faces := map[Name(5) := Face([Opaque(ValueNamed(2))], map[])];
            Trim(DropWithStub(log, {Name(0)}, stub), faces) != DropWithStub(Trim(log, faces), {Name(0)}, stub)
  {
    var log, stub := [Plain(0, None, User, None, [])], Plain(5, None, User, None, [Opaque(ValueNamed(1))]);
    var faces := map[Name(5) := Face([Opaque(ValueNamed(2))], map[])];
    NamesDiffer(0, 5);
    ValuesDiffer();
    assert log[..|log| - 1] == [];
    assert Keep(log, {Name(0)}) == Keep([], {Name(0)}) + [log[0]] == [log[0]];
    assert {Name(0)} - {Name(0)} == {};
    assert Drop(log, {}) == Drop([], {}) + [log[0].(parent := Heir([], {}, None))] == log;
    var left := DropWithStub(log, {Name(0)}, stub);
    assert left == Replace([], Name(0), stub) + [stub] == [stub];
    assert SamePart(stub.blocks[0], faces[Name(5)].blocks[0]);
    assert left[..|left| - 1] == [];
    assert Trim(left, faces) == Trim([], faces) + [Trimmed(stub, faces)];
    assert Trim(log, faces) == Trim([], faces) + [log[0]] == log;
  }

  /** Two values. */
  lemma ValuesDiffer()
    ensures ValueNamed(1) != ValueNamed(2)
  {
    assert NumberOfValue(ValueNamed(1)) == 1 && NumberOfValue(ValueNamed(2)) == 2;
  }

  /** Trims of one entry do not commute: the later one counts. */
  lemma TrimsOfOneEntryDoNotCommute()
    ensures var other := map[Name(1) := Face([Result(Name(9)), Opaque(ValueNamed(1))], map[])];
            Trim(Trim(Asked(), Short()), other) != Trim(Trim(Asked(), other), Short())
  {
    var other := map[Name(1) := Face([Result(Name(9)), Opaque(ValueNamed(1))], map[])];
    ValuesDiffer();
    var e := Asked()[1];
    assert SamePart(e.blocks[0], other[Name(1)].blocks[0]) && SamePart(e.blocks[1], other[Name(1)].blocks[1]);
    assert SameShape(e.blocks, other[Name(1)].blocks);
    assert SamePart(e.blocks[0], Short()[Name(1)].blocks[0]) && SamePart(e.blocks[1], Short()[Name(1)].blocks[1]);
    assert SameShape(e.blocks, Short()[Name(1)].blocks);
    LatestTrimWins(Asked(), Short(), other);
    LatestTrimWins(Asked(), other, Short());
    TrimKeepsTheRest(Asked(), Short());
    TrimKeepsTheRest(Asked(), other);
    assert Trim(Asked(), Short())[1].blocks[1] != Trim(Asked(), other)[1].blocks[1];
  }

  /** The theorems apply to a call whose result is trimmed. */
  lemma TheoremsApplyToWhatIsAlike()
  {
    var log, short := Asked(), Trim(Asked(), Short());
    TrimKeepsTheRest(log, Short());
    AlikeHaveTheSameIds(log, short);
    AlikeAreWellFormedTogether(log, short);
    assert log[1] in log;
    assert Name(1) in Uuids(log);
    AlikeHaveTheSamePlaces(log, short, Name(1));
    assert Alike(log[1], short[1]) && Alike(log[0], short[0]);
    AlikeCallTheSame(log[1], short[1]);
    AlikeNeedTheSame(log[0], log[1], short[0], short[1]);
    AlikeNeeded(log, short, {Name(1)});
    AlikeClose(log, short, {Name(1)});
    AlikeHaveTheSameMembers(log, short, Name(1));
    AlikeKeep(log, short, {Name(1)});
    AlikeBlocks(log, short);
    AlikeHaveTheSameBooks(log, short);
    AlikeAreLegalTogether(log, short, Name(1));
    AlikeHeirs(log, short, {Name(0)}, Some(Name(0)));
    AlikeGoesOn(log[1], short[1], short[1]);
  }

  /** The theorems on what commutes apply to it. */
  lemma TheoremsApplyToWhatCommutes()
  {
    var log := Asked();
    assert log[1] in log;
    TrimCommutesWithFork(log, Short(), Name(1));
    NamesDiffer(1, 5);
    var stub := Plain(5, None, User, None, []);
    TrimCommutesWithStub(log, Short(), {Name(0)}, stub);
    TrimCommutesWithReplace(log, Short(), Name(0), stub);
    NamesDiffer(0, 1);
    DisjointTrimsCommute(log, Short(), map[Name(0) := Face([Use(Name(9))], map[])]);
    TrimsOfOneEntryDoNotCommute();
    SameShapeBack(log[1].blocks, log[1].blocks, log[1].blocks);
    SameShapeSameBooks(Blank, log[1].blocks, log[1].blocks);
  }

  /** Two pairs of logs of one shape: what one direction needs is there. */
  lemma OneDirectionApplies()
  {
    var log := Asked();
    NeededIn(log, log, {});
    ClosedIn(log, log, {});
  }

  /** The theorems apply to a chat and its records. */
  lemma TheoremsApplyToTrims(hash: Value)
  {
    hide WellFormed, Settled, Members;
    OverlaysExamples.ChatIsCoveredAndUncovered();
    var chat, n, m := Chat(), OverlaysExamples.Recording(2, 1), OverlaysExamples.Recording(3, 2);
    UndoRestoresWhatWasTrimmed(chat, OverlaysExamples.Silent(), map[], n, OverlaysExamples.CoversPrompt(), m, hash);
    RecordsThereAreTheSame(chat, OverlaysExamples.Silent(), OverlaysExamples.Silent());
    RecordsHaveOtherNames(chat, OverlaysExamples.Silent(), n.uuid);
    LivingWithoutOneThatIsNotThere([], {}, n.uuid);
    ChatEndsLegally();
    WithoutTrimsTheRestIsShownThere(chat, OverlaysExamples.Silent(), Name(1));
    ForkInheritsTrims(chat, OverlaysExamples.Silent(), map[], Name(1), Name(1));
  }

  /** What a record says that only gives faces. */
  function Giving(n: nat): Record {
    Record(Name(n), Overlay({}, ValueNamed(0), None, None))
  }

  /** Of two trims of one result the later one counts. */
  lemma TheLaterFaceIsShown()
    ensures var later := map[Name(1) := Face([Result(Name(9)), Opaque(ValueNamed(3))], map[])];
            var shown := TrimAll(Asked(), [Giving(5), Giving(6)], map[Name(5) := Short(), Name(6) := later]);
            |shown| == 2 && shown[1].blocks == [Result(Name(9)), Opaque(ValueNamed(3))]
  {
    NamesDiffer(5, 6);
    var later := map[Name(1) := Face([Result(Name(9)), Opaque(ValueNamed(3))], map[])];
    var e, face := Asked()[1], later[Name(1)];
    assert SamePart(e.blocks[0], face.blocks[0]) && SamePart(e.blocks[1], face.blocks[1]);
    LastTrimGivesTheFace(Asked(), [Giving(5), Giving(6)], map[Name(5) := Short(), Name(6) := later], 1, 1);
  }
}

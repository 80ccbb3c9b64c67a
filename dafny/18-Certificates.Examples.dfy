// Chapter 18, examples: a file of four lines that is accepted, and the defects of writers that are refused, one by one.
include "01-Entries.Examples.dfy"
include "10-Rendering.Examples.dfy"
include "18-Certificates.Fast.dfy"

module CertificatesExamples {
  import opened Names
  import opened Entries
  import opened EntriesExamples
  import opened Certificates
  import opened CertificatesProofs
  import Appends
  import AppendsProofs
  import ContextsProofs
  import EntriesProofs
  import Forks
  import Rendering
  import RenderingExamples
  import RenderingProofs
  import Stores

  /** A line is told by its first byte: 1 holds the prompt, 2 the reply, 6 another entry; 4 names the reply as the head, 5 the prompt;
    * any other holds no entry and names none. */
  function Numbered(): Reading {
    Reading(
      (line: Text) =>
        if |line| == 0 then None
        else if line[0] == 1 then Some(Name(0))
        else if line[0] == 2 then Some(Name(1))
        else if line[0] == 6 then Some(Name(6))
        else None,
      (line: Text) =>
        if |line| == 0 then None
        else if line[0] == 4 then Some(Name(1))
        else if line[0] == 5 then Some(Name(0))
        else None)
  }

  /** The prompt and its reply, byte for byte, and one line that holds no entry, behind the prompt. */
  function Both(): Request {
    Request(
      [Name(0), Name(1)],
      map[Name(0) := [1], Name(1) := [2]],
      (one: Text, other: Text) => one == other,
      (turn: nat, line: Text) => turn == 1 && line == [3])
  }

  /** Something is kept, and both have their lines. */
  lemma BothIsSensible()
    ensures Sensible(Both())
    ensures Both().lines[Name(0)] == [1] && Both().lines[Name(1)] == [2]
    ensures Point(Both()) == Name(1)
  {
    NamesDiffer(0, 1);
  }

  /** One line more, in front of others. */
  lemma OneLineMore(first: Text, rest: seq<Text>, turn: nat)
    requires Sensible(Both())
    requires |rest| > 0
    ensures AcceptsFrom(Numbered(), Both(), [first] + rest, turn) <==>
            if Numbered().uuid(first).Some?
            then HasItsTurn(Numbered(), Both(), turn, first) && AcceptsFrom(Numbered(), Both(), rest, turn + 1)
            else MayStand(Numbered(), Both(), turn, first) && AcceptsFrom(Numbered(), Both(), rest, turn)
  {
    assert ([first] + rest)[0] == first && ([first] + rest)[1..] == rest;
  }

  /** The file: the prompt, the line that goes along, the reply, the head. */
  const Right: seq<Text> := [[1], [3], [2], [4]]

  /** The file is accepted. */
  lemma TheRightFileIsAccepted()
    ensures Sensible(Both()) && Accepts(Numbered(), Both(), Right)
  {
    BothIsSensible();
    OneLineMore([2], [[4]], 1);
    OneLineMore([3], [[2], [4]], 1);
    OneLineMore([1], [[3], [2], [4]], 0);
    assert [[2]] + [[4]] == [[2], [4]];
    assert [[3]] + [[2], [4]] == [[3], [2], [4]];
    assert [[1]] + [[3], [2], [4]] == Right;
  }

  /** A file is refused that lacks an entry, has one twice, has a byte changed, exchanges two, or holds another entry. */
  lemma OtherEntriesAreRefused()
    ensures Sensible(Both())
    ensures !Accepts(Numbered(), Both(), [[1], [3], [4]])
    ensures !Accepts(Numbered(), Both(), [[3], [2], [4]])
    ensures !Accepts(Numbered(), Both(), [[1], [3], [2], [2], [4]])
    ensures !Accepts(Numbered(), Both(), [[1], [3], [2, 9], [4]])
    ensures !Accepts(Numbered(), Both(), [[2], [1], [4]])
    ensures !Accepts(Numbered(), Both(), [[1], [3], [6], [2], [4]])
  {
    BothIsSensible();
    NamesDiffer(0, 1);
    NamesDiffer(1, 6);
    Behind([[4]]);
    Behind([[2], [2], [4]]);
    Behind([[2, 9], [4]]);
    Behind([[6], [2], [4]]);
    OneLineMore([3], [[2], [4]], 0);
    assert [[3]] + [[2], [4]] == [[3], [2], [4]];
    OneLineMore([2], [[2], [4]], 1);
    assert [[2]] + [[2], [4]] == [[2], [2], [4]];
    OneLineMore([2], [[4]], 2);
    assert [[2]] + [[4]] == [[2], [4]];
    OneLineMore([2, 9], [[4]], 1);
    assert [[2, 9]] + [[4]] == [[2, 9], [4]];
    OneLineMore([2], [[1], [4]], 0);
    assert [[2]] + [[1], [4]] == [[2], [1], [4]];
    OneLineMore([6], [[2], [4]], 1);
    assert [[6]] + [[2], [4]] == [[6], [2], [4]];
  }

  /** What stands behind the prompt and the line that goes along. */
  lemma Behind(rest: seq<Text>)
    requires |rest| > 0
    ensures Sensible(Both())
    ensures Accepts(Numbered(), Both(), [[1], [3]] + rest) <==> AcceptsFrom(Numbered(), Both(), rest, 1)
  {
    BothIsSensible();
    OneLineMore([3], rest, 1);
    OneLineMore([1], [[3]] + rest, 0);
    assert [[1]] + ([[3]] + rest) == [[1], [3]] + rest;
  }

  /** A file is refused that names another head, none, or one too early, or that lacks its last line. */
  lemma OtherHeadsAreRefused()
    ensures Sensible(Both())
    ensures !Accepts(Numbered(), Both(), [[1], [3], [2], [5]])
    ensures !Accepts(Numbered(), Both(), [[1], [3], [2], [3]])
    ensures !Accepts(Numbered(), Both(), [[1], [3], [4], [2], [4]])
    ensures !Accepts(Numbered(), Both(), [[1], [3], [2]])
    ensures !Accepts(Numbered(), Both(), [])
  {
    BothIsSensible();
    NamesDiffer(0, 1);
    Behind([[2], [5]]);
    Behind([[2], [3]]);
    Behind([[4], [2], [4]]);
    Behind([[2]]);
    OneLineMore([2], [[5]], 1);
    assert [[2]] + [[5]] == [[2], [5]];
    OneLineMore([2], [[3]], 1);
    assert [[2]] + [[3]] == [[2], [3]];
    OneLineMore([4], [[2], [4]], 1);
    assert [[4]] + [[2], [4]] == [[4], [2], [4]];
  }

  /** A file is refused in which the line that goes along stands elsewhere, or is another. */
  lemma OtherLinesAreRefused()
    ensures Sensible(Both())
    ensures !Accepts(Numbered(), Both(), [[3], [1], [2], [4]])
    ensures !Accepts(Numbered(), Both(), [[1], [3, 9], [2], [4]])
  {
    BothIsSensible();
    OneLineMore([3], [[1], [2], [4]], 0);
    assert [[3]] + [[1], [2], [4]] == [[3], [1], [2], [4]];
    OneLineMore([3, 9], [[2], [4]], 1);
    OneLineMore([1], [[3, 9], [2], [4]], 0);
    assert [[3, 9]] + [[2], [4]] == [[3, 9], [2], [4]];
    assert [[1]] + [[3, 9], [2], [4]] == [[1], [3, 9], [2], [4]];
  }

  /** A line that may stand for another lets a file pass that is not the source's, so what may stand is what must be right: where any
    * line may stand for any, the changed byte passes. */
  lemma WhatMayStandDecides()
    ensures var loose := Both().(standsFor := (one: Text, other: Text) => true);
            Sensible(loose) && Accepts(Numbered(), loose, [[1], [2, 9], [4]])
  {
    BothIsSensible();
    var loose := Both().(standsFor := (one: Text, other: Text) => true);
    var all: seq<Text> := [[1], [2, 9], [4]];
    var behind, last := all[1..], all[2..];
    assert behind == [[2, 9], [4]] && behind[1..] == last && last == [[4]];
    assert AcceptsFrom(Numbered(), loose, last, 2);
    assert AcceptsFrom(Numbered(), loose, behind, 1);
    assert AcceptsFrom(Numbered(), loose, all, 0);
  }

  // --- Witnesses ---

  /** The session that holds the prompt alone. */
  function Alone(): Stores.Session {
    Stores.Session([Prompt()], map[], map[], map[], map[], Some(Name(0)))
  }

  /** The request for its fork. */
  function OnlyThePrompt(): Request {
    Request([Name(0)], map[Name(0) := [1]], (one: Text, other: Text) => one == other, (turn: nat, line: Text) => false)
  }

  /** The fork of the prompt alone is the prompt. */
  lemma ThePromptAloneForks()
    ensures WellFormed(Alone().log) && Name(0) in Uuids(Alone().log)
    ensures Rendering.ForkKept(Alone().log, Alone().preserved, Name(0)) == [Prompt()]
  {
    var e := Prompt();
    var log := [e];
    assert log[0] == e && log[0] in log;
    assert log[..0] == [];
    EntriesProofs.WellFormedMeansUniqueAndParentsFirst(log);
    hide *;
    reveal Alone;
    RenderingProofs.ForkKeptEndsIn(log, map[], Name(0));
    reveal Rendering.ForkKept;
    KeepOfOne(e, Rendering.Kept(log, map[], Name(0)));
  }

  /** The request asks for the fork, entry for entry, and but for envelopes. */
  lemma AForkIsAskedFor()
    ensures var request, parse := OnlyThePrompt(), (line: Text) => Prompt();
            && Sensible(request)
            && AsksFor(request, parse, [Prompt()], (one: Entry, other: Entry) => one == other)
            && AsksFor(request, parse, [Prompt()],
                       (one: Entry, other: Entry) => Stores.Bare(one, {KeyNamed(9)}) == Stores.Bare(other, {KeyNamed(9)}))
  {
    hide *;
    reveal OnlyThePrompt, Sensible, AsksFor, InOrder, Prompt, Asks, Plain, NameOf;
    var none: Log := [Prompt()][1..];
    assert none == [];
    assert InOrder(none) == [];
  }

  /** The prompt with the line that names it is accepted. */
  lemma AForkIsAccepted()
    ensures var request := OnlyThePrompt();
            && Sensible(request)
            && Accepts(Numbered(), request, [[1], [5]])
            && (forall line | line in [[1], [5]] && Numbered().uuid(line).Some? :: Numbered().head(line).None?)
            && (forall id | id in request.kept ::
                  Numbered().uuid(request.lines[id]) == Some(id) && request.standsFor(request.lines[id], request.lines[id]))
            && Closes(Numbered(), request, [5])
  {
    var request := OnlyThePrompt();
    var lines: seq<Text> := [[1], [5]];
    var last := lines[1..];
    assert last == [[5]];
    assert AcceptsFrom(Numbered(), request, last, 1);
    assert AcceptsFrom(Numbered(), request, lines, 0);
  }

  /** Of one entry nothing or all is kept. */
  lemma KeepOfOne(e: Entry, ids: set<Id>)
    ensures |Keep([e], ids)| > 0 ==> Keep([e], ids) == [e]
  {
    assert [e][..0] == [];
    assert Keep([], ids) == [];
  }

  /** The theorems apply to both requests. */
  lemma TheoremsApplyToTheFiles()
  {
    TheRightFileIsAccepted();
    BothIsSensible();
    AcceptsExactly(Numbered(), Both(), Right);
    AcceptsFromExactly(Numbered(), Both(), Right, 0);
    EntriesOfFirstAndRest(Numbered(), Right);
    RightOfAllIsRightOfFirstAndRest(Numbered(), Both(), Right, 0);
    RightOfFirstAndRestIsRightOfAll(Numbered(), Both(), Right, 0);
    RightOfOneLine(Numbered(), Both(), [4], 2);
    HoldingTakesTwoLines(Numbered(), Both(), Right);
    AcceptedFilesHoldTheSame(Numbered(), Both(), Right, Right);
    ThePromptAloneForks();
    AForkIsAskedFor();
    AForkIsAccepted();
    hide *;
    var s, request, parse := Alone(), OnlyThePrompt(), (line: Text) => Prompt();
    var lines: seq<Text> := [[1], [5]];
    AcceptedFileNamesOneHead(Numbered(), request, lines);
    AcceptedFileIsReadAsWhatWasAsked(
      Numbered(), request, parse, [Prompt()], (one: Entry, other: Entry) => one == other, lines);
    AcceptedFileIsTheFork(Numbered(), request, parse, s, Name(0), lines);
    AcceptedFileIsTheForkButForEnvelopes(Numbered(), request, parse, s, Name(0), {KeyNamed(9)}, lines);
    KeptLinesAreAccepted(Numbered(), request, [5]);
    KeptLinesHoldEntries(Numbered(), request, 1);
    AcceptsDependsOnWhatIsKeptAlone(Numbered(), request, request, lines);
    ForkDependsOnWhatIsKeptAlone(s, s, Name(0)) by {
      reveal Stores.SaidAlike, Stores.ForkSession, Stores.PartOf, Stores.Only;
    }
    OnlyAlike(s.preserved, s.preserved, {Name(0)}) by {
      reveal Stores.SaidAlike;
    }
    ParsedAt(parse, lines, 0);
    InOrderAt([Prompt()], 0);
  }

  /** A reading in which the first byte 1 says that a line holds the prompt, and an empty line names the prompt as the head. */
  function Blank(): Reading {
    Reading(
      (line: Text) => if |line| > 0 && line[0] == 1 then Some(Name(0)) else None,
      (line: Text) => if |line| == 0 then Some(Name(0)) else None)
  }

  /** The prompt alone, and perhaps an empty line before it. */
  function BehindNothing(): Request {
    Request(
      [Name(0)],
      map[Name(0) := [1]],
      (one: Text, other: Text) => one == other,
      (turn: nat, line: Text) => turn == 0 && line == [])
  }

  /** An empty line may stand before all entries, and may close. */
  lemma EmptyLinesAreLines()
    ensures Sensible(BehindNothing())
    ensures MayStand(Numbered(), BehindNothing(), 0, [])
    ensures Closes(Blank(), BehindNothing(), [])
  {
  }

  /** One line is read as a log of one entry. */
  lemma OneLineIsRead()
    ensures LogOf(Numbered(), (line: Text) => Prompt(), [[1]]) == [Prompt()]
  {
    assert EntryLines(Numbered(), [[1]]) == [[1]];
  }

  /** Who keeps nothing asks for the empty log; who keeps an entry without its line asks for no log. */
  lemma WhatIsAskedFor()
    ensures AsksFor(Both().(kept := []), (line: Text) => Prompt(), [], (one: Entry, other: Entry) => true)
    ensures !AsksFor(BehindNothing().(lines := map[]), (line: Text) => Prompt(), [Prompt()], (one: Entry, other: Entry) => true)
  {
    assert [Prompt()][0] in [Prompt()];
  }

  // --- From a file to a file ---

  /** As the lines are read that are told by their first byte: each tells the entry of its uuid. */
  function ByFirstBytes(): Format {
    InBytes().(told :=
    (line: Text) =>
      Told(
        if |line| > 0 && line[0] == 1 then Prompt() else if |line| > 0 && line[0] == 2 then Reply() else Reply().(uuid := Name(6)),
        None, None, None, None))
  }

  /** A file with the prompt and a head holds what a request takes from it. */
  lemma AFileIsTaken()
    ensures var format, file := ByFirstBytes(), Appends.Append([], [[1], [5]]);
            && TellsByName(format)
            && Appends.Read(format.reader, file) == [[1], [5]]
            && SessionOf(format, file) == Alone()
            && TakenFrom(format, OnlyThePrompt(), file)
  {
    NamesDiffer(0, 1);
    var format := ByFirstBytes();
    var lines: seq<Text> := [[1], [5]];
    OneByteDelimitsItself(1);
    OneByteDelimitsItself(5);
    AppendsProofs.NothingReadsAsNothing(format.reader);
    AppendsProofs.AppendReadsAsOldThenNew(format.reader, [], lines);
    assert [] + lines == lines;
    var none := Stores.Session([], map[], map[], map[], map[], None);
    assert lines[..1] == [[1]] && lines[..1][..0] == [];
    assert WithLines(format, none, lines[..1]) == WithLine(format, none, [1]);
    assert WithLine(format, none, [1]) == Alone();
    assert WithLines(format, none, lines) == WithLine(format, Alone(), [5]);
  }

  /** The theorems apply to it. */
  lemma TheoremsApplyToAFile()
  {
    AFileIsTaken();
    AForkIsAskedFor();
    AForkIsAccepted();
    PromptAndReplyAreWellFormed();
    var file := Appends.Append([], [[1], [5]]);
    var log := Alone().log;
    EntriesProofs.WellFormedHasUniqueUuids(log);
    assert InOrder(log) == [Name(0)] by {
      assert log[1..] == [];
    }
    assert ByFirstBytes().reading == Numbered();
    AcceptedFileIsPartOfTheSession(ByFirstBytes(), file, OnlyThePrompt(), file, log);
  }

  // --- Files of sessions ---

  /** Lines of one byte: 1 holds the prompt, 2 the reply, 4 and 5 name a head. */
  function InBytes(): Format {
    Format(
      (line: Text) => |line| > 0,
      Numbered(),
      (line: Text) => Told(if line == [1] then Prompt() else Reply(), None, None, None, None),
      (told: Told) => if told.entry == Prompt() then [1] else [2],
      (id: Id) => if id == Name(0) then [5] else [4])
  }

  /** The session that went on: with the reply. */
  function GoneOn(): Stores.Session {
    Stores.Session([Prompt(), Reply()], map[], map[], map[], map[], Some(Name(1)))
  }

  /** Lines of one byte delimit themselves. */
  lemma OneByteDelimitsItself(b: Appends.Splice.Byte)
    requires b != Appends.Newline
    ensures Appends.SelfDelimiting(InBytes().reader, [b])
  {
  }

  /** The lines of both sessions are read as what was written. */
  lemma BothAreWritten()
    ensures Writes(InBytes(), Alone()) && Writes(InBytes(), GoneOn())
  {
    NamesDiffer(0, 1);
    OneByteDelimitsItself(1);
    OneByteDelimitsItself(2);
    OneByteDelimitsItself(4);
    OneByteDelimitsItself(5);
  }

  /** A session without entries needs no head, and then no line is written for it. That a head is the head of entries is not asked
    * here: it makes a session valid. */
  lemma TheEmptySessionIsWritten()
    ensures var empty := Stores.Session([], map[], map[], map[], map[], None);
            && Writes(InBytes(), empty) && NewLines(InBytes(), empty, 0) == []
            && Writes(InBytes(), empty.(head := Some(Name(1)))) && !Stores.ValidSession(empty.(head := Some(Name(1))))
  {
    OneByteDelimitsItself(4);
    NamesDiffer(0, 1);
  }

  /** The file of the first: its line, and that of its head. It reads as the session. */
  lemma TheFirstFile()
    ensures Stores.ValidSession(Alone()) && Stores.ValidSession(GoneOn())
    ensures Appends.Append([], NewLines(InBytes(), Alone(), 0)) == [1, 10, 5, 10]
    ensures SessionOf(InBytes(), [1, 10, 5, 10]) == Alone()
  {
    NamesDiffer(0, 1);
    BothAreWritten();
    PromptAndReplyAreWellFormed();
    var log := Alone().log;
    assert log[0..] == log && log[..0] == [];
    assert LinesOfEntries(InBytes(), Alone(), log) == [[1]];
    var lines: seq<Text> := [[1], [5]];
    assert NewLines(InBytes(), Alone(), 0) == lines;
    assert lines[1..] == [[5]];
    assert Appends.Ended(lines[1..]) == [5, 10];
    assert Appends.Ended(lines) == [1, 10, 5, 10];
    NewFileReadsAsItsSession(InBytes(), Alone());
  }

  /** The prompt and its reply are a log, and so is the prompt. */
  lemma PromptAndReplyAreWellFormed()
    ensures WellFormed([Prompt()]) && WellFormed([Prompt(), Reply()])
    ensures Fits([Prompt()], Reply())
    ensures Forks.Append([Prompt()], Reply()) == [Prompt(), Reply()]
  {
    NamesDiffer(0, 1);
    assert [Prompt()][..0] == [];
    assert [Prompt(), Reply()][..1] == [Prompt()];
    assert Prompt() in [Prompt()];
  }

  /** The store of the first session, what is done to it, and the store then. */
  function First(): Stores.Store {
    map[Name(10) := Alone()]
  }

  function Done(): seq<Stores.Operation> {
    [Stores.DoAppend(Name(10), Reply())]
  }

  function Then(): Stores.Store {
    map[Name(10) := GoneOn()]
  }

  /** The reply can be appended. */
  lemma TheReplyFits()
    ensures Stores.Enabled(First(), Done()[0])
  {
    PromptAndReplyAreWellFormed();
    hide *;
    reveal First, Done, Alone, Stores.Enabled;
  }

  /** Then the session has gone on. */
  lemma TheReplyGoesOn()
    ensures Stores.Enabled(First(), Done()[0]) && Stores.Apply(First(), Done()[0]) == Then()
  {
    TheReplyFits();
    PromptAndReplyAreWellFormed();
    assert Reply().uuid == Name(1);
    hide *;
    reveal First, Done, Then, Alone, GoneOn, Stores.Apply, Stores.Grown;
  }

  /** That is all that is done. */
  lemma AllIsDone()
    ensures Stores.ApplyAll(First(), Done()) == Some(Then())
  {
    TheReplyGoesOn();
    assert |Done()| == 1;
    hide *;
    var none := Done()[1..];
    assert |none| == 0;
    assert Stores.ApplyAll(Then(), none) == Some(Then()) by {
      reveal Stores.ApplyAll;
    }
    assert Stores.ApplyAll(First(), Done()) == Stores.ApplyAll(Then(), none) by {
      reveal Stores.ApplyAll;
    }
  }

  /** And all of it is written. */
  lemma AllIsWritten()
    ensures Stores.ApplyAll(First(), Done()) == Some(Then())
    ensures WritesThrough(InBytes(), First(), Done())
  {
    AllIsDone();
    TheReplyGoesOn();
    BothAreWritten();
    assert |Done()| == 1;
    hide *;
    var none := Done()[1..];
    assert |none| == 0;
    assert Stores.ApplyAll(Then(), none) == Some(Then()) by {
      reveal Stores.ApplyAll;
    }
    assert WritesThrough(InBytes(), Then(), none) by {
      reveal WritesThrough;
    }
    assert forall id | id in Then() :: Writes(InBytes(), Then()[id]) by {
      reveal Then;
    }
    assert WritesThrough(InBytes(), First(), Done()) by {
      reveal WritesThrough;
    }
  }

  /** The store is valid, and its file reads as its session. */
  lemma TheFirstStore()
    ensures Stores.Valid(First())
    ensures Carry(InBytes(), map[Name(10) := [1, 10, 5, 10]], First())
  {
    TheFirstFile();
    hide *;
    reveal First, Carry, Stores.Valid;
  }

  /** The reply is appended: the file keeps its four bytes and reads as the session that went on. */
  lemma TheReplyIsAppended()
    ensures Stores.ApplyAll(First(), Done()) == Some(Then())
    ensures var files: map<Id, Text> := map[Name(10) := [1, 10, 5, 10]];
            && Carry(InBytes(), files, First())
            && Carry(InBytes(), FilesThrough(InBytes(), files, First(), Done()), Then())
            && Name(10) in FilesThrough(InBytes(), files, First(), Done())
            && [1, 10, 5, 10] <= FilesThrough(InBytes(), files, First(), Done())[Name(10)]
  {
    AllIsWritten();
    TheFirstStore();
    hide *;
    HistoryKeepsEveryByte(InBytes(), map[Name(10) := [1, 10, 5, 10]], First(), Done());
  }

  /** What is written for it: the line of the reply, and that of its head. */
  lemma TheWrite()
    ensures NewLines(InBytes(), GoneOn(), 1) == [[2], [4]]
    ensures Appends.Written([1, 10, 5, 10], [[2], [4]]) == [2, 10, 4, 10]
    ensures Appends.Torn([1, 10, 5, 10], [[2], [4]], 2) == [1, 10, 5, 10, 2, 10]
  {
    NamesDiffer(0, 1);
    var lines: seq<Text> := [[2], [4]];
    assert GoneOn().log[1..] == [Reply()];
    assert [Reply()][..0] == [];
    assert LinesOfEntries(InBytes(), GoneOn(), [Reply()]) == [[2]];
    assert lines[1..] == [[4]];
    assert Appends.Ended(lines[1..]) == [4, 10];
    assert Appends.Ended(lines) == [2, 10, 4, 10];
  }

  /** Where the write is torn, the file reads as a session between the two. */
  lemma TheTornReplyIsBetween()
    ensures Stores.Extends(GoneOn(), SessionOf(InBytes(), [1, 10, 5, 10, 2, 10]))
    ensures Stores.Extends(SessionOf(InBytes(), [1, 10, 5, 10, 2, 10]), Alone())
  {
    BothAreWritten();
    TheFirstFile();
    TheWrite();
    assert Stores.Extends(GoneOn(), Alone()) by {
      assert GoneOn().log[..1] == Alone().log;
    }
    assert |Alone().log| == 1;
    hide *;
    assert HeadStays(GoneOn(), Alone()) by {
      reveal GoneOn;
    }
    TornOperationIsBetween(InBytes(), [1, 10, 5, 10], Alone(), GoneOn(), 2);
  }

  /** A fork depends on the context at its point: where the session went on, it is the same. */
  lemma WhatComesLaterDoesNotShow()
    ensures Name(0) in Uuids(Alone().log) && Name(0) in Uuids(GoneOn().log)
    ensures Stores.ForkSession(GoneOn(), Name(0)) == Stores.ForkSession(Alone(), Name(0))
  {
    var s, t := GoneOn(), Alone();
    NamesDiffer(0, 1);
    PromptAndReplyAreWellFormed();
    EntriesProofs.WellFormedMeansUniqueAndParentsFirst(s.log);
    assert s.log[0] == t.log[0] == Prompt();
    assert s.log[..1] == t.log;
    ContextsProofs.ContextInPrefix(s.log, 1, Name(0));
    hide *;
    reveal GoneOn, Alone;
    assert Rendering.Reaches(s.log, map[], Name(0)) == {} && Rendering.Reaches(t.log, map[], Name(0)) == {} by {
      reveal Rendering.Reaches, Rendering.ReachesWithin, Rendering.ReachesAcross, Rendering.Heeds;
      Rendering.WhatIsCrossedIsThere(s.log, map[], Name(0));
      Rendering.WhatIsCrossedIsThere(t.log, map[], Name(0));
    }
    ForkDependsOnTheContextAlone(s, t, Name(0)) by {
      reveal Stores.SaidAlike;
    }
  }

  /** Behind a compaction the first prompt is sent from outside of the context, and is kept. The head that the session had does not
    * show in the fork. */
  lemma TheFormerHeadDoesNotShow()
    ensures var x, b, s := Asks(0, None, []), RenderingExamples.Boundary(1, 0), Asks(2, Some(1), []);
            var preserved := map[Name(1) := Rendering.Preserved(Name(2), [Name(0)])];
            var one := Stores.Session([x, b, s], preserved, map[], map[], map[], Some(Name(2)));
            && Name(2) in Uuids(one.log)
            && Name(0) in Rendering.Reaches(one.log, preserved, Name(2))
            && Stores.ForkSession(one, Name(2)) == Stores.ForkSession(one.(head := Some(Name(0))), Name(2))
  {
    var x, b, s := Asks(0, None, []), RenderingExamples.Boundary(1, 0), Asks(2, Some(1), []);
    var preserved := map[Name(1) := Rendering.Preserved(Name(2), [Name(0)])];
    var one := Stores.Session([x, b, s], preserved, map[], map[], map[], Some(Name(2)));
    assert s.uuid == Name(2) && x.uuid == Name(0);
    RenderingExamples.ACompactedSessionExists();
    assert RenderingExamples.IsCompacted(x, b, s, preserved, s.uuid);
    hide *;
    RenderingExamples.CompactedIsKept(x, b, s, preserved, s.uuid);
    ForkDependsOnTheContextsAlone(one, one.(head := Some(Name(0))), Name(2)) by {
      reveal Stores.SaidAlike;
    }
  }
}

// Chapter 18, proofs: the decision says yes exactly where the file holds what was asked for; what it accepts is read as the fork of
// the model; two files that it accepts hold the same; and there is a file that it accepts.
include "14-Stores.Proofs.dfy"
include "17-Appends.Proofs.dfy"
include "18-Certificates.dfy"

module CertificatesProofs {
  import opened Names
  import opened Entries
  import opened Forks
  import opened Certificates
  import Appends
  import AppendsProofs
  import Contexts
  import ContextsProofs
  import Rendering
  import EntriesProofs
  import RenderingProofs
  import Stores
  import StoresProofs

  /** The lines that hold an entry among two lists of lines. */
  lemma EntryLinesOfBoth(reading: Reading, a: seq<Text>, b: seq<Text>)
    ensures EntryLines(reading, a + b) == EntryLines(reading, a) + EntryLines(reading, b)
    decreases |a|
  {
    if |a| == 0 {
      assert a + b == b;
    } else {
      assert (a + b)[0] == a[0] && (a + b)[1..] == a[1..] + b;
      EntryLinesOfBoth(reading, a[1..], b);
    }
  }

  /** What is right of the lines behind the first ones, when so many entries stand before. */
  predicate HoldsFrom(reading: Reading, request: Request, lines: seq<Text>, turn: nat)
    requires Sensible(request)
  {
    && |lines| > 0
    && Closes(reading, request, lines[|lines| - 1])
    && turn + |EntryLines(reading, lines)| == |request.kept|
    && (forall i | 0 <= i < |EntryLines(reading, lines)| ::
          HasItsTurn(reading, request, turn + i, EntryLines(reading, lines)[i]))
    && (forall i | 0 <= i < |lines| - 1 ::
          reading.uuid(lines[i]).None? ==> MayStand(reading, request, turn + |EntryLines(reading, lines[..i])|, lines[i]))
  }

  /** How many entries a line is. */
  function Here(reading: Reading, line: Text): nat {
    if reading.uuid(line).Some? then 1 else 0
  }

  /** The entries of some lines: the first one, if it is one, and those of the rest; also of the first ones of them. */
  lemma EntriesOfFirstAndRest(reading: Reading, lines: seq<Text>)
    requires |lines| > 0
    ensures var first, rest := lines[0], lines[1..];
            && EntryLines(reading, lines) == (if Here(reading, first) == 1 then [first] else []) + EntryLines(reading, rest)
            && |EntryLines(reading, lines[..0])| == 0
            && (forall i | 0 <= i < |rest| ::
                  lines[i + 1] == rest[i]
                  && |EntryLines(reading, lines[..i + 1])| == Here(reading, first) + |EntryLines(reading, rest[..i])|)
  {
    var first, rest := lines[0], lines[1..];
    assert lines[..0] == [];
    forall i | 0 <= i < |rest|
      ensures |EntryLines(reading, lines[..i + 1])| == Here(reading, first) + |EntryLines(reading, rest[..i])|
    {
      assert lines[..i + 1][0] == first && lines[..i + 1][1..] == rest[..i];
    }
  }

  /** What is right of a first line. */
  predicate FirstIsRight(reading: Reading, request: Request, turn: nat, line: Text)
    requires Sensible(request)
  {
    if reading.uuid(line).Some? then HasItsTurn(reading, request, turn, line) else MayStand(reading, request, turn, line)
  }

  /** Where a file is right from one line on, that line is, and so is what comes behind it. */
  lemma RightOfAllIsRightOfFirstAndRest(reading: Reading, request: Request, lines: seq<Text>, turn: nat)
    requires Sensible(request)
    requires |lines| > 1
    requires HoldsFrom(reading, request, lines, turn)
    ensures FirstIsRight(reading, request, turn, lines[0])
    ensures HoldsFrom(reading, request, lines[1..], turn + Here(reading, lines[0]))
  {
    hide EntryLines, HasItsTurn, MayStand, Closes;
    var first, rest, here := lines[0], lines[1..], Here(reading, lines[0]);
    EntriesOfFirstAndRest(reading, lines);
    assert rest[|rest| - 1] == lines[|lines| - 1];
    if here == 1 {
      assert EntryLines(reading, lines)[0] == first;
      assert HasItsTurn(reading, request, turn + 0, EntryLines(reading, lines)[0]);
    } else {
      assert MayStand(reading, request, turn + |EntryLines(reading, lines[..0])|, lines[0]);
    }
    forall i | 0 <= i < |EntryLines(reading, rest)|
      ensures HasItsTurn(reading, request, turn + here + i, EntryLines(reading, rest)[i])
    {
      assert EntryLines(reading, rest)[i] == EntryLines(reading, lines)[here + i];
      assert HasItsTurn(reading, request, turn + (here + i), EntryLines(reading, lines)[here + i]);
    }
    forall i | 0 <= i < |rest| - 1 && reading.uuid(rest[i]).None?
      ensures MayStand(reading, request, turn + here + |EntryLines(reading, rest[..i])|, rest[i])
    {
      assert lines[i + 1] == rest[i];
      assert MayStand(reading, request, turn + |EntryLines(reading, lines[..i + 1])|, lines[i + 1]);
    }
  }

  /** And the other way round. */
  lemma RightOfFirstAndRestIsRightOfAll(reading: Reading, request: Request, lines: seq<Text>, turn: nat)
    requires Sensible(request)
    requires |lines| > 1
    requires FirstIsRight(reading, request, turn, lines[0])
    requires HoldsFrom(reading, request, lines[1..], turn + Here(reading, lines[0]))
    ensures HoldsFrom(reading, request, lines, turn)
  {
    hide EntryLines, HasItsTurn, MayStand, Closes;
    var first, rest, here := lines[0], lines[1..], Here(reading, lines[0]);
    EntriesOfFirstAndRest(reading, lines);
    assert rest[|rest| - 1] == lines[|lines| - 1];
    forall i | 0 <= i < |EntryLines(reading, lines)|
      ensures HasItsTurn(reading, request, turn + i, EntryLines(reading, lines)[i])
    {
      if i < here {
        assert EntryLines(reading, lines)[i] == first;
      } else {
        assert EntryLines(reading, lines)[i] == EntryLines(reading, rest)[i - here];
        assert HasItsTurn(reading, request, turn + here + (i - here), EntryLines(reading, rest)[i - here]);
      }
    }
    forall i | 0 <= i < |lines| - 1 && reading.uuid(lines[i]).None?
      ensures MayStand(reading, request, turn + |EntryLines(reading, lines[..i])|, lines[i])
    {
      if i > 0 {
        assert lines[(i - 1) + 1] == rest[i - 1];
        assert MayStand(reading, request, turn + here + |EntryLines(reading, rest[..i - 1])|, rest[i - 1]);
      }
    }
  }

  /** What holds has two lines at least: that of an entry, and the one that closes. */
  lemma HoldingTakesTwoLines(reading: Reading, request: Request, lines: seq<Text>)
    requires Sensible(request)
    ensures Holds(reading, request, lines) ==> |lines| > 1
  {
    if |lines| == 1 && reading.uuid(lines[0]).None? {
      assert EntryLines(reading, lines[1..]) == [];
    }
  }

  /** Of one line alone it is right to close, when all entries have come. */
  lemma RightOfOneLine(reading: Reading, request: Request, line: Text, turn: nat)
    requires Sensible(request)
    ensures HoldsFrom(reading, request, [line], turn) <==> turn == |request.kept| && Closes(reading, request, line)
  {
    EntriesOfFirstAndRest(reading, [line]);
    var none: seq<Text> := [line][1..];
    assert none == [];
    assert EntryLines(reading, none) == [];
  }

  /** The decision says of the rest of a file what is right of it. */
  lemma AcceptsFromExactly(reading: Reading, request: Request, lines: seq<Text>, turn: nat)
    requires Sensible(request)
    ensures AcceptsFrom(reading, request, lines, turn) <==> HoldsFrom(reading, request, lines, turn)
    decreases |lines|
  {
    if |lines| == 1 {
      assert lines == [lines[0]];
      RightOfOneLine(reading, request, lines[0], turn);
    } else if |lines| > 1 {
      AcceptsFromExactly(reading, request, lines[1..], turn + Here(reading, lines[0]));
      hide HoldsFrom;
      if HoldsFrom(reading, request, lines, turn) {
        RightOfAllIsRightOfFirstAndRest(reading, request, lines, turn);
      }
      if FirstIsRight(reading, request, turn, lines[0]) && HoldsFrom(reading, request, lines[1..], turn + Here(reading, lines[0])) {
        RightOfFirstAndRestIsRightOfAll(reading, request, lines, turn);
      }
    }
  }

  /** P25: the decision says yes exactly where the file holds what was asked for. */
  lemma AcceptsExactly(reading: Reading, request: Request, lines: seq<Text>)
    requires Sensible(request)
    ensures Accepts(reading, request, lines) <==> Holds(reading, request, lines)
  {
    AcceptsFromExactly(reading, request, lines, 0);
  }

  /** P25: two files that are accepted hold entries of the same uuids in the same order, and the same head. Where a line may stand
    * for itself alone, they hold the same lines, which are those of the source. */
  lemma AcceptedFilesHoldTheSame(reading: Reading, request: Request, one: seq<Text>, other: seq<Text>)
    requires Sensible(request)
    requires Accepts(reading, request, one) && Accepts(reading, request, other)
    ensures |EntryLines(reading, one)| == |EntryLines(reading, other)| == |request.kept|
    ensures forall i | 0 <= i < |request.kept| ::
              reading.uuid(EntryLines(reading, one)[i]) == reading.uuid(EntryLines(reading, other)[i]) == Some(request.kept[i])
    ensures reading.head(one[|one| - 1]) == reading.head(other[|other| - 1]) == Some(Point(request))
    ensures (forall a: Text, b: Text | request.standsFor(a, b) :: a == b) ==>
              EntryLines(reading, one) == EntryLines(reading, other)
              && forall i | 0 <= i < |request.kept| :: EntryLines(reading, one)[i] == request.lines[request.kept[i]]
  {
    AcceptsExactly(reading, request, one);
    AcceptsExactly(reading, request, other);
    forall i | 0 <= i < |request.kept|
      ensures HasItsTurn(reading, request, i, EntryLines(reading, one)[i])
      ensures HasItsTurn(reading, request, i, EntryLines(reading, other)[i])
    {
    }
  }

  /** A file names its head on its last line, and on no other. */
  lemma AcceptedFileNamesOneHead(reading: Reading, request: Request, lines: seq<Text>)
    requires Sensible(request)
    requires Accepts(reading, request, lines)
    requires forall line | line in lines && reading.uuid(line).Some? :: reading.head(line).None?
    ensures forall i | 0 <= i < |lines| :: reading.head(lines[i]).Some? <==> i == |lines| - 1
  {
    AcceptsExactly(reading, request, lines);
    forall i | 0 <= i < |lines| - 1
      ensures reading.head(lines[i]).None?
    {
      if reading.uuid(lines[i]).None? {
        assert MayStand(reading, request, |EntryLines(reading, lines[..i])|, lines[i]);
      } else {
        assert lines[i] in lines;
      }
    }
  }

  // --- The fork of the model ---

  /** The entry of a turn. */
  lemma ParsedAt(parse: Text -> Entry, lines: seq<Text>, i: nat)
    requires i < |lines|
    ensures |Parsed(parse, lines)| == |lines|
    ensures Parsed(parse, lines)[i] == parse(lines[i])
    decreases |lines|
  {
    ParsedLength(parse, lines);
    if i > 0 {
      ParsedAt(parse, lines[1..], i - 1);
    }
  }

  /** There are as many entries as lines. */
  lemma ParsedLength(parse: Text -> Entry, lines: seq<Text>)
    ensures |Parsed(parse, lines)| == |lines|
    decreases |lines|
  {
    if |lines| > 0 {
      ParsedLength(parse, lines[1..]);
    }
  }

  /** The uuid of a turn. */
  lemma InOrderAt(log: Log, i: nat)
    requires i < |log|
    ensures |InOrder(log)| == |log|
    ensures InOrder(log)[i] == log[i].uuid
    decreases |log|
  {
    InOrderLength(log);
    if i > 0 {
      InOrderAt(log[1..], i - 1);
    }
  }

  /** There are as many uuids as entries. */
  lemma InOrderLength(log: Log)
    ensures |InOrder(log)| == |log|
    decreases |log|
  {
    if |log| > 0 {
      InOrderLength(log[1..]);
    }
  }

  /** P25: what is accepted for a request that asks for a log is read as that log, entry for entry alike. */
  lemma AcceptedFileIsReadAsWhatWasAsked(
    reading: Reading, request: Request, parse: Text -> Entry, log: Log, alike: (Entry, Entry) -> bool, lines: seq<Text>)
    requires Sensible(request)
    requires AsksFor(request, parse, log, alike)
    requires Accepts(reading, request, lines)
    ensures |LogOf(reading, parse, lines)| == |log|
    ensures forall i | 0 <= i < |log| :: alike(log[i], LogOf(reading, parse, lines)[i])
    ensures reading.head(lines[|lines| - 1]) == Some(log[|log| - 1].uuid)
  {
    AcceptsExactly(reading, request, lines);
    var found := EntryLines(reading, lines);
    InOrderLength(log);
    ParsedLength(parse, found);
    forall i | 0 <= i < |log|
      ensures alike(log[i], LogOf(reading, parse, lines)[i])
    {
      InOrderAt(log, i);
      ParsedAt(parse, found, i);
      assert HasItsTurn(reading, request, i, found[i]);
      assert log[i] in log;
    }
    InOrderAt(log, |log| - 1);
  }

  /** P25: what is accepted for a request that asks for a fork is that fork. With what stands beside each entry it is the fork of the
    * session, and the head that it names is the point. */
  lemma AcceptedFileIsTheFork(
    reading: Reading, request: Request, parse: Text -> Entry, s: Stores.Session, u: Id, lines: seq<Text>)
    requires Sensible(request)
    requires WellFormed(s.log) && u in Uuids(s.log)
    requires AsksFor(request, parse, Rendering.ForkKept(s.log, s.preserved, u), (one: Entry, other: Entry) => one == other)
    requires Accepts(reading, request, lines)
    ensures LogOf(reading, parse, lines) == Rendering.ForkKept(s.log, s.preserved, u)
    ensures Stores.PartOf(s, LogOf(reading, parse, lines), u) == Stores.ForkSession(s, u)
    ensures reading.head(lines[|lines| - 1]) == Some(u)
  {
    var fork := Rendering.ForkKept(s.log, s.preserved, u);
    AcceptedFileIsReadAsWhatWasAsked(reading, request, parse, fork, (one: Entry, other: Entry) => one == other, lines);
    EntriesProofs.WellFormedMeansUniqueAndParentsFirst(s.log);
    RenderingProofs.ForkKeptEndsIn(s.log, s.preserved, u);
    assert LogOf(reading, parse, lines) == fork;
  }

  /** P25: where lines were restamped, it is the fork but for envelopes. */
  lemma AcceptedFileIsTheForkButForEnvelopes(
    reading: Reading, request: Request, parse: Text -> Entry, s: Stores.Session, u: Id, envelope: set<Key>, lines: seq<Text>)
    requires Sensible(request)
    requires WellFormed(s.log) && u in Uuids(s.log)
    requires AsksFor(request, parse, Rendering.ForkKept(s.log, s.preserved, u),
                     (one: Entry, other: Entry) => Stores.Bare(one, envelope) == Stores.Bare(other, envelope))
    requires Accepts(reading, request, lines)
    ensures Stores.BareLog(LogOf(reading, parse, lines), envelope) ==
            Stores.BareLog(Rendering.ForkKept(s.log, s.preserved, u), envelope)
    ensures reading.head(lines[|lines| - 1]) == Some(u)
  {
    var fork := Rendering.ForkKept(s.log, s.preserved, u);
    var alike := (one: Entry, other: Entry) => Stores.Bare(one, envelope) == Stores.Bare(other, envelope);
    AcceptedFileIsReadAsWhatWasAsked(reading, request, parse, fork, alike, lines);
    EntriesProofs.WellFormedMeansUniqueAndParentsFirst(s.log);
    RenderingProofs.ForkKeptEndsIn(s.log, s.preserved, u);
    StoresProofs.BareIsEntrywise(fork, envelope);
    StoresProofs.BareIsEntrywise(LogOf(reading, parse, lines), envelope);
    forall i | 0 <= i < |fork|
      ensures Stores.BareLog(LogOf(reading, parse, lines), envelope)[i] == Stores.BareLog(fork, envelope)[i]
    {
      assert alike(fork[i], LogOf(reading, parse, lines)[i]);
    }
  }

  // --- Nothing leaks ---

  /** P25: two requests that agree on what is kept accept the same files, whatever else their sources hold. */
  lemma AcceptsDependsOnWhatIsKeptAlone(reading: Reading, one: Request, other: Request, lines: seq<Text>)
    requires Sensible(one) && Sensible(other)
    requires one.kept == other.kept
    requires forall id | id in one.kept :: one.lines[id] == other.lines[id]
    requires forall a: Text, b: Text :: one.standsFor(a, b) <==> other.standsFor(a, b)
    requires forall turn: nat, line: Text :: one.beside(turn, line) <==> other.beside(turn, line)
    ensures Accepts(reading, one, lines) <==> Accepts(reading, other, lines)
  {
    AcceptsExactly(reading, one, lines);
    AcceptsExactly(reading, other, lines);
    forall i, line | 0 <= i < |one.kept|
      ensures HasItsTurn(reading, one, i, line) <==> HasItsTurn(reading, other, i, line)
    {
      assert one.kept[i] in one.kept;
    }
  }

  /** P25: the forks of two sessions that agree on what is kept at a point, and on what stands beside it, are the same session. */
  lemma ForkDependsOnWhatIsKeptAlone(s: Stores.Session, t: Stores.Session, u: Id)
    requires u in Uuids(s.log) && u in Uuids(t.log)
    requires Rendering.ForkKept(s.log, s.preserved, u) == Rendering.ForkKept(t.log, t.preserved, u)
    requires forall e | e in Rendering.ForkKept(s.log, s.preserved, u) ::
               && Stores.SaidAlike(s.preserved, t.preserved, e.uuid)
               && Stores.SaidAlike(s.sayings, t.sayings, e.uuid)
               && Stores.SaidAlike(s.merges, t.merges, e.uuid)
               && Stores.SaidAlike(s.trims, t.trims, e.uuid)
    ensures Stores.ForkSession(s, u) == Stores.ForkSession(t, u)
  {
    var ids := Uuids(Rendering.ForkKept(s.log, s.preserved, u));
    forall id | id in ids
      ensures Stores.SaidAlike(s.preserved, t.preserved, id)
      ensures Stores.SaidAlike(s.sayings, t.sayings, id)
      ensures Stores.SaidAlike(s.merges, t.merges, id)
      ensures Stores.SaidAlike(s.trims, t.trims, id)
    {
      var e :| e in Rendering.ForkKept(s.log, s.preserved, u) && e.uuid == id;
    }
    OnlyAlike(s.preserved, t.preserved, ids);
    OnlyAlike(s.sayings, t.sayings, ids);
    OnlyAlike(s.merges, t.merges, ids);
    OnlyAlike(s.trims, t.trims, ids);
  }

  /** P25: the forks of two sessions that agree on the context at a point, and at each entry that is sent from outside of it, are the
    * same session, if the second holds these entries unchanged and in the same order and says the same of them. */
  lemma ForkDependsOnTheContextsAlone(s: Stores.Session, t: Stores.Session, u: Id)
    requires u in Uuids(s.log) && u in Uuids(t.log)
    requires Contexts.Context(s.log, u) == Contexts.Context(t.log, u)
    requires Rendering.Reaches(s.log, s.preserved, u) == Rendering.Reaches(t.log, t.preserved, u)
    requires forall v | v in Rendering.Reaches(s.log, s.preserved, u) ::
               && (v in Uuids(s.log) <==> v in Uuids(t.log))
               && (v in Uuids(s.log) ==> Contexts.Context(s.log, v) == Contexts.Context(t.log, v))
    requires var kept := Rendering.Kept(s.log, s.preserved, u); Keep(s.log, kept) == Keep(t.log, kept)
    requires forall e | e in Rendering.ForkKept(s.log, s.preserved, u) ::
               && Stores.SaidAlike(s.preserved, t.preserved, e.uuid)
               && Stores.SaidAlike(s.sayings, t.sayings, e.uuid)
               && Stores.SaidAlike(s.merges, t.merges, e.uuid)
               && Stores.SaidAlike(s.trims, t.trims, e.uuid)
    ensures Stores.ForkSession(s, u) == Stores.ForkSession(t, u)
  {
    MembersByTheContext(s.log, t.log, u);
    forall v | v in Rendering.Reaches(s.log, s.preserved, u) && v in Uuids(s.log)
      ensures Contexts.Members(s.log, v) == Contexts.Members(t.log, v)
    {
      MembersByTheContext(s.log, t.log, v);
    }
    assert Rendering.Kept(s.log, s.preserved, u) == Rendering.Kept(t.log, t.preserved, u);
    ForkDependsOnWhatIsKeptAlone(s, t, u);
  }

  /** P25: where nothing is sent from outside of the context, the context at the point is all that decides. */
  lemma ForkDependsOnTheContextAlone(s: Stores.Session, t: Stores.Session, u: Id)
    requires u in Uuids(s.log) && u in Uuids(t.log)
    requires Contexts.Context(s.log, u) == Contexts.Context(t.log, u)
    requires Rendering.Reaches(s.log, s.preserved, u) == Rendering.Reaches(t.log, t.preserved, u) == {}
    requires forall e | e in Contexts.Context(s.log, u) ::
               && Stores.SaidAlike(s.preserved, t.preserved, e.uuid)
               && Stores.SaidAlike(s.sayings, t.sayings, e.uuid)
               && Stores.SaidAlike(s.merges, t.merges, e.uuid)
               && Stores.SaidAlike(s.trims, t.trims, e.uuid)
    ensures Stores.ForkSession(s, u) == Stores.ForkSession(t, u)
  {
    MembersByTheContext(s.log, t.log, u);
    assert Rendering.Kept(s.log, s.preserved, u) == Contexts.Members(s.log, u);
    assert Rendering.Kept(t.log, t.preserved, u) == Contexts.Members(t.log, u);
    ForkDependsOnTheContextsAlone(s, t, u);
  }

  /** Two conversations with one context have the same members. */
  lemma MembersByTheContext(one: Log, other: Log, u: Id)
    requires u in Uuids(one) && u in Uuids(other)
    requires Contexts.Context(one, u) == Contexts.Context(other, u)
    ensures Contexts.Members(one, u) == Contexts.Members(other, u)
  {
    ContextsProofs.ContextHoldsExactlyTheMembers(one, u);
    ContextsProofs.ContextHoldsExactlyTheMembers(other, u);
  }

  /** Maps that say the same of some ids say the same where they say only that. */
  lemma OnlyAlike<T>(a: map<Id, T>, b: map<Id, T>, ids: set<Id>)
    requires forall id | id in ids :: Stores.SaidAlike(a, b, id)
    ensures Stores.Only(a, ids) == Stores.Only(b, ids)
  {
    assert forall id :: id in Stores.Only(a, ids) <==> id in Stores.Only(b, ids);
  }

  // --- There is such a file ---

  /** The lines of the kept entries, in order. */
  function KeptLines(request: Request, count: nat): seq<Text>
    requires Sensible(request) && count <= |request.kept|
    decreases count
  {
    if count == 0 then []
    else KeptLines(request, count - 1) + [request.lines[request.kept[count - 1]]]
  }

  /** P25: the source's own lines of the kept entries, and one that names the point behind them, are accepted, if each line stands for
    * itself and says its own uuid. So the decision refuses nothing that it must not. */
  lemma KeptLinesAreAccepted(reading: Reading, request: Request, last: Text)
    requires Sensible(request)
    requires forall id | id in request.kept ::
               reading.uuid(request.lines[id]) == Some(id) && request.standsFor(request.lines[id], request.lines[id])
    requires Closes(reading, request, last)
    ensures Accepts(reading, request, KeptLines(request, |request.kept|) + [last])
  {
    var kept := KeptLines(request, |request.kept|);
    var lines := kept + [last];
    KeptLinesHoldEntries(reading, request, |request.kept|);
    EntryLinesOfBoth(reading, kept, [last]);
    var none: seq<Text> := [last][1..];
    assert none == [];
    assert EntryLines(reading, [last]) == EntryLines(reading, none) == [];
    assert EntryLines(reading, lines) == kept;
    forall i | 0 <= i < |lines| - 1
      ensures reading.uuid(lines[i]).Some?
    {
      assert lines[i] == kept[i] == request.lines[request.kept[i]];
      assert request.kept[i] in request.kept;
    }
    forall i | 0 <= i < |request.kept|
      ensures HasItsTurn(reading, request, i, kept[i])
    {
      assert request.kept[i] in request.kept;
    }
    AcceptsExactly(reading, request, lines);
  }

  /** They stand in the order in which they are kept. */
  lemma KeptLinesAreInOrder(request: Request, count: nat)
    requires Sensible(request) && count <= |request.kept|
    ensures |KeptLines(request, count)| == count
    ensures forall i | 0 <= i < count :: KeptLines(request, count)[i] == request.lines[request.kept[i]]
    decreases count
  {
    if count > 0 {
      KeptLinesAreInOrder(request, count - 1);
    }
  }

  /** Each of them holds an entry. */
  lemma KeptLinesHoldEntries(reading: Reading, request: Request, count: nat)
    requires Sensible(request) && count <= |request.kept|
    requires forall id | id in request.kept :: reading.uuid(request.lines[id]) == Some(id)
    ensures EntryLines(reading, KeptLines(request, count)) == KeptLines(request, count)
    ensures |KeptLines(request, count)| == count
    ensures forall i | 0 <= i < count :: KeptLines(request, count)[i] == request.lines[request.kept[i]]
    decreases count
  {
    KeptLinesAreInOrder(request, count);
    if count > 0 {
      var line := request.lines[request.kept[count - 1]];
      KeptLinesHoldEntries(reading, request, count - 1);
      EntryLinesOfBoth(reading, KeptLines(request, count - 1), [line]);
      assert request.kept[count - 1] in request.kept;
      var none: seq<Text> := [line][1..];
      assert none == [];
      assert EntryLines(reading, [line]) == [line] + EntryLines(reading, none);
    }
  }

  // --- Files of sessions ---

  /** Lines behind others go on from what those make. */
  lemma WithLinesOfBoth(format: Format, s: Stores.Session, first: seq<Text>, second: seq<Text>)
    ensures WithLines(format, s, first + second) == WithLines(format, WithLines(format, s, first), second)
    decreases |second|
  {
    var both := first + second;
    if |second| == 0 {
      assert both == first;
    } else {
      assert both[|both| - 1] == second[|second| - 1];
      assert both[..|both| - 1] == first + second[..|second| - 1];
      WithLinesOfBoth(format, s, first, second[..|second| - 1]);
    }
  }

  /** The last entry of those behind so many; the head that was there, if there is none behind. */
  function LastBehind(log: Log, had: nat, head: Option<Id>): Option<Id> {
    if had < |log| then Some(log[|log| - 1].uuid) else head
  }

  /** A session after so many of its entries, with a head. */
  function UpTo(s: Stores.Session, count: nat, head: Option<Id>): Stores.Session
    requires count <= |s.log|
  {
    var ids := Uuids(s.log[..count]);
    Stores.Session(
      s.log[..count], Stores.Only(s.preserved, ids), Stores.Only(s.sayings, ids), Stores.Only(s.merges, ids),
      Stores.Only(s.trims, ids), head)
  }

  /** With one entry more, a map says what it says of that, too. */
  lemma OnlyOneMore<T>(said: map<Id, T>, ids: set<Id>, id: Id)
    ensures Stores.Only(said, ids + {id}) == AndSaid(Stores.Only(said, ids), id, SaidBy(said, id))
  {
    assert forall x :: x in Stores.Only(said, ids + {id}) <==> x in AndSaid(Stores.Only(said, ids), id, SaidBy(said, id));
  }

  /** What a session that goes on held before is all that its part up to there says. */
  lemma UpToThePast(after: Stores.Session, before: Stores.Session)
    requires Stores.ValidSession(before)
    requires Stores.Extends(after, before)
    ensures UpTo(after, |before.log|, before.head) == before
  {
    forall id | id in Uuids(before.log)
      ensures Stores.SaidAlike(after.preserved, before.preserved, id)
      ensures Stores.SaidAlike(after.sayings, before.sayings, id)
      ensures Stores.SaidAlike(after.merges, before.merges, id)
      ensures Stores.SaidAlike(after.trims, before.trims, id)
    {
      var e :| e in before.log && e.uuid == id;
    }
    OnlyAlike(after.preserved, before.preserved, Uuids(before.log));
    OnlyAlike(after.sayings, before.sayings, Uuids(before.log));
    OnlyAlike(after.merges, before.merges, Uuids(before.log));
    OnlyAlike(after.trims, before.trims, Uuids(before.log));
    assert Stores.Only(before.preserved, Uuids(before.log)) == before.preserved;
    assert Stores.Only(before.sayings, Uuids(before.log)) == before.sayings;
    assert Stores.Only(before.merges, Uuids(before.log)) == before.merges;
    assert Stores.Only(before.trims, Uuids(before.log)) == before.trims;
  }

  /** The lines of entries, one by one. */
  lemma LinesOfEntriesInOrder(format: Format, s: Stores.Session, log: Log)
    ensures |LinesOfEntries(format, s, log)| == |log|
    ensures forall i | 0 <= i < |log| :: LinesOfEntries(format, s, log)[i] == format.entryLine(ToldOf(s, log[i]))
    decreases |log|
  {
    if |log| > 0 {
      LinesOfEntriesInOrder(format, s, log[..|log| - 1]);
    }
  }

  /** The line of the next entry makes of a session after some of its entries what it is after one more. */
  lemma OneMoreEntryIsRead(format: Format, s: Stores.Session, count: nat, head: Option<Id>)
    requires Writes(format, s)
    requires count < |s.log|
    ensures WithLine(format, UpTo(s, count, head), format.entryLine(ToldOf(s, s.log[count])))
         == UpTo(s, count + 1, Some(s.log[count].uuid))
  {
    var e := s.log[count];
    var ids := Uuids(s.log[..count]);
    assert e in s.log;
    assert s.log[..count + 1] == s.log[..count] + [e];
    assert Uuids(s.log[..count + 1]) == ids + {e.uuid} by {
      EntriesProofs.UuidsOfConcatenation(s.log[..count], [e]);
      assert Uuids([e]) == {e.uuid};
    }
    OnlyOneMore(s.preserved, ids, e.uuid);
    OnlyOneMore(s.sayings, ids, e.uuid);
    OnlyOneMore(s.merges, ids, e.uuid);
    OnlyOneMore(s.trims, ids, e.uuid);
  }

  /** The first lines of the entries that are new make of the session before what it is after so many entries. */
  lemma NewEntriesAreRead(format: Format, before: Stores.Session, after: Stores.Session, count: nat)
    requires Stores.ValidSession(before) && Stores.Extends(after, before)
    requires Writes(format, after)
    requires count <= |after.log| - |before.log|
    ensures |LinesOfEntries(format, after, after.log[|before.log|..])| == |after.log| - |before.log|
    ensures WithLines(format, before, LinesOfEntries(format, after, after.log[|before.log|..])[..count])
         == UpTo(after, |before.log| + count, LastBehind(after.log[..|before.log| + count], |before.log|, before.head))
    decreases count
  {
    hide *;
    reveal WithLines, LastBehind;
    var had := |before.log|;
    var lines := LinesOfEntries(format, after, after.log[had..]);
    LinesOfEntriesInOrder(format, after, after.log[had..]);
    assert |before.log| <= |after.log| by {
      reveal Stores.Extends;
    }
    if count == 0 {
      UpToThePast(after, before);
    } else {
      var head := LastBehind(after.log[..had + count - 1], had, before.head);
      NewEntriesAreRead(format, before, after, count - 1);
      assert after.log[had..][count - 1] == after.log[had + count - 1];
      assert lines[..count][..count - 1] == lines[..count - 1];
      OneMoreEntryIsRead(format, after, had + count - 1, head);
    }
  }

  /** All of a valid session is what it is after all its entries. */
  lemma UpToTheEnd(s: Stores.Session)
    requires Stores.ValidSession(s)
    ensures UpTo(s, |s.log|, s.head) == s
  {
    assert s.log[..|s.log|] == s.log;
    assert Stores.Only(s.preserved, Uuids(s.log)) == s.preserved;
    assert Stores.Only(s.sayings, Uuids(s.log)) == s.sayings;
    assert Stores.Only(s.merges, Uuids(s.log)) == s.merges;
    assert Stores.Only(s.trims, Uuids(s.log)) == s.trims;
  }

  /** A session that goes on has a head if it had one: what is appended may say so. */
  predicate HeadStays(after: Stores.Session, before: Stores.Session) {
    after.head.Some? || after.head == before.head
  }

  /** P5: the new lines of a session that goes on make of the one before the one after. */
  lemma NewLinesAreRead(format: Format, before: Stores.Session, after: Stores.Session)
    requires Stores.ValidSession(before) && Stores.ValidSession(after)
    requires Stores.Extends(after, before) && HeadStays(after, before)
    requires Writes(format, after)
    ensures WithLines(format, before, NewLines(format, after, |before.log|)) == after
    ensures Appends.AllSelfDelimiting(format.reader, NewLines(format, after, |before.log|))
  {
    hide *;
    var had := |before.log|;
    assert had <= |after.log| by {
      reveal Stores.Extends;
    }
    var lines := LinesOfEntries(format, after, after.log[had..]);
    var read := after.(head := LastBehind(after.log, had, before.head));
    assert WithLines(format, before, lines) == read by {
      NewEntriesAreRead(format, before, after, |after.log| - had);
      assert lines[..|after.log| - had] == lines;
      assert after.log[..had + (|after.log| - had)] == after.log;
      UpToTheEnd(after);
      reveal UpTo;
    }
    assert NewLines(format, after, had) == lines + LineOfHead(format, after) by {
      reveal NewLines;
    }
    WithLinesOfBoth(format, before, lines, LineOfHead(format, after));
    assert after.head.None? ==> read.head.None? by {
      reveal HeadStays, LastBehind, Writes;
    }
    TheHeadIsRead(format, after, read);
    NewLinesDelimitThemselves(format, after, had);
  }

  /** The line of the head makes it the head; where there is no line, nothing is another. */
  lemma TheHeadIsRead(format: Format, s: Stores.Session, read: Stores.Session)
    requires Writes(format, s)
    requires read == s.(head := read.head)
    requires s.head.None? ==> read.head.None?
    ensures WithLines(format, read, LineOfHead(format, s)) == s
  {
    if s.head.Some? {
      var line := format.headLine(s.head.value);
      var last: seq<Text> := [line];
      assert last[..0] == [];
      assert WithLines(format, read, last) == WithLine(format, WithLines(format, read, last[..0]), line);
    }
  }

  /** Each of the new lines delimits itself. */
  lemma NewLinesDelimitThemselves(format: Format, s: Stores.Session, had: nat)
    requires Writes(format, s)
    requires had <= |s.log|
    ensures Appends.AllSelfDelimiting(format.reader, NewLines(format, s, had))
  {
    var lines := LinesOfEntries(format, s, s.log[had..]);
    LinesOfEntriesInOrder(format, s, s.log[had..]);
    forall line | line in NewLines(format, s, had)
      ensures Appends.SelfDelimiting(format.reader, line)
    {
      if line in lines {
        var i :| 0 <= i < |lines| && lines[i] == line;
        assert s.log[had..][i] in s.log;
      }
    }
  }

  /** P5: after an operation every file reads as its session, if it did before, and every old byte stands. */
  lemma FilesAfterCarry(format: Format, files: map<Id, Text>, store: Stores.Store, op: Stores.Operation)
    requires Stores.Valid(store)
    requires Stores.Enabled(store, op)
    requires Carry(format, files, store)
    requires forall id | id in Stores.Apply(store, op) :: Writes(format, Stores.Apply(store, op)[id])
    ensures var after := FilesAfter(format, files, store, Stores.Apply(store, op));
            && Carry(format, after, Stores.Apply(store, op))
            && (forall id | id in files :: id in after && files[id] <= after[id])
  {
    var next := Stores.Apply(store, op);
    var after := FilesAfter(format, files, store, next);
    StoresProofs.ApplyIsAppendOnly(store, op);
    StoresProofs.ApplyKeepsStoresValid(store, op);
    forall id | id in next
      ensures SessionOf(format, after[id]) == next[id]
      ensures id in files ==> files[id] <= after[id]
    {
      if id in store {
        if next[id] != store[id] {
          OperationsKeepHeads(store, op, id);
          var lines := NewLines(format, next[id], |store[id].log|);
          NewLinesAreRead(format, store[id], next[id]);
          AppendsProofs.AppendReadsAsOldThenNew(format.reader, files[id], lines);
          WithLinesOfBoth(
            format, Stores.Session([], map[], map[], map[], map[], None), Appends.Read(format.reader, files[id]), lines);
          AppendsProofs.AppendTouchesNoOldByte(files[id], lines);
        }
      } else {
        NewFileReadsAsItsSession(format, next[id]);
      }
    }
  }

  /** A head may move, and does not go away. */
  lemma OperationsKeepHeads(store: Stores.Store, op: Stores.Operation, id: Id)
    requires Stores.Enabled(store, op)
    requires id in store
    ensures id in Stores.Apply(store, op) && HeadStays(Stores.Apply(store, op)[id], store[id])
  {
  }

  /** P5: a session that is written into a file of its own is what the file reads as. */
  lemma NewFileReadsAsItsSession(format: Format, s: Stores.Session)
    requires Stores.ValidSession(s)
    requires Writes(format, s)
    ensures SessionOf(format, Appends.Append([], NewLines(format, s, 0))) == s
  {
    var none := Stores.Session([], map[], map[], map[], map[], None);
    var lines := NewLines(format, s, 0);
    assert Stores.Extends(s, none);
    NewLinesAreRead(format, none, s);
    AppendsProofs.AppendReadsAsOldThenNew(format.reader, [], lines);
    AppendsProofs.NothingReadsAsNothing(format.reader);
    assert [] + lines == lines;
  }

  /** P5 on bytes: whatever the history, every file that was there begins with all its old bytes, and every file reads as its session. */
  lemma HistoryKeepsEveryByte(format: Format, files: map<Id, Text>, store: Stores.Store, ops: seq<Stores.Operation>)
    requires Stores.Valid(store)
    requires Stores.ApplyAll(store, ops).Some?
    requires Carry(format, files, store)
    requires WritesThrough(format, store, ops)
    ensures Carry(format, FilesThrough(format, files, store, ops), Stores.ApplyAll(store, ops).value)
    ensures forall id | id in files ::
              && id in FilesThrough(format, files, store, ops)
              && files[id] <= FilesThrough(format, files, store, ops)[id]
    decreases |ops|
  {
    if |ops| > 0 {
      var next := Stores.Apply(store, ops[0]);
      FilesAfterCarry(format, files, store, ops[0]);
      StoresProofs.ApplyKeepsStoresValid(store, ops[0]);
      HistoryKeepsEveryByte(format, FilesAfter(format, files, store, next), next, ops[1..]);
    }
  }

  /** P5 on bytes: whatever part of an operation's write reached the disk, the file reads as a session between the one before and the
    * one after. Its head is the last of the new entries that it has, or the head before if it has none, until the head's line is there. */
  lemma TornOperationIsBetween(format: Format, file: Text, before: Stores.Session, after: Stores.Session, n: nat)
    requires Stores.ValidSession(before) && Stores.ValidSession(after)
    requires Stores.Extends(after, before) && HeadStays(after, before)
    requires Writes(format, after)
    requires SessionOf(format, file) == before
    requires n <= |Appends.Written(file, NewLines(format, after, |before.log|))|
    ensures var torn := Appends.Torn(file, NewLines(format, after, |before.log|), n);
            var read := SessionOf(format, torn);
            && file <= torn
            && Stores.Extends(read, before)
            && Stores.Extends(after, read)
            && (read == after || read.head == LastBehind(read.log, |before.log|, before.head))
  {
    var lines := NewLines(format, after, |before.log|);
    var k := Appends.LandedOf(file, lines, n);
    var read := Appends.Read(format.reader, file);
    NewLinesAreRead(format, before, after);
    AppendsProofs.TornWriteReadsAsOldThenWhatLanded(format.reader, file, lines, n);
    WithLinesOfBoth(format, Stores.Session([], map[], map[], map[], map[], None), read, lines[..k]);
    SomeNewLinesAreBetween(format, before, after, k);
  }

  /** The first of the new lines make a session between the two. */
  lemma SomeNewLinesAreBetween(format: Format, before: Stores.Session, after: Stores.Session, k: nat)
    requires Stores.ValidSession(before) && Stores.ValidSession(after)
    requires Stores.Extends(after, before) && HeadStays(after, before)
    requires Writes(format, after)
    requires k <= |NewLines(format, after, |before.log|)|
    ensures var read := WithLines(format, before, NewLines(format, after, |before.log|)[..k]);
            && Stores.Extends(read, before)
            && Stores.Extends(after, read)
            && (read == after || read.head == LastBehind(read.log, |before.log|, before.head))
  {
    hide *;
    var had := |before.log|;
    var lines := NewLines(format, after, had);
    assert had <= |after.log| by {
      reveal Stores.Extends;
    }
    var entries := LinesOfEntries(format, after, after.log[had..]);
    LinesOfEntriesInOrder(format, after, after.log[had..]);
    assert lines == entries + LineOfHead(format, after) && |LineOfHead(format, after)| <= 1 by {
      reveal NewLines, LineOfHead;
    }
    if k <= |entries| {
      assert lines[..k] == entries[..k];
      SomeNewEntriesAreBetween(format, before, after, k);
    } else {
      assert lines[..k] == lines;
      NewLinesAreRead(format, before, after);
      assert Stores.Extends(after, after) by {
        assert after.log[..|after.log|] == after.log;
        reveal Stores.Extends, Stores.SaidAlike;
      }
    }
  }

  /** The first of the new entries make a session between the two; the last of them is its head. */
  lemma SomeNewEntriesAreBetween(format: Format, before: Stores.Session, after: Stores.Session, k: nat)
    requires Stores.ValidSession(before)
    requires Stores.Extends(after, before)
    requires Writes(format, after)
    requires k <= |after.log| - |before.log|
    ensures |LinesOfEntries(format, after, after.log[|before.log|..])| == |after.log| - |before.log|
    ensures var read := WithLines(format, before, LinesOfEntries(format, after, after.log[|before.log|..])[..k]);
            && Stores.Extends(read, before)
            && Stores.Extends(after, read)
            && read.head == LastBehind(read.log, |before.log|, before.head)
  {
    hide *;
    var count := |before.log| + k;
    var head := LastBehind(after.log[..count], |before.log|, before.head);
    NewEntriesAreRead(format, before, after, k);
    UpToIsBetween(before, after, count, head);
    assert UpTo(after, count, head).log == after.log[..count] && UpTo(after, count, head).head == head by {
      reveal UpTo;
    }
  }

  /** A session after some of its new entries continues the one before, and is continued by the one after. */
  lemma UpToIsBetween(before: Stores.Session, after: Stores.Session, count: nat, head: Option<Id>)
    requires Stores.ValidSession(before)
    requires Stores.Extends(after, before)
    requires |before.log| <= count <= |after.log|
    ensures Stores.Extends(UpTo(after, count, head), before)
    ensures Stores.Extends(after, UpTo(after, count, head))
  {
    var read := UpTo(after, count, head);
    assert read.log[..|before.log|] == after.log[..|before.log|];
    forall e | e in before.log
      ensures e.uuid in Uuids(read.log)
    {
      var i :| 0 <= i < |before.log| && before.log[i] == e;
      assert read.log[i] == after.log[..|before.log|][i] == e;
    }
  }

  // --- From a file to a file ---

  /** The session with nothing in it. */
  function Nothing(): Stores.Session {
    Stores.Session([], map[], map[], map[], map[], None)
  }

  /** The line of an entry in a file tells what the session that the file reads as says of it. */
  lemma LinesTellTheSession(format: Format, lines: seq<Text>, line: Text)
    requires TellsByName(format)
    requires UniqueUuids(WithLines(format, Nothing(), lines).log)
    ensures var s := WithLines(format, Nothing(), lines);
            && s.preserved.Keys <= Uuids(s.log) && s.sayings.Keys <= Uuids(s.log) && s.merges.Keys <= Uuids(s.log)
            && s.trims.Keys <= Uuids(s.log)
            && (line in lines && format.reading.uuid(line).Some? ==>
                  && format.told(line).entry in s.log
                  && format.told(line) == ToldOf(s, format.told(line).entry))
    decreases |lines|
  {
    if |lines| > 0 {
      var before, last := WithLines(format, Nothing(), lines[..|lines| - 1]), lines[|lines| - 1];
      var s := WithLines(format, Nothing(), lines);
      assert s == WithLine(format, before, last);
      if format.reading.uuid(last).Some? {
        var e := format.told(last).entry;
        assert s.log == before.log + [e];
        assert e.uuid !in Uuids(before.log) && UniqueUuids(before.log) by {
          assert forall i | 0 <= i < |before.log| :: s.log[i] == before.log[i];
          assert s.log[|s.log| - 1] == e;
        }
        EntriesProofs.UuidsOfLast(s.log);
        assert s.log[..|s.log| - 1] == before.log;
        LinesTellTheSession(format, lines[..|lines| - 1], line);
        if line in lines[..|lines| - 1] && format.reading.uuid(line).Some? {
          assert format.told(line).entry in before.log;
          assert format.told(line).entry.uuid in Uuids(before.log);
          assert format.told(line).entry.uuid != e.uuid;
        }
      } else {
        LinesTellTheSession(format, lines[..|lines| - 1], line);
      }
    }
  }

  /** A head, whatever it is. */
  function HeadOf(format: Format, lines: seq<Text>): Option<Id> {
    WithLines(format, Nothing(), lines).head
  }

  /** Lines whose entries tell, in order, what a session says of its entries make that session, but for its head. */
  lemma LinesMakeTheSession(format: Format, lines: seq<Text>, t: Stores.Session)
    requires TellsByName(format)
    requires |EntryLines(format.reading, lines)| <= |t.log|
    requires forall i | 0 <= i < |EntryLines(format.reading, lines)| ::
               format.told(EntryLines(format.reading, lines)[i]) == ToldOf(t, t.log[i])
    ensures WithLines(format, Nothing(), lines)
         == UpTo(t, |EntryLines(format.reading, lines)|, HeadOf(format, lines))
    decreases |lines|
  {
    if |lines| == 0 {
      assert t.log[..0] == [];
    } else {
      var first, last := lines[..|lines| - 1], lines[|lines| - 1];
      assert lines == first + [last];
      EntryLinesOfBoth(format.reading, first, [last]);
      var those := EntryLines(format.reading, first);
      assert EntryLines(format.reading, [last][1..]) == [];
      assert EntryLines(format.reading, lines)[..|those|] == those;
      LinesMakeTheSession(format, first, t);
      if format.reading.uuid(last).Some? {
        assert EntryLines(format.reading, lines) == those + [last];
        var e, ids := t.log[|those|], Uuids(t.log[..|those|]);
        assert format.told(last) == ToldOf(t, e);
        assert t.log[..|those| + 1] == t.log[..|those|] + [e];
        assert Uuids(t.log[..|those| + 1]) == ids + {e.uuid} by {
          EntriesProofs.UuidsOfConcatenation(t.log[..|those|], [e]);
          assert Uuids([e]) == {e.uuid};
        }
        OnlyOneMore(t.preserved, ids, e.uuid);
        OnlyOneMore(t.sayings, ids, e.uuid);
        OnlyOneMore(t.merges, ids, e.uuid);
        OnlyOneMore(t.trims, ids, e.uuid);
      } else {
        assert EntryLines(format.reading, lines) == those;
      }
    }
  }

  /** P25 on bytes: where a request takes from a file, in which no uuid stands twice, the lines of a part of its log, a file that is
    * accepted for it reads as that part of the session, with all that stood beside each entry; and it goes on at the last entry. */
  lemma AcceptedFileIsPartOfTheSession(format: Format, file: Text, request: Request, made: Text, part: Log)
    requires TellsByName(format)
    requires UniqueUuids(SessionOf(format, file).log)
    requires |part| > 0 && (forall e | e in part :: e in SessionOf(format, file).log)
    requires request.kept == InOrder(part)
    requires Sensible(request)
    requires TakenFrom(format, request, file)
    requires Accepts(format.reading, request, Appends.Read(format.reader, made))
    ensures SessionOf(format, made) == Stores.PartOf(SessionOf(format, file), part, part[|part| - 1].uuid)
  {
    hide Accepts, Appends.Read, WithLines, EntryLines;
    var s, lines := SessionOf(format, file), Appends.Read(format.reader, made);
    var whole := Appends.Read(format.reader, file);
    var t := Stores.PartOf(s, part, part[|part| - 1].uuid);
    AcceptsExactly(format.reading, request, lines);
    InOrderLength(part);
    var found := EntryLines(format.reading, lines);
    forall i | 0 <= i < |found|
      ensures format.told(found[i]) == ToldOf(t, t.log[i])
    {
      InOrderAt(part, i);
      assert HasItsTurn(format.reading, request, i, found[i]);
      var id := request.kept[i];
      assert id in request.kept;
      LinesTellTheSession(format, whole, request.lines[id]);
      var told := format.told(request.lines[id]);
      assert told.entry in s.log && part[i] in part && part[i] in s.log;
      EntriesProofs.SameUuidIsSameEntry(s.log, told.entry, part[i]);
      assert id in Uuids(part);
    }
    LinesMakeTheSession(format, lines, t);
    assert t.log[..|part|] == t.log;
    var last := lines[|lines| - 1];
    InOrderAt(part, |part| - 1);
    assert HeadOf(format, lines) == Some(Point(request)) by {
      reveal WithLines;
    }
    OnlyOnceMore(s.preserved, Uuids(part));
    OnlyOnceMore(s.sayings, Uuids(part));
    OnlyOnceMore(s.merges, Uuids(part));
    OnlyOnceMore(s.trims, Uuids(part));
  }

  /** To say only what is said only is the same. */
  lemma OnlyOnceMore<T>(said: map<Id, T>, ids: set<Id>)
    ensures Stores.Only(Stores.Only(said, ids), ids) == Stores.Only(said, ids)
  {
  }
}

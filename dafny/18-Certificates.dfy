// Chapter 18. Certificates: whether a file that was written holds what was asked for, and nothing else (P25). The decision reads the
// file line by line and asks no planner; what it accepts is, read as a log, the fork of the model.
include "14-Stores.dfy"
include "17-Appends.dfy"

module Certificates {
  import opened Names
  import opened Entries
  import opened Forks
  import Appends
  import Rendering
  import Stores

  /** The bytes of a line. */
  type Text = Appends.Text

  /** What a line says by itself: the uuid of the entry that it holds, if it holds one, and the entry that it names as the head, if
    * it names one. */
  datatype Reading = Reading(uuid: Text -> Option<Id>, head: Text -> Option<Id>)

  /** What was asked for: the uuids of the entries that are kept, in order, the point last; the source's line of each; which line may
    * stand for a line of the source; and which lines that hold no entry may stand behind so many kept entries. */
  datatype Request = Request(
    kept: seq<Id>,
    lines: map<Id, Text>,
    standsFor: (Text, Text) -> bool,
    beside: (nat, Text) -> bool)

  /** Something is kept, and every kept entry has a line in the source. */
  predicate Sensible(request: Request) {
    && |request.kept| > 0
    && forall id | id in request.kept :: id in request.lines
  }

  /** The point at which the file goes on. */
  function Point(request: Request): Id
    requires Sensible(request)
  {
    request.kept[|request.kept| - 1]
  }

  /** The lines that hold an entry. */
  function EntryLines(reading: Reading, lines: seq<Text>): seq<Text>
    decreases |lines|
  {
    if |lines| == 0 then []
    else (if reading.uuid(lines[0]).Some? then [lines[0]] else []) + EntryLines(reading, lines[1..])
  }

  /** The line of an entry is the one that has its turn. */
  predicate HasItsTurn(reading: Reading, request: Request, turn: nat, line: Text)
    requires Sensible(request)
  {
    && turn < |request.kept|
    && reading.uuid(line) == Some(request.kept[turn])
    && request.standsFor(request.lines[request.kept[turn]], line)
  }

  /** The last line holds no entry and names the point as the head. */
  predicate Closes(reading: Reading, request: Request, line: Text)
    requires Sensible(request)
  {
    reading.uuid(line).None? && reading.head(line) == Some(Point(request))
  }

  /** A line that holds no entry, and is not the last, names no head, and may stand where it stands. */
  predicate MayStand(reading: Reading, request: Request, turn: nat, line: Text) {
    reading.head(line).None? && request.beside(turn, line)
  }

  /** What was asked for, said plainly: the entries are those that are kept, each once, in order, and nothing else; each line that
    * holds none may stand where it stands; the last one closes. */
  predicate Holds(reading: Reading, request: Request, lines: seq<Text>)
    requires Sensible(request)
  {
    && |lines| > 0
    && Closes(reading, request, lines[|lines| - 1])
    && |EntryLines(reading, lines)| == |request.kept|
    && (forall i | 0 <= i < |request.kept| :: HasItsTurn(reading, request, i, EntryLines(reading, lines)[i]))
    && (forall i | 0 <= i < |lines| - 1 ::
          reading.uuid(lines[i]).None? ==> MayStand(reading, request, |EntryLines(reading, lines[..i])|, lines[i]))
  }

  /** The decision, line by line: whether the lines from one on are right, when so many entries stand before. */
  predicate AcceptsFrom(reading: Reading, request: Request, lines: seq<Text>, turn: nat)
    requires Sensible(request)
    decreases |lines|
  {
    if |lines| == 0 then false
    else if |lines| == 1 then turn == |request.kept| && Closes(reading, request, lines[0])
    else if reading.uuid(lines[0]).Some? then
      HasItsTurn(reading, request, turn, lines[0]) && AcceptsFrom(reading, request, lines[1..], turn + 1)
    else MayStand(reading, request, turn, lines[0]) && AcceptsFrom(reading, request, lines[1..], turn)
  }

  /** The decision. */
  predicate Accepts(reading: Reading, request: Request, lines: seq<Text>)
    requires Sensible(request)
  {
    AcceptsFrom(reading, request, lines, 0)
  }

  // --- What the lines are read as ---

  /** The entries that lines hold. */
  function Parsed(parse: Text -> Entry, lines: seq<Text>): Log
    decreases |lines|
  {
    if |lines| == 0 then [] else [parse(lines[0])] + Parsed(parse, lines[1..])
  }

  /** The log that a file reads as, by a reader of entries. */
  function LogOf(reading: Reading, parse: Text -> Entry, lines: seq<Text>): Log {
    Parsed(parse, EntryLines(reading, lines))
  }

  /** The uuids of a log, in its order. */
  function InOrder(log: Log): seq<Id>
    decreases |log|
  {
    if |log| == 0 then [] else [log[0].uuid] + InOrder(log[1..])
  }

  /** A request asks for a log: it keeps its entries, whose lines in the source are read as they are, and lines that stand for each
    * other are read alike. */
  ghost predicate AsksFor(request: Request, parse: Text -> Entry, log: Log, alike: (Entry, Entry) -> bool) {
    && request.kept == InOrder(log)
    && (forall e | e in log :: e.uuid in request.lines && parse(request.lines[e.uuid]) == e)
    && (forall one: Text, other: Text | request.standsFor(one, other) :: alike(parse(one), parse(other)))
  }
}

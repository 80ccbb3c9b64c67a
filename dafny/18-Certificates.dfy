// Chapter 18. Certificates: whether a file that was written holds what was asked for, and nothing else (P25). The decision reads the
// file line by line and asks no planner; what it accepts is, read as a log, the fork of the model.
include "14-Stores.dfy"
include "17-Appends.dfy"

module Certificates {
  import opened Names
  import opened Entries
  import opened Forks
  import Appends
  import Overlays
  import Rendering
  import Stores
  import Trims

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

  // --- Files of sessions ---

  /** What the line of an entry says: the entry, what it preserves as a boundary, what it says as a record, its second parent, and the
    * faces that it gives as a trim. */
  datatype Told = Told(
    entry: Entry,
    preserves: Option<Rendering.Preserved>,
    says: Option<Overlays.Overlay>,
    merges: Option<Id>,
    trims: Option<Trims.Faces>)

  /** What a map says of an id, if it says something. */
  function SaidBy<T>(said: map<Id, T>, id: Id): Option<T> {
    if id in said then Some(said[id]) else None
  }

  /** A map that says something more of an id, if there is something. */
  function AndSaid<T>(said: map<Id, T>, id: Id, more: Option<T>): map<Id, T> {
    if more.Some? then said[id := more.value] else said
  }

  /** What a session says of an entry. */
  function ToldOf(s: Stores.Session, e: Entry): Told {
    Told(e, SaidBy(s.preserved, e.uuid), SaidBy(s.sayings, e.uuid), SaidBy(s.merges, e.uuid), SaidBy(s.trims, e.uuid))
  }

  /** How files hold sessions: which lines hold something, what a line says by itself, what the line of an entry says, and the lines
    * that are written for an entry and for a head. */
  datatype Format = Format(
    reader: Appends.Reader,
    reading: Reading,
    told: Text -> Told,
    entryLine: Told -> Text,
    headLine: Id -> Text)

  /** The session with one line more: an entry goes behind the others and is the head; a line that names a head moves it; any other
    * changes nothing. */
  function WithLine(format: Format, s: Stores.Session, line: Text): Stores.Session {
    if format.reading.uuid(line).Some? then
      var told := format.told(line);
      Stores.Session(
        s.log + [told.entry],
        AndSaid(s.preserved, told.entry.uuid, told.preserves),
        AndSaid(s.sayings, told.entry.uuid, told.says),
        AndSaid(s.merges, told.entry.uuid, told.merges),
        AndSaid(s.trims, told.entry.uuid, told.trims),
        Some(told.entry.uuid))
    else if format.reading.head(line).Some? then s.(head := format.reading.head(line))
    else s
  }

  /** The session with more lines. */
  function WithLines(format: Format, s: Stores.Session, lines: seq<Text>): Stores.Session
    decreases |lines|
  {
    if |lines| == 0 then s
    else WithLine(format, WithLines(format, s, lines[..|lines| - 1]), lines[|lines| - 1])
  }

  /** The session that a file reads as. */
  function SessionOf(format: Format, file: Text): Stores.Session {
    WithLines(format, Stores.Session([], map[], map[], map[], map[], None), Appends.Read(format.reader, file))
  }

  /** The lines of some entries of a session. */
  function LinesOfEntries(format: Format, s: Stores.Session, log: Log): seq<Text>
    decreases |log|
  {
    if |log| == 0 then []
    else LinesOfEntries(format, s, log[..|log| - 1]) + [format.entryLine(ToldOf(s, log[|log| - 1]))]
  }

  /** The line that names the head, if there is one. */
  function LineOfHead(format: Format, s: Stores.Session): seq<Text> {
    if s.head.Some? then [format.headLine(s.head.value)] else []
  }

  /** What is appended when a session that had so many entries has become `s`: the lines of the others, and that of the head. */
  function NewLines(format: Format, s: Stores.Session, had: nat): seq<Text> {
    (if had <= |s.log| then LinesOfEntries(format, s, s.log[had..]) else []) + LineOfHead(format, s)
  }

  /** The files of a store after an operation: to each session that changed its new lines are appended, and each new session gets a
    * file of its own. */
  function FilesAfter(format: Format, files: map<Id, Text>, before: Stores.Store, after: Stores.Store): map<Id, Text> {
    map id | id in after ::
      if id in before && id in files then
        if after[id] == before[id] then files[id]
        else Appends.Append(files[id], NewLines(format, after[id], |before[id].log|))
      else Appends.Append([], NewLines(format, after[id], 0))
  }

  /** The files after several operations, each enabled when its turn comes. */
  function FilesThrough(format: Format, files: map<Id, Text>, store: Stores.Store, ops: seq<Stores.Operation>): map<Id, Text>
    requires Stores.ApplyAll(store, ops).Some?
    decreases |ops|
  {
    if |ops| == 0 then files
    else
      var next := Stores.Apply(store, ops[0]);
      FilesThrough(format, FilesAfter(format, files, store, next), next, ops[1..])
  }

  /** Every session of a store has a file, which reads as it. */
  predicate Carry(format: Format, files: map<Id, Text>, store: Stores.Store) {
    files.Keys == store.Keys && forall id | id in store :: SessionOf(format, files[id]) == store[id]
  }

  /** A session with entries has a head, and the lines that are written for it are read as what was written. */
  ghost predicate Writes(format: Format, s: Stores.Session) {
    && (|s.log| > 0 ==> s.head.Some?)
    && (forall e | e in s.log ::
          var line := format.entryLine(ToldOf(s, e));
          && Appends.SelfDelimiting(format.reader, line)
          && format.reading.uuid(line) == Some(e.uuid)
          && format.told(line) == ToldOf(s, e))
    && (s.head.Some? ==>
          var line := format.headLine(s.head.value);
          && Appends.SelfDelimiting(format.reader, line)
          && format.reading.uuid(line).None?
          && format.reading.head(line) == s.head)
  }

  /** The same of every session that some operations make. */
  ghost predicate WritesThrough(format: Format, store: Stores.Store, ops: seq<Stores.Operation>)
    requires Stores.ApplyAll(store, ops).Some?
    decreases |ops|
  {
    |ops| > 0 ==>
      var next := Stores.Apply(store, ops[0]);
      (forall id | id in next :: Writes(format, next[id])) && WritesThrough(format, next, ops[1..])
  }

  // --- From a file to a file ---

  /** What the line of an entry tells is an entry with the uuid that the line has. */
  ghost predicate TellsByName(format: Format) {
    forall line: Text | format.reading.uuid(line).Some? :: format.told(line).entry.uuid == format.reading.uuid(line).value
  }

  /** A request takes its lines from a file: each is the line there of the entry that is kept, and a line stands for it only if it tells
    * the same. */
  ghost predicate TakenFrom(format: Format, request: Request, file: Text) {
    forall id | id in request.kept ::
      && id in request.lines
      && request.lines[id] in Appends.Read(format.reader, file)
      && format.reading.uuid(request.lines[id]) == Some(id)
      && (forall other: Text | request.standsFor(request.lines[id], other) :: format.told(request.lines[id]) == format.told(other))
  }
}

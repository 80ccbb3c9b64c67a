// Chapter 21. Worldlines: many futures of one conversation in one log (P7, P8, P9, P15, P17, P18, P22). Events never change; a worldline
// is a row that says where it comes from and which events are its own; an append compares and swaps its head.
include "03-Ancestries.dfy"

module Worldlines {
  import opened Names
  import opened Entries
  import opened Ancestries

  /** Where a worldline comes from: an event that another one, which was there before, appended. */
  datatype Origin = Origin(line: nat, event: Id)

  /** A worldline: its id, where it comes from, and the events that it appended itself, in order. */
  datatype Worldline = Worldline(id: Id, origin: Option<Origin>, own: seq<Id>)

  /** A thread: one log of events, and the worldlines in the order in which they were made. An event is an entry whose parent is the
    * event before it. */
  datatype Thread = Thread(log: Log, lines: seq<Worldline>)

  /** The event from which a worldline comes, if it comes from one. */
  function Base(line: Worldline): Option<Id> {
    if line.origin.Some? then Some(line.origin.value.event) else None
  }

  /** What stands before the `k`-th own event of a worldline. */
  function Before(line: Worldline, k: nat): Option<Id>
    requires k <= |line.own|
  {
    if k == 0 then Base(line) else Some(line.own[k - 1])
  }

  /** The head: the last own event, or the one from which the worldline comes. */
  function Head(line: Worldline): Option<Id> {
    Before(line, |line.own|)
  }

  // --- What a sound thread is ---

  /** A worldline comes from an event that an earlier one appended. */
  predicate Rooted(lines: seq<Worldline>, i: nat)
    requires i < |lines|
  {
    lines[i].origin.Some? ==>
      && lines[i].origin.value.line < i
      && lines[i].origin.value.event in lines[lines[i].origin.value.line].own
  }

  /** Each own event of a worldline is in the log and continues the one before it. */
  predicate Chained(log: Log, line: Worldline) {
    forall k | 0 <= k < |line.own| :: line.own[k] in Uuids(log) && Get(log, line.own[k]).parent == Before(line, k)
  }

  /** Every worldline is rooted. */
  predicate AllRooted(lines: seq<Worldline>) {
    forall i | 0 <= i < |lines| :: Rooted(lines, i)
  }

  /** Every worldline is chained. */
  predicate AllChained(log: Log, lines: seq<Worldline>) {
    forall i | 0 <= i < |lines| :: Chained(log, lines[i])
  }

  /** No event stands twice among those of a worldline. */
  predicate EachOnce(own: seq<Id>) {
    forall k, l | 0 <= k < l < |own| :: own[k] != own[l]
  }

  /** Two worldlines have no event in common. */
  predicate Apart(a: Worldline, b: Worldline) {
    forall event | event in a.own :: event !in b.own
  }

  /** No event belongs to two worldlines, or twice to one. */
  predicate OwnedOnce(lines: seq<Worldline>) {
    && (forall i | 0 <= i < |lines| :: EachOnce(lines[i].own))
    && (forall i, j | 0 <= i < |lines| && 0 <= j < |lines| && i != j :: Apart(lines[i], lines[j]))
  }

  /** No two worldlines have one id. */
  predicate UniqueIds(lines: seq<Worldline>) {
    forall i, j | 0 <= i < j < |lines| :: lines[i].id != lines[j].id
  }

  /** Some worldline appended an event. */
  predicate Owned(lines: seq<Worldline>, event: Id) {
    exists i | 0 <= i < |lines| :: event in lines[i].own
  }

  /** A sound thread: its log is well-formed, each event is some worldline's own, once, and each worldline is rooted and chained. */
  ghost predicate ValidThread(t: Thread) {
    && WellFormed(t.log)
    && UniqueIds(t.lines)
    && OwnedOnce(t.lines)
    && AllRooted(t.lines)
    && AllChained(t.log, t.lines)
    && (forall e | e in t.log :: Owned(t.lines, e.uuid))
  }

  // --- Timelines ---

  /** Where an event stands among others. */
  function PlaceOf(own: seq<Id>, event: Id): nat
    requires event in own
    ensures PlaceOf(own, event) < |own| && own[PlaceOf(own, event)] == event
    decreases |own|
  {
    if own[0] == event then 0 else 1 + PlaceOf(own[1..], event)
  }

  /** The timeline of a worldline as of its `k`-th own event, by segments: what its source had up to the event from which it comes, then
    * so many events of its own. */
  function TimelineTo(lines: seq<Worldline>, i: nat, k: nat): seq<Id>
    requires AllRooted(lines)
    requires i < |lines| && k <= |lines[i].own|
    decreases i
  {
    (if lines[i].origin.None? then []
     else
       assert Rooted(lines, i);
       var from := lines[i].origin.value;
       TimelineTo(lines, from.line, PlaceOf(lines[from.line].own, from.event) + 1))
    + lines[i].own[..k]
  }

  /** The timeline of a worldline. */
  function Timeline(lines: seq<Worldline>, i: nat): seq<Id>
    requires AllRooted(lines)
    requires i < |lines|
  {
    TimelineTo(lines, i, |lines[i].own|)
  }

  /** The uuids of a log, in its order. */
  function Ids(log: Log): seq<Id>
    decreases |log|
  {
    if |log| == 0 then [] else Ids(log[..|log| - 1]) + [log[|log| - 1].uuid]
  }

  /** The walk by parents that ends at an event; nothing where there is no event. */
  function Walk(log: Log, event: Option<Id>): seq<Id>
    requires WellFormed(log)
    requires event.Some? ==> event.value in Uuids(log)
  {
    if event.None? then [] else Ids(Ancestry(log, event.value))
  }

  // --- Operations ---

  /** The worldline with an id, from the `i`-th on. */
  function Find(lines: seq<Worldline>, id: Id, i: nat): Option<nat>
    requires i <= |lines|
    ensures Find(lines, id, i).Some? ==> i <= Find(lines, id, i).value < |lines| && lines[Find(lines, id, i).value].id == id
    ensures Find(lines, id, i).None? ==> forall j | i <= j < |lines| :: lines[j].id != id
    decreases |lines| - i
  {
    if i == |lines| then None else if lines[i].id == id then Some(i) else Find(lines, id, i + 1)
  }

  /** The worldline that appended an event, from the `i`-th on. */
  function Owner(lines: seq<Worldline>, event: Id, i: nat): Option<nat>
    requires i <= |lines|
    ensures Owner(lines, event, i).Some? ==>
              i <= Owner(lines, event, i).value < |lines| && event in lines[Owner(lines, event, i).value].own
    ensures Owner(lines, event, i).None? ==> forall j | i <= j < |lines| :: event !in lines[j].own
    decreases |lines| - i
  {
    if i == |lines| then None else if event in lines[i].own then Some(i) else Owner(lines, event, i + 1)
  }

  /** How an operation ended: it was done; it had been done before, and nothing changed; the head was another than the one that was
    * expected, and both are named; or it cannot be done: what it names is not there, or its id stands for something else. */
  datatype Outcome = Taken | Again | Stale(expected: Option<Id>, actual: Option<Id>) | Refused

  /** Appends an event to a worldline, if its head is the one that is expected. The id of the event says whether it was appended
    * before: then nothing changes. */
  function AppendTo(t: Thread, id: Id, event: Entry, expected: Option<Id>): (Thread, Outcome) {
    var at := Find(t.lines, id, 0);
    if at.None? then (t, Refused)
    else
      var line := t.lines[at.value];
      if event.uuid in Uuids(t.log) then
        (t, if event.uuid in line.own && Get(t.log, event.uuid) == event then Again else Refused)
      else if expected != Head(line) then (t, Stale(expected, Head(line)))
      else if event.parent != expected || !Fits(t.log, event) then (t, Refused)
      else (Thread(t.log + [event], t.lines[at.value := line.(own := line.own + [event.uuid])]), Taken)
  }

  /** Makes a worldline that comes from an event, or from nothing. Its id says whether it was made before: then nothing changes. */
  function Branch(t: Thread, id: Id, event: Option<Id>): (Thread, Outcome) {
    var at := Find(t.lines, id, 0);
    if at.Some? then (t, if Base(t.lines[at.value]) == event then Again else Refused)
    else if event.None? then (Thread(t.log, t.lines + [Worldline(id, None, [])]), Taken)
    else
      var owner := Owner(t.lines, event.value, 0);
      if owner.None? then (t, Refused)
      else (Thread(t.log, t.lines + [Worldline(id, Some(Origin(owner.value, event.value)), [])]), Taken)
  }

  /** What can be done to a thread. */
  datatype Change = Appending(id: Id, event: Entry, expected: Option<Id>) | Branching(id: Id, base: Option<Id>)

  /** A thread after a change, and how that ended. */
  function Do(t: Thread, change: Change): (Thread, Outcome) {
    match change
    case Appending(id, event, expected) => AppendTo(t, id, event, expected)
    case Branching(id, base) => Branch(t, id, base)
  }

  /** A thread after several changes, each of which may end in any way. */
  function DoAll(t: Thread, changes: seq<Change>): Thread
    decreases |changes|
  {
    if |changes| == 0 then t else DoAll(Do(t, changes[0]).0, changes[1..])
  }

  /** A later state of a thread: the log begins with what it was, and each worldline is where it was, with its origin, and begins with
    * the events that it had. */
  predicate GoesOn(later: Thread, t: Thread) {
    && |t.log| <= |later.log| && later.log[..|t.log|] == t.log
    && |t.lines| <= |later.lines|
    && forall i | 0 <= i < |t.lines| ::
         && later.lines[i].id == t.lines[i].id
         && later.lines[i].origin == t.lines[i].origin
         && t.lines[i].own <= later.lines[i].own
  }

  // --- State ---

  /** What an event makes of a state. */
  type Reducer<!S> = (S, Entry) -> S

  /** The state after some events, from one on. */
  function Replay<S>(reduce: Reducer<S>, start: S, events: seq<Entry>): S
    decreases |events|
  {
    if |events| == 0 then start else reduce(Replay(reduce, start, events[..|events| - 1]), events[|events| - 1])
  }

  /** The state at an event: all events on the way to it, replayed. */
  function StateAt<S>(reduce: Reducer<S>, start: S, log: Log, event: Id): S
    requires WellFormed(log)
    requires event in Uuids(log)
  {
    Replay(reduce, start, Ancestry(log, event))
  }

  /** Snapshots by event, each the state there. */
  ghost predicate Right<S>(reduce: Reducer<S>, start: S, log: Log, snapshots: map<Id, S>)
    requires WellFormed(log)
  {
    forall event | event in snapshots && event in Uuids(log) :: snapshots[event] == StateAt(reduce, start, log, event)
  }

  /** The state at an event by the nearest snapshot on the way to it, and the events behind that; without one by all events. */
  function Restore<S>(reduce: Reducer<S>, start: S, snapshots: map<Id, S>, way: seq<Entry>): S
    decreases |way|
  {
    if |way| == 0 then start
    else if way[|way| - 1].uuid in snapshots then snapshots[way[|way| - 1].uuid]
    else reduce(Restore(reduce, start, snapshots, way[..|way| - 1]), way[|way| - 1])
  }

  // --- Fan-in ---

  /** How a task ended. */
  datatype Ending<R> = Completed(result: R) | Failed | TimedOut

  /** What came of many tasks: one result a task, in the order of the tasks, and how many ended how. */
  datatype Gathered<R> = Gathered(results: seq<Ending<R>>, completed: nat, failed: nat, timedOut: nat)

  /** Gathers what is known of tasks by their ids; one of which nothing is known has timed out. */
  function Gather<R>(tasks: seq<Id>, known: map<Id, Ending<R>>): Gathered<R>
    decreases |tasks|
  {
    if |tasks| == 0 then Gathered([], 0, 0, 0)
    else
      var before, last := Gather(tasks[..|tasks| - 1], known), tasks[|tasks| - 1];
      var ending := if last in known then known[last] else TimedOut;
      Gathered(
        before.results + [ending],
        before.completed + (if ending.Completed? then 1 else 0),
        before.failed + (if ending.Failed? then 1 else 0),
        before.timedOut + (if ending.TimedOut? then 1 else 0))
  }

  // --- Histories: what many clients report of one worldline ---

  /** What a client reports of a worldline, by how many own events that had: an append that found so many and left more, or a look; and
    * when it was called and answered. */
  datatype Report = Went(from: nat, to: nat, called: nat, answered: nat) | Saw(at: nat, called: nat, answered: nat)

  /** Each report is answered after it is called. */
  predicate AnsweredLater(reports: seq<Report>) {
    forall i | 0 <= i < |reports| :: reports[i].called <= reports[i].answered
  }

  /** The number of own events never falls, and is at most so many. */
  ghost predicate Increases(size: nat, count: nat -> nat) {
    && (forall x: nat :: count(x) <= size)
    && (forall x: nat, y: nat | x <= y :: count(x) <= count(y))
  }

  /** What was answered before something else was called happened before it. */
  ghost predicate MomentsInOrder(reports: seq<Report>, moment: nat -> nat) {
    forall i, j | 0 <= i < |reports| && 0 <= j < |reports| && reports[i].answered < reports[j].called :: moment(i) < moment(j)
  }

  /** A report is what a worldline was at a moment: a look finds so many own events; an append finds so many, and the next moment has
    * those that it left. */
  ghost predicate Happened(report: Report, count: nat -> nat, moment: nat) {
    match report
    case Saw(at, _, _) => count(moment) == at
    case Went(from, to, _, _) => from < to && count(moment) == from && count(moment + 1) == to
  }

  /** A number of own events for each moment, and a moment for each report, that explain all reports: no two appends have one moment. */
  ghost predicate Explains(size: nat, reports: seq<Report>, count: nat -> nat, moment: nat -> nat) {
    && Increases(size, count)
    && MomentsInOrder(reports, moment)
    && (forall i | 0 <= i < |reports| :: Happened(reports[i], count, moment(i)))
    && (forall i, j | 0 <= i < |reports| && 0 <= j < |reports| && i != j && reports[i].Went? && reports[j].Went? ::
          moment(i) != moment(j))
  }

  /** Something explains the reports: they are those of one worldline that was read and written one by one. */
  ghost predicate Explained(size: nat, reports: seq<Report>) {
    exists count: nat -> nat, moment: nat -> nat :: Explains(size, reports, count, moment)
  }

  /** Where a report stands among others: an append before the looks at what it left. */
  function ReportRank(report: Report): nat {
    match report
    case Saw(at, _, _) => 2 * at + 1
    case Went(_, to, _, _) => 2 * to
  }

  /** A report of a worldline that has so many own events in the end. */
  predicate PossibleReport(size: nat, report: Report) {
    match report
    case Saw(at, _, _) => at <= size
    case Went(from, to, _, _) => from < to <= size
  }

  /** Two reports do not contradict each other: what was called after the other was answered stands no earlier; no two appends went
    * behind one head; and nobody looked at half of an append. */
  predicate ReportsAgree(a: Report, b: Report) {
    && (ReportRank(a) < ReportRank(b) ==> a.called <= b.answered)
    && (a.Went? && b.Went? ==> a.to <= b.from || b.to <= a.from)
    && (a.Went? && b.Saw? ==> b.at <= a.from || a.to <= b.at)
  }

  /** Each report is possible, and each two agree. */
  predicate ConsistentReports(size: nat, reports: seq<Report>) {
    && (forall i | 0 <= i < |reports| :: PossibleReport(size, reports[i]))
    && (forall i, j | 0 <= i < |reports| && 0 <= j < |reports| && i != j :: ReportsAgree(reports[i], reports[j]))
  }
}

// Chapter 23. What hangs below calls and their results, and is sent. A client puts a chain of entries that nobody answered, such
// as what a hook said, back into the conversation, if the chain hangs below a call or a result of it and does not fork. What is
// below stands beside the context, and not in it: a second child makes entries leave, so it does not grow as contexts do.
include "03-Ancestries.dfy"
include "04-Contexts.dfy"
include "10-Rendering.dfy"

module Below {
  import opened Names
  import opened Entries
  import opened Ancestries
  import opened Contexts
  import opened Rendering

  /** What a reader tells of entries beside the log: which are side entries, and what each says of the side that it is on, if it
    * does. Attachments are such, what the system says, and words that no user said. */
  datatype Sides = Sides(aside: set<Id>, said: map<Id, Value>)

  /** An entry without calls and results. */
  predicate Silent(e: Entry) {
    UsesOf(e) == {} && ResultsOf(e) == {}
  }

  /** A side entry: the reader says so, it is no part of a message, and it holds neither a call nor a result. */
  predicate IsAside(sides: Sides, e: Entry) {
    e.uuid in sides.aside && (e.kind.User? || e.kind.System? || e.kind.Attachment?) && Silent(e)
  }

  /** Two entries say the same of their side, or both say nothing. */
  predicate OnOneSide(sides: Sides, a: Id, b: Id) {
    (a in sides.said <==> b in sides.said) && (a in sides.said ==> sides.said[a] == sides.said[b])
  }

  /** A client does not see this entry: what hangs below it hangs on its parent. */
  predicate PassedOver(e: Entry) {
    e.kind.Progress? && Silent(e)
  }

  /** An entry that a client sees: neither a progress line nor a line of an unknown type. */
  predicate Seen(e: Entry) {
    !e.kind.Progress? && !e.kind.Other?
  }

  /** From a parent, the first entry upwards that a client sees; none where that is not there, or is of an unknown type. */
  function Skipped(log: Log, p: Option<Id>): Option<Id>
    ensures Skipped(log, p).Some? ==> Skipped(log, p).value in Uuids(log)
    decreases |log|
  {
    if |log| == 0 then None
    else
      var last, before := log[|log| - 1], log[..|log| - 1];
      if p != Some(last.uuid) then Skipped(before, p)
      else if PassedOver(last) then Skipped(before, last.parent)
      else if Seen(last) then p
      else None
  }

  /** The entries that are passed over on that way. */
  function Passed(log: Log, p: Option<Id>): set<Id>
    decreases |log|
  {
    if |log| == 0 then {}
    else
      var last, before := log[|log| - 1], log[..|log| - 1];
      if p != Some(last.uuid) then Passed(before, p)
      else if PassedOver(last) then {last.uuid} + Passed(before, last.parent)
      else {}
  }

  /** The entry on which an entry hangs, as a client sees it. */
  function Hook(log: Log, u: Id): Option<Id>
    requires u in Uuids(log)
  {
    Skipped(log, Get(log, u).parent)
  }

  /** The way to `u`: it and its ancestors, but for those that a boundary which it crosses left behind. */
  function Way(log: Log, preserved: Preservation, u: Id): set<Id>
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    WhatIsCrossedIsThere(log, preserved, u);
    match Crossed(log, preserved, u)
    case Some(c) => Uuids(Ancestry(log, u)) - (if c.at in Uuids(log) then Uuids(Ancestry(log, c.at)) else {})
    case None => Uuids(Ancestry(log, u))
  }

  /** The parts of the messages that have a part on the way. */
  function Parts(log: Log, way: set<Id>): set<Id> {
    set w, a | w in log && w.uuid in way && a in log && Mates(w, a) :: a.uuid
  }

  /** The parts of those of these messages that make a call. */
  function CallParts(log: Log, way: set<Id>): set<Id> {
    set c, a | c in log && c.uuid in Parts(log, way) && UsesOf(c) != {} && a in log && Mates(c, a) :: a.uuid
  }

  /** The entries with a result of a call of these messages, wherever they hang. */
  function ResultsOfParts(log: Log, way: set<Id>): set<Id> {
    set c, b | c in log && c.uuid in Parts(log, way) && b in log && Answers(c, b) :: b.uuid
  }

  /** What a client takes of the tree before it looks below: the way, the messages on it, and the results of their calls. One
    * step: the parents of what hangs beside are not taken. */
  function Taken(log: Log, way: set<Id>): set<Id> {
    way + Parts(log, way) + ResultsOfParts(log, way)
  }

  /** What a client takes of a conversation that no boundary cuts: the way from the root, the messages on it, and the results of their
    * calls, one step from the way, as the file is up to there. */
  function Loaded(log: Log, u: Id): set<Id>
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    Taken(AsOf(log, u), Uuids(Ancestry(log, u)))
  }

  /** An entry below which chains hang: a part of a message that makes a call, or a result of its calls. A side entry on the way
    * that hangs on such an entry is one, too. */
  predicate Anchors(log: Log, sides: Sides, way: set<Id>, u: Id)
    requires u in Uuids(log)
    decreases IndexOf(log, u)
  {
    || u in CallParts(log, way)
    || u in ResultsOfParts(log, way)
    || (u in way && IsAside(sides, Get(log, u))
        && Hook(log, u).Some?
        && IndexOf(log, Hook(log, u).value) < IndexOf(log, u)
        && Anchors(log, sides, way, Hook(log, u).value))
  }

  /** What hangs on an entry, as a client sees it, and was not taken. */
  function Children(log: Log, way: set<Id>, u: Id): set<Id> {
    set e | e in log && Seen(e) && e.uuid !in Taken(log, way) && Hook(log, e.uuid) == Some(u) :: e.uuid
  }

  /** The chain that begins with `u` is whole: side entries on one side, each the only child, and nothing hangs on the last. */
  predicate Whole(log: Log, sides: Sides, way: set<Id>, u: Id)
    requires u in Uuids(log)
    decreases |log| - IndexOf(log, u)
  {
    && IsAside(sides, Get(log, u))
    && (forall a, b | a in Children(log, way, u) && b in Children(log, way, u) :: a == b)
    && (forall e | e in log && e.uuid in Children(log, way, u) ::
          && IndexOf(log, e.uuid) > IndexOf(log, u)
          && OnOneSide(sides, u, e.uuid)
          && Whole(log, sides, way, e.uuid))
  }

  /** `u` stands in a whole chain below an anchor. */
  predicate Hangs(log: Log, sides: Sides, way: set<Id>, u: Id)
    requires u in Uuids(log)
    decreases IndexOf(log, u)
  {
    && Seen(Get(log, u))
    && u !in Taken(log, way)
    && Whole(log, sides, way, u)
    && Hook(log, u).Some?
    && IndexOf(log, Hook(log, u).value) < IndexOf(log, u)
    && OnOneSide(sides, Hook(log, u).value, u)
    && (Anchors(log, sides, way, Hook(log, u).value) || Hangs(log, sides, way, Hook(log, u).value))
  }

  /** All that stands in whole chains below the anchors of a way, and what is passed over between. */
  function Chains(log: Log, sides: Sides, way: set<Id>): set<Id> {
    (set e | e in log && Hangs(log, sides, way, e.uuid) :: e.uuid)
    + (set e, x | e in log && Hangs(log, sides, way, e.uuid) && x in Passed(log, e.parent) :: x)
  }

  /** What hangs below the conversation at `u`, within the log as of `u`, and is not kept anyway. */
  function Beneath(log: Log, preserved: Preservation, sides: Sides, u: Id): set<Id>
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    Chains(AsOf(log, u), sides, Way(log, preserved, u)) - Kept(log, preserved, u)
  }

  /** The fork that keeps it: what a fork keeps, and what hangs below, each entry unchanged, in the order of the log. */
  function ForkBelow(log: Log, preserved: Preservation, sides: Sides, u: Id): Log
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    Keep(log, Kept(log, preserved, u) + Beneath(log, preserved, sides, u))
  }

  // --- What trails behind the last words ---

  /** The nearest entry at or above `u` that the user or the assistant said. */
  function Spoken(log: Log, u: Id): Option<Id>
    requires u in Uuids(log)
    decreases IndexOf(log, u)
  {
    var e := Get(log, u);
    if e.kind.User? || e.kind.Assistant? then Some(u)
    else if e.parent.Some? && e.parent.value in Uuids(log) && IndexOf(log, e.parent.value) < IndexOf(log, u) then
      Spoken(log, e.parent.value)
    else None
  }

  /** An attachment, or what the system says. */
  predicate IsNoted(sides: Sides, e: Entry) {
    IsAside(sides, e) && !e.kind.User?
  }

  /** `u` is `s`, or hangs below it through such entries, and those that are passed over, alone. */
  predicate Follows(log: Log, sides: Sides, s: Id, u: Id)
    requires u in Uuids(log)
    decreases IndexOf(log, u)
  {
    var e := Get(log, u);
    || u == s
    || ((IsNoted(sides, e) || PassedOver(e))
        && e.parent.Some?
        && e.parent.value in Uuids(log)
        && IndexOf(log, e.parent.value) < IndexOf(log, u)
        && Follows(log, sides, s, e.parent.value))
  }

  /** What trails behind the last words at or above `u`: what follows them, on each branch, and what is passed over between. */
  function Trailing(log: Log, sides: Sides, u: Id): set<Id>
    requires u in Uuids(log)
  {
    match Spoken(log, u)
    case None => {}
    case Some(s) =>
      (set e | e in log && IsNoted(sides, e) && Follows(log, sides, s, e.uuid) :: e.uuid)
      + (set e, x | e in log && IsNoted(sides, e) && Follows(log, sides, s, e.uuid) && x in Passed(log, e.parent) :: x)
  }

  /** The first entries of a log, as many as hold `u` and stand before `end`. */
  function UpTo(log: Log, u: Id, end: nat): Log
    requires u in Uuids(log)
    ensures u in Uuids(UpTo(log, u, end))
  {
    var n := if end <= IndexOf(log, u) then IndexOf(log, u) + 1 else if end < |log| then end else |log|;
    assert log[..n][IndexOf(log, u)].uuid == u;
    log[..n]
  }

  /** What is sent at `u` beside what is kept, where the file goes up to `end`: what hangs below, and what trails behind. */
  function SentBeside(log: Log, preserved: Preservation, sides: Sides, u: Id, end: nat): set<Id>
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    Beneath(log, preserved, sides, u) + (Trailing(UpTo(log, u, end), sides, u) - Kept(log, preserved, u))
  }

  /** The fork that keeps all that is sent at `u`, where the file goes up to `end`. */
  function ForkSent(log: Log, preserved: Preservation, sides: Sides, u: Id, end: nat): Log
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    Keep(log, Kept(log, preserved, u) + SentBeside(log, preserved, sides, u, end))
  }
}

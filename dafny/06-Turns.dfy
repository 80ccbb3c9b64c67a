// Chapter 6. The complete turn, defined from a conversation's own events (who speaks, which message, which calls are
// out) and without books, closures or contexts; and the legal points nearest to an entry that is not one.
include "03-Ancestries.dfy"
include "05-Balance.dfy"

module Turns {
  import opened Names
  import opened Entries
  import opened Ancestries
  import opened Contexts
  import opened Balance

  /** What happens in a conversation: a part of an API message is spoken, a call goes out, a result comes back (from the
    * user's side, as all results do that a client writes, or not), or something else. */
  datatype Event = Part(message: Id) | Call(id: Id) | Answer(id: Id, byUser: bool) | Aside

  /** The events of one block. */
  function BlockEvent(e: Entry, b: Block): Event {
    match b
    case Use(t) => Call(t)
    case Result(t) => Answer(t, e.kind.User?)
    case Opaque(_) => Aside
  }

  /** The events of one entry, in order: the part it speaks, then what its blocks do. */
  function EventsOf(e: Entry): seq<Event> {
    (if e.kind.Assistant? && e.message.Some? then [Part(e.message.value)] else [Aside])
    + seq(|e.blocks|, i requires 0 <= i < |e.blocks| => BlockEvent(e, e.blocks[i]))
  }

  /** The events of several entries, in order. */
  function Events(entries: Log): seq<Event>
    decreases |entries|
  {
    if |entries| == 0 then []
    else Events(entries[..|entries| - 1]) + EventsOf(entries[|entries| - 1])
  }

  /** A way through the log as of `u`, from `u`, on which each entry calls for the next: as its parent, as a part of the
    * message it speaks, or as the user's answer to a call it makes. */
  ghost predicate Way(log: Log, way: seq<Entry>, u: Id)
    requires u in Uuids(log)
  {
    && |way| > 0
    && way[0].uuid == u
    && (forall e | e in way :: e in AsOf(log, u))
    && (forall i | 0 < i < |way| :: CallsFor(way[i - 1], way[i]))
  }

  /** Having heard `a`, one must hear `b`. */
  ghost predicate CallsFor(a: Entry, b: Entry) {
    || a.parent == Some(b.uuid)
    || (exists m :: Part(m) in EventsOf(a) && Part(m) in EventsOf(b))
    || (exists t :: Call(t) in EventsOf(a) && Answer(t, true) in EventsOf(b))
  }

  /** `e` is heard in the conversation at `u`. */
  ghost predicate Heard(log: Log, u: Id, e: Entry)
    requires u in Uuids(log)
  {
    exists way: seq<Entry> :: Way(log, way, u) && way[|way| - 1] == e
  }

  /** `heard` is the conversation at `u`: everything that is heard there, in the order of the log. */
  ghost predicate Conversation(log: Log, u: Id, heard: Log)
    requires u in Uuids(log)
  {
    exists ids: set<Id> :: heard == Keep(log, ids) && (forall e | e in log :: e.uuid in ids <==> Heard(log, u, e))
  }

  /** Every call goes out once and comes back once, later; nothing comes back that did not go out. */
  ghost predicate NoCallIsOut(events: seq<Event>) {
    && (forall i, j | 0 <= i < j < |events| && events[i].Call? && events[j].Call? :: events[i].id != events[j].id)
    && (forall i, j | 0 <= i < j < |events| && events[i].Answer? && events[j].Answer? :: events[i].id != events[j].id)
    && (forall i | 0 <= i < |events| && events[i].Call? ::
          exists j | i < j < |events| :: events[j].Answer? && events[j].id == events[i].id)
    && (forall j | 0 <= j < |events| && events[j].Answer? :: exists i | 0 <= i < j :: events[i] == Call(events[j].id))
  }

  /** Nothing later belongs to what was heard: no further part of a message, no further answer to a call. */
  ghost predicate NothingToCome(heard: seq<Event>, later: seq<Event>) {
    && (forall m :: !(Part(m) in heard && Part(m) in later))
    && (forall t :: !(Call(t) in heard && Answer(t, true) in later))
  }

  /** A complete turn ends at `u`: the assistant speaks there, in the main line; no call is out; nothing is to come. */
  ghost predicate CompleteTurn(log: Log, u: Id)
    requires u in Uuids(log)
  {
    && Get(log, u).kind.Assistant?
    && !Get(log, u).sidechain
    && (forall heard: Log | Conversation(log, u, heard) ::
          && NoCallIsOut(Events(heard))
          && NothingToCome(Events(heard), Events(log[IndexOf(log, u) + 1..])))
  }

  /** The legal point nearest above `u` (or `u` itself), if there is one. */
  function NearestLegalAncestor(log: Log, u: Id): Option<Id>
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    LastLegal(log, Ancestry(log, u))
  }

  /** The last entry of a way that is a legal point of the log. */
  function LastLegal(log: Log, way: Log): Option<Id>
    requires forall e | e in way :: e.uuid in Uuids(log)
    decreases |way|
  {
    if |way| == 0 then None
    else if Legal(log, way[|way| - 1].uuid) then Some(way[|way| - 1].uuid)
    else LastLegal(log, way[..|way| - 1])
  }

  /** `d` is below `u`, and not `u` itself. */
  predicate StrictlyBelow(log: Log, u: Id, d: Id)
    requires WellFormed(log)
    requires d in Uuids(log)
  {
    d != u && IsAncestor(log, u, d)
  }

  /** `d` is a legal point strictly below `u`, and no legal point lies between. */
  predicate IsFirstLegalBelow(log: Log, u: Id, d: Id)
    requires WellFormed(log)
    requires d in Uuids(log)
  {
    && StrictlyBelow(log, u, d)
    && Legal(log, d)
    && (forall e | e in Ancestry(log, d) && e.uuid != d && StrictlyBelow(log, u, e.uuid) :: !Legal(log, e.uuid))
  }

  /** The first legal points below `u`, one on each branch that has a legal point, possibly none. */
  function FirstLegalDescendants(log: Log, u: Id): set<Id>
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    set d | d in Uuids(log) && IsFirstLegalBelow(log, u, d)
  }
}

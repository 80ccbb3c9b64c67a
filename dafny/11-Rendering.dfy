// Chapter 11. Rendered contexts: after a compaction the conversation starts at a boundary, and the client sends again, right
// after the summary, entries that stand before the boundary. What a boundary preserves is written in its line and comes here
// as a map beside the log.
include "03-Ancestries.dfy"
include "04-Contexts.dfy"

module Rendering {
  import opened Names
  import opened Entries
  import opened Ancestries
  import opened Contexts

  /** What a boundary preserves: entries that are sent again in this order, right after the anchor (the summary). */
  datatype Preserved = Preserved(anchor: Id, ids: seq<Id>)

  /** What the boundaries of a log preserve, by their uuids. */
  type Preservation = map<Id, Preserved>

  /** The ids of a list. */
  function Listed(ids: seq<Id>): set<Id> {
    set v | v in ids
  }

  /** No id is listed twice. */
  predicate Distinct(ids: seq<Id>) {
    forall i, j | 0 <= i < j < |ids| :: ids[i] != ids[j]
  }

  /** Every id of a list stands before `b` in the log, and none is listed twice. Where one fails nothing is sent
    * again (spec/11 says where the client differs). */
  predicate Resolves(log: Log, b: Id, ids: seq<Id>)
    requires b in Uuids(log)
  {
    Distinct(ids) && forall v | v in ids :: v in Uuids(log[..IndexOf(log, b)])
  }

  /** A conversation heeds what one of its boundaries preserves: the boundary is a root of it, the anchor belongs to it and is
    * not itself preserved, and the whole list resolves. */
  predicate Heeds(log: Log, preserved: Preservation, conversation: set<Id>, b: Id)
    requires b in Uuids(log)
  {
    && b in conversation
    && b in preserved
    && Get(log, b).parent.None?
    && preserved[b].anchor in conversation
    && preserved[b].anchor !in preserved[b].ids
    && Resolves(log, b, preserved[b].ids)
  }

  /** The root of the ancestry of `u`. */
  function Root(log: Log, u: Id): Id
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Root(log, u) in Uuids(log)
    decreases |log|
  {
    var e := log[|log| - 1];
    var before := log[..|log| - 1];
    if e.uuid != u then Root(before, u)
    else if e.parent.None? then u
    else Root(before, e.parent.value)
  }

  /** What is sent again in the conversation at `u`, if anything: what the root of the ancestry of `u` preserves, where the
    * conversation heeds it. */
  function Resent(log: Log, preserved: Preservation, u: Id): Option<Preserved>
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    if Heeds(log, preserved, Members(log, u), Root(log, u)) then Some(preserved[Root(log, u)]) else None
  }

  /** The entries with some ids, in the order of the ids. */
  function Chosen(log: Log, ids: seq<Id>): Log
    requires forall v | v in ids :: v in Uuids(log)
  {
    seq(|ids|, i requires 0 <= i < |ids| => assert ids[i] in ids; Get(log, ids[i]))
  }

  /** Entries with others put right after the one with the uuid `anchor`. */
  function PutAfter(entries: Log, anchor: Id, more: Log): Log
    decreases |entries|
  {
    if |entries| == 0 then []
    else if entries[|entries| - 1].uuid == anchor then entries + more
    else PutAfter(entries[..|entries| - 1], anchor, more) + [entries[|entries| - 1]]
  }

  /** What stands before an entry stands in the log: why a list that resolves can be looked up. */
  lemma WhatResolvesIsThere(log: Log, b: Id, ids: seq<Id>)
    requires b in Uuids(log)
    requires Resolves(log, b, ids)
    ensures forall v | v in ids :: v in Uuids(log)
  {
    forall v | v in ids ensures v in Uuids(log) {
      var e :| e in log[..IndexOf(log, b)] && e.uuid == v;
      assert e in log;
    }
  }

  /** The conversation at `u` as the client sends it: its context, and what its boundary preserves right after the anchor. An
    * entry that is preserved stands there and nowhere else. */
  function Rendered(log: Log, preserved: Preservation, u: Id): Log
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    match Resent(log, preserved, u)
    case None => Context(log, u)
    case Some(p) =>
      WhatResolvesIsThere(log, Root(log, u), p.ids);
      PutAfter(Keep(log, Members(log, u) - Listed(p.ids)), p.anchor, Chosen(log, p.ids))
  }

  /** What the boundaries in the conversation at `u` preserve, as far as it heeds them. */
  function Reaches(log: Log, preserved: Preservation, u: Id): set<Id>
    requires u in Uuids(log)
  {
    set b, v | b in Uuids(log) && Heeds(log, preserved, Members(log, u), b) && v in preserved[b].ids && v in Uuids(log) :: v
  }

  /** What a fork at `u` keeps so that the client sends the same and every kept entry has its context: the conversation, and the
    * conversation at each entry that a boundary which it heeds preserves. */
  function Kept(log: Log, preserved: Preservation, u: Id): set<Id>
    requires u in Uuids(log)
  {
    Members(log, u)
    + set v, w | v in Uuids(log) && v in Reaches(log, preserved, u) && w in Members(log, v) :: w
  }

  /** The fork of a session that was compacted: exactly what is kept, each entry unchanged, in the order of the log. */
  function ForkKept(log: Log, preserved: Preservation, u: Id): Log
    requires u in Uuids(log)
  {
    Keep(log, Kept(log, preserved, u))
  }
}

// Chapter 10. Rendered contexts: after a compaction the conversation starts at a boundary, and the client sends again, right
// after the summary, entries that stand before the boundary. An entry may also go on at one of these: then its ancestry does not
// meet the boundary, and the client sends the boundary all the same. What a boundary preserves is written in its line and comes
// here as a map beside the log.
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
    * again (spec/10 says where the client differs). */
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

  /** The conversation at `u` as its root sends it: its context, and what its boundary preserves right after the anchor. An
    * entry that is preserved stands there and nowhere else. */
  function RenderedFromRoot(log: Log, preserved: Preservation, u: Id): Log
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    match Resent(log, preserved, u)
    case None => Context(log, u)
    case Some(p) =>
      WhatResolvesIsThere(log, Root(log, u), p.ids);
      PutAfter(Keep(log, Members(log, u) - Listed(p.ids)), p.anchor, Chosen(log, p.ids))
  }

  // --- Going on at an entry that a boundary preserves ---

  /** A boundary that has `p` on its list, and that the conversation at its own anchor heeds. */
  predicate Preserves(log: Log, preserved: Preservation, b: Id, p: Id)
    requires b in Uuids(log)
  {
    && b in preserved
    && p in preserved[b].ids
    && preserved[b].anchor in Uuids(log)
    && Heeds(log, preserved, Members(log, preserved[b].anchor), b)
  }

  /** The boundaries that preserve `p`. */
  function Preservers(log: Log, preserved: Preservation, p: Id): set<Id> {
    set b | b in Uuids(log) && Preserves(log, preserved, b, p)
  }

  /** The last entry of a log that is in a set, if one is. */
  function LastOf(log: Log, ids: set<Id>): Option<Id>
    ensures LastOf(log, ids).Some? ==> LastOf(log, ids).value in ids && LastOf(log, ids).value in Uuids(log)
    decreases |log|
  {
    if |log| == 0 then None
    else if log[|log| - 1].uuid in ids then Some(log[|log| - 1].uuid)
    else LastOf(log[..|log| - 1], ids)
  }

  /** A boundary, and the entry on its list at which a conversation goes on behind it. */
  datatype Crossing = Crossing(boundary: Id, at: Id)

  /** What a crossing names stands in the log. */
  predicate IsThere(log: Log, preserved: Preservation, c: Crossing) {
    && c.boundary in Uuids(log)
    && c.boundary in preserved
    && c.at in preserved[c.boundary].ids
    && preserved[c.boundary].anchor in Uuids(log)
    && (forall v | v in preserved[c.boundary].ids :: v in Uuids(log))
  }

  /** The boundary that the ancestry of `u` crosses: on the way up, the first entry that goes on at one which a boundary
    * before it preserves, and the last such boundary. Each entry is judged by what stands before it. */
  function Crossed(log: Log, preserved: Preservation, u: Id): Option<Crossing>
    requires u in Uuids(log)
    decreases |log|
  {
    var e := log[|log| - 1];
    var before := log[..|log| - 1];
    if e.uuid != u then Crossed(before, preserved, u)
    else if e.parent.None? || e.parent.value !in Uuids(before) then None
    else
      match LastOf(before, Preservers(before, preserved, e.parent.value))
      case Some(b) => Some(Crossing(b, e.parent.value))
      case None => Crossed(before, preserved, e.parent.value)
  }

  /** What is crossed stands in the log: why it can be looked up. */
  lemma WhatIsCrossedIsThere(log: Log, preserved: Preservation, u: Id)
    requires u in Uuids(log)
    ensures Crossed(log, preserved, u).Some? ==> IsThere(log, preserved, Crossed(log, preserved, u).value)
    decreases |log|
  {
    var e, before := log[|log| - 1], log[..|log| - 1];
    if e.uuid != u {
      WhatIsCrossedIsThere(before, preserved, u);
    } else if e.parent.Some? && e.parent.value in Uuids(before) {
      var last := LastOf(before, Preservers(before, preserved, e.parent.value));
      if last.Some? {
        WhatResolvesIsThere(before, last.value, preserved[last.value].ids);
      } else {
        WhatIsCrossedIsThere(before, preserved, e.parent.value);
      }
    }
    assert forall x | x in before :: x in log;
  }

  /** A list up to an id, and the whole list where that is not on it. */
  function ListedUpTo(ids: seq<Id>, p: Id): seq<Id>
    ensures forall v | v in ListedUpTo(ids, p) :: v in ids
    decreases |ids|
  {
    if p !in ids || ids[|ids| - 1] == p then ids else ListedUpTo(ids[..|ids| - 1], p)
  }

  /** What a crossing sends again: what its boundary preserves, up to the entry at which the conversation goes on. */
  function Again(preserved: Preservation, c: Crossing): seq<Id>
    requires c.boundary in preserved
    ensures forall v | v in Again(preserved, c) :: v in preserved[c.boundary].ids
  {
    ListedUpTo(preserved[c.boundary].ids, c.at)
  }

  /** The conversation at `u` as the client sends it across a boundary: the conversation at the anchor; what the boundary
    * preserves, up to the entry at which the conversation goes on; and what the conversation has beyond the one there. */
  function RenderedAcross(log: Log, preserved: Preservation, c: Crossing, u: Id): Log
    requires u in Uuids(log)
    requires IsThere(log, preserved, c)
  {
    var first, again := Members(log, preserved[c.boundary].anchor), Again(preserved, c);
    Keep(log, first - Listed(again)) + Chosen(log, again) + Keep(log, Members(log, u) - Members(log, c.at) - Listed(again) - first)
  }

  /** The conversation at `u` as the client sends it: across the boundary that its ancestry crosses, or from its root. */
  function Rendered(log: Log, preserved: Preservation, u: Id): Log
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    WhatIsCrossedIsThere(log, preserved, u);
    match Crossed(log, preserved, u)
    case Some(c) => RenderedAcross(log, preserved, c, u)
    case None => RenderedFromRoot(log, preserved, u)
  }

  /** What the boundaries in the conversation at `u` preserve, as far as it heeds them. */
  function ReachesWithin(log: Log, preserved: Preservation, u: Id): set<Id>
    requires u in Uuids(log)
  {
    set b, v | b in Uuids(log) && Heeds(log, preserved, Members(log, u), b) && v in preserved[b].ids && v in Uuids(log) :: v
  }

  /** The anchor of the boundary that the ancestry of `u` crosses, and the whole list: the client heeds no part of a list. */
  function ReachesAcross(log: Log, preserved: Preservation, u: Id): set<Id>
    requires u in Uuids(log)
  {
    WhatIsCrossedIsThere(log, preserved, u);
    match Crossed(log, preserved, u)
    case Some(c) => Listed(preserved[c.boundary].ids) + {preserved[c.boundary].anchor}
    case None => {}
  }

  /** What is sent at `u` from outside its conversation, and what must be there for it. */
  function Reaches(log: Log, preserved: Preservation, u: Id): set<Id>
    requires u in Uuids(log)
  {
    ReachesWithin(log, preserved, u) + ReachesAcross(log, preserved, u)
  }

  /** What a fork at `u` keeps so that the client sends the same and every kept entry has its context: the conversation, and the
    * conversation at each entry that it reaches. */
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

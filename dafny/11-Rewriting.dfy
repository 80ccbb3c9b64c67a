// Chapter 11. Rewriting the past without touching it: a span of a conversation is left out, or replaced by a summary. Both are
// functions of a log: what they give is shown or exported, and the log stays as it is (P5).
include "03-Ancestries.dfy"
include "05-Balance.dfy"

module Rewriting {
  import opened Names
  import opened Entries
  import opened Ancestries
  import opened Contexts
  import opened Balance

  /** The nearest entry at `p` or above it that is not covered, if there is one: what hung on `p` hangs there after the drop. */
  function Heir(log: Log, ids: set<Id>, p: Option<Id>): Option<Id>
    decreases |log|
  {
    if p.None? || p.value !in ids || |log| == 0 then p
    else if log[|log| - 1].uuid == p.value then Heir(log[..|log| - 1], ids, log[|log| - 1].parent)
    else Heir(log[..|log| - 1], ids, p)
  }

  /** The log without the covered entries. Of a survivor only the parent changes: it becomes its nearest surviving ancestor. */
  function Drop(log: Log, ids: set<Id>): Log
    decreases |log|
  {
    if |log| == 0 then []
    else if log[|log| - 1].uuid in ids then Drop(log[..|log| - 1], ids)
    else
      Drop(log[..|log| - 1], ids)
      + [log[|log| - 1].(parent := Heir(log[..|log| - 1], ids, log[|log| - 1].parent))]
  }

  /** The entries that are not covered, as they are. */
  function Rest(log: Log, ids: set<Id>): Log {
    Keep(log, Uuids(log) - ids)
  }

  // --- Spans that may be dropped ---

  /** The tool uses that an entry makes or answers. */
  function ToolsOf(e: Entry): set<Id> {
    UsesOf(e) + ResultsOf(e)
  }

  /** Two entries that only stand together: parts of one API message, or a call and its answer. */
  predicate Tied(a: Entry, b: Entry) {
    Mates(a, b) || ToolsOf(a) * ToolsOf(b) != {}
  }

  /** A cover that separates no call from its answer. */
  predicate WholeForTools(entries: Log, ids: set<Id>) {
    forall a, b | a in entries && b in entries && a.uuid in ids && ToolsOf(a) * ToolsOf(b) != {} :: b.uuid in ids
  }

  /** A cover that separates nothing that only stands together. */
  predicate Whole(entries: Log, ids: set<Id>) {
    forall a, b | a in entries && b in entries && a.uuid in ids && Tied(a, b) :: b.uuid in ids
  }

  /** Every covered entry but the first continues a covered one. Together with `Whole` this is the check at run time. */
  predicate Rooted(entries: Log, ids: set<Id>) {
    forall i | 0 < i < |Keep(entries, ids)| ::
      Keep(entries, ids)[i].parent.Some? && Keep(entries, ids)[i].parent.value in ids
  }

  /** A place between two entries where no call is out and no API message is split. */
  predicate IsCut(entries: Log, n: nat) {
    && n <= |entries|
    && Balanced(entries[..n])
    && (forall i, j | 0 <= i < n <= j < |entries| :: !Mates(entries[i], entries[j]))
  }

  /** What stands between two places. */
  function Span(entries: Log, m: nat, n: nat): set<Id>
    requires m <= n <= |entries|
  {
    Uuids(entries[m..n])
  }

  /** A step: what stands between a cut and the next one. */
  predicate IsStep(entries: Log, m: nat, n: nat) {
    && IsCut(entries, m)
    && IsCut(entries, n)
    && m < n
    && (forall k | m < k < n :: !IsCut(entries, k))
  }

  /** What is not covered is still there. */
  lemma SurvivorIsThere(log: Log, ids: set<Id>, u: Id)
    requires u in Uuids(log) && u !in ids
    ensures u in Uuids(Drop(log, ids))
    decreases |log|
  {
    var before, e := log[..|log| - 1], log[|log| - 1];
    if e.uuid == u {
      assert Drop(log, ids)[|Drop(log, ids)| - 1] in Drop(log, ids);
    } else {
      var x :| x in log && x.uuid == u;
      assert x in before;
      SurvivorIsThere(before, ids, u);
      var y :| y in Drop(before, ids) && y.uuid == u;
      assert y in Drop(log, ids);
    }
  }

  /** Whatever a covered entry of the conversation at `u` needs and is not covered itself belongs to the conversation still. */
  predicate Exits(log: Log, ids: set<Id>, u: Id)
    requires u in Uuids(log) && u !in ids
  {
    SurvivorIsThere(log, ids, u);
    var after := Members(Drop(log, ids), u);
    forall a, b | a in AsOf(log, u) && b in AsOf(log, u) && a.uuid in ids && a.uuid in Members(log, u) && Needs(a, b) ::
      b.uuid in ids || b.uuid in after
  }

  // --- Stubs ---

  /** A link to one of `ids` goes to `to` instead. */
  function Relink(p: Option<Id>, ids: set<Id>, to: Id): Option<Id> {
    if p.Some? && p.value in ids then Some(to) else p
  }

  /** Another entry in the place of the one with the uuid `first`: it continues what that one continued, and what continued that
    * one continues it. */
  function Replace(log: Log, first: Id, stub: Entry): Log
    decreases |log|
  {
    if |log| == 0 then []
    else if log[|log| - 1].uuid == first then
      Replace(log[..|log| - 1], first, stub) + [stub.(parent := log[|log| - 1].parent)]
    else
      Replace(log[..|log| - 1], first, stub)
      + [log[|log| - 1].(parent := Relink(log[|log| - 1].parent, {first}, stub.uuid))]
  }

  /** The first covered entry, if there is one. */
  function First(log: Log, ids: set<Id>): Option<Id> {
    if |Keep(log, ids)| == 0 then None else Some(Keep(log, ids)[0].uuid)
  }

  /** A drop that leaves a stub: it stands where the first covered entry stood, and the rest of the span is dropped. Where
    * nothing is covered nothing changes. */
  function DropWithStub(log: Log, ids: set<Id>, stub: Entry): Log {
    match First(log, ids)
    case None => log
    case Some(first) => Replace(Drop(log, ids - {first}), first, stub)
  }

  /** Entries whose links to any of `ids` go to `to` instead. */
  function Onto(entries: Log, ids: set<Id>, to: Id): Log
    decreases |entries|
  {
    if |entries| == 0 then []
    else
      Onto(entries[..|entries| - 1], ids, to)
      + [entries[|entries| - 1].(parent := Relink(entries[|entries| - 1].parent, ids, to))]
  }

  /** The log with a summary, a root, in place of its first `n` entries: whatever continued one of them continues the summary. */
  function Compact(log: Log, n: nat, stub: Entry): Log
    requires n <= |log|
  {
    [stub.(parent := None)] + Onto(log[n..], Uuids(log[..n]), stub.uuid)
  }

  // --- When a drop must leave a stub ---

  /** What is known of entries beside what they hold: the tool uses that had effects, the entries that an entry refers to, and the
    * entries with which the user decided something. */
  datatype Notes = Notes(effects: set<Id>, refers: map<Id, set<Id>>, decisions: set<Id>)

  /** A covered entry made a call that had an effect. */
  predicate CoversEffect(entries: Log, ids: set<Id>, notes: Notes) {
    exists e | e in entries :: e.uuid in ids && UsesOf(e) * notes.effects != {}
  }

  /** A survivor refers to a covered entry. */
  predicate CoversReference(entries: Log, ids: set<Id>, notes: Notes) {
    exists e | e in entries ::
      e.uuid !in ids && e.uuid in notes.refers && notes.refers[e.uuid] * Uuids(entries) * ids != {}
  }

  /** A covered entry stands before a decision that survives. */
  predicate CoversBeforeDecision(entries: Log, ids: set<Id>, notes: Notes) {
    exists i, j | 0 <= i < j < |entries| ::
      entries[i].uuid in ids && entries[j].uuid !in ids && entries[j].uuid in notes.decisions
  }

  /** The stub rule. */
  predicate MustLeaveStub(entries: Log, ids: set<Id>, notes: Notes) {
    CoversEffect(entries, ids, notes) || CoversReference(entries, ids, notes) || CoversBeforeDecision(entries, ids, notes)
  }

  // --- Sub-agents ---

  /** The sub-agents of a log, by their roots, and the entry that called each. */
  type Callers = map<Id, Id>

  /** The entries of a sub-agent: all that descends from its root. */
  function Thread(log: Log, root: Id): set<Id>
    requires WellFormed(log)
  {
    set u | u in Uuids(log) && IsAncestor(log, root, u)
  }

  /** What the sub-agents wrote that entries of a set called. */
  function Threads(log: Log, callers: Callers, ids: set<Id>): set<Id>
    requires WellFormed(log)
  {
    set r, u | r in callers && callers[r] in ids && u in Thread(log, r) :: u
  }

  /** A cover and what is hidden with it: the sub-agents that covered entries called, those that these called, and so on. */
  function WithThreads(log: Log, callers: Callers, ids: set<Id>): set<Id>
    requires WellFormed(log)
    decreases |Uuids(log) - ids|
  {
    var more := ids + Threads(log, callers, ids);
    if more == ids then ids
    else
      assert Uuids(log) - more < Uuids(log) - ids by {
        var x :| x in more && x !in ids;
        assert x in Uuids(log) - ids && x !in Uuids(log) - more;
      }
      SmallerSet(Uuids(log) - more, Uuids(log) - ids);
      WithThreads(log, callers, more)
  }

  /** A cover is refused while a sub-agent runs that it would hide. */
  predicate NoneRuns(log: Log, callers: Callers, running: set<Id>, ids: set<Id>)
    requires WellFormed(log)
  {
    running !! WithThreads(log, callers, ids)
  }

  /** A sub-agent as a log of its own. */
  function Promote(log: Log, root: Id): Log
    requires WellFormed(log)
  {
    Keep(log, Thread(log, root))
  }
}

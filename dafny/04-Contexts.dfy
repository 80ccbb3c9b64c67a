// Chapter 4. Context: what the conversation at an entry is. A parallel tool call hangs its result, and even whole
// sibling calls, beside the path from the root, so a context is more than an ancestry.
include "01-Entries.dfy"

module Contexts {
  import opened Names
  import opened Entries

  /** The tool uses in an entry. */
  function UsesOf(e: Entry): set<Id> {
    set b | b in e.blocks && b.Use? :: b.id
  }

  /** The tool uses that an entry has results of. */
  function ResultsOf(e: Entry): set<Id> {
    set b | b in e.blocks && b.Result? :: b.id
  }

  /** Two assistant entries that are parts of one API message. */
  predicate Mates(a: Entry, b: Entry) {
    a.kind.Assistant? && b.kind.Assistant? && a.message.Some? && a.message == b.message
  }

  /** `b` is a user entry with a result of a tool use in `a`, wherever it hangs. */
  predicate Answers(a: Entry, b: Entry) {
    b.kind.User? && UsesOf(a) * ResultsOf(b) != {}
  }

  /** A conversation that holds `a` is not whole without `b`: `b` is the parent of `a`, a part of the same API message,
    * or an answer to a tool use in `a`. */
  predicate Needs(a: Entry, b: Entry) {
    || a.parent == Some(b.uuid)
    || Mates(a, b)
    || Answers(a, b)
  }

  /** A set of entries that needs nothing more of the log. */
  predicate Closed(log: Log, ids: set<Id>) {
    forall a, b | a in log && b in log && a.uuid in ids && Needs(a, b) :: b.uuid in ids
  }

  /** What the entries of a set need. */
  function Needed(log: Log, ids: set<Id>): set<Id> {
    set a, b | a in log && b in log && a.uuid in ids && Needs(a, b) :: b.uuid
  }

  /** The least closed set that contains `ids`: add what is needed until nothing is. */
  function Closure(log: Log, ids: set<Id>): set<Id>
    decreases |Uuids(log) - ids|
  {
    var more := ids + Needed(log, ids);
    if more == ids then ids
    else
      assert Uuids(log) - more < Uuids(log) - ids by {
        var x :| x in more && x !in ids;
        assert x in Uuids(log) - ids && x !in Uuids(log) - more;
      }
      SmallerSet(Uuids(log) - more, Uuids(log) - ids);
      Closure(log, more)
  }

  /** A proper subset is smaller: why the closure ends. */
  lemma SmallerSet<T>(a: set<T>, b: set<T>)
    requires a < b
    ensures |a| < |b|
  {
    assert b == a + (b - a);
    assert |b| == |a| + |b - a|;
    var x :| x in b && x !in a;
    assert x in b - a;
  }

  /** The ids of the conversation at `u`: the least set that contains `u`, within the log as of `u`, and is closed. */
  function Members(log: Log, u: Id): set<Id>
    requires u in Uuids(log)
  {
    Closure(AsOf(log, u), {u})
  }

  /** The conversation at `u`: its members, in the order of the log. */
  function Context(log: Log, u: Id): Log
    requires u in Uuids(log)
  {
    Keep(log, Members(log, u))
  }

  /** Nothing that belongs to the conversation at `u` comes later: its members are closed in the whole log too. */
  predicate Settled(log: Log, u: Id)
    requires u in Uuids(log)
  {
    Closed(log, Members(log, u))
  }
}

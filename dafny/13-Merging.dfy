// Chapter 13. Merging: two branches of a log become one by one appended node with a second parent. The second parent is no
// edge of conversations and no part of an entry: it stands beside the log, as a map. And two files become one log.
include "03-Ancestries.dfy"
include "07-Forks.dfy"

module Merging {
  import opened Names
  import opened Entries
  import opened Ancestries
  import opened Contexts
  import opened Forks

  /** The second parents: from the uuid of a merge node to the uuid of the entry at which the merged branch ends. */
  type Merges = map<Id, Id>

  /** What is reached from `u`: itself, what is reached from its parent, and what is reached from its second parent. A second
    * parent that does not stand before its node is none. */
  function Reach(log: Log, merges: Merges, u: Id): set<Id>
    requires WellFormed(log)
    requires u in Uuids(log)
    decreases |log|
  {
    var e := log[|log| - 1];
    var before := log[..|log| - 1];
    if e.uuid != u then Reach(before, merges, u)
    else
      var first := if e.parent.None? then {} else Reach(before, merges, e.parent.value);
      var second := if u in merges && merges[u] in Uuids(before) then Reach(before, merges, merges[u]) else {};
      {u} + first + second
  }

  /** The second parent of `u`, if it has one. */
  function SecondParent(log: Log, merges: Merges, u: Id): Option<Id>
    requires u in Uuids(log)
  {
    if u in merges && merges[u] in Uuids(log[..IndexOf(log, u)]) then Some(merges[u]) else None
  }

  /** The set holds both parents of each of its entries. */
  ghost predicate BothParentsClosed(log: Log, merges: Merges, ids: set<Id>) {
    forall u | u in Uuids(log) && u in ids ::
      && (Get(log, u).parent.Some? ==> Get(log, u).parent.value in ids)
      && (SecondParent(log, merges, u).Some? ==> SecondParent(log, merges, u).value in ids)
  }

  /** What is held at `u`: the conversations at everything that is reached. */
  function Held(log: Log, merges: Merges, u: Id): set<Id>
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    set v, w | v in Uuids(log) && v in Reach(log, merges, u) && w in Members(log, v) :: w
  }

  /** A log and its second parents. */
  datatype History = History(log: Log, merges: Merges)

  /** `node` can merge the branch that ends at `source` into the one that it continues. */
  ghost predicate CanMerge(h: History, node: Entry, source: Id) {
    && WellFormed(h.log)
    && Fits(h.log, node)
    && node.parent.Some?
    && source in Uuids(h.log)
  }

  /** The branch that ends at `source` merged into the target, the one that `node` continues: the node is appended, and the source
    * is its second parent. A source that the target reaches already is not merged again. */
  function Merge(h: History, node: Entry, source: Id): History
    requires CanMerge(h, node, source)
  {
    if source in Reach(h.log, h.merges, node.parent.value) then h
    else History(Append(h.log, node), h.merges[node.uuid := source])
  }

  /** Where the target goes on after the merge: at the node, if there was something to merge. */
  function Head(h: History, node: Entry, source: Id): Id
    requires CanMerge(h, node, source)
  {
    if source in Reach(h.log, h.merges, node.parent.value) then node.parent.value else node.uuid
  }

  // --- What a merge node quotes ---

  /** How much of the merged branch a node tells: what it left in memory, its insights, a summary, or all of it. */
  datatype Mode = Memories | Insights | Summarized | Full

  /** The entries that a node quotes: in full, what the source holds and the target does not; otherwise none. */
  function Quoted(h: History, mode: Mode, target: Id, source: Id): set<Id>
    requires WellFormed(h.log)
    requires target in Uuids(h.log) && source in Uuids(h.log)
  {
    if mode.Full? then Held(h.log, h.merges, source) - Held(h.log, h.merges, target) else {}
  }

  // --- What a node tells word for word ---

  /** A text, as its characters. */
  type Words = seq<nat>

  /** The digest of a text, as characters. */
  type Digest = Words -> Words

  /** What stands around a quoted text: `opens`, the digest in `width` characters and `begins` before it; `closes`, the digest
    * and `ends` behind it. */
  datatype QuoteMarks = QuoteMarks(opens: Words, width: nat, begins: Words, closes: Words, ends: Words)

  /** A text between two marks that carry its digest. */
  function QuoteWords(marks: QuoteMarks, digest: Digest, words: Words): Words {
    marks.opens + digest(words) + marks.begins + words + marks.closes + digest(words) + marks.ends
  }

  /** At `at` stands the mark that closes what began at `start`: it carries this digest, which is the digest of what is between. */
  predicate ClosesAt(marks: QuoteMarks, digest: Digest, mark: Words, text: Words, start: nat, at: nat)
    requires start <= at <= |text|
  {
    var close := marks.closes + mark + marks.ends;
    && at + |close| <= |text|
    && text[at..at + |close|] == close
    && digest(text[start..at]) == mark
  }

  /** The first such place from `at` on. */
  function FirstClose(marks: QuoteMarks, digest: Digest, mark: Words, text: Words, start: nat, at: nat): Option<nat>
    requires start <= at <= |text|
    ensures var found := FirstClose(marks, digest, mark, text, start, at);
            found.Some? ==> at <= found.value <= |text| && ClosesAt(marks, digest, mark, text, start, found.value)
    decreases |text| - at
  {
    if ClosesAt(marks, digest, mark, text, start, at) then Some(at)
    else if at == |text| then None
    else FirstClose(marks, digest, mark, text, start, at + 1)
  }

  /** The quoted text with which a text begins, if it begins with one. */
  function UnquoteWords(marks: QuoteMarks, digest: Digest, text: Words): Option<Words> {
    var marked := |marks.opens| + marks.width;
    var start := marked + |marks.begins|;
    if |text| < start || text[..|marks.opens|] != marks.opens || text[marked..start] != marks.begins then None
    else
      var end := FirstClose(marks, digest, text[|marks.opens|..marked], text, start, start);
      if end.None? then None else Some(text[start..end.value])
  }

  // --- Two files ---

  /** The entries of `b` that `a` does not have. */
  function News(a: Log, b: Log): Log {
    Keep(b, Uuids(b) - Uuids(a))
  }

  /** Two files as one log: `a`, then what is new in `b`. */
  function Union(a: Log, b: Log): Log {
    a + News(a, b)
  }

  /** The same id is the same entry in both. */
  predicate Agree(a: Log, b: Log) {
    forall x, y | x in a && y in b :: x.uuid == y.uuid ==> x == y
  }

  /** `b` begins with what it shares with `a`, as it stands there: they part once and for all. */
  predicate PartsFrom(b: Log, a: Log) {
    Keep(a, Uuids(b)) <= b
  }
}

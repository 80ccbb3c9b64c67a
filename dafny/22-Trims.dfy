// Chapter 22. Trims: the content of single entries is covered, as overlays cover whole ones. The entry stays where it is, and so do
// its calls and results; what it says is another, shorter thing. What a trim says stands beside the log, as a map from the record's
// uuid; whether the record counts is said as of any other record (chapter 12).
include "12-Overlays.dfy"

module Trims {
  import opened Names
  import opened Entries
  import opened Contexts
  import opened Overlays

  /** What an entry holds in the place of its own content. */
  datatype Face = Face(blocks: seq<Block>, fields: map<Key, Value>)

  /** The faces that a trim gives to entries, by their uuids. */
  type Faces = map<Id, Face>

  /** The faces of the trims of a log, by the uuids of their records. */
  type Trims = map<Id, Faces>

  /** Two blocks that mean the same call, the same result, or no tool at all. */
  predicate SamePart(a: Block, b: Block) {
    a == b || (a.Opaque? && b.Opaque?)
  }

  /** As many blocks, each the same part as the one in its place. */
  predicate SameShape(a: seq<Block>, b: seq<Block>) {
    |a| == |b| && forall i | 0 <= i < |a| :: SamePart(a[i], b[i])
  }

  /** An entry with its face. A face of another shape is none. */
  function Trimmed(e: Entry, faces: Faces): Entry {
    if e.uuid in faces && SameShape(e.blocks, faces[e.uuid].blocks) then
      e.(blocks := faces[e.uuid].blocks, fields := faces[e.uuid].fields)
    else e
  }

  /** A log whose entries have their faces. */
  function Trim(log: Log, faces: Faces): Log
    decreases |log|
  {
    if |log| == 0 then [] else Trim(log[..|log| - 1], faces) + [Trimmed(log[|log| - 1], faces)]
  }

  /** A log after what some records say, one after the other; those that are no trims say nothing. */
  function TrimAll(log: Log, records: seq<Record>, trims: Trims): Log
    decreases |records|
  {
    if |records| == 0 then log
    else if records[|records| - 1].id in trims then
      Trim(TrimAll(log, records[..|records| - 1], trims), trims[records[|records| - 1].id])
    else TrimAll(log, records[..|records| - 1], trims)
  }

  /** An entry keeps its place and its uuid whatever trims say: why it can be looked up. */
  lemma TrimKeepsUuids(log: Log, records: seq<Record>, trims: Trims)
    ensures Uuids(TrimAll(log, records, trims)) == Uuids(log)
    decreases |records|
  {
    if |records| > 0 {
      var before := TrimAll(log, records[..|records| - 1], trims);
      TrimKeepsUuids(log, records[..|records| - 1], trims);
      if records[|records| - 1].id in trims {
        OneTrimKeepsUuids(before, trims[records[|records| - 1].id]);
      }
    }
  }

  /** The same of one trim. */
  lemma OneTrimKeepsUuids(log: Log, faces: Faces)
    ensures Uuids(Trim(log, faces)) == Uuids(log)
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      OneTrimKeepsUuids(before, faces);
      var trimmed := Trim(log, faces);
      var first := Trim(before, faces);
      assert log == before + [e] && trimmed == first + [Trimmed(e, faces)];
      assert Uuids(log) == Uuids(before) + {e.uuid} by {
        assert forall x :: x in log <==> x in before || x == e;
      }
      assert Uuids(trimmed) == Uuids(first) + {e.uuid} by {
        assert forall x :: x in trimmed <==> x in first || x == Trimmed(e, faces);
      }
    }
  }

  /** A conversation as it is shown: what is left out is not there, and the rest has the faces of the trims that count. */
  function ShownTrimmed(entries: Log, sayings: Sayings, trims: Trims): Log {
    TrimAll(Shown(entries, sayings), Active(entries, sayings), trims)
  }

  /** The conversation at `u` as it is shown. */
  function ShownTrimmedAt(log: Log, sayings: Sayings, trims: Trims, u: Id): Log
    requires u in Uuids(log)
  {
    ShownTrimmed(Context(log, u), sayings, trims)
  }

  /** Two entries that stand in one place and have the same calls and results: all but their content is the same. */
  predicate Alike(a: Entry, b: Entry) {
    && a.uuid == b.uuid
    && a.parent == b.parent
    && a.logicalParent == b.logicalParent
    && a.kind == b.kind
    && a.message == b.message
    && a.sidechain == b.sidechain
    && a.version == b.version
    && SameShape(a.blocks, b.blocks)
  }

  /** Two logs whose entries are alike, one by one. */
  predicate AllAlike(a: Log, b: Log) {
    |a| == |b| && forall i | 0 <= i < |a| :: Alike(a[i], b[i])
  }
}

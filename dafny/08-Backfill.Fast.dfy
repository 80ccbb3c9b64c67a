// Chapter 8, the loops the port runs: an entry filled in one pass over the required keys, a log filled in one pass
// over its entries with a report for each, and which entries of a log do not validate.
include "08-Backfill.Proofs.dfy"

module BackfillFast {
  import opened Names
  import opened Entries
  import opened Backfill
  import BackfillProofs

  /** Where the pass stands when the keys of `left` are still to come: the fields hold what was there and the keys that
    * came and may be filled; reported are the missing keys that came and may not. */
  ghost predicate Underway(e: Entry, schema: Schema, left: set<Key>, fields: map<Key, Value>, reported: set<Key>) {
    var required := RequiredOf(schema, e.kind);
    && left <= required.Keys
    && (forall k :: k in fields <==> k in e.fields || (k in required && k !in left && k !in schema.reserved))
    && (forall k | k in fields :: fields[k] == if k in e.fields then e.fields[k] else required[k])
    && (forall k :: k in reported <==> k in required && k !in left && k !in e.fields && k in schema.reserved)
  }

  /** When no key is left, the pass has filled the entry and reported what backfill reports. */
  lemma NothingLeftIsBackfill(e: Entry, schema: Schema, fields: map<Key, Value>, reported: set<Key>)
    requires Underway(e, schema, {}, fields, reported)
    ensures e.(fields := fields) == BackfillEntry(e, schema)
    ensures reported == Reported(schema, e)
  {
    assert fields.Keys == e.fields.Keys + (RequiredOf(schema, e.kind).Keys - schema.reserved);
    BackfillProofs.FilledIsBackfill(e.(fields := fields), e, schema);
  }

  /** Fills an entry and says what could not be filled, in one pass over what its kind requires. */
  method FillEntry(e: Entry, schema: Schema) returns (filled: Entry, reported: set<Key>)
    ensures filled == BackfillEntry(e, schema)
    ensures reported == Reported(schema, e)
  {
    var required := RequiredOf(schema, e.kind);
    var fields := e.fields;
    var left := required.Keys;
    reported := {};
    while left != {}
      invariant Underway(e, schema, left, fields, reported)
      decreases |left|
    {
      var k :| k in left;
      left := left - {k};
      if k !in e.fields {
        if k in schema.reserved {
          reported := reported + {k};
        } else {
          fields := fields[k := required[k]];
        }
      }
    }
    NothingLeftIsBackfill(e, schema, fields, reported);
    filled := e.(fields := fields);
  }

  /** Fills a log and reports, position by position, what could not be filled. */
  method FillLog(log: Log, schema: Schema) returns (filled: Log, reported: seq<set<Key>>)
    ensures filled == BackfillLog(log, schema)
    ensures |reported| == |log|
    ensures forall i | 0 <= i < |log| :: reported[i] == Reported(schema, log[i])
  {
    var entries := new Entry[|log|](i requires 0 <= i < |log| => log[i]);
    var reports := new set<Key>[|log|];
    for n := 0 to |log|
      invariant forall i | 0 <= i < n :: entries[i] == BackfillEntry(log[i], schema)
      invariant forall i | 0 <= i < n :: reports[i] == Reported(schema, log[i])
    {
      entries[n], reports[n] := FillEntry(log[n], schema);
    }
    filled, reported := entries[..], reports[..];
    BackfillProofs.BackfillIsEntrywise(log, schema);
  }

  /** Decides which entries of a log do not validate: their positions, each once, in order. */
  method InvalidPositions(log: Log, schema: Schema) returns (positions: seq<nat>)
    ensures forall i: nat :: i in positions <==> i < |log| && !Validates(schema, log[i])
    ensures forall a, b | 0 <= a < b < |positions| :: positions[a] < positions[b]
  {
    positions := [];
    for n := 0 to |log|
      invariant forall i: nat :: i in positions <==> i < n && !Validates(schema, log[i])
      invariant forall a | 0 <= a < |positions| :: positions[a] < n
      invariant forall a, b | 0 <= a < b < |positions| :: positions[a] < positions[b]
    {
      if !Validates(schema, log[n]) {
        positions := positions + [n];
      }
    }
  }

  /** Decides which entries of a log no backfill can make valid, because a reserved key is missing: their positions, each
    * once, in order. They are the entries that do not validate afterwards. */
  method UnfillablePositions(log: Log, schema: Schema) returns (positions: seq<nat>)
    ensures forall i: nat :: i in positions <==> i < |log| && Reported(schema, log[i]) != {}
    ensures |BackfillLog(log, schema)| == |log|
    ensures forall i: nat :: i in positions <==> i < |log| && !Validates(schema, BackfillLog(log, schema)[i])
    ensures forall a, b | 0 <= a < b < |positions| :: positions[a] < positions[b]
  {
    BackfillProofs.BackfillIsEntrywise(log, schema);
    positions := [];
    for n := 0 to |log|
      invariant forall i: nat :: i in positions <==> i < n && Reported(schema, log[i]) != {}
      invariant forall i: nat :: i in positions <==> i < n && !Validates(schema, BackfillLog(log, schema)[i])
      invariant forall a | 0 <= a < |positions| :: positions[a] < n
      invariant forall a, b | 0 <= a < b < |positions| :: positions[a] < positions[b]
    {
      BackfillProofs.BackfilledEntryValidates(log[n], schema);
      if Reported(schema, log[n]) != {} {
        positions := positions + [n];
      }
    }
  }
}

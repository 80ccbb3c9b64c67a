// Chapter 8, proofs. Backfill adds exactly the missing keys that it may add (P6a, P6b), and since it touches nothing
// but fields it commutes with everything that looks at the tree and the blocks.
include "01-Entries.Proofs.dfy"
include "02-Order.dfy"
include "04-Contexts.Proofs.dfy"
include "07-Forks.Proofs.dfy"
include "08-Backfill.dfy"

module BackfillProofs {
  import opened Names
  import opened Entries
  import opened Order
  import opened Ancestries
  import opened Contexts
  import opened Balance
  import opened Forks
  import opened Backfill
  import EntriesProofs
  import ContextsProofs
  import ForksProofs

  // One entry: what is added, what is kept, what is reported.

  /** P6a: after backfill an entry lacks exactly the reserved keys that were reported; so it validates against the
    * target schema exactly if none was. */
  lemma BackfilledEntryValidates(e: Entry, schema: Schema)
    ensures Missing(schema, BackfillEntry(e, schema)) == Reported(schema, e)
    ensures Validates(schema, BackfillEntry(e, schema)) <==> Reported(schema, e) == {}
  {
    MissingAfterBackfill(e, schema);
    ValidatesWhenNothingIsMissing(BackfillEntry(e, schema), schema);
  }

  /** P6a: a value of another kind than the schema asks for stays, and backfill adds none. So a filled entry conforms exactly if nothing was
    * reported and no value was odd. */
  lemma FilledEntryConforms(e: Entry, schema: Schema, takes: Takes)
    requires TakesDefaults(schema, takes)
    ensures Odd(schema, takes, BackfillEntry(e, schema)) == Odd(schema, takes, e)
    ensures Conforms(schema, takes, BackfillEntry(e, schema)) <==> Reported(schema, e) == {} && Odd(schema, takes, e) == {}
  {
    BackfillAddsExactlyTheMissing(e, schema);
    BackfilledEntryValidates(e, schema);
    var filled := BackfillEntry(e, schema);
    forall k
      ensures k in Odd(schema, takes, filled) <==> k in Odd(schema, takes, e)
    {
    }
  }

  /** P6a: an entry conforms exactly if it has every required key with a value that the schema takes there, reserved keys included. */
  lemma ConformsExactly(e: Entry, schema: Schema, takes: Takes)
    ensures Conforms(schema, takes, e) <==>
            forall k | k in RequiredOf(schema, e.kind) :: k in e.fields && takes(e.kind, k, e.fields[k])
  {
    if Conforms(schema, takes, e) {
      forall k | k in RequiredOf(schema, e.kind)
        ensures k in e.fields && takes(e.kind, k, e.fields[k])
      {
        assert k in RequiredOf(schema, e.kind).Keys;
        assert k !in Odd(schema, takes, e);
      }
    }
  }

  /** P6a: backfill adds no odd value to any entry exactly if the schema takes the defaults that it fills in. Of the defaults of reserved
    * keys nothing is asked: they are never filled in. */
  lemma DefaultsAreTakenExactly(schema: Schema, takes: Takes, e: Entry)
    ensures TakesDefaults(schema, takes) <==>
            forall x: Entry :: Odd(schema, takes, BackfillEntry(x, schema)) == Odd(schema, takes, x)
  {
    if TakesDefaults(schema, takes) {
      forall x: Entry
        ensures Odd(schema, takes, BackfillEntry(x, schema)) == Odd(schema, takes, x)
      {
        FilledEntryConforms(x, schema, takes);
      }
    } else {
      var kind: Kind, k :| k in RequiredOf(schema, kind) && k !in schema.reserved && !takes(kind, k, RequiredOf(schema, kind)[k]);
      var bare := e.(kind := kind, fields := map[]);
      assert k in Additions(schema, bare);
      assert k in Odd(schema, takes, BackfillEntry(bare, schema));
      assert k !in Odd(schema, takes, bare);
    }
  }

  /** A schema asks for what it says of a kind, and of a kind that it does not name it asks for nothing: such an entry stays. */
  lemma KindsThatAreNotNamedStay(schema: Schema, kind: Kind, wanted: map<Key, Value>, e: Entry)
    ensures RequiredOf(schema.(required := schema.required[kind := wanted]), kind) == wanted
    ensures RequiredOf(schema.(required := schema.required - {kind}), kind) == map[]
    ensures Missing(schema.(required := schema.required - {e.kind}), e) == {}
    ensures Validates(schema.(required := schema.required - {e.kind}), e)
    ensures BackfillEntry(e, schema.(required := schema.required - {e.kind})) == e
  {
    var silent := schema.(required := schema.required - {e.kind});
    assert RequiredOf(silent, e.kind) == map[];
    assert Additions(silent, e) == map[];
    assert e.fields + Additions(silent, e) == e.fields;
  }

  /** P6a: an entry of an older client stays one. Backfill does not ask for the version: an entry stays as it is exactly if nothing may be
    * filled, whichever client wrote it. */
  lemma CompleteEntriesStay(e: Entry, schema: Schema)
    ensures Older(schema, BackfillEntry(e, schema)) <==> Older(schema, e)
    ensures BackfillEntry(e, schema) == e <==> Missing(schema, e) <= schema.reserved
  {
    BackfillAddsExactlyTheMissing(e, schema);
    var filled := BackfillEntry(e, schema);
    assert filled.fields.Keys == e.fields.Keys + (Missing(schema, e) - schema.reserved);
    if Missing(schema, e) <= schema.reserved {
      assert Additions(schema, e) == map[];
    }
  }

  /** What is still missing after backfill is what was reported before it. */
  lemma MissingAfterBackfill(e: Entry, schema: Schema)
    ensures Missing(schema, BackfillEntry(e, schema)) == Reported(schema, e)
  {
    var after := BackfillEntry(e, schema);
    BackfillAddsExactlyTheMissing(e, schema);
    forall k
      ensures k in Missing(schema, after) <==> k in Reported(schema, e)
    {
    }
  }

  /** `Missing` and `Validates` say the same. */
  lemma ValidatesWhenNothingIsMissing(e: Entry, schema: Schema)
    ensures Validates(schema, e) <==> Missing(schema, e) == {}
  {
    if Missing(schema, e) == {} {
      forall k | k in RequiredOf(schema, e.kind).Keys
        ensures k in e.fields.Keys
      {
        assert k !in Missing(schema, e);
      }
    }
  }

  /** P6b: every key that the entry had keeps its value. */
  lemma BackfillKeepsExistingFields(e: Entry, schema: Schema)
    ensures forall k | k in e.fields :: k in BackfillEntry(e, schema).fields && BackfillEntry(e, schema).fields[k] == e.fields[k]
  {
  }

  /** P6b: the keys after backfill are the keys before it and the required ones that may be added and were not there,
    * each of these with the schema's default. */
  lemma BackfillAddsExactlyTheMissing(e: Entry, schema: Schema)
    ensures BackfillEntry(e, schema).fields.Keys
         == e.fields.Keys + (RequiredOf(schema, e.kind).Keys - schema.reserved - e.fields.Keys)
    ensures forall k | k in BackfillEntry(e, schema).fields && k !in e.fields ::
              BackfillEntry(e, schema).fields[k] == RequiredOf(schema, e.kind)[k]
  {
    var added := RequiredOf(schema, e.kind).Keys - schema.reserved - e.fields.Keys;
    forall k
      ensures k in Additions(schema, e).Keys <==> k in added
    {
    }
    assert Additions(schema, e).Keys == added;
  }

  /** P6b: nothing but the fields changes: not the uuid, the parents, the kind, the message, the blocks, the sidechain
    * flag, and not the version, since the entry was written by that client. */
  lemma BackfillChangesOnlyFields(e: Entry, schema: Schema)
    ensures BackfillEntry(e, schema) == e.(fields := BackfillEntry(e, schema).fields)
    ensures BackfillEntry(e, schema).(fields := e.fields) == e
    ensures BackfillEntry(e, schema).version == e.version
  {
  }

  /** `FilledExactly` says all of it: it holds of the backfilled entry and of no other. */
  lemma FilledIsBackfill(filled: Entry, e: Entry, schema: Schema)
    ensures FilledExactly(filled, e, schema) <==> filled == BackfillEntry(e, schema)
  {
    var b := BackfillEntry(e, schema);
    BackfillAddsExactlyTheMissing(e, schema);
    assert FilledExactly(b, e, schema);
    if FilledExactly(filled, e, schema) {
      assert filled.fields.Keys == b.fields.Keys;
      assert forall k | k in filled.fields :: filled.fields[k] == b.fields[k];
      assert filled.fields == b.fields;
    }
  }

  /** A reserved key is there after backfill exactly if it was before, with the value it had; and it is reported again
    * and again until someone who knows the value writes it. */
  lemma ReservedKeysAreNeverInvented(e: Entry, schema: Schema)
    ensures forall k | k in schema.reserved ::
              && (k in BackfillEntry(e, schema).fields <==> k in e.fields)
              && (k in e.fields ==> BackfillEntry(e, schema).fields[k] == e.fields[k])
    ensures Reported(schema, BackfillEntry(e, schema)) == Reported(schema, e)
  {
    MissingAfterBackfill(e, schema);
  }

  /** Keys that the reader uses are never changed: a reader of the fields that looks only at keys which are reserved or not
    * required reads from the filled entry what it read from the entry. So the attributes read again are the same. */
  lemma WhatIsReadStays<T(!new)>(read: map<Key, Value> -> T, keys: set<Key>, e: Entry, schema: Schema)
    requires ReadsOnly(read, keys)
    requires keys * RequiredOf(schema, e.kind).Keys <= schema.reserved
    ensures read(BackfillEntry(e, schema).fields) == read(e.fields)
  {
    BackfillAddsExactlyTheMissing(e, schema);
    forall k | k in keys && k in BackfillEntry(e, schema).fields
      ensures k in e.fields
    {
      assert k in RequiredOf(schema, e.kind) ==> k in keys * RequiredOf(schema, e.kind).Keys;
    }
  }

  /** A second backfill against the same schema changes nothing. */
  lemma BackfillTwiceIsOnce(e: Entry, schema: Schema)
    ensures BackfillEntry(BackfillEntry(e, schema), schema) == BackfillEntry(e, schema)
  {
    MissingAfterBackfill(e, schema);
    assert Additions(schema, BackfillEntry(e, schema)) == map[];
  }

  // Several versions.

  /** Filling for one version and then for another is filling for the other alone exactly if the other adds to this
    * entry whatever the one adds, with the same values. */
  lemma BackfillComposesExactlyWhen(e: Entry, v1: Schema, v2: Schema)
    ensures BackfillEntry(BackfillEntry(e, v1), v2) == BackfillEntry(e, v2)
       <==> (forall k | k in Additions(v1, e) :: k in Additions(v2, e) && Additions(v2, e)[k] == Additions(v1, e)[k])
  {
    var once := BackfillEntry(e, v2);
    var twice := BackfillEntry(BackfillEntry(e, v1), v2);
    if forall k | k in Additions(v1, e) :: k in Additions(v2, e) && Additions(v2, e)[k] == Additions(v1, e)[k] {
      forall k
        ensures k in twice.fields <==> k in once.fields
        ensures k in twice.fields ==> twice.fields[k] == once.fields[k]
      {
      }
      assert twice.fields == once.fields;
    }
    if twice == once {
      forall k | k in Additions(v1, e)
        ensures k in Additions(v2, e) && Additions(v2, e)[k] == Additions(v1, e)[k]
      {
        assert twice.fields[k] == Additions(v1, e)[k];
        assert k in once.fields;
      }
    }
  }

  /** An entry without any field tells two schemas apart: composition holds for it exactly if the later schema fills
    * everything that the earlier one fills for that kind, with equal defaults. */
  lemma BareEntryComposesExactlyWhen(e: Entry, v1: Schema, v2: Schema)
    requires e.fields == map[]
    ensures BackfillEntry(BackfillEntry(e, v1), v2) == BackfillEntry(e, v2)
       <==> (forall k | k in RequiredOf(v1, e.kind) && k !in v1.reserved ::
               && k in RequiredOf(v2, e.kind)
               && k !in v2.reserved
               && RequiredOf(v2, e.kind)[k] == RequiredOf(v1, e.kind)[k])
  {
    BackfillComposesExactlyWhen(e, v1, v2);
    forall k
      ensures k in Additions(v1, e) <==> k in RequiredOf(v1, e.kind) && k !in v1.reserved
      ensures k in Additions(v2, e) <==> k in RequiredOf(v2, e.kind) && k !in v2.reserved
    {
    }
    if forall k | k in Additions(v1, e) :: k in Additions(v2, e) && Additions(v2, e)[k] == Additions(v1, e)[k] {
      forall k | k in RequiredOf(v1, e.kind) && k !in v1.reserved
        ensures k in RequiredOf(v2, e.kind) && k !in v2.reserved && RequiredOf(v2, e.kind)[k] == RequiredOf(v1, e.kind)[k]
      {
        assert k in Additions(v1, e);
      }
    }
  }

  /** Composition holds for every entry exactly if the later schema fills everything the earlier one fills. */
  lemma BackfillComposesForAllExactlyWhen(v1: Schema, v2: Schema)
    ensures (forall e :: BackfillEntry(BackfillEntry(e, v1), v2) == BackfillEntry(e, v2)) <==> FillsAllOf(v2, v1)
  {
    if FillsAllOf(v2, v1) {
      forall e
        ensures BackfillEntry(BackfillEntry(e, v1), v2) == BackfillEntry(e, v2)
      {
        BackfillComposesExactlyWhen(e, v1, v2);
      }
    }
    if forall e :: BackfillEntry(BackfillEntry(e, v1), v2) == BackfillEntry(e, v2) {
      forall kind: Kind, k | k in RequiredOf(v1, kind) && k !in v1.reserved
        ensures k in RequiredOf(v2, kind) && k !in v2.reserved && RequiredOf(v2, kind)[k] == RequiredOf(v1, kind)[k]
      {
        var bare := Entry(Name(0), None, None, kind, None, [], false, 0, map[]);
        BareEntryComposesExactlyWhen(bare, v1, v2);
      }
    }
  }

  /** A schema extends itself. */
  lemma EverySchemaExtendsItself(schema: Schema)
    ensures ExtendsSchema(schema, schema)
  {
  }

  /** Extension goes along any number of versions. */
  lemma ExtensionIsTransitive(latest: Schema, later: Schema, earlier: Schema)
    requires ExtendsSchema(latest, later)
    requires ExtendsSchema(later, earlier)
    ensures ExtendsSchema(latest, earlier)
  {
  }

  /** Where the later schema extends the earlier one, filling for both in turn is filling for the later one alone. */
  lemma BackfillComposesAlongVersions(e: Entry, v1: Schema, v2: Schema)
    requires ExtendsSchema(v2, v1)
    ensures BackfillEntry(BackfillEntry(e, v1), v2) == BackfillEntry(e, v2)
  {
    BackfillComposesExactlyWhen(e, v1, v2);
  }

  /** Whether a schema extends another is asked of no version but "no older": at each later version all that counts is what it fills. */
  lemma ExtendsAtEveryLaterVersion(later: Schema, earlier: Schema, version: nat)
    ensures ExtendsSchema(later.(version := version), earlier) <==> earlier.version <= version && FillsAllOf(later, earlier)
  {
    forall kind: Kind ensures RequiredOf(later.(version := version), kind) == RequiredOf(later, kind) {
    }
  }

  /** A line of versions grows by one that extends the last; the empty one is one. */
  lemma VersionsGrowByOne(schemas: seq<Schema>, next: Schema)
    ensures Versions([])
    ensures Versions(schemas + [next])
       <==> Versions(schemas) && (|schemas| > 0 ==> ExtendsSchema(next, schemas[|schemas| - 1]))
  {
    var more := schemas + [next];
    if Versions(more) {
      forall i | 0 < i < |schemas| ensures ExtendsSchema(schemas[i], schemas[i - 1]) {
        assert more[i] == schemas[i] && more[i - 1] == schemas[i - 1];
      }
      assert |schemas| > 0 ==> more[|schemas|] == next && more[|schemas| - 1] == schemas[|schemas| - 1];
    }
  }

  /** Along any number of versions: filling for each in turn is filling for the last alone. */
  lemma BackfillThroughVersionsIsTheLast(e: Entry, schemas: seq<Schema>)
    requires |schemas| > 0
    requires Versions(schemas)
    ensures BackfillThrough(e, schemas) == BackfillEntry(e, schemas[|schemas| - 1])
    decreases |schemas|
  {
    var before := schemas[..|schemas| - 1];
    if |before| > 0 {
      BackfillThroughVersionsIsTheLast(e, before);
      BackfillComposesAlongVersions(e, before[|before| - 1], schemas[|schemas| - 1]);
    }
  }

  /** Once an entry is filled for the later schema, the earlier one has nothing to add. */
  lemma BackfillForAnOlderSchemaAddsNothing(e: Entry, v1: Schema, v2: Schema)
    requires ExtendsSchema(v2, v1)
    ensures BackfillEntry(BackfillEntry(e, v2), v1) == BackfillEntry(e, v2)
  {
    BackfillAddsExactlyTheMissing(e, v2);
    assert Additions(v1, BackfillEntry(e, v2)) == map[];
  }

  // Logs.

  /** Backfill fills each entry in its place and does nothing else. */
  lemma BackfillIsEntrywise(log: Log, schema: Schema)
    ensures |BackfillLog(log, schema)| == |log|
    ensures forall i | 0 <= i < |log| :: BackfillLog(log, schema)[i] == BackfillEntry(log[i], schema)
    decreases |log|
  {
    if |log| > 0 {
      BackfillIsEntrywise(log[..|log| - 1], schema);
    }
  }

  /** Two logs together are filled as each alone. */
  lemma BackfillOfAConcatenation(a: Log, b: Log, schema: Schema)
    ensures BackfillLog(a + b, schema) == BackfillLog(a, schema) + BackfillLog(b, schema)
  {
    BackfillIsEntrywise(a, schema);
    BackfillIsEntrywise(b, schema);
    BackfillIsEntrywise(a + b, schema);
  }

  /** A part of a log is filled as it would be alone. */
  lemma BackfillOfASlice(log: Log, from: nat, to: nat, schema: Schema)
    requires from <= to <= |log|
    ensures |BackfillLog(log, schema)| == |log|
    ensures BackfillLog(log, schema)[from..to] == BackfillLog(log[from..to], schema)
  {
    BackfillIsEntrywise(log, schema);
    BackfillIsEntrywise(log[from..to], schema);
  }

  /** A backfilled log is the log, its fields aside: all that the rest of the chapter needs to know of backfill. */
  lemma BackfillKeepsAllButFields(log: Log, schema: Schema)
    ensures SameButFields(BackfillLog(log, schema), log)
  {
    BackfillIsEntrywise(log, schema);
  }

  /** A second backfill of a log changes nothing. */
  lemma BackfillLogTwiceIsOnce(log: Log, schema: Schema)
    ensures BackfillLog(BackfillLog(log, schema), schema) == BackfillLog(log, schema)
    decreases |log|
  {
    BackfillIsEntrywise(log, schema);
    BackfillIsEntrywise(BackfillLog(log, schema), schema);
    forall i | 0 <= i < |log|
      ensures BackfillLog(BackfillLog(log, schema), schema)[i] == BackfillLog(log, schema)[i]
    {
      BackfillTwiceIsOnce(log[i], schema);
    }
  }

  /** Where the later schema extends the earlier one, filling a log for both in turn is filling it for the later alone. */
  lemma BackfillLogComposesAlongVersions(log: Log, v1: Schema, v2: Schema)
    requires ExtendsSchema(v2, v1)
    ensures BackfillLog(BackfillLog(log, v1), v2) == BackfillLog(log, v2)
  {
    BackfillIsEntrywise(log, v1);
    BackfillIsEntrywise(log, v2);
    BackfillIsEntrywise(BackfillLog(log, v1), v2);
    forall i | 0 <= i < |log|
      ensures BackfillLog(BackfillLog(log, v1), v2)[i] == BackfillLog(log, v2)[i]
    {
      BackfillComposesAlongVersions(log[i], v1, v2);
    }
  }

  // What does not look at fields: logs that are the same but for fields agree on it.

  /** The same ids. */
  lemma SameUuids(a: Log, b: Log)
    requires SameButFields(a, b)
    ensures Uuids(a) == Uuids(b)
  {
    forall e | e in a
      ensures e.uuid in Uuids(b)
    {
      var i :| 0 <= i < |a| && a[i] == e;
      assert b[i] in b;
    }
    forall e | e in b
      ensures e.uuid in Uuids(a)
    {
      var i :| 0 <= i < |b| && b[i] == e;
      assert a[i] in a;
    }
  }

  /** The same positions. */
  lemma SameIndexOf(a: Log, b: Log, u: Id)
    requires SameButFields(a, b)
    requires u in Uuids(b)
    ensures u in Uuids(a)
    ensures IndexOf(a, u) == IndexOf(b, u)
    decreases |a|
  {
    SameUuids(a, b);
    if a[|a| - 1].uuid != u {
      assert u in Uuids(b[..|b| - 1]);
      SameIndexOf(a[..|a| - 1], b[..|b| - 1], u);
    }
  }

  /** The same log as of an entry, fields aside. */
  lemma SameAsOf(a: Log, b: Log, u: Id)
    requires SameButFields(a, b)
    requires u in Uuids(b)
    ensures u in Uuids(a)
    ensures SameButFields(AsOf(a, u), AsOf(b, u))
  {
    SameIndexOf(a, b, u);
  }

  /** Both are well-formed or neither is. */
  lemma SameWellFormed(a: Log, b: Log)
    requires SameButFields(a, b)
    ensures WellFormed(a) <==> WellFormed(b)
    decreases |a|
  {
    if |a| > 0 {
      SameWellFormed(a[..|a| - 1], b[..|b| - 1]);
      SameUuids(a[..|a| - 1], b[..|b| - 1]);
    }
  }

  /** Every entry of one log has its counterpart in the other. */
  lemma Counterpart(a: Log, b: Log, e: Entry) returns (twin: Entry)
    requires SameButFields(a, b)
    requires e in a
    ensures twin in b
    ensures twin == e.(fields := twin.fields)
  {
    var i :| 0 <= i < |a| && a[i] == e;
    twin := b[i];
  }

  /** Sameness goes both ways. */
  lemma SameIsSymmetric(a: Log, b: Log)
    requires SameButFields(a, b)
    ensures SameButFields(b, a)
  {
  }

  /** The same closed sets. */
  lemma SameClosed(a: Log, b: Log, ids: set<Id>)
    requires SameButFields(a, b)
    ensures Closed(a, ids) <==> Closed(b, ids)
  {
    ClosedInBoth(a, b, ids);
    SameIsSymmetric(a, b);
    ClosedInBoth(b, a, ids);
  }

  /** One direction of `SameClosed`. */
  lemma ClosedInBoth(a: Log, b: Log, ids: set<Id>)
    requires SameButFields(a, b)
    ensures Closed(b, ids) ==> Closed(a, ids)
  {
    if Closed(b, ids) {
      forall x, y | x in a && y in a && x.uuid in ids && Needs(x, y)
        ensures y.uuid in ids
      {
        var x' := Counterpart(a, b, x);
        var y' := Counterpart(a, b, y);
        assert Needs(x', y');
      }
    }
  }

  /** The same needs. */
  lemma SameNeeded(a: Log, b: Log, ids: set<Id>)
    requires SameButFields(a, b)
    ensures Needed(a, ids) == Needed(b, ids)
  {
    NeededInBoth(a, b, ids);
    SameIsSymmetric(a, b);
    NeededInBoth(b, a, ids);
  }

  /** One direction of `SameNeeded`. */
  lemma NeededInBoth(a: Log, b: Log, ids: set<Id>)
    requires SameButFields(a, b)
    ensures Needed(a, ids) <= Needed(b, ids)
  {
    forall id | id in Needed(a, ids)
      ensures id in Needed(b, ids)
    {
      var x, y :| x in a && y in a && x.uuid in ids && Needs(x, y) && y.uuid == id;
      var x' := Counterpart(a, b, x);
      var y' := Counterpart(a, b, y);
      assert Needs(x', y');
    }
  }

  /** The same closures. */
  lemma SameClosure(a: Log, b: Log, ids: set<Id>)
    requires SameButFields(a, b)
    ensures Closure(a, ids) == Closure(b, ids)
    decreases |Uuids(b) - ids|
  {
    SameNeeded(a, b, ids);
    var more := ids + Needed(b, ids);
    if more != ids {
      ContextsProofs.ClosureStepGrows(b, ids);
      SameClosure(a, b, more);
    }
  }

  /** The same members. */
  lemma SameMembers(a: Log, b: Log, u: Id)
    requires SameButFields(a, b)
    requires u in Uuids(b)
    ensures u in Uuids(a)
    ensures Members(a, u) == Members(b, u)
  {
    SameAsOf(a, b, u);
    SameClosure(AsOf(a, u), AsOf(b, u), {u});
  }

  /** The same blocks. */
  lemma SameBlocks(a: Log, b: Log)
    requires SameButFields(a, b)
    ensures Blocks(a) == Blocks(b)
    decreases |a|
  {
    if |a| > 0 {
      SameBlocks(a[..|a| - 1], b[..|b| - 1]);
    }
  }

  // P1, P2, acyclicity.

  /** A backfilled log is well-formed exactly if the log was, and it holds the same ids. */
  lemma BackfillKeepsWellFormed(log: Log, schema: Schema)
    ensures WellFormed(BackfillLog(log, schema)) <==> WellFormed(log)
    ensures Uuids(BackfillLog(log, schema)) == Uuids(log)
  {
    BackfillKeepsAllButFields(log, schema);
    SameWellFormed(BackfillLog(log, schema), log);
    SameUuids(BackfillLog(log, schema), log);
  }

  /** Backfill neither makes nor mends a duplicate uuid, whatever the log. */
  lemma BackfillKeepsUniqueUuids(log: Log, schema: Schema)
    ensures UniqueUuids(BackfillLog(log, schema)) <==> UniqueUuids(log)
  {
    BackfillIsEntrywise(log, schema);
    var out := BackfillLog(log, schema);
    assert forall i | 0 <= i < |log| :: out[i].uuid == log[i].uuid;
    if UniqueUuids(out) {
      forall i, j | 0 <= i < j < |log|
        ensures log[i].uuid != log[j].uuid
      {
        assert out[i].uuid != out[j].uuid;
      }
    }
  }

  /** Backfill neither makes nor mends a dangling parent, whatever the log. */
  lemma BackfillKeepsNoDanglingParents(log: Log, schema: Schema)
    ensures NoDanglingParents(BackfillLog(log, schema)) <==> NoDanglingParents(log)
  {
    BackfillKeepsAllButFields(log, schema);
    var out := BackfillLog(log, schema);
    SameIsSymmetric(out, log);
    NoDanglingInBoth(out, log);
    NoDanglingInBoth(log, out);
  }

  /** Logs that are the same but for fields dangle alike. */
  lemma NoDanglingInBoth(a: Log, b: Log)
    requires SameButFields(a, b)
    ensures NoDanglingParents(b) ==> NoDanglingParents(a)
  {
    SameUuids(a, b);
    if NoDanglingParents(b) {
      forall e | e in a && e.parent.Some?
        ensures e.parent.value in Uuids(a)
      {
        var twin := Counterpart(a, b, e);
      }
    }
  }

  /** Backfill keeps parents first, whatever the log. */
  lemma BackfillKeepsParentsFirst(log: Log, schema: Schema)
    ensures ParentsFirst(BackfillLog(log, schema)) <==> ParentsFirst(log)
  {
    BackfillIsEntrywise(log, schema);
    var out := BackfillLog(log, schema);
    forall i | 0 <= i < |log|
      ensures Uuids(out[..i]) == Uuids(log[..i])
      ensures out[i].parent == log[i].parent
    {
      SameUuids(out[..i], log[..i]);
    }
    if ParentsFirst(out) {
      forall i | 0 <= i < |log| && log[i].parent.Some?
        ensures log[i].parent.value in Uuids(log[..i])
      {
        assert out[i].parent.value in Uuids(out[..i]);
      }
    }
  }

  /** Backfill neither makes nor breaks a cycle of parents, whatever the log. */
  lemma BackfillKeepsAcyclic(log: Log, schema: Schema)
    ensures Acyclic(BackfillLog(log, schema)) <==> Acyclic(log)
  {
    BackfillKeepsAllButFields(log, schema);
    var out := BackfillLog(log, schema);
    SameIsSymmetric(out, log);
    AcyclicInBoth(out, log);
    AcyclicInBoth(log, out);
  }

  /** Logs that are the same but for fields have the same cycles. */
  lemma AcyclicInBoth(a: Log, b: Log)
    requires SameButFields(a, b)
    ensures Acyclic(b) ==> Acyclic(a)
  {
    if Acyclic(b) {
      forall way: seq<Entry>
        ensures !Cycle(a, way)
      {
        if Cycle(a, way) {
          var twins := Twins(a, b, way);
          assert Cycle(b, twins);
        }
      }
    }
  }

  /** The same way through the other log. */
  lemma Twins(a: Log, b: Log, way: seq<Entry>) returns (twins: seq<Entry>)
    requires SameButFields(a, b)
    requires forall e | e in way :: e in a
    ensures SameButFields(twins, way)
    ensures forall e | e in twins :: e in b
    decreases |way|
  {
    twins := [];
    if |way| > 0 {
      var before := Twins(a, b, way[..|way| - 1]);
      var last := Counterpart(a, b, way[|way| - 1]);
      twins := before + [last];
    }
  }

  // Canonical order.

  /** The same entries are ready. */
  lemma SameFirstReady(file: Log, out: Log, rest: Log, file': Log, out': Log, rest': Log)
    requires SameButFields(file, file')
    requires SameButFields(out, out')
    requires SameButFields(rest, rest')
    ensures FirstReady(file, out, rest) == FirstReady(file', out', rest')
    decreases |rest|
  {
    if |rest| > 0 {
      SameUuids(file, file');
      SameUuids(out, out');
      SameFirstReady(file, out, rest[1..], file', out', rest'[1..]);
    }
  }

  /** Taking an entry out and filling the rest can be done in either order. */
  lemma BackfillCommutesWithRemoval(log: Log, i: nat, schema: Schema)
    requires i < |log|
    ensures |BackfillLog(log, schema)| == |log|
    ensures BackfillLog(log[..i] + log[i + 1..], schema)
         == BackfillLog(log, schema)[..i] + BackfillLog(log, schema)[i + 1..]
  {
    BackfillIsEntrywise(log, schema);
    BackfillIsEntrywise(log[..i] + log[i + 1..], schema);
  }

  /** Adding an entry and filling can be done in either order. */
  lemma BackfillCommutesWithAppend(log: Log, e: Entry, schema: Schema)
    ensures BackfillLog(log + [e], schema) == BackfillLog(log, schema) + [BackfillEntry(e, schema)]
  {
    assert (log + [e])[..|log|] == log;
  }

  /** Backfill before arranging is backfill after it, from any state of the arrangement. */
  lemma BackfillCommutesWithArrange(file: Log, out: Log, rest: Log, schema: Schema)
    ensures Arrange(BackfillLog(file, schema), BackfillLog(out, schema), BackfillLog(rest, schema))
         == BackfillLog(Arrange(file, out, rest), schema)
    decreases |rest|
  {
    BackfillKeepsAllButFields(file, schema);
    BackfillKeepsAllButFields(out, schema);
    BackfillKeepsAllButFields(rest, schema);
    var file', out', rest' := BackfillLog(file, schema), BackfillLog(out, schema), BackfillLog(rest, schema);
    SameFirstReady(file', out', rest', file, out, rest);
    var i := FirstReady(file, out, rest);
    if i < |rest| {
      BackfillIsEntrywise(rest, schema);
      BackfillCommutesWithAppend(out, rest[i], schema);
      BackfillCommutesWithRemoval(rest, i, schema);
      BackfillCommutesWithArrange(file, out + [rest[i]], rest[..i] + rest[i + 1..], schema);
    }
  }

  /** Backfill before putting a file into canonical order is backfill after it; and there is a canonical order for both
    * or for neither. */
  lemma BackfillCommutesWithCanonicalOrder(file: Log, schema: Schema)
    ensures Arranged(BackfillLog(file, schema)) == BackfillLog(Arranged(file), schema)
    ensures Canonical(BackfillLog(file, schema))
         == if Canonical(file).Some? then Some(BackfillLog(Canonical(file).value, schema)) else None
  {
    BackfillCommutesWithArrange(file, [], file, schema);
    BackfillIsEntrywise(Arranged(file), schema);
    BackfillIsEntrywise(file, schema);
    BackfillKeepsNoDanglingParents(file, schema);
    var out := BackfillLog(file, schema);
    assert NoDanglingParents(file) <==> (forall e | e in file && e.parent.Some? :: e.parent.value in Uuids(file));
    assert NoDanglingParents(out) <==> (forall e | e in out && e.parent.Some? :: e.parent.value in Uuids(out));
  }

  // Ancestry, lineage, context, fork, balance.

  /** An entry is found in its place and filled. */
  lemma BackfillCommutesWithGet(log: Log, u: Id, schema: Schema)
    requires u in Uuids(log)
    ensures u in Uuids(BackfillLog(log, schema))
    ensures Get(BackfillLog(log, schema), u) == BackfillEntry(Get(log, u), schema)
  {
    BackfillIsEntrywise(log, schema);
    BackfillKeepsAllButFields(log, schema);
    SameIndexOf(BackfillLog(log, schema), log, u);
  }

  /** The ancestry in a backfilled log is the ancestry, backfilled. */
  lemma BackfillCommutesWithAncestry(log: Log, u: Id, schema: Schema)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures WellFormed(BackfillLog(log, schema))
    ensures u in Uuids(BackfillLog(log, schema))
    ensures Ancestry(BackfillLog(log, schema), u) == BackfillLog(Ancestry(log, u), schema)
    decreases |log|
  {
    BackfillKeepsWellFormed(log, schema);
    var e := log[|log| - 1];
    var before := log[..|log| - 1];
    if e.uuid != u {
      assert u in Uuids(before);
      BackfillCommutesWithAncestry(before, u, schema);
    } else if e.parent.Some? {
      BackfillCommutesWithAncestry(before, e.parent.value, schema);
      BackfillCommutesWithAppend(Ancestry(before, e.parent.value), e, schema);
    }
  }

  /** The lineage in a backfilled log is the lineage, backfilled, and leaves the log where it did. */
  lemma BackfillCommutesWithLineage(log: Log, u: Id, schema: Schema)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures WellFormed(BackfillLog(log, schema))
    ensures u in Uuids(BackfillLog(log, schema))
    ensures Lineage(BackfillLog(log, schema), u)
         == Line(BackfillLog(Lineage(log, u).entries, schema), Lineage(log, u).outside)
    decreases |log|
  {
    BackfillKeepsWellFormed(log, schema);
    var e := log[|log| - 1];
    var before := log[..|log| - 1];
    BackfillKeepsWellFormed(before, schema);
    if e.uuid != u {
      assert u in Uuids(before);
      BackfillCommutesWithLineage(before, u, schema);
    } else if LineageParent(e).Some? && LineageParent(e).value in Uuids(before) {
      BackfillCommutesWithLineage(before, LineageParent(e).value, schema);
      var above := Lineage(before, LineageParent(e).value).entries;
      BackfillCommutesWithAppend(above, e, schema);
    } else {
      assert BackfillLog([e], schema) == [BackfillEntry(e, schema)];
    }
  }

  /** Keeping entries and filling them can be done in either order. */
  lemma BackfillCommutesWithKeep(log: Log, ids: set<Id>, schema: Schema)
    ensures Keep(BackfillLog(log, schema), ids) == BackfillLog(Keep(log, ids), schema)
    decreases |log|
  {
    if |log| > 0 {
      var e := log[|log| - 1];
      var before := log[..|log| - 1];
      BackfillCommutesWithKeep(before, ids, schema);
      if e.uuid in ids {
        BackfillCommutesWithAppend(Keep(before, ids), e, schema);
      }
    }
  }

  /** A backfilled conversation has the members it had. */
  lemma BackfillCommutesWithMembers(log: Log, u: Id, schema: Schema)
    requires u in Uuids(log)
    ensures u in Uuids(BackfillLog(log, schema))
    ensures Members(BackfillLog(log, schema), u) == Members(log, u)
  {
    BackfillKeepsAllButFields(log, schema);
    SameMembers(BackfillLog(log, schema), log, u);
  }

  /** The context in a backfilled log is the context, backfilled, whatever the log. */
  lemma BackfillCommutesWithContext(log: Log, u: Id, schema: Schema)
    requires u in Uuids(log)
    ensures u in Uuids(BackfillLog(log, schema))
    ensures Context(BackfillLog(log, schema), u) == BackfillLog(Context(log, u), schema)
  {
    BackfillCommutesWithMembers(log, u, schema);
    BackfillCommutesWithKeep(log, Members(log, u), schema);
  }

  /** Backfill and then fork is fork and then backfill. */
  lemma BackfillCommutesWithFork(log: Log, u: Id, schema: Schema)
    requires u in Uuids(log)
    ensures u in Uuids(BackfillLog(log, schema))
    ensures Fork(BackfillLog(log, schema), u) == BackfillLog(Fork(log, u), schema)
  {
    BackfillCommutesWithContext(log, u, schema);
  }

  /** Backfill and then the prefix fork is the prefix fork and then backfill. */
  lemma BackfillCommutesWithForkPrefix(log: Log, u: Id, schema: Schema)
    requires u in Uuids(log)
    ensures u in Uuids(BackfillLog(log, schema))
    ensures ForkPrefix(BackfillLog(log, schema), u) == BackfillLog(ForkPrefix(log, u), schema)
  {
    BackfillKeepsAllButFields(log, schema);
    SameIndexOf(BackfillLog(log, schema), log, u);
    BackfillOfASlice(log, 0, IndexOf(log, u) + 1, schema);
  }

  /** P3: backfill leaves the books of a conversation as they are, so it stays balanced, or not, as it was. */
  lemma BackfillKeepsBooks(entries: Log, schema: Schema)
    ensures BooksOf(BackfillLog(entries, schema)) == BooksOf(entries)
    ensures Sound(BackfillLog(entries, schema)) <==> Sound(entries)
    ensures Balanced(BackfillLog(entries, schema)) <==> Balanced(entries)
  {
    BackfillKeepsAllButFields(entries, schema);
    SameBlocks(BackfillLog(entries, schema), entries);
  }

  /** Backfill settles nothing and unsettles nothing. */
  lemma BackfillKeepsSettled(log: Log, u: Id, schema: Schema)
    requires u in Uuids(log)
    ensures u in Uuids(BackfillLog(log, schema))
    ensures Settled(BackfillLog(log, schema), u) <==> Settled(log, u)
  {
    BackfillKeepsAllButFields(log, schema);
    BackfillCommutesWithMembers(log, u, schema);
    SameClosed(BackfillLog(log, schema), log, Members(log, u));
  }

  /** P3 and legality: an entry's conversation is balanced, and the entry resumable and a legal fork point, after backfill
    * exactly if it was before. */
  lemma BackfillKeepsLegal(log: Log, u: Id, schema: Schema)
    requires u in Uuids(log)
    ensures u in Uuids(BackfillLog(log, schema))
    ensures Balanced(Context(BackfillLog(log, schema), u)) <==> Balanced(Context(log, u))
    ensures Resumable(BackfillLog(log, schema), u) <==> Resumable(log, u)
    ensures Legal(BackfillLog(log, schema), u) <==> Legal(log, u)
  {
    BackfillCommutesWithContext(log, u, schema);
    BackfillKeepsBooks(Context(log, u), schema);
    BackfillKeepsSettled(log, u, schema);
    BackfillCommutesWithGet(log, u, schema);
  }

  // The composed theorem.

  /** A conversation forked across version boundaries and then backfilled: all of the above at once. Whatever versions
    * wrote its entries, the new log is well-formed (P1, P2, acyclicity) and holds exactly the context's entries in
    * order, `u` last; each lacks exactly its reported keys (P6a), keeps every field it had, and differs in nothing but
    * the added defaults (P6b); and every kept entry has the ancestry, the context (P4) and the books (P3) it had. Forking
    * what was backfilled gives the same log. */
  lemma ForkAcrossVersionsThenBackfill(log: Log, u: Id, schema: Schema)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var out := BackfillLog(Fork(log, u), schema);
            && WellFormed(out) && UniqueUuids(out) && NoDanglingParents(out) && Acyclic(out)
            && Uuids(out) == Members(log, u)
            && |out| > 0 && out[|out| - 1] == BackfillEntry(Get(log, u), schema)
    ensures var out, kept := BackfillLog(Fork(log, u), schema), Context(log, u);
            && |out| == |kept|
            && forall i | 0 <= i < |kept| ::
                 && FilledExactly(out[i], kept[i], schema)
                 && Missing(schema, out[i]) == Reported(schema, kept[i])
                 && (Older(schema, out[i]) <==> Older(schema, kept[i]))
    ensures var out := BackfillLog(Fork(log, u), schema);
            forall v | v in Uuids(out) ::
              && v in Uuids(log)
              && Ancestry(out, v) == BackfillLog(Ancestry(log, v), schema)
              && Context(out, v) == BackfillLog(Context(log, v), schema)
              && BooksOf(Context(out, v)) == BooksOf(Context(log, v))
              && (Legal(log, v) ==> Legal(out, v))
              && (Settled(log, u) && Legal(out, v) ==> Legal(log, v))
    ensures u in Uuids(BackfillLog(log, schema))
    ensures BackfillLog(Fork(log, u), schema) == Fork(BackfillLog(log, schema), u)
  {
    var kept, out := Fork(log, u), BackfillLog(Fork(log, u), schema);
    ForksProofs.ForkIsWellFormed(log, u);
    BackfillKeepsWellFormed(kept, schema);
    EntriesProofs.WellFormedHasUniqueUuids(log);
    EntriesProofs.WellFormedHasUniqueUuids(out);
    EntriesProofs.WellFormedHasNoDanglingParents(out);
    EntriesProofs.WellFormedIsAcyclic(out);
    ContextsProofs.ContextHoldsExactlyTheMembers(log, u);
    ContextsProofs.ContextEndsIn(log, u);
    BackfillIsEntrywise(kept, schema);
    forall i | 0 <= i < |kept|
      ensures FilledExactly(out[i], kept[i], schema)
      ensures Missing(schema, out[i]) == Reported(schema, kept[i])
    {
      FilledIsBackfill(out[i], kept[i], schema);
      MissingAfterBackfill(kept[i], schema);
    }
    forall v | v in Uuids(out)
      ensures v in Uuids(log)
      ensures Ancestry(out, v) == BackfillLog(Ancestry(log, v), schema)
      ensures Context(out, v) == BackfillLog(Context(log, v), schema)
      ensures BooksOf(Context(out, v)) == BooksOf(Context(log, v))
      ensures Legal(log, v) ==> Legal(out, v)
      ensures Settled(log, u) && Legal(out, v) ==> Legal(log, v)
    {
      ConversationsSurviveForkAndBackfill(log, u, schema, v);
    }
    BackfillCommutesWithFork(log, u, schema);
  }

  /** One kept entry of `ForkAcrossVersionsThenBackfill`: what can be said at it is what could be said at it before. */
  lemma ConversationsSurviveForkAndBackfill(log: Log, u: Id, schema: Schema, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log)
    ensures v in Uuids(BackfillLog(Fork(log, u), schema))
    ensures WellFormed(BackfillLog(Fork(log, u), schema))
    ensures Ancestry(BackfillLog(Fork(log, u), schema), v) == BackfillLog(Ancestry(log, v), schema)
    ensures Context(BackfillLog(Fork(log, u), schema), v) == BackfillLog(Context(log, v), schema)
    ensures BooksOf(Context(BackfillLog(Fork(log, u), schema), v)) == BooksOf(Context(log, v))
    ensures Legal(log, v) ==> Legal(BackfillLog(Fork(log, u), schema), v)
    ensures Settled(log, u) && Legal(BackfillLog(Fork(log, u), schema), v) ==> Legal(log, v)
  {
    ContextsProofs.ContextHoldsExactlyTheMembers(log, u);
    ContextsProofs.MembersAreAsOf(log, u);
    EntriesProofs.WellFormedHasUniqueUuids(log);
    ForksProofs.ForkPreservesAncestry(log, u, v);
    ForksProofs.ForkPreservesContexts(log, u, v);
    var fork := Fork(log, u);
    BackfillCommutesWithAncestry(fork, v, schema);
    BackfillCommutesWithContext(fork, v, schema);
    BackfillKeepsBooks(Context(log, v), schema);
    BackfillKeepsLegal(fork, v, schema);
    ForksProofs.ForkKeepsLegal(log, u, v);
  }
}

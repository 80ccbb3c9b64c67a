// Chapter 8. Schemas, and backfill: the missing keys of an older entry filled from a newer schema's defaults, and
// nothing else (P6a version-backfill, P6b content-preserving).
include "01-Entries.dfy"

module Backfill {
  import opened Names
  import opened Entries

  /** What a client version requires: for each kind of entry its required keys with a default each. `reserved` are the
    * keys that must never be made up: those the reader uses and those that carry identity (request, prompt, session). */
  datatype Schema = Schema(version: nat, required: map<Kind, map<Key, Value>>, reserved: set<Key>)

  /** The required keys of a kind of entry, with their defaults. */
  function RequiredOf(schema: Schema, kind: Kind): map<Key, Value> {
    if kind in schema.required then schema.required[kind] else map[]
  }

  /** The required keys that an entry lacks. */
  function Missing(schema: Schema, e: Entry): set<Key> {
    RequiredOf(schema, e.kind).Keys - e.fields.Keys
  }

  /** The entry has every required key. */
  predicate Validates(schema: Schema, e: Entry) {
    RequiredOf(schema, e.kind).Keys <= e.fields.Keys
  }

  /** Which values a schema takes for a key of a kind of entry: those of the kind that it asks for there, such as a string. */
  type Takes = (Kind, Key, Value) -> bool

  /** The required keys of an entry that hold a value which the schema does not take. */
  function Odd(schema: Schema, takes: Takes, e: Entry): set<Key> {
    set k | k in RequiredOf(schema, e.kind) && k in e.fields && !takes(e.kind, k, e.fields[k])
  }

  /** The entry has every required key, with a value that the schema takes. */
  predicate Conforms(schema: Schema, takes: Takes, e: Entry) {
    Validates(schema, e) && Odd(schema, takes, e) == {}
  }

  /** The schema takes the defaults that it fills in. */
  ghost predicate TakesDefaults(schema: Schema, takes: Takes) {
    forall kind: Kind, k | k in RequiredOf(schema, kind) && k !in schema.reserved :: takes(kind, k, RequiredOf(schema, kind)[k])
  }

  /** An entry stands on the other side of a version boundary: an older client wrote it. */
  predicate Older(schema: Schema, e: Entry) {
    e.version < schema.version
  }

  /** The missing keys that backfill does not make up but reports. */
  function Reported(schema: Schema, e: Entry): set<Key> {
    Missing(schema, e) * schema.reserved
  }

  /** What backfill adds to an entry: the missing keys that are not reserved, with their defaults. */
  function Additions(schema: Schema, e: Entry): map<Key, Value> {
    map k | k in Missing(schema, e) && k !in schema.reserved :: RequiredOf(schema, e.kind)[k]
  }

  /** The entry with its missing keys filled. Only `fields` changes; `version` stays, the entry was written by that client. */
  function BackfillEntry(e: Entry, schema: Schema): Entry {
    e.(fields := e.fields + Additions(schema, e))
  }

  /** Backfill said without the function: `filled` is `e` with every missing key filled that may be filled, each with the
    * schema's default; nothing else differs. */
  predicate FilledExactly(filled: Entry, e: Entry, schema: Schema) {
    && filled == e.(fields := filled.fields)
    && filled.fields.Keys == e.fields.Keys + (RequiredOf(schema, e.kind).Keys - schema.reserved)
    && (forall k | k in filled.fields ::
          filled.fields[k] == if k in e.fields then e.fields[k] else RequiredOf(schema, e.kind)[k])
  }

  /** A new log with every entry filled. */
  function BackfillLog(log: Log, schema: Schema): Log
    decreases |log|
  {
    if |log| == 0 then []
    else BackfillLog(log[..|log| - 1], schema) + [BackfillEntry(log[|log| - 1], schema)]
  }

  /** The same entries in the same order, their fields aside. */
  predicate SameButFields(a: Log, b: Log) {
    && |a| == |b|
    && (forall i | 0 <= i < |a| :: a[i] == b[i].(fields := a[i].fields))
  }

  /** `later` fills everything that `earlier` fills, with equal defaults. */
  predicate FillsAllOf(later: Schema, earlier: Schema) {
    forall kind: Kind, k | k in RequiredOf(earlier, kind) && k !in earlier.reserved ::
      && k in RequiredOf(later, kind)
      && k !in later.reserved
      && RequiredOf(later, kind)[k] == RequiredOf(earlier, kind)[k]
  }

  /** `later` is of the same or a later version and fills everything that `earlier` fills, with equal defaults. Nothing is
    * asked of the keys that `earlier` only reports: `later` may report them, fill them or ask for them no more. */
  predicate ExtendsSchema(later: Schema, earlier: Schema) {
    && earlier.version <= later.version
    && FillsAllOf(later, earlier)
  }

  /** A line of schemas in which each extends the one before it. */
  predicate Versions(schemas: seq<Schema>) {
    forall i | 0 < i < |schemas| :: ExtendsSchema(schemas[i], schemas[i - 1])
  }

  /** The entry filled for each schema in turn. */
  function BackfillThrough(e: Entry, schemas: seq<Schema>): Entry
    decreases |schemas|
  {
    if |schemas| == 0 then e
    else BackfillEntry(BackfillThrough(e, schemas[..|schemas| - 1]), schemas[|schemas| - 1])
  }

  /** `read` looks at nothing but `keys`: what it makes of two maps that agree on them, absence included, is the same. */
  ghost predicate ReadsOnly<T(!new)>(read: map<Key, Value> -> T, keys: set<Key>) {
    forall f: map<Key, Value>, g: map<Key, Value> ::
      (forall k | k in keys :: (k in f <==> k in g) && (k in f ==> f[k] == g[k])) ==> read(f) == read(g)
  }
}

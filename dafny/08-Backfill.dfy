/// Chapter 8. Schemas, and backfill: the missing keys of an older entry filled from a newer schema's defaults, and
/// nothing else (P6a version-backfill, P6b content-preserving).
include "01-Entries.dfy"

module Backfill {
  import opened Names
  import opened Entries

/// What a client version requires: for each kind of entry its required keys with a default each. `reserved` are the
/// keys that must never be made up: those the reader uses and those that carry identity (request, prompt, session).
  datatype Schema = Schema(version: nat, required: map<Kind, map<Key, Value>>, reserved: set<Key>)

/// The required keys of a kind of entry, with their defaults.
  function RequiredOf(schema: Schema, kind: Kind): map<Key, Value> {
    if kind in schema.required then schema.required[kind] else map[]
  }

/// The required keys that an entry lacks.
  function Missing(schema: Schema, e: Entry): set<Key> {
    RequiredOf(schema, e.kind).Keys - e.fields.Keys
  }

/// The entry has every required key.
  predicate Validates(schema: Schema, e: Entry) {
    RequiredOf(schema, e.kind).Keys <= e.fields.Keys
  }

/// The missing keys that backfill does not make up but reports.
  function Reported(schema: Schema, e: Entry): set<Key> {
    Missing(schema, e) * schema.reserved
  }

/// What backfill adds to an entry: the missing keys that are not reserved, with their defaults.
  function Additions(schema: Schema, e: Entry): map<Key, Value> {
    map k | k in Missing(schema, e) && k !in schema.reserved :: RequiredOf(schema, e.kind)[k]
  }

/// The entry with its missing keys filled. Only `fields` changes; `version` stays, the entry was written by that client.
  function BackfillEntry(e: Entry, schema: Schema): Entry {
    e.(fields := e.fields + Additions(schema, e))
  }

/// A new log with every entry filled.
  function BackfillLog(log: Log, schema: Schema): Log
    decreases |log|
  {
    if |log| == 0 then []
    else BackfillLog(log[..|log| - 1], schema) + [BackfillEntry(log[|log| - 1], schema)]
  }

/// `later` asks for everything `earlier` asks for, with equal defaults, and reserves the same keys.
  ghost predicate ExtendsSchema(later: Schema, earlier: Schema) {
    && earlier.version <= later.version
    && earlier.reserved == later.reserved
    && (forall kind: Kind, k | k in RequiredOf(earlier, kind) ::
          k in RequiredOf(later, kind) && RequiredOf(later, kind)[k] == RequiredOf(earlier, kind)[k])
  }
}

// Chapter 8, examples: schemas and entries that meet the preconditions of the proofs, and what fails without them.
include "01-Entries.Examples.dfy"
include "01-Entries.Proofs.dfy"
include "04-Contexts.Proofs.dfy"
include "05-Balance.Proofs.dfy"
include "08-Backfill.Proofs.dfy"

module BackfillExamples {
  import opened Names
  import opened Entries
  import opened Contexts
  import opened Balance
  import opened Forks
  import opened Backfill
  import EntriesExamples
  import EntriesProofs
  import ContextsProofs
  import BalanceProofs
  import BackfillProofs

  // Schemas. Keys 0 and 1 may be filled; key 9 stands for an identity key.

  /** A schema that requires a few keys of assistant entries and nothing of others. */
  function ForAssistants(version: nat, required: map<Key, Value>): Schema {
    Schema(version, map[Assistant := required], {KeyNamed(9)})
  }

  /** The first version: key 0 and the identity key. */
  function First(): Schema {
    ForAssistants(1, map[KeyNamed(0) := ValueNamed(0), KeyNamed(9) := ValueNamed(9)])
  }

  /** The second version asks for key 1 too. */
  function Second(): Schema {
    ForAssistants(2, map[KeyNamed(0) := ValueNamed(0), KeyNamed(1) := ValueNamed(1), KeyNamed(9) := ValueNamed(9)])
  }

  /** A second version with another default for key 0. */
  function OtherDefault(): Schema {
    ForAssistants(2, map[KeyNamed(0) := ValueNamed(5), KeyNamed(1) := ValueNamed(1), KeyNamed(9) := ValueNamed(9)])
  }

  /** A second version that reserves key 0, which the first one fills. */
  function ReservesMore(): Schema {
    Second().(reserved := {KeyNamed(0), KeyNamed(9)})
  }

  /** A third version that no longer asks for the identity key. */
  function DropsIdentity(): Schema {
    ForAssistants(3, map[KeyNamed(0) := ValueNamed(0), KeyNamed(1) := ValueNamed(1)])
  }

  /** A second version that no longer reserves the identity key, and has another default for it. */
  function FillsIdentity(): Schema {
    Schema(2, map[Assistant := map[KeyNamed(0) := ValueNamed(0), KeyNamed(9) := ValueNamed(5)]], {})
  }

  /** An assistant entry with the given fields. */
  function Said(fields: map<Key, Value>): Entry {
    Entry(Name(0), None, None, Assistant, None, [], false, 1, fields)
  }

  /** The numbers tell the keys and the values of this chapter apart. */
  lemma NamesDiffer()
    ensures KeyNamed(0) != KeyNamed(1) && KeyNamed(0) != KeyNamed(9) && KeyNamed(1) != KeyNamed(9)
    ensures ValueNamed(0) != ValueNamed(5) && ValueNamed(0) != ValueNamed(7)
  {
    assert NumberOfKey(KeyNamed(0)) != NumberOfKey(KeyNamed(1));
    assert NumberOfKey(KeyNamed(0)) != NumberOfKey(KeyNamed(9));
    assert NumberOfKey(KeyNamed(1)) != NumberOfKey(KeyNamed(9));
    assert NumberOfValue(ValueNamed(0)) != NumberOfValue(ValueNamed(5));
    assert NumberOfValue(ValueNamed(0)) != NumberOfValue(ValueNamed(7));
  }

  // Witnesses.

  /** Schemas extend each other along versions, and not the other way, be it for what they fill or for the version alone. */
  lemma SchemasExtend()
    ensures ExtendsSchema(Second(), First())
    ensures ExtendsSchema(Second().(version := 3), Second())
    ensures !ExtendsSchema(First(), Second())
    ensures !FillsAllOf(First(), Second())
    ensures !ExtendsSchema(Second(), Second().(version := 3))
  {
    NamesDiffer();
    assert KeyNamed(1) in RequiredOf(Second(), Assistant) && KeyNamed(1) !in Second().reserved;
    assert KeyNamed(1) !in RequiredOf(First(), Assistant);
  }

  /** Three versions in a line. */
  lemma ThreeVersionsAreThere()
    ensures Versions([First(), Second(), Second().(version := 3)])
  {
    SchemasExtend();
  }

  /** What the reader looks at in this chapter: the identity key, and key 5, which no schema asks for. */
  function KeysRead(): set<Key> {
    {KeyNamed(5), KeyNamed(9)}
  }

  /** Whether an entry has its identity key, and the value of key 5 if it is there. */
  function ReadBoth(fields: map<Key, Value>): (bool, Option<Value>) {
    (KeyNamed(9) in fields, if KeyNamed(5) in fields then Some(fields[KeyNamed(5)]) else None)
  }

  /** The value of key 0, if it is there: a reader of a key that backfill may add. */
  function ReadKey(fields: map<Key, Value>): Option<Value> {
    if KeyNamed(0) in fields then Some(fields[KeyNamed(0)]) else None
  }

  /** A reader that looks only at keys which are reserved or not required reads from a filled entry what the entry said,
    * even where the identity key is missing and backfill adds two others. */
  lemma WhatIsReadStaysInAFilledEntry()
    ensures ReadsOnly(ReadBoth, KeysRead())
    ensures KeysRead() * RequiredOf(Second(), Assistant).Keys == {KeyNamed(9)} == Second().reserved
    ensures BackfillEntry(Said(map[]), Second()) != Said(map[])
    ensures ReadBoth(BackfillEntry(Said(map[]), Second()).fields) == (false, None)
    ensures ReadBoth(BackfillEntry(Said(map[KeyNamed(9) := ValueNamed(8)]), Second()).fields) == (true, None)
  {
    assert NumberOfKey(KeyNamed(5)) == 5;
    assert NumberOfKey(KeyNamed(0)) == 0 && NumberOfKey(KeyNamed(1)) == 1 && NumberOfKey(KeyNamed(9)) == 9;
    FilledEntryDiffers(Said(map[]));
    BackfillProofs.WhatIsReadStays(ReadBoth, KeysRead(), Said(map[]), Second());
    BackfillProofs.WhatIsReadStays(ReadBoth, KeysRead(), Said(map[KeyNamed(9) := ValueNamed(8)]), Second());
  }

  /** A reader of a key that backfill may add reads from the filled entry what the entry did not say. */
  lemma WhatMayBeAddedMayBeReadAnew()
    ensures !ReadsOnly(ReadKey, Second().reserved)
    ensures ReadKey(Said(map[]).fields) == None
    ensures ReadKey(BackfillEntry(Said(map[]), Second()).fields) == Some(ValueNamed(0))
  {
    MissingIdentityIsReported();
    var filled := BackfillEntry(Said(map[]), Second()).fields;
    assert ReadKey(filled) != ReadKey(map[]);
  }

  /** An entry that has one key with a value of its own, lacks one that may be filled, and has the identity key: backfill
    * keeps the value, not the default, adds the one key, and the result validates. */
  lemma FilledEntryValidates()
    ensures var e := Said(map[KeyNamed(0) := ValueNamed(7), KeyNamed(9) := ValueNamed(8)]);
            && !Validates(Second(), e)
            && Validates(Second(), BackfillEntry(e, Second()))
            && BackfillEntry(e, Second()).fields
               == map[KeyNamed(0) := ValueNamed(7), KeyNamed(9) := ValueNamed(8), KeyNamed(1) := ValueNamed(1)]
  {
    NamesDiffer();
    var e := Said(map[KeyNamed(0) := ValueNamed(7), KeyNamed(9) := ValueNamed(8)]);
    assert KeyNamed(1) in RequiredOf(Second(), Assistant).Keys;
    BackfillProofs.BackfilledEntryValidates(e, Second());
    assert Reported(Second(), e) == {};
  }

  /** An entry without its identity key: backfill reports it, and what comes out does not validate. "A backfilled entry
    * validates" without the condition is false. */
  lemma MissingIdentityIsReported()
    ensures Reported(Second(), Said(map[])) == {KeyNamed(9)}
    ensures !Validates(Second(), BackfillEntry(Said(map[]), Second()))
    ensures BackfillEntry(Said(map[]), Second()).fields
         == map[KeyNamed(0) := ValueNamed(0), KeyNamed(1) := ValueNamed(1)]
  {
    NamesDiffer();
    BackfillProofs.BackfilledEntryValidates(Said(map[]), Second());
    var filled := Said(map[KeyNamed(0) := ValueNamed(0), KeyNamed(1) := ValueNamed(1)]);
    assert FilledExactly(filled, Said(map[]), Second());
    BackfillProofs.FilledIsBackfill(filled, Said(map[]), Second());
  }

  /** A schema that takes any value but one. */
  function AnyButFive(): Takes {
    (kind: Kind, k: Key, v: Value) => v != ValueNamed(5)
  }

  /** An older entry has every key, and one with a value that the schema does not take. It validates, and does not conform; backfill
    * leaves it as it is. With another value there it conforms. */
  lemma ValuesOfAnotherKindStay()
    ensures TakesDefaults(Second(), AnyButFive())
    ensures var e := Said(map[KeyNamed(0) := ValueNamed(5), KeyNamed(1) := ValueNamed(1), KeyNamed(9) := ValueNamed(0)]);
            && Odd(Second(), AnyButFive(), e) == {KeyNamed(0)}
            && Older(Second(), e) && !Older(First(), e)
            && Validates(Second(), e) && !Conforms(Second(), AnyButFive(), BackfillEntry(e, Second()))
            && BackfillEntry(e, Second()) == e
    ensures Conforms(Second(), AnyButFive(), BackfillEntry(Said(map[KeyNamed(9) := ValueNamed(0)]), Second()))
  {
    NamesDiffer();
    assert NumberOfValue(ValueNamed(1)) != NumberOfValue(ValueNamed(5));
    var e := Said(map[KeyNamed(0) := ValueNamed(5), KeyNamed(1) := ValueNamed(1), KeyNamed(9) := ValueNamed(0)]);
    BackfillProofs.FilledEntryConforms(e, Second(), AnyButFive());
    assert KeyNamed(0) in Odd(Second(), AnyButFive(), e);
    assert Missing(Second(), e) == {};
    BackfillProofs.CompleteEntriesStay(e, Second());
    var bare := Said(map[KeyNamed(9) := ValueNamed(0)]);
    assert Odd(Second(), AnyButFive(), bare) == {};
    BackfillProofs.FilledEntryConforms(bare, Second(), AnyButFive());
  }

  /** A kind that the schema says nothing of has nothing to fill. */
  lemma UnknownKindsValidate()
    ensures Validates(Second(), Said(map[]).(kind := Progress))
    ensures BackfillEntry(Said(map[]).(kind := Progress), Second()) == Said(map[]).(kind := Progress)
  {
    assert Additions(Second(), Said(map[]).(kind := Progress)) == map[];
  }

  // Composition along versions.

  /** With other defaults composition fails: the older default stays, since backfill keeps what is there. */
  lemma OtherDefaultsDoNotCompose()
    ensures !ExtendsSchema(OtherDefault(), First())
    ensures BackfillEntry(BackfillEntry(Said(map[]), First()), OtherDefault()) != BackfillEntry(Said(map[]), OtherDefault())
  {
    NamesDiffer();
    assert KeyNamed(0) in RequiredOf(First(), Assistant) && KeyNamed(0) !in First().reserved;
    BackfillProofs.BareEntryComposesExactlyWhen(Said(map[]), First(), OtherDefault());
  }

  /** With equal defaults composition fails too where the later schema reserves a key that the earlier one fills: the
    * earlier fills what the later would have reported. So extension asks that it may fill it. */
  lemma ReservingMoreDoesNotCompose()
    ensures forall k | k in RequiredOf(First(), Assistant) ::
              && k in RequiredOf(ReservesMore(), Assistant)
              && RequiredOf(ReservesMore(), Assistant)[k] == RequiredOf(First(), Assistant)[k]
    ensures !ExtendsSchema(ReservesMore(), First())
    ensures BackfillEntry(BackfillEntry(Said(map[]), First()), ReservesMore()) != BackfillEntry(Said(map[]), ReservesMore())
  {
    NamesDiffer();
    assert KeyNamed(0) in RequiredOf(First(), Assistant) && KeyNamed(0) !in First().reserved;
    BackfillProofs.BareEntryComposesExactlyWhen(Said(map[]), First(), ReservesMore());
  }

  /** Extension asks nothing of the keys that the earlier schema only reports: a schema that asks for such a key no more
    * extends it, and composes. */
  lemma DroppingAReportedKeyExtends()
    ensures ExtendsSchema(DropsIdentity(), First())
    ensures forall e :: BackfillEntry(BackfillEntry(e, First()), DropsIdentity()) == BackfillEntry(e, DropsIdentity())
  {
    NamesDiffer();
    BackfillProofs.BackfillComposesForAllExactlyWhen(First(), DropsIdentity());
  }

  /** So does a schema that fills a key which the earlier one only reports, with whatever default. */
  lemma FillingAReportedKeyExtends()
    ensures ExtendsSchema(FillsIdentity(), First())
    ensures forall e :: BackfillEntry(BackfillEntry(e, First()), FillsIdentity()) == BackfillEntry(e, FillsIdentity())
  {
    NamesDiffer();
    BackfillProofs.BackfillComposesForAllExactlyWhen(First(), FillsIdentity());
  }

  /** An entry that has its keys composes under any two schemas: the exact condition speaks of what is added. */
  lemma FullEntriesAlwaysCompose()
    ensures var e := Said(map[KeyNamed(0) := ValueNamed(7)]);
            && !FillsAllOf(OtherDefault(), First())
            && BackfillEntry(BackfillEntry(e, First()), OtherDefault()) == BackfillEntry(e, OtherDefault())
  {
    NamesDiffer();
    var e := Said(map[KeyNamed(0) := ValueNamed(7)]);
    assert KeyNamed(0) in RequiredOf(First(), Assistant) && KeyNamed(0) !in First().reserved;
    BackfillProofs.BackfillComposesExactlyWhen(e, First(), OtherDefault());
  }

  // A conversation across versions.

  /** A session that one client began and a newer one continued: a prompt (0), a tool call (1) and its result (2) of
    * version 1, a branch that was given up (3), and the answer (4) of version 2. */
  ghost function TwoVersions(): Log {
    [
      Entry(Name(0), None, None, User, None, [], false, 1, map[]),
      Entry(Name(1), Some(Name(0)), None, Assistant, None, [Use(Name(10))], false, 1, map[]),
      Entry(Name(2), Some(Name(1)), None, User, None, [Result(Name(10))], false, 1, map[]),
      Entry(Name(3), Some(Name(2)), None, User, None, [], false, 1, map[]),
      Entry(Name(4), Some(Name(2)), None, Assistant, None, [], false, 2, map[KeyNamed(0) := ValueNamed(7)])
    ]
  }

  /** What is kept of it by a fork at its last entry. */
  ghost function KeptOfTwoVersions(): set<Id> {
    {Name(0), Name(1), Name(2), Name(4)}
  }

  /** Different numbers make different names. */
  lemma AllNamesDiffer()
    ensures forall i: nat, j: nat | i < j :: Name(i) != Name(j)
  {
    forall i: nat, j: nat | i < j
      ensures Name(i) != Name(j)
    {
      EntriesExamples.NamesDiffer(i, j);
    }
  }

  /** Its ids. */
  lemma TwoVersionsUuids()
    ensures |TwoVersions()| == 5
    ensures forall i | 0 <= i < 5 :: TwoVersions()[i].uuid == Name(i)
    ensures forall i | 0 <= i < 5 :: Name(i) in Uuids(TwoVersions())
  {
    forall i | 0 <= i < 5
      ensures Name(i) in Uuids(TwoVersions())
    {
      assert TwoVersions()[i] in TwoVersions();
    }
  }

  /** It is well-formed. */
  lemma TwoVersionsIsWellFormed()
    ensures WellFormed(TwoVersions())
  {
    AllNamesDiffer();
    TwoVersionsUuids();
    var log := TwoVersions();
    assert UniqueUuids(log);
    forall i | 0 <= i < |log| && log[i].parent.Some?
      ensures log[i].parent.value in Uuids(log[..i])
    {
      var p := if i == 1 then 0 else if i == 2 then 1 else 2;
      assert log[..i][p] in log[..i];
      assert log[p].uuid == log[i].parent.value;
    }
    EntriesProofs.WellFormedMeansUniqueAndParentsFirst(log);
  }

  /** The conversation at its last entry is everything but the branch that was given up. */
  lemma TwoVersionsMembers()
    ensures Name(4) in Uuids(TwoVersions())
    ensures Members(TwoVersions(), Name(4)) == KeptOfTwoVersions()
  {
    AllNamesDiffer();
    TwoVersionsUuids();
    var log, kept := TwoVersions(), KeptOfTwoVersions();
    EntriesProofs.IndexOfIsPosition(log, 4);
    assert AsOf(log, Name(4)) == log;
    forall a, b | a in log && b in log && a.uuid in kept && Needs(a, b)
      ensures b.uuid in kept
    {
      assert a.parent != Some(Name(3));
    }
    assert Needs(log[4], log[2]) && Needs(log[2], log[1]) && Needs(log[1], log[0]);
    forall s: set<Id> | Name(4) in s && Closed(log, s)
      ensures kept <= s
    {
      assert log[4].uuid in s;
      assert log[2].uuid in s;
      assert log[1].uuid in s;
      assert log[0].uuid in s;
    }
    ContextsProofs.MembersAreTheLeastClosedSet(log, Name(4), kept);
  }

  /** Its context, entry by entry. */
  lemma TwoVersionsContext()
    ensures Name(4) in Uuids(TwoVersions())
    ensures var log := TwoVersions(); Context(log, Name(4)) == [log[0], log[1], log[2], log[4]]
  {
    AllNamesDiffer();
    TwoVersionsUuids();
    TwoVersionsMembers();
    var log, kept := TwoVersions(), KeptOfTwoVersions();
    EntriesProofs.KeepOfLast([], log[0], kept);
    assert [] + [log[0]] == [log[0]];
    EntriesProofs.KeepOfLast([log[0]], log[1], kept);
    assert [log[0]] + [log[1]] == [log[0], log[1]];
    EntriesProofs.KeepOfLast([log[0], log[1]], log[2], kept);
    assert [log[0], log[1]] + [log[2]] == [log[0], log[1], log[2]];
    EntriesProofs.KeepOfLast([log[0], log[1], log[2]], log[3], kept);
    assert [log[0], log[1], log[2]] + [log[3]] == log[..4];
    EntriesProofs.KeepOfLast(log[..4], log[4], kept);
    assert log[..4] + [log[4]] == log;
  }

  /** The composed theorem has something to say: the log is well-formed and its last entry a legal point, whose context
    * crosses a version boundary and leaves an entry out; and backfilling the fork changes it. */
  lemma ForkAcrossVersionsIsThere()
    ensures var log := TwoVersions();
            && WellFormed(log)
            && Name(4) in Uuids(log)
            && Legal(log, Name(4))
            && |Fork(log, Name(4))| == 4 < |log|
            && Fork(log, Name(4))[0].version != Fork(log, Name(4))[3].version
            && BackfillLog(Fork(log, Name(4)), Second()) != Fork(log, Name(4))
  {
    var log := TwoVersions();
    TwoVersionsIsWellFormed();
    AllNamesDiffer();
    TwoVersionsUuids();
    TwoVersionsContext();
    var kept := Context(log, Name(4));
    EntriesProofs.WellFormedHasUniqueUuids(log);
    EntriesProofs.IndexOfIsPosition(log, 4);
    ContextsProofs.LastIsSettled(log);
    TwoVersionsIsBalanced();
    BackfillProofs.BackfillIsEntrywise(kept, Second());
    FilledEntryDiffers(log[4]);
  }

  /** The call is answered, so the conversation is balanced. */
  lemma TwoVersionsIsBalanced()
    ensures Name(4) in Uuids(TwoVersions())
    ensures Balanced(Context(TwoVersions(), Name(4)))
  {
    TwoVersionsBlocks();
    CallAndAnswerBalance(Name(10));
  }

  /** The blocks of its context: the call and its answer. */
  lemma TwoVersionsBlocks()
    ensures Name(4) in Uuids(TwoVersions())
    ensures Blocks(Context(TwoVersions(), Name(4))) == [Use(Name(10)), Result(Name(10))]
  {
    TwoVersionsContext();
    var log := TwoVersions();
    BalanceProofs.BlocksOfConcatenation([log[0], log[1]], [log[2], log[4]]);
    BalanceProofs.BlocksOfConcatenation([log[0]], [log[1]]);
    BalanceProofs.BlocksOfConcatenation([log[2]], [log[4]]);
    BalanceProofs.BlocksOfOne(log[0]);
    BalanceProofs.BlocksOfOne(log[1]);
    BalanceProofs.BlocksOfOne(log[2]);
    BalanceProofs.BlocksOfOne(log[4]);
    assert [log[0]] + [log[1]] == [log[0], log[1]];
    assert [log[2]] + [log[4]] == [log[2], log[4]];
    assert [log[0], log[1]] + [log[2], log[4]] == [log[0], log[1], log[2], log[4]];
  }

  /** A call and its answer leave nothing out. */
  lemma CallAndAnswerBalance(t: Id)
    ensures Run(Blank, [Use(t), Result(t)]) == Books({}, {t})
  {
    calc {
      Run(Blank, [Use(t), Result(t)]);
      { assert [Use(t), Result(t)][..1] == [Use(t)]; }
      Enter(Run(Blank, [Use(t)]), Result(t));
      { assert [Use(t)][..0] == []; }
      Enter(Enter(Blank, Use(t)), Result(t));
      { assert {} + {t} == {t}; }
      Enter(Books({t}, {t}), Result(t));
      { assert {t} - {t} == {}; }
      Books({}, {t});
    }
  }

  /** An assistant entry without key 1 is changed by backfill. */
  lemma FilledEntryDiffers(e: Entry)
    requires e.kind.Assistant?
    requires KeyNamed(1) !in e.fields
    ensures BackfillEntry(e, Second()) != e
  {
    NamesDiffer();
    BackfillProofs.BackfillAddsExactlyTheMissing(e, Second());
    assert KeyNamed(1) in BackfillEntry(e, Second()).fields;
  }

  /** The theorems apply to the log of two versions, and to three versions of a schema. */
  lemma TheoremsApplyToTwoVersions()
  {
    hide *;
    TwoVersionsIsWellFormed();
    TwoVersionsUuids();
    SchemasExtend();
    ThreeVersionsAreThere();
    var log, u, e := TwoVersions(), Name(4), Said(map[]);
    assert u == Name(4 as nat) && u in Uuids(log) by {
      TwoVersionsMembers();
    }
    var first, second, third := First(), Second(), Second().(version := 3);
    BackfillProofs.BackfillCommutesWithAncestry(log, u, first);
    BackfillProofs.BackfillCommutesWithContext(log, u, first);
    BackfillProofs.BackfillCommutesWithFork(log, u, first);
    BackfillProofs.BackfillCommutesWithForkPrefix(log, Name(2), first);
    BackfillProofs.BackfillCommutesWithLineage(log, u, first);
    BackfillProofs.BackfillCommutesWithMembers(log, u, first);
    BackfillProofs.BackfillComposesAlongVersions(e, first, second);
    BackfillProofs.BackfillForAnOlderSchemaAddsNothing(e, first, second);
    BackfillProofs.BackfillKeepsLegal(log, u, first);
    BackfillProofs.BackfillKeepsSettled(log, u, first);
    BackfillProofs.BackfillLogComposesAlongVersions(log, first, second);
    BackfillProofs.BackfillThroughVersionsIsTheLast(e, [first, second, third]);
    BackfillProofs.ExtensionIsTransitive(third, second, first);
    BackfillProofs.ForkAcrossVersionsThenBackfill(log, u, first);
  }
}

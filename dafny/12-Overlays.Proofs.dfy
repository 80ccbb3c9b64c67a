// Chapter 12, proofs: the latest record wins, undo restores exactly what was shown, a fork inherits exactly the records of its
// conversation, and nothing that is recorded changes what is shown anywhere else.
include "07-Forks.Proofs.dfy"
include "11-Rewriting.Proofs.dfy"
include "12-Overlays.dfy"

module OverlaysProofs {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened Ancestries
  import opened AncestriesProofs
  import opened Contexts
  import opened ContextsProofs
  import opened Balance
  import opened BalanceProofs
  import opened Forks
  import opened ForksProofs
  import opened Rewriting
  import opened RewritingProofs
  import opened Overlays

  // --- Which records live ---

  /** No record lives that something further on supersedes, and only records of the conversation live. */
  lemma LivingAreNotDead(records: seq<Record>, dead: set<Id>)
    ensures forall r | r in Living(records, dead) :: r.id !in dead && r in records
    decreases |records|
  {
    if |records| > 0 {
      var before, r := records[..|records| - 1], records[|records| - 1];
      LivingAreNotDead(before, dead);
      LivingAreNotDead(before, dead + Superseded(r));
      assert records == before + [r];
    }
  }

  /** The records that live, with one more at the end. */
  lemma LivingOfLast(records: seq<Record>, r: Record, dead: set<Id>)
    ensures Living(records + [r], dead) ==
            if r.id in dead then Living(records, dead) else Living(records, dead + Superseded(r)) + [r]
  {
    assert (records + [r])[..|records|] == records;
  }

  /** The latest record wins: it lives, as the last one, and what it supersedes does not. */
  lemma LatestWins(records: seq<Record>, r: Record)
    ensures Living(records + [r], {}) == Living(records, Superseded(r)) + [r]
    ensures forall x | x in Living(records, Superseded(r)) :: x in records && r.says.supersedes != Some(x.id)
  {
    LivingOfLast(records, r, {});
    assert {} + Superseded(r) == Superseded(r);
    LivingAreNotDead(records, Superseded(r));
  }

  /** The records but the one with the uuid `k`. */
  function Without(records: seq<Record>, k: Id): seq<Record>
    decreases |records|
  {
    if |records| == 0 then []
    else if records[|records| - 1].id == k then Without(records[..|records| - 1], k)
    else Without(records[..|records| - 1], k) + [records[|records| - 1]]
  }

  /** To supersede a record is to live as if it had never been recorded: what it had superseded itself lives again. */
  lemma SupersedingIsNeverRecorded(records: seq<Record>, dead: set<Id>, k: Id)
    ensures Living(records, dead + {k}) == Living(Without(records, k), dead)
    decreases |records|
  {
    if |records| > 0 {
      var before, r := records[..|records| - 1], records[|records| - 1];
      SupersedingIsNeverRecorded(before, dead, k);
      SupersedingIsNeverRecorded(before, dead + Superseded(r), k);
      assert dead + {k} + Superseded(r) == dead + Superseded(r) + {k};
      if r.id != k {
        LivingOfLast(Without(before, k), r, dead);
      }
    }
  }

  /** The records of a conversation with one more entry. */
  lemma RecordsOfLast(entries: Log, e: Entry, sayings: Sayings)
    ensures RecordsIn(entries + [e], sayings) ==
            if e.uuid in sayings then RecordsIn(entries, sayings) + [Record(e.uuid, sayings[e.uuid])]
            else RecordsIn(entries, sayings)
  {
    assert (entries + [e])[..|entries|] == entries;
  }

  /** The records of a conversation depend on what is said of its own entries only. */
  lemma RecordsDependOnSayingsThere(entries: Log, sayings: Sayings, others: Sayings)
    requires forall v | v in Uuids(entries) :: (v in sayings <==> v in others) && (v in sayings ==> sayings[v] == others[v])
    ensures RecordsIn(entries, sayings) == RecordsIn(entries, others)
    decreases |entries|
  {
    if |entries| > 0 {
      UuidsOfLast(entries);
      RecordsDependOnSayingsThere(entries[..|entries| - 1], sayings, others);
    }
  }

  /** A conversation is shown as what is said of its own entries says, and nothing else. */
  lemma ShownDependsOnSayingsThere(entries: Log, sayings: Sayings, others: Sayings)
    requires forall v | v in Uuids(entries) :: (v in sayings <==> v in others) && (v in sayings ==> sayings[v] == others[v])
    ensures Shown(entries, sayings) == Shown(entries, others)
  {
    RecordsDependOnSayingsThere(entries, sayings, others);
    assert Uuids(entries) * sayings.Keys == Uuids(entries) * others.Keys;
  }

  /** Where no entry of a conversation is a record, the conversation itself is shown. */
  lemma WithoutRecordsTheContextIsShown(log: Log, sayings: Sayings, u: Id)
    requires u in Uuids(log)
    requires Members(log, u) !! sayings.Keys
    ensures ShownAt(log, sayings, u) == Context(log, u)
  {
    var context := Context(log, u);
    ContextHoldsExactlyTheMembers(log, u);
    NoneOfThemIsARecord(context, sayings);
    assert Uuids(context) * sayings.Keys == {};
    CoveringNothing(context);
  }

  /** Entries of which nothing is said are no records. */
  lemma NoneOfThemIsARecord(entries: Log, sayings: Sayings)
    requires Uuids(entries) !! sayings.Keys
    ensures RecordsIn(entries, sayings) == []
    decreases |entries|
  {
    if |entries| > 0 {
      UuidsOfLast(entries);
      NoneOfThemIsARecord(entries[..|entries| - 1], sayings);
    }
  }

  /** Without an entry a conversation has the records that it has without it. */
  lemma RecordsAfterDrop(entries: Log, sayings: Sayings, k: Id)
    ensures RecordsIn(Drop(entries, {k}), sayings - {k}) == Without(RecordsIn(entries, sayings), k)
    decreases |entries|
  {
    if |entries| > 0 {
      var before, e := entries[..|entries| - 1], entries[|entries| - 1];
      RecordsAfterDrop(before, sayings, k);
      if e.uuid != k {
        RecordsOfLast(Drop(before, {k}), e.(parent := Heir(before, {k}, e.parent)), sayings - {k});
      }
    }
  }

  // --- What is shown ---

  /** Records hide themselves: no record of a conversation is shown, whatever it or another one says. */
  lemma RecordsHideThemselves(entries: Log, sayings: Sayings)
    ensures Uuids(Shown(entries, sayings)) !! Uuids(entries) * sayings.Keys
  {
    UuidsOfDrop(ApplyAll(entries, Active(entries, sayings)), Uuids(entries) * sayings.Keys);
  }

  /** What a record says leaves a conversation well-formed, if its stub is new. */
  lemma ApplyIsWellFormed(entries: Log, o: Overlay)
    requires WellFormed(entries)
    requires o.stub.Some? ==> o.stub.value.uuid !in Uuids(entries)
    ensures WellFormed(Apply(entries, o))
  {
    hide WellFormed, Drop, DropWithStub, Uuids;
    DropIsWellFormed(entries, o.covered);
    if o.stub.Some? {
      FirstIsCovered(entries, o.covered);
      if Uuids(entries) !! o.covered {
        NothingCoveredLeavesNoStub(entries, o.covered, o.stub.value);
      } else {
        DropWithStubIsDropAndStub(entries, o.covered, o.stub.value);
      }
    }
  }

  /** What records say leaves a conversation well-formed, if their stubs are new. */
  lemma ApplyAllIsWellFormed(entries: Log, records: seq<Record>)
    requires WellFormed(entries)
    requires StubsAreNew(entries, records)
    ensures WellFormed(ApplyAll(entries, records))
    decreases |records|
  {
    hide WellFormed, Apply, Uuids;
    if |records| > 0 {
      ApplyAllIsWellFormed(entries, records[..|records| - 1]);
      ApplyIsWellFormed(ApplyAll(entries, records[..|records| - 1]), records[|records| - 1].says);
    }
  }

  /** A conversation is shown as a well-formed one, if the stubs are new. */
  lemma ShownIsWellFormed(entries: Log, sayings: Sayings)
    requires WellFormed(entries)
    requires StubsAreNew(entries, Active(entries, sayings))
    ensures WellFormed(Shown(entries, sayings))
  {
    ApplyAllIsWellFormed(entries, Active(entries, sayings));
    DropIsWellFormed(ApplyAll(entries, Active(entries, sayings)), Uuids(entries) * sayings.Keys);
  }

  /** The latest record wins in what is shown too: where it covers, without a stub, nothing that it covers is shown, whatever
    * the records before it say; and what it supersedes counts no more. */
  lemma LatestIsShown(entries: Log, sayings: Sayings, n: Entry, o: Overlay)
    requires n.uuid !in Uuids(entries)
    requires o.stub.None?
    ensures var more := sayings[n.uuid := o];
            && Active(entries + [n], more)
               == Living(RecordsIn(entries, sayings), Superseded(Record(n.uuid, o))) + [Record(n.uuid, o)]
            && (forall r | r in Active(entries + [n], more) :: o.supersedes != Some(r.id) || r.id == n.uuid)
            && Uuids(Shown(entries + [n], more)) !! o.covered
  {
    hide Uuids, Drop, Living, RecordsIn;
    var more, r := sayings[n.uuid := o], Record(n.uuid, o);
    RecordsDependOnSayingsThere(entries, sayings, more);
    RecordsOfLast(entries, n, more);
    LatestWins(RecordsIn(entries, sayings), r);
    var active := Active(entries + [n], more);
    assert active[..|active| - 1] == Living(RecordsIn(entries, sayings), Superseded(r)) && active[|active| - 1] == r;
    var before := ApplyAll(entries + [n], active[..|active| - 1]);
    assert ApplyAll(entries + [n], active) == Drop(before, o.covered);
    UuidsOfDrop(before, o.covered);
    UuidsOfDrop(Drop(before, o.covered), Uuids(entries + [n]) * more.Keys);
  }

  /** So it is with a stub too, if it is new and not covered itself: nothing that the latest record covers is shown, whatever
    * the records before it say. */
  lemma LatestIsShownWithStub(entries: Log, sayings: Sayings, n: Entry, o: Overlay)
    requires WellFormed(entries + [n])
    requires n.uuid !in Uuids(entries)
    requires StubsAreNew(entries + [n], Active(entries + [n], sayings[n.uuid := o]))
    requires o.stub.Some? ==> o.stub.value.uuid !in o.covered
    ensures var more := sayings[n.uuid := o]; Uuids(Shown(entries + [n], more)) !! o.covered
  {
    hide Uuids, Drop, Living, RecordsIn, WellFormed, Apply, DropWithStub;
    var more, r := sayings[n.uuid := o], Record(n.uuid, o);
    RecordsDependOnSayingsThere(entries, sayings, more);
    RecordsOfLast(entries, n, more);
    LatestWins(RecordsIn(entries, sayings), r);
    var active := Active(entries + [n], more);
    assert active[..|active| - 1] == Living(RecordsIn(entries, sayings), Superseded(r)) && active[|active| - 1] == r;
    var before := ApplyAll(entries + [n], active[..|active| - 1]);
    ApplyAllIsWellFormed(entries + [n], active[..|active| - 1]);
    assert ApplyAll(entries + [n], active) == Apply(before, o);
    assert Uuids(Apply(before, o)) !! o.covered by {
      reveal Apply;
      if o.stub.None? {
        UuidsOfDrop(before, o.covered);
      } else if Uuids(before) !! o.covered {
        NothingCoveredLeavesNoStub(before, o.covered, o.stub.value);
      } else {
        DropWithStubIsDropAndStub(before, o.covered, o.stub.value);
      }
    }
    UuidsOfDrop(Apply(before, o), Uuids(entries + [n]) * more.Keys);
  }

  /** What a record says of other entries. */
  predicate SpeaksOfOthers(o: Overlay, ids: set<Id>) {
    o.covered !! ids && (o.stub.Some? ==> o.stub.value.uuid !in ids)
  }

  /** Entries that a record does not speak of may be dropped before or after. */
  lemma ApplyAfterDrop(entries: Log, o: Overlay, ids: set<Id>)
    requires WellFormed(entries)
    requires o.stub.Some? ==> o.stub.value.uuid !in Uuids(entries)
    requires SpeaksOfOthers(o, ids)
    ensures Apply(Drop(entries, ids), o) == Drop(Apply(entries, o), ids)
  {
    hide WellFormed, Drop, Replace, Uuids, First;
    if o.stub.None? {
      DropsCommute(entries, o.covered, ids);
    } else {
      KeptIdsAfterDrop(entries, ids, o.covered);
      SameIdsSameFirst(entries, Drop(entries, ids), o.covered);
      if First(entries, o.covered).Some? {
        FirstIsCovered(entries, o.covered);
        var first := First(entries, o.covered).value;
        var rest := o.covered - {first};
        DropsCommute(entries, rest, ids);
        UuidsOfDrop(entries, rest);
        DropIsWellFormed(entries, rest);
        DropOfReplaced(Drop(entries, rest), first, o.stub.value, ids);
      }
    }
  }

  /** Entries that no record speaks of may be dropped before or after what the records say. */
  lemma ApplyAllAfterDrop(entries: Log, records: seq<Record>, ids: set<Id>)
    requires WellFormed(entries)
    requires StubsAreNew(entries, records)
    requires forall r | r in records :: SpeaksOfOthers(r.says, ids)
    ensures ApplyAll(Drop(entries, ids), records) == Drop(ApplyAll(entries, records), ids)
    decreases |records|
  {
    hide WellFormed, Drop, Apply, Uuids, SpeaksOfOthers;
    if |records| > 0 {
      var before := records[..|records| - 1];
      ApplyAllAfterDrop(entries, before, ids);
      ApplyAllIsWellFormed(entries, before);
      ApplyAfterDrop(ApplyAll(entries, before), records[|records| - 1].says, ids);
    }
  }

  /** Undo: after a record that supersedes `k`, and says nothing else, the conversation is shown exactly as if `k` had never been
    * recorded, whatever came in between. */
  lemma UndoIsNeverRecorded(entries: Log, sayings: Sayings, k: Id, m: Entry, hash: Value)
    requires WellFormed(entries)
    requires Fits(entries, m)
    requires k in Uuids(entries) && k in sayings
    requires var active := Living(Without(RecordsIn(entries, sayings), k), {});
             && StubsAreNew(entries + [m], active)
             && (forall r | r in active :: SpeaksOfOthers(r.says, {k, m.uuid}))
    ensures Shown(entries + [m], sayings[m.uuid := Undo(k, hash)]) == Shown(Drop(entries, {k}), sayings - {k})
  {
    hide WellFormed, Drop, Uuids, ApplyAll, RecordsIn, Living, SpeaksOfOthers, StubsAreNew, Without;
    var active := Living(Without(RecordsIn(entries, sayings), k), {});
    var after, more := entries + [m], sayings[m.uuid := Undo(k, hash)];
    var undo := Record(m.uuid, Undo(k, hash));
    assert WellFormed(after) by {
      AppendIsWellFormed(entries, m);
    }
    ActiveAfterUndo(entries, sayings, k, m, hash);
    assert ApplyAll(after, active + [undo]) == ApplyAll(after, active) by {
      reveal ApplyAll;
      assert (active + [undo])[..|active|] == active;
      CoveringNothing(ApplyAll(after, active));
    }
    RecordsAfterDrop(entries, sayings, k);
    ApplyAllAfterDrop(after, active, {k, m.uuid});
    DropOfUndone(entries, m, k);
    var hidden, less := Uuids(after) * more.Keys, Uuids(Drop(entries, {k})) * (sayings - {k}).Keys;
    UuidsOfConcatenation(entries, [m]);
    UuidsOfOne(m);
    UuidsOfDrop(entries, {k});
    assert {k, m.uuid} + less == hidden;
    ApplyAllIsWellFormed(after, active);
    DropOfDropIsDropOfUnion(ApplyAll(after, active), {k, m.uuid}, less);
  }

  /** The id of one entry. */
  lemma UuidsOfOne(e: Entry)
    ensures Uuids([e]) == {e.uuid}
  {
    assert e in [e];
  }

  /** The records that count after an undo: those that count without what was undone, and the undo. */
  lemma ActiveAfterUndo(entries: Log, sayings: Sayings, k: Id, m: Entry, hash: Value)
    requires m.uuid !in Uuids(entries)
    ensures Active(entries + [m], sayings[m.uuid := Undo(k, hash)])
         == Living(Without(RecordsIn(entries, sayings), k), {}) + [Record(m.uuid, Undo(k, hash))]
  {
    var more := sayings[m.uuid := Undo(k, hash)];
    RecordsDependOnSayingsThere(entries, sayings, more);
    RecordsOfLast(entries, m, more);
    LatestWins(RecordsIn(entries, sayings), Record(m.uuid, Undo(k, hash)));
    SupersedingIsNeverRecorded(RecordsIn(entries, sayings), {}, k);
    assert {} + {k} == {k};
  }

  /** An undo at the end and what it undoes are both gone, or only the latter: of the other entries the same is left. */
  lemma DropOfUndone(entries: Log, m: Entry, k: Id)
    requires WellFormed(entries)
    requires Fits(entries, m)
    ensures Drop(entries + [m], {k, m.uuid}) == Drop(entries, {k})
  {
    DropOfLast(entries, m, {k, m.uuid});
    DropOfDropIsDropOfUnion(entries, {k}, {m.uuid});
    assert {k} + {m.uuid} == {k, m.uuid};
    DropIsWellFormed(entries, {k});
    UuidsOfDrop(entries, {k});
    DropOfNothingIsTheLog(Drop(entries, {k}), {m.uuid});
  }

  /** Undo at once restores exactly what was shown before the record. Redo is the undo of the undo: it restores exactly what
    * was shown before the undo. */
  lemma UndoRestoresWhatWasShown(entries: Log, sayings: Sayings, n: Entry, o: Overlay, m: Entry, hash: Value)
    requires WellFormed(entries)
    requires Fits(entries, n)
    requires Fits(entries + [n], m)
    requires n.uuid !in sayings
    requires StubsAreNew(entries + [n] + [m], Active(entries, sayings))
    requires forall r | r in Active(entries, sayings) :: SpeaksOfOthers(r.says, {n.uuid, m.uuid})
    ensures Shown(entries + [n] + [m], sayings[n.uuid := o][m.uuid := Undo(n.uuid, hash)]) == Shown(entries, sayings)
  {
    hide WellFormed, Drop, Uuids, ApplyAll, RecordsIn, Living, SpeaksOfOthers, StubsAreNew, Without;
    var said := sayings[n.uuid := o];
    assert WellFormed(entries + [n]) by {
      AppendIsWellFormed(entries, n);
    }
    RecordsDependOnSayingsThere(entries, sayings, said);
    RecordsOfLast(entries, n, said);
    UuidsOfConcatenation(entries, [n]);
    UuidsOfOne(n);
    WithoutTheLast(entries, sayings, Record(n.uuid, o));
    UndoIsNeverRecorded(entries + [n], said, n.uuid, m, hash);
    DropOfLast(entries, n, {n.uuid});
    DropOfNothingIsTheLog(entries, {n.uuid});
    assert said - {n.uuid} == sayings;
  }

  /** Without its last record a conversation has the records before, if none of them has the same uuid. */
  lemma WithoutTheLast(entries: Log, sayings: Sayings, r: Record)
    requires r.id !in Uuids(entries)
    ensures Without(RecordsIn(entries, sayings) + [r], r.id) == RecordsIn(entries, sayings)
  {
    var records := RecordsIn(entries, sayings);
    assert (records + [r])[..|records|] == records;
    WithoutNothing(entries, sayings, r.id);
  }

  /** Nothing is left out where the record is not there. */
  lemma WithoutNothing(entries: Log, sayings: Sayings, k: Id)
    requires k !in Uuids(entries)
    ensures Without(RecordsIn(entries, sayings), k) == RecordsIn(entries, sayings)
    decreases |entries|
  {
    if |entries| > 0 {
      UuidsOfLast(entries);
      WithoutNothing(entries[..|entries| - 1], sayings, k);
    }
  }

  // --- Balance of what is shown (P3) ---

  /** An entry without calls and results. */
  predicate Quiet(e: Entry) {
    forall b | b in e.blocks :: b.Opaque?
  }

  /** What neither calls nor answers aside, entries say what others said before. */
  ghost predicate SaysNothingNew(entries: Log, after: Log) {
    forall x | x in after :: Quiet(x) || exists e | e in entries :: x.uuid == e.uuid && x.blocks == e.blocks
  }

  /** A cover that separates no call from its answer separates none where nothing new is said. */
  lemma WholeForToolsStays(entries: Log, after: Log, ids: set<Id>)
    requires SaysNothingNew(entries, after)
    requires WholeForTools(entries, ids)
    ensures WholeForTools(after, ids)
  {
    forall a, b | a in after && b in after && a.uuid in ids && ToolsOf(a) * ToolsOf(b) != {} ensures b.uuid in ids {
      var t :| t in ToolsOf(a) && t in ToolsOf(b);
      ToolsAreIdsOfBlocks(a);
      ToolsAreIdsOfBlocks(b);
      assert !Quiet(a) && !Quiet(b);
      var x :| x in entries && a.uuid == x.uuid && a.blocks == x.blocks;
      var y :| y in entries && b.uuid == y.uuid && b.blocks == y.blocks;
      assert ToolsOf(x) == ToolsOf(a) && ToolsOf(y) == ToolsOf(b);
      assert t in ToolsOf(x) * ToolsOf(y);
    }
  }

  /** A drop says nothing new. */
  lemma NothingNewAfterDrop(entries: Log, after: Log, ids: set<Id>)
    requires WellFormed(after)
    requires SaysNothingNew(entries, after)
    ensures SaysNothingNew(entries, Drop(after, ids))
  {
    hide WellFormed, Drop;
    forall x | x in Drop(after, ids)
      ensures Quiet(x) || exists e | e in entries :: x.uuid == e.uuid && x.blocks == e.blocks
    {
      var a := OriginOf(after, ids, x);
      assert Quiet(a) ==> Quiet(x);
    }
  }

  /** A silent stub says nothing new. */
  lemma NothingNewAfterReplace(entries: Log, after: Log, first: Id, stub: Entry)
    requires SaysNothingNew(entries, after)
    requires Quiet(stub)
    ensures SaysNothingNew(entries, Replace(after, first, stub))
  {
    hide Replace;
    forall x | x in Replace(after, first, stub)
      ensures Quiet(x) || exists e | e in entries :: x.uuid == e.uuid && x.blocks == e.blocks
    {
      var a := OriginOfReplaced(after, first, stub, x);
      if a.uuid == first { assert Quiet(x); } else {
        assert Quiet(a) ==> Quiet(x);
      }
    }
  }

  /** A balanced conversation stays balanced after all that records say, if each covers no call without its answer and leaves
    * a silent stub or none. */
  lemma ApplyAllKeepsBalance(entries: Log, records: seq<Record>)
    requires WellFormed(entries)
    requires Balanced(entries)
    requires StubsAreNew(entries, records)
    requires forall r | r in records :: WholeForTools(entries, r.says.covered) && (r.says.stub.Some? ==> Quiet(r.says.stub.value))
    ensures WellFormed(ApplyAll(entries, records))
    ensures Balanced(ApplyAll(entries, records))
    ensures SaysNothingNew(entries, ApplyAll(entries, records))
    decreases |records|
  {
    hide WellFormed, Balanced, Drop, Uuids, Replace, WholeForTools, First, Keep;
    if |records| > 0 {
      var less, o := records[..|records| - 1], records[|records| - 1].says;
      ApplyAllKeepsBalance(entries, less);
      var before := ApplyAll(entries, less);
      ApplyIsWellFormed(before, o);
      assert records[|records| - 1] in records;
      WholeForToolsStays(entries, before, o.covered);
      match o.stub
      case None =>
        BalancedAfterDropExactly(before, o.covered);
        NothingNewAfterDrop(entries, before, o.covered);
      case Some(stub) =>
        FirstIsCovered(before, o.covered);
        if First(before, o.covered).Some? {
          var first := First(before, o.covered).value;
          SilentStubKeepsBooks(before, o.covered, stub);
          NothingNewAfterDrop(entries, before, o.covered - {first});
          NothingNewAfterReplace(entries, Drop(before, o.covered - {first}), first, stub);
        }
    }
  }

  /** What is shown of a balanced conversation is balanced, if every record that counts covers no call without its answer,
    * and records and stubs are silent. */
  lemma ShownKeepsBalance(entries: Log, sayings: Sayings)
    requires WellFormed(entries)
    requires Balanced(entries)
    requires var active := Active(entries, sayings);
             && StubsAreNew(entries, active)
             && (forall r | r in active ::
                   WholeForTools(entries, r.says.covered) && (r.says.stub.Some? ==> Quiet(r.says.stub.value)))
    requires forall e | e in entries && e.uuid in sayings :: Quiet(e)
    ensures Balanced(Shown(entries, sayings))
  {
    hide WellFormed, Balanced, Drop, ApplyAll, Active, StubsAreNew, WholeForTools;
    var active := Active(entries, sayings);
    var records := Uuids(entries) * sayings.Keys;
    ApplyAllKeepsBalance(entries, active);
    var after := ApplyAll(entries, active);
    forall e | e in after && e.uuid in records ensures forall b | b in e.blocks :: b.Opaque? {
      assert Quiet(e) || exists x :: x in entries && x.uuid == e.uuid && x.blocks == e.blocks;
    }
    DroppingSilenceKeepsBooks(after, records);
    reveal Balanced;
  }

  // --- Heads, forks and appends ---

  /** A record, an undo and a redo only append (P5): the log is a prefix of the log after it, and every old head is shown as
    * it was. The same holds of every other append. */
  lemma RecordingChangesNothingElse(log: Log, sayings: Sayings, e: Entry, more: Sayings, v: Id)
    requires UniqueUuids(log)
    requires Fits(log, e)
    requires v in Uuids(log)
    requires more - {e.uuid} == sayings - {e.uuid}
    ensures Append(log, e)[..|log|] == log
    ensures v in Uuids(Append(log, e))
    ensures ShownAt(Append(log, e), more, v) == ShownAt(log, sayings, v)
  {
    AppendAddsExactlyOne(log, e);
    AppendKeepsOldContexts(log, e, v);
    ContextHoldsExactlyTheMembers(log, v);
    MembersAreAsOf(log, v);
    forall w | w in Uuids(Context(log, v))
      ensures (w in sayings <==> w in more) && (w in sayings ==> sayings[w] == more[w])
    {
      assert w in Uuids(log);
      assert w in sayings <==> w in sayings - {e.uuid};
      assert w in more <==> w in more - {e.uuid};
    }
    ShownDependsOnSayingsThere(Context(log, v), sayings, more);
  }

  /** A record at a settled head is shown after the conversation there: its context is that conversation, and the record. */
  lemma RecordGoesOn(log: Log, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Settled(log, v)
    requires Fits(log, e) && e.parent == Some(v)
    requires !e.kind.Assistant? && UsesOf(e) == {}
    ensures e.uuid in Uuids(Append(log, e))
    ensures Context(Append(log, e), e.uuid) == Context(log, v) + [e]
  {
    PromptNeedsNothingElse(log, e, v);
    AppendContextIsContextAndEntry(log, e, v);
  }

  /** Undo at a head: a record at a settled head and right after it its undo leave what is shown there exactly as it was.
    * Redo, the undo of the undo, is the same with the undo as the record. */
  lemma UndoAtHeadRestoresWhatWasShown(
    log: Log, sayings: Sayings, v: Id, n: Entry, o: Overlay, m: Entry, hash: Value)
    requires WellFormed(log)
    requires v in Uuids(log) && Settled(log, v)
    requires Fits(log, n) && n.parent == Some(v) && !n.kind.Assistant? && UsesOf(n) == {}
    requires Fits(log + [n], m) && m.parent == Some(n.uuid) && !m.kind.Assistant? && UsesOf(m) == {}
    requires n.uuid !in sayings
    requires var active := Active(Context(log, v), sayings);
             && StubsAreNew(Context(log, v) + [n] + [m], active)
             && (forall r | r in active :: SpeaksOfOthers(r.says, {n.uuid, m.uuid}))
    ensures var after := log + [n] + [m];
            && after[..|log|] == log
            && m.uuid in Uuids(after)
            && ShownAt(after, sayings[n.uuid := o][m.uuid := Undo(n.uuid, hash)], m.uuid) == ShownAt(log, sayings, v)
  {
    hide WellFormed, Settled, Context, Members, Uuids, SpeaksOfOthers, StubsAreNew, Active, Shown;
    var context, one := Context(log, v), Append(log, n);
    AppendIsWellFormed(log, n);
    WellFormedHasUniqueUuids(one);
    WellFormedHasUniqueUuids(log);
    RecordGoesOn(log, n, v);
    AppendAddsExactlyOne(log, n);
    AtTheEndIsSettled(log, n);
    RecordGoesOn(one, m, n.uuid);
    ContextIsParentClosed(log, v);
    ForkFitsWhatFits(log, n, v);
    ForkFitsWhatFits(one, m, n.uuid);
    UndoRestoresWhatWasShown(context, sayings, n, o, m, hash);
  }

  /** The last entry of a log is settled. */
  lemma AtTheEndIsSettled(log: Log, e: Entry)
    requires UniqueUuids(log)
    requires Fits(log, e)
    ensures e.uuid in Uuids(Append(log, e))
    ensures Settled(Append(log, e), e.uuid)
  {
    AppendAddsExactlyOne(log, e);
    LastIsSettled(Append(log, e));
  }

  /** A fork inherits exactly the records of the conversation at its point: all of them stand at the point or before, and
    * everything that is kept is shown in the fork as in the log. */
  lemma ForkInheritsRecords(log: Log, sayings: Sayings, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log) && v in Uuids(Fork(log, u))
    ensures ShownAt(Fork(log, u), sayings, v) == ShownAt(log, sayings, v)
    ensures RecordsIn(Fork(log, u), sayings) == RecordsIn(Context(log, u), sayings)
    ensures Uuids(Fork(log, u)) * sayings.Keys == Members(log, u) * sayings.Keys
    ensures forall k | k in Uuids(Fork(log, u)) * sayings.Keys :: k in Uuids(log) && IndexOf(log, k) <= IndexOf(log, u)
  {
    ForkPreservesContexts(log, u, v);
    ForkHoldsExactlyTheContext(log, u);
    forall k | k in Uuids(Fork(log, u)) * sayings.Keys ensures k in Uuids(log) && IndexOf(log, k) <= IndexOf(log, u) {
      MembersStandBefore(log, u, k);
    }
  }

  // --- The hash of what is covered ---

  /** What a record covers of a conversation is the same, entry by entry, wherever the conversation goes on: so its hash
    * matches there exactly if it matched at first. */
  lemma CoveredStaysTheSame(log: Log, u: Id, v: Id, o: Overlay, digest: Log -> Value)
    requires UniqueUuids(log)
    requires u in Uuids(log) && v in Uuids(log)
    requires u in Members(log, v)
    requires o.covered <= Members(log, u)
    ensures Keep(Context(log, v), o.covered) == Keep(Context(log, u), o.covered)
    ensures Matches(Context(log, v), o, digest) <==> Matches(Context(log, u), o, digest)
  {
    MembersOfMember(log, v, u);
    KeepOfKeep(log, Members(log, u), o.covered);
    KeepOfKeep(log, Members(log, v), o.covered);
    assert Members(log, u) * o.covered == o.covered == Members(log, v) * o.covered;
  }

  /** Each record that counts has the hash of what it covered in the conversation that was seen when it was made. */
  ghost predicate MadeFor(records: seq<Record>, digest: Log -> Value, seen: map<Id, Log>) {
    forall r | r in records :: r.id in seen && r.says.hash == digest(Keep(seen[r.id], r.says.covered))
  }

  /** The hash tells what each record covers now from what it covered then. */
  ghost predicate TellsApart(entries: Log, records: seq<Record>, digest: Log -> Value, seen: map<Id, Log>) {
    forall r | r in records && r.id in seen ::
      digest(Keep(entries, r.says.covered)) == digest(Keep(seen[r.id], r.says.covered)) ==>
        Keep(entries, r.says.covered) == Keep(seen[r.id], r.says.covered)
  }

  /** A conversation is refused exactly if a record that counts covers other entries than it did when it was made. So a covered
    * entry that was changed or lost makes it be refused. */
  lemma RefusedExactly(entries: Log, sayings: Sayings, digest: Log -> Value, seen: map<Id, Log>)
    requires MadeFor(Active(entries, sayings), digest, seen)
    requires TellsApart(entries, Active(entries, sayings), digest, seen)
    ensures Checked(entries, sayings, digest).Some? <==>
            (forall r | r in Active(entries, sayings) :: Keep(entries, r.says.covered) == Keep(seen[r.id], r.says.covered))
    ensures forall r, e | r in Active(entries, sayings) && e in seen[r.id] && e.uuid in r.says.covered && e !in entries ::
              Checked(entries, sayings, digest).None?
    ensures Checked(entries, sayings, digest).Some? ==> Checked(entries, sayings, digest).value == Shown(entries, sayings)
  {
    forall r, e | r in Active(entries, sayings) && e in seen[r.id] && e.uuid in r.says.covered && e !in entries
      ensures Checked(entries, sayings, digest).None?
    {
      KeepHoldsExactly(entries, r.says.covered);
      KeepHoldsExactly(seen[r.id], r.says.covered);
    }
  }

  /** Whoever only appends is never refused, whatever the hash: each record was made for entries that stood there. */
  lemma AppendingIsNeverRefused(entries: Log, sayings: Sayings, digest: Log -> Value, seen: map<Id, Log>)
    requires UniqueUuids(entries)
    requires MadeFor(Active(entries, sayings), digest, seen)
    requires forall r | r in Active(entries, sayings) :: seen[r.id] <= entries && r.says.covered <= Uuids(seen[r.id])
    ensures Checked(entries, sayings, digest) == Some(Shown(entries, sayings))
  {
    forall r | r in Active(entries, sayings)
      ensures Matches(entries, r.says, digest)
    {
      var before := seen[r.id];
      assert entries[..|before|] == before;
      KeepFromPrefix(entries, |before|, r.says.covered);
    }
  }

  // --- A part of a log ---

  /** The records that leave a stub cover, of what is there when their turn comes, only what is there in the part, too. */
  predicate StubsCoverTheirOwn(log: Log, part: Log, records: seq<Record>)
    decreases |records|
  {
    |records| == 0 ||
    (var before, last := records[..|records| - 1], records[|records| - 1];
     && StubsCoverTheirOwn(log, part, before)
     && (last.says.stub.Some? ==> last.says.covered * Uuids(ApplyAll(log, before)) <= Uuids(ApplyAll(part, before))))
  }

  /** A log is a part of another one: it keeps some of its entries, as they are, and the parent of each. */
  ghost predicate IsPart(part: Log, log: Log) {
    part == Keep(log, Uuids(part)) && ParentClosed(log, Uuids(part))
  }

  /** What keeps entries of a log and is well-formed is a part of it. */
  lemma WellFormedPart(part: Log, log: Log)
    requires WellFormed(part)
    requires part == Keep(log, Uuids(part))
    ensures IsPart(part, log)
  {
    WellFormedHasNoDanglingParents(part);
    KeepHoldsExactly(log, Uuids(part));
  }

  /** After the same record a part of a log is a part of it still, if its stub is new and stands for what stands in the part. */
  lemma ApplyOfPart(log: Log, part: Log, o: Overlay)
    requires WellFormed(log)
    requires IsPart(part, log)
    requires o.stub.Some? ==> o.stub.value.uuid !in Uuids(log) && o.covered * Uuids(log) <= Uuids(part)
    ensures IsPart(Apply(part, o), Apply(log, o))
  {
    hide WellFormed, Drop, Replace, Uuids, Keep;
    var ids := Uuids(part);
    KeepIsWellFormed(log, ids);
    UuidsOfKeep(log, ids);
    match o.stub
    case None =>
      DropOfPart(log, part, o.covered);
    case Some(stub) =>
      KeepOfKeep(log, ids, o.covered);
      KeepDependsOnIdsThere(log, ids * o.covered, o.covered) by {
        assert Uuids(log) * (ids * o.covered) == Uuids(log) * o.covered;
      }
      if First(log, o.covered).Some? {
        var first := First(log, o.covered).value;
        var others := o.covered - {first};
        FirstIsCovered(part, o.covered);
        DropOfPart(log, part, others);
        UuidsOfDrop(log, others);
        UuidsOfDrop(part, others);
        DropIsWellFormed(log, others);
        DropIsWellFormed(part, others);
        WellFormedHasUniqueUuids(Drop(part, others));
        KeepOfReplaced(Drop(log, others), first, stub, ids - others);
        UuidsOfReplaced(Drop(part, others), first, stub);
        ApplyIsWellFormed(part, o);
        WellFormedPart(Apply(part, o), Apply(log, o));
      }
  }

  /** A drop from a log drops from a part. */
  lemma DropOfPart(log: Log, part: Log, ids: set<Id>)
    requires WellFormed(log)
    requires IsPart(part, log)
    ensures IsPart(Drop(part, ids), Drop(log, ids))
  {
    hide WellFormed, Drop, Uuids, Keep;
    KeepIsWellFormed(log, Uuids(part));
    DropOfKeep(log, Uuids(part), ids);
    UuidsOfDrop(log, ids);
    UuidsOfDrop(part, ids);
    DropIsWellFormed(part, ids);
    KeepDependsOnIdsThere(Drop(log, ids), Uuids(part), Uuids(part) - ids) by {
      assert Uuids(Drop(log, ids)) * Uuids(part) == Uuids(Drop(log, ids)) * (Uuids(part) - ids);
    }
    WellFormedPart(Drop(part, ids), Drop(log, ids));
  }

  /** After the same records a part of a log is a part of it still, if the stubs are new and what they stand for stands in the part. */
  lemma ApplyAllOfPart(log: Log, part: Log, records: seq<Record>)
    requires WellFormed(log)
    requires IsPart(part, log)
    requires StubsAreNew(log, records)
    requires StubsCoverTheirOwn(log, part, records)
    ensures IsPart(ApplyAll(part, records), ApplyAll(log, records))
    decreases |records|
  {
    hide WellFormed, Apply, Uuids, IsPart;
    if |records| > 0 {
      var before := records[..|records| - 1];
      ApplyAllOfPart(log, part, before);
      ApplyAllIsWellFormed(log, before);
      ApplyOfPart(ApplyAll(log, before), ApplyAll(part, before), records[|records| - 1].says);
    }
  }
}

// Chapter 12, the algorithms: records, what lives of them, and what is shown, by loops; a step for each entry, and for each
// record that counts one pass over the conversation.
include "01-Entries.Fast.dfy"
include "11-Rewriting.Fast.dfy"
include "12-Overlays.Proofs.dfy"

module OverlaysFast {
  import opened Names
  import opened Entries
  import opened Contexts
  import opened Rewriting
  import opened Overlays
  import opened OverlaysProofs
  import AncestriesFast
  import EntriesFast
  import RewritingFast

  /** The records of a conversation. */
  method FastRecords(entries: Log, sayings: Sayings) returns (records: seq<Record>)
    ensures records == RecordsIn(entries, sayings)
  {
    records := [];
    for i := 0 to |entries|
      invariant records == RecordsIn(entries[..i], sayings)
    {
      assert entries[..i + 1] == entries[..i] + [entries[i]];
      RecordsOfLast(entries[..i], entries[i], sayings);
      if entries[i].uuid in sayings {
        records := records + [Record(entries[i].uuid, sayings[entries[i].uuid])];
      }
    }
    assert entries[..|entries|] == entries;
  }

  /** The records that live, read from the end. */
  method FastLiving(records: seq<Record>) returns (living: seq<Record>)
    ensures living == Living(records, {})
  {
    var dead: set<Id> := {};
    living := [];
    assert records[..|records|] == records;
    for i := |records| downto 0
      invariant Living(records, {}) == Living(records[..i], dead) + living
    {
      assert records[..i + 1] == records[..i] + [records[i]];
      LivingOfLast(records[..i], records[i], dead);
      if records[i].id !in dead {
        living := [records[i]] + living;
        dead := dead + Superseded(records[i]);
      }
    }
  }

  /** The records that count in a conversation. */
  method FastActive(entries: Log, sayings: Sayings) returns (active: seq<Record>)
    ensures active == Active(entries, sayings)
  {
    var records := FastRecords(entries, sayings);
    active := FastLiving(records);
  }

  /** A conversation after what several records say, or the first record whose stub is not new. */
  method FastApplyAll(entries: Log, records: seq<Record>) returns (applied: Log, good: nat)
    requires WellFormed(entries)
    ensures good <= |records|
    ensures StubsAreNew(entries, records[..good]) && applied == ApplyAll(entries, records[..good])
    ensures good < |records| ==> !StubsAreNew(entries, records[..good + 1])
  {
    hide WellFormed, StubsAreNew, ApplyAll;
    applied := entries;
    NoRecordsAppliedYet(entries, records);
    for i := 0 to |records|
      invariant StubsAreNew(entries, records[..i]) && applied == ApplyAll(entries, records[..i])
    {
      OneMoreRecordApplied(entries, records[..i + 1]);
      assert records[..i + 1][..i] == records[..i];
      ApplyAllIsWellFormed(entries, records[..i]);
      var says := records[i].says;
      if says.stub.None? {
        applied := RewritingFast.FastDrop(applied, says.covered);
      } else {
        var taken := EntriesFast.Holds(applied, says.stub.value.uuid);
        if taken {
          return applied, i;
        }
        applied := RewritingFast.FastDropWithStub(applied, says.covered, says.stub.value);
      }
    }
    good := |records|;
  }

  /** Before the first record nothing is changed. */
  lemma NoRecordsAppliedYet(entries: Log, records: seq<Record>)
    ensures StubsAreNew(entries, records[..0]) && ApplyAll(entries, records[..0]) == entries
  {
  }

  /** What the last of some records changes, and that its stub is new. */
  lemma OneMoreRecordApplied(entries: Log, records: seq<Record>)
    requires |records| > 0
    ensures var before, says := records[..|records| - 1], records[|records| - 1].says;
            && ApplyAll(entries, records) == Apply(ApplyAll(entries, before), says)
            && (StubsAreNew(entries, records) <==>
                StubsAreNew(entries, before)
                && (says.stub.Some? ==> says.stub.value.uuid !in Uuids(ApplyAll(entries, before))))
  {
  }

  /** A conversation as it is shown; none where a stub is not new. */
  method FastShown(entries: Log, sayings: Sayings) returns (shown: Option<Log>)
    requires WellFormed(entries)
    ensures shown.Some? <==> StubsAreNew(entries, Active(entries, sayings))
    ensures shown.Some? ==> shown.value == Shown(entries, sayings)
  {
    hide WellFormed, StubsAreNew, ApplyAll, Drop;
    var active := FastActive(entries, sayings);
    var applied, good := FastApplyAll(entries, active);
    if good < |active| {
      if StubsAreNew(entries, active) {
        StubsOfAPrefixAreNew(entries, active, good + 1);
      }
      return None;
    }
    assert active[..good] == active;
    ApplyAllIsWellFormed(entries, active);
    var at := AncestriesFast.Index(entries);
    var left := RewritingFast.FastDrop(applied, at.Keys * sayings.Keys);
    shown := Some(left);
  }

  /** Where all stubs are new, those of the first records are. */
  lemma StubsOfAPrefixAreNew(entries: Log, records: seq<Record>, n: nat)
    requires StubsAreNew(entries, records)
    requires n <= |records|
    ensures StubsAreNew(entries, records[..n])
    decreases |records|
  {
    if n < |records| {
      StubsOfAPrefixAreNew(entries, records[..|records| - 1], n);
      assert records[..|records| - 1][..n] == records[..n];
    } else {
      assert records[..n] == records;
    }
  }

  /** Whether what a record covers is what it covered. */
  method FastMatches(entries: Log, o: Overlay, digest: Log -> Value) returns (matches: bool)
    ensures matches == Matches(entries, o, digest)
  {
    var covered := EntriesFast.FastKeep(entries, o.covered);
    matches := digest(covered) == o.hash;
  }
}

// Chapter 11, the algorithms: heirs by position, and drops, stubs and compactions built on them, each in one pass over the log.
include "01-Entries.Fast.dfy"
include "03-Ancestries.Fast.dfy"
include "05-Balance.Proofs.dfy"
include "11-Rewriting.Proofs.dfy"

module RewritingFast {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened Ancestries
  import opened AncestriesProofs
  import opened AncestriesFast
  import opened Contexts
  import opened Balance
  import BalanceProofs
  import EntriesFast
  import opened Rewriting
  import opened RewritingProofs
  import Layers

  /** For each position the nearest entry, there or above, that is not covered. */
  method Heirs(log: Log, up: seq<int>, ids: set<Id>) returns (heirs: seq<Option<Id>>)
    requires WellFormed(log)
    requires AreParents(log, up)
    ensures |heirs| == |log|
    ensures forall i | 0 <= i < |log| :: heirs[i] == Heir(log, ids, Some(log[i].uuid))
  {
    hide WellFormed, Heir;
    heirs := [];
    for i := 0 to |log|
      invariant |heirs| == i
      invariant forall k | 0 <= k < i :: heirs[k] == Heir(log, ids, Some(log[k].uuid))
    {
      HeirByPosition(log, up, ids, i);
      var above := if up[i] < 0 then None else heirs[up[i]];
      heirs := heirs + [if log[i].uuid in ids then above else Some(log[i].uuid)];
    }
  }

  /** The heir of an entry is the entry itself, or the heir of its parent, by position. */
  lemma HeirByPosition(log: Log, up: seq<int>, ids: set<Id>, i: nat)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires i < |log|
    ensures Heir(log, ids, Some(log[i].uuid)) ==
            if log[i].uuid !in ids then Some(log[i].uuid)
            else if up[i] < 0 then None
            else Heir(log, ids, Some(log[up[i]].uuid))
  {
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    assert log[i] in log;
    HeirUnfolds(log, ids, log[i].uuid);
  }

  /** The log without the covered entries. */
  method FastDrop(log: Log, ids: set<Id>) returns (dropped: Log)
    requires WellFormed(log)
    ensures dropped == Drop(log, ids)
  {
    hide WellFormed, IsIndex, AreParents, Uuids, Heir, Drop;
    var at := Index(log);
    var up := ParentPositions(log, at);
    var heirs := Heirs(log, up, ids);
    PositionsLeadBack(log, up);
    dropped := [];
    assert dropped == Drop(log[..0], ids) by {
      reveal Drop;
    }
    for i := 0 to |log|
      invariant dropped == Drop(log[..i], ids)
    {
      var e := log[i];
      assert log[..i + 1] == log[..i] + [e];
      DropOfLast(log[..i], e, ids);
      if e.uuid !in ids {
        ParentsHeirInPrefix(log, up, ids, i);
        dropped := dropped + [e.(parent := if up[i] < 0 then None else heirs[up[i]])];
      }
    }
    assert log[..|log|] == log;
  }

  /** The heir of a parent is found in what stands before its child. */
  lemma ParentsHeirInPrefix(log: Log, up: seq<int>, ids: set<Id>, i: nat)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires i < |log|
    ensures Heir(log[..i], ids, log[i].parent) == if up[i] < 0 then None else Heir(log, ids, Some(log[up[i]].uuid))
  {
    if up[i] >= 0 {
      assert log[..i][up[i]] in log[..i];
      HeirInPrefix(log, i, ids, log[i].parent);
    }
  }

  /** Another entry in the place of the one with the uuid `first`. */
  method FastReplace(log: Log, first: Id, stub: Entry) returns (replaced: Log)
    ensures replaced == Replace(log, first, stub)
  {
    replaced := [];
    for i := 0 to |log|
      invariant replaced == Replace(log[..i], first, stub)
    {
      assert log[..i + 1] == log[..i] + [log[i]];
      ReplacedOfLast(log[..i], log[i], first, stub);
      replaced := replaced + [Relinked(log[i], first, stub)];
    }
    assert log[..|log|] == log;
  }

  /** The first covered entry, if there is one. */
  method FindFirst(log: Log, ids: set<Id>) returns (first: Option<Id>)
    ensures first == First(log, ids)
  {
    for i := 0 to |log|
      invariant Keep(log[..i], ids) == []
    {
      assert log[..i + 1][..i] == log[..i];
      if log[i].uuid in ids {
        assert log == log[..i + 1] + log[i + 1..];
        KeepSplits(log[..i + 1], log[i + 1..], ids);
        return Some(log[i].uuid);
      }
    }
    assert log[..|log|] == log;
    first := None;
  }

  /** The log with a stub in place of the covered entries. */
  method FastDropWithStub(log: Log, ids: set<Id>, stub: Entry) returns (left: Log)
    requires WellFormed(log)
    ensures left == DropWithStub(log, ids, stub)
  {
    hide WellFormed, Drop, Replace, First;
    var first := FindFirst(log, ids);
    if first.None? {
      return log;
    }
    var dropped := FastDrop(log, ids - {first.value});
    left := FastReplace(dropped, first.value, stub);
  }

  /** The log with a summary in place of its first `n` entries. */
  method FastCompact(log: Log, n: nat, stub: Entry) returns (compacted: Log)
    requires WellFormed(log)
    requires n <= |log|
    ensures compacted == Compact(log, n, stub)
  {
    hide WellFormed, IsIndex, AreParents, Uuids, Relink, Onto;
    var at := Index(log);
    var up := ParentPositions(log, at);
    PositionsLeadBack(log, up);
    var rest: Log := [];
    assert rest == Onto(log[n..n], Uuids(log[..n]), stub.uuid) by {
      reveal Onto;
    }
    for i := n to |log|
      invariant rest == Onto(log[n..i], Uuids(log[..n]), stub.uuid)
    {
      assert log[n..i + 1] == log[n..i] + [log[i]];
      OntoOfLast(log[n..i], log[i], Uuids(log[..n]), stub.uuid);
      LinkByPosition(log, up, n, i, stub.uuid);
      rest := rest + [if 0 <= up[i] < n then log[i].(parent := Some(stub.uuid)) else log[i]];
    }
    assert log[n..|log|] == log[n..];
    compacted := [stub.(parent := None)] + rest;
  }

  /** The links of one more entry. */
  lemma OntoOfLast(entries: Log, e: Entry, ids: set<Id>, to: Id)
    ensures Onto(entries + [e], ids, to) == Onto(entries, ids, to) + [e.(parent := Relink(e.parent, ids, to))]
  {
    assert (entries + [e])[..|entries|] == entries;
  }

  /** Whether a link goes elsewhere is known from the position of the parent: it does if that is among the first `n`. */
  lemma LinkByPosition(log: Log, up: seq<int>, n: nat, i: nat, to: Id)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires n <= i < |log|
    ensures Relink(log[i].parent, Uuids(log[..n]), to) == if 0 <= up[i] < n then Some(to) else log[i].parent
  {
    hide WellFormed;
    WellFormedHasUniqueUuids(log);
    if 0 <= up[i] < n {
      assert log[..n][up[i]] in log[..n];
    }
  }

  // --- Spans that may be dropped ---

  /** Whether every covered entry but the first continues a covered one. */
  method DecideRooted(entries: Log, ids: set<Id>) returns (rooted: bool)
    ensures rooted == Rooted(entries, ids)
  {
    rooted := true;
    var seen := false;
    for i := 0 to |entries|
      invariant rooted == Rooted(entries[..i], ids)
      invariant seen <==> |Keep(entries[..i], ids)| > 0
    {
      var e := entries[i];
      assert entries[..i + 1] == entries[..i] + [e];
      assert entries[..i + 1][..i] == entries[..i];
      RootedOfLast(entries[..i], e, ids);
      if e.uuid in ids {
        rooted := rooted && (!seen || (e.parent.Some? && e.parent.value in ids));
        seen := true;
      }
    }
    assert entries[..|entries|] == entries;
  }

  /** One more entry is rooted, or is the first that is covered. */
  lemma RootedOfLast(entries: Log, e: Entry, ids: set<Id>)
    ensures Rooted(entries + [e], ids) <==>
            && Rooted(entries, ids)
            && (e.uuid in ids && |Keep(entries, ids)| > 0 ==> e.parent.Some? && e.parent.value in ids)
  {
    assert (entries + [e])[..|entries|] == entries;
    var before, after := Keep(entries, ids), Keep(entries + [e], ids);
    if Rooted(entries + [e], ids) {
      forall i | 0 < i < |before| ensures before[i].parent.Some? && before[i].parent.value in ids {
        assert before[i] == after[i];
      }
      assert e.uuid in ids && |before| > 0 ==> after[|before|] == e;
    }
  }

  /** The tool uses that an entry makes or answers, in the order of its blocks. */
  method ListTools(e: Entry) returns (tools: seq<Id>)
    ensures forall t :: t in tools <==> t in ToolsOf(e)
  {
    tools := [];
    for k := 0 to |e.blocks|
      invariant forall t :: t in tools <==> Use(t) in e.blocks[..k] || Result(t) in e.blocks[..k]
    {
      assert e.blocks[..k + 1] == e.blocks[..k] + [e.blocks[k]];
      if !e.blocks[k].Opaque? {
        tools := tools + [e.blocks[k].id];
      }
    }
    assert e.blocks[..|e.blocks|] == e.blocks;
    assert forall t :: t in UsesOf(e) <==> Use(t) in e.blocks;
    assert forall t :: t in ResultsOf(e) <==> Result(t) in e.blocks;
  }

  /** The tools of the covered entries, as the keys of a table. */
  method TabulateTools(entries: Log, ids: set<Id>) returns (hidden: Layers.Table<Id, bool>)
    ensures Layers.Flat(hidden).Keys == HiddenTools(entries, ids)
  {
    hidden := Layers.Empty();
    for i := 0 to |entries|
      invariant Layers.Flat(hidden).Keys == HiddenTools(entries[..i], ids)
    {
      assert entries[..i + 1] == entries[..i] + [entries[i]];
      if entries[i].uuid in ids {
        var tools := ListTools(entries[i]);
        for k := 0 to |tools|
          invariant Layers.Flat(hidden).Keys == HiddenTools(entries[..i], ids) + (set t | t in tools[..k])
        {
          hidden := Layers.Put(hidden, tools[k], true);
        }
        assert HiddenTools(entries[..i + 1], ids) == HiddenTools(entries[..i], ids) + ToolsOf(entries[i]);
      } else {
        assert HiddenTools(entries[..i + 1], ids) == HiddenTools(entries[..i], ids);
      }
    }
    assert entries[..|entries|] == entries;
  }

  /** Whether a cover separates no call from its answer. */
  method DecideWholeForTools(entries: Log, ids: set<Id>) returns (whole: bool)
    ensures whole == WholeForTools(entries, ids)
  {
    var hidden := TabulateTools(entries, ids);
    for i := 0 to |entries|
      invariant forall k | 0 <= k < i && entries[k].uuid !in ids :: ToolsOf(entries[k]) !! HiddenTools(entries, ids)
    {
      if entries[i].uuid !in ids {
        var tools := ListTools(entries[i]);
        for k := 0 to |tools|
          invariant forall t | t in tools[..k] :: t !in HiddenTools(entries, ids)
        {
          if Layers.Has(hidden, tools[k]) {
            SharedToolSeparates(entries, ids, entries[i], tools[k]);
            return false;
          }
        }
      }
    }
    whole := true;
  }

  /** A survivor that shares a tool use with a covered entry is separated from it. */
  lemma SharedToolSeparates(entries: Log, ids: set<Id>, b: Entry, t: Id)
    requires b in entries && b.uuid !in ids
    requires t in ToolsOf(b) && t in HiddenTools(entries, ids)
    ensures !WholeForTools(entries, ids)
  {
    var a :| a in entries && a.uuid in ids && t in ToolsOf(a);
    assert t in ToolsOf(a) * ToolsOf(b);
  }

  /** The API messages of the covered entries. */
  ghost function HiddenMessages(entries: Log, ids: set<Id>): set<Id> {
    set e | e in entries && e.uuid in ids && e.kind.Assistant? && e.message.Some? :: e.message.value
  }

  /** Whether a cover separates nothing that only stands together. */
  method DecideWhole(entries: Log, ids: set<Id>) returns (whole: bool)
    ensures whole == Whole(entries, ids)
  {
    var forTools := DecideWholeForTools(entries, ids);
    if !forTools {
      return false;
    }
    var hidden: Layers.Table<Id, bool> := Layers.Empty();
    for i := 0 to |entries|
      invariant Layers.Flat(hidden).Keys == HiddenMessages(entries[..i], ids)
    {
      assert entries[..i + 1] == entries[..i] + [entries[i]];
      if entries[i].uuid in ids && entries[i].kind.Assistant? && entries[i].message.Some? {
        hidden := Layers.Put(hidden, entries[i].message.value, true);
      }
    }
    assert entries[..|entries|] == entries;
    for i := 0 to |entries|
      invariant forall a, k | a in entries && a.uuid in ids && 0 <= k < i && Mates(a, entries[k]) :: entries[k].uuid in ids
    {
      var e := entries[i];
      if e.uuid !in ids && e.kind.Assistant? && e.message.Some? && Layers.Has(hidden, e.message.value) {
        return false;
      }
    }
    whole := true;
  }

  // --- Cuts ---

  /** For each entry the last part of its API message; for others the entry itself. */
  ghost predicate AreLastMates(entries: Log, ends: seq<nat>) {
    && |ends| == |entries|
    && (forall i | 0 <= i < |entries| :: i <= ends[i] < |entries| && (ends[i] == i || Mates(entries[i], entries[ends[i]])))
    && (forall i, j | 0 <= i < |entries| && 0 <= j < |entries| && Mates(entries[i], entries[j]) :: j <= ends[i])
  }

  /** The last part of each API message, looked up for every entry. */
  method LastMates(entries: Log) returns (ends: seq<nat>)
    ensures AreLastMates(entries, ends)
  {
    var table: Layers.Table<Id, nat> := Layers.Empty();
    for i := 0 to |entries|
      invariant forall m | m in Layers.Flat(table) ::
          var k := Layers.Flat(table)[m]; k < i && entries[k].kind.Assistant? && entries[k].message == Some(m)
      invariant forall j | 0 <= j < i && entries[j].kind.Assistant? && entries[j].message.Some? ::
          entries[j].message.value in Layers.Flat(table) && j <= Layers.Flat(table)[entries[j].message.value]
    {
      if entries[i].kind.Assistant? && entries[i].message.Some? {
        table := Layers.Put(table, entries[i].message.value, i);
      }
    }
    var last := Layers.Flat(table);
    ends := [];
    for i := 0 to |entries|
      invariant |ends| == i
      invariant forall k | 0 <= k < i ::
          ends[k] == if entries[k].kind.Assistant? && entries[k].message.Some? then last[entries[k].message.value] else k
    {
      ends := ends + [if entries[i].kind.Assistant? && entries[i].message.Some? then last[entries[i].message.value] else i];
    }
  }

  /** Tables that hold the books: the calls made, and those of them that were answered. */
  ghost predicate AreBooks(books: Books, made: map<Id, bool>, answered: map<Id, bool>) {
    && books == Books(made.Keys - answered.Keys, made.Keys)
    && answered.Keys <= made.Keys
  }

  /** The books after some more blocks; unsound when they break. */
  method EnterBlocks(blocks: seq<Block>, ghost books: Books, made: Layers.Table<Id, bool>, answered: Layers.Table<Id, bool>)
    returns (sound: bool, moreMade: Layers.Table<Id, bool>, moreAnswered: Layers.Table<Id, bool>)
    requires AreBooks(books, Layers.Flat(made), Layers.Flat(answered))
    ensures sound <==> Run(books, blocks).Books?
    ensures sound ==> AreBooks(Run(books, blocks), Layers.Flat(moreMade), Layers.Flat(moreAnswered))
  {
    sound, moreMade, moreAnswered := true, made, answered;
    for k := 0 to |blocks|
      invariant sound
      invariant AreBooks(Run(books, blocks[..k]), Layers.Flat(moreMade), Layers.Flat(moreAnswered))
    {
      assert blocks[..k + 1][..k] == blocks[..k];
      var b := blocks[k];
      if (b.Use? && Layers.Has(moreMade, b.id))
         || (b.Result? && (!Layers.Has(moreMade, b.id) || Layers.Has(moreAnswered, b.id)))
      {
        assert Run(books, blocks[..k + 1]).Broken?;
        assert blocks == blocks[..k + 1] + blocks[k + 1..];
        BalanceProofs.RunSplits(books, blocks[..k + 1], blocks[k + 1..]);
        BrokenStaysBroken(blocks[k + 1..]);
        return false, moreMade, moreAnswered;
      }
      if b.Use? {
        moreMade := Layers.Put(moreMade, b.id, true);
      } else if b.Result? {
        moreAnswered := Layers.Put(moreAnswered, b.id, true);
      }
    }
    assert blocks[..|blocks|] == blocks;
  }

  /** Broken books are never mended. */
  lemma BrokenStaysBroken(blocks: seq<Block>)
    ensures Run(Broken, blocks) == Broken
    decreases |blocks|
  {
    if |blocks| > 0 {
      BrokenStaysBroken(blocks[..|blocks| - 1]);
    }
  }

  /** The places where no call is out and no API message is split, rising. */
  method Cuts(entries: Log) returns (cuts: seq<nat>)
    ensures forall n: nat :: n in cuts <==> IsCut(entries, n)
    ensures forall i, j | 0 <= i < j < |cuts| :: cuts[i] < cuts[j]
  {
    hide BooksOf, Run;
    var ends := LastMates(entries);
    var made, answered := Layers.Empty<Id, bool>(), Layers.Empty<Id, bool>();
    var far := 0;
    cuts := [0];
    NothingIsACut(entries);
    for i := 0 to |entries|
      invariant AreBooks(BooksOf(entries[..i]), Layers.Flat(made), Layers.Flat(answered))
      invariant forall k | 0 <= k < i :: ends[k] < far
      invariant far > 0 ==> exists k | 0 <= k < i :: far == ends[k] + 1
      invariant forall n: nat :: n in cuts <==> n <= i && IsCut(entries, n)
      invariant forall k | 0 <= k < |cuts| :: cuts[k] <= i
      invariant forall j, k | 0 <= j < k < |cuts| :: cuts[j] < cuts[k]
    {
      assert entries[..i + 1] == entries[..i] + [entries[i]];
      BooksOfOneMoreEntry(entries[..i], entries[i]);
      ghost var books := BooksOf(entries[..i]);
      var sound;
      sound, made, answered := EnterBlocks(entries[i].blocks, books, made, answered);
      if !sound {
        forall n | i < n <= |entries| ensures !IsCut(entries, n) {
          NoCutAfterBreach(entries, i + 1, n);
        }
        return cuts;
      }
      far := if ends[i] < far then far else ends[i] + 1;
      SplitExactly(entries, ends, i + 1, far);
      SameSize(Layers.Flat(made).Keys, Layers.Flat(answered).Keys);
      KeysAreCounted(Layers.Flat(made));
      KeysAreCounted(Layers.Flat(answered));
      if far <= i + 1 && Layers.Size(made) == Layers.Size(answered) {
        cuts := cuts + [i + 1];
      }
    }
  }

  /** A map has as many keys as items. */
  lemma KeysAreCounted(table: map<Id, bool>)
    ensures |table| == |table.Keys|
  {
  }

  /** A subset of the same size is the set. */
  lemma SameSize(all: set<Id>, part: set<Id>)
    requires part <= all
    ensures |part| == |all| <==> all - part == {}
  {
    if |part| == |all| && part != all {
      SmallerSet(part, all);
    }
    if all - part == {} {
      forall t | t in all ensures t in part {
        assert t !in all - part;
      }
      assert all == part;
    }
  }

  /** The start is a cut. */
  lemma NothingIsACut(entries: Log)
    ensures IsCut(entries, 0) && AreBooks(BooksOf(entries[..0]), map[], map[])
  {
    assert entries[..0] == [] && Blocks([]) == [];
    assert BooksOf(entries[..0]) == Blank;
  }

  /** After a breach of the books there is no cut. */
  lemma NoCutAfterBreach(entries: Log, m: nat, n: nat)
    requires m <= n <= |entries|
    requires BooksOf(entries[..m]).Broken?
    ensures !IsCut(entries, n)
  {
    assert entries[..n] == entries[..m] + entries[m..n];
    BalanceProofs.BooksOfConcatenation(entries[..m], entries[m..n]);
    BrokenStaysBroken(Blocks(entries[m..n]));
  }

  /** No message is split at a place exactly if all messages that began before it ended before it. */
  lemma SplitExactly(entries: Log, ends: seq<nat>, n: nat, far: nat)
    requires AreLastMates(entries, ends)
    requires n <= |entries|
    requires forall k | 0 <= k < n :: ends[k] < far
    requires far > 0 ==> exists k | 0 <= k < n :: far == ends[k] + 1
    ensures far <= n <==> forall i, j | 0 <= i < n <= j < |entries| :: !Mates(entries[i], entries[j])
  {
    if far > n {
      var k :| 0 <= k < n && far == ends[k] + 1;
      assert Mates(entries[k], entries[ends[k]]);
    }
  }

  // --- The stub rule ---

  /** Whether a covered entry made a call that had an effect. */
  method DecideCoversEffect(entries: Log, ids: set<Id>, notes: Notes) returns (covers: bool)
    ensures covers == CoversEffect(entries, ids, notes)
  {
    for i := 0 to |entries|
      invariant !CoversEffect(entries[..i], ids, notes)
    {
      assert entries[..i + 1] == entries[..i] + [entries[i]];
      if entries[i].uuid in ids && UsesOf(entries[i]) * notes.effects != {} {
        assert entries[i] in entries;
        return true;
      }
    }
    assert entries[..|entries|] == entries;
    covers := false;
  }

  /** Whether a survivor refers to a covered entry. */
  method DecideCoversReference(entries: Log, ids: set<Id>, notes: Notes) returns (covers: bool)
    ensures covers == CoversReference(entries, ids, notes)
  {
    var at := Index(entries);
    var there := at.Keys * ids;
    for i := 0 to |entries|
      invariant forall k | 0 <= k < i && entries[k].uuid !in ids && entries[k].uuid in notes.refers ::
          notes.refers[entries[k].uuid] * there == {}
    {
      var u := entries[i].uuid;
      if u !in ids && u in notes.refers {
        assert notes.refers[u] * Uuids(entries) * ids == notes.refers[u] * there;
        if notes.refers[u] * there != {} {
          return true;
        }
      }
    }
    forall e | e in entries && e.uuid !in ids && e.uuid in notes.refers
      ensures notes.refers[e.uuid] * Uuids(entries) * ids == {}
    {
      assert notes.refers[e.uuid] * Uuids(entries) * ids == notes.refers[e.uuid] * there;
    }
    covers := false;
  }

  /** Whether a covered entry stands before a decision that survives. */
  method DecideCoversBeforeDecision(entries: Log, ids: set<Id>, notes: Notes) returns (covers: bool)
    ensures covers == CoversBeforeDecision(entries, ids, notes)
  {
    var seen := false;
    for j := 0 to |entries|
      invariant seen <==> exists i | 0 <= i < j :: entries[i].uuid in ids
      invariant !exists i, k | 0 <= i < k < j ::
          entries[i].uuid in ids && entries[k].uuid !in ids && entries[k].uuid in notes.decisions
    {
      if entries[j].uuid in ids {
        seen := true;
      } else if seen && entries[j].uuid in notes.decisions {
        return true;
      }
    }
    covers := false;
  }

  // --- Sub-agents ---

  /** For each position whether a sub-agent wrote it that an entry of a set called. */
  method MarkThreads(log: Log, callers: Callers, ids: set<Id>) returns (mark: seq<bool>)
    requires WellFormed(log)
    ensures |mark| == |log|
    ensures forall i | 0 <= i < |log| :: mark[i] <==> log[i].uuid in Threads(log, callers, ids)
  {
    hide WellFormed, IsIndex, AreParents, Uuids, Threads;
    var at := Index(log);
    var up := ParentPositions(log, at);
    PositionsLeadBack(log, up);
    mark := [];
    for i := 0 to |log|
      invariant |mark| == i
      invariant forall k | 0 <= k < i :: mark[k] <==> log[k].uuid in Threads(log, callers, ids)
    {
      ThreadByPosition(log, up, callers, ids, i);
      var u := log[i].uuid;
      mark := mark + [(u in callers && callers[u] in ids) || (up[i] >= 0 && mark[up[i]])];
    }
  }

  /** An entry is a sub-agent's if it is the root of one, or its parent is the sub-agent's. */
  lemma ThreadByPosition(log: Log, up: seq<int>, callers: Callers, ids: set<Id>, i: nat)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires i < |log|
    ensures log[i].uuid in Threads(log, callers, ids) <==>
            || (log[i].uuid in callers && callers[log[i].uuid] in ids)
            || (up[i] >= 0 && log[up[i]].uuid in Threads(log, callers, ids))
  {
    hide WellFormed, Ancestry;
    var u := log[i].uuid;
    assert log[i] in log;
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    AncestryUnfolds(log, u);
    if up[i] >= 0 {
      assert log[up[i]] in log;
      UuidsOfLast(Ancestry(log, u));
    } else {
      assert Ancestry(log, u) == [log[i]];
    }
    forall r ensures r in Uuids(Ancestry(log, u)) <==> r == u || (up[i] >= 0 && r in Uuids(Ancestry(log, log[up[i]].uuid))) {
    }
    InThreads(log, callers, ids, u);
    if up[i] >= 0 {
      InThreads(log, callers, ids, log[up[i]].uuid);
    }
  }

  /** An entry is a sub-agent's exactly if the root of one is its ancestor. */
  lemma InThreads(log: Log, callers: Callers, ids: set<Id>, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures u in Threads(log, callers, ids) <==> exists r | r in callers && callers[r] in ids :: r in Uuids(Ancestry(log, u))
  {
    if r :| r in callers && callers[r] in ids && r in Uuids(Ancestry(log, u)) {
      assert u in Thread(log, r);
    }
    if u in Threads(log, callers, ids) {
      var r :| r in callers && callers[r] in ids && u in Thread(log, r);
      assert r in Uuids(Ancestry(log, u));
    }
  }

  /** A cover and what is hidden with it. */
  method FastWithThreads(log: Log, callers: Callers, ids: set<Id>) returns (hidden: set<Id>)
    requires WellFormed(log)
    ensures hidden == WithThreads(log, callers, ids)
  {
    hide WellFormed, Threads;
    hidden := ids;
    while true
      invariant WithThreads(log, callers, hidden) == WithThreads(log, callers, ids)
      decreases |Uuids(log) - hidden|
    {
      var mark := MarkThreads(log, callers, hidden);
      var more := MarkedUuids(log, mark);
      ThreadsAreThere(log, callers, hidden);
      assert more == Threads(log, callers, hidden);
      if more <= hidden {
        assert hidden + more == hidden;
        return;
      }
      assert hidden + more != hidden;
      ThreadsGrow(log, callers, hidden);
      hidden := hidden + more;
    }
  }

  /** What sub-agents wrote stands in the log. */
  lemma ThreadsAreThere(log: Log, callers: Callers, ids: set<Id>)
    requires WellFormed(log)
    ensures Threads(log, callers, ids) <= Uuids(log)
  {
  }

  /** The uuids at marked positions. */
  method MarkedUuids(log: Log, mark: seq<bool>) returns (ids: set<Id>)
    requires |mark| == |log|
    ensures forall u :: u in ids <==> exists i :: 0 <= i < |log| && mark[i] && log[i].uuid == u
  {
    var table: Layers.Table<Id, bool> := Layers.Empty();
    for k := 0 to |log|
      invariant forall u :: u in Layers.Flat(table) <==> exists i :: 0 <= i < k && mark[i] && log[i].uuid == u
    {
      if mark[k] {
        table := Layers.Put(table, log[k].uuid, true);
      }
    }
    ids := Layers.Flat(table).Keys;
  }

  /** A sub-agent as a log of its own. */
  method FastPromote(log: Log, root: Id) returns (own: Log)
    requires WellFormed(log)
    ensures own == Promote(log, root)
  {
    hide WellFormed, Threads, Thread;
    var mark := MarkThreads(log, map[root := root], {root});
    var ids := MarkedUuids(log, mark);
    ThreadOfOne(log, root);
    ThreadsAreThere(log, map[root := root], {root});
    assert ids == Thread(log, root);
    own := EntriesFast.FastKeep(log, ids);
  }

  /** One sub-agent that called itself, so to say, is its own thread. */
  lemma ThreadOfOne(log: Log, root: Id)
    requires WellFormed(log)
    ensures Threads(log, map[root := root], {root}) == Thread(log, root)
  {
  }
}

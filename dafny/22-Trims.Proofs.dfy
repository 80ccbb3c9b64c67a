// Chapter 22, proofs: a trim changes the content of its entries and nothing else, and commutes with all that is left out.
include "22-Trims.dfy"
include "12-Overlays.Proofs.dfy"

module TrimsProofs {
  import opened Names
  import opened Entries
  import opened Contexts
  import opened Balance
  import opened Forks
  import opened Rewriting
  import opened Overlays
  import opened Trims
  import ForksProofs
  import OverlaysProofs

  /** P26.1: a trim keeps every entry, in order; all but the content of those that it names is the same, and the others are the same
    * whole. */
  lemma TrimKeepsTheRest(log: Log, faces: Faces)
    ensures AllAlike(log, Trim(log, faces))
    ensures forall i | 0 <= i < |log| && log[i].uuid !in faces :: Trim(log, faces)[i] == log[i]
    ensures forall i | 0 <= i < |log| :: Trim(log, faces)[i] == Trimmed(log[i], faces)
    decreases |log|
  {
    if |log| > 0 {
      TrimKeepsTheRest(log[..|log| - 1], faces);
      AlikeDifferInContentAlone(log[|log| - 1], Trimmed(log[|log| - 1], faces));
    }
  }

  /** Two entries are alike exactly if one is the other with other content of its shape. */
  lemma AlikeDifferInContentAlone(a: Entry, b: Entry)
    ensures Alike(a, b) <==> (SameShape(a.blocks, b.blocks) && b == a.(blocks := b.blocks, fields := b.fields))
  {
  }

  // --- What is alike ---

  /** The ids of logs that are alike. */
  lemma AlikeHaveTheSameIds(a: Log, b: Log)
    requires AllAlike(a, b)
    ensures Uuids(a) == Uuids(b)
  {
    forall u | u in Uuids(a)
      ensures u in Uuids(b)
    {
      var i :| 0 <= i < |a| && a[i].uuid == u;
      assert b[i].uuid == u && b[i] in b;
    }
    forall u | u in Uuids(b)
      ensures u in Uuids(a)
    {
      var i :| 0 <= i < |b| && b[i].uuid == u;
      assert a[i].uuid == u && a[i] in a;
    }
  }

  /** P26.2: a log is well formed exactly if one that is alike is. */
  lemma AlikeAreWellFormedTogether(a: Log, b: Log)
    requires AllAlike(a, b)
    ensures WellFormed(a) == WellFormed(b)
    decreases |a|
  {
    if |a| > 0 {
      var before, other := a[..|a| - 1], b[..|b| - 1];
      assert AllAlike(before, other);
      AlikeAreWellFormedTogether(before, other);
      AlikeHaveTheSameIds(before, other);
      assert Alike(a[|a| - 1], b[|b| - 1]);
    }
  }

  /** The place of an entry. */
  lemma AlikeHaveTheSamePlaces(a: Log, b: Log, u: Id)
    requires AllAlike(a, b)
    requires u in Uuids(a) && u in Uuids(b)
    ensures IndexOf(a, u) == IndexOf(b, u)
    ensures AllAlike(AsOf(a, u), AsOf(b, u))
    decreases |a|
  {
    assert Alike(a[|a| - 1], b[|b| - 1]);
    if a[|a| - 1].uuid != u {
      assert AllAlike(a[..|a| - 1], b[..|b| - 1]);
      AlikeHaveTheSamePlaces(a[..|a| - 1], b[..|b| - 1], u);
    }
  }

  /** The calls and results of an entry. */
  lemma AlikeCallTheSame(a: Entry, b: Entry)
    requires Alike(a, b)
    ensures UsesOf(a) == UsesOf(b) && ResultsOf(a) == ResultsOf(b)
  {
    forall t | t in UsesOf(a)
      ensures t in UsesOf(b)
    {
      var i :| 0 <= i < |a.blocks| && a.blocks[i] == Use(t);
      assert SamePart(a.blocks[i], b.blocks[i]) && b.blocks[i] in b.blocks;
    }
    forall t | t in UsesOf(b)
      ensures t in UsesOf(a)
    {
      var i :| 0 <= i < |b.blocks| && b.blocks[i] == Use(t);
      assert SamePart(a.blocks[i], b.blocks[i]) && a.blocks[i] in a.blocks;
    }
    forall t | t in ResultsOf(a)
      ensures t in ResultsOf(b)
    {
      var i :| 0 <= i < |a.blocks| && a.blocks[i] == Result(t);
      assert SamePart(a.blocks[i], b.blocks[i]) && b.blocks[i] in b.blocks;
    }
    forall t | t in ResultsOf(b)
      ensures t in ResultsOf(a)
    {
      var i :| 0 <= i < |b.blocks| && b.blocks[i] == Result(t);
      assert SamePart(a.blocks[i], b.blocks[i]) && a.blocks[i] in a.blocks;
    }
  }

  /** What an entry needs. */
  lemma AlikeNeedTheSame(a: Entry, b: Entry, c: Entry, d: Entry)
    requires Alike(a, c) && Alike(b, d)
    ensures Needs(a, b) == Needs(c, d)
  {
    AlikeCallTheSame(a, c);
    AlikeCallTheSame(b, d);
  }

  /** What a set needs. */
  lemma AlikeNeeded(a: Log, b: Log, ids: set<Id>)
    requires AllAlike(a, b)
    ensures Needed(a, ids) == Needed(b, ids)
    ensures Closed(a, ids) == Closed(b, ids)
  {
    forall i, j | 0 <= i < |a| && 0 <= j < |a|
      ensures Needs(a[i], a[j]) == Needs(b[i], b[j])
    {
      AlikeNeedTheSame(a[i], a[j], b[i], b[j]);
    }
    NeededIn(a, b, ids);
    NeededIn(b, a, ids);
    if Closed(a, ids) {
      ClosedIn(a, b, ids);
    }
    if Closed(b, ids) {
      ClosedIn(b, a, ids);
    }
  }

  /** One direction. */
  lemma NeededIn(a: Log, b: Log, ids: set<Id>)
    requires |a| == |b| && forall i | 0 <= i < |a| :: a[i].uuid == b[i].uuid
    requires forall i, j | 0 <= i < |a| && 0 <= j < |a| :: Needs(a[i], a[j]) == Needs(b[i], b[j])
    ensures Needed(a, ids) <= Needed(b, ids)
  {
    forall u | u in Needed(a, ids)
      ensures u in Needed(b, ids)
    {
      var x, y :| x in a && y in a && x.uuid in ids && Needs(x, y) && y.uuid == u;
      var i :| 0 <= i < |a| && a[i] == x;
      var j :| 0 <= j < |a| && a[j] == y;
      assert b[i] in b && b[j] in b && Needs(b[i], b[j]);
    }
  }

  /** One direction. */
  lemma ClosedIn(a: Log, b: Log, ids: set<Id>)
    requires |a| == |b| && forall i | 0 <= i < |a| :: a[i].uuid == b[i].uuid
    requires forall i, j | 0 <= i < |a| && 0 <= j < |a| :: Needs(a[i], a[j]) == Needs(b[i], b[j])
    requires Closed(a, ids)
    ensures Closed(b, ids)
  {
    forall x, y | x in b && y in b && x.uuid in ids && Needs(x, y)
      ensures y.uuid in ids
    {
      var i :| 0 <= i < |b| && b[i] == x;
      var j :| 0 <= j < |b| && b[j] == y;
      assert a[i] in a && a[j] in a && Needs(a[i], a[j]);
    }
  }

  /** What closes a set. */
  lemma AlikeClose(a: Log, b: Log, ids: set<Id>)
    requires AllAlike(a, b)
    ensures Closure(a, ids) == Closure(b, ids)
    decreases |Uuids(a) - ids|
  {
    AlikeNeeded(a, b, ids);
    var more := ids + Needed(a, ids);
    if more != ids {
      assert Uuids(a) - more < Uuids(a) - ids by {
        var x :| x in more && x !in ids;
        assert x in Uuids(a) - ids && x !in Uuids(a) - more;
      }
      SmallerSet(Uuids(a) - more, Uuids(a) - ids);
      AlikeClose(a, b, more);
    }
  }

  /** P26.3: the conversation at an entry has the same members, and what belongs to it comes later in both or in none. */
  lemma AlikeHaveTheSameMembers(a: Log, b: Log, u: Id)
    requires AllAlike(a, b)
    requires u in Uuids(a) && u in Uuids(b)
    ensures Members(a, u) == Members(b, u)
    ensures Settled(a, u) == Settled(b, u)
  {
    AlikeHaveTheSamePlaces(a, b, u);
    AlikeClose(AsOf(a, u), AsOf(b, u), {u});
    AlikeNeeded(a, b, Members(a, u));
  }

  /** What is kept of them. */
  lemma AlikeKeep(a: Log, b: Log, ids: set<Id>)
    requires AllAlike(a, b)
    ensures AllAlike(Keep(a, ids), Keep(b, ids))
    decreases |a|
  {
    if |a| > 0 {
      assert AllAlike(a[..|a| - 1], b[..|b| - 1]);
      assert Alike(a[|a| - 1], b[|b| - 1]);
      AlikeKeep(a[..|a| - 1], b[..|b| - 1], ids);
    }
  }

  /** The books after some blocks of one shape. */
  lemma SameShapeSameBooks(books: Books, a: seq<Block>, b: seq<Block>)
    requires SameShape(a, b)
    ensures Run(books, a) == Run(books, b)
    decreases |a|
  {
    if |a| > 0 {
      assert SamePart(a[|a| - 1], b[|b| - 1]);
      assert SameShape(a[..|a| - 1], b[..|b| - 1]);
      SameShapeSameBooks(books, a[..|a| - 1], b[..|b| - 1]);
    }
  }

  /** The blocks of logs that are alike. */
  lemma AlikeBlocks(a: Log, b: Log)
    requires AllAlike(a, b)
    ensures SameShape(Blocks(a), Blocks(b))
    decreases |a|
  {
    if |a| > 0 {
      assert AllAlike(a[..|a| - 1], b[..|b| - 1]);
      assert Alike(a[|a| - 1], b[|b| - 1]);
      AlikeBlocks(a[..|a| - 1], b[..|b| - 1]);
      var left, right := a[|a| - 1].blocks, b[|b| - 1].blocks;
      var front, other := Blocks(a[..|a| - 1]), Blocks(b[..|b| - 1]);
      assert SameShape(left, right);
      forall i | 0 <= i < |front + left|
        ensures SamePart((front + left)[i], (other + right)[i])
      {
        if i >= |front| {
          assert SamePart(left[i - |front|], right[i - |front|]);
        } else {
          assert SamePart(front[i], other[i]);
        }
      }
    }
  }

  /** P26.4: every call and every result stays with its partner: the books are the same. */
  lemma AlikeHaveTheSameBooks(a: Log, b: Log)
    requires AllAlike(a, b)
    ensures BooksOf(a) == BooksOf(b)
    ensures Balanced(a) == Balanced(b)
  {
    AlikeBlocks(a, b);
    SameShapeSameBooks(Blank, Blocks(a), Blocks(b));
  }

  /** P26.5: the same points are legal, and one can resume at the same. */
  lemma AlikeAreLegalTogether(a: Log, b: Log, u: Id)
    requires AllAlike(a, b)
    requires u in Uuids(a) && u in Uuids(b)
    ensures Resumable(a, u) == Resumable(b, u)
    ensures Legal(a, u) == Legal(b, u)
  {
    AlikeHaveTheSameMembers(a, b, u);
    AlikeKeep(a, b, Members(a, u));
    AlikeHaveTheSameBooks(Context(a, u), Context(b, u));
    AlikeHaveTheSamePlaces(a, b, u);
    assert Alike(a[IndexOf(a, u)], b[IndexOf(b, u)]);
  }

  // --- What commutes ---

  /** What is kept of a trimmed log. */
  lemma TrimOfWhatIsKept(log: Log, faces: Faces, ids: set<Id>)
    ensures Trim(Keep(log, ids), faces) == Keep(Trim(log, faces), ids)
    decreases |log|
  {
    if |log| > 0 {
      var before := log[..|log| - 1];
      TrimOfWhatIsKept(before, faces, ids);
      assert Trim(log, faces)[..|Trim(log, faces)| - 1] == Trim(before, faces);
      if log[|log| - 1].uuid in ids {
        TrimOfOneMore(Keep(before, ids), log[|log| - 1], faces);
      }
    }
  }

  /** A trim, an entry at a time. */
  lemma TrimOfOneMore(log: Log, e: Entry, faces: Faces)
    ensures Trim(log + [e], faces) == Trim(log, faces) + [Trimmed(e, faces)]
  {
    assert (log + [e])[..|log + [e]| - 1] == log;
  }

  /** P26.6: a fork of a trimmed log is the fork, trimmed: the conversation at an entry is the same but for the faces. */
  lemma TrimCommutesWithFork(log: Log, faces: Faces, u: Id)
    requires u in Uuids(log)
    ensures u in Uuids(Trim(log, faces))
    ensures Fork(Trim(log, faces), u) == Trim(Fork(log, u), faces)
  {
    TrimKeepsTheRest(log, faces);
    AlikeHaveTheSameIds(log, Trim(log, faces));
    AlikeHaveTheSameMembers(log, Trim(log, faces), u);
    TrimOfWhatIsKept(log, faces, Members(log, u));
  }

  /** The nearest entry above that is not covered. */
  lemma AlikeHeirs(a: Log, b: Log, ids: set<Id>, p: Option<Id>)
    requires AllAlike(a, b)
    ensures Heir(a, ids, p) == Heir(b, ids, p)
    decreases |a|
  {
    if |a| > 0 {
      assert Alike(a[|a| - 1], b[|b| - 1]);
      assert AllAlike(a[..|a| - 1], b[..|b| - 1]);
      AlikeHeirs(a[..|a| - 1], b[..|b| - 1], ids, p);
      AlikeHeirs(a[..|a| - 1], b[..|b| - 1], ids, a[|a| - 1].parent);
    }
  }

  /** P26.7: a trim and a drop commute. */
  lemma TrimCommutesWithDrop(log: Log, faces: Faces, ids: set<Id>)
    ensures Trim(Drop(log, ids), faces) == Drop(Trim(log, faces), ids)
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      TrimCommutesWithDrop(before, faces, ids);
      assert Trim(log, faces)[..|Trim(log, faces)| - 1] == Trim(before, faces);
      TrimKeepsTheRest(before, faces);
      AlikeHeirs(before, Trim(before, faces), ids, e.parent);
      if e.uuid !in ids {
        TrimOfOneMore(Drop(before, ids), e.(parent := Heir(before, ids, e.parent)), faces);
      }
    }
  }

  /** P26.8: a trim and a drop that leaves a stub commute, if the trim names no stub. */
  lemma TrimCommutesWithStub(log: Log, faces: Faces, ids: set<Id>, stub: Entry)
    requires stub.uuid !in faces
    ensures Trim(DropWithStub(log, ids, stub), faces) == DropWithStub(Trim(log, faces), ids, stub)
  {
    TrimKeepsTheRest(log, faces);
    AlikeKeep(log, Trim(log, faces), ids);
    match First(log, ids)
    case None =>
      assert |Keep(Trim(log, faces), ids)| == 0;
    case Some(first) =>
      assert Alike(Keep(log, ids)[0], Keep(Trim(log, faces), ids)[0]);
      TrimCommutesWithDrop(log, faces, ids - {first});
      TrimCommutesWithReplace(Drop(log, ids - {first}), faces, first, stub);
  }

  /** A stub in the place of an entry. */
  lemma TrimCommutesWithReplace(log: Log, faces: Faces, first: Id, stub: Entry)
    requires stub.uuid !in faces
    ensures Trim(Replace(log, first, stub), faces) == Replace(Trim(log, faces), first, stub)
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      TrimCommutesWithReplace(before, faces, first, stub);
      assert Trim(log, faces)[..|Trim(log, faces)| - 1] == Trim(before, faces);
      var more := if e.uuid == first then stub.(parent := e.parent) else e.(parent := Relink(e.parent, {first}, stub.uuid));
      TrimOfOneMore(Replace(before, first, stub), more, faces);
    }
  }

  /** P26.9: trims of different entries commute. */
  lemma DisjointTrimsCommute(log: Log, one: Faces, other: Faces)
    requires one.Keys !! other.Keys
    ensures Trim(Trim(log, one), other) == Trim(Trim(log, other), one)
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      DisjointTrimsCommute(before, one, other);
      TrimOfOneMore(Trim(before, one), Trimmed(e, one), other);
      TrimOfOneMore(Trim(before, other), Trimmed(e, other), one);
    }
  }

  /** P26.10: of two trims that give an entry a face of its shape the later one counts. */
  lemma LatestTrimWins(log: Log, one: Faces, other: Faces)
    requires forall e | e in log && e.uuid in one ::
               e.uuid in other && SameShape(e.blocks, other[e.uuid].blocks)
    ensures Trim(Trim(log, one), other) == Trim(log, other)
    decreases |log|
  {
    if |log| > 0 {
      var before, e := log[..|log| - 1], log[|log| - 1];
      assert e in log;
      assert forall x | x in before :: x in log;
      LatestTrimWins(before, one, other);
      TrimOfOneMore(Trim(before, one), Trimmed(e, one), other);
      if e.uuid in one && SameShape(e.blocks, one[e.uuid].blocks) {
        SameShapeBack(e.blocks, one[e.uuid].blocks, other[e.uuid].blocks);
      }
    }
  }

  /** Shapes that are one shape's are the same. */
  lemma SameShapeBack(a: seq<Block>, b: seq<Block>, c: seq<Block>)
    requires SameShape(a, b) && SameShape(a, c)
    ensures SameShape(b, c)
  {
    forall i | 0 <= i < |b|
      ensures SamePart(b[i], c[i])
    {
      assert SamePart(a[i], b[i]) && SamePart(a[i], c[i]);
    }
  }

  // --- Records ---

  /** P26.11: whatever the records say, the conversation that is shown has the entries, the calls and the results of the one without
    * trims. */
  lemma TrimsKeepTheRest(log: Log, records: seq<Record>, trims: Trims)
    ensures AllAlike(log, TrimAll(log, records, trims))
    decreases |records|
  {
    if |records| == 0 {
      TrimKeepsTheRest(log, map[]);
      assert forall i | 0 <= i < |log| :: Alike(log[i], log[i]);
    } else {
      var before := TrimAll(log, records[..|records| - 1], trims);
      TrimsKeepTheRest(log, records[..|records| - 1], trims);
      if records[|records| - 1].id in trims {
        var faces := trims[records[|records| - 1].id];
        TrimKeepsTheRest(before, faces);
        forall i | 0 <= i < |log|
          ensures Alike(log[i], Trim(before, faces)[i])
        {
          assert Alike(log[i], before[i]) && Alike(before[i], Trim(before, faces)[i]);
          AlikeGoesOn(log[i], before[i], Trim(before, faces)[i]);
        }
      }
    }
  }

  /** The faces are those of what is kept, whatever the records are. */
  lemma TrimsOfWhatIsKept(log: Log, records: seq<Record>, trims: Trims, ids: set<Id>)
    ensures TrimAll(Keep(log, ids), records, trims) == Keep(TrimAll(log, records, trims), ids)
    decreases |records|
  {
    if |records| > 0 {
      var before := records[..|records| - 1];
      TrimsOfWhatIsKept(log, before, trims, ids);
      if records[|records| - 1].id in trims {
        TrimOfWhatIsKept(TrimAll(log, before, trims), trims[records[|records| - 1].id], ids);
      }
    }
  }

  /** What trims of other records say counts for nothing. */
  lemma TrimsDependOnFacesThere(log: Log, records: seq<Record>, trims: Trims, others: Trims)
    requires forall r | r in records :: (r.id in trims <==> r.id in others) && (r.id in trims ==> trims[r.id] == others[r.id])
    ensures TrimAll(log, records, trims) == TrimAll(log, records, others)
    decreases |records|
  {
    if |records| > 0 {
      TrimsDependOnFacesThere(log, records[..|records| - 1], trims, others);
    }
  }

  /** Conversations with equal records and faces of these are shown alike. */
  lemma ShownDependsOnFacesThere(entries: Log, sayings: Sayings, others: Sayings, trims: Trims, more: Trims)
    requires forall v | v in Uuids(entries) :: (v in sayings <==> v in others) && (v in sayings ==> sayings[v] == others[v])
    requires forall v | v in Uuids(entries) :: (v in trims <==> v in more) && (v in trims ==> trims[v] == more[v])
    ensures ShownTrimmed(entries, sayings, trims) == ShownTrimmed(entries, others, more)
  {
    OverlaysProofs.ShownDependsOnSayingsThere(entries, sayings, others);
    OverlaysProofs.RecordsDependOnSayingsThere(entries, sayings, others);
    forall r | r in Active(entries, sayings)
      ensures r.id in Uuids(entries)
    {
      OverlaysProofs.LivingAreNotDead(RecordsIn(entries, sayings), {});
      RecordsAreEntries(entries, sayings, r);
    }
    TrimsDependOnFacesThere(Shown(entries, sayings), Active(entries, sayings), trims, more);
  }

  /** A record is an entry. */
  lemma RecordsAreEntries(entries: Log, sayings: Sayings, r: Record)
    requires r in RecordsIn(entries, sayings)
    ensures r.id in Uuids(entries)
    decreases |entries|
  {
    var before := entries[..|entries| - 1];
    if r in RecordsIn(before, sayings) {
      RecordsAreEntries(before, sayings, r);
      var e :| e in before && e.uuid == r.id;
      assert e in entries;
    } else {
      assert entries[|entries| - 1] in entries;
    }
  }

  /** What is alike goes on. */
  lemma AlikeGoesOn(a: Entry, b: Entry, c: Entry)
    requires Alike(a, b) && Alike(b, c)
    ensures Alike(a, c)
  {
    forall i | 0 <= i < |a.blocks|
      ensures SamePart(a.blocks[i], c.blocks[i])
    {
      assert SamePart(a.blocks[i], b.blocks[i]) && SamePart(b.blocks[i], c.blocks[i]);
    }
  }

  /** P26.15: of the trims that count, an entry has the face of the last one that gives it a face of its shape. */
  lemma LastTrimGivesTheFace(log: Log, records: seq<Record>, trims: Trims, i: nat, n: nat)
    requires i < |log| && n < |records|
    requires GivesAFace(log[i], records[n], trims)
    requires forall k | n < k < |records| :: !GivesAFace(log[i], records[k], trims)
    ensures |TrimAll(log, records, trims)| == |log|
    ensures TrimAll(log, records, trims)[i].blocks == trims[records[n].id][log[i].uuid].blocks
    ensures TrimAll(log, records, trims)[i].fields == trims[records[n].id][log[i].uuid].fields
    decreases |records|
  {
    var before, last := records[..|records| - 1], records[|records| - 1];
    TrimsKeepTheRest(log, before, trims);
    TrimsKeepTheRest(log, records, trims);
    var was := TrimAll(log, before, trims);
    assert Alike(log[i], was[i]);
    if last.id in trims {
      TrimKeepsTheRest(was, trims[last.id]);
    }
    if n == |records| - 1 {
      SameShapeBack(log[i].blocks, was[i].blocks, trims[last.id][log[i].uuid].blocks);
    } else {
      LastTrimGivesTheFace(log, before, trims, i, n);
      assert !GivesAFace(log[i], last, trims);
      if last.id in trims && log[i].uuid in trims[last.id] {
        SameShapeTogether(log[i].blocks, was[i].blocks, trims[last.id][log[i].uuid].blocks);
      }
    }
  }

  /** A record is a trim that gives an entry a face of its shape. */
  predicate GivesAFace(e: Entry, r: Record, trims: Trims) {
    r.id in trims && e.uuid in trims[r.id] && SameShape(e.blocks, trims[r.id][e.uuid].blocks)
  }

  /** What has one shape has another one together. */
  lemma SameShapeTogether(a: seq<Block>, b: seq<Block>, c: seq<Block>)
    requires SameShape(a, b)
    ensures SameShape(a, c) <==> SameShape(b, c)
  {
    if SameShape(b, c) {
      SameShapeOn(a, b, c);
    }
    if SameShape(a, c) {
      SameShapeBack(a, b, c);
    }
  }

  /** A shape goes on. */
  lemma SameShapeOn(a: seq<Block>, b: seq<Block>, c: seq<Block>)
    requires SameShape(a, b) && SameShape(b, c)
    ensures SameShape(a, c)
  {
    forall i | 0 <= i < |a|
      ensures SamePart(a[i], c[i])
    {
      assert SamePart(a[i], b[i]) && SamePart(b[i], c[i]);
    }
  }

  /** P26.12: an undo right after a record restores exactly what was shown before it, faces included. */
  lemma UndoRestoresWhatWasTrimmed(
    entries: Log, sayings: Sayings, trims: Trims, n: Entry, o: Overlay, m: Entry, hash: Value)
    requires WellFormed(entries)
    requires Fits(entries, n)
    requires Fits(entries + [n], m)
    requires n.uuid !in sayings
    requires StubsAreNew(entries + [n] + [m], Active(entries, sayings))
    requires forall r | r in Active(entries, sayings) :: OverlaysProofs.SpeaksOfOthers(r.says, {n.uuid, m.uuid})
    requires m.uuid !in trims
    ensures ShownTrimmed(entries + [n] + [m], sayings[n.uuid := o][m.uuid := Undo(n.uuid, hash)], trims)
         == ShownTrimmed(entries, sayings, trims)
  {
    var undone := sayings[n.uuid := o][m.uuid := Undo(n.uuid, hash)];
    OverlaysProofs.UndoRestoresWhatWasShown(entries, sayings, n, o, m, hash);
    assert n.uuid != m.uuid && m.uuid !in Uuids(entries) by {
      assert n in entries + [n];
      assert Uuids(entries) <= Uuids(entries + [n]);
    }
    RecordsThereAreTheSame(entries, sayings, undone);
    RecordsOfOneMore(entries, n, undone);
    RecordsOfOneMore(entries + [n], m, undone);
    RecordsHaveOtherNames(entries, sayings, n.uuid);
    var former, last := RecordsIn(entries, sayings), Record(m.uuid, Undo(n.uuid, hash));
    assert RecordsIn(entries + [n] + [m], undone) == former + [Record(n.uuid, o)] + [last];
    LivingAfterAnUndo(former, Record(n.uuid, o), last);
    var active := Active(entries, sayings);
    assert (active + [last])[..|active|] == active;
  }

  /** A record that the next one takes back leaves all others as they were. */
  lemma LivingAfterAnUndo(former: seq<Record>, one: Record, last: Record)
    requires Superseded(last) == {one.id}
    requires forall r | r in former :: r.id != one.id
    ensures Living(former + [one] + [last], {}) == Living(former, {}) + [last]
  {
    var two := former + [one];
    assert (two + [last])[..|two|] == two && two[..|former|] == former;
    LivingWithoutOneThatIsNotThere(former, {}, one.id);
    calc {
      Living(two + [last], {});
      Living(two, {} + Superseded(last)) + [last];
      Living(former, {} + {one.id}) + [last];
      Living(former, {}) + [last];
    }
  }

  /** The records of a conversation with one more entry. */
  lemma RecordsOfOneMore(entries: Log, n: Entry, more: Sayings)
    ensures RecordsIn(entries + [n], more)
         == RecordsIn(entries, more) + (if n.uuid in more then [Record(n.uuid, more[n.uuid])] else [])
  {
    assert (entries + [n])[..|entries + [n]| - 1] == entries;
  }

  /** The records of a conversation are said by what is said of its entries. */
  lemma RecordsThereAreTheSame(entries: Log, sayings: Sayings, more: Sayings)
    requires forall e | e in entries :: (e.uuid in sayings) == (e.uuid in more)
    requires forall e | e in entries && e.uuid in sayings :: sayings[e.uuid] == more[e.uuid]
    ensures RecordsIn(entries, sayings) == RecordsIn(entries, more)
    decreases |entries|
  {
    if |entries| > 0 {
      assert entries[|entries| - 1] in entries;
      assert forall e | e in entries[..|entries| - 1] :: e in entries;
      RecordsThereAreTheSame(entries[..|entries| - 1], sayings, more);
    }
  }

  /** No record of a conversation has the name of what is not in it. */
  lemma RecordsHaveOtherNames(entries: Log, sayings: Sayings, name: Id)
    requires name !in Uuids(entries)
    ensures forall r | r in RecordsIn(entries, sayings) :: r.id != name
    decreases |entries|
  {
    if |entries| > 0 {
      assert entries[|entries| - 1].uuid in Uuids(entries);
      assert Uuids(entries[..|entries| - 1]) <= Uuids(entries);
      RecordsHaveOtherNames(entries[..|entries| - 1], sayings, name);
    }
  }

  /** A name that no record has kills none. */
  lemma LivingWithoutOneThatIsNotThere(records: seq<Record>, dead: set<Id>, name: Id)
    requires forall r | r in records :: r.id != name
    ensures Living(records, dead + {name}) == Living(records, dead)
    decreases |records|
  {
    if |records| > 0 {
      var last := records[|records| - 1];
      assert last in records;
      assert forall r | r in records[..|records| - 1] :: r in records;
      LivingWithoutOneThatIsNotThere(records[..|records| - 1], dead, name);
      LivingWithoutOneThatIsNotThere(records[..|records| - 1], dead + Superseded(last), name);
      assert dead + {name} + Superseded(last) == dead + Superseded(last) + {name};
    }
  }

  /** P26.13: a fork shows what its source shows at each of its entries: it inherits exactly the trims at or before its point. */
  lemma ForkInheritsTrims(log: Log, sayings: Sayings, trims: Trims, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log) && v in Uuids(Fork(log, u))
    ensures ShownTrimmedAt(Fork(log, u), sayings, trims, v) == ShownTrimmedAt(log, sayings, trims, v)
  {
    ForksProofs.ForkPreservesContexts(log, u, v);
    ForksProofs.ForkHoldsExactlyTheContext(log, u);
  }

  /** P26.14: without trims the conversation is shown as chapter 12 says. */
  lemma WithoutTrimsTheRestIsShown(entries: Log, sayings: Sayings)
    ensures ShownTrimmed(entries, sayings, map[]) == Shown(entries, sayings)
  {
    NoTrimsNoFaces(Shown(entries, sayings), Active(entries, sayings));
  }

  /** The same at an entry. */
  lemma WithoutTrimsTheRestIsShownThere(log: Log, sayings: Sayings, u: Id)
    requires u in Uuids(log)
    ensures ShownTrimmedAt(log, sayings, map[], u) == ShownAt(log, sayings, u)
  {
    WithoutTrimsTheRestIsShown(Context(log, u), sayings);
  }

  /** Records that are no trims. */
  lemma NoTrimsNoFaces(log: Log, records: seq<Record>)
    ensures TrimAll(log, records, map[]) == log
    decreases |records|
  {
    if |records| > 0 {
      NoTrimsNoFaces(log, records[..|records| - 1]);
    }
  }
}

// Chapter 3, examples: a compaction boundary, and where its logical parent may stand.
include "01-Entries.Examples.dfy"
include "03-Ancestries.Fast.dfy"
include "03-Ancestries.Proofs.dfy"

module AncestriesExamples {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened EntriesExamples
  import opened Ancestries
  import opened AncestriesProofs
  import opened AncestriesFast

  /** A compaction boundary: a root that continues an older entry. */
  function Boundary(n: nat, continues: nat): Entry {
    Entry(Name(n), None, Some(Name(continues)), System, None, [], false, 0, map[])
  }

  /** The ancestry of a chat's reply is the whole chat, and so is its lineage. */
  lemma ChatIsItsAncestry()
    ensures WellFormed(Chat()) && Name(1) in Uuids(Chat()) && Name(0) in Uuids(Chat())
    ensures Ancestry(Chat(), Name(1)) == Chat() && RootPath(Chat(), Chat(), Name(1))
    ensures IsAncestor(Chat(), Name(0), Name(1)) && !IsAncestor(Chat(), Name(1), Name(0))
    ensures Lineage(Chat(), Name(1)) == Line(Chat(), None)
  {
    ChatIsWellFormed();
    AncestryUnfolds(Chat(), Name(0));
    AncestryUnfolds(Chat(), Name(1));
    assert [Prompt()] + [Reply()] == Chat();
    AncestryIsRootPath(Chat(), Name(1));
    OfOne(Prompt());
    LineageIsAncestryWithoutBoundary(Chat(), Name(1));
  }

  /** The theorems apply to a chat that was compacted, and to a boundary that names a later entry. */
  lemma TheoremsApplyToTheChat()
  {
    hide *;
    ABoundaryStandsAfterAChat();
    ABoundaryMayNameALaterEntry();
    var b, c := Boundary(2, 1), Asks(3, Some(2), []);
    var log := Chat() + [b] + [c];
    assert WellFormed(log) && Name(1) in Uuids(log) && Name(3) in Uuids(log) by {
      reveal *;
      ChatIsWellFormed();
      OneMore(Chat(), b);
      OneMore(Chat() + [b], c);
    }
    AncestryIsParentClosed(log, Name(1));
    LineageIsAncestryAfterOlderLineage(log, Name(3));
    var later := [Boundary(1, 0), Asks(0, None, [])];
    assert WellFormed(later) && Name(1) in Uuids(later) by {
      reveal *;
      OfTwo(later[0], later[1]);
      assert later[0] in later;
    }
    OutsideDoesNotStandBefore(later, Name(1));
  }

  /** The lineage of an entry, by what stands before it. */
  lemma LineageOfLast(before: Log, e: Entry)
    requires WellFormed(before)
    requires Fits(before, e)
    ensures WellFormed(before + [e]) && e.uuid in Uuids(before + [e])
    ensures Lineage(before + [e], e.uuid) ==
            match LineageParent(e)
            case None => Line([e], None)
            case Some(p) =>
              if p in Uuids(before) then Line(Lineage(before, p).entries + [e], Lineage(before, p).outside)
              else Line([e], Some(p))
  {
    var log := before + [e];
    assert log[..|log| - 1] == before && log[|log| - 1] == e;
    UuidsOfLast(log);
  }

  /** The ancestry of an entry, by what stands before it. */
  lemma AncestryOfLast(before: Log, e: Entry)
    requires WellFormed(before)
    requires Fits(before, e)
    ensures WellFormed(before + [e]) && e.uuid in Uuids(before + [e])
    ensures Ancestry(before + [e], e.uuid) == if e.parent.None? then [e] else Ancestry(before, e.parent.value) + [e]
  {
    var log := before + [e];
    assert log[..|log| - 1] == before && log[|log| - 1] == e;
    UuidsOfLast(log);
  }

  /** After a boundary ancestry begins anew, and lineage goes on where the boundary says, or leaves the log there. */
  lemma LineageGoesOnWhereAncestryStops(before: Log, b: Entry, c: Entry)
    requires WellFormed(before)
    requires Fits(before, b) && IsBoundary(b)
    requires Fits(before + [b], c) && c.parent == Some(b.uuid)
    ensures var log := before + [b] + [c];
            && WellFormed(log) && c.uuid in Uuids(log)
            && Ancestry(log, c.uuid) == [b, c]
            && Lineage(log, c.uuid) ==
               if b.logicalParent.value in Uuids(before)
               then var line := Lineage(before, b.logicalParent.value); Line(line.entries + [b, c], line.outside)
               else Line([b, c], b.logicalParent)
  {
    LineageOfLast(before, b);
    LineageOfLast(before + [b], c);
    AncestryOfLast(before, b);
    AncestryOfLast(before + [b], c);
    assert [b] + [c] == [b, c];
    if b.logicalParent.value in Uuids(before) {
      var older := Lineage(before, b.logicalParent.value).entries;
      assert older + [b] + [c] == older + [b, c];
    }
  }

  /** Both happen: a conversation compacted after a chat, and one that a compaction continues in a file of its own. */
  lemma BoundariesStandInLogs()
    ensures var b, c := Boundary(2, 1), Asks(3, Some(2), []);
            && IsBoundary(b) && c.parent == Some(b.uuid)
            && WellFormed(Chat()) && Fits(Chat(), b) && Fits(Chat() + [b], c) && b.logicalParent.value in Uuids(Chat())
            && WellFormed([]) && Fits([], b) && Fits([] + [b], c) && b.logicalParent.value !in Uuids([])
  {
    ABoundaryStandsAfterAChat();
    ABoundaryStandsAlone();
  }

  /** A conversation compacted after a chat. */
  lemma ABoundaryStandsAfterAChat()
    ensures var b, c := Boundary(2, 1), Asks(3, Some(2), []);
            && IsBoundary(b) && c.parent == Some(b.uuid)
            && WellFormed(Chat()) && Fits(Chat(), b) && Fits(Chat() + [b], c) && b.logicalParent.value in Uuids(Chat())
  {
    ChatIsWellFormed();
    forall m, n | 0 <= m < n <= 3 ensures Name(m) != Name(n) {
      NamesDiffer(m, n);
    }
    OneMore(Chat(), Boundary(2, 1));
  }

  /** One that a compaction continues in a file of its own. */
  lemma ABoundaryStandsAlone()
    ensures var b, c := Boundary(2, 1), Asks(3, Some(2), []);
            && WellFormed([]) && Fits([], b) && Fits([] + [b], c) && b.logicalParent.value !in Uuids([])
  {
    var b := Boundary(2, 1);
    NamesDiffer(2, 3);
    assert Uuids([]) == {};
    OfOne(b);
    assert [] + [b] == [b];
  }

  /** What does not stand before a boundary counts as outside, even if it stands in the log: so a lineage ends always. */
  lemma LaterLogicalParentIsOutside(b: Entry, a: Entry)
    requires a.uuid != b.uuid
    requires a.parent.None?
    requires IsBoundary(b) && b.logicalParent == Some(a.uuid)
    ensures WellFormed([b, a]) && b.uuid in Uuids([b, a]) && a.uuid in Uuids([b, a])
    ensures Lineage([b, a], b.uuid) == Line([b], Some(a.uuid))
  {
    OfOne(b);
    OfTwo(b, a);
    assert [] + [b] == [b] && [b, a][..1] == [b];
    LineageOfLast([], b);
    LineageInPrefix([b, a], 1, b.uuid);
  }

  /** There is such a pair of entries. */
  lemma ABoundaryMayNameALaterEntry()
    ensures var b, a := Boundary(1, 0), Asks(0, None, []);
            a.uuid != b.uuid && a.parent.None? && IsBoundary(b) && b.logicalParent == Some(a.uuid)
  {
    NamesDiffer(0, 1);
  }

  // --- Positions ---

  /** The index of a chat that was compacted, and the positions that the algorithms take: the boundary has no parent, and
    * lineage goes on from it to the reply. */
  lemma CompactedChatHasPositions()
    ensures var log := Chat() + [Boundary(2, 1)];
            && WellFormed(log)
            && IsIndex(log, map[Name(0) := 0, Name(1) := 1, Name(2) := 2])
            && AreParents(log, [-1, 0, -1])
            && AreContinued(log, [-1, 0, 1])
  {
    var log := Chat() + [Boundary(2, 1)];
    ChatIsWellFormed();
    BoundariesStandInLogs();
    OneMore(Chat(), Boundary(2, 1));
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, 0);
    IndexOfIsPosition(log, 1);
    IndexOfIsPosition(log, 2);
  }
}

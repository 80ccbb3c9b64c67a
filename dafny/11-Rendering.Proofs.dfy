// Chapter 11, proofs: what a rendered context holds and in which order, what a fork must keep for it and that it is enough,
// and when a rendered context is balanced.
include "02-Order.Proofs.dfy"
include "07-Forks.Proofs.dfy"
include "11-Rendering.dfy"

module RenderingProofs {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened Order
  import opened OrderProofs
  import opened Ancestries
  import opened AncestriesProofs
  import opened Contexts
  import opened ContextsProofs
  import opened Balance
  import opened BalanceProofs
  import opened Forks
  import opened ForksProofs
  import opened Rendering

  // --- The root of a conversation ---

  /** The root of a conversation is the first entry of the ancestry: it has no parent, belongs to the conversation, and stands
    * at the entry or before it. */
  lemma RootIsFirstOfAncestry(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures |Ancestry(log, u)| > 0 && Ancestry(log, u)[0].uuid == Root(log, u)
    ensures Get(log, Root(log, u)) == Ancestry(log, u)[0] && Get(log, Root(log, u)).parent.None?
    ensures Root(log, u) in Members(log, u)
    ensures IndexOf(log, Root(log, u)) <= IndexOf(log, u)
  {
    RootBeginsAncestry(log, u);
    AncestryEndsInItself(log, u);
    WellFormedHasUniqueUuids(log);
    GetFindsEntry(log, Ancestry(log, u)[0]);
    MembersContainsItself(log, u);
    ContextHoldsAncestry(log, u, u);
    assert Ancestry(log, u)[0] in Ancestry(log, u);
    RootStandsFirst(log, u);
  }

  /** The part of `RootIsFirstOfAncestry` that is by recursion. */
  lemma RootBeginsAncestry(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures |Ancestry(log, u)| > 0 && Ancestry(log, u)[0].uuid == Root(log, u)
    decreases |log|
  {
    var e, before := log[|log| - 1], log[..|log| - 1];
    if e.uuid != u {
      RootBeginsAncestry(before, u);
    } else if e.parent.Some? {
      RootBeginsAncestry(before, e.parent.value);
    }
  }

  /** A log in which an entry has the same ancestry has the same root for it. */
  lemma SameAncestrySameRoot(a: Log, b: Log, u: Id)
    requires WellFormed(a) && WellFormed(b)
    requires u in Uuids(a) && u in Uuids(b)
    requires Ancestry(a, u) == Ancestry(b, u)
    ensures Root(a, u) == Root(b, u)
  {
    RootBeginsAncestry(a, u);
    RootBeginsAncestry(b, u);
  }

  // --- What is put where ---

  /** What is put after an entry goes right there: the entries are cut behind the anchor, and nothing else changes. */
  lemma PutAfterCutsAtTheAnchor(entries: Log, anchor: Id, more: Log)
    requires UniqueUuids(entries)
    requires anchor in Uuids(entries)
    ensures var k := IndexOf(entries, anchor) + 1; PutAfter(entries, anchor, more) == entries[..k] + more + entries[k..]
    decreases |entries|
  {
    var before, e := entries[..|entries| - 1], entries[|entries| - 1];
    var k := IndexOf(entries, anchor) + 1;
    if e.uuid != anchor {
      UuidsOfLast(entries);
      PutAfterCutsAtTheAnchor(before, anchor, more);
      IndexOfInPrefix(entries, |before|, anchor);
      assert before[..k] == entries[..k] && before[k..] + [e] == entries[k..];
    }
  }

  /** Putting nothing anywhere changes nothing. */
  lemma PuttingNothingChangesNothing(entries: Log, anchor: Id)
    ensures PutAfter(entries, anchor, []) == entries
    decreases |entries|
  {
    if |entries| > 0 && entries[|entries| - 1].uuid != anchor {
      PuttingNothingChangesNothing(entries[..|entries| - 1], anchor);
    }
  }

  /** What is chosen is the log's own entry for each id of the list, in its order. */
  lemma ChosenAreTheListed(log: Log, ids: seq<Id>)
    requires forall v | v in ids :: v in Uuids(log)
    ensures |Chosen(log, ids)| == |ids|
    ensures forall i | 0 <= i < |ids| :: Chosen(log, ids)[i].uuid == ids[i] && Chosen(log, ids)[i] in log
    ensures forall e | e in Chosen(log, ids) :: e in log && e.uuid in ids
    ensures Uuids(Chosen(log, ids)) == Listed(ids)
    ensures Distinct(ids) ==> UniqueUuids(Chosen(log, ids))
  {
    var chosen := Chosen(log, ids);
    forall i | 0 <= i < |ids| ensures chosen[i].uuid == ids[i] && chosen[i] in log {
      assert ids[i] in ids;
    }
    forall v | v in Listed(ids) ensures v in Uuids(chosen) {
      var i :| 0 <= i < |ids| && ids[i] == v;
      assert chosen[i] in chosen;
    }
  }

  /** Entries of another log choose the same, when it has the same entries under these ids. */
  lemma ChosenInKeep(log: Log, ids: set<Id>, list: seq<Id>)
    requires UniqueUuids(log)
    requires forall v | v in list :: v in Uuids(log) && v in ids
    ensures forall v | v in list :: v in Uuids(Keep(log, ids))
    ensures Chosen(Keep(log, ids), list) == Chosen(log, list)
  {
    UuidsOfKeep(log, ids);
    KeepHoldsExactly(log, ids);
    assert forall v | v in list :: v in Uuids(Keep(log, ids));
    forall i | 0 <= i < |list| ensures Chosen(Keep(log, ids), list)[i] == Chosen(log, list)[i] {
      assert list[i] in list;
      SameUuidIsSameEntry(log, Get(Keep(log, ids), list[i]), Get(log, list[i]));
    }
  }

  // --- Rendered ---

  /** Where nothing is sent again the rendered conversation is the context. */
  lemma RenderedIsContextWhereNothingIsResent(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Resent(log, preserved, u).None? || Resent(log, preserved, u).value.ids == []
    ensures Rendered(log, preserved, u) == Context(log, u)
  {
    if Resent(log, preserved, u).Some? {
      var p := Resent(log, preserved, u).value;
      assert Members(log, u) - Listed([]) == Members(log, u);
      assert Chosen(log, p.ids) == [];
      PuttingNothingChangesNothing(Context(log, u), p.anchor);
    }
  }

  /** Where no root of the log preserves anything, nothing is sent again. */
  lemma NothingPreservedNothingResent(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires forall e | e in log && e.parent.None? :: e.uuid !in preserved
    ensures Resent(log, preserved, u).None?
    ensures Rendered(log, preserved, u) == Context(log, u)
    ensures Reaches(log, preserved, u) == {}
    ensures Kept(log, preserved, u) == Members(log, u)
    ensures ForkKept(log, preserved, u) == Fork(log, u)
  {
    assert Get(log, Root(log, u)) in log;
    assert forall b | b in Uuids(log) :: Get(log, b) in log && Get(log, b).uuid == b;
  }

  /** What is sent again stands before the conversation's root, is not the conversation's own entry, and the anchor stays. */
  lemma ResentStandsBefore(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Resent(log, preserved, u).Some?
    ensures var p := Resent(log, preserved, u).value;
            && Distinct(p.ids)
            && (forall v | v in p.ids :: v in Uuids(log) && IndexOf(log, v) < IndexOf(log, Root(log, u)) <= IndexOf(log, u))
            && u !in p.ids
            && Root(log, u) !in p.ids
            && p.anchor in Members(log, u) - Listed(p.ids)
  {
    var p, b := Resent(log, preserved, u).value, Root(log, u);
    RootIsFirstOfAncestry(log, u);
    WellFormedHasUniqueUuids(log);
    WhatResolvesIsThere(log, b, p.ids);
    forall v | v in p.ids ensures IndexOf(log, v) < IndexOf(log, b) {
      LaterIsNotInPrefix(log, IndexOf(log, b), v);
    }
  }

  /** A rendered conversation with something sent again is the rest of the context, cut behind the anchor, and in the cut what
    * is preserved, each entry the log's own, in the order in which it is listed. */
  lemma RenderedIsRestWithPreservedAfterAnchor(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Resent(log, preserved, u).Some?
    ensures var p := Resent(log, preserved, u).value;
            var rest := Keep(log, Members(log, u) - Listed(p.ids));
            && (forall v | v in p.ids :: v in Uuids(log))
            && UniqueUuids(rest)
            && p.anchor in Uuids(rest)
            && (var k := IndexOf(rest, p.anchor) + 1;
                Rendered(log, preserved, u) == rest[..k] + Chosen(log, p.ids) + rest[k..])
            && (Members(log, u) !! Listed(p.ids) ==> rest == Context(log, u))
  {
    var p := Resent(log, preserved, u).value;
    var ids := Members(log, u) - Listed(p.ids);
    var rest := Keep(log, ids);
    ResentStandsBefore(log, preserved, u);
    WellFormedHasUniqueUuids(log);
    KeepIsUnique(log, ids);
    UuidsOfKeep(log, ids);
    MembersAreAsOf(log, u);
    PutAfterCutsAtTheAnchor(rest, p.anchor, Chosen(log, p.ids));
    if Members(log, u) !! Listed(p.ids) {
      assert ids == Members(log, u);
    }
  }

  /** Nothing is lost and nothing comes twice: a rendered conversation holds the members and what is sent again, each once and
    * each the log's own entry. */
  lemma RenderedHoldsExactly(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var again := Resent(log, preserved, u);
            Uuids(Rendered(log, preserved, u)) == Members(log, u) + (if again.Some? then Listed(again.value.ids) else {})
    ensures UniqueUuids(Rendered(log, preserved, u))
    ensures forall e | e in Rendered(log, preserved, u) :: e in log
  {
    hide WellFormed, UniqueUuids, Uuids, Members, Context, Rendered, Resent;
    if Resent(log, preserved, u).Some? {
      RenderedHoldsExactlyWhereResent(log, preserved, u);
    } else {
      WellFormedHasUniqueUuids(log);
      ContextHoldsExactlyTheMembers(log, u);
      ContextIsInLogOrder(log, u);
      RenderedIsContextWhereNothingIsResent(log, preserved, u);
    }
  }

  /** The part of `RenderedHoldsExactly` about what is sent again. */
  lemma RenderedHoldsExactlyWhereResent(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Resent(log, preserved, u).Some?
    ensures Uuids(Rendered(log, preserved, u)) == Members(log, u) + Listed(Resent(log, preserved, u).value.ids)
    ensures UniqueUuids(Rendered(log, preserved, u))
    ensures forall e | e in Rendered(log, preserved, u) :: e in log
  {
    hide WellFormed, UniqueUuids, Uuids, Members, Rendered, Resent, Keep, Chosen, Listed, Distinct, IndexOf;
    var p := Resent(log, preserved, u).value;
    var ids := Members(log, u) - Listed(p.ids);
    var rest := Keep(log, ids);
    ResentStandsBefore(log, preserved, u);
    RenderedIsRestWithPreservedAfterAnchor(log, preserved, u);
    ChosenAreTheListed(log, p.ids);
    KeepHoldsExactly(log, ids);
    UuidsOfKeep(log, ids);
    MembersAreAsOf(log, u);
    assert Uuids(log) * ids == ids;
    var k := IndexOf(rest, p.anchor) + 1;
    assert rest == rest[..k] + rest[k..];
    InsertedHoldsExactly(rest[..k], Chosen(log, p.ids), rest[k..]);
  }

  /** Entries put into others, with no uuid in common, add theirs and repeat none. */
  lemma InsertedHoldsExactly(first: Log, more: Log, last: Log)
    requires UniqueUuids(first + last)
    requires UniqueUuids(more)
    requires Uuids(first + last) !! Uuids(more)
    ensures Uuids(first + more + last) == Uuids(first + last) + Uuids(more)
    ensures UniqueUuids(first + more + last)
    ensures forall e :: e in first + more + last <==> e in first + last || e in more
  {
    var all, rest, n := first + more + last, first + last, |first|;
    UuidsOfConcatenation(first, more);
    UuidsOfConcatenation(first + more, last);
    UuidsOfConcatenation(first, last);
    forall i, j | 0 <= i < j < |all| ensures all[i].uuid != all[j].uuid {
      InsertedStandsWhere(first, more, last, i);
      InsertedStandsWhere(first, more, last, j);
    }
  }

  /** Where an entry stands when others have been put in. */
  lemma InsertedStandsWhere(first: Log, more: Log, last: Log, i: nat)
    requires i < |first + more + last|
    ensures var e, n, m := (first + more + last)[i], |first|, |more|;
            if i < n then e == (first + last)[i] && e.uuid in Uuids(first + last)
            else if i < n + m then e == more[i - n] && e.uuid in Uuids(more)
            else e == (first + last)[i - m] && e.uuid in Uuids(first + last)
  {
    var e, n, m := (first + more + last)[i], |first|, |more|;
    if i < n {
      assert (first + last)[i] in first + last;
    } else if i < n + m {
      assert more[i - n] in more;
    } else {
      assert (first + last)[i - m] in first + last;
    }
  }

  /** A rendered conversation ends in the entry that it is of; or, where that is the anchor itself, in what is sent again. */
  lemma RenderedEndsIn(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures var again, rendered := Resent(log, preserved, u), Rendered(log, preserved, u);
            && |rendered| > 0
            && (again.None? || again.value.anchor != u ==> rendered[|rendered| - 1] == Get(log, u))
            && (again.Some? && again.value.anchor == u ==>
                  && (forall v | v in again.value.ids :: v in Uuids(log))
                  && rendered == Keep(log, Members(log, u) - Listed(again.value.ids)) + Chosen(log, again.value.ids))
  {
    hide WellFormed, UniqueUuids, Members, Resent, Chosen, Heeds;
    WellFormedHasUniqueUuids(log);
    ContextEndsIn(log, u);
    if Resent(log, preserved, u).Some? {
      var p := Resent(log, preserved, u).value;
      var ids := Members(log, u) - Listed(p.ids);
      var rest := Keep(log, ids);
      RenderedIsRestWithPreservedAfterAnchor(log, preserved, u);
      ResentStandsBefore(log, preserved, u);
      MembersContainsItself(log, u);
      MembersAreAsOf(log, u);
      KeepFromPrefix(log, IndexOf(log, u) + 1, ids);
      assert rest[|rest| - 1] == Get(log, u);
      if p.anchor == u {
        IndexOfIsPosition(rest, |rest| - 1);
      } else {
        assert IndexOf(rest, p.anchor) != |rest| - 1;
      }
    }
  }

  // --- What is kept ---

  /** Every entry that a boundary in the conversation preserves, as far as it is heeded, stands before the boundary. */
  lemma ReachedStandsBefore(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Reaches(log, preserved, u)
    ensures v in Uuids(log)
    ensures exists b | b in Uuids(log) ::
              && Heeds(log, preserved, Members(log, u), b)
              && v in preserved[b].ids
              && IndexOf(log, v) < IndexOf(log, b) <= IndexOf(log, u)
  {
    var b :| b in Uuids(log) && Heeds(log, preserved, Members(log, u), b) && v in preserved[b].ids;
    LaterIsNotInPrefix(log, IndexOf(log, b), v);
    MembersStandBefore(log, u, b);
  }

  /** What is kept, in one definition: the least set that contains the conversation at `u` and, with each entry that a boundary
    * which it heeds preserves, the conversation there. */
  lemma KeptIsLeast(log: Log, preserved: Preservation, u: Id, s: set<Id>)
    requires u in Uuids(log)
    ensures Members(log, u) <= Kept(log, preserved, u)
    ensures forall v | v in Uuids(log) && v in Reaches(log, preserved, u) :: Members(log, v) <= Kept(log, preserved, u)
    ensures Members(log, u) <= s && (forall v | v in Uuids(log) && v in Reaches(log, preserved, u) :: Members(log, v) <= s)
            ==> Kept(log, preserved, u) <= s
  {
  }

  /** What is kept holds what is sent, and the ancestry of each entry of it. */
  lemma KeptHoldsWhatIsSent(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Uuids(Rendered(log, preserved, u)) <= Kept(log, preserved, u)
    ensures Reaches(log, preserved, u) <= Kept(log, preserved, u)
    ensures forall v | v in Uuids(log) && v in Kept(log, preserved, u) :: Uuids(Ancestry(log, v)) <= Kept(log, preserved, u)
  {
    forall v | v in Reaches(log, preserved, u) ensures v in Kept(log, preserved, u) {
      assert v in Uuids(log);
      MembersContainsItself(log, v);
    }
    RenderedHoldsExactly(log, preserved, u);
    if Resent(log, preserved, u).Some? {
      ResentStandsBefore(log, preserved, u);
      forall v | v in Resent(log, preserved, u).value.ids ensures v in Reaches(log, preserved, u) {
      }
    }
    forall v | v in Uuids(log) && v in Kept(log, preserved, u) ensures Uuids(Ancestry(log, v)) <= Kept(log, preserved, u) {
      WellFormedHasUniqueUuids(log);
      KeptHoldsConversations(log, preserved, u, v);
      MembersContainsItself(log, v);
      ContextHoldsAncestry(log, v, v);
    }
  }

  /** With each entry that is kept its whole conversation is kept. */
  lemma KeptHoldsConversations(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u)
    ensures v in Uuids(log)
    ensures Members(log, v) <= Kept(log, preserved, u)
  {
    if v in Members(log, u) {
      MembersOfMember(log, u, v);
    } else {
      var w :| w in Uuids(log) && w in Reaches(log, preserved, u) && v in Members(log, w);
      MembersOfMember(log, w, v);
      assert Members(log, w) <= Kept(log, preserved, u);
    }
  }

  /** What is kept stands at the fork point or before it. What of it is not the conversation's own stands before a boundary of the
    * conversation, so no boundary that is kept along stands behind the conversation's. */
  lemma KeptStandsBefore(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u)
    ensures v in Uuids(log)
    ensures IndexOf(log, v) <= IndexOf(log, u)
    ensures v in Members(log, u) || exists b | b in Uuids(log) ::
              Heeds(log, preserved, Members(log, u), b) && IndexOf(log, v) < IndexOf(log, b)
  {
    if v in Members(log, u) {
      MembersStandBefore(log, u, v);
    } else {
      var w :| w in Uuids(log) && w in Reaches(log, preserved, u) && v in Members(log, w);
      MembersStandBefore(log, w, v);
      ReachedStandsBefore(log, preserved, u, w);
    }
  }

  /** A set of entries with the whole conversation of each of them. */
  ghost predicate HoldsConversations(log: Log, ids: set<Id>) {
    && ids <= Uuids(log)
    && (forall v | v in Uuids(log) && v in ids :: Members(log, v) <= ids)
  }

  /** What is kept is such a set. */
  lemma KeptIsWhole(log: Log, preserved: Preservation, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures HoldsConversations(log, Kept(log, preserved, u))
  {
    forall v | v in Kept(log, preserved, u) ensures v in Uuids(log) && Members(log, v) <= Kept(log, preserved, u) {
      KeptHoldsConversations(log, preserved, u, v);
    }
  }

  /** The root of the ancestry of `u` is the only root in the conversation. */
  predicate OneRoot(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    forall r | r in Uuids(log) && r in Members(log, u) && Get(log, r).parent.None? :: r == Root(log, u)
  }

  /** Where the conversation has one root, that root is the last one of what is kept: so it is the last one of the fork's file. */
  lemma LastRootOfTheFork(log: Log, preserved: Preservation, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log) && OneRoot(log, u)
    requires v in Kept(log, preserved, u) && v in Uuids(log) && Get(log, v).parent.None?
    ensures v == Root(log, u) || IndexOf(log, v) < IndexOf(log, Root(log, u))
  {
    WellFormedHasUniqueUuids(log);
    KeptStandsBefore(log, preserved, u, v);
  }

  /** Where the conversation has one root, no other boundary reaches anything: what is sent again is what is reached. */
  lemma OneRootReachesWhatIsResent(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log) && OneRoot(log, u)
    requires Resent(log, preserved, u).Some?
    ensures Reaches(log, preserved, u) == Listed(Resent(log, preserved, u).value.ids)
  {
    ResentStandsBefore(log, preserved, u);
    var p := Resent(log, preserved, u).value;
    RootIsFirstOfAncestry(log, u);
    forall v | v in p.ids ensures v in Reaches(log, preserved, u) {
    }
    forall v | v in Reaches(log, preserved, u) ensures v in p.ids {
      var b :| b in Uuids(log) && Heeds(log, preserved, Members(log, u), b) && v in preserved[b].ids;
    }
  }

  /** Where the conversation has one root, what is kept is the least set that holds what is sent and with each entry its
    * conversation. */
  lemma KeptIsLeastThatSends(log: Log, preserved: Preservation, u: Id, s: set<Id>)
    requires WellFormed(log)
    requires u in Uuids(log) && OneRoot(log, u)
    requires HoldsConversations(log, s)
    requires Uuids(Rendered(log, preserved, u)) <= s
    ensures Kept(log, preserved, u) <= s
  {
    RenderedHoldsExactly(log, preserved, u);
    MembersContainsItself(log, u);
    if Resent(log, preserved, u).Some? {
      OneRootReachesWhatIsResent(log, preserved, u);
    } else {
      RootIsFirstOfAncestry(log, u);
      forall b | b in Uuids(log) ensures !Heeds(log, preserved, Members(log, u), b) {
      }
    }
  }

  /** A set with whole conversations is closed under parents. */
  lemma WholeIsParentClosed(log: Log, ids: set<Id>)
    requires WellFormed(log)
    requires HoldsConversations(log, ids)
    ensures ParentClosed(log, ids)
  {
    WellFormedHasUniqueUuids(log);
    forall e | e in log && e.uuid in ids && e.parent.Some? ensures e.parent.value in ids {
      GetFindsEntry(log, e);
      MembersOfParent(log, e.uuid);
    }
  }

  /** Keeping whole conversations changes none of them. */
  lemma KeepingConversationsKeepsMembers(log: Log, ids: set<Id>, v: Id)
    requires UniqueUuids(log)
    requires HoldsConversations(log, ids)
    requires v in ids
    ensures v in Uuids(log) && v in Uuids(Keep(log, ids))
    ensures Members(Keep(log, ids), v) == Members(log, v)
  {
    var kept := Keep(log, ids);
    UuidsOfKeep(log, ids);
    AsOfInKeep(log, ids, v);
    KeepHoldsExactly(AsOf(log, v), ids);
    ClosedInPart(AsOf(log, v), AsOf(kept, v), Members(log, v)) by {
      MembersAreClosedAsOf(log, v);
    }
    MembersContainsItself(log, v);
    MembersAreLeast(kept, v, Members(log, v));

    var s := Members(kept, v);
    MembersAreClosedAsOf(log, v);
    MembersAreClosedAsOf(kept, v);
    forall a, b | a in AsOf(log, v) && b in AsOf(log, v) && a.uuid in s && Needs(a, b) ensures b.uuid in s {
      assert b.uuid in Members(log, v) && b.uuid in ids;
      assert a.uuid in Members(log, v) && a.uuid in ids;
      assert a in AsOf(kept, v) && b in AsOf(kept, v);
    }
    MembersContainsItself(kept, v);
    MembersAreLeast(log, v, s);
  }

  /** Keeping whole conversations changes no context. */
  lemma KeepingConversationsKeepsContexts(log: Log, ids: set<Id>, v: Id)
    requires UniqueUuids(log)
    requires HoldsConversations(log, ids)
    requires v in ids
    ensures v in Uuids(log) && v in Uuids(Keep(log, ids))
    ensures Context(Keep(log, ids), v) == Context(log, v)
  {
    KeepingConversationsKeepsMembers(log, ids, v);
    KeepOfKeep(log, ids, Members(log, v));
    assert ids * Members(log, v) == Members(log, v);
  }

  // --- The fork ---

  /** The fork of a compacted session is well-formed: P1, P2 and acyclicity survive. */
  lemma ForkKeptIsWellFormed(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures WellFormed(ForkKept(log, preserved, u))
  {
    WellFormedHasUniqueUuids(log);
    KeptIsWhole(log, preserved, u);
    WholeIsParentClosed(log, Kept(log, preserved, u));
    KeepIsWellFormed(log, Kept(log, preserved, u));
  }

  /** It holds exactly what is kept, each entry unchanged, in the order of the log, the fork point last. */
  lemma ForkKeptHoldsExactlyWhatIsKept(log: Log, preserved: Preservation, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures var fork := ForkKept(log, preserved, u);
            && Uuids(fork) == Kept(log, preserved, u) <= Uuids(log)
            && (forall e :: e in fork <==> e in log && e.uuid in Kept(log, preserved, u))
            && UniqueUuids(fork)
            && (forall a, b | a in Uuids(fork) && b in Uuids(fork) ::
                  IndexOf(fork, a) < IndexOf(fork, b) <==> IndexOf(log, a) < IndexOf(log, b))
            && |fork| > 0 && fork[|fork| - 1] == Get(log, u)
  {
    var ids, fork := Kept(log, preserved, u), ForkKept(log, preserved, u);
    KeptIsWhole(log, preserved, u);
    KeepHoldsExactly(log, ids);
    UuidsOfKeep(log, ids);
    KeepIsUnique(log, ids);
    assert Uuids(log) * ids == ids;
    forall a, b | a in Uuids(fork) && b in Uuids(fork)
      ensures IndexOf(fork, a) < IndexOf(fork, b) <==> IndexOf(log, a) < IndexOf(log, b)
    {
      KeepIsInOrder(log, ids, a, b);
    }
    ForkKeptEndsIn(log, preserved, u);
  }

  /** The fork ends in the fork point: everything kept stands there or before. */
  lemma ForkKeptEndsIn(log: Log, preserved: Preservation, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures |ForkKept(log, preserved, u)| > 0
    ensures ForkKept(log, preserved, u)[|ForkKept(log, preserved, u)| - 1] == Get(log, u)
  {
    var ids, asOf := Kept(log, preserved, u), AsOf(log, u);
    MembersContainsItself(log, u);
    forall v | v in ids ensures v in Uuids(asOf) {
      KeptStandsBefore(log, preserved, u, v);
      AsOfHoldsExactly(log, u, v);
    }
    KeepFromPrefix(log, IndexOf(log, u) + 1, ids);
    assert asOf[|asOf| - 1] == Get(log, u);
  }

  /** It is in canonical order: what is preserved stands in front of the boundary, as it does in the log. */
  lemma ForkKeptIsCanonical(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Canonical(ForkKept(log, preserved, u)) == Some(ForkKept(log, preserved, u))
  {
    ForkKeptIsWellFormed(log, preserved, u);
    CanonicalLeavesOrderedLogsAlone(ForkKept(log, preserved, u));
  }

  /** P4 for compacted sessions: every kept entry has the ancestry that it had, the preserved ones too. */
  lemma ForkKeptPreservesAncestry(log: Log, preserved: Preservation, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u)
    ensures v in Uuids(log) && v in Uuids(ForkKept(log, preserved, u))
    ensures WellFormed(ForkKept(log, preserved, u))
    ensures Ancestry(ForkKept(log, preserved, u), v) == Ancestry(log, v)
  {
    WellFormedHasUniqueUuids(log);
    KeptIsWhole(log, preserved, u);
    WholeIsParentClosed(log, Kept(log, preserved, u));
    AncestryInKeep(log, Kept(log, preserved, u), v);
  }

  /** The strong form: every kept entry has the context that it had. */
  lemma ForkKeptPreservesContexts(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u)
    ensures v in Uuids(log) && v in Uuids(ForkKept(log, preserved, u))
    ensures Members(ForkKept(log, preserved, u), v) == Members(log, v)
    ensures Context(ForkKept(log, preserved, u), v) == Context(log, v)
    ensures Balanced(Context(ForkKept(log, preserved, u), v)) <==> Balanced(Context(log, v))
  {
    KeptIsWhole(log, preserved, u);
    KeepingConversationsKeepsMembers(log, Kept(log, preserved, u), v);
    KeepingConversationsKeepsContexts(log, Kept(log, preserved, u), v);
  }

  /** An entry of the conversation needs nothing to be kept that the fork point does not. */
  lemma MembersNeedNoMoreKept(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log)
    ensures v in Kept(log, preserved, u)
    ensures Kept(log, preserved, v) <= Kept(log, preserved, u)
  {
    MembersOfMember(log, u, v);
    forall w | w in Reaches(log, preserved, v) ensures w in Reaches(log, preserved, u) {
      var b :| b in Uuids(log) && Heeds(log, preserved, Members(log, v), b) && w in preserved[b].ids;
      assert Heeds(log, preserved, Members(log, u), b);
    }
  }

  /** A conversation in the fork heeds a boundary as it did in the log, where what the boundary preserves is kept. */
  lemma ForkKeptHeedsAlike(log: Log, ids: set<Id>, preserved: Preservation, conversation: set<Id>, b: Id)
    requires UniqueUuids(log)
    requires b in Uuids(log) && b in ids
    ensures b in Uuids(Keep(log, ids))
    ensures Heeds(Keep(log, ids), preserved, conversation, b) <==>
            Heeds(log, preserved, conversation, b) && Listed(preserved[b].ids) <= ids
  {
    var kept := Keep(log, ids);
    UuidsOfKeep(log, ids);
    KeepHoldsExactly(log, ids);
    SameUuidIsSameEntry(log, Get(kept, b), Get(log, b));
    if b in preserved {
      KeepIsUnique(log, ids);
      forall v ensures v in Uuids(kept[..IndexOf(kept, b)]) <==> v in Uuids(log[..IndexOf(log, b)]) && v in ids {
        BeforeInKeep(log, ids, b, v);
      }
    }
  }

  /** What stands before a kept entry is what is kept of what stands before it in the log. */
  lemma BeforeInKeep(log: Log, ids: set<Id>, b: Id, v: Id)
    requires UniqueUuids(log)
    requires b in Uuids(log) && b in ids
    ensures b in Uuids(Keep(log, ids))
    ensures v in Uuids(Keep(log, ids)[..IndexOf(Keep(log, ids), b)]) <==> v in Uuids(log[..IndexOf(log, b)]) && v in ids
  {
    var kept := Keep(log, ids);
    UuidsOfKeep(log, ids);
    KeepIsUnique(log, ids);
    UuidsOfPrefix(log, IndexOf(log, b));
    UuidsOfPrefix(kept, IndexOf(kept, b));
    if v in Uuids(kept) {
      LaterIsNotInPrefix(kept, IndexOf(kept, b), v);
      LaterIsNotInPrefix(log, IndexOf(log, b), v);
      KeepIsInOrder(log, ids, v, b);
    }
  }

  /** Keeping what an entry needs leaves what it reaches. */
  lemma ForkKeptReachesAlike(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u) && v in Uuids(log)
    requires Kept(log, preserved, v) <= Kept(log, preserved, u)
    ensures v in Uuids(ForkKept(log, preserved, u))
    ensures Reaches(ForkKept(log, preserved, u), preserved, v) == Reaches(log, preserved, v)
  {
    var ids, fork := Kept(log, preserved, u), ForkKept(log, preserved, u);
    ForkKeptPreservesContexts(log, preserved, u, v);
    UuidsOfKeep(log, ids);
    MembersAreAsOf(log, v);
    forall w | w in Reaches(log, preserved, v) ensures w in Reaches(fork, preserved, v) {
      var b :| b in Uuids(log) && Heeds(log, preserved, Members(log, v), b) && w in preserved[b].ids;
      WhatIsHeededIsKept(log, preserved, v, b);
      ForkKeptHeedsAlike(log, ids, preserved, Members(log, v), b);
      assert w in Uuids(fork);
    }
    forall w | w in Reaches(fork, preserved, v) ensures w in Reaches(log, preserved, v) {
      var b :| b in Uuids(fork) && Heeds(fork, preserved, Members(log, v), b) && w in preserved[b].ids;
      assert b in Uuids(log) && b in ids && w in Uuids(log);
      ForkKeptHeedsAlike(log, ids, preserved, Members(log, v), b);
    }
  }

  /** What a heeded boundary preserves is kept. */
  lemma WhatIsHeededIsKept(log: Log, preserved: Preservation, u: Id, b: Id)
    requires u in Uuids(log) && b in Uuids(log)
    requires Heeds(log, preserved, Members(log, u), b)
    ensures forall v | v in preserved[b].ids :: v in Uuids(log) && v in Reaches(log, preserved, u)
    ensures Listed(preserved[b].ids) <= Kept(log, preserved, u)
  {
    WhatResolvesIsThere(log, b, preserved[b].ids);
    forall v | v in preserved[b].ids ensures v in Kept(log, preserved, u) {
      assert v in Reaches(log, preserved, u);
      MembersContainsItself(log, v);
    }
  }

  /** What an entry needs to be kept is, in the fork, what it was: exactly if the fork has it. */
  lemma ForkKeptKeepsWhatIsKept(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u) && v in Uuids(log)
    ensures v in Uuids(ForkKept(log, preserved, u))
    ensures Kept(ForkKept(log, preserved, u), preserved, v) == Kept(log, preserved, v) <==>
            Kept(log, preserved, v) <= Kept(log, preserved, u)
  {
    var ids, fork := Kept(log, preserved, u), ForkKept(log, preserved, u);
    ForkKeptHoldsExactlyWhatIsKept(log, preserved, u);
    KeptIsWhole(fork, preserved, v);
    if Kept(log, preserved, v) <= ids {
      ForkKeptPreservesContexts(log, preserved, u, v);
      ForkKeptReachesAlike(log, preserved, u, v);
      forall w | w in Reaches(log, preserved, v) ensures w in ids && w in Uuids(fork) && Members(fork, w) == Members(log, w) {
        assert w in Uuids(log);
        MembersContainsItself(log, w);
        assert Members(log, w) <= Kept(log, preserved, v);
        ForkKeptPreservesContexts(log, preserved, u, w);
      }
    }
  }

  /** The client sends the same: a kept entry whose needs are kept is rendered in the fork as it was in the log. */
  lemma ForkKeptPreservesRenderingWhereNeedsAreKept(log: Log, preserved: Preservation, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u) && v in Uuids(log)
    requires Kept(log, preserved, v) <= Kept(log, preserved, u)
    ensures v in Uuids(ForkKept(log, preserved, u)) && WellFormed(ForkKept(log, preserved, u))
    ensures Resent(ForkKept(log, preserved, u), preserved, v) == Resent(log, preserved, v)
    ensures Rendered(ForkKept(log, preserved, u), preserved, v) == Rendered(log, preserved, v)
  {
    var ids, fork := Kept(log, preserved, u), ForkKept(log, preserved, u);
    var root := Root(log, v);
    WellFormedHasUniqueUuids(log);
    ForkKeptPreservesAncestry(log, preserved, u, v);
    SameAncestrySameRoot(log, fork, v);
    ForkKeptPreservesContexts(log, preserved, u, v);
    RootIsFirstOfAncestry(log, v);
    MembersAreAsOf(log, v);
    ForkKeptHeedsAlike(log, ids, preserved, Members(log, v), root);
    KeptHoldsWhatIsSent(log, preserved, v);
    RenderedHoldsExactly(log, preserved, v);
    if Resent(log, preserved, v).Some? {
      var p := preserved[root];
      ResentStandsBefore(log, preserved, v);
      assert Listed(p.ids) <= ids;
      ChosenInKeep(log, ids, p.ids);
      KeepOfKeep(log, ids, Members(log, v) - Listed(p.ids));
      assert ids * (Members(log, v) - Listed(p.ids)) == Members(log, v) - Listed(p.ids);
    }
  }

  /** The client sends the same at the fork point and at every other entry of its conversation. */
  lemma ForkKeptPreservesRendering(log: Log, preserved: Preservation, u: Id, v: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires v in Members(log, u)
    ensures v in Uuids(log) && v in Uuids(ForkKept(log, preserved, u)) && WellFormed(ForkKept(log, preserved, u))
    ensures Rendered(ForkKept(log, preserved, u), preserved, v) == Rendered(log, preserved, v)
  {
    WellFormedHasUniqueUuids(log);
    MembersNeedNoMoreKept(log, preserved, u, v);
    ForkKeptPreservesRenderingWhereNeedsAreKept(log, preserved, u, v);
  }

  /** A fork of a fork is the fork of the log, exactly where the first has what the second needs; at every entry of the
    * conversation it has. */
  lemma ForkKeptOfForkKept(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u) && v in Uuids(log)
    ensures v in Uuids(ForkKept(log, preserved, u))
    ensures ForkKept(ForkKept(log, preserved, u), preserved, v) == ForkKept(log, preserved, v) <==>
            Kept(log, preserved, v) <= Kept(log, preserved, u)
    ensures v in Members(log, u) ==> Kept(log, preserved, v) <= Kept(log, preserved, u)
  {
    var ids, fork := Kept(log, preserved, u), ForkKept(log, preserved, u);
    ForkKeptHoldsExactlyWhatIsKept(log, preserved, u);
    ForkKeptHoldsExactlyWhatIsKept(fork, preserved, v);
    ForkKeptHoldsExactlyWhatIsKept(log, preserved, v);
    ForkKeptKeepsWhatIsKept(log, preserved, u, v);
    if Kept(log, preserved, v) <= ids {
      KeepOfKeep(log, ids, Kept(log, preserved, v));
      assert ids * Kept(log, preserved, v) == Kept(log, preserved, v);
    }
    if v in Members(log, u) {
      MembersNeedNoMoreKept(log, preserved, u, v);
    }
  }

  /** Forking again at the fork point changes nothing. */
  lemma ForkingKeptAgainChangesNothing(log: Log, preserved: Preservation, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures u in Uuids(ForkKept(log, preserved, u))
    ensures ForkKept(ForkKept(log, preserved, u), preserved, u) == ForkKept(log, preserved, u)
  {
    MembersContainsItself(log, u);
    ForkKeptOfForkKept(log, preserved, u, u);
  }

  /** The fork is the plain fork exactly if what is reached belongs to the conversation anyway, so where nothing is preserved. */
  lemma ForkKeptIsForkExactly(log: Log, preserved: Preservation, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures ForkKept(log, preserved, u) == Fork(log, u) <==> Reaches(log, preserved, u) <= Members(log, u)
  {
    ForkKeptHoldsExactlyWhatIsKept(log, preserved, u);
    ForkHoldsExactlyTheContext(log, u);
    if Reaches(log, preserved, u) <= Members(log, u) {
      forall v | v in Reaches(log, preserved, u) ensures v in Uuids(log) && Members(log, v) <= Members(log, u) {
        MembersOfMember(log, u, v);
      }
      assert Kept(log, preserved, u) == Members(log, u);
    } else {
      var v :| v in Reaches(log, preserved, u) && v !in Members(log, u);
      assert v in Uuids(log);
      MembersContainsItself(log, v);
      assert v in Kept(log, preserved, u);
    }
  }

  /** What is preserved changes nothing about where a session may be forked: in the fork nothing comes after the fork point, so it is
    * settled there, and resumable exactly if its context is balanced; and a kept entry that is legal (or resumable) in the log
    * is so in the fork. */
  lemma ForkKeptKeepsLegal(log: Log, preserved: Preservation, u: Id, v: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires v in Kept(log, preserved, u)
    ensures var fork := ForkKept(log, preserved, u);
            && v in Uuids(log) && u in Uuids(fork) && v in Uuids(fork)
            && Settled(fork, u)
            && (Resumable(fork, u) <==> Balanced(Context(log, u)))
            && (Resumable(log, v) ==> Resumable(fork, v))
            && (Legal(log, v) ==> Legal(fork, v))
  {
    var fork := ForkKept(log, preserved, u);
    ForkKeptHoldsExactlyWhatIsKept(log, preserved, u);
    MembersContainsItself(log, u);
    LastIsSettled(fork);
    ForkKeptPreservesContexts(log, preserved, u, u);
    ForkKeptPreservesContexts(log, preserved, u, v);
    SameUuidIsSameEntry(log, Get(fork, v), Get(log, v));
    if Settled(log, v) {
      ClosedInPart(log, fork, Members(log, v));
    }
  }

  // --- Growth ---

  /** The two maps say the same of every entry of the log. */
  ghost predicate Agree(log: Log, a: Preservation, b: Preservation) {
    forall e | e in log :: (e.uuid in a <==> e.uuid in b) && (e.uuid in a ==> a[e.uuid] == b[e.uuid])
  }

  /** A prefix of a log heeds the same boundaries: a boundary looks at nothing that comes after it. */
  lemma HeedsInPrefix(log: Log, preserved: Preservation, more: Preservation, n: nat, conversation: set<Id>, b: Id)
    requires UniqueUuids(log)
    requires n <= |log|
    requires b in Uuids(log[..n])
    requires Agree(log[..n], preserved, more)
    ensures b in Uuids(log)
    ensures Heeds(log[..n], preserved, conversation, b) <==> Heeds(log, more, conversation, b)
  {
    IndexOfInPrefix(log, n, b);
    assert log[..n][..IndexOf(log, b)] == log[..IndexOf(log, b)];
    assert Get(log[..n], b) in log[..n];
  }

  /** A prefix of a log needs the same entries kept, and is rendered alike. */
  lemma RenderedInPrefix(log: Log, preserved: Preservation, more: Preservation, n: nat, u: Id)
    requires WellFormed(log)
    requires n <= |log|
    requires u in Uuids(log[..n])
    requires Agree(log[..n], preserved, more)
    ensures WellFormed(log[..n]) && u in Uuids(log)
    ensures Kept(log[..n], preserved, u) == Kept(log, more, u)
    ensures Rendered(log[..n], preserved, u) == Rendered(log, more, u)
    ensures ForkKept(log[..n], preserved, u) == ForkKept(log, more, u)
  {
    var first := log[..n];
    WellFormedHasUniqueUuids(log);
    PrefixIsWellFormed(log, n);
    WellFormedHasUniqueUuids(first);
    MembersInPrefix(log, n, u);
    ContextInPrefix(log, n, u);
    UuidsOfPrefix(log, n);
    MembersAreAsOf(first, u);
    forall b | b in Members(log, u)
      ensures b in Uuids(first) && b in Uuids(log)
      ensures Heeds(first, preserved, Members(log, u), b) <==> Heeds(log, more, Members(log, u), b)
      ensures b in preserved ==> b in more && preserved[b] == more[b]
    {
      HeedsInPrefix(log, preserved, more, n, Members(log, u), b);
      assert Get(first, b) in first;
    }
    ReachesInPrefix(log, preserved, more, n, u);
    forall v | v in Reaches(log, more, u) ensures v in Uuids(first) && v in Uuids(log) && Members(first, v) == Members(log, v) {
      MembersInPrefix(log, n, v);
    }
    assert Kept(first, preserved, u) == Kept(log, more, u);
    KeptIsWhole(first, preserved, u);
    KeepFromPrefix(log, n, Kept(log, more, u));
    AncestryInPrefix(log, n, u);
    SameAncestrySameRoot(first, log, u);
    RootIsFirstOfAncestry(log, u);
    if Resent(log, more, u).Some? {
      RenderedInPrefixWhereResent(log, preserved, more, n, u);
    }
  }

  /** The part of `RenderedInPrefix` about what is reached. */
  lemma ReachesInPrefix(log: Log, preserved: Preservation, more: Preservation, n: nat, u: Id)
    requires UniqueUuids(log)
    requires n <= |log|
    requires u in Uuids(log[..n])
    requires Agree(log[..n], preserved, more)
    ensures u in Uuids(log)
    ensures Reaches(log[..n], preserved, u) == Reaches(log, more, u)
    ensures Reaches(log, more, u) <= Uuids(log[..n])
  {
    var first := log[..n];
    MembersInPrefix(log, n, u);
    UuidsOfPrefix(log, n);
    MembersAreAsOf(first, u);
    forall b | b in Members(log, u)
      ensures b in Uuids(first) && b in Uuids(log)
      ensures Heeds(first, preserved, Members(log, u), b) <==> Heeds(log, more, Members(log, u), b)
      ensures b in preserved ==> b in more && preserved[b] == more[b]
    {
      HeedsInPrefix(log, preserved, more, n, Members(log, u), b);
      assert Get(first, b) in first;
    }
    forall v | v in Reaches(log, more, u) ensures v in Reaches(first, preserved, u) {
      var b :| b in Uuids(log) && Heeds(log, more, Members(log, u), b) && v in more[b].ids;
      WhatResolvesIsThere(first, b, preserved[b].ids);
    }
    forall v | v in Reaches(first, preserved, u) ensures v in Reaches(log, more, u) {
      var b :| b in Uuids(first) && Heeds(first, preserved, Members(log, u), b) && v in preserved[b].ids;
      assert b in Uuids(log) && v in Uuids(log);
    }
  }

  /** The part of `RenderedInPrefix` about what is sent again. */
  lemma RenderedInPrefixWhereResent(log: Log, preserved: Preservation, more: Preservation, n: nat, u: Id)
    requires n <= |log|
    requires WellFormed(log) && WellFormed(log[..n])
    requires u in Uuids(log[..n]) && u in Uuids(log)
    requires Members(log[..n], u) == Members(log, u)
    requires Resent(log, more, u).Some?
    requires Resent(log[..n], preserved, u) == Resent(log, more, u)
    ensures Rendered(log[..n], preserved, u) == Rendered(log, more, u)
  {
    var first, p := log[..n], Resent(log, more, u).value;
    WellFormedHasUniqueUuids(log);
    ResentStandsBefore(first, preserved, u);
    ResentStandsBefore(log, more, u);
    MembersAreAsOf(first, u);
    KeepFromPrefix(log, n, Members(log, u) - Listed(p.ids));
    forall i | 0 <= i < |p.ids| ensures Chosen(first, p.ids)[i] == Chosen(log, p.ids)[i] {
      assert p.ids[i] in p.ids;
      IndexOfInPrefix(log, n, p.ids[i]);
    }
    assert Chosen(first, p.ids) == Chosen(log, p.ids);
  }

  /** An append changes no old rendering, and nothing that an old entry needs kept, as long as the old boundaries preserve what
    * they did. */
  lemma AppendKeepsOldRenderings(log: Log, preserved: Preservation, more: Preservation, e: Entry, v: Id)
    requires WellFormed(log)
    requires Fits(log, e)
    requires v in Uuids(log)
    requires Agree(log, preserved, more)
    ensures WellFormed(Append(log, e)) && v in Uuids(Append(log, e))
    ensures Rendered(Append(log, e), more, v) == Rendered(log, preserved, v)
    ensures Kept(Append(log, e), more, v) == Kept(log, preserved, v)
    ensures ForkKept(Append(log, e), more, v) == ForkKept(log, preserved, v)
  {
    var after := Append(log, e);
    AppendIsWellFormed(log, e);
    assert after[..|log|] == log;
    RenderedInPrefix(after, preserved, more, |log|, v);
  }

  /** No boundary of the log waits for the entry as its anchor. */
  predicate NotAwaited(log: Log, preserved: Preservation, e: Entry) {
    forall b | b in Uuids(log) && b in preserved :: preserved[b].anchor != e.uuid
  }

  /** An entry that needs nothing else of the log than the conversation that it continues, where nothing else was to come for that
    * conversation and no boundary waits for the entry as its anchor, is sent after what was sent before: nothing that was sent
    * changes. */
  lemma AppendRendersOneMore(log: Log, preserved: Preservation, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires NeedsNothingElse(log, v, e)
    requires NotAwaited(log, preserved, e)
    ensures WellFormed(Append(log, e)) && e.uuid in Uuids(Append(log, e))
    ensures Rendered(Append(log, e), preserved, e.uuid) == Rendered(log, preserved, v) + [e]
  {
    hide WellFormed, Uuids, Fits, Context, Resent, NeedsNothingElse, NotAwaited;
    if Resent(log, preserved, v).Some? {
      AppendRendersOneMoreWhereResent(log, preserved, e, v);
    } else {
      AppendResendsTheSame(log, preserved, e, v);
      AppendContextIsContextAndEntry(log, e, v);
    }
  }

  /** What is sent again in the conversation at the new entry is what was sent again in the one that it continues. */
  lemma AppendResendsTheSame(log: Log, preserved: Preservation, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires NeedsNothingElse(log, v, e)
    requires NotAwaited(log, preserved, e)
    ensures WellFormed(Append(log, e)) && e.uuid in Uuids(Append(log, e))
    ensures Resent(Append(log, e), preserved, e.uuid) == Resent(log, preserved, v)
  {
    hide WellFormed, UniqueUuids, Members, Root, NeedsNothingElse, Resolves, Fits;
    var after, m, root := Append(log, e), Members(log, v), Root(log, v);
    WellFormedHasUniqueUuids(log);
    AppendIsWellFormed(log, e);
    AppendAddsExactlyOne(log, e);
    NeedingNothingElseAddsOne(log, e, v);
    RootOfAppended(log, e, v);
    RootIsFirstOfAncestry(log, v);
    HeedsInPrefix(after, preserved, preserved, |log|, m, root);
    assert Heeds(after, preserved, m + {e.uuid}, root) <==> Heeds(after, preserved, m, root) by {
      reveal Fits;
    }
  }

  /** The part of `AppendRendersOneMore` about what is sent again. */
  lemma AppendRendersOneMoreWhereResent(log: Log, preserved: Preservation, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires NeedsNothingElse(log, v, e)
    requires NotAwaited(log, preserved, e)
    requires Resent(log, preserved, v).Some?
    ensures WellFormed(Append(log, e)) && e.uuid in Uuids(Append(log, e))
    ensures Rendered(Append(log, e), preserved, e.uuid) == Rendered(log, preserved, v) + [e]
  {
    hide WellFormed, UniqueUuids, Members, Resent, NeedsNothingElse, NotAwaited, Keep, Chosen, PutAfter;
    var p := Resent(log, preserved, v).value;
    var ids := Members(log, v) - Listed(p.ids);
    WellFormedHasUniqueUuids(log);
    AppendResendsTheSame(log, preserved, e, v);
    NeedingNothingElseAddsOne(log, e, v);
    ResentStandsBefore(log, preserved, v);
    assert Members(log, v) + {e.uuid} - Listed(p.ids) == ids + {e.uuid};
    KeepOfLast(log, e, ids + {e.uuid});
    KeepDependsOnIdsThere(log, ids, ids + {e.uuid}) by {
      assert Uuids(log) * ids == Uuids(log) * (ids + {e.uuid});
    }
    ChosenInAppended(log, e, p.ids);
    MembersAreAsOf(log, v);
    PutAfterBeforeTheLast(Keep(log, ids), e, p.anchor, Chosen(log, p.ids));
  }

  /** What is chosen from a log is chosen from it with one more entry. */
  lemma ChosenInAppended(log: Log, e: Entry, ids: seq<Id>)
    requires UniqueUuids(log)
    requires Fits(log, e)
    requires forall v | v in ids :: v in Uuids(log)
    ensures forall v | v in ids :: v in Uuids(Append(log, e))
    ensures Chosen(Append(log, e), ids) == Chosen(log, ids)
  {
    hide UniqueUuids, Fits, Get, Uuids;
    AppendAddsExactlyOne(log, e);
    forall i | 0 <= i < |ids| ensures Chosen(Append(log, e), ids)[i] == Chosen(log, ids)[i] {
      assert ids[i] in ids;
      IndexOfInPrefix(Append(log, e), |log|, ids[i]);
    }
  }

  /** What is put after an entry goes before a last one that is not the anchor. */
  lemma PutAfterBeforeTheLast(entries: Log, e: Entry, anchor: Id, more: Log)
    requires e.uuid != anchor
    ensures PutAfter(entries + [e], anchor, more) == PutAfter(entries, anchor, more) + [e]
  {
    assert (entries + [e])[..|entries|] == entries;
  }

  /** A new entry's conversation starts where that of the entry that it continues does. */
  lemma RootOfAppended(log: Log, e: Entry, v: Id)
    requires WellFormed(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    ensures WellFormed(Append(log, e)) && e.uuid in Uuids(Append(log, e))
    ensures Root(Append(log, e), e.uuid) == Root(log, v)
  {
    AppendIsWellFormed(log, e);
    WellFormedHasUniqueUuids(log);
    AppendAddsExactlyOne(log, e);
    assert Append(log, e)[..|log|] == log;
  }

  /** Branching and then forking is forking and then appending, under the conditions of `AppendRendersOneMore`. */
  lemma BranchThenForkKeptIsForkKeptThenAppend(log: Log, preserved: Preservation, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires NeedsNothingElse(log, v, e)
    requires NotAwaited(log, preserved, e)
    ensures e.uuid in Uuids(Append(log, e))
    ensures Fits(ForkKept(log, preserved, v), e)
    ensures ForkKept(Append(log, e), preserved, e.uuid) == Append(ForkKept(log, preserved, v), e)
  {
    var after, ids := Append(log, e), Kept(log, preserved, v);
    WellFormedHasUniqueUuids(log);
    ForkKeptHoldsExactlyWhatIsKept(log, preserved, v);
    MembersContainsItself(log, v);
    AppendAddsExactlyOne(log, e);
    AppendReachesNoMore(log, preserved, e, v);
    NeedingNothingElseAddsOne(log, e, v);
    forall w | w in Reaches(log, preserved, v) ensures w in Uuids(log) && Members(after, w) == Members(log, w) {
      AppendKeepsOldContexts(log, e, w);
    }
    assert Kept(after, preserved, e.uuid) == ids + {e.uuid};
    KeepOfLast(log, e, ids + {e.uuid});
    assert Uuids(log) * ids == Uuids(log) * (ids + {e.uuid});
    KeepDependsOnIdsThere(log, ids, ids + {e.uuid});
  }

  /** The conversation at the new entry reaches what the one that it continues does. */
  lemma AppendReachesNoMore(log: Log, preserved: Preservation, e: Entry, v: Id)
    requires WellFormed(log)
    requires v in Uuids(log)
    requires Fits(log, e)
    requires e.parent == Some(v)
    requires NeedsNothingElse(log, v, e)
    requires NotAwaited(log, preserved, e)
    ensures e.uuid in Uuids(Append(log, e))
    ensures Reaches(Append(log, e), preserved, e.uuid) == Reaches(log, preserved, v)
  {
    var after, m := Append(log, e), Members(log, v);
    WellFormedHasUniqueUuids(log);
    AppendAddsExactlyOne(log, e);
    NeedingNothingElseAddsOne(log, e, v);
    MembersAreAsOf(log, v);
    assert after[..|log|] == log;
    forall b | b in m
      ensures b in Uuids(after) && b in Uuids(log)
      ensures Heeds(log, preserved, m, b) <==> Heeds(after, preserved, m + {e.uuid}, b)
    {
      HeedsInPrefix(after, preserved, preserved, |log|, m, b);
      assert Heeds(after, preserved, m + {e.uuid}, b) <==> Heeds(after, preserved, m, b);
    }
    forall w | w in Reaches(log, preserved, v) ensures w in Reaches(after, preserved, e.uuid) {
      assert w in Uuids(after);
    }
    forall w | w in Reaches(after, preserved, e.uuid) ensures w in Reaches(log, preserved, v) {
      var b :| b in Uuids(after) && Heeds(after, preserved, m + {e.uuid}, b) && w in preserved[b].ids;
      assert b in m;
      WhatResolvesIsThere(log, b, preserved[b].ids);
    }
  }

  // --- Balance ---

  /** The books of two conversations at once, when their calls have no id in common. */
  ghost function Together(books: Books, out: set<Id>, made: set<Id>): Books {
    match books
    case Broken => Broken
    case Books(o, m) => Books(o + out, m + made)
  }

  /** Blocks do not meet the calls of another conversation. */
  lemma RunBesideOthers(books: Books, blocks: seq<Block>, out: set<Id>, made: set<Id>)
    requires out <= made
    requires UseIds(blocks) + ResultIds(blocks) !! made
    ensures Run(Together(books, out, made), blocks) == Together(Run(books, blocks), out, made)
    decreases |blocks|
  {
    if |blocks| > 0 {
      var before, b := blocks[..|blocks| - 1], blocks[|blocks| - 1];
      IdsOfOneMoreBlock(blocks);
      RunBesideOthers(books, before, out, made);
      EnterBesideOthers(Run(books, before), b, out, made);
    }
  }

  /** One block does not meet the calls of another conversation. */
  lemma EnterBesideOthers(books: Books, b: Block, out: set<Id>, made: set<Id>)
    requires out <= made
    requires !b.Opaque? ==> b.id !in made
    ensures Enter(Together(books, out, made), b) == Together(Enter(books, b), out, made)
  {
    match books
    case Broken =>
    case Books(o, m) =>
      match b
      case Use(t) =>
        assert o + {t} + out == o + out + {t} && m + {t} + made == m + made + {t};
      case Result(t) =>
        assert o - {t} + out == o + out - {t};
      case Opaque(_) =>
  }

  /** The tool ids of a sequence of entries: its calls and what it has results of. */
  ghost function ToolIds(entries: Log): set<Id> {
    UseIds(Blocks(entries)) + ResultIds(Blocks(entries))
  }

  /** A stretch put into a conversation with which it shares no tool id leaves it sound, or balanced, exactly if both are. */
  lemma InsertedBalance(first: Log, more: Log, last: Log)
    requires ToolIds(more) !! ToolIds(first + last)
    ensures Sound(first + more + last) <==> Sound(first + last) && Sound(more)
    ensures Balanced(first + more + last) <==> Balanced(first + last) && Balanced(more)
  {
    var x, m, y := Blocks(first), Blocks(more), Blocks(last);
    BooksOfConcatenation(first, more);
    BooksOfConcatenation(first + more, last);
    BooksOfConcatenation(first, last);
    BlocksOfConcatenation(first, last);
    ToolIdsOfParts(x, y);
    var one := Run(Blank, x);
    match one
    case Broken =>
      BrokenStaysBroken(m);
      BrokenStaysBroken(y);
    case Books(o, made) =>
      BooksSayWhatIsOut(x);
      assert Together(Blank, o, made) == one;
      RunBesideOthers(Blank, m, o, made);
      var two := Run(Blank, m);
      match two
      case Broken =>
        BrokenStaysBroken(y);
      case Books(o2, made2) =>
        BooksSayWhatIsOut(m);
        assert Together(one, o2, made2) == Together(two, o, made) == Run(one, m);
        RunBesideOthers(one, y, o2, made2);
  }

  /** The calls and results of two stretches, one after the other, are those of both. */
  lemma ToolIdsOfParts(a: seq<Block>, b: seq<Block>)
    ensures UseIds(a + b) == UseIds(a) + UseIds(b)
    ensures ResultIds(a + b) == ResultIds(a) + ResultIds(b)
  {
    assert forall x :: x in a + b <==> x in a || x in b;
  }

  /** Where something is sent again, and it and the rest of the context have no tool id in common, neither of a call nor of a
    * result, what is sent is balanced exactly if each of the two is by itself. The rest is the context, unless something that is
    * sent again belongs to it. */
  lemma RenderedIsBalancedExactly(log: Log, preserved: Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Resent(log, preserved, u).Some?
    ensures forall v | v in Resent(log, preserved, u).value.ids :: v in Uuids(log)
    ensures var ids := Resent(log, preserved, u).value.ids;
            var rest, again := Keep(log, Members(log, u) - Listed(ids)), Chosen(log, ids);
            && (Members(log, u) !! Listed(ids) ==> rest == Context(log, u))
            && (ToolIds(again) !! ToolIds(rest) ==>
                  && (Balanced(Rendered(log, preserved, u)) <==> Balanced(rest) && Balanced(again))
                  && (Sound(Rendered(log, preserved, u)) <==> Sound(rest) && Sound(again)))
  {
    RenderedIsRestWithPreservedAfterAnchor(log, preserved, u);
    var p := Resent(log, preserved, u).value;
    var rest, again := Keep(log, Members(log, u) - Listed(p.ids)), Chosen(log, p.ids);
    var k := IndexOf(rest, p.anchor) + 1;
    assert rest == rest[..k] + rest[k..];
    if ToolIds(again) !! ToolIds(rest) {
      InsertedBalance(rest[..k], again, rest[k..]);
    }
  }
}

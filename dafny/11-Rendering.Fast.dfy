// Chapter 11, the algorithms: whether a conversation heeds a boundary, by the index; what is kept, by a search for the
// conversation and one for each preserved entry that is not there yet; and the positions of what is sent, in one pass.
include "04-Contexts.Fast.dfy"
include "11-Rendering.Proofs.dfy"

module RenderingFast {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened Ancestries
  import opened AncestriesProofs
  import opened AncestriesFast
  import opened Contexts
  import opened ContextsProofs
  import opened Links
  import opened ContextsFast
  import opened Rendering
  import opened RenderingProofs
  import Layers

  /** The marks are those of a set of ids. */
  ghost predicate Marks(log: Log, mark: seq<bool>, ids: set<Id>) {
    && |mark| == |log|
    && (forall j | 0 <= j < |log| :: mark[j] <==> log[j].uuid in ids)
  }

  // --- Where a conversation starts ---

  /** The number view has the positions of the parents. */
  lemma LinksHaveParents(links: Links, log: Log)
    requires Represents(links, log)
    ensures AreParents(log, links.parent)
  {
  }

  /** A conversation starts where that of the parent does. */
  lemma RootUnfolds(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Get(log, u).parent.None? ==> Root(log, u) == u
    ensures Get(log, u).parent.Some? ==>
              Get(log, u).parent.value in Uuids(log) && Root(log, u) == Root(log, Get(log, u).parent.value)
  {
    AncestryUnfolds(log, u);
    RootBeginsAncestry(log, u);
    if Get(log, u).parent.Some? {
      RootBeginsAncestry(log, Get(log, u).parent.value);
    }
  }

  /** The position at which the conversation at position `i` starts. */
  method FastRoot(ghost log: Log, up: seq<int>, i: nat) returns (root: nat)
    requires WellFormed(log)
    requires AreParents(log, up)
    requires i < |log|
    ensures root <= i
    ensures log[i].uuid in Uuids(log) && log[root].uuid == Root(log, log[i].uuid)
  {
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    root := i;
    while up[root] >= 0
      invariant root <= i
      invariant log[root].uuid in Uuids(log)
      invariant Root(log, log[root].uuid) == Root(log, log[i].uuid)
      decreases root
    {
      IndexOfIsPosition(log, root);
      IndexOfIsPosition(log, up[root]);
      RootUnfolds(log, log[root].uuid);
      root := up[root];
    }
    IndexOfIsPosition(log, root);
    RootUnfolds(log, log[root].uuid);
  }

  // --- What is heeded ---

  /** Decides whether a list of ids resolves before position `j`. */
  method DecideResolves(log: Log, at: map<Id, nat>, j: nat, ids: seq<Id>) returns (resolves: bool)
    requires UniqueUuids(log)
    requires IsIndex(log, at)
    requires j < |log|
    ensures log[j].uuid in Uuids(log)
    ensures resolves == Resolves(log, log[j].uuid, ids)
  {
    IndexOfIsPosition(log, j);
    var seen: Layers.Table<Id, nat> := Layers.Empty();
    for k := 0 to |ids|
      invariant Layers.Flat(seen).Keys == Listed(ids[..k])
      invariant Distinct(ids[..k])
      invariant forall v | v in ids[..k] :: v in Uuids(log[..j])
    {
      assert ids[..k + 1] == ids[..k] + [ids[k]];
      assert ids[k] in ids;
      IndexTellsWhatStandsBefore(log, at, j, ids[k]);
      if Layers.Has(seen, ids[k]) {
        ghost var i :| 0 <= i < k && ids[i] == ids[k];
        return false;
      }
      if ids[k] !in at || at[ids[k]] >= j {
        return false;
      }
      assert forall a | 0 <= a < k :: ids[a] in ids[..k];
      seen := Layers.Put(seen, ids[k], k);
    }
    assert ids[..|ids|] == ids;
    resolves := true;
  }

  /** Decides whether a conversation, given by its marks, heeds the boundary at position `j`. */
  method DecideHeeds(log: Log, at: map<Id, nat>, preserved: Preservation, mark: seq<bool>, ghost conversation: set<Id>, j: nat)
    returns (heeds: bool)
    requires UniqueUuids(log)
    requires IsIndex(log, at)
    requires Marks(log, mark, conversation) && conversation <= Uuids(log)
    requires j < |log|
    ensures log[j].uuid in Uuids(log)
    ensures heeds == Heeds(log, preserved, conversation, log[j].uuid)
  {
    var b := log[j].uuid;
    IndexOfIsPosition(log, j);
    if !mark[j] || b !in preserved || log[j].parent.Some? {
      return false;
    }
    var p := preserved[b];
    if p.anchor !in at || !mark[at[p.anchor]] || p.anchor in p.ids {
      return false;
    }
    heeds := DecideResolves(log, at, j, p.ids);
  }

  // --- What is kept ---

  /** The conversations at some ids. */
  ghost function Conversations(log: Log, ids: set<Id>): set<Id> {
    set v, w | v in Uuids(log) && v in ids && w in Members(log, v) :: w
  }

  /** Conversations at more ids. */
  lemma ConversationsAtMore(log: Log, a: set<Id>, b: set<Id>)
    ensures Conversations(log, a + b) == Conversations(log, a) + Conversations(log, b)
  {
  }

  /** The conversation at one id. */
  lemma ConversationAtOne(log: Log, v: Id)
    requires v in Uuids(log)
    ensures Conversations(log, {v}) == Members(log, v)
  {
  }

  /** What is marked in either. */
  method Either(a: seq<bool>, b: seq<bool>) returns (either: seq<bool>)
    requires |a| == |b|
    ensures |either| == |a|
    ensures forall j | 0 <= j < |a| :: either[j] <==> a[j] || b[j]
  {
    either := seq(|a|, j requires 0 <= j < |a| => a[j] || b[j]);
  }

  /** Whole conversations and one more. */
  lemma OneMoreConversation(log: Log, ids: set<Id>, v: Id)
    requires UniqueUuids(log)
    requires HoldsConversations(log, ids)
    requires v in Uuids(log)
    ensures HoldsConversations(log, ids + Members(log, v))
  {
    MembersAreAsOf(log, v);
    forall w | w in Uuids(log) && w in ids + Members(log, v) ensures Members(log, w) <= ids + Members(log, v) {
      if w in Members(log, v) {
        MembersOfMember(log, v, w);
      }
    }
  }

  /** Adds to whole conversations the one at position `j`; nothing is to be done where the position is marked already. */
  method AddConversation(links: Links, ghost log: Log, mark: seq<bool>, ghost ids: set<Id>, j: nat) returns (more: seq<bool>)
    requires WellFormed(log)
    requires Represents(links, log)
    requires Marks(log, mark, ids) && HoldsConversations(log, ids)
    requires j < |log|
    ensures log[j].uuid in Uuids(log)
    ensures Marks(log, more, ids + Members(log, log[j].uuid)) && HoldsConversations(log, ids + Members(log, log[j].uuid))
  {
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, j);
    OneMoreConversation(log, ids, log[j].uuid);
    if mark[j] {
      assert ids + Members(log, log[j].uuid) == ids;
      more := mark;
    } else {
      var here := FastMembers(links, log, j);
      more := Either(mark, here);
    }
  }

  /** Adds to whole conversations those at the ids of a list, the last one first: it mostly holds the others. */
  method AddConversations(links: Links, ghost log: Log, at: map<Id, nat>, mark: seq<bool>, ghost ids: set<Id>, list: seq<Id>)
    returns (more: seq<bool>)
    requires WellFormed(log)
    requires Represents(links, log)
    requires IsIndex(log, at)
    requires Marks(log, mark, ids) && HoldsConversations(log, ids)
    requires forall v | v in list :: v in Uuids(log)
    ensures Marks(log, more, ids + Conversations(log, Listed(list)))
    ensures HoldsConversations(log, ids + Conversations(log, Listed(list)))
  {
    more := mark;
    var k := |list|;
    ghost var now := ids;
    assert list[k..] == [];
    assert now == ids + Conversations(log, Listed(list[k..]));
    while k > 0
      invariant k <= |list|
      invariant now == ids + Conversations(log, Listed(list[k..]))
      invariant Marks(log, more, now) && HoldsConversations(log, now)
    {
      k := k - 1;
      assert list[k] in list;
      assert list[k..] == [list[k]] + list[k + 1..];
      assert Listed(list[k..]) == {list[k]} + Listed(list[k + 1..]);
      ConversationsAtMore(log, {list[k]}, Listed(list[k + 1..]));
      ConversationAtOne(log, list[k]);
      more := AddConversation(links, log, more, now, at[list[k]]);
      now := now + Members(log, list[k]);
    }
    assert list[0..] == list;
  }

  /** What the boundaries before position `n` preserve, as far as the conversation at `u` heeds them. */
  ghost function ReachesUpTo(log: Log, preserved: Preservation, u: Id, n: nat): set<Id>
    requires u in Uuids(log)
    requires n <= |log|
  {
    set b, v | b in Uuids(log[..n]) && b in Uuids(log) && Heeds(log, preserved, Members(log, u), b)
               && v in preserved[b].ids && v in Uuids(log) :: v
  }

  /** One more position is no boundary that is heeded, or one. */
  lemma ReachesOneMore(log: Log, preserved: Preservation, u: Id, n: nat)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires n < |log|
    ensures log[n].uuid in Uuids(log)
    ensures var b := log[n].uuid;
            if Heeds(log, preserved, Members(log, u), b)
            then (forall v | v in preserved[b].ids :: v in Uuids(log))
                 && ReachesUpTo(log, preserved, u, n + 1) == ReachesUpTo(log, preserved, u, n) + Listed(preserved[b].ids)
            else ReachesUpTo(log, preserved, u, n + 1) == ReachesUpTo(log, preserved, u, n)
  {
    var b := log[n].uuid;
    IndexOfIsPosition(log, n);
    assert log[..n + 1] == log[..n] + [log[n]];
    UuidsOfLast(log[..n + 1]);
    assert log[..n + 1][..n] == log[..n];
    if Heeds(log, preserved, Members(log, u), b) {
      WhatResolvesIsThere(log, b, preserved[b].ids);
    }
  }

  /** The boundaries of a conversation stand at its entry or before it. */
  lemma AllIsReachedUpTo(log: Log, preserved: Preservation, i: nat)
    requires UniqueUuids(log)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures ReachesUpTo(log, preserved, log[i].uuid, i + 1) == Reaches(log, preserved, log[i].uuid)
  {
    var u := log[i].uuid;
    IndexOfIsPosition(log, i);
    forall b | b in Uuids(log) && Heeds(log, preserved, Members(log, u), b) ensures b in Uuids(log[..i + 1]) {
      MembersStandBefore(log, u, b);
      LaterIsNotInPrefix(log, i + 1, b);
    }
  }

  /** What is kept for the boundaries before position `n`. */
  ghost function KeptUpTo(log: Log, preserved: Preservation, u: Id, n: nat): set<Id>
    requires u in Uuids(log)
    requires n <= |log|
  {
    Members(log, u) + Conversations(log, ReachesUpTo(log, preserved, u, n))
  }

  /** For no boundary nothing but the conversation is kept. */
  lemma KeptUpToNone(log: Log, preserved: Preservation, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures KeptUpTo(log, preserved, u, 0) == Members(log, u)
    ensures HoldsConversations(log, KeptUpTo(log, preserved, u, 0))
  {
    MembersAreWhole(log, u);
    assert ReachesUpTo(log, preserved, u, 0) == {};
  }

  /** One more position adds the conversations at what it preserves, or nothing. */
  lemma KeptUpToOneMore(log: Log, preserved: Preservation, u: Id, n: nat)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires n < |log|
    ensures log[n].uuid in Uuids(log)
    ensures var b := log[n].uuid;
            if Heeds(log, preserved, Members(log, u), b)
            then (forall v | v in preserved[b].ids :: v in Uuids(log))
                 && KeptUpTo(log, preserved, u, n + 1)
                    == KeptUpTo(log, preserved, u, n) + Conversations(log, Listed(preserved[b].ids))
            else KeptUpTo(log, preserved, u, n + 1) == KeptUpTo(log, preserved, u, n)
  {
    ReachesOneMore(log, preserved, u, n);
    if Heeds(log, preserved, Members(log, u), log[n].uuid) {
      ConversationsAtMore(log, ReachesUpTo(log, preserved, u, n), Listed(preserved[log[n].uuid].ids));
    }
  }

  /** For the boundaries up to the entry itself everything is kept that must be. */
  lemma KeptUpToAll(log: Log, preserved: Preservation, i: nat)
    requires UniqueUuids(log)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures KeptUpTo(log, preserved, log[i].uuid, i + 1) == Kept(log, preserved, log[i].uuid)
  {
    AllIsReachedUpTo(log, preserved, i);
  }

  /** What a fork at position `i` keeps. */
  method FastKept(links: Links, log: Log, at: map<Id, nat>, preserved: Preservation, i: nat) returns (mark: seq<bool>)
    requires WellFormed(log)
    requires Represents(links, log)
    requires IsIndex(log, at)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures Marks(log, mark, Kept(log, preserved, log[i].uuid))
  {
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    ghost var u := log[i].uuid;
    var own := FastMembers(links, log, i);
    mark := own;
    MembersAreAsOf(log, u);
    KeptUpToNone(log, preserved, u);
    for j := 0 to i + 1
      invariant Marks(log, mark, KeptUpTo(log, preserved, u, j))
      invariant HoldsConversations(log, KeptUpTo(log, preserved, u, j))
    {
      var heeds := DecideHeeds(log, at, preserved, own, Members(log, u), j);
      KeptUpToOneMore(log, preserved, u, j);
      if heeds {
        mark := AddConversations(links, log, at, mark, KeptUpTo(log, preserved, u, j), preserved[log[j].uuid].ids);
      }
    }
    KeptUpToAll(log, preserved, i);
  }

  /** The members of a conversation bring their conversations. */
  lemma MembersAreWhole(log: Log, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures HoldsConversations(log, Members(log, u))
  {
    MembersAreAsOf(log, u);
    forall v | v in Uuids(log) && v in Members(log, u) ensures Members(log, v) <= Members(log, u) {
      MembersOfMember(log, u, v);
    }
  }

  // --- What is sent ---

  /** Where the anchor is not there, nothing is put anywhere. */
  lemma PuttingAfterNoAnchor(entries: Log, anchor: Id, more: Log)
    requires anchor !in Uuids(entries)
    ensures PutAfter(entries, anchor, more) == entries
    decreases |entries|
  {
    if |entries| > 0 {
      UuidsOfLast(entries);
      PuttingAfterNoAnchor(entries[..|entries| - 1], anchor, more);
    }
  }

  /** Putting into entries and one more: right after it when it is the anchor, and before it else. */
  lemma PutAfterOfOneMore(entries: Log, e: Entry, anchor: Id, more: Log)
    requires e.uuid !in Uuids(entries)
    ensures PutAfter(entries + [e], anchor, more) ==
            if e.uuid == anchor then PutAfter(entries, anchor, more) + [e] + more else PutAfter(entries, anchor, more) + [e]
  {
    assert (entries + [e])[..|entries|] == entries;
    if e.uuid == anchor {
      PuttingAfterNoAnchor(entries, anchor, more);
    }
  }

  /** The positions of some ids, in their order. */
  method PositionsAt(ghost log: Log, at: map<Id, nat>, ids: seq<Id>) returns (positions: seq<nat>)
    requires IsIndex(log, at)
    requires forall v | v in ids :: v in Uuids(log)
    ensures forall p | p in positions :: p < |log|
    ensures EntriesAt(log, positions) == Chosen(log, ids)
  {
    positions := seq(|ids|, k requires 0 <= k < |ids| => assert ids[k] in ids; at[ids[k]]);
    forall k | 0 <= k < |ids| ensures positions[k] < |log| && log[positions[k]] == Get(log, ids[k]) {
      assert ids[k] in ids;
    }
  }

  /** The positions of what is sent at position `i`, in the order in which it is sent. */
  method FastRendered(links: Links, log: Log, at: map<Id, nat>, preserved: Preservation, i: nat) returns (positions: seq<nat>)
    requires WellFormed(log)
    requires Represents(links, log)
    requires IsIndex(log, at)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures forall p | p in positions :: p < |log|
    ensures EntriesAt(log, positions) == Rendered(log, preserved, log[i].uuid)
  {
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    ghost var u := log[i].uuid;
    var own := FastMembers(links, log, i);
    MembersAreAsOf(log, u);
    LinksHaveParents(links, log);
    var root := FastRoot(log, links.parent, i);
    var heeds := DecideHeeds(log, at, preserved, own, Members(log, u), root);
    if heeds {
      var p := preserved[log[root].uuid];
      assert Resent(log, preserved, u) == Some(p);
      ResentStandsBefore(log, preserved, u);
      var again := PositionsAt(log, at, p.ids);
      positions := PutPositions(log, i, own, p, again);
    } else {
      positions := MarkedPositions(log, i, own);
    }
  }

  /** The marked positions up to `i`. */
  method MarkedPositions(ghost log: Log, i: nat, own: seq<bool>) returns (positions: seq<nat>)
    requires UniqueUuids(log)
    requires i < |log|
    requires log[i].uuid in Uuids(log) && Marks(log, own, Members(log, log[i].uuid))
    ensures forall q | q in positions :: q < |log|
    ensures EntriesAt(log, positions) == Context(log, log[i].uuid)
  {
    hide UniqueUuids, Members, Keep;
    ghost var u := log[i].uuid;
    assert Keep(log[..0], Members(log, u)) == [] by {
      reveal Keep;
    }
    positions := [];
    for j := 0 to i + 1
      invariant forall q | q in positions :: q < |log|
      invariant EntriesAt(log, positions) == Keep(log[..j], Members(log, u))
    {
      assert log[..j + 1] == log[..j] + [log[j]];
      KeepOfLast(log[..j], log[j], Members(log, u));
      if own[j] {
        EntriesAtBoth(log, positions, [j]);
        positions := positions + [j];
      }
    }
    IndexOfIsPosition(log, i);
    ContextIsKeptFromAsOf(log, u);
  }

  /** What is put into what is kept of a log, one entry further on. */
  lemma KeptAndPutGoesOn(log: Log, j: nat, ids: set<Id>, anchor: Id, more: Log)
    requires UniqueUuids(log)
    requires j < |log|
    ensures var before, e := PutAfter(Keep(log[..j], ids), anchor, more), log[j];
            PutAfter(Keep(log[..j + 1], ids), anchor, more) ==
            if e.uuid !in ids then before else if e.uuid == anchor then before + [e] + more else before + [e]
  {
    hide UniqueUuids, Uuids, Keep, PutAfter;
    assert log[..j + 1] == log[..j] + [log[j]];
    KeepOfLast(log[..j], log[j], ids);
    UuidsOfKeep(log[..j], ids);
    IndexOfIsPosition(log, j);
    LaterIsNotInPrefix(log, j, log[j].uuid);
    PutAfterOfOneMore(Keep(log[..j], ids), log[j], anchor, more);
  }

  /** The marked positions up to `i` that are not listed, and right after the anchor those that are sent again. */
  method PutPositions(log: Log, i: nat, own: seq<bool>, p: Preserved, again: seq<nat>) returns (positions: seq<nat>)
    requires UniqueUuids(log)
    requires i < |log|
    requires log[i].uuid in Uuids(log) && Marks(log, own, Members(log, log[i].uuid))
    requires forall v | v in p.ids :: v in Uuids(log)
    requires forall q | q in again :: q < |log|
    requires EntriesAt(log, again) == Chosen(log, p.ids)
    ensures forall q | q in positions :: q < |log|
    ensures EntriesAt(log, positions) ==
            PutAfter(Keep(log, Members(log, log[i].uuid) - Listed(p.ids)), p.anchor, Chosen(log, p.ids))
  {
    hide UniqueUuids, Uuids, Members, Keep, Chosen, PutAfter;
    ghost var ids := Members(log, log[i].uuid) - Listed(p.ids);
    IndexOfIsPosition(log, i);
    assert PutAfter(Keep(log[..0], ids), p.anchor, Chosen(log, p.ids)) == [] by {
      reveal Keep, PutAfter;
    }
    var moved := Listed(p.ids);
    positions := [];
    for j := 0 to i + 1
      invariant forall q | q in positions :: q < |log|
      invariant EntriesAt(log, positions) == PutAfter(Keep(log[..j], ids), p.anchor, Chosen(log, p.ids))
    {
      KeptAndPutGoesOn(log, j, ids, p.anchor, Chosen(log, p.ids));
      if own[j] && log[j].uuid !in moved {
        EntriesAtBoth(log, positions, [j]);
        positions := positions + [j];
        if log[j].uuid == p.anchor {
          EntriesAtBoth(log, positions, again);
          positions := positions + again;
        }
      }
    }
    MembersAreAsOf(log, log[i].uuid);
    KeepFromPrefix(log, i + 1, ids);
  }
}

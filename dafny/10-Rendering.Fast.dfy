// Chapter 10, the algorithms: whether a conversation heeds a boundary, by the index; what is crossed, by a search for each
// boundary that lists an entry of the ancestry; what is kept, by a search for the conversation and one for each entry that is
// reached and not there yet; and the positions of what is sent, in one pass for each part.
include "04-Contexts.Fast.dfy"
include "10-Rendering.Proofs.dfy"

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

  // --- What is crossed ---

  /** The conversation at its own anchor heeds the boundary: so it preserves all that it lists. */
  ghost predicate HeededAtItsAnchor(log: Log, preserved: Preservation, b: Id)
    requires b in Uuids(log)
  {
    && b in preserved
    && preserved[b].anchor in Uuids(log)
    && Heeds(log, preserved, Members(log, preserved[b].anchor), b)
  }

  /** Decides whether the conversation at its own anchor heeds the boundary at position `j`, by a search. */
  method DecideHeededAtItsAnchor(links: Links, log: Log, at: map<Id, nat>, preserved: Preservation, j: nat)
    returns (heeded: bool)
    requires WellFormed(log)
    requires Represents(links, log)
    requires IsIndex(log, at)
    requires j < |log|
    ensures log[j].uuid in Uuids(log)
    ensures heeded == HeededAtItsAnchor(log, preserved, log[j].uuid)
  {
    hide WellFormed, UniqueUuids, Represents, Members, Heeds;
    var b := log[j].uuid;
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, j);
    if b !in preserved || preserved[b].anchor !in at {
      return false;
    }
    var anchor := preserved[b].anchor;
    var there := FastMembers(links, log, at[anchor]);
    MembersAreAsOf(log, anchor);
    heeded := DecideHeeds(log, at, preserved, there, Members(log, anchor), j);
  }

  /** The positions of the roots that may preserve something, rising. */
  ghost predicate AreBoundaries(log: Log, preserved: Preservation, boundaries: seq<nat>) {
    && (forall k | 0 <= k < |boundaries| :: boundaries[k] < |log|)
    && (forall k | 0 <= k < |boundaries| :: log[boundaries[k]].uuid in preserved)
    && (forall k, l | 0 <= k < l < |boundaries| :: boundaries[k] < boundaries[l])
    && (forall j | 0 <= j < |log| && log[j].parent.None? && log[j].uuid in preserved :: j in boundaries)
  }

  /** Finds them in one pass. */
  method FindBoundaries(log: Log, preserved: Preservation) returns (boundaries: seq<nat>)
    ensures AreBoundaries(log, preserved, boundaries)
  {
    boundaries := [];
    for j := 0 to |log|
      invariant forall k | 0 <= k < |boundaries| :: boundaries[k] < j
      invariant forall k | 0 <= k < |boundaries| :: log[boundaries[k]].uuid in preserved
      invariant forall k, l | 0 <= k < l < |boundaries| :: boundaries[k] < boundaries[l]
      invariant forall m | 0 <= m < j && log[m].parent.None? && log[m].uuid in preserved :: m in boundaries
    {
      if log[j].parent.None? && log[j].uuid in preserved {
        boundaries := boundaries + [j];
      }
    }
  }

  /** What is known so far of boundaries, by their positions. */
  ghost predicate IsKnown(log: Log, preserved: Preservation, known: map<nat, bool>) {
    forall j | j in known ::
      j < |log| && log[j].uuid in Uuids(log) && (known[j] <==> HeededAtItsAnchor(log, preserved, log[j].uuid))
  }

  /** A boundary that may preserve something stands in the log. */
  lemma BoundaryIsThere(log: Log, preserved: Preservation, boundaries: seq<nat>, k: nat)
    requires UniqueUuids(log)
    requires AreBoundaries(log, preserved, boundaries)
    requires k < |boundaries|
    ensures boundaries[k] < |log|
    ensures log[boundaries[k]].uuid in Uuids(log) && IndexOf(log, log[boundaries[k]].uuid) == boundaries[k]
    ensures log[boundaries[k]].uuid in preserved
  {
    hide UniqueUuids;
    IndexOfIsPosition(log, boundaries[k]);
  }

  /** When an entry crosses a boundary by itself, said by positions. */
  lemma CrossesByPosition(log: Log, preserved: Preservation, b: Id, e: nat)
    requires UniqueUuids(log)
    requires b in Uuids(log) && b in preserved
    requires e < |log| && log[e].parent.Some?
    ensures log[e].uuid in Uuids(log)
    ensures Crosses(log, preserved, b, log[e].uuid) <==>
            && preserved[b].anchor in Uuids(log)
            && IndexOf(log, preserved[b].anchor) < e
            && log[e].parent.value in preserved[b].ids
            && HeededAtItsAnchor(log, preserved, b)
  {
    hide UniqueUuids, Members, Heeds;
    IndexOfIsPosition(log, e);
  }

  /** The boundary that the entry at position `e`, a child of `p`, crosses by itself, if it does: the last one, so the
    * search begins at the end. */
  method FindCrosser(
    links: Links, log: Log, at: map<Id, nat>, preserved: Preservation, boundaries: seq<nat>, known: map<nat, bool>, e: nat, p: Id)
    returns (found: Option<nat>, more: map<nat, bool>)
    requires WellFormed(log)
    requires Represents(links, log)
    requires IsIndex(log, at)
    requires AreBoundaries(log, preserved, boundaries)
    requires IsKnown(log, preserved, known)
    requires e < |log| && log[e].parent == Some(p)
    ensures IsKnown(log, preserved, more)
    ensures log[e].uuid in Uuids(log)
    ensures found.Some? ==> found.value < |log|
    ensures var last := LastOf(log, Crossers(log, preserved, log[e].uuid));
            if found.Some? then last == Some(log[found.value].uuid) else last.None?
  {
    hide WellFormed, UniqueUuids, Represents, AreBoundaries, Crosses, Crossers, HeededAtItsAnchor, LastOf;
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, e);
    more := known;
    var k := |boundaries|;
    while k > 0
      invariant 0 <= k <= |boundaries|
      invariant IsKnown(log, preserved, more)
      invariant forall l | k <= l < |boundaries| ::
                  && boundaries[l] < |log| && log[boundaries[l]].uuid in Uuids(log)
                  && !Crosses(log, preserved, log[boundaries[l]].uuid, log[e].uuid)
    {
      k := k - 1;
      BoundaryIsThere(log, preserved, boundaries, k);
      var j := boundaries[k];
      var q := preserved[log[j].uuid];
      CrossesByPosition(log, preserved, log[j].uuid, e);
      if q.anchor in at && at[q.anchor] < e && p in q.ids {
        if j !in more {
          var heeded := DecideHeededAtItsAnchor(links, log, at, preserved, j);
          more := more[j := heeded];
        }
        if more[j] {
          NoLaterOneCrosses(log, preserved, boundaries, k, e);
          return Some(j), more;
        }
      }
    }
    NoneCrosses(log, preserved, boundaries, log[e].uuid);
    found := None;
  }

  /** A boundary that preserves an entry is one of those that may preserve something. */
  lemma PreserversAreBoundaries(log: Log, preserved: Preservation, boundaries: seq<nat>, b: Id, p: Id) returns (k: nat)
    requires AreBoundaries(log, preserved, boundaries)
    requires b in Uuids(log) && Preserves(log, preserved, b, p)
    ensures k < |boundaries| && boundaries[k] == IndexOf(log, b) && log[boundaries[k]].uuid == b
  {
    hide Members;
    assert Get(log, b).parent.None? && b in preserved;
    assert IndexOf(log, b) in boundaries;
    k :| 0 <= k < |boundaries| && boundaries[k] == IndexOf(log, b);
  }

  /** Of rising positions the later one is the larger. */
  lemma LaterIsLarger(log: Log, preserved: Preservation, boundaries: seq<nat>, k: nat)
    requires AreBoundaries(log, preserved, boundaries)
    requires k < |boundaries|
    ensures forall l | 0 <= l < |boundaries| && boundaries[k] <= boundaries[l] :: k <= l
  {
  }

  /** Where no boundary crosses, there is no last one. */
  lemma NoneCrosses(log: Log, preserved: Preservation, boundaries: seq<nat>, e: Id)
    requires AreBoundaries(log, preserved, boundaries)
    requires e in Uuids(log)
    requires forall l | 0 <= l < |boundaries| ::
               && boundaries[l] < |log| && log[boundaries[l]].uuid in Uuids(log)
               && !Crosses(log, preserved, log[boundaries[l]].uuid, e)
    ensures LastOf(log, Crossers(log, preserved, e)).None?
  {
    hide Preserves, AreBoundaries, LastOf;
    var last := LastOf(log, Crossers(log, preserved, e));
    if last.Some? {
      var k := PreserversAreBoundaries(log, preserved, boundaries, last.value, Get(log, e).parent.value);
    }
  }

  /** A boundary that is crossed is the last one, where no later one is. */
  lemma NoLaterOneCrosses(log: Log, preserved: Preservation, boundaries: seq<nat>, k: nat, e: nat)
    requires UniqueUuids(log)
    requires AreBoundaries(log, preserved, boundaries)
    requires e < |log| && log[e].uuid in Uuids(log)
    requires k < |boundaries|
    requires log[boundaries[k]].uuid in Uuids(log) && Crosses(log, preserved, log[boundaries[k]].uuid, log[e].uuid)
    requires forall l | k < l < |boundaries| ::
               && boundaries[l] < |log| && log[boundaries[l]].uuid in Uuids(log)
               && !Crosses(log, preserved, log[boundaries[l]].uuid, log[e].uuid)
    ensures LastOf(log, Crossers(log, preserved, log[e].uuid)) == Some(log[boundaries[k]].uuid)
  {
    hide UniqueUuids, Preserves, LastOf;
    var b := log[boundaries[k]].uuid;
    LastOfIsLast(log, Crossers(log, preserved, log[e].uuid));
    assert b in Crossers(log, preserved, log[e].uuid);
    IndexOfIsPosition(log, boundaries[k]);
    var last := LastOf(log, Crossers(log, preserved, log[e].uuid)).value;
    var l := PreserversAreBoundaries(log, preserved, boundaries, last, Get(log, log[e].uuid).parent.value);
    LaterIsLarger(log, preserved, boundaries, k);
  }

  /** What is crossed at position `i`: up the parents, at each step the last boundary that is. */
  method FastCrossed(links: Links, log: Log, at: map<Id, nat>, preserved: Preservation, i: nat)
    returns (crossed: Option<Crossing>)
    requires WellFormed(log)
    requires Represents(links, log)
    requires IsIndex(log, at)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures crossed == Crossed(log, preserved, log[i].uuid)
  {
    hide WellFormed, UniqueUuids, Crossed, LastOf, HeededAtItsAnchor, Represents, Crossers, AreBoundaries;
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    LinksHaveParents(links, log);
    var boundaries := FindBoundaries(log, preserved);
    var known: map<nat, bool> := map[];
    var e: nat := i;
    while links.parent[e] >= 0
      invariant e <= i
      invariant IsKnown(log, preserved, known)
      invariant log[e].uuid in Uuids(log)
      invariant Crossed(log, preserved, log[e].uuid) == Crossed(log, preserved, log[i].uuid)
      decreases e
    {
      var p := links.parent[e];
      IndexOfIsPosition(log, e);
      CrossedUnfolds(log, preserved, log[e].uuid);
      var found: Option<nat>;
      found, known := FindCrosser(links, log, at, preserved, boundaries, known, e, log[p].uuid);
      if found.Some? {
        return Some(Crossing(log[found.value].uuid, log[p].uuid));
      }
      e := p;
    }
    IndexOfIsPosition(log, e);
    CrossedUnfolds(log, preserved, log[e].uuid);
    crossed := None;
  }

  // --- What is kept ---

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
    hide WellFormed, Represents, Marks, HoldsConversations, Conversations, Members;
    more := mark;
    var k := |list|;
    ghost var now := ids;
    assert list[k..] == [];
    assert Conversations(log, Listed([])) == {} by {
      reveal Conversations;
    }
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
    ensures ReachesUpTo(log, preserved, log[i].uuid, i + 1) == ReachesWithin(log, preserved, log[i].uuid)
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

  /** For the boundaries up to the entry itself everything is kept that must be, but for what is crossed. */
  lemma KeptUpToAll(log: Log, preserved: Preservation, i: nat)
    requires UniqueUuids(log)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures KeptUpTo(log, preserved, log[i].uuid, i + 1) + Conversations(log, ReachesAcross(log, preserved, log[i].uuid))
         == Kept(log, preserved, log[i].uuid)
  {
    hide Members, ReachesWithin, ReachesAcross, ReachesUpTo;
    AllIsReachedUpTo(log, preserved, i);
    var u := log[i].uuid;
    ConversationsAtMore(log, ReachesWithin(log, preserved, u), ReachesAcross(log, preserved, u));
  }

  /** Adds to whole conversations those at a list and at an anchor. */
  method AddAcross(links: Links, log: Log, at: map<Id, nat>, preserved: Preservation, mark: seq<bool>, ghost ids: set<Id>, b: Id)
    returns (more: seq<bool>)
    requires WellFormed(log)
    requires Represents(links, log)
    requires IsIndex(log, at)
    requires Marks(log, mark, ids) && HoldsConversations(log, ids)
    requires b in preserved && preserved[b].anchor in Uuids(log)
    requires forall v | v in preserved[b].ids :: v in Uuids(log)
    ensures Marks(log, more, ids + Conversations(log, Listed(preserved[b].ids) + {preserved[b].anchor}))
  {
    hide WellFormed, Represents, HoldsConversations, Conversations, Members;
    var p := preserved[b];
    ConversationsAtMore(log, Listed(p.ids), {p.anchor});
    ConversationAtOne(log, p.anchor);
    more := AddConversations(links, log, at, mark, ids, p.ids);
    more := AddConversation(links, log, more, ids + Conversations(log, Listed(p.ids)), at[p.anchor]);
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
    var crossed := FastCrossed(links, log, at, preserved, i);
    WhatIsCrossedIsThere(log, preserved, u);
    if crossed.Some? {
      mark := AddAcross(links, log, at, preserved, mark, KeptUpTo(log, preserved, u, i + 1), crossed.value.boundary);
    } else {
      assert Conversations(log, ReachesAcross(log, preserved, u)) == {};
    }
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
    hide WellFormed, UniqueUuids, Members, Crossed, RenderedFromRoot, RenderedAcross;
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    var crossed := FastCrossed(links, log, at, preserved, i);
    if crossed.Some? {
      WhatIsCrossedIsThere(log, preserved, log[i].uuid);
      positions := FastRenderedAcross(links, log, at, preserved, crossed.value, i);
    } else {
      positions := FastRenderedFromRoot(links, log, at, preserved, i);
    }
  }

  /** The positions of what is sent from the root. */
  method FastRenderedFromRoot(links: Links, log: Log, at: map<Id, nat>, preserved: Preservation, i: nat)
    returns (positions: seq<nat>)
    requires WellFormed(log)
    requires Represents(links, log)
    requires IsIndex(log, at)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures forall p | p in positions :: p < |log|
    ensures EntriesAt(log, positions) == RenderedFromRoot(log, preserved, log[i].uuid)
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
      positions := MarkedPositions(log, own, Members(log, u));
    }
  }

  /** The positions of what is sent across a boundary: one pass for what comes before what is sent again, and one for what comes
    * behind it. */
  method FastRenderedAcross(links: Links, log: Log, at: map<Id, nat>, preserved: Preservation, c: Crossing, i: nat)
    returns (positions: seq<nat>)
    requires WellFormed(log)
    requires Represents(links, log)
    requires IsIndex(log, at)
    requires i < |log|
    requires IsThere(log, preserved, c)
    ensures log[i].uuid in Uuids(log)
    ensures forall p | p in positions :: p < |log|
    ensures EntriesAt(log, positions) == RenderedAcross(log, preserved, c, log[i].uuid)
  {
    hide WellFormed, UniqueUuids, Represents, Members, Keep, Chosen, ListedUpTo;
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    var p, again := preserved[c.boundary], Again(preserved, c);
    var moved := Listed(again);
    var own := FastMembers(links, log, i);
    var above := FastMembers(links, log, at[c.at]);
    var there := FastMembers(links, log, at[p.anchor]);
    ghost var u := log[i].uuid;
    var first := seq(|log|, j requires 0 <= j < |log| => there[j] && log[j].uuid !in moved);
    var last := seq(|log|, j requires 0 <= j < |log| => own[j] && !above[j] && log[j].uuid !in moved && !there[j]);
    var before := MarkedPositions(log, first, Members(log, p.anchor) - moved);
    var sent := PositionsAt(log, at, again);
    var behind := MarkedPositions(log, last, Members(log, u) - Members(log, c.at) - moved - Members(log, p.anchor));
    EntriesAtBoth(log, before, sent);
    EntriesAtBoth(log, before + sent, behind);
    positions := before + sent + behind;
  }

  /** The marked positions. */
  method MarkedPositions(ghost log: Log, mark: seq<bool>, ghost ids: set<Id>) returns (positions: seq<nat>)
    requires Marks(log, mark, ids)
    ensures forall q | q in positions :: q < |log|
    ensures EntriesAt(log, positions) == Keep(log, ids)
  {
    hide Keep, Uuids, EntriesAt;
    assert EntriesAt(log, []) == Keep(log[..0], ids) by {
      reveal Keep, EntriesAt;
    }
    positions := [];
    for j := 0 to |mark|
      invariant forall q | q in positions :: q < |log|
      invariant EntriesAt(log, positions) == Keep(log[..j], ids)
    {
      assert log[..j + 1] == log[..j] + [log[j]];
      KeepOfLast(log[..j], log[j], ids);
      if mark[j] {
        EntriesAtBoth(log, positions, [j]);
        assert EntriesAt(log, [j]) == [log[j]] by {
          reveal EntriesAt;
        }
        positions := positions + [j];
      }
    }
    assert log[..|log|] == log;
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

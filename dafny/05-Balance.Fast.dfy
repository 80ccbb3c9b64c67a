// Chapter 5, fast: which entries of a log can be resumed at, and which are legal fork points, for all entries in one pass.
// The pass walks the tree of parents down and up again. It holds the members of the context at the entry it stands on:
// going down to a child it adds the few entries that the child's context has more, going up it takes them out again.
// Balance is read off counters that do not depend on the order in which entries come and go.
//
// Besides one step for each block, the survey takes a step for each entry that a child's context has more than its parent's,
// for each hub that such an entry opens, and, at each entry, for each open hub with joiners still to come. In real files
// these are about one, one and less than one an entry.
include "04-Contexts.Fast.dfy"
include "05-Balance.Proofs.dfy"

module BalanceFast {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened Contexts
  import opened ContextsProofs
  import opened Links
  import opened Balance
  import BalanceProofs
  import ContextsFast
  import Layers

  // ---------------------------------------------------------------- The walk

  /** `c` hangs on `p`; -1 is the trunk, on which the roots hang. */
  predicate Hangs(parent: seq<int>, c: int, p: int) {
    0 <= c < |parent| && parent[c] == p
  }

  /** A walk over the whole forest that starts at the trunk: each step goes down to a child or up to a parent. */
  ghost predicate IsTour(parent: seq<int>, tour: seq<int>) {
    && |tour| > 0
    && tour[0] == -1
    && (forall k | 0 <= k < |tour| :: -1 <= tour[k] < |parent|)
    && (forall k | 0 < k < |tour| :: Hangs(parent, tour[k], tour[k - 1]) || Hangs(parent, tour[k - 1], tour[k]))
    && (forall i | 0 <= i < |parent| :: i in tour)
  }

  /** Every parent stands before its children. */
  ghost predicate Forest(parent: seq<int>) {
    forall i | 0 <= i < |parent| :: -1 <= parent[i] < i
  }

  /** `q` is the first child of `p` at or after `from`; the length when there is none. */
  ghost predicate IsNextChild(parent: seq<int>, p: int, from: int, q: int) {
    && from <= q <= |parent|
    && (q < |parent| ==> q >= 0 && parent[q] == p)
    && (forall x | 0 <= from <= x < q :: parent[x] != p)
  }

  /** Visited: `next[p + 1]` is the first child of `p` that was not visited. */
  ghost predicate Visited(parent: seq<int>, next: seq<int>, v: int)
    requires Forest(parent)
    requires |next| == |parent| + 1
  {
    0 <= v < |parent| && v < next[parent[v] + 1]
  }

  /** The walk in the middle: `path` is the way from the trunk to where it stands; what was visited and is left behind has
    * no child to visit. */
  ghost predicate Walking(parent: seq<int>, next: seq<int>, path: seq<int>, tour: seq<int>) {
    && Forest(parent)
    && |next| == |parent| + 1
    && (forall s | 0 <= s < |next| :: 0 <= next[s] <= |parent| && (next[s] < |parent| ==> parent[next[s]] == s - 1))
    && |path| > 0
    && path[0] == -1
    && (forall i | 0 < i < |path| :: Hangs(parent, path[i], path[i - 1]))
    && (forall v | Visited(parent, next, v) :: v in tour && (v in path || next[v + 1] == |parent|))
    && |tour| > 0
    && tour[0] == -1
    && tour[|tour| - 1] == path[|path| - 1]
    && (forall k | 0 <= k < |tour| :: -1 <= tour[k] < |parent|)
    && (forall k | 0 < k < |tour| :: Hangs(parent, tour[k], tour[k - 1]) || Hangs(parent, tour[k - 1], tour[k]))
  }

  /** What is left to visit. */
  ghost function Unseen(parent: seq<int>, next: seq<int>): set<int>
    requires Forest(parent)
    requires |next| == |parent| + 1
  {
    set v | 0 <= v < |parent| && !Visited(parent, next, v)
  }

  /** The numbers below `n`. */
  ghost function Below(n: nat): set<int>
    ensures forall v :: v in Below(n) <==> 0 <= v < n
    ensures |Below(n)| <= n
  {
    if n == 0 then {} else Below(n - 1) + {n - 1}
  }

  /** No more is left to visit than there is. */
  lemma UnseenAreFew(parent: seq<int>, next: seq<int>)
    requires Forest(parent)
    requires |next| == |parent| + 1
    ensures |Unseen(parent, next)| <= |parent|
  {
    if Unseen(parent, next) != Below(|parent|) {
      assert Unseen(parent, next) < Below(|parent|);
      SmallerSet(Unseen(parent, next), Below(|parent|));
    }
  }

  /** A step down to the first child that was not visited. */
  lemma GoingDown(parent: seq<int>, next: seq<int>, path: seq<int>, tour: seq<int>, c: int, sibling: int)
    requires Walking(parent, next, path, tour)
    requires c == next[path[|path| - 1] + 1] < |parent|
    requires IsNextChild(parent, path[|path| - 1], c + 1, sibling)
    ensures Walking(parent, next[path[|path| - 1] + 1 := sibling], path + [c], tour + [c])
    ensures Unseen(parent, next[path[|path| - 1] + 1 := sibling]) == Unseen(parent, next) - {c}
    ensures c in Unseen(parent, next)
  {
    var at := path[|path| - 1];
    var after := next[at + 1 := sibling];
    assert Hangs(parent, c, at);
    forall v | 0 <= v < |parent|
      ensures Visited(parent, after, v) <==> Visited(parent, next, v) || v == c
    {
      if parent[v] == at {
        assert v < sibling <==> v <= c;
      }
    }
    forall v | Visited(parent, after, v)
      ensures v in tour + [c] && (v in path + [c] || after[v + 1] == |parent|)
    {
      if v != c {
        assert v in tour;
      }
    }
  }

  /** A step up from an entry that has no child left to visit. */
  lemma GoingUp(parent: seq<int>, next: seq<int>, path: seq<int>, tour: seq<int>)
    requires Walking(parent, next, path, tour)
    requires path[|path| - 1] != -1
    requires next[path[|path| - 1] + 1] == |parent|
    ensures |path| > 1
    ensures path[|path| - 2] == parent[path[|path| - 1]]
    ensures Walking(parent, next, path[..|path| - 1], tour + [path[|path| - 2]])
  {
    var at := path[|path| - 1];
    var up := path[..|path| - 1];
    assert path == up + [at];
    assert Hangs(parent, at, path[|path| - 2]);
    forall v | Visited(parent, next, v)
      ensures v in tour + [path[|path| - 2]] && (v in up || next[v + 1] == |parent|)
    {
      assert v in tour;
      if v != at && v in path {
        assert v in up;
      }
    }
  }

  /** Where no visited entry has a child left, every entry was visited. */
  lemma NothingLeftIsEverything(parent: seq<int>, next: seq<int>, c: int)
    requires Forest(parent)
    requires |next| == |parent| + 1
    requires next[0] == |parent|
    requires forall v | Visited(parent, next, v) :: next[v + 1] == |parent|
    requires 0 <= c < |parent|
    ensures Visited(parent, next, c)
    decreases c
  {
    if parent[c] >= 0 {
      NothingLeftIsEverything(parent, next, parent[c]);
    }
  }

  /** The walk that ends at the trunk with nothing left there is a tour. */
  lemma WalkedOutIsTour(parent: seq<int>, next: seq<int>, path: seq<int>, tour: seq<int>)
    requires Walking(parent, next, path, tour)
    requires path[|path| - 1] == -1
    requires next[0] == |parent|
    ensures IsTour(parent, tour)
  {
    assert |path| == 1 by {
      assert |path| > 1 ==> Hangs(parent, path[|path| - 1], path[|path| - 2]);
    }
    forall c | 0 <= c < |parent|
      ensures c in tour
    {
      NothingLeftIsEverything(parent, next, c);
    }
  }

  /** For each entry the next child of the same parent, and for the trunk (at 0) and each entry (at its position + 1) the
    * first child. */
  method Children(parent: seq<int>) returns (first: array<int>, sibling: array<int>)
    requires Forest(parent)
    ensures fresh(first) && first.Length == |parent| + 1
    ensures fresh(sibling) && sibling.Length == |parent|
    ensures first != sibling
    ensures forall s | 0 <= s < first.Length :: IsNextChild(parent, s - 1, 0, first[s])
    ensures forall c | 0 <= c < |parent| :: IsNextChild(parent, parent[c], c + 1, sibling[c])
  {
    var n := |parent|;
    first := new int[n + 1](_ => n);
    sibling := new int[n](_ => n);
    for c := n downto 0
      invariant forall s | 0 <= s < first.Length :: IsNextChild(parent, s - 1, c, first[s])
      invariant forall x | c <= x < n :: IsNextChild(parent, parent[x], x + 1, sibling[x])
    {
      sibling[c] := first[parent[c] + 1];
      first[parent[c] + 1] := c;
    }
  }

  /** A walk over the forest, children in order, without recursion: two steps for each entry. */
  method Tour(parent: seq<int>) returns (tour: seq<int>)
    requires Forest(parent)
    ensures IsTour(parent, tour)
    ensures |tour| <= 2 * |parent| + 1
  {
    var next, sibling := Children(parent);
    var at := -1;
    tour := [at];
    ghost var path := [at];
    UnseenAreFew(parent, next[..]);
    while at != -1 || next[0] < |parent|
      invariant Walking(parent, next[..], path, tour)
      invariant at == path[|path| - 1]
      invariant -1 <= at < |parent|
      invariant |tour| + |path| + 2 * |Unseen(parent, next[..])| <= 2 * |parent| + 2
      decreases |Unseen(parent, next[..])|, at
      modifies next
    {
      ghost var before := next[..];
      if next[at + 1] < |parent| {
        var c := next[at + 1];
        GoingDown(parent, before, path, tour, c, sibling[c]);
        next[at + 1] := sibling[c];
        assert next[..] == before[at + 1 := sibling[c]];
        at := c;
        path := path + [at];
      } else {
        GoingUp(parent, before, path, tour);
        at := parent[at];
        path := path[..|path| - 1];
      }
      tour := tour + [at];
    }
    WalkedOutIsTour(parent, next[..], path, tour);
  }

  // ---------------------------------------------------------------- Members, by position

  /** A set of positions that needs no more of those up to `c`. */
  ghost predicate ClosedUpTo(links: Links, s: set<int>, c: int)
    requires Shaped(links)
  {
    && (forall i | i in s && 0 <= i < |links.parent| && 0 <= links.parent[i] <= c :: links.parent[i] in s)
    && (forall i, h, j | i in s && 0 <= i < |links.parent| && h in links.opens[i] && j in links.joiners[h] && j <= c ::
          j in s)
  }

  /** A position that every set holds which holds `c` and is closed up to `c`. */
  ghost predicate InEvery(links: Links, c: int, j: int)
    requires Shaped(links)
  {
    forall s: set<int> | c in s && ClosedUpTo(links, s, c) :: j in s
  }

  /** The positions of the conversation at `c`; none at the trunk. */
  ghost function MembersAt(links: Links, c: int): set<int>
    requires Shaped(links)
  {
    set j | 0 <= j <= c && InEvery(links, c, j)
  }

  /** Some member of the conversation at `c` opens the hub `h`. */
  ghost predicate OpenAt(links: Links, c: int, h: nat)
    requires Shaped(links)
  {
    exists m | m in MembersAt(links, c) && 0 <= m < |links.parent| :: h in links.opens[m]
  }

  /** The members are closed up to the entry. */
  lemma MembersAtAreClosed(links: Links, c: int)
    requires Shaped(links)
    requires c < |links.parent|
    ensures ClosedUpTo(links, MembersAt(links, c), c)
  {
    var m := MembersAt(links, c);
    forall i | i in m && 0 <= links.parent[i] <= c
      ensures links.parent[i] in m
    {
    }
    forall i, h, j | i in m && h in links.opens[i] && j in links.joiners[h] && j <= c
      ensures j in m
    {
    }
  }

  /** The conversation at a parent is part of the conversation at its child, by position. */
  lemma MembersAtParent(links: Links, c: int)
    requires Shaped(links)
    requires 0 <= c < |links.parent|
    ensures MembersAt(links, links.parent[c]) <= MembersAt(links, c)
  {
    var p := links.parent[c];
    forall j, s: set<int> | j in MembersAt(links, p) && c in s && ClosedUpTo(links, s, c)
      ensures j in s
    {
      assert p in s && ClosedUpTo(links, s, p);
      assert InEvery(links, p, j);
    }
  }

  // ---------------------------------------------------------------- Down and up

  /** A hub that still has joiners to come: `at` of them were reached. */
  datatype Wait = Wait(hub: nat, at: nat)

  /** What the walk remembers of an entry: the members that it adds to its parent's, the hubs that they open, and the open
    * hubs with joiners to come. */
  datatype Frame = Frame(gained: seq<nat>, hubs: seq<nat>, waits: seq<Wait>)

  /** No element comes twice. */
  ghost predicate Distinct(s: seq<nat>) {
    forall a, b | 0 <= a < b < |s| :: s[a] != s[b]
  }

  /** A list of different numbers below `n` has at most `n`. */
  lemma DistinctAreFew(s: seq<nat>, n: nat)
    requires Distinct(s)
    requires forall x | x in s :: x < n
    ensures |s| <= n
    decreases n
  {
    if |s| > 0 {
      assert s[0] in s;
      if n - 1 in s {
        var k :| 0 <= k < |s| && s[k] == n - 1;
        var rest := s[..k] + s[k + 1..];
        forall x | x in rest
          ensures x < n - 1
        {
          assert x in s;
        }
        DistinctAreFew(rest, n - 1);
      } else {
        DistinctAreFew(s, n - 1);
      }
    }
  }

  /** The wait is for an open hub and parts its joiners into those up to `c` and those after. */
  ghost predicate WaitHolds(links: Links, c: int, w: Wait)
    requires Shaped(links)
  {
    && w.hub < |links.joiners|
    && w.at < |links.joiners[w.hub]|
    && (forall a | 0 <= a < w.at :: links.joiners[w.hub][a] <= c)
    && c < links.joiners[w.hub][w.at]
    && OpenAt(links, c, w.hub)
  }

  /** All joiners of the hub are there by `c`, or it is among those waited for. */
  ghost predicate Watched(links: Links, c: int, h: nat, waits: seq<Wait>)
    requires Shaped(links)
    requires h < |links.joiners|
  {
    || (forall j | j in links.joiners[h] :: j <= c)
    || exists w | w in waits :: w.hub == h
  }

  /** The waits at `c` are the open hubs with joiners to come. */
  ghost predicate WaitsHold(links: Links, c: int, waits: seq<Wait>)
    requires Shaped(links)
  {
    && (forall w | w in waits :: WaitHolds(links, c, w))
    && (forall h | 0 <= h < |links.joiners| && OpenAt(links, c, h) :: Watched(links, c, h, waits))
  }

  /** The frame of an entry is right. */
  ghost predicate FrameHolds(links: Links, c: int, f: Frame)
    requires Shaped(links)
    requires 0 <= c < |links.parent|
  {
    && Distinct(f.gained)
    && (forall j: nat :: j in f.gained <==> j in MembersAt(links, c) && j !in MembersAt(links, links.parent[c]))
    && (forall h: nat :: h in f.hubs <==> h < |links.joiners| && OpenAt(links, c, h) && !OpenAt(links, links.parent[c], h))
    && WaitsHold(links, c, f.waits)
  }

  /** The frame of every entry is right. */
  ghost predicate FramesHold(links: Links, frames: seq<Frame>)
    requires Shaped(links)
  {
    |frames| == |links.parent| && forall c | 0 <= c < |frames| :: FrameHolds(links, c, frames[c])
  }

  /** The marks are those of the conversation at `c`. */
  ghost predicate MarksHold(links: Links, c: int, inside: seq<bool>, open: seq<bool>)
    requires Shaped(links)
  {
    && |inside| == |links.parent|
    && |open| == |links.joiners|
    && (forall j | 0 <= j < |inside| :: inside[j] <==> j in MembersAt(links, c))
    && (forall h | 0 <= h < |open| :: open[h] <==> OpenAt(links, c, h))
  }

  /** On the way to `c`, from its parent: what is marked is the parent's conversation and what was gained, all of it in the
    * conversation at `c`. */
  ghost predicate Gaining(links: Links, c: int, inside: seq<bool>, gained: seq<nat>)
    requires Shaped(links)
    requires 0 <= c < |links.parent|
  {
    && |inside| == |links.parent|
    && Distinct(gained)
    && (forall j | j in gained :: j < |inside| && j !in MembersAt(links, links.parent[c]) && j in MembersAt(links, c))
    && (forall j | 0 <= j < |inside| :: inside[j] <==> j in MembersAt(links, links.parent[c]) || j in gained)
  }

  /** The hub's joiners up to `c` are marked, and it is waited for if there are more. */
  ghost predicate Followed(links: Links, c: int, h: nat, inside: seq<bool>, waits: seq<Wait>)
    requires Shaped(links)
    requires h < |links.joiners|
    requires c < |inside| == |links.parent|
  {
    && (forall j | j in links.joiners[h] && j <= c :: inside[j])
    && Watched(links, c, h, waits)
  }

  /** On the way to `c`, from its parent: the hubs marked open are the parent's and the new ones, and each is followed. */
  ghost predicate Opening(links: Links, c: int, inside: seq<bool>, open: seq<bool>, hubs: seq<nat>, waits: seq<Wait>)
    requires Shaped(links)
    requires 0 <= c < |inside| == |links.parent|
  {
    && |open| == |links.joiners|
    && (forall h | 0 <= h < |open| :: open[h] <==> OpenAt(links, links.parent[c], h) || h in hubs)
    && (forall h | h in hubs :: h < |open| && !OpenAt(links, links.parent[c], h))
    && (forall h | 0 <= h < |open| && open[h] :: OpenAt(links, c, h) && Followed(links, c, h, inside, waits))
    && (forall w | w in waits :: WaitHolds(links, c, w))
  }

  /** What the member `d` needs is marked, or will be by following the hubs that it opens. */
  ghost predicate Served(links: Links, d: nat, inside: seq<bool>, open: seq<bool>)
    requires Shaped(links)
  {
    && d < |links.parent| == |inside|
    && |links.joiners| == |open|
    && (links.parent[d] >= 0 ==> inside[links.parent[d]])
    && (forall h | h in links.opens[d] :: open[h])
  }

  /** Nothing marked in the first marks is unmarked in the second. */
  ghost predicate Grown(less: seq<bool>, more: seq<bool>) {
    |less| == |more| && forall x | 0 <= x < |less| && less[x] :: more[x]
  }

  /** Marks a member. */
  method Take(links: Links, c: nat, j: nat, inside: array<bool>, gained: seq<nat>) returns (more: seq<nat>)
    requires Shaped(links)
    requires c < |links.parent|
    requires Gaining(links, c, inside[..], gained)
    requires j in MembersAt(links, c)
    modifies inside
    ensures Gaining(links, c, inside[..], more)
    ensures gained <= more
    ensures inside[j]
    ensures Grown(old(inside[..]), inside[..])
  {
    more := gained;
    if !inside[j] {
      inside[j] := true;
      more := gained + [j];
    }
  }

  /** Marks the joiners of an open hub up to `c`, from the first that was not reached. */
  method Follow(links: Links, c: nat, h: nat, from: nat, inside: array<bool>, gained: seq<nat>, waits: seq<Wait>)
    returns (more: seq<nat>, waiting: seq<Wait>)
    requires Shaped(links)
    requires c < |links.parent|
    requires Gaining(links, c, inside[..], gained)
    requires h < |links.joiners|
    requires from <= |links.joiners[h]|
    requires OpenAt(links, c, h)
    requires forall a | 0 <= a < from :: links.joiners[h][a] <= c && inside[links.joiners[h][a]]
    requires forall w | w in waits :: WaitHolds(links, c, w)
    modifies inside
    ensures Gaining(links, c, inside[..], more)
    ensures gained <= more
    ensures Grown(old(inside[..]), inside[..])
    ensures waits <= waiting
    ensures forall w | w in waiting :: WaitHolds(links, c, w)
    ensures Followed(links, c, h, inside[..], waiting)
  {
    var joiners := links.joiners[h];
    var at := from;
    more := gained;
    MembersAtAreClosed(links, c);
    while at < |joiners| && joiners[at] <= c
      invariant from <= at <= |joiners|
      invariant Gaining(links, c, inside[..], more)
      invariant gained <= more
      invariant Grown(old(inside[..]), inside[..])
      invariant forall a | 0 <= a < at :: joiners[a] <= c && inside[joiners[a]]
    {
      more := Take(links, c, joiners[at], inside, more);
      at := at + 1;
    }
    waiting := waits;
    if at < |joiners| {
      var w := Wait(h, at);
      assert WaitHolds(links, c, w);
      waiting := waits + [w];
      assert w in waiting;
    }
  }

  /** Marks what the member `d` needs: its parent, and for each hub that it is the first to open the joiners up to `c`. */
  method Need(links: Links, c: nat, d: nat, inside: array<bool>, open: array<bool>, gained: seq<nat>, hubs: seq<nat>,
              waits: seq<Wait>)
    returns (more: seq<nat>, found: seq<nat>, waiting: seq<Wait>)
    requires Shaped(links)
    requires d <= c < |links.parent|
    requires inside != open
    requires Gaining(links, c, inside[..], gained)
    requires Opening(links, c, inside[..], open[..], hubs, waits)
    requires d in MembersAt(links, c)
    modifies inside, open
    ensures Gaining(links, c, inside[..], more)
    ensures Opening(links, c, inside[..], open[..], found, waiting)
    ensures gained <= more
    ensures Grown(old(inside[..]), inside[..])
    ensures Grown(old(open[..]), open[..])
    ensures Served(links, d, inside[..], open[..])
  {
    MembersAtAreClosed(links, c);
    more, found, waiting := gained, hubs, waits;
    if links.parent[d] >= 0 {
      more := Take(links, c, links.parent[d], inside, more);
    }
    var opens := links.opens[d];
    for k := 0 to |opens|
      invariant Gaining(links, c, inside[..], more)
      invariant Opening(links, c, inside[..], open[..], found, waiting)
      invariant gained <= more
      invariant Grown(old(inside[..]), inside[..])
      invariant Grown(old(open[..]), open[..])
      invariant links.parent[d] >= 0 ==> inside[links.parent[d]]
      invariant forall x | 0 <= x < k :: opens[x] < open.Length && open[opens[x]]
    {
      var h := opens[k];
      assert h in opens;
      if !open[h] {
        assert OpenAt(links, c, h);
        more, waiting := Follow(links, c, h, 0, inside, more, waiting);
        open[h] := true;
        found := found + [h];
      }
    }
  }

  /** Every open hub is followed: where every hub that a marked member opens is open, and every parent is marked, the marks
    * are closed, so they are the whole conversation. */
  lemma FollowedOutIsWhole(links: Links, c: nat, inside: seq<bool>, gained: seq<nat>, open: seq<bool>, waits: seq<Wait>)
    requires Shaped(links)
    requires c < |links.parent|
    requires Gaining(links, c, inside, gained)
    requires inside[c]
    requires |open| == |links.joiners|
    requires forall h | 0 <= h < |open| && OpenAt(links, links.parent[c], h) :: open[h]
    requires forall h | 0 <= h < |open| && open[h] :: OpenAt(links, c, h) && Followed(links, c, h, inside, waits)
    requires forall d | d in gained :: Served(links, d, inside, open)
    ensures MarksHold(links, c, inside, open)
    ensures forall h | 0 <= h < |open| && OpenAt(links, c, h) :: Watched(links, c, h, waits)
  {
    var p := links.parent[c];
    var s: set<int> := set j | 0 <= j < |inside| && inside[j];
    MembersAtParent(links, c);
    MembersAtAreClosed(links, p);
    forall i, h | i in s && h in links.opens[i]
      ensures open[h]
    {
      if i in MembersAt(links, p) {
        assert OpenAt(links, p, h);
      } else {
        assert Served(links, i, inside, open);
      }
    }
    assert ClosedUpTo(links, s, c) by {
      forall i, h, j | i in s && h in links.opens[i] && j in links.joiners[h] && j <= c
        ensures j in s
      {
        assert Followed(links, c, h, inside, waits);
      }
      forall i | i in s && links.parent[i] >= 0
        ensures links.parent[i] in s
      {
        if i !in MembersAt(links, p) {
          assert Served(links, i, inside, open);
        }
      }
    }
    forall j | j in MembersAt(links, c)
      ensures j in s
    {
    }
  }

  /** Goes down from a parent (or the trunk) to the child `c`: its conversation is its parent's, the child, and whatever
    * they need of what stands between them. */
  method GoDown(links: Links, c: nat, waits: seq<Wait>, inside: array<bool>, open: array<bool>) returns (frame: Frame)
    requires Shaped(links)
    requires c < |links.parent|
    requires inside != open
    requires MarksHold(links, links.parent[c], inside[..], open[..])
    requires WaitsHold(links, links.parent[c], waits)
    modifies inside, open
    ensures MarksHold(links, c, inside[..], open[..])
    ensures FrameHolds(links, c, frame)
  {
    var p := links.parent[c];
    MembersAtParent(links, c);
    MembersAtAreClosed(links, p);
    MembersAtAreClosed(links, c);
    var gained: seq<nat> := [];
    var hubs: seq<nat> := [];
    var waiting: seq<Wait> := [];
    gained := Take(links, c, c, inside, gained);
    for k := 0 to |waits|
      invariant Gaining(links, c, inside[..], gained)
      invariant inside[c]
      invariant forall w | w in waiting :: WaitHolds(links, c, w)
      invariant forall x | 0 <= x < k :: waits[x].hub < open.Length && Followed(links, c, waits[x].hub, inside[..], waiting)
      invariant open[..] == old(open[..])
    {
      var w := waits[k];
      assert w in waits;
      gained, waiting := Follow(links, c, w.hub, w.at, inside, gained, waiting);
    }
    forall h | 0 <= h < |links.joiners| && OpenAt(links, p, h)
      ensures Followed(links, c, h, inside[..], waiting)
    {
    }
    var i := 0;
    while i < |gained|
      invariant i <= |gained|
      invariant Gaining(links, c, inside[..], gained)
      invariant inside[c]
      invariant Opening(links, c, inside[..], open[..], hubs, waiting)
      invariant forall x | 0 <= x < i :: Served(links, gained[x], inside[..], open[..])
      decreases |links.parent| - i
    {
      DistinctAreFew(gained, |links.parent|);
      assert gained[i] in gained;
      gained, hubs, waiting := Need(links, c, gained[i], inside, open, gained, hubs, waiting);
      i := i + 1;
    }
    FollowedOutIsWhole(links, c, inside[..], gained, open[..], waiting);
    frame := Frame(gained, hubs, waiting);
  }

  /** Goes up from `c` to its parent (or the trunk). */
  method GoUp(links: Links, c: nat, frame: Frame, inside: array<bool>, open: array<bool>)
    requires Shaped(links)
    requires c < |links.parent|
    requires inside != open
    requires MarksHold(links, c, inside[..], open[..])
    requires FrameHolds(links, c, frame)
    modifies inside, open
    ensures MarksHold(links, links.parent[c], inside[..], open[..])
  {
    MembersAtParent(links, c);
    ghost var marked, wide := inside[..], open[..];
    var gained, hubs := frame.gained, frame.hubs;
    for k := 0 to |gained|
      invariant forall j | 0 <= j < inside.Length :: inside[j] <==> marked[j] && j !in gained[..k]
      invariant open[..] == wide
    {
      assert gained[k] in gained;
      inside[gained[k]] := false;
    }
    assert gained[..|gained|] == gained;
    for k := 0 to |hubs|
      invariant forall h | 0 <= h < open.Length :: open[h] <==> wide[h] && h !in hubs[..k]
      invariant forall j | 0 <= j < inside.Length :: inside[j] <==> marked[j] && j !in gained
    {
      assert hubs[k] in hubs;
      open[hubs[k]] := false;
    }
    assert hubs[..|hubs|] == hubs;
  }

  /** The frame of every entry, in one walk down and up over the whole log. */
  method Frames(links: Links, tour: seq<int>) returns (frames: seq<Frame>)
    requires Shaped(links)
    requires IsTour(links.parent, tour)
    ensures FramesHold(links, frames)
  {
    var n := |links.parent|;
    var found := new Frame[n](_ => Frame([], [], []));
    var inside := new bool[n](_ => false);
    var open := new bool[|links.joiners|](_ => false);
    ghost var seen := {-1};
    for k := 1 to |tour|
      invariant MarksHold(links, tour[k - 1], inside[..], open[..])
      invariant tour[k - 1] in seen && forall c | c in tour[..k] :: c in seen
      invariant forall c | c in seen && c >= 0 :: c < n && links.parent[c] in seen && FrameHolds(links, c, found[c])
      modifies inside, open, found
    {
      var at, to := tour[k - 1], tour[k];
      if at < to {
        var waits := if at < 0 then [] else found[at].waits;
        found[to] := GoDown(links, to, waits, inside, open);
        seen := seen + {to};
      } else {
        GoUp(links, at, found[at], inside, open);
      }
    }
    assert tour[..|tour|] == tour;
    frames := found[..];
  }

  // ---------------------------------------------------------------- What the marks say of the log

  /** The positions of a set of ids. */
  ghost function PositionsIn(log: Log, ids: set<Id>): set<int> {
    set j | 0 <= j < |log| && log[j].uuid in ids
  }

  /** What the numbers say of two positions is what the entries say. */
  lemma NumbersSayWhatIsNeeded(links: Links, log: Log, i: nat, j: nat)
    requires Represents(links, log)
    requires i < |log| && j < |log|
    ensures Needs(log[i], log[j]) <==> links.parent[i] == j || exists h :: h in links.opens[i] && j in links.joiners[h]
  {
    assert Linked(links, i, j) <==> Needs(log[i], log[j]);
    forall h | h in links.opens[i]
      ensures h in links.joins[j] <==> j in links.joiners[h]
    {
    }
  }

  /** The positions of the members are closed. */
  lemma MembersAreClosedByNumbers(links: Links, log: Log, c: nat)
    requires WellFormed(log)
    requires Represents(links, log)
    requires c < |log|
    ensures log[c].uuid in Uuids(log)
    ensures ClosedUpTo(links, PositionsIn(log, Members(log, log[c].uuid)), c)
  {
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, c);
    var s := PositionsIn(log, Members(log, log[c].uuid));
    forall i: nat, j: nat | i in s && j <= c && Needs(log[i], log[j])
      ensures j in s
    {
      ContextsFast.NeededBeforeIsMember(log, c, i, j);
    }
    forall i: int | i in s && 0 <= links.parent[i] <= c
      ensures links.parent[i] in s
    {
      NumbersSayWhatIsNeeded(links, log, i, links.parent[i]);
    }
    forall i: int, h, j | i in s && h in links.opens[i] && j in links.joiners[h] && j <= c
      ensures j in s
    {
      NumbersSayWhatIsNeeded(links, log, i, j);
    }
  }

  /** What a member needs is one by position. */
  lemma WhatMembersAtNeed(links: Links, log: Log, c: nat, a: nat, b: nat)
    requires Represents(links, log)
    requires c < |log|
    requires a < |log| && b <= c
    requires a in MembersAt(links, c)
    requires Needs(log[a], log[b])
    ensures b in MembersAt(links, c)
  {
    NumbersSayWhatIsNeeded(links, log, a, b);
    MembersAtAreClosed(links, c);
  }

  /** The members by position are the members. */
  lemma MembersAtAreMembers(links: Links, log: Log, c: nat)
    requires WellFormed(log)
    requires Represents(links, log)
    requires c < |log|
    ensures log[c].uuid in Uuids(log)
    ensures MembersAt(links, c) == PositionsIn(log, Members(log, log[c].uuid))
  {
    WellFormedHasUniqueUuids(log);
    MembersAreClosedByNumbers(links, log, c);
    MembersContainsItself(log, log[c].uuid);
    var s := PositionsIn(log, Members(log, log[c].uuid));
    forall j | j in MembersAt(links, c)
      ensures j in s
    {
    }
    var mark := seq(|log|, j => j in MembersAt(links, c));
    forall a, b | 0 <= a <= c && 0 <= b <= c && mark[a] && Needs(log[a], log[b])
      ensures mark[b]
    {
      WhatMembersAtNeed(links, log, c, a, b);
    }
    forall j | j in s
      ensures j in MembersAt(links, c)
    {
      ContextsFast.ClosedMarksHoldTheMembers(log, c, mark, j);
    }
  }

  /** Who waits in a wait, and for what. */
  lemma WaitIsForSomething(links: Links, c: nat, w: Wait) returns (m: nat, j: nat)
    requires Shaped(links)
    requires WaitHolds(links, c, w)
    ensures m < |links.parent| && m in MembersAt(links, c) && w.hub in links.opens[m]
    ensures c < j < |links.parent| && j in links.joiners[w.hub]
  {
    m :| m in MembersAt(links, c) && m < |links.parent| && w.hub in links.opens[m];
    j := links.joiners[w.hub][w.at];
    assert j in links.joiners[w.hub];
  }

  /** While an open hub has joiners to come, something that belongs to the conversation comes later. */
  lemma WaitingIsNotSettled(links: Links, log: Log, c: nat, w: Wait)
    requires WellFormed(log)
    requires Represents(links, log)
    requires c < |log|
    requires WaitHolds(links, c, w)
    ensures log[c].uuid in Uuids(log)
    ensures !Settled(log, log[c].uuid)
  {
    MembersAtAreMembers(links, log, c);
    var m, j := WaitIsForSomething(links, c, w);
    NumbersSayWhatIsNeeded(links, log, m, j);
    assert j !in MembersAt(links, c);
    assert log[m] in log && log[j] in log;
  }

  /** Where no open hub has joiners to come, what a member needs is a member. */
  lemma NothingToWaitForIsWhole(links: Links, log: Log, c: nat, i: nat, j: nat)
    requires Represents(links, log)
    requires c < |log|
    requires WaitsHold(links, c, [])
    requires i < |log| && j < |log|
    requires i in MembersAt(links, c)
    requires Needs(log[i], log[j])
    ensures j in MembersAt(links, c)
  {
    NumbersSayWhatIsNeeded(links, log, i, j);
    MembersAtAreClosed(links, c);
    if links.parent[i] != j {
      var h :| h in links.opens[i] && j in links.joiners[h];
      assert OpenAt(links, c, h);
    }
  }

  /** A conversation is settled exactly if no open hub has joiners to come. */
  lemma SettledIsNothingToWaitFor(links: Links, log: Log, c: nat, waits: seq<Wait>)
    requires WellFormed(log)
    requires Represents(links, log)
    requires c < |log|
    requires WaitsHold(links, c, waits)
    ensures log[c].uuid in Uuids(log)
    ensures Settled(log, log[c].uuid) <==> waits == []
  {
    MembersAtAreMembers(links, log, c);
    if waits == [] {
      forall a, b | a in log && b in log && a.uuid in Members(log, log[c].uuid) && Needs(a, b)
        ensures b.uuid in Members(log, log[c].uuid)
      {
        var i :| 0 <= i < |log| && log[i] == a;
        var j :| 0 <= j < |log| && log[j] == b;
        NothingToWaitForIsWhole(links, log, c, i, j);
      }
    } else {
      assert waits[0] in waits;
      WaitingIsNotSettled(links, log, c, waits[0]);
    }
  }

  // ---------------------------------------------------------------- Balance by counting

  /** How often a tool id is used and answered, and how far the answers lie behind the uses: the sum of the places of its
    * results less that of its uses. With one of each that is the distance. */
  datatype Tally = Tally(uses: int, results: int, lead: int)

  /** Nothing counted. */
  const Zero: Tally := Tally(0, 0, 0)

  /** One count more or less by another. */
  function Shift(a: Tally, b: Tally, more: bool): Tally {
    if more then Tally(a.uses + b.uses, a.results + b.results, a.lead + b.lead)
    else Tally(a.uses - b.uses, a.results - b.results, a.lead - b.lead)
  }

  /** Never used and never answered, or used once and answered once, later. */
  predicate Fine(a: Tally) {
    || (a.uses == 0 && a.results == 0)
    || (a.uses == 1 && a.results == 1 && a.lead > 0)
  }

  /** Used once and not answered. */
  predicate Pending(a: Tally) {
    a.uses == 1 && a.results == 0
  }

  /** What a block at a place counts for a tool id. */
  function CountOf(b: Block, at: int, t: Id): Tally {
    match b
    case Use(u) => if u == t then Tally(1, 0, 0 - at) else Zero
    case Result(u) => if u == t then Tally(0, 1, at) else Zero
    case Opaque(_) => Zero
  }

  /** What blocks count for a tool id, the first of them at place `from`. */
  ghost function CountOfBlocks(blocks: seq<Block>, from: int, t: Id): Tally
    decreases |blocks|
  {
    if |blocks| == 0 then Zero
    else Shift(CountOfBlocks(blocks[..|blocks| - 1], from, t), CountOf(blocks[|blocks| - 1], from + |blocks| - 1, t), true)
  }

  /** The place of the first block of each entry, all blocks of the log numbered in order. */
  ghost function Start(log: Log, i: nat): nat
    requires i <= |log|
  {
    |Blocks(log[..i])|
  }

  /** What the entry at `i` counts for a tool id. */
  ghost function CountOfEntry(log: Log, i: nat, t: Id): Tally
    requires i < |log|
  {
    CountOfBlocks(log[i].blocks, Start(log, i), t)
  }

  /** What the entries before position `n` that are in a set of positions count for a tool id. */
  ghost function Total(log: Log, n: nat, m: set<int>, t: Id): Tally
    requires n <= |log|
    decreases n
  {
    if n == 0 then Zero
    else if n - 1 in m then Shift(Total(log, n - 1, m, t), CountOfEntry(log, n - 1, t), true)
    else Total(log, n - 1, m, t)
  }

  /** Counting does not depend on the order: an entry that is put in counts what it counts. */
  lemma TotalWithOneMore(log: Log, n: nat, m: set<int>, i: nat, t: Id)
    requires i < |log|
    requires n <= |log|
    requires i !in m
    ensures Total(log, n, m + {i}, t)
         == if i < n then Shift(Total(log, n, m, t), CountOfEntry(log, i, t), true) else Total(log, n, m, t)
    decreases n
  {
    if n > 0 {
      TotalWithOneMore(log, n - 1, m, i, t);
    }
  }

  /** What can be known of a count over blocks that all stand before place `end`. */
  ghost predicate StandsBefore(a: Tally, end: int) {
    && a.uses >= 0
    && a.results >= 0
    && (a.uses == 0 && a.results == 0 ==> a.lead == 0)
    && (a.uses == 1 && a.results == 0 ==> -end < a.lead <= 0)
    && (a.uses == 0 && a.results == 1 ==> 0 <= a.lead < end)
  }

  /** Neither fine nor waiting for its result: no further block can mend it. */
  predicate Spoiled(a: Tally) {
    !Fine(a) && !Pending(a)
  }

  /** The books and the count of one tool id over the same blocks, all before place `end`, say the same of that id. */
  ghost predicate Agree(books: Books, a: Tally, end: int, t: Id) {
    && StandsBefore(a, end)
    && (books.Books? ==> !Spoiled(a))
    && (books.Books? ==> (t in books.out <==> Pending(a)))
    && (books.Books? ==> (t in books.made <==> a.uses > 0))
  }

  /** A use more: the first one waits for its result, any other spoils the count. */
  lemma CountingUse(a: Tally, end: nat)
    requires StandsBefore(a, end)
    ensures StandsBefore(Shift(a, Tally(1, 0, 0 - end), true), end + 1)
    ensures Shift(a, Tally(1, 0, 0 - end), true).uses > 0
    ensures Pending(Shift(a, Tally(1, 0, 0 - end), true)) <==> a == Zero
    ensures Spoiled(Shift(a, Tally(1, 0, 0 - end), true)) <==> a != Zero
  {
    if a.uses == 0 && a.results == 1 {
      assert Shift(a, Tally(1, 0, 0 - end), true).lead < 0;
    }
  }

  /** A result more: the first one after the only use makes the count fine, any other spoils it. */
  lemma CountingResult(a: Tally, end: nat)
    requires StandsBefore(a, end)
    ensures StandsBefore(Shift(a, Tally(0, 1, end), true), end + 1)
    ensures Shift(a, Tally(0, 1, end), true).uses == a.uses
    ensures !Pending(Shift(a, Tally(0, 1, end), true))
    ensures Spoiled(Shift(a, Tally(0, 1, end), true)) <==> !Pending(a)
  {
    if Pending(a) {
      assert Shift(a, Tally(0, 1, end), true).lead > 0;
    }
  }

  /** Counting more twice is counting the sum once; nothing more changes nothing; what was added can be taken off. */
  lemma ShiftIsAddition(a: Tally, b: Tally, c: Tally)
    ensures Shift(Shift(a, b, true), c, true) == Shift(a, Shift(b, c, true), true)
    ensures Shift(Shift(a, b, false), c, false) == Shift(a, Shift(b, c, true), false)
    ensures Shift(a, Zero, true) == Shift(a, Zero, false) == a
    ensures Shift(Shift(a, b, true), b, false) == a
  {
  }

  /** How the states of a count exclude each other. */
  lemma CountIsOneOf(a: Tally, end: nat)
    requires StandsBefore(a, end)
    ensures a == Zero ==> a.uses <= 0 && !Pending(a) && !Spoiled(a)
    ensures Pending(a) ==> a.uses > 0 && !Spoiled(a)
    ensures a.uses <= 0 && !Spoiled(a) ==> a == Zero
    ensures StandsBefore(a, end + 1)
  {
  }

  /** One more block keeps books and count in agreement; it mends nothing; if it breaks the books, its id is spoiled. */
  lemma OneMoreBlockAgrees(books: Books, a: Tally, b: Block, end: nat, t: Id)
    requires Agree(books, a, end, t)
    ensures Agree(Enter(books, b), Shift(a, CountOf(b, end, t), true), end + 1, t)
    ensures Spoiled(a) ==> Spoiled(Shift(a, CountOf(b, end, t), true))
    ensures books.Books? && Enter(books, b).Broken? ==> !b.Opaque?
    ensures books.Books? && Enter(books, b).Broken? && b.id == t ==> Spoiled(Shift(a, CountOf(b, end, t), true))
  {
    hide Shift, StandsBefore, Fine, Pending, Spoiled;
    CountIsOneOf(a, end);
    ShiftIsAddition(a, Zero, Zero);
    CountingUse(a, end);
    CountingResult(a, end);
  }

  /** More blocks keep books and count in agreement, and mend nothing. */
  lemma MoreBlocksAgree(books: Books, a: Tally, blocks: seq<Block>, end: nat, t: Id)
    requires Agree(books, a, end, t)
    ensures Agree(Run(books, blocks), Shift(a, CountOfBlocks(blocks, end, t), true), end + |blocks|, t)
    ensures Spoiled(a) ==> Spoiled(Shift(a, CountOfBlocks(blocks, end, t), true))
    decreases |blocks|
  {
    hide Agree, Spoiled, Shift;
    ShiftIsAddition(a, CountOfBlocks(blocks, end, t), Zero);
    if |blocks| > 0 {
      var before := blocks[..|blocks| - 1];
      ShiftIsAddition(a, CountOfBlocks(before, end, t), CountOf(blocks[|blocks| - 1], end + |before|, t));
      MoreBlocksAgree(books, a, before, end, t);
      OneMoreBlockAgrees(Run(books, before), Shift(a, CountOfBlocks(before, end, t), true), blocks[|blocks| - 1],
                         end + |before|, t);
    }
  }

  /** Blocks that break the books spoil some id. */
  lemma BrokenBlocksSpoilOne(books: Books, count: Id -> Tally, blocks: seq<Block>, end: nat) returns (t: Id)
    requires books.Books?
    requires Run(books, blocks).Broken?
    requires forall s: Id :: Agree(books, count(s), end, s)
    ensures Spoiled(Shift(count(t), CountOfBlocks(blocks, end, t), true))
    decreases |blocks|
  {
    var before, b := blocks[..|blocks| - 1], blocks[|blocks| - 1];
    if Run(books, before).Broken? {
      t := BrokenBlocksSpoilOne(books, count, before, end);
    } else {
      t := b.id;
    }
    MoreBlocksAgree(books, count(t), before, end, t);
    OneMoreBlockAgrees(Run(books, before), Shift(count(t), CountOfBlocks(before, end, t), true), b, end + |before|, t);
  }

  /** The books of the entries that are kept agree with the count over their positions. */
  lemma KeptBooksAgree(log: Log, n: nat, ids: set<Id>, t: Id)
    requires n <= |log|
    ensures Agree(BooksOf(Keep(log[..n], ids)), Total(log, n, PositionsIn(log, ids), t), Start(log, n), t)
    decreases n
  {
    if n > 0 {
      KeptBooksAgree(log, n - 1, ids, t);
      KeepingOneMore(log, n, ids);
      StartOfNext(log, n);
      if log[n - 1].uuid in ids {
        MoreBlocksAgree(BooksOf(Keep(log[..n - 1], ids)), Total(log, n - 1, PositionsIn(log, ids), t), log[n - 1].blocks,
                        Start(log, n - 1), t);
      }
    }
  }

  /** The blocks of an entry begin where those of the one before it end. */
  lemma StartOfNext(log: Log, n: nat)
    requires 0 < n <= |log|
    ensures Start(log, n) == Start(log, n - 1) + |log[n - 1].blocks|
  {
    assert log[..n][..n - 1] == log[..n - 1];
  }

  /** One more entry of the log makes the books go on if it is kept. */
  lemma KeepingOneMore(log: Log, n: nat, ids: set<Id>)
    requires 0 < n <= |log|
    ensures BooksOf(Keep(log[..n], ids))
         == if log[n - 1].uuid in ids then Run(BooksOf(Keep(log[..n - 1], ids)), log[n - 1].blocks)
            else BooksOf(Keep(log[..n - 1], ids))
  {
    var e, before := log[n - 1], log[..n - 1];
    assert log[..n] == before + [e];
    KeepOfLast(before, e, ids);
    BalanceProofs.BlocksOfConcatenation(before, [e]);
    BalanceProofs.BlocksOfOne(e);
    if e.uuid in ids {
      BalanceProofs.BooksOfConcatenation(Keep(before, ids), [e]);
    }
  }

  /** Where the books of the kept entries are broken, some id is spoiled. */
  lemma BrokenBooksSpoilOne(log: Log, n: nat, ids: set<Id>) returns (t: Id)
    requires n <= |log|
    requires BooksOf(Keep(log[..n], ids)).Broken?
    ensures Spoiled(Total(log, n, PositionsIn(log, ids), t))
    decreases n
  {
    var m := PositionsIn(log, ids);
    KeepingOneMore(log, n, ids);
    if BooksOf(Keep(log[..n - 1], ids)).Broken? {
      t := BrokenBooksSpoilOne(log, n - 1, ids);
      if log[n - 1].uuid in ids {
        KeptBooksAgree(log, n - 1, ids, t);
        MoreBlocksAgree(BooksOf(Keep(log[..n - 1], ids)), Total(log, n - 1, m, t), log[n - 1].blocks, Start(log, n - 1), t);
      }
    } else {
      var count := (s: Id) => Total(log, n - 1, m, s);
      forall s: Id
        ensures Agree(BooksOf(Keep(log[..n - 1], ids)), count(s), Start(log, n - 1), s)
      {
        KeptBooksAgree(log, n - 1, ids, s);
      }
      t := BrokenBlocksSpoilOne(BooksOf(Keep(log[..n - 1], ids)), count, log[n - 1].blocks, Start(log, n - 1));
    }
  }

  /** Every tool id's count over a set of positions is fine. */
  ghost predicate AllFine(log: Log, m: set<int>) {
    forall t: Id :: Fine(Total(log, |log|, m, t))
  }

  /** What is kept of a log is balanced exactly if every tool id's count is fine. */
  lemma BalancedIsFineForEach(log: Log, ids: set<Id>)
    ensures Balanced(Keep(log, ids)) <==> AllFine(log, PositionsIn(log, ids))
  {
    assert log[..|log|] == log;
    var books := BooksOf(Keep(log, ids));
    if books.Broken? {
      var t := BrokenBooksSpoilOne(log, |log|, ids);
    } else {
      forall t: Id
        ensures Fine(Total(log, |log|, PositionsIn(log, ids), t)) <==> t !in books.out
      {
        KeptBooksAgree(log, |log|, ids, t);
      }
      if t: Id :| t in books.out {
        assert !Fine(Total(log, |log|, PositionsIn(log, ids), t));
      }
    }
  }

  // ---------------------------------------------------------------- Counting

  /** A use or a result of the tool id with a number, and its place among all blocks of the log. */
  datatype Mark = Mark(tool: nat, use: bool, at: nat)

  /** What a mark counts for the tool id with a number. */
  ghost function CountOfMark(mark: Mark, k: nat): Tally {
    if mark.tool != k then Zero
    else if mark.use then Tally(1, 0, 0 - mark.at)
    else Tally(0, 1, mark.at)
  }

  /** What marks count for the tool id with a number. */
  ghost function CountOfMarks(marks: seq<Mark>, k: nat): Tally
    decreases |marks|
  {
    if |marks| == 0 then Zero
    else Shift(CountOfMarks(marks[..|marks| - 1], k), CountOfMark(marks[|marks| - 1], k), true)
  }

  /** The marks of some blocks count what the blocks count. */
  ghost predicate RowHolds(marks: seq<Mark>, blocks: seq<Block>, from: int, ids: seq<Id>) {
    && (forall mark | mark in marks :: mark.tool < |ids|)
    && (forall k | 0 <= k < |ids| :: CountOfMarks(marks, k) == CountOfBlocks(blocks, from, ids[k]))
  }

  /** The marks of each entry count what its blocks count, and every tool id of the log has a number. */
  ghost predicate RowsHold(log: Log, rows: seq<seq<Mark>>, ids: seq<Id>) {
    && |rows| == |log|
    && (forall i | 0 <= i < |log| :: RowHolds(rows[i], log[i].blocks, Start(log, i), ids))
    && (forall i, b | 0 <= i < |log| && b in log[i].blocks && !b.Opaque? :: b.id in ids)
  }

  /** The numbers whose count is not fine. */
  ghost function Wrong(tallies: seq<Tally>): set<int> {
    set k | 0 <= k < |tallies| && !Fine(tallies[k])
  }

  /** The counts are those of the entries at a set of positions; `bad` of them are not fine. */
  ghost predicate CountsHold(log: Log, ids: seq<Id>, m: set<int>, tallies: seq<Tally>, bad: int) {
    && |tallies| == |ids|
    && (forall k | 0 <= k < |ids| :: tallies[k] == Total(log, |log|, m, ids[k]))
    && bad == |Wrong(tallies)|
  }

  /** Changing one count changes how many are not fine by that one. */
  lemma WrongAfterChange(tallies: seq<Tally>, k: nat, a: Tally)
    requires k < |tallies|
    ensures |Wrong(tallies[k := a])|
         == |Wrong(tallies)| - (if Fine(tallies[k]) then 0 else 1) + (if Fine(a) then 0 else 1)
  {
    var others := Wrong(tallies) - {k};
    assert Wrong(tallies) == if Fine(tallies[k]) then others else others + {k};
    assert Wrong(tallies[k := a]) == if Fine(a) then others else others + {k};
  }

  /** Counts the marks of an entry, or takes them off again. */
  method CountRow(row: seq<Mark>, more: bool, tallies: array<Tally>, bad: int) returns (now: int)
    requires forall mark | mark in row :: mark.tool < tallies.Length
    requires bad == |Wrong(tallies[..])|
    modifies tallies
    ensures now == |Wrong(tallies[..])|
    ensures forall k | 0 <= k < tallies.Length :: tallies[k] == Shift(old(tallies[k]), CountOfMarks(row, k), more)
  {
    hide Shift, Fine;
    now := bad;
    forall k | 0 <= k < tallies.Length
      ensures tallies[k] == Shift(tallies[k], Zero, more)
    {
      ShiftIsAddition(tallies[k], Zero, Zero);
    }
    for j := 0 to |row|
      invariant now == |Wrong(tallies[..])|
      invariant forall k | 0 <= k < tallies.Length :: tallies[k] == Shift(old(tallies[k]), CountOfMarks(row[..j], k), more)
    {
      var mark := row[j];
      assert mark in row;
      ghost var before := tallies[..];
      forall k | 0 <= k < tallies.Length
        ensures Shift(before[k], CountOfMark(mark, k), more) == Shift(old(tallies[k]), CountOfMarks(row[..j + 1], k), more)
        ensures k != mark.tool ==> Shift(before[k], CountOfMark(mark, k), more) == before[k]
      {
        assert row[..j + 1][..j] == row[..j];
        ShiftIsAddition(old(tallies[k]), CountOfMarks(row[..j], k), CountOfMark(mark, k));
        ShiftIsAddition(before[k], Zero, Zero);
      }
      var was := tallies[mark.tool];
      var becomes := Shift(was, if mark.use then Tally(1, 0, 0 - mark.at) else Tally(0, 1, mark.at), more);
      WrongAfterChange(before, mark.tool, becomes);
      tallies[mark.tool] := becomes;
      assert tallies[..] == before[mark.tool := becomes];
      now := now - (if Fine(was) then 0 else 1) + (if Fine(becomes) then 0 else 1);
    }
    assert row[..|row|] == row;
  }

  /** Putting an entry in, or taking it out, moves each total by what the entry counts. */
  lemma TotalAfterChange(log: Log, m: set<int>, i: nat, more: bool, t: Id)
    requires i < |log|
    requires i in m <==> !more
    ensures Total(log, |log|, if more then m + {i} else m - {i}, t)
         == Shift(Total(log, |log|, m, t), CountOfEntry(log, i, t), more)
  {
    if more {
      TotalWithOneMore(log, |log|, m, i, t);
    } else {
      TotalWithOneMore(log, |log|, m - {i}, i, t);
      assert m - {i} + {i} == m;
      ShiftIsAddition(Total(log, |log|, m - {i}, t), CountOfEntry(log, i, t), Zero);
    }
  }

  /** Puts an entry in, or takes it out. */
  method CountEntry(ghost log: Log, ghost ids: seq<Id>, rows: seq<seq<Mark>>, i: nat, more: bool, tallies: array<Tally>,
                    bad: int, ghost m: set<int>)
    returns (now: int)
    requires RowsHold(log, rows, ids)
    requires CountsHold(log, ids, m, tallies[..], bad)
    requires i < |log|
    requires i in m <==> !more
    modifies tallies
    ensures CountsHold(log, ids, if more then m + {i} else m - {i}, tallies[..], now)
  {
    now := CountRow(rows[i], more, tallies, bad);
    forall k | 0 <= k < |ids|
      ensures tallies[k] == Total(log, |log|, if more then m + {i} else m - {i}, ids[k])
    {
      TotalAfterChange(log, m, i, more, ids[k]);
    }
  }

  /** The elements of a list, as positions. */
  ghost function Elements(list: seq<nat>): set<int> {
    set x: int | x in list
  }

  /** Puts entries in, or takes them out. */
  method CountEntries(ghost log: Log, ghost ids: seq<Id>, rows: seq<seq<Mark>>, list: seq<nat>, more: bool,
                      tallies: array<Tally>, bad: int, ghost m: set<int>)
    returns (now: int)
    requires RowsHold(log, rows, ids)
    requires CountsHold(log, ids, m, tallies[..], bad)
    requires Distinct(list)
    requires forall i | i in list :: i < |log| && (i in m <==> !more)
    modifies tallies
    ensures CountsHold(log, ids, if more then m + Elements(list) else m - Elements(list), tallies[..], now)
  {
    now := bad;
    assert Elements(list[..0]) == {} && m + {} == m && m - {} == m;
    for j := 0 to |list|
      invariant CountsHold(log, ids, if more then m + Elements(list[..j]) else m - Elements(list[..j]), tallies[..], now)
    {
      assert list[j] in list;
      assert list[j] !in list[..j];
      ghost var some := if more then m + Elements(list[..j]) else m - Elements(list[..j]);
      now := CountEntry(log, ids, rows, list[j], more, tallies, now, some);
      assert Elements(list[..j + 1]) == Elements(list[..j]) + {list[j]};
      assert (if more then some + {list[j]} else some - {list[j]})
          == if more then m + Elements(list[..j + 1]) else m - Elements(list[..j + 1]);
    }
    assert list[..|list|] == list;
  }

  // ---------------------------------------------------------------- Numbering tool ids

  /** The ids are numbered by their places in a list. */
  ghost predicate Numbering(number: map<Id, nat>, ids: seq<Id>) {
    && (forall t | t in number :: number[t] < |ids| && ids[number[t]] == t)
    && (forall k | 0 <= k < |ids| :: ids[k] in number && number[ids[k]] == k)
  }

  /** Every tool id in the blocks has a number. */
  ghost predicate Covers(number: map<Id, nat>, blocks: seq<Block>) {
    forall b | b in blocks && !b.Opaque? :: b.id in number
  }

  /** Gives each tool id in the blocks a number, unless it has one. */
  method NumberBlocks(blocks: seq<Block>, number: Layers.Table<Id, nat>, ids: seq<Id>)
    returns (more: Layers.Table<Id, nat>, all: seq<Id>)
    requires Numbering(Layers.Flat(number), ids)
    ensures Numbering(Layers.Flat(more), all)
    ensures Layers.Flat(number).Keys <= Layers.Flat(more).Keys
    ensures Covers(Layers.Flat(more), blocks)
  {
    more, all := number, ids;
    for j := 0 to |blocks|
      invariant Numbering(Layers.Flat(more), all)
      invariant Layers.Flat(number).Keys <= Layers.Flat(more).Keys
      invariant Covers(Layers.Flat(more), blocks[..j])
    {
      var b := blocks[j];
      if !b.Opaque? && !Layers.Has(more, b.id) {
        more := Layers.Put(more, b.id, |all|);
        all := all + [b.id];
      }
    }
    assert blocks[..|blocks|] == blocks;
  }

  /** Gives each tool id of the log a number. */
  method NumberTools(log: Log) returns (number: map<Id, nat>, ids: seq<Id>)
    ensures Numbering(number, ids)
    ensures forall i | 0 <= i < |log| :: Covers(number, log[i].blocks)
  {
    var table: Layers.Table<Id, nat> := Layers.Empty();
    ids := [];
    for i := 0 to |log|
      invariant Numbering(Layers.Flat(table), ids)
      invariant forall x | 0 <= x < i :: Covers(Layers.Flat(table), log[x].blocks)
    {
      table, ids := NumberBlocks(log[i].blocks, table, ids);
    }
    number := Layers.Flat(table);
  }

  /** A mark counts what its block counts. */
  lemma MarkCountsAsBlock(b: Block, at: nat, number: map<Id, nat>, ids: seq<Id>, k: nat)
    requires Numbering(number, ids)
    requires !b.Opaque? && b.id in number
    requires k < |ids|
    ensures CountOfMark(Mark(number[b.id], b.Use?, at), k) == CountOf(b, at, ids[k])
  {
  }

  /** One more block, marked, keeps the marks counting what the blocks count. */
  lemma MarkingOneMore(row: seq<Mark>, blocks: seq<Block>, from: nat, number: map<Id, nat>, ids: seq<Id>, b: Block)
    requires Numbering(number, ids)
    requires RowHolds(row, blocks, from, ids)
    requires b.Opaque? || b.id in number
    ensures RowHolds(if b.Opaque? then row else row + [Mark(number[b.id], b.Use?, from + |blocks|)], blocks + [b], from, ids)
  {
    hide Shift, CountOf, CountOfMark;
    var at := from + |blocks|;
    var all := blocks + [b];
    assert all[..|blocks|] == blocks;
    if b.Opaque? {
      forall k | 0 <= k < |ids|
        ensures CountOfMarks(row, k) == CountOfBlocks(all, from, ids[k])
      {
        assert CountOf(b, at, ids[k]) == Zero by {
          reveal CountOf;
        }
        ShiftIsAddition(CountOfMarks(row, k), Zero, Zero);
      }
    } else {
      var mark := Mark(number[b.id], b.Use?, at);
      var more := row + [mark];
      assert more[..|row|] == row;
      forall k | 0 <= k < |ids|
        ensures CountOfMarks(more, k) == CountOfBlocks(all, from, ids[k])
      {
        MarkCountsAsBlock(b, at, number, ids, k);
      }
    }
  }

  /** The marks of the first blocks, with the next block marked, count what one block more counts. */
  lemma RowGrows(row: seq<Mark>, blocks: seq<Block>, j: nat, from: nat, number: map<Id, nat>, ids: seq<Id>)
    requires j < |blocks|
    requires Numbering(number, ids)
    requires Covers(number, blocks)
    requires RowHolds(row, blocks[..j], from, ids)
    ensures blocks[j].Opaque? || blocks[j].id in number
    ensures RowHolds(
              if blocks[j].Opaque? then row else row + [Mark(number[blocks[j].id], blocks[j].Use?, from + j)],
              blocks[..j + 1], from, ids)
  {
    hide Numbering, RowHolds;
    assert blocks[j] in blocks;
    MarkingOneMore(row, blocks[..j], from, number, ids, blocks[j]);
    assert blocks[..j + 1] == blocks[..j] + [blocks[j]];
  }

  /** The marks of some blocks, the first of them at place `from`. */
  method Row(blocks: seq<Block>, from: nat, number: map<Id, nat>, ghost ids: seq<Id>) returns (row: seq<Mark>)
    requires Numbering(number, ids)
    requires Covers(number, blocks)
    ensures RowHolds(row, blocks, from, ids)
  {
    hide RowHolds, Numbering, Covers;
    row := [];
    assert RowHolds([], [], from, ids) by {
      reveal RowHolds;
    }
    for j := 0 to |blocks|
      invariant RowHolds(row, blocks[..j], from, ids)
    {
      var b := blocks[j];
      RowGrows(row, blocks, j, from, number, ids);
      if !b.Opaque? {
        row := row + [Mark(number[b.id], b.Use?, from + j)];
      }
    }
    assert blocks[..|blocks|] == blocks;
  }

  /** The marks of every entry. */
  method Rows(log: Log) returns (rows: seq<seq<Mark>>, ids: seq<Id>)
    ensures RowsHold(log, rows, ids)
  {
    var number;
    number, ids := NumberTools(log);
    rows := [];
    var from := 0;
    for i := 0 to |log|
      invariant |rows| == i
      invariant from == Start(log, i)
      invariant forall x | 0 <= x < i :: RowHolds(rows[x], log[x].blocks, Start(log, x), ids)
    {
      var row := Row(log[i].blocks, from, number, ids);
      rows := rows + [row];
      StartOfNext(log, i + 1);
      from := from + |log[i].blocks|;
    }
    forall i, b | 0 <= i < |log| && b in log[i].blocks && !b.Opaque?
      ensures b.id in ids
    {
      assert ids[number[b.id]] == b.id;
    }
  }

  // ---------------------------------------------------------------- The survey

  /** No block is a use or a result of a tool id. */
  ghost predicate Lacks(blocks: seq<Block>, t: Id) {
    forall b | b in blocks && !b.Opaque? :: b.id != t
  }

  /** Blocks without a tool id count nothing for it. */
  lemma OtherBlocksCountNothing(blocks: seq<Block>, from: int, t: Id)
    requires Lacks(blocks, t)
    ensures CountOfBlocks(blocks, from, t) == Zero
    decreases |blocks|
  {
    if |blocks| > 0 {
      OtherBlocksCountNothing(blocks[..|blocks| - 1], from, t);
      assert blocks[|blocks| - 1] in blocks;
    }
  }

  /** A log without a tool id counts nothing for it. */
  lemma OtherIdsCountNothing(log: Log, n: nat, m: set<int>, t: Id)
    requires n <= |log|
    requires forall i | 0 <= i < |log| :: Lacks(log[i].blocks, t)
    ensures Total(log, n, m, t) == Zero
    decreases n
  {
    hide Shift, Lacks;
    if n > 0 {
      ShiftIsAddition(Zero, Zero, Zero);
      OtherIdsCountNothing(log, n - 1, m, t);
      OtherBlocksCountNothing(log[n - 1].blocks, Start(log, n - 1), t);
    }
  }

  /** No count is wrong exactly if every tool id's is fine. */
  lemma NoneBadIsAllFine(log: Log, rows: seq<seq<Mark>>, ids: seq<Id>, m: set<int>, tallies: seq<Tally>, bad: int)
    requires RowsHold(log, rows, ids)
    requires CountsHold(log, ids, m, tallies, bad)
    ensures bad == 0 <==> AllFine(log, m)
  {
    if bad == 0 {
      forall t: Id
        ensures Fine(Total(log, |log|, m, t))
      {
        if t in ids {
          var k :| 0 <= k < |ids| && ids[k] == t;
          assert k !in Wrong(tallies);
        } else {
          OtherIdsCountNothing(log, |log|, m, t);
        }
      }
    } else {
      var k :| k in Wrong(tallies);
    }
  }

  /** A child's members are its parent's and those gained. */
  lemma GainedIsTheRest(links: Links, c: nat, frame: Frame)
    requires Shaped(links)
    requires c < |links.parent|
    requires FrameHolds(links, c, frame)
    ensures MembersAt(links, c) == MembersAt(links, links.parent[c]) + Elements(frame.gained)
    ensures MembersAt(links, links.parent[c]) == MembersAt(links, c) - Elements(frame.gained)
  {
    MembersAtParent(links, c);
  }

  /** At which entries no tool id's count is wrong, in one walk down and up over the whole log. */
  method AllFineAt(ghost log: Log, links: Links, tour: seq<int>, frames: seq<Frame>, rows: seq<seq<Mark>>, ids: seq<Id>)
    returns (fine: seq<bool>)
    requires Shaped(links)
    requires |links.parent| == |log|
    requires IsTour(links.parent, tour)
    requires FramesHold(links, frames)
    requires RowsHold(log, rows, ids)
    ensures |fine| == |log|
    ensures forall c | 0 <= c < |log| :: fine[c] <==> AllFine(log, MembersAt(links, c))
  {
    var n := |links.parent|;
    var found := new bool[n](_ => false);
    var tallies := new Tally[|ids|](_ => Zero);
    var bad := 0;
    assert CountsHold(log, ids, MembersAt(links, -1), tallies[..], bad) by {
      assert Wrong(tallies[..]) == {};
      forall k | 0 <= k < |ids|
        ensures Total(log, |log|, MembersAt(links, -1), ids[k]) == Zero
      {
        NoMembersCountNothing(log, |log|, ids[k]);
        assert MembersAt(links, -1) == {};
      }
    }
    ghost var seen := {-1};
    for k := 1 to |tour|
      invariant CountsHold(log, ids, MembersAt(links, tour[k - 1]), tallies[..], bad)
      invariant tour[k - 1] in seen && forall c | c in tour[..k] :: c in seen
      invariant forall c | c in seen && c >= 0 :: c < n && links.parent[c] in seen
      invariant forall c | c in seen && c >= 0 :: found[c] <==> AllFine(log, MembersAt(links, c))
      modifies tallies, found
    {
      var at, to := tour[k - 1], tour[k];
      if at < to {
        GainedIsTheRest(links, to, frames[to]);
        bad := CountEntries(log, ids, rows, frames[to].gained, true, tallies, bad, MembersAt(links, at));
        NoneBadIsAllFine(log, rows, ids, MembersAt(links, to), tallies[..], bad);
        found[to] := bad == 0;
        seen := seen + {to};
      } else {
        GainedIsTheRest(links, at, frames[at]);
        bad := CountEntries(log, ids, rows, frames[at].gained, false, tallies, bad, MembersAt(links, at));
      }
    }
    assert tour[..|tour|] == tour;
    fine := found[..];
  }

  /** Without members nothing is counted. */
  lemma NoMembersCountNothing(log: Log, n: nat, t: Id)
    requires n <= |log|
    ensures Total(log, n, {}, t) == Zero
    decreases n
  {
    if n > 0 {
      NoMembersCountNothing(log, n - 1, t);
    }
  }

  /** The verdict on an entry is that of the definitions. */
  ghost predicate Verdict(log: Log, i: nat, balanced: bool, settled: bool, legal: bool)
    requires i < |log|
  {
    var u := log[i].uuid;
    && u in Uuids(log)
    && (balanced <==> Balanced(Context(log, u)))
    && (settled <==> Settled(log, u))
    && (balanced && settled <==> Resumable(log, u))
    && (legal <==> Legal(log, u))
  }

  /** A conversation is balanced exactly if every tool id's count over its members' positions is fine. */
  lemma BalancedIsAllFine(log: Log, u: Id, m: set<int>)
    requires u in Uuids(log)
    requires m == PositionsIn(log, Members(log, u))
    ensures Balanced(Context(log, u)) <==> AllFine(log, m)
  {
    BalancedIsFineForEach(log, Members(log, u));
  }

  /** Numbers that represent a log have its size and shape. */
  lemma RepresentingIsShaped(links: Links, log: Log)
    requires Represents(links, log)
    ensures Shaped(links)
    ensures |links.parent| == |log|
    ensures Forest(links.parent)
  {
  }

  /** Balanced and settled give the rest of the verdict. */
  lemma VerdictFollows(log: Log, i: nat, balanced: bool, settled: bool)
    requires WellFormed(log)
    requires i < |log|
    requires log[i].uuid in Uuids(log)
    requires balanced <==> Balanced(Context(log, log[i].uuid))
    requires settled <==> Settled(log, log[i].uuid)
    ensures Verdict(log, i, balanced, settled, balanced && settled && MainLineAssistant(log[i]))
  {
    hide Balanced, Settled;
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
  }

  /** The verdict that the walks give on an entry is that of the definitions. */
  lemma WalksGiveVerdict(links: Links, log: Log, c: nat, frame: Frame, fine: bool)
    requires WellFormed(log)
    requires Represents(links, log)
    requires c < |log|
    requires WaitsHold(links, c, frame.waits)
    requires fine <==> AllFine(log, MembersAt(links, c))
    ensures Verdict(log, c, fine, frame.waits == [], fine && frame.waits == [] && MainLineAssistant(log[c]))
  {
    hide Represents, Shaped, WellFormed, WaitsHold, AllFine, Verdict, Settled, Balanced, PositionsIn, MembersAt;
    RepresentingIsShaped(links, log);
    MembersAtAreMembers(links, log, c);
    SettledIsNothingToWaitFor(links, log, c, frame.waits);
    BalancedIsAllFine(log, log[c].uuid, MembersAt(links, c));
    VerdictFollows(log, c, fine, frame.waits == []);
  }

  /** For every entry: whether its conversation is balanced, whether it is settled, and whether it is a legal fork point. */
  method Survey(log: Log, links: Links) returns (balanced: seq<bool>, settled: seq<bool>, legal: seq<bool>)
    requires WellFormed(log)
    requires Represents(links, log)
    ensures |balanced| == |settled| == |legal| == |log|
    ensures forall i | 0 <= i < |log| :: Verdict(log, i, balanced[i], settled[i], legal[i])
  {
    hide Represents, Shaped, WellFormed, WaitsHold, AllFine, Verdict, MembersAt, RowsHold, IsTour;
    RepresentingIsShaped(links, log);
    var tour := Tour(links.parent);
    var frames := Frames(links, tour);
    var rows, ids := Rows(log);
    balanced := AllFineAt(log, links, tour, frames, rows, ids);
    settled, legal := [], [];
    for i := 0 to |log|
      invariant |settled| == |legal| == i
      invariant forall x | 0 <= x < i :: Verdict(log, x, balanced[x], settled[x], legal[x])
    {
      assert FrameHolds(links, i, frames[i]);
      WalksGiveVerdict(links, log, i, frames[i], balanced[i]);
      var calm := frames[i].waits == [];
      settled := settled + [calm];
      legal := legal + [balanced[i] && calm && MainLineAssistant(log[i])];
    }
  }
}

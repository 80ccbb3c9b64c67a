// Chapter 4, the algorithms: the number view of a log, built in three passes over its entries and blocks (numbers for
// hubs; what each entry opens and joins; who joins each hub); and over it the members of a conversation by a search that
// visits each joiner of a hub once, its context (which is the fork), and whether it is settled.
include "04-Contexts.Links.dfy"
include "04-Contexts.Proofs.dfy"
include "03-Ancestries.Fast.dfy"

module ContextsFast {
  import opened Names
  import opened Entries
  import opened EntriesProofs
  import opened Contexts
  import opened ContextsProofs
  import opened Links
  import opened AncestriesFast
  import Layers

  /** Through hubs an entry needs exactly the entries that join what it opens; besides, it needs its parent. */
  lemma NeedsGoThroughHubs(a: Entry, b: Entry)
    ensures Needs(a, b) <==> a.parent == Some(b.uuid) || exists hub :: hub in Opens(a) && hub in Joins(b)
  {
    if Mates(a, b) {
      assert MessageHub(a.message.value) in Opens(a);
    }
    if Answers(a, b) {
      var t :| t in UsesOf(a) * ResultsOf(b);
      assert ToolHub(t) in Opens(a);
    }
    if hub :| hub in Opens(a) && hub in Joins(b) {
      match hub
      case MessageHub(m) =>
      case ToolHub(t) =>
        assert t in UsesOf(a) * ResultsOf(b);
    }
  }

  /** The hubs that an entry opens, in the order of its blocks. */
  method OpenedHubs(e: Entry) returns (hubs: seq<Hub>)
    ensures forall hub :: hub in hubs <==> hub in Opens(e)
  {
    hubs := [];
    for k := 0 to |e.blocks|
      invariant forall hub :: hub in hubs <==> hub.ToolHub? && Use(hub.tool) in e.blocks[..k]
    {
      assert e.blocks[..k + 1] == e.blocks[..k] + [e.blocks[k]];
      if e.blocks[k].Use? {
        hubs := hubs + [ToolHub(e.blocks[k].id)];
      }
    }
    assert e.blocks[..|e.blocks|] == e.blocks;
    assert forall t :: t in UsesOf(e) <==> Use(t) in e.blocks;
    if e.kind.Assistant? && e.message.Some? {
      hubs := [MessageHub(e.message.value)] + hubs;
    }
  }

  /** The hubs that an entry joins, in the order of its blocks. */
  method JoinedHubs(e: Entry) returns (hubs: seq<Hub>)
    ensures forall hub :: hub in hubs <==> hub in Joins(e)
  {
    hubs := [];
    if e.kind.User? {
      for k := 0 to |e.blocks|
        invariant forall hub :: hub in hubs <==> hub.ToolHub? && Result(hub.tool) in e.blocks[..k]
      {
        assert e.blocks[..k + 1] == e.blocks[..k] + [e.blocks[k]];
        if e.blocks[k].Result? {
          hubs := hubs + [ToolHub(e.blocks[k].id)];
        }
      }
      assert e.blocks[..|e.blocks|] == e.blocks;
      assert forall t :: t in ResultsOf(e) <==> Result(t) in e.blocks;
    } else if e.kind.Assistant? && e.message.Some? {
      hubs := [MessageHub(e.message.value)];
    }
  }

  /** Different hubs have different numbers, below how many there are. */
  ghost predicate Numbering(number: map<Hub, nat>) {
    && (forall hub | hub in number :: number[hub] < |number|)
    && (forall a, b | a in number && b in number && number[a] == number[b] :: a == b)
  }

  /** The next number, for a hub that has none yet. */
  lemma NumberingGrows(number: map<Hub, nat>, hub: Hub)
    requires Numbering(number)
    requires hub !in number
    ensures Numbering(number[hub := |number|])
  {
  }

  /** Gives a number to each hub of a list that has none yet, and keeps those given. */
  method NumberHubs(number: Layers.Table<Hub, nat>, hubs: seq<Hub>, ghost all: set<Hub>)
    returns (more: Layers.Table<Hub, nat>)
    requires forall hub :: hub in hubs <==> hub in all
    requires Numbering(Layers.Flat(number))
    ensures Numbering(Layers.Flat(more))
    ensures Layers.Flat(more).Keys == Layers.Flat(number).Keys + all
  {
    hide Numbering;
    more := number;
    for k := 0 to |hubs|
      invariant Numbering(Layers.Flat(more))
      invariant Layers.Flat(more).Keys == Layers.Flat(number).Keys + set hub | hub in hubs[..k]
    {
      assert hubs[..k + 1] == hubs[..k] + [hubs[k]];
      if !Layers.Has(more, hubs[k]) {
        NumberingGrows(Layers.Flat(more), hubs[k]);
        more := Layers.Put(more, hubs[k], Layers.Size(more));
      }
    }
    assert hubs[..|hubs|] == hubs;
    assert Layers.Flat(more).Keys == Layers.Flat(number).Keys + all;
  }

  /** The numbers in the list are exactly those of the hubs in the set. A number may be listed twice. */
  ghost predicate Numbered(number: map<Hub, nat>, hubs: set<Hub>, numbers: seq<nat>) {
    && hubs <= number.Keys
    && (forall hub | hub in hubs :: number[hub] in numbers)
    && (forall h | h in numbers :: exists hub :: hub in hubs && number[hub] == h)
  }

  /** The numbers of a list of hubs. */
  method NumbersOf(number: map<Hub, nat>, hubs: seq<Hub>, ghost all: set<Hub>) returns (numbers: seq<nat>)
    requires forall hub :: hub in hubs <==> hub in all
    requires all <= number.Keys
    ensures Numbered(number, all, numbers)
  {
    numbers := seq(|hubs|, k requires 0 <= k < |hubs| => assert hubs[k] in all; number[hubs[k]]);
    forall hub | hub in all ensures number[hub] in numbers {
      var k :| 0 <= k < |hubs| && hubs[k] == hub;
      assert numbers[k] == number[hub];
    }
    forall h | h in numbers ensures exists hub :: hub in all && number[hub] == h {
      var k :| 0 <= k < |numbers| && numbers[k] == h;
    }
  }

  /** Two numbered sets share a number exactly when they share a hub. */
  lemma SharedNumberIsSharedHub(number: map<Hub, nat>, a: set<Hub>, b: set<Hub>, ms: seq<nat>, ns: seq<nat>)
    requires Numbering(number)
    requires Numbered(number, a, ms) && Numbered(number, b, ns)
    ensures (exists h :: h in ms && h in ns) <==> (exists hub :: hub in a && hub in b)
  {
    if h :| h in ms && h in ns {
      var x :| x in a && number[x] == h;
      var y :| y in b && number[y] == h;
    }
  }

  /** Every hub that an entry opens or joins has a number. */
  opaque ghost predicate Covers(number: map<Hub, nat>, e: Entry) {
    Opens(e) <= number.Keys && Joins(e) <= number.Keys
  }

  /** Gives a number to each hub that an entry opens or joins, and keeps those given. */
  method NumberEntry(number: Layers.Table<Hub, nat>, e: Entry) returns (more: Layers.Table<Hub, nat>)
    requires Numbering(Layers.Flat(number))
    ensures Numbering(Layers.Flat(more))
    ensures Covers(Layers.Flat(more), e)
    ensures forall other :: Covers(Layers.Flat(number), other) ==> Covers(Layers.Flat(more), other)
  {
    hide Numbering;
    var used := OpenedHubs(e);
    more := NumberHubs(number, used, Opens(e));
    var answered := JoinedHubs(e);
    more := NumberHubs(more, answered, Joins(e));
    CoversMore(Layers.Flat(number), Layers.Flat(more));
    assert Covers(Layers.Flat(more), e) by {
      reveal Covers();
    }
  }

  /** With more numbers no hub is left without one. */
  lemma CoversMore(number: map<Hub, nat>, more: map<Hub, nat>)
    requires number.Keys <= more.Keys
    ensures forall other :: Covers(number, other) ==> Covers(more, other)
  {
    reveal Covers();
  }

  /** A numbering of all hubs of a log, in one pass. */
  method NumberLog(log: Log) returns (number: map<Hub, nat>)
    ensures Numbering(number)
    ensures forall i | 0 <= i < |log| :: Covers(number, log[i])
  {
    var table: Layers.Table<Hub, nat> := Layers.Empty();
    for i := 0 to |log|
      invariant Numbering(Layers.Flat(table))
      invariant forall k | 0 <= k < i :: Covers(Layers.Flat(table), log[k])
    {
      table := NumberEntry(table, log[i]);
    }
    number := Layers.Flat(table);
  }

  /** What each entry opens and joins, as numbers, in one pass. */
  method NumberEntries(log: Log, number: map<Hub, nat>) returns (opens: seq<seq<nat>>, joins: seq<seq<nat>>)
    requires forall i | 0 <= i < |log| :: Covers(number, log[i])
    ensures |opens| == |joins| == |log|
    ensures forall i | 0 <= i < |log| :: Numbered(number, Opens(log[i]), opens[i])
    ensures forall i | 0 <= i < |log| :: Numbered(number, Joins(log[i]), joins[i])
  {
    opens, joins := [], [];
    for i := 0 to |log|
      invariant |opens| == |joins| == i
      invariant forall k | 0 <= k < i :: Numbered(number, Opens(log[k]), opens[k])
      invariant forall k | 0 <= k < i :: Numbered(number, Joins(log[k]), joins[k])
    {
      reveal Covers();
      var used := OpenedHubs(log[i]);
      var open := NumbersOf(number, used, Opens(log[i]));
      var answered := JoinedHubs(log[i]);
      var join := NumbersOf(number, answered, Joins(log[i]));
      opens, joins := opens + [open], joins + [join];
    }
  }

  /** A list of positions below `n`, each greater than the one before. Only so can a search stop at the first joiner that is
    * too late, and the last joiner tell whether any is. */
  ghost predicate Rising(list: seq<nat>, n: nat) {
    && (forall a, b | 0 <= a < b < |list| :: list[a] < list[b])
    && (forall j | j in list :: j < n)
  }

  /** A position that is not in a list of positions before the next one may stand at its end. */
  lemma RisingWithLast(list: seq<nat>, j: nat)
    requires Rising(list, j + 1)
    requires j !in list
    ensures Rising(list + [j], j + 1)
    ensures forall k :: k in list + [j] <==> k in list || k == j
  {
    assert forall a | 0 <= a < |list| :: list[a] in list;
  }

  /** No position after `j` was entered last in any list, and `j` was where it stands in the list. */
  ghost predicate LastEntered(lists: seq<seq<nat>>, last: seq<int>, j: nat) {
    && |last| == |lists|
    && (forall h | 0 <= h < |lists| :: last[h] <= j)
    && (forall h | 0 <= h < |lists| :: last[h] == j <==> j in lists[h])
  }

  /** Enters a position in the lists of the hubs that it joins, once in each. What was entered last is kept beside the lists, so
    * that no list is looked into while it grows. */
  method EnterJoiner(joined: seq<nat>, j: nat, lists: array<seq<nat>>, last: array<int>)
    requires forall h | h in joined :: h < lists.Length
    requires forall h | 0 <= h < lists.Length :: Rising(lists[h], j)
    requires last.Length == lists.Length
    requires forall h | 0 <= h < last.Length :: last[h] < j
    modifies lists, last
    ensures forall h | 0 <= h < lists.Length :: Rising(lists[h], j + 1)
    ensures forall h, k | 0 <= h < lists.Length :: k in lists[h] <==> k in old(lists[h]) || (k == j && h in joined)
    ensures forall h | 0 <= h < last.Length :: last[h] < j + 1
  {
    for n := 0 to |joined|
      invariant forall h | 0 <= h < lists.Length :: Rising(lists[h], j + 1)
      invariant forall h, k | 0 <= h < lists.Length :: k in lists[h] <==> k in old(lists[h]) || (k == j && h in joined[..n])
      invariant LastEntered(lists[..], last[..], j)
    {
      assert joined[..n + 1] == joined[..n] + [joined[n]];
      var h := joined[n];
      assert h in joined;
      if last[h] != j {
        RisingWithLast(lists[h], j);
        lists[h] := lists[h] + [j];
        last[h] := j;
      }
    }
    assert joined[..|joined|] == joined;
  }

  /** The positions that join each of `size` hubs, in order, in one pass. */
  method Joiners(joins: seq<seq<nat>>, size: nat) returns (joiners: seq<seq<nat>>)
    requires forall j, h | 0 <= j < |joins| && h in joins[j] :: h < size
    ensures |joiners| == size
    ensures forall h | 0 <= h < size :: Rising(joiners[h], |joins|)
    ensures forall h, j | 0 <= h < size && 0 <= j < |joins| :: j in joiners[h] <==> h in joins[j]
  {
    var lists := new seq<nat>[size](_ => []);
    var last := new int[size](_ => -1);
    for j := 0 to |joins|
      invariant forall h | 0 <= h < size :: Rising(lists[h], j)
      invariant forall h, k | 0 <= h < size && 0 <= k < |joins| :: k in lists[h] <==> k < j && h in joins[k]
      invariant forall h | 0 <= h < size :: last[h] < j
    {
      EnterJoiner(joins[j], j, lists, last);
    }
    joiners := lists[..];
  }

  /** The number view of a well-formed log. So every well-formed log has one. */
  method BuildLinks(log: Log) returns (links: Links)
    requires WellFormed(log)
    ensures Represents(links, log)
  {
    var at := Index(log);
    var parent := ParentPositions(log, at);
    var number := NumberLog(log);
    var opens, joins := NumberEntries(log, number);
    assert forall j, h | 0 <= j < |joins| && h in joins[j] :: h < |number|;
    var joiners := Joiners(joins, |number|);
    links := Links(parent, opens, joins, joiners);
    NumbersRepresent(log, number, links);
  }

  /** Parents as positions and hubs as numbers say together what the entries need. */
  lemma NumbersRepresent(log: Log, number: map<Hub, nat>, links: Links)
    requires WellFormed(log)
    requires Shaped(links)
    requires AreParents(log, links.parent)
    requires Numbering(number)
    requires forall i | 0 <= i < |log| :: Numbered(number, Opens(log[i]), links.opens[i])
    requires forall i | 0 <= i < |log| :: Numbered(number, Joins(log[i]), links.joins[i])
    ensures Represents(links, log)
  {
    WellFormedHasUniqueUuids(log);
    forall i, j | 0 <= i < |log| && 0 <= j < |log| ensures Linked(links, i, j) <==> Needs(log[i], log[j]) {
      NeedsGoThroughHubs(log[i], log[j]);
      SharedNumberIsSharedHub(number, Opens(log[i]), Joins(log[j]), links.opens[i], links.joins[j]);
    }
  }

  /** Positions that need nothing more up to position `i`. */
  ghost predicate ClosedUpTo(links: Links, i: nat, positions: set<nat>)
    requires Shaped(links)
    requires i < |links.parent|
  {
    forall a: nat, b: nat | a in positions && a <= i && b <= i && Linked(links, a, b) :: b in positions
  }

  /** The positions up to and including `i`. */
  ghost function UpTo(i: nat): set<nat>
    ensures forall j: nat :: j in UpTo(i) <==> j <= i
    ensures |UpTo(i)| == i + 1
  {
    if i == 0 then {0} else UpTo(i - 1) + {i}
  }

  /** A search for the members of a conversation, as of position `i`: what is marked, the marked positions whose needs
    * are still to be followed (a stack), and for each hub how many of its joiners have been marked. Because a hub is
    * left where it was and taken up there again, each joiner is visited once, however many members open the hub. */
  class Search {
    const links: Links
    const i: nat
    const mark: array<bool>
    const stack: array<nat>
    const left: array<nat>
    var top: nat
    ghost const within: set<nat>
    ghost var free: set<nat>
    ghost var done: set<nat>
    ghost var busy: set<nat>

    /** A search that has marked the position itself and nothing else yet. `inside` is any closed set: nothing outside it
      * is ever marked. */
    constructor (links: Links, i: nat, ghost inside: set<nat>)
      requires Shaped(links)
      requires i < |links.parent|
      requires i in inside && ClosedUpTo(links, i, inside)
      ensures Valid()
      ensures this.links == links && this.i == i && this.within == inside
      ensures fresh(mark) && fresh(stack) && fresh(left)
      ensures mark[i] && busy == {}
    {
      this.links, this.i, this.within := links, i, inside;
      mark := new bool[|links.parent|](j => j == i);
      stack := new nat[i + 1](_ => i);
      left := new nat[|links.joiners|](_ => 0);
      top, free, done, busy := 1, UpTo(i) - {i}, {}, {};
      new;
      assert stack[..1] == [i];
    }

    /** Every marked position has been done, is busy or is on the stack, there is room on the stack for the unmarked ones, and what
      * has been done needs nothing that is unmarked. */
    ghost predicate Valid()
      reads this, mark, stack, left
    {
      Sized() && Sound() && Followed()
    }

    /** The numbers and arrays fit together. */
    ghost predicate Sized() {
      && Shaped(links)
      && i < |links.parent| == mark.Length
      && stack.Length == i + 1
      && left.Length == |links.joiners|
      && left != stack
      && ClosedUpTo(links, i, within)
    }

    /** Only what is within is marked, and the stack holds marked positions and has room for the others. */
    ghost predicate Sound()
      requires Sized()
      reads this, mark, stack
    {
      && |free| + top <= i + 1
      && (forall j | 0 <= j < mark.Length && mark[j] :: j <= i && j in within)
      && (forall j | 0 <= j <= i && !mark[j] :: j in free)
      && (forall k | 0 <= k < top :: stack[k] <= i && mark[stack[k]])
    }

    /** What has been done needs nothing that is unmarked; the other marked positions are busy or on the stack. */
    ghost predicate Followed()
      requires Sized()
      reads this, mark, stack, left
    {
      && top <= i + 1
      && (forall j | 0 <= j < mark.Length && mark[j] :: j in done || j in busy || j in stack[..top])
      && (forall h | 0 <= h < left.Length :: left[h] <= |links.joiners[h]|)
      && (forall h, k | 0 <= h < left.Length && 0 <= k < left[h] :: Marked(links.joiners[h][k]))
      && (forall p | p in done :: p <= i && ParentMarked(p) && HubsDrained(p))
    }

    /** The position is marked. */
    ghost predicate Marked(j: nat)
      reads mark
    {
      j < mark.Length && mark[j]
    }

    /** The parent of a position is marked, if it has one. */
    ghost predicate ParentMarked(p: nat)
      requires Sized()
      requires p <= i
      reads mark
    {
      links.parent[p] >= 0 ==> Marked(links.parent[p])
    }

    /** Every joiner of the hub, up to position `i`, has been visited. */
    ghost predicate Drained(h: nat)
      requires Sized()
      reads left
    {
      h < left.Length && left[h] < |links.joiners[h]| ==> links.joiners[h][left[h]] > i
    }

    /** The hubs that a position opens have been drained. */
    ghost predicate HubsDrained(p: nat)
      requires Sized()
      requires p <= i
      reads left
    {
      forall h | h in links.opens[p] :: Drained(h)
    }

    /** Marks stay, drained hubs stay drained, and either nothing new was marked or fewer positions are free. */
    twostate predicate Grows()
      requires old(Valid()) && Valid()
      reads this, mark, stack, left
    {
      && done == old(done) && busy == old(busy)
      && (forall j | 0 <= j < mark.Length && old(mark[j]) :: mark[j])
      && (forall h | 0 <= h < left.Length && old(Drained(h)) :: Drained(h))
      && (|free| < |old(free)| || (free == old(free) && top == old(top)))
    }

    /** Marks a position and puts it on the stack, unless it is marked already. */
    method Visit(q: nat)
      requires Valid()
      requires q <= i && q in within
      modifies this`top, this`free, mark, stack
      ensures Valid()
      ensures Grows()
      ensures mark[q]
    {
      if !mark[q] {
        free := free - {q};
        mark[q] := true;
        stack[top] := q;
        top := top + 1;
        assert stack[..top] == old(stack[..top]) + [q];
      }
    }

    /** Visits the joiners of a hub that a member opens, from where the hub was left, up to position `i`. */
    method Drain(p: nat, h: nat)
      requires Valid()
      requires p <= i && p in within
      requires h in links.opens[p]
      modifies this`top, this`free, mark, stack, left
      ensures Valid()
      ensures Grows()
      ensures Drained(h)
    {
      while left[h] < |links.joiners[h]| && links.joiners[h][left[h]] <= i
        invariant Valid()
        invariant Grows()
        decreases |links.joiners[h]| - left[h]
      {
        var q := links.joiners[h][left[h]];
        assert Linked(links, p, q);
        Visit(q);
        left[h] := left[h] + 1;
      }
    }

    /** Marks what a busy position needs. */
    method Follow(p: nat)
      requires Valid()
      requires p <= i && p in within
      modifies this`top, this`free, mark, stack, left
      ensures Valid()
      ensures Grows()
      ensures ParentMarked(p) && HubsDrained(p)
    {
      if links.parent[p] >= 0 {
        assert Linked(links, p, links.parent[p]);
        Visit(links.parent[p]);
      }
      for k := 0 to |links.opens[p]|
        invariant Valid()
        invariant Grows()
        invariant ParentMarked(p)
        invariant forall h | h in links.opens[p][..k] :: Drained(h)
      {
        assert links.opens[p][k] in links.opens[p];
        Drain(p, links.opens[p][k]);
        assert links.opens[p][..k + 1] == links.opens[p][..k] + [links.opens[p][k]];
      }
      assert links.opens[p][..|links.opens[p]|] == links.opens[p];
    }

    /** Takes a position from the stack and marks what it needs. */
    method Step()
      requires Valid()
      requires busy == {} && top > 0
      modifies this, mark, stack, left
      ensures Valid()
      ensures busy == {}
      ensures forall j | 0 <= j < mark.Length && old(mark[j]) :: mark[j]
      ensures |free| < |old(free)| || (free == old(free) && top < old(top))
    {
      top := top - 1;
      var p := stack[top];
      assert stack[..top + 1] == stack[..top] + [p];
      busy := {p};
      Follow(p);
      done, busy := done + {p}, {};
    }

    /** Takes positions from the stack until there are none. */
    method Run()
      requires Valid()
      requires busy == {}
      modifies this, mark, stack, left
      ensures Valid()
      ensures busy == {} && top == 0
      ensures forall j | 0 <= j < mark.Length && old(mark[j]) :: mark[j]
    {
      while top > 0
        invariant Valid()
        invariant busy == {}
        invariant forall j | 0 <= j < mark.Length && old(mark[j]) :: mark[j]
        decreases |free|, top
      {
        Step();
      }
    }

    /** When nothing is on the stack, what is marked needs nothing that is unmarked. */
    lemma FinishedIsClosed(a: nat, b: nat)
      requires Valid()
      requires busy == {} && top == 0
      requires a <= i && b <= i
      requires mark[a] && Linked(links, a, b)
      ensures mark[b]
    {
      if links.parent[a] != b {
        var h :| h in links.opens[a] && h in links.joins[b];
        var k :| 0 <= k < |links.joiners[h]| && links.joiners[h][k] == b;
        assert k < left[h];
      }
    }
  }

  /** What is marked is position `i`, others before it, and everything up to `i` that one of these needs. */
  ghost predicate ClosedMarks(links: Links, i: nat, mark: seq<bool>)
    requires Shaped(links)
    requires i < |links.parent|
  {
    && |mark| == |links.parent|
    && mark[i]
    && (forall j | 0 <= j < |mark| && mark[j] :: j <= i)
    && (forall a, b | 0 <= a <= i && 0 <= b <= i && mark[a] && Linked(links, a, b) :: mark[b])
  }

  /** Marks a closed set of positions up to `i` that contains `i`. It lies within every other such set, so it is the least. */
  method MarkMembers(links: Links, i: nat, ghost within: set<nat>) returns (mark: seq<bool>)
    requires Shaped(links)
    requires i < |links.parent|
    requires i in within && ClosedUpTo(links, i, within)
    ensures ClosedMarks(links, i, mark)
    ensures forall j | 0 <= j < |mark| && mark[j] :: j in within
  {
    var search := new Search(links, i, within);
    search.Run();
    mark := search.mark[..];
    forall a, b | 0 <= a <= i && 0 <= b <= i && mark[a] && Linked(links, a, b) ensures mark[b] {
      search.FinishedIsClosed(a, b);
    }
  }

  /** The marks are the members of the conversation at position `i`. */
  ghost predicate MarksMembers(log: Log, i: nat, mark: seq<bool>)
    requires i < |log|
  {
    && |mark| == |log|
    && log[i].uuid in Uuids(log)
    && (forall j | 0 <= j < |log| :: mark[j] <==> log[j].uuid in Members(log, log[i].uuid))
  }

  /** The positions of some ids. */
  ghost function PositionsOf(log: Log, ids: set<Id>): set<nat> {
    set j: nat | j < |log| && log[j].uuid in ids
  }

  /** The ids at the marked positions. */
  ghost function MarkedIds(log: Log, mark: seq<bool>): set<Id>
    requires |mark| == |log|
  {
    set j | 0 <= j < |log| && mark[j] :: log[j].uuid
  }

  /** What a member needs is a member, if it stands at `i` or before. */
  lemma NeededBeforeIsMember(log: Log, i: nat, a: nat, b: nat)
    requires UniqueUuids(log)
    requires i < |log| && a < |log| && b <= i
    requires log[i].uuid in Uuids(log)
    requires log[a].uuid in Members(log, log[i].uuid)
    requires Needs(log[a], log[b])
    ensures a <= i
    ensures log[b].uuid in Members(log, log[i].uuid)
  {
    var u := log[i].uuid;
    IndexOfIsPosition(log, i);
    IndexOfIsPosition(log, a);
    MembersStandBefore(log, u, log[a].uuid);
    var asOf := AsOf(log, u);
    WhatMembersNeedIsMember(log, u, log[a], log[b]);
  }

  /** The positions of the members are closed up to the position whose conversation it is. */
  lemma PositionsOfMembersAreClosed(links: Links, log: Log, i: nat)
    requires WellFormed(log)
    requires Represents(links, log)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures i in PositionsOf(log, Members(log, log[i].uuid))
    ensures ClosedUpTo(links, i, PositionsOf(log, Members(log, log[i].uuid)))
  {
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    MembersContainsItself(log, log[i].uuid);
    var positions := PositionsOf(log, Members(log, log[i].uuid));
    forall a: nat, b: nat | a in positions && a <= i && b <= i && Linked(links, a, b) ensures b in positions {
      NeededBeforeIsMember(log, i, a, b);
    }
  }

  /** Marks that hold position `i` and, up to `i`, what a marked one needs, hold every member: their ids are a closed set,
    * and the members are the least such set. */
  lemma ClosedMarksHoldTheMembers(log: Log, i: nat, mark: seq<bool>, j: nat)
    requires UniqueUuids(log)
    requires i < |log| == |mark|
    requires mark[i]
    requires forall a, b | 0 <= a <= i && 0 <= b <= i && mark[a] && Needs(log[a], log[b]) :: mark[b]
    requires log[i].uuid in Uuids(log)
    requires j < |log| && log[j].uuid in Members(log, log[i].uuid)
    ensures mark[j]
  {
    hide Members, Needs;
    IndexOfIsPosition(log, i);
    var u, ids := log[i].uuid, MarkedIds(log, mark);
    var asOf := AsOf(log, u);
    forall x, y | x in asOf && y in asOf && x.uuid in ids && Needs(x, y) ensures y.uuid in ids {
      var a :| 0 <= a <= i && log[a] == x;
      var b :| 0 <= b <= i && log[b] == y;
      assert mark[a];
    }
    MembersAreLeast(log, u, ids);
  }

  /** Marks that are closed by the number view are closed by what the entries say. */
  lemma ClosedMarksHoldTheNeeded(links: Links, log: Log, i: nat, mark: seq<bool>, a: nat, b: nat)
    requires Represents(links, log)
    requires i < |log|
    requires ClosedMarks(links, i, mark)
    requires a <= i && b <= i && mark[a] && Needs(log[a], log[b])
    ensures mark[b]
  {
    assert Linked(links, a, b);
  }

  /** The members of the conversation at position `i`: what is marked after a search over the number view. */
  method FastMembers(links: Links, ghost log: Log, i: nat) returns (mark: seq<bool>)
    requires WellFormed(log)
    requires Represents(links, log)
    requires i < |log|
    ensures MarksMembers(log, i, mark)
  {
    PositionsOfMembersAreClosed(links, log, i);
    mark := MarkMembers(links, i, PositionsOf(log, Members(log, log[i].uuid)));
    WellFormedHasUniqueUuids(log);
    forall a, b | 0 <= a <= i && 0 <= b <= i && mark[a] && Needs(log[a], log[b]) ensures mark[b] {
      ClosedMarksHoldTheNeeded(links, log, i, mark, a, b);
    }
    forall j | 0 <= j < |log| && log[j].uuid in Members(log, log[i].uuid) ensures mark[j] {
      ClosedMarksHoldTheMembers(log, i, mark, j);
    }
  }

  /** The conversation at position `i`, and so the fork there: the marked entries, in one pass up to `i`. */
  method FastContext(links: Links, log: Log, i: nat) returns (context: Log)
    requires WellFormed(log)
    requires Represents(links, log)
    requires i < |log|
    ensures log[i].uuid in Uuids(log)
    ensures context == Context(log, log[i].uuid)
  {
    var mark := FastMembers(links, log, i);
    context := KeepMarked(log, i, mark);
  }

  /** The marked entries up to position `i`, when the marks are the members, are the conversation. */
  method KeepMarked(log: Log, i: nat, mark: seq<bool>) returns (context: Log)
    requires WellFormed(log)
    requires i < |log|
    requires MarksMembers(log, i, mark)
    ensures context == Context(log, log[i].uuid)
  {
    ghost var ids := Members(log, log[i].uuid);
    context := [];
    for j := 0 to i + 1
      invariant context == Keep(log[..j], ids)
    {
      assert log[..j + 1] == log[..j] + [log[j]];
      KeepOfLast(log[..j], log[j], ids);
      if mark[j] {
        context := context + [log[j]];
      }
    }
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    ContextIsKeptFromAsOf(log, log[i].uuid);
  }

  /** No joiner of a hub that position `j` opens stands after `i`. Joiners rise, so the last one of each hub tells. */
  ghost predicate OpensNothingAfter(links: Links, j: nat, i: nat)
    requires Shaped(links)
    requires j < |links.parent|
  {
    forall h, q | h in links.opens[j] && q in links.joiners[h] :: q <= i
  }

  /** Decides whether every joiner of the hubs that position `j` opens stands at `i` or before. */
  method NothingAfter(links: Links, j: nat, i: nat) returns (none: bool)
    requires Shaped(links)
    requires j < |links.parent|
    ensures none == OpensNothingAfter(links, j, i)
  {
    var opens := links.opens[j];
    for k := 0 to |opens|
      invariant forall h, q | h in opens[..k] && h < |links.joiners| && q in links.joiners[h] :: q <= i
    {
      assert opens[..k + 1] == opens[..k] + [opens[k]];
      assert opens[k] in opens;
      var joiners := links.joiners[opens[k]];
      if |joiners| > 0 && joiners[|joiners| - 1] > i {
        assert joiners[|joiners| - 1] in joiners;
        return false;
      }
      assert forall n | 0 <= n < |joiners| :: joiners[n] <= joiners[|joiners| - 1];
    }
    assert opens[..|opens|] == opens;
    none := true;
  }

  /** A position that joins a hub which another opens is linked to it. */
  lemma JoinerIsLinked(links: Links, j: nat, h: nat, q: nat)
    requires Shaped(links)
    requires j < |links.parent| && h in links.opens[j] && q in links.joiners[h]
    ensures q < |links.parent|
    ensures Linked(links, j, q)
  {
    assert h < |links.joiners|;
    assert h in links.joins[q];
  }

  /** What is linked to a position that opens nothing after `i` stands at `i` or before. */
  lemma LinkedStandsBefore(links: Links, i: nat, a: nat, b: nat)
    requires Shaped(links)
    requires i < |links.parent| && a <= i && b < |links.parent|
    requires OpensNothingAfter(links, a, i)
    requires Linked(links, a, b)
    ensures b <= i
  {
    if links.parent[a] != b {
      var h :| h in links.opens[a] && h in links.joins[b];
      assert b in links.joiners[h];
    }
  }

  /** What a member of a settled conversation needs does not stand after it. */
  lemma SettledNeedsNothingAfter(log: Log, i: nat, a: nat, b: nat)
    requires UniqueUuids(log)
    requires i < |log| && a < |log| && b < |log|
    requires log[i].uuid in Uuids(log)
    requires Settled(log, log[i].uuid)
    requires log[a].uuid in Members(log, log[i].uuid)
    requires Needs(log[a], log[b])
    ensures b <= i
  {
    var u := log[i].uuid;
    WhatSettledNeedsIsMember(log, u, log[a], log[b]);
    MembersStandBefore(log, u, log[b].uuid);
    IndexOfIsPosition(log, b);
    IndexOfIsPosition(log, i);
  }

  /** What a settled conversation needs is in it, so nothing after it joins a hub that a member opens. */
  lemma SettledOpensNothingAfter(links: Links, log: Log, i: nat, mark: seq<bool>, j: nat)
    requires WellFormed(log)
    requires Represents(links, log)
    requires i < |log|
    requires MarksMembers(log, i, mark)
    requires Settled(log, log[i].uuid)
    requires j <= i && mark[j]
    ensures OpensNothingAfter(links, j, i)
  {
    WellFormedHasUniqueUuids(log);
    forall h, q | h in links.opens[j] && q in links.joiners[h] ensures q <= i {
      JoinerIsLinked(links, j, h, q);
      SettledNeedsNothingAfter(log, i, j, q);
    }
  }

  /** Where no member opens a hub that a later entry joins, what a member needs stands at `i` or before, so it is a member. */
  lemma NeededIsMember(links: Links, log: Log, i: nat, mark: seq<bool>, a: nat, b: nat)
    requires WellFormed(log)
    requires Represents(links, log)
    requires i < |log| && a < |log| && b < |log|
    requires MarksMembers(log, i, mark)
    requires forall j | 0 <= j <= i && mark[j] :: OpensNothingAfter(links, j, i)
    requires mark[a] && Needs(log[a], log[b])
    ensures mark[b]
  {
    WellFormedHasUniqueUuids(log);
    IndexOfIsPosition(log, i);
    IndexOfIsPosition(log, a);
    MembersStandBefore(log, log[i].uuid, log[a].uuid);
    LinkedStandsBefore(links, i, a, b);
    NeededBeforeIsMember(log, i, a, b);
  }

  /** A conversation is settled exactly when none of its members opens a hub that an entry after it joins. */
  lemma SettledMeansNothingAfter(links: Links, log: Log, i: nat, mark: seq<bool>)
    requires WellFormed(log)
    requires Represents(links, log)
    requires i < |log|
    requires MarksMembers(log, i, mark)
    ensures Settled(log, log[i].uuid) <==> forall j | 0 <= j <= i && mark[j] :: OpensNothingAfter(links, j, i)
  {
    var u := log[i].uuid;
    if Settled(log, u) {
      forall j | 0 <= j <= i && mark[j] ensures OpensNothingAfter(links, j, i) {
        SettledOpensNothingAfter(links, log, i, mark, j);
      }
    } else {
      var x, y :| x in log && y in log && x.uuid in Members(log, u) && Needs(x, y) && y.uuid !in Members(log, u);
      var a :| 0 <= a < |log| && log[a] == x;
      var b :| 0 <= b < |log| && log[b] == y;
      if forall j | 0 <= j <= i && mark[j] :: OpensNothingAfter(links, j, i) {
        NeededIsMember(links, log, i, mark, a, b);
      }
    }
  }

  /** Decides whether every joiner of the hubs that marked positions up to `i` open stands at `i` or before. */
  method NothingAfterMarked(links: Links, i: nat, mark: seq<bool>) returns (none: bool)
    requires Shaped(links)
    requires i < |links.parent| == |mark|
    ensures none == forall j | 0 <= j <= i && mark[j] :: OpensNothingAfter(links, j, i)
  {
    for j := 0 to i + 1
      invariant forall k | 0 <= k < j && mark[k] :: OpensNothingAfter(links, k, i)
    {
      if mark[j] {
        var here := NothingAfter(links, j, i);
        if !here {
          return false;
        }
      }
    }
    none := true;
  }

  /** Decides whether the conversation at position `i` is settled, given its members. */
  method FastSettled(links: Links, ghost log: Log, i: nat, mark: seq<bool>) returns (settled: bool)
    requires WellFormed(log)
    requires Represents(links, log)
    requires i < |log|
    requires MarksMembers(log, i, mark)
    ensures settled == Settled(log, log[i].uuid)
  {
    SettledMeansNothingAfter(links, log, i, mark);
    settled := NothingAfterMarked(links, i, mark);
  }
}

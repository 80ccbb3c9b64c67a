// Chapter 1, examples: small logs for the examples of all chapters, logs that meet the theorems' conditions, and logs
// that show why the conditions are there.
include "01-Entries.Proofs.dfy"

module EntriesExamples {
  import opened Names
  import opened Entries
  import opened EntriesProofs

  // --- Building small logs ---

  /** The nth name, if there is an n. */
  function NameOf(n: Option<nat>): Option<Id> {
    if n.Some? then Some(Name(n.value)) else None
  }

  /** An entry in the main line, with nothing unusual about it: its number, its parent's, its kind, its message's number and
    * its blocks. */
  function Plain(n: nat, parent: Option<nat>, kind: Kind, message: Option<nat>, blocks: seq<Block>): Entry {
    Entry(Name(n), NameOf(parent), None, kind, NameOf(message), blocks, false, 0, map[])
  }

  /** A user entry. */
  function Asks(n: nat, parent: Option<nat>, blocks: seq<Block>): Entry {
    Plain(n, parent, User, None, blocks)
  }

  /** An assistant entry, a part of a message. */
  function Speaks(n: nat, parent: Option<nat>, message: nat, blocks: seq<Block>): Entry {
    Plain(n, parent, Assistant, Some(message), blocks)
  }

  /** Numbers that differ name different ids. */
  lemma NamesDiffer(m: nat, n: nat)
    requires m != n
    ensures Name(m) != Name(n)
  {
    assert NumberOf(Name(m)) == m && NumberOf(Name(n)) == n;
  }

  /** Everything about a log with one more entry that has a new uuid. */
  lemma OneMore(log: Log, e: Entry)
    requires UniqueUuids(log)
    requires e.uuid !in Uuids(log)
    ensures UniqueUuids(log + [e])
    ensures WellFormed(log + [e]) <==> WellFormed(log) && Fits(log, e)
    ensures Uuids(log + [e]) == Uuids(log) + {e.uuid}
    ensures IndexOf(log + [e], e.uuid) == |log| && Get(log + [e], e.uuid) == e && AsOf(log + [e], e.uuid) == log + [e]
    ensures forall u | u in Uuids(log) ::
              && IndexOf(log + [e], u) == IndexOf(log, u)
              && Get(log + [e], u) == Get(log, u)
              && AsOf(log + [e], u) == AsOf(log, u)
  {
    var after := log + [e];
    UuidsOfLast(after);
    assert after[..|log|] == log;
    forall i, j | 0 <= i < j < |after| ensures after[i].uuid != after[j].uuid {
      if j == |log| {
        assert log[i] in log;
      }
    }
    IndexOfIsPosition(after, |log|);
    forall u | u in Uuids(log)
      ensures IndexOf(after, u) == IndexOf(log, u) && Get(after, u) == Get(log, u) && AsOf(after, u) == AsOf(log, u)
    {
      IndexOfInPrefix(after, |log|, u);
    }
  }

  /** Everything about a log of one entry. */
  lemma OfOne(a: Entry)
    ensures UniqueUuids([a])
    ensures WellFormed([a]) <==> a.parent.None?
    ensures Uuids([a]) == {a.uuid}
    ensures Get([a], a.uuid) == a
    ensures AsOf([a], a.uuid) == [a]
  {
    OneMore([], a);
    assert [] + [a] == [a];
    assert Uuids([]) == {};
  }

  /** Everything about a log of two entries with different uuids. */
  lemma OfTwo(a: Entry, b: Entry)
    requires a.uuid != b.uuid
    ensures UniqueUuids([a, b])
    ensures WellFormed([a, b]) <==> WellFormed([a]) && Fits([a], b)
    ensures Uuids([a, b]) == {a.uuid, b.uuid}
    ensures Get([a, b], a.uuid) == a && Get([a, b], b.uuid) == b
    ensures AsOf([a, b], a.uuid) == [a] && AsOf([a, b], b.uuid) == [a, b]
  {
    OfOne(a);
    OneMore([a], b);
    assert [a] + [b] == [a, b];
  }

  /** Everything about a log of three entries with different uuids. */
  lemma OfThree(a: Entry, b: Entry, c: Entry)
    requires a.uuid != b.uuid && c.uuid !in {a.uuid, b.uuid}
    ensures UniqueUuids([a, b, c])
    ensures WellFormed([a, b, c]) <==> WellFormed([a, b]) && Fits([a, b], c)
    ensures Uuids([a, b, c]) == {a.uuid, b.uuid, c.uuid}
    ensures Get([a, b, c], a.uuid) == a && Get([a, b, c], b.uuid) == b && Get([a, b, c], c.uuid) == c
    ensures AsOf([a, b, c], a.uuid) == [a] && AsOf([a, b, c], b.uuid) == [a, b] && AsOf([a, b, c], c.uuid) == [a, b, c]
  {
    OfTwo(a, b);
    OneMore([a, b], c);
    assert [a, b] + [c] == [a, b, c];
  }

  /** Everything about a log of four entries with different uuids. */
  lemma OfFour(a: Entry, b: Entry, c: Entry, d: Entry)
    requires a.uuid != b.uuid && c.uuid !in {a.uuid, b.uuid} && d.uuid !in {a.uuid, b.uuid, c.uuid}
    ensures UniqueUuids([a, b, c, d])
    ensures WellFormed([a, b, c, d]) <==> WellFormed([a, b, c]) && Fits([a, b, c], d)
    ensures Uuids([a, b, c, d]) == {a.uuid, b.uuid, c.uuid, d.uuid}
    ensures && Get([a, b, c, d], a.uuid) == a && Get([a, b, c, d], b.uuid) == b
            && Get([a, b, c, d], c.uuid) == c && Get([a, b, c, d], d.uuid) == d
    ensures && AsOf([a, b, c, d], a.uuid) == [a] && AsOf([a, b, c, d], b.uuid) == [a, b]
            && AsOf([a, b, c, d], c.uuid) == [a, b, c] && AsOf([a, b, c, d], d.uuid) == [a, b, c, d]
  {
    OfThree(a, b, c);
    OneMore([a, b, c], d);
    assert [a, b, c] + [d] == [a, b, c, d];
  }

  /** Everything about a log of five entries with different uuids. */
  lemma OfFive(a: Entry, b: Entry, c: Entry, d: Entry, e: Entry)
    requires a.uuid != b.uuid && c.uuid !in {a.uuid, b.uuid} && d.uuid !in {a.uuid, b.uuid, c.uuid}
    requires e.uuid !in {a.uuid, b.uuid, c.uuid, d.uuid}
    ensures UniqueUuids([a, b, c, d, e])
    ensures WellFormed([a, b, c, d, e]) <==> WellFormed([a, b, c, d]) && Fits([a, b, c, d], e)
    ensures Uuids([a, b, c, d, e]) == {a.uuid, b.uuid, c.uuid, d.uuid, e.uuid}
    ensures && Get([a, b, c, d, e], a.uuid) == a && Get([a, b, c, d, e], b.uuid) == b && Get([a, b, c, d, e], c.uuid) == c
            && Get([a, b, c, d, e], d.uuid) == d && Get([a, b, c, d, e], e.uuid) == e
    ensures && AsOf([a, b, c, d, e], a.uuid) == [a] && AsOf([a, b, c, d, e], b.uuid) == [a, b]
            && AsOf([a, b, c, d, e], c.uuid) == [a, b, c] && AsOf([a, b, c, d, e], d.uuid) == [a, b, c, d]
            && AsOf([a, b, c, d, e], e.uuid) == [a, b, c, d, e]
  {
    OfFour(a, b, c, d);
    OneMore([a, b, c, d], e);
    assert [a, b, c, d] + [e] == [a, b, c, d, e];
  }

  /** Keeping from a log of three entries, by its entries. */
  lemma KeepFromThree(a: Entry, b: Entry, c: Entry, ids: set<Id>)
    ensures Keep([a, b, c], ids) ==
            (if a.uuid in ids then [a] else []) + (if b.uuid in ids then [b] else []) + (if c.uuid in ids then [c] else [])
  {
    assert [a] == [] + [a] && [a, b] == [a] + [b] && [a, b, c] == [a, b] + [c];
    KeepOfLast([], a, ids);
    KeepOfLast([a], b, ids);
    KeepOfLast([a, b], c, ids);
  }

  // --- Witnesses ---

  /** A prompt. */
  function Prompt(): Entry {
    Asks(0, None, [])
  }

  /** Its reply. */
  function Reply(): Entry {
    Speaks(1, Some(0), 0, [])
  }

  /** A prompt and its reply. Opaque, as all concrete logs here: the solver would otherwise unroll every definition on them. */
  opaque ghost function Chat(): Log {
    [Prompt(), Reply()]
  }

  /** A prompt and its reply are well-formed. */
  lemma ChatIsWellFormed()
    ensures |Chat()| == 2 && Chat()[0] == Prompt() && Chat()[1] == Reply()
    ensures WellFormed(Chat()) && UniqueUuids(Chat())
    ensures Uuids(Chat()) == {Name(0), Name(1)} && Name(0) != Name(1)
    ensures Get(Chat(), Name(0)) == Prompt() && Get(Chat(), Name(1)) == Reply()
    ensures AsOf(Chat(), Name(0)) == [Prompt()] && AsOf(Chat(), Name(1)) == Chat()
  {
    reveal Chat();
    NamesDiffer(0, 1);
    OfOne(Prompt());
    OfTwo(Prompt(), Reply());
  }

  /** P1, P2, parents first and acyclicity hold of a prompt and its reply. */
  lemma ChatHasTheProperties()
    ensures UniqueUuids(Chat()) && ParentsFirst(Chat()) && NoDanglingParents(Chat()) && Acyclic(Chat())
  {
    var log := Chat();
    ChatIsWellFormed();
    WellFormedMeansUniqueAndParentsFirst(log);
    WellFormedHasNoDanglingParents(log);
    WellFormedIsAcyclic(log);
  }

  /** A third entry fits a chat. */
  lemma ReplyFitsChat()
    ensures Fits(Chat(), Asks(2, Some(1), []))
  {
    ChatIsWellFormed();
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
  }

  /** The prompt of a chat is closed under parents by itself, and its reply is not. */
  lemma PromptIsParentClosed()
    ensures ParentClosed(Chat(), {Name(0)}) && !ParentClosed(Chat(), {Name(1)})
  {
    ChatIsWellFormed();
    assert Reply() in Chat();
    forall e | e in Chat() && e.uuid == Name(0) ensures e == Prompt() {
      SameUuidIsSameEntry(Chat(), e, Chat()[0]);
    }
  }

  /** There are cycles, so `Acyclic` says something: an entry that is its own parent is one, in a log where P1 and P2 hold. */
  lemma SelfParentIsACycle()
    ensures var log := [Asks(0, Some(0), [])];
            UniqueUuids(log) && NoDanglingParents(log) && Cycle(log, log) && !Acyclic(log) && !WellFormed(log)
  {
    var e := Asks(0, Some(0), []);
    OfOne(e);
    assert Cycle([e], [e]);
  }

  // --- Counterexamples ---

  /** P1 and P2 do not put parents first: a file can have a child in front of its parent. */
  lemma ChildMayStandBeforeParent()
    ensures var log := [Speaks(1, Some(0), 0, []), Asks(0, None, [])];
            UniqueUuids(log) && NoDanglingParents(log) && !ParentsFirst(log) && !WellFormed(log)
  {
    NamesDiffer(0, 1);
    var child, parent := Speaks(1, Some(0), 0, []), Asks(0, None, []);
    var log := [child, parent];
    OfTwo(child, parent);
    assert log[0] == child && log[..0] == [];
    WellFormedMeansUniqueAndParentsFirst(log);
  }

  /** Keeping a set that is not closed under parents leaves a dangling parent. */
  lemma KeepWithoutParentDangles()
    ensures WellFormed(Chat()) && !NoDanglingParents(Keep(Chat(), {Name(1)}))
  {
    ChatIsWellFormed();
    var child, kept := Reply(), Keep(Chat(), {Name(1)});
    assert Chat()[1] == child;
    KeepHoldsExactly(Chat(), {Name(1)});
    UuidsOfKeep(Chat(), {Name(1)});
    assert child in kept && Name(0) !in Uuids(kept);
  }
}

// Chapter 4, what the fast algorithms work on: a log as numbers. Entries are positions, and what holds a conversation
// together besides parents are hubs: one for each API message, joined by its parts and opened by them too; one for each
// tool use id, opened by the entries that use it and joined by the user entries that answer it.
include "04-Contexts.dfy"

module Links {
  import opened Names
  import opened Entries
  import opened Contexts

  datatype Hub = MessageHub(message: Id) | ToolHub(tool: Id)

  /** The hubs whose joiners an entry needs. */
  function Opens(e: Entry): set<Hub> {
    (if e.kind.Assistant? && e.message.Some? then {MessageHub(e.message.value)} else {})
    + (set t | t in UsesOf(e) :: ToolHub(t))
  }

  /** The hubs through which an entry is needed. */
  function Joins(e: Entry): set<Hub> {
    (if e.kind.Assistant? && e.message.Some? then {MessageHub(e.message.value)} else {})
    + (if e.kind.User? then (set t | t in ResultsOf(e) :: ToolHub(t)) else {})
  }

  /** A log as numbers: the position of each entry's parent (-1 for a root), the hubs it opens and joins, and for each
    * hub the positions that join it, in order. */
  datatype Links = Links(parent: seq<int>, opens: seq<seq<nat>>, joins: seq<seq<nat>>, joiners: seq<seq<nat>>)

  /** The numbers are of one log's size, in range, and agree with each other. */
  ghost predicate Shaped(links: Links) {
    && |links.parent| == |links.opens| == |links.joins|
    && (forall i | 0 <= i < |links.parent| :: -1 <= links.parent[i] < i)
    && (forall i, h | 0 <= i < |links.opens| && h in links.opens[i] :: h < |links.joiners|)
    && (forall i, h | 0 <= i < |links.joins| && h in links.joins[i] :: h < |links.joiners|)
    && (forall h, j | 0 <= h < |links.joiners| && j in links.joiners[h] :: j < |links.joins|)
    && (forall h, j | 0 <= h < |links.joiners| && j in links.joiners[h] :: h in links.joins[j])
    && (forall j, h | 0 <= j < |links.joins| && h in links.joins[j] :: j in links.joiners[h])
    && (forall h, a, b | 0 <= h < |links.joiners| && 0 <= a < b < |links.joiners[h]| :: links.joiners[h][a] < links.joiners[h][b])
  }

  /** Position `i` needs position `j`. */
  ghost predicate Linked(links: Links, i: nat, j: nat)
    requires Shaped(links)
    requires i < |links.parent| && j < |links.parent|
  {
    || links.parent[i] == j
    || exists h :: h in links.opens[i] && h in links.joins[j]
  }

  /** The numbers say of the log what the entries say. */
  ghost predicate Represents(links: Links, log: Log) {
    && Shaped(links)
    && |links.parent| == |log|
    && (forall i, j | 0 <= i < |log| && 0 <= j < |log| :: Linked(links, i, j) <==> Needs(log[i], log[j]))
    && (forall i | 0 <= i < |log| && log[i].parent.Some? :: links.parent[i] >= 0 && log[links.parent[i]].uuid == log[i].parent.value)
    && (forall i | 0 <= i < |log| && log[i].parent.None? :: links.parent[i] == -1)
  }
}

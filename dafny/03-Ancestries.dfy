// Chapter 3. Ancestry follows parent links from an entry to its root; lineage goes on across compaction boundaries.
include "01-Entries.dfy"

module Ancestries {
  import opened Names
  import opened Entries

  /** The entries from the root to `u`, by parent links. */
  function Ancestry(log: Log, u: Id): Log
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures forall e | e in Ancestry(log, u) :: e in log
    decreases |log|
  {
    var e := log[|log| - 1];
    var before := log[..|log| - 1];
    if e.uuid != u then Ancestry(before, u)
    else if e.parent.None? then [e]
    else Ancestry(before, e.parent.value) + [e]
  }

  /** What an ancestry is, said without the function: a way through the log from a root to `u` along parent links. */
  ghost predicate RootPath(log: Log, way: Log, u: Id) {
    && |way| > 0
    && (forall e | e in way :: e in log)
    && way[0].parent.None?
    && way[|way| - 1].uuid == u
    && (forall i | 0 < i < |way| :: way[i].parent == Some(way[i - 1].uuid))
  }

  /** `a` is `u` or an ancestor of it. */
  predicate IsAncestor(log: Log, a: Id, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    a in Uuids(Ancestry(log, u))
  }

  /** A boundary: a root that continues an older entry. */
  predicate IsBoundary(e: Entry) {
    e.parent.None? && e.logicalParent.Some?
  }

  /** Where lineage goes from an entry: to its parent, or from a boundary to its logical parent. */
  function LineageParent(e: Entry): Option<Id> {
    if e.parent.Some? then e.parent else e.logicalParent
  }

  /** The lineage of an entry, oldest first, and the logical parent at which it leaves the log, if it does. */
  datatype Line = Line(entries: Log, outside: Option<Id>)

  /** Ancestry continued across boundaries. A logical parent that does not stand before its boundary is outside. */
  function Lineage(log: Log, u: Id): Line
    requires WellFormed(log)
    requires u in Uuids(log)
    decreases |log|
  {
    var e := log[|log| - 1];
    var before := log[..|log| - 1];
    if e.uuid != u then Lineage(before, u)
    else
      match LineageParent(e)
      case None => Line([e], None)
      case Some(p) =>
        if p in Uuids(before) then
          var line := Lineage(before, p);
          Line(line.entries + [e], line.outside)
        else Line([e], Some(p))
  }
}

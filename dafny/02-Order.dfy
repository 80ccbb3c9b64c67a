// Chapter 2. Canonical order: in a real file a child can stand before its parent, so a file is put into canonical
// order before anything else is asked of it. "Log", "position" and "as of" mean canonical order from then on.
include "01-Entries.dfy"

module Order {
  import opened Names
  import opened Entries

  /** An entry of the file may come out next when its parent is out already, or is nowhere in the file (it then counts
    * as a root, and P2 reports it). */
  predicate Ready(file: Log, out: Log, e: Entry) {
    || e.parent.None?
    || e.parent.value in Uuids(out)
    || e.parent.value !in Uuids(file)
  }

  /** The position of the first entry of `rest` that is ready; its length when none is. */
  function FirstReady(file: Log, out: Log, rest: seq<Entry>): nat
    ensures FirstReady(file, out, rest) <= |rest|
    ensures FirstReady(file, out, rest) < |rest| ==> Ready(file, out, rest[FirstReady(file, out, rest)])
  {
    if |rest| == 0 then 0
    else if Ready(file, out, rest[0]) then 0
    else 1 + FirstReady(file, out, rest[1..])
  }

  /** Takes the first ready entry of `rest`, in file order, again and again, until none is ready. */
  function Arrange(file: Log, out: Log, rest: seq<Entry>): Log
    decreases |rest|
  {
    var i := FirstReady(file, out, rest);
    if i == |rest| then out
    else Arrange(file, out + [rest[i]], rest[..i] + rest[i + 1..])
  }

  /** The file in canonical order, as far as there is one: entries on a cycle of parents, and below one, never come out. */
  function Arranged(file: Log): Log {
    Arrange(file, [], file)
  }

  /** The file in canonical order, if there is one with every parent in front of its children. */
  function Canonical(file: Log): Option<Log> {
    if |Arranged(file)| == |file| && (forall e | e in file && e.parent.Some? :: e.parent.value in Uuids(file))
    then Some(Arranged(file))
    else None
  }

  /** Two arrangements of the same entries. */
  ghost predicate Permutation(a: Log, b: Log) {
    multiset(a) == multiset(b)
  }

  /** An entry is overtaken only while its parent is not out: where `y` stands before `x` in `order` and after it in
    * `file`, the parent of `x` is `y` or comes after `y`. */
  ghost predicate Stable(file: Log, order: Log) {
    forall x, y | x in Uuids(file) && y in Uuids(file) && x in Uuids(order) && y in Uuids(order) ::
      IndexOf(file, x) < IndexOf(file, y) && IndexOf(order, y) < IndexOf(order, x)
      ==> var e := Get(file, x);
          e.parent.Some? && e.parent.value in Uuids(order) && IndexOf(order, y) <= IndexOf(order, e.parent.value)
  }
}

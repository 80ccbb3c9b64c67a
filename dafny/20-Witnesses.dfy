// Chapter 20. The prefix witness (P14): a chain of hashes over a sequence, bound to its number. What the hash is stays open; here it is
// any function of what was hashed before and the next item.
include "01-Entries.dfy"

module Witnesses {

  /** A step of a chain: the digest before and the next item, hashed together. */
  type Link<!D, !T> = (D, T) -> D

  /** The end of a chain: its digest and how many items it has, hashed together. */
  type Close<!D> = (D, nat) -> D

  /** The chain over some items. */
  function Chain<D, T>(link: Link<D, T>, start: D, items: seq<T>): D
    decreases |items|
  {
    if |items| == 0 then start else link(Chain(link, start, items[..|items| - 1]), items[|items| - 1])
  }

  /** The witness of some items. */
  function Witness<D, T>(link: Link<D, T>, close: Close<D>, start: D, items: seq<T>): D {
    close(Chain(link, start, items), |items|)
  }

  /** Two different steps give one digest. */
  ghost predicate Collides<D(!new), T(!new)>(link: Link<D, T>) {
    exists a, x, b, y :: (a != b || x != y) && link(a, x) == link(b, y)
  }

  /** Two different ends give one digest. */
  ghost predicate CollidesAtTheEnd<D(!new)>(close: Close<D>) {
    exists a, m: nat, b, n: nat :: (a != b || m != n) && close(a, m) == close(b, n)
  }
}

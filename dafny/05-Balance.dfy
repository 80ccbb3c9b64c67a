// Chapter 5. P3 tools-balanced, as a property of contexts, by id and by order; and the points at which a
// conversation can be resumed or forked.
include "04-Contexts.dfy"

module Balance {
  import opened Names
  import opened Entries
  import opened Contexts

  /** The books of a conversation: the calls that are out and the calls ever made; or broken, by a use whose id was
    * used before or a result that answers no open call. */
  datatype Books = Books(out: set<Id>, made: set<Id>) | Broken

  /** The books before the first block. */
  const Blank: Books := Books({}, {})

  /** The books after one more block. */
  function Enter(books: Books, b: Block): Books {
    match books
    case Broken => Broken
    case Books(out, made) =>
      match b
      case Use(t) => if t in made then Broken else Books(out + {t}, made + {t})
      case Result(t) => if t in out then Books(out - {t}, made) else Broken
      case Opaque(_) => books
  }

  /** The books after a sequence of blocks. */
  function Run(books: Books, blocks: seq<Block>): Books
    decreases |blocks|
  {
    if |blocks| == 0 then books
    else Enter(Run(books, blocks[..|blocks| - 1]), blocks[|blocks| - 1])
  }

  /** The blocks of a sequence of entries, in order. */
  function Blocks(entries: Log): seq<Block>
    decreases |entries|
  {
    if |entries| == 0 then []
    else Blocks(entries[..|entries| - 1]) + entries[|entries| - 1].blocks
  }

  /** The books after a conversation. */
  function BooksOf(entries: Log): Books {
    Run(Blank, Blocks(entries))
  }

  /** No use comes twice and every result answers an open use; calls may be out. */
  predicate Sound(entries: Log) {
    BooksOf(entries).Books?
  }

  /** P3: sound, and no call is out. */
  predicate Balanced(entries: Log) {
    BooksOf(entries).Books? && BooksOf(entries).out == {}
  }

  /** P3 said without the books: every use id is used once and answered once, later; every result answers an earlier use. */
  ghost predicate PairedByIdAndOrder(blocks: seq<Block>) {
    && (forall i, j | 0 <= i < j < |blocks| && blocks[i].Use? && blocks[j].Use? :: blocks[i].id != blocks[j].id)
    && (forall i, j | 0 <= i < j < |blocks| && blocks[i].Result? && blocks[j].Result? :: blocks[i].id != blocks[j].id)
    && (forall i | 0 <= i < |blocks| && blocks[i].Use? :: exists j | i < j < |blocks| :: blocks[j] == Result(blocks[i].id))
    && (forall j | 0 <= j < |blocks| && blocks[j].Result? :: exists i | 0 <= i < j :: blocks[i] == Use(blocks[j].id))
  }

  /** A conversation can be resumed at `u`: it is balanced, and nothing that belongs to it comes later. */
  predicate Resumable(log: Log, u: Id)
    requires u in Uuids(log)
  {
    Balanced(Context(log, u)) && Settled(log, u)
  }

  /** An entry that the assistant itself wrote, in the main line rather than in a sub-agent's. */
  predicate MainLineAssistant(e: Entry) {
    e.kind.Assistant? && !e.sidechain
  }

  /** A legal fork point: resumable, and the end of a complete assistant turn. */
  predicate Legal(log: Log, u: Id)
    requires u in Uuids(log)
  {
    Resumable(log, u) && MainLineAssistant(Get(log, u))
  }
}

// Chapter 19. Points to go on from (P3), over what is sent and over what is not known. What a client sends there must be balanced, what
// a boundary preserves included; and a file with lines that are damaged or torn stands for every log that fills them.
include "05-Balance.dfy"
include "10-Rendering.dfy"

module Holes {
  import opened Names
  import opened Entries
  import opened Contexts
  import opened Balance
  import Rendering

  // --- Over what is sent ---

  /** A legal point at which what a client sends is balanced, too. */
  predicate LegalToSend(log: Log, preserved: Rendering.Preservation, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
  {
    Legal(log, u) && Balanced(Rendering.Rendered(log, preserved, u))
  }

  // --- Over what is not known ---

  /** A log fills the holes of another one: it holds the same entries in the same order, and perhaps more between them. */
  ghost predicate Fills(log: Log, whole: Log) {
    && WellFormed(whole)
    && Uuids(log) <= Uuids(whole)
    && Keep(whole, Uuids(log)) == log
  }

  /** An entry that stood in a hole. */
  predicate Fresh(log: Log, whole: Log, x: Entry) {
    x in whole && x.uuid !in Uuids(log)
  }

  /** What of a hole may have held which entries: an assumption on how clients write. */
  type Possible = Entry -> bool

  /** A log fills the holes with what may have stood there. */
  ghost predicate MayFill(log: Log, whole: Log, possible: Possible) {
    Fills(log, whole) && forall x | Fresh(log, whole, x) :: possible(x)
  }

  /** The conversation at `u` needs an entry: it is a part of one of its messages, or an answer to one of its calls. */
  predicate NeededAt(log: Log, u: Id, x: Entry)
    requires u in Uuids(log)
  {
    exists a | a in Context(log, u) :: Needs(a, x)
  }

  /** A point is legal however the holes are filled. */
  ghost predicate LegalInEach(log: Log, u: Id, possible: Possible)
    requires u in Uuids(log)
  {
    forall whole | MayFill(log, whole, possible) :: u in Uuids(whole) && Legal(whole, u)
  }

  /** An entry may have stood in a hole: it does in some log that fills them. */
  ghost predicate MayHaveStood(log: Log, possible: Possible, x: Entry) {
    exists whole | MayFill(log, whole, possible) :: Fresh(log, whole, x)
  }

  /** The condition that decides: the point is legal as the file stands, and needs nothing that may have stood in a hole. */
  ghost predicate LegalBesideHoles(log: Log, u: Id, possible: Possible)
    requires u in Uuids(log)
  {
    Legal(log, u) && forall x | MayHaveStood(log, possible, x) :: !NeededAt(log, u, x)
  }

  // --- What can be read of a hole ---

  /** What can be read of a damaged line: the message of which it is a part, if it is the assistant's; the calls that it answers, if it
    * is the user's. */
  datatype Fragment = PartOf(message: Id) | AnswerTo(calls: set<Id>) | Aside

  /** An entry says what was read of its line. */
  predicate Says(f: Fragment, x: Entry) {
    match f
    case PartOf(m) => x.kind.Assistant? && x.message == Some(m)
    case AnswerTo(calls) => x.kind.User? && ResultsOf(x) == calls
    case Aside => !x.kind.Assistant? && !x.kind.User?
  }

  /** An entry of a conversation may need what such a line held, its parent apart: it is of the same message, or made a call that the
    * line answers. */
  predicate Wants(a: Entry, f: Fragment) {
    match f
    case PartOf(m) => a.kind.Assistant? && a.message == Some(m)
    case AnswerTo(calls) => UsesOf(a) * calls != {}
    case Aside => false
  }

  // --- A message that announced a call ---

  /** A log shows no call of a message. */
  predicate ShowsNoCall(log: Log, m: Id) {
    forall x | x in log && x.kind.Assistant? && x.message == Some(m) :: UsesOf(x) == {}
  }

  /** Of the messages that announced a call, those of which a log shows none: a part with a call is lost. */
  function Unkept(log: Log, announced: set<Id>): set<Id> {
    set m | m in announced && ShowsNoCall(log, m)
  }
}

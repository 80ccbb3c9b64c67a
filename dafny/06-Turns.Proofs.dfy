// Chapter 6, proofs. What is heard at an entry is its context, a legal point is the end of a complete turn, and the
// nearest legal points are what their names say.
include "03-Ancestries.Proofs.dfy"
include "04-Contexts.Proofs.dfy"
include "05-Balance.Proofs.dfy"
include "06-Turns.dfy"

module TurnsProofs {
  import opened Names
  import opened Entries
  import opened Ancestries
  import opened Contexts
  import opened Balance
  import opened Turns
  import opened EntriesProofs
  import opened AncestriesProofs
  import opened ContextsProofs
  import opened BalanceProofs

  // --- The conversation, told by its events, is the context ---

  /** An entry calls for another one by its events exactly when it needs it by its fields. */
  lemma CallsForIsNeeds(a: Entry, b: Entry)
    ensures CallsFor(a, b) <==> Needs(a, b)
  {
    SpeaksItsMessage(a);
    SpeaksItsMessage(b);
    CallsItsUses(a);
    AnswersItsResults(b);
    assert (exists m :: Part(m) in EventsOf(a) && Part(m) in EventsOf(b)) <==> Mates(a, b) by {
      if Mates(a, b) {
        assert Part(a.message.value) in EventsOf(a) && Part(a.message.value) in EventsOf(b);
      }
    }
    assert (exists t :: Call(t) in EventsOf(a) && Answer(t, true) in EventsOf(b)) <==> Answers(a, b) by {
      if t :| t in UsesOf(a) && t in ResultsOf(b) && b.kind.User? {
        assert Call(t) in EventsOf(a) && Answer(t, true) in EventsOf(b);
      }
      if t :| Call(t) in EventsOf(a) && Answer(t, true) in EventsOf(b) {
        assert t in UsesOf(a) * ResultsOf(b);
      }
    }
  }

  /** An entry speaks a part of a message exactly when it is an assistant entry of that message. */
  lemma SpeaksItsMessage(e: Entry)
    ensures forall m :: Part(m) in EventsOf(e) <==> e.kind.Assistant? && e.message == Some(m)
  {
    forall m | e.kind.Assistant? && e.message == Some(m)
      ensures Part(m) in EventsOf(e)
    {
      assert EventsOf(e)[0] == Part(m);
    }
  }

  /** The calls that an entry makes are its uses. */
  lemma CallsItsUses(e: Entry)
    ensures forall t :: Call(t) in EventsOf(e) <==> t in UsesOf(e)
  {
    forall t | t in UsesOf(e)
      ensures Call(t) in EventsOf(e)
    {
      var i :| 0 <= i < |e.blocks| && e.blocks[i] == Use(t);
      assert EventsOf(e)[i + 1] == Call(t);
    }
    forall t | Call(t) in EventsOf(e)
      ensures t in UsesOf(e)
    {
      var i :| 0 <= i < |EventsOf(e)| && EventsOf(e)[i] == Call(t);
      assert e.blocks[i - 1] == Use(t);
    }
  }

  /** The user's answers in an entry are the results of a user entry. */
  lemma AnswersItsResults(e: Entry)
    ensures forall t :: Answer(t, true) in EventsOf(e) <==> e.kind.User? && t in ResultsOf(e)
  {
    forall t | e.kind.User? && t in ResultsOf(e)
      ensures Answer(t, true) in EventsOf(e)
    {
      var i :| 0 <= i < |e.blocks| && e.blocks[i] == Result(t);
      assert EventsOf(e)[i + 1] == Answer(t, true);
    }
    forall t | Answer(t, true) in EventsOf(e)
      ensures e.kind.User? && t in ResultsOf(e)
    {
      var i :| 0 <= i < |EventsOf(e)| && EventsOf(e)[i] == Answer(t, true);
      assert e.blocks[i - 1] == Result(t);
    }
  }

  /** Whatever a way reaches is a member: members are closed, so a way never leaves them. */
  lemma WayStaysInMembers(log: Log, way: seq<Entry>, u: Id)
    requires u in Uuids(log)
    requires Way(log, way, u)
    ensures way[|way| - 1].uuid in Members(log, u)
    decreases |way|
  {
    if |way| == 1 {
      MembersContainsItself(log, u);
    } else {
      var before := way[..|way| - 1];
      forall i | 0 < i < |before|
        ensures CallsFor(before[i - 1], before[i])
      {
        assert CallsFor(way[i - 1], way[i]);
      }
      WayStaysInMembers(log, before, u);
      CallsForIsNeeds(way[|way| - 2], way[|way| - 1]);
      MembersAreClosedAsOf(log, u);
    }
  }

  /** What a heard entry calls for is heard. */
  lemma HeardIsClosed(log: Log, u: Id, a: Entry, b: Entry)
    requires u in Uuids(log)
    requires Heard(log, u, a)
    requires b in AsOf(log, u)
    requires CallsFor(a, b)
    ensures Heard(log, u, b)
  {
    var way :| Way(log, way, u) && way[|way| - 1] == a;
    var longer := way + [b];
    forall i | 0 < i < |longer|
      ensures CallsFor(longer[i - 1], longer[i])
    {
      if i < |way| {
        assert CallsFor(way[i - 1], way[i]);
      }
    }
    assert Way(log, longer, u);
  }

  /** What is heard at an entry is exactly what its members are: ways reach the least closed set and nothing else. */
  lemma HeardIsMember(log: Log, u: Id, e: Entry)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires e in log
    ensures Heard(log, u, e) <==> e.uuid in Members(log, u)
  {
    if Heard(log, u, e) {
      var way :| Way(log, way, u) && way[|way| - 1] == e;
      WayStaysInMembers(log, way, u);
    }
    if e.uuid in Members(log, u) {
      var heard := set x | x in AsOf(log, u) && Heard(log, u, x) :: x.uuid;
      HeardUuidsAreClosed(log, u, heard);
      MembersAreLeast(log, u, heard);
      var x :| x in AsOf(log, u) && Heard(log, u, x) && x.uuid == e.uuid;
      SameUuidIsSameEntry(log, x, e);
    }
  }

  /** The uuids of what is heard contain the point itself and are closed as of it. */
  lemma HeardUuidsAreClosed(log: Log, u: Id, heard: set<Id>)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires heard == set x | x in AsOf(log, u) && Heard(log, u, x) :: x.uuid
    ensures u in heard
    ensures Closed(AsOf(log, u), heard)
  {
    var self := Get(log, u);
    assert AsOf(log, u)[IndexOf(log, u)] == self;
    assert Way(log, [self], u);
    assert Heard(log, u, self);
    forall a, b | a in AsOf(log, u) && b in AsOf(log, u) && a.uuid in heard && Needs(a, b)
      ensures b.uuid in heard
    {
      var x :| x in AsOf(log, u) && Heard(log, u, x) && x.uuid == a.uuid;
      SameUuidIsSameEntry(log, x, a);
      CallsForIsNeeds(a, b);
      HeardIsClosed(log, u, a, b);
    }
  }

  /** The conversation at an entry, defined by ways along events, is the context, defined by the least closed set. */
  lemma ConversationIsContext(log: Log, u: Id, heard: Log)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures Conversation(log, u, heard) <==> heard == Context(log, u)
  {
    forall e | e in log
      ensures Heard(log, u, e) <==> e.uuid in Members(log, u)
    {
      HeardIsMember(log, u, e);
    }
    if Conversation(log, u, heard) {
      var ids: set<Id> :| heard == Keep(log, ids) && (forall e | e in log :: e.uuid in ids <==> Heard(log, u, e));
      assert Uuids(log) * ids == Uuids(log) * Members(log, u) by {
        assert forall e | e in log :: e.uuid in ids <==> e.uuid in Members(log, u);
      }
      KeepDependsOnIdsThere(log, ids, Members(log, u));
    }
  }

  /** There is exactly one conversation at each entry, so what a complete turn asks of every conversation there is never
    * asked of nothing. */
  lemma ThereIsExactlyOneConversation(log: Log, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures exists heard :: Conversation(log, u, heard)
    ensures forall a, b | Conversation(log, u, a) && Conversation(log, u, b) :: a == b
  {
    ConversationIsContext(log, u, Context(log, u));
    forall a, b | Conversation(log, u, a) && Conversation(log, u, b)
      ensures a == b
    {
      ConversationIsContext(log, u, a);
      ConversationIsContext(log, u, b);
    }
  }

  /** What a complete turn asks of every conversation at its end, it asks of the one that there is. */
  lemma CompleteTurnAsksOfOneConversation(log: Log, u: Id)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    ensures CompleteTurn(log, u) <==>
            && Get(log, u).kind.Assistant?
            && !Get(log, u).sidechain
            && (exists heard: Log | Conversation(log, u, heard) ::
                  && NoCallIsOut(Events(heard))
                  && NothingToCome(Events(heard), Events(log[IndexOf(log, u) + 1..])))
  {
    hide UniqueUuids, Uuids, Conversation, Events, NoCallIsOut, NothingToCome;
    ThereIsExactlyOneConversation(log, u);
  }

  // --- No call is out exactly when the books balance ---

  /** The entry with one idle block in front, which stands where the entry's first event does. */
  function Padded(e: Entry): Entry {
    e.(blocks := [Opaque(ValueNamed(0))] + e.blocks)
  }

  /** Several entries, each padded: block by block they go along with the events. */
  function PaddedLog(entries: Log): Log
    decreases |entries|
  {
    if |entries| == 0 then []
    else PaddedLog(entries[..|entries| - 1]) + [Padded(entries[|entries| - 1])]
  }

  /** The event and the block say the same: both make a call, both give a result of one, or neither does either. */
  ghost predicate SaysTheSame(event: Event, b: Block) {
    && (b.Use? <==> event.Call?)
    && (b.Result? <==> event.Answer?)
    && (b.Use? ==> event.id == b.id)
    && (b.Result? ==> event.id == b.id)
  }

  /** The same of one entry. */
  lemma EventsFollowOnePaddedEntry(e: Entry)
    ensures |EventsOf(e)| == |Padded(e).blocks|
    ensures forall i | 0 <= i < |EventsOf(e)| :: SaysTheSame(EventsOf(e)[i], Padded(e).blocks[i])
  {
  }

  /** What goes along piece by piece goes along as a whole. */
  lemma SayingTheSameGoesOn(events: seq<Event>, blocks: seq<Block>, moreEvents: seq<Event>, moreBlocks: seq<Block>)
    requires |events| == |blocks| && |moreEvents| == |moreBlocks|
    requires forall i | 0 <= i < |events| :: SaysTheSame(events[i], blocks[i])
    requires forall i | 0 <= i < |moreEvents| :: SaysTheSame(moreEvents[i], moreBlocks[i])
    ensures forall i | 0 <= i < |events + moreEvents| :: SaysTheSame((events + moreEvents)[i], (blocks + moreBlocks)[i])
  {
    hide SaysTheSame;
  }

  /** Event by event, the events of a conversation say what the blocks of its padded entries say. */
  lemma EventsFollowPaddedBlocks(entries: Log)
    ensures |Events(entries)| == |Blocks(PaddedLog(entries))|
    ensures forall i | 0 <= i < |Events(entries)| :: SaysTheSame(Events(entries)[i], Blocks(PaddedLog(entries))[i])
    decreases |entries|
  {
    if |entries| > 0 {
      var before := entries[..|entries| - 1];
      var e := entries[|entries| - 1];
      EventsFollowPaddedBlocks(before);
      assert PaddedLog(entries)[..|PaddedLog(entries)| - 1] == PaddedLog(before);
      assert Blocks(PaddedLog(entries)) == Blocks(PaddedLog(before)) + Padded(e).blocks;
      EventsFollowOnePaddedEntry(e);
      SayingTheSameGoesOn(Events(before), Blocks(PaddedLog(before)), EventsOf(e), Padded(e).blocks);
    }
  }

  /** Idle blocks leave the books as they are. */
  lemma PaddingKeepsTheBooks(entries: Log)
    ensures BooksOf(PaddedLog(entries)) == BooksOf(entries)
    decreases |entries|
  {
    if |entries| > 0 {
      var before := entries[..|entries| - 1];
      var e := entries[|entries| - 1];
      var idle := [Opaque(ValueNamed(0))];
      PaddingKeepsTheBooks(before);
      var books := BooksOf(before);
      calc {
        BooksOf(PaddedLog(entries));
        { BooksOfConcatenation(PaddedLog(before), [Padded(e)]); BlocksOfOne(Padded(e)); }
        Run(books, idle + e.blocks);
        { RunSplits(books, idle, e.blocks); OpaqueBlocksChangeNothing(books, idle); }
        Run(books, e.blocks);
        { RunSplits(Blank, Blocks(before), e.blocks); }
        BooksOf(entries);
      }
    }
  }

  /** Blocks that say what events say are paired when no call is out in those. */
  lemma EventsPairTheirBlocks(events: seq<Event>, blocks: seq<Block>)
    requires |events| == |blocks|
    requires forall i | 0 <= i < |events| :: SaysTheSame(events[i], blocks[i])
    requires NoCallIsOut(events)
    ensures PairedByIdAndOrder(blocks)
  {
    forall i | 0 <= i < |blocks| && blocks[i].Use?
      ensures exists j | i < j < |blocks| :: blocks[j] == Result(blocks[i].id)
    {
      assert SaysTheSame(events[i], blocks[i]);
      UsesAreAnswered(events, blocks, i);
    }
    forall j | 0 <= j < |blocks| && blocks[j].Result?
      ensures exists i | 0 <= i < j :: blocks[i] == Use(blocks[j].id)
    {
      assert SaysTheSame(events[j], blocks[j]);
      ResultsHaveUses(events, blocks, j);
    }
  }

  /** Where every call comes back later, every use is answered later. */
  lemma UsesAreAnswered(events: seq<Event>, blocks: seq<Block>, i: nat)
    requires i < |events| == |blocks|
    requires forall k | 0 <= k < |events| :: SaysTheSame(events[k], blocks[k])
    requires events[i].Call? && blocks[i].Use?
    requires exists j | i < j < |events| :: events[j].Answer? && events[j].id == events[i].id
    ensures exists j | i < j < |blocks| :: blocks[j] == Result(blocks[i].id)
  {
    var j :| i < j < |events| && events[j].Answer? && events[j].id == events[i].id;
    assert SaysTheSame(events[i], blocks[i]) && SaysTheSame(events[j], blocks[j]);
  }

  /** Where every answer comes back to an earlier call, every result answers an earlier use. */
  lemma ResultsHaveUses(events: seq<Event>, blocks: seq<Block>, j: nat)
    requires j < |events| == |blocks|
    requires forall k | 0 <= k < |events| :: SaysTheSame(events[k], blocks[k])
    requires events[j].Answer? && blocks[j].Result?
    requires exists i | 0 <= i < j :: events[i] == Call(events[j].id)
    ensures exists i | 0 <= i < j :: blocks[i] == Use(blocks[j].id)
  {
    var i :| 0 <= i < j && events[i] == Call(events[j].id);
    assert SaysTheSame(events[i], blocks[i]) && SaysTheSame(events[j], blocks[j]);
  }

  /** Where every use is answered later, every call comes back later. */
  lemma CallsComeBack(events: seq<Event>, blocks: seq<Block>, i: nat)
    requires i < |events| == |blocks|
    requires forall k | 0 <= k < |events| :: SaysTheSame(events[k], blocks[k])
    requires events[i].Call? && blocks[i].Use?
    requires exists j | i < j < |blocks| :: blocks[j] == Result(blocks[i].id)
    ensures exists j | i < j < |events| :: events[j].Answer? && events[j].id == events[i].id
  {
    var j :| i < j < |blocks| && blocks[j] == Result(blocks[i].id);
    assert SaysTheSame(events[i], blocks[i]) && SaysTheSame(events[j], blocks[j]);
  }

  /** Where every result answers an earlier use, every answer comes back to an earlier call. */
  lemma AnswersHaveCalls(events: seq<Event>, blocks: seq<Block>, j: nat)
    requires j < |events| == |blocks|
    requires forall k | 0 <= k < |events| :: SaysTheSame(events[k], blocks[k])
    requires events[j].Answer? && blocks[j].Result?
    requires exists i | 0 <= i < j :: blocks[i] == Use(blocks[j].id)
    ensures exists i | 0 <= i < j :: events[i] == Call(events[j].id)
  {
    var i :| 0 <= i < j && blocks[i] == Use(blocks[j].id);
    assert SaysTheSame(events[i], blocks[i]) && SaysTheSame(events[j], blocks[j]);
  }

  /** No call is out in events that say what paired blocks say. */
  lemma BlocksPairTheirEvents(events: seq<Event>, blocks: seq<Block>)
    requires |events| == |blocks|
    requires forall i | 0 <= i < |events| :: SaysTheSame(events[i], blocks[i])
    requires PairedByIdAndOrder(blocks)
    ensures NoCallIsOut(events)
  {
    forall i | 0 <= i < |events| && events[i].Call?
      ensures exists j | i < j < |events| :: events[j].Answer? && events[j].id == events[i].id
    {
      assert SaysTheSame(events[i], blocks[i]);
      CallsComeBack(events, blocks, i);
    }
    forall j | 0 <= j < |events| && events[j].Answer?
      ensures exists i | 0 <= i < j :: events[i] == Call(events[j].id)
    {
      assert SaysTheSame(events[j], blocks[j]);
      AnswersHaveCalls(events, blocks, j);
    }
  }

  /** No call is out in a conversation, told by its events, exactly when its books balance. */
  lemma NoCallIsOutIsBalanced(entries: Log)
    ensures NoCallIsOut(Events(entries)) <==> Balanced(entries)
  {
    EventsFollowPaddedBlocks(entries);
    if NoCallIsOut(Events(entries)) {
      EventsPairTheirBlocks(Events(entries), Blocks(PaddedLog(entries)));
    }
    if PairedByIdAndOrder(Blocks(PaddedLog(entries))) {
      BlocksPairTheirEvents(Events(entries), Blocks(PaddedLog(entries)));
    }
    BalancedIsPairedByIdAndOrder(PaddedLog(entries));
    PaddingKeepsTheBooks(entries);
  }

  // --- Nothing is to come exactly when the point is settled ---

  /** The events of several entries are those of each of them. */
  lemma EventsAreOfEntries(entries: Log, event: Event)
    ensures event in Events(entries) <==> exists e :: e in entries && event in EventsOf(e)
    decreases |entries|
  {
    if |entries| > 0 {
      EventsAreOfEntries(entries[..|entries| - 1], event);
    }
  }

  /** Nothing later calls on what was heard exactly when no entry heard needs a later entry, parents aside. */
  lemma NothingToComeIsNothingNeeded(heard: Log, later: Log)
    ensures NothingToCome(Events(heard), Events(later))
       <==> forall a, b | a in heard && b in later :: !Mates(a, b) && !Answers(a, b)
  {
    if NothingToCome(Events(heard), Events(later)) {
      forall a, b | a in heard && b in later
        ensures !Mates(a, b) && !Answers(a, b)
      {
        NeitherMatesNorAnswers(heard, later, a, b);
      }
    }
    if forall a, b | a in heard && b in later :: !Mates(a, b) && !Answers(a, b) {
      forall m
        ensures !(Part(m) in Events(heard) && Part(m) in Events(later))
      {
        NoMessageGoesOn(heard, later, m);
      }
      forall t
        ensures !(Call(t) in Events(heard) && Answer(t, true) in Events(later))
      {
        NoCallIsAnswered(heard, later, t);
      }
    }
  }

  /** Where nothing is to come, a later entry is no part of a message that an entry heard speaks, and answers none of its calls. */
  lemma NeitherMatesNorAnswers(heard: Log, later: Log, a: Entry, b: Entry)
    requires NothingToCome(Events(heard), Events(later))
    requires a in heard
    requires b in later
    ensures !Mates(a, b) && !Answers(a, b)
  {
    if Mates(a, b) {
      SpeaksItsMessage(a);
      SpeaksItsMessage(b);
      EventsAreOfEntries(heard, Part(a.message.value));
      EventsAreOfEntries(later, Part(a.message.value));
    }
    if Answers(a, b) {
      var t :| t in UsesOf(a) && t in ResultsOf(b);
      CallsItsUses(a);
      AnswersItsResults(b);
      EventsAreOfEntries(heard, Call(t));
      EventsAreOfEntries(later, Answer(t, true));
    }
  }

  /** Where no later entry is a mate of one heard, no message that is heard goes on later. */
  lemma NoMessageGoesOn(heard: Log, later: Log, m: Id)
    requires forall a, b | a in heard && b in later :: !Mates(a, b)
    ensures !(Part(m) in Events(heard) && Part(m) in Events(later))
  {
    EventsAreOfEntries(heard, Part(m));
    EventsAreOfEntries(later, Part(m));
    if Part(m) in Events(heard) && Part(m) in Events(later) {
      var a :| a in heard && Part(m) in EventsOf(a);
      var b :| b in later && Part(m) in EventsOf(b);
      SpeaksItsMessage(a);
      SpeaksItsMessage(b);
      assert Mates(a, b);
    }
  }

  /** Where no later entry answers one heard, no call that is heard is answered later. */
  lemma NoCallIsAnswered(heard: Log, later: Log, t: Id)
    requires forall a, b | a in heard && b in later :: !Answers(a, b)
    ensures !(Call(t) in Events(heard) && Answer(t, true) in Events(later))
  {
    EventsAreOfEntries(heard, Call(t));
    EventsAreOfEntries(later, Answer(t, true));
    if Call(t) in Events(heard) && Answer(t, true) in Events(later) {
      var a :| a in heard && Call(t) in EventsOf(a);
      var b :| b in later && Answer(t, true) in EventsOf(b);
      CallsItsUses(a);
      AnswersItsResults(b);
      assert t in UsesOf(a) * ResultsOf(b);
      assert Answers(a, b);
    }
  }

  /** A point is settled exactly when no later entry is a part of a message, or answers a call, of its context. */
  lemma SettledIsNothingNeededLater(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Settled(log, u)
       <==> forall a, b | a in Context(log, u) && b in log[IndexOf(log, u) + 1..] :: !Mates(a, b) && !Answers(a, b)
  {
    hide WellFormed, Members, Mates, Answers;
    WellFormedHasUniqueUuids(log);
    var later := log[IndexOf(log, u) + 1..];
    if Settled(log, u) {
      forall a, b | a in Context(log, u) && b in later
        ensures !Mates(a, b) && !Answers(a, b)
      {
        SettledNeedsNothingLater(log, u, a, b);
      }
    }
    if forall a, b | a in Context(log, u) && b in later :: !Mates(a, b) && !Answers(a, b) {
      forall a, b | a in log && b in log && a.uuid in Members(log, u) && Needs(a, b)
        ensures b.uuid in Members(log, u)
      {
        ContextHoldsExactlyTheMembers(log, u);
        WhatIsNeededOnlyAsParentIsMember(log, u, a, b);
      }
    }
  }

  /** Nothing later is needed where the point is settled. */
  lemma SettledNeedsNothingLater(log: Log, u: Id, a: Entry, b: Entry)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires Settled(log, u)
    requires a in Context(log, u)
    requires b in log[IndexOf(log, u) + 1..]
    ensures !Needs(a, b)
  {
    hide Needs, Members, Context, UniqueUuids, Settled;
    ContextHoldsExactlyTheMembers(log, u);
    LaterIsNoMember(log, u, b);
    if Needs(a, b) {
      WhatSettledNeedsIsMember(log, u, a, b);
    }
  }

  /** What a member needs is a member, unless it is a later part of a message or a later answer. */
  lemma WhatIsNeededOnlyAsParentIsMember(log: Log, u: Id, a: Entry, b: Entry)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires a in log && b in log
    requires a.uuid in Members(log, u)
    requires Needs(a, b)
    requires b in log[IndexOf(log, u) + 1..] ==> !Mates(a, b) && !Answers(a, b)
    ensures b.uuid in Members(log, u)
  {
    hide WellFormed, UniqueUuids, Members, Mates, Answers;
    WellFormedHasUniqueUuids(log);
    MemberStandsAsOf(log, u, a);
    if b in log[IndexOf(log, u) + 1..] {
      ParentIsNotLater(log, u, a, b);
    } else {
      assert log == AsOf(log, u) + log[IndexOf(log, u) + 1..];
      WhatMembersNeedIsMember(log, u, a, b);
    }
  }

  /** An entry after the point is not as of it. */
  lemma LaterIsNoMember(log: Log, u: Id, b: Entry)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires b in log[IndexOf(log, u) + 1..]
    ensures b in log
    ensures b.uuid !in Uuids(AsOf(log, u))
    ensures b.uuid !in Members(log, u)
  {
    var at := IndexOf(log, u);
    var j :| 0 <= j < |log| - at - 1 && log[at + 1..][j] == b;
    assert log[at + 1 + j] == b;
    IndexOfIsPosition(log, at + 1 + j);
    AsOfHoldsExactly(log, u, b.uuid);
    MembersAreAsOf(log, u);
  }

  /** An entry whose uuid is a member stands in the log as of the point. */
  lemma MemberStandsAsOf(log: Log, u: Id, a: Entry)
    requires UniqueUuids(log)
    requires u in Uuids(log)
    requires a in log
    requires a.uuid in Members(log, u)
    ensures a in AsOf(log, u)
  {
    MembersAreAsOf(log, u);
    var x :| x in AsOf(log, u) && x.uuid == a.uuid;
    SameUuidIsSameEntry(log, x, a);
  }

  /** An entry after the point is not the parent of one as of it. */
  lemma ParentIsNotLater(log: Log, u: Id, a: Entry, b: Entry)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires a in AsOf(log, u)
    requires b in log[IndexOf(log, u) + 1..]
    ensures a.parent != Some(b.uuid)
  {
    WellFormedHasUniqueUuids(log);
    LaterIsNoMember(log, u, b);
    GetFindsEntry(log, a);
    if a.parent.Some? {
      ParentStandsBefore(log, a.uuid);
      AsOfHoldsExactly(log, u, a.uuid);
      AsOfHoldsExactly(log, u, a.parent.value);
    }
  }

  /** Nothing is to come after the conversation at a point, told by events, exactly when the point is settled. */
  lemma NothingToComeIsSettled(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures NothingToCome(Events(Context(log, u)), Events(log[IndexOf(log, u) + 1..])) <==> Settled(log, u)
  {
    NothingToComeIsNothingNeeded(Context(log, u), log[IndexOf(log, u) + 1..]);
    SettledIsNothingNeededLater(log, u);
  }

  // --- Legal is the end of a complete turn ---

  /** A legal fork point is the end of a complete assistant turn, and every such end is one. */
  lemma LegalIsCompleteTurn(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures Legal(log, u) <==> CompleteTurn(log, u)
  {
    hide WellFormed, UniqueUuids, Uuids, Conversation, Context, Events, NoCallIsOut, NothingToCome, Balanced, Settled;
    WellFormedHasUniqueUuids(log);
    NoCallIsOutIsBalanced(Context(log, u));
    NothingToComeIsSettled(log, u);
    ConversationIsContext(log, u, Context(log, u));
    forall heard: Log | Conversation(log, u, heard)
      ensures heard == Context(log, u)
    {
      ConversationIsContext(log, u, heard);
    }
  }

  /** At a settled point no part of the point's own API message is outside its context. The converse is false, which is
    * why a complete turn asks that nothing at all is to come. */
  lemma SettledHoldsTheWholeMessage(log: Log, u: Id)
    requires u in Uuids(log)
    requires Settled(log, u)
    ensures forall e | e in log && Mates(Get(log, u), e) :: e.uuid in Members(log, u)
  {
    MembersContainsItself(log, u);
  }

  // --- The nearest legal point above ---

  /** The last legal entry of a way is named exactly when no later entry of it is legal, none exactly when none is. */
  lemma LastLegalIsLast(log: Log, way: Log)
    requires forall e | e in way :: e.uuid in Uuids(log)
    ensures forall a :: LastLegal(log, way) == Some(a) <==> LegalAndNoneAfter(log, way, a)
    ensures LastLegal(log, way) == None <==> forall e | e in way :: !Legal(log, e.uuid)
    decreases |way|
  {
    hide Legal;
    if |way| > 0 {
      var before := way[..|way| - 1];
      var last := way[|way| - 1];
      LastLegalIsLast(log, before);
      forall a
        ensures LastLegal(log, way) == Some(a) <==> LegalAndNoneAfter(log, way, a)
      {
        if Legal(log, last.uuid) {
          assert way[|way| - 1].uuid == last.uuid;
        } else {
          LegalAndNoneAfterOfLast(log, way, a);
        }
      }
    }
  }

  /** `a` is a legal point on the way, and no later entry of the way is one. */
  ghost predicate LegalAndNoneAfter(log: Log, way: Log, a: Id)
    requires forall e | e in way :: e.uuid in Uuids(log)
  {
    exists i | 0 <= i < |way| ::
      && way[i].uuid == a
      && Legal(log, a)
      && (forall j | i < j < |way| :: !Legal(log, way[j].uuid))
  }

  /** An illegal last entry changes nothing about which point is the last legal one. */
  lemma LegalAndNoneAfterOfLast(log: Log, way: Log, a: Id)
    requires |way| > 0
    requires forall e | e in way :: e.uuid in Uuids(log)
    requires !Legal(log, way[|way| - 1].uuid)
    ensures LegalAndNoneAfter(log, way[..|way| - 1], a) <==> LegalAndNoneAfter(log, way, a)
  {
    hide Legal;
    var before := way[..|way| - 1];
    if LegalAndNoneAfter(log, before, a) {
      var i :| 0 <= i < |before| && before[i].uuid == a && (forall j | i < j < |before| :: !Legal(log, before[j].uuid));
      assert way[i].uuid == a;
      forall j | i < j < |way|
        ensures !Legal(log, way[j].uuid)
      {
        assert j < |before| ==> way[j] == before[j];
      }
    }
    if LegalAndNoneAfter(log, way, a) {
      var i :| 0 <= i < |way| && way[i].uuid == a && (forall j | i < j < |way| :: !Legal(log, way[j].uuid));
      assert i < |before|;
      assert before[i].uuid == a;
      forall j | i < j < |before|
        ensures !Legal(log, before[j].uuid)
      {
        assert before[j] == way[j];
      }
    }
  }

  /** The nearest legal ancestor is the legal point of the ancestry after which no other comes; there is none exactly
    * when no entry of the ancestry is legal. */
  lemma NearestLegalAncestorIsNearest(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures forall a :: NearestLegalAncestor(log, u) == Some(a) <==> LegalAndNoneAfter(log, Ancestry(log, u), a)
    ensures NearestLegalAncestor(log, u) == None <==> forall e | e in Ancestry(log, u) :: !Legal(log, e.uuid)
  {
    LastLegalIsLast(log, Ancestry(log, u));
  }

  /** A legal point is its own nearest legal ancestor. */
  lemma LegalIsItsOwnNearest(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires Legal(log, u)
    ensures NearestLegalAncestor(log, u) == Some(u)
  {
    AncestryEndsInItself(log, u);
  }

  // --- The first legal points below ---

  /** Of two entries on one ancestry, one is an ancestor of the other exactly when it does not stand later. */
  lemma AncestorsOnOneWay(log: Log, x: Id, i: nat, j: nat)
    requires WellFormed(log)
    requires x in Uuids(log)
    requires i < |Ancestry(log, x)|
    requires j < |Ancestry(log, x)|
    ensures Ancestry(log, x)[i].uuid in Uuids(log)
    ensures Ancestry(log, x)[j].uuid in Uuids(log)
    ensures IsAncestor(log, Ancestry(log, x)[i].uuid, Ancestry(log, x)[j].uuid) <==> i <= j
    ensures Ancestry(log, x)[i].uuid == Ancestry(log, x)[j].uuid <==> i == j
  {
    var way := Ancestry(log, x);
    AncestryBeginsWithAncestries(log, x, i);
    AncestryBeginsWithAncestries(log, x, j);
    assert |way[..i + 1]| == i + 1 && |way[..j + 1]| == j + 1;
    if i <= j {
      assert way[..j + 1][i] == way[i];
    }
    if IsAncestor(log, way[i].uuid, way[j].uuid) {
      var e :| e in way[..j + 1] && e.uuid == way[i].uuid;
      var k :| 0 <= k <= j && way[k] == e;
      AncestryBeginsWithAncestries(log, x, k);
      assert |way[..k + 1]| == k + 1;
    }
  }

  /** The position on an ancestry of one of its entries. */
  lemma StandsOnWay(log: Log, a: Id, x: Id) returns (i: nat)
    requires WellFormed(log)
    requires x in Uuids(log)
    requires IsAncestor(log, a, x)
    ensures i < |Ancestry(log, x)|
    ensures Ancestry(log, x)[i].uuid == a
  {
    var e :| e in Ancestry(log, x) && e.uuid == a;
    i :| 0 <= i < |Ancestry(log, x)| && Ancestry(log, x)[i] == e;
  }

  /** The first legal points below an entry are exactly the legal points strictly below it with no legal point between. */
  lemma FirstLegalDescendantsAreFirst(log: Log, u: Id, d: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures d in FirstLegalDescendants(log, u)
            <==>
            && d in Uuids(log)
            && StrictlyBelow(log, u, d)
            && Legal(log, d)
            && (forall x | x in Uuids(log) && StrictlyBelow(log, u, x) && StrictlyBelow(log, x, d) :: !Legal(log, x))
  {
    if d in Uuids(log) && StrictlyBelow(log, u, d) {
      if IsFirstLegalBelow(log, u, d) {
        forall x | x in Uuids(log) && StrictlyBelow(log, u, x) && StrictlyBelow(log, x, d)
          ensures !Legal(log, x)
        {
          var e :| e in Ancestry(log, d) && e.uuid == x;
        }
      }
      if forall x | x in Uuids(log) && StrictlyBelow(log, u, x) && StrictlyBelow(log, x, d) :: !Legal(log, x) {
        forall e | e in Ancestry(log, d) && e.uuid != d && StrictlyBelow(log, u, e.uuid)
          ensures !Legal(log, e.uuid)
        {
          assert StrictlyBelow(log, e.uuid, d);
        }
      }
    }
  }

  /** The first legal point after position `k` of a way, where there is a legal one. */
  lemma FirstLegalAfter(log: Log, way: Log, k: nat, last: nat) returns (i: nat)
    requires forall e | e in way :: e.uuid in Uuids(log)
    requires k < last < |way|
    requires Legal(log, way[last].uuid)
    ensures k < i <= last
    ensures Legal(log, way[i].uuid)
    ensures forall j | k < j < i :: !Legal(log, way[j].uuid)
    decreases last - k
  {
    hide Legal;
    if k + 1 == last || Legal(log, way[k + 1].uuid) {
      i := k + 1;
    } else {
      i := FirstLegalAfter(log, way, k + 1, last);
    }
  }

  /** One first legal point is never an ancestor of another: they are on different branches. */
  lemma FirstLegalsAreUnrelated(log: Log, u: Id, a: Id, b: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires a in FirstLegalDescendants(log, u)
    requires b in FirstLegalDescendants(log, u)
    requires a != b
    ensures !IsAncestor(log, a, b)
  {
    if IsAncestor(log, a, b) {
      FirstLegalDescendantsAreFirst(log, u, a);
      FirstLegalDescendantsAreFirst(log, u, b);
    }
  }

  /** On the way to a legal point there is a first legal one. */
  lemma SomeFirstLegalIsOnTheWay(log: Log, u: Id, x: Id) returns (d: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires x in Uuids(log)
    requires Legal(log, x)
    requires StrictlyBelow(log, u, x)
    ensures d in FirstLegalDescendants(log, u)
    ensures IsAncestor(log, d, x)
  {
    hide Legal;
    var way := Ancestry(log, x);
    AncestryEndsInItself(log, x);
    var k := StandsOnWay(log, u, x);
    var i := FirstLegalAfter(log, way, k, |way| - 1);
    d := way[i].uuid;
    assert way[i] in way;
    AncestorsOnOneWay(log, x, k, i);
    AncestorsOnOneWay(log, x, i, |way| - 1);
    AncestryBeginsWithAncestries(log, x, i);
    forall e | e in Ancestry(log, d) && e.uuid != d && StrictlyBelow(log, u, e.uuid)
      ensures !Legal(log, e.uuid)
    {
      var j :| 0 <= j <= i && way[j] == e;
      AncestorsOnOneWay(log, x, k, j);
    }
  }

  /** Each branch with a legal point below an entry has exactly one first: one, and only one, is on the way to each legal
    * point. */
  lemma EachBranchHasOneFirstLegal(log: Log, u: Id, x: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires x in Uuids(log)
    requires Legal(log, x)
    requires StrictlyBelow(log, u, x)
    ensures exists d :: d in FirstLegalDescendants(log, u) && IsAncestor(log, d, x)
    ensures forall a, b | a in FirstLegalDescendants(log, u) && IsAncestor(log, a, x)
                          && b in FirstLegalDescendants(log, u) && IsAncestor(log, b, x) :: a == b
  {
    var d := SomeFirstLegalIsOnTheWay(log, u, x);
    forall a, b | a in FirstLegalDescendants(log, u) && IsAncestor(log, a, x)
                  && b in FirstLegalDescendants(log, u) && IsAncestor(log, b, x)
      ensures a == b
    {
      OneFirstLegalIsOnTheWay(log, u, x, a, b);
    }
  }

  /** On the way to an entry there is at most one first legal point. */
  lemma OneFirstLegalIsOnTheWay(log: Log, u: Id, x: Id, a: Id, b: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    requires x in Uuids(log)
    requires a in FirstLegalDescendants(log, u)
    requires b in FirstLegalDescendants(log, u)
    requires IsAncestor(log, a, x)
    requires IsAncestor(log, b, x)
    ensures a == b
  {
    if a != b {
      var i := StandsOnWay(log, a, x);
      var j := StandsOnWay(log, b, x);
      AncestorsOnOneWay(log, x, i, j);
      AncestorsOnOneWay(log, x, j, i);
      FirstLegalsAreUnrelated(log, u, a, b);
      FirstLegalsAreUnrelated(log, u, b, a);
    }
  }
}

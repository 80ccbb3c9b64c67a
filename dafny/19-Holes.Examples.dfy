// Chapter 19, examples: a chat that is sent as it is; and one behind which a line is torn. It was a prompt, and nothing is lost; or a part of the reply, and the reply
// is no point to go on from, though the file as it stands says so.
include "05-Balance.Examples.dfy"
include "19-Holes.Proofs.dfy"

module HolesExamples {
  import opened Names
  import opened Entries
  import opened EntriesExamples
  import opened Contexts
  import opened ContextsProofs
  import opened Balance
  import opened Holes
  import opened HolesProofs
  import BalanceExamples
  import EntriesProofs

  /** The next prompt. */
  function Next(): Entry {
    Asks(2, Some(1), [])
  }

  /** One more part of the reply. */
  function Part(): Entry {
    Speaks(2, Some(1), 0, [])
  }

  /** A hole that held the next prompt, and nothing else. */
  function WasNext(): Possible {
    (x: Entry) => x == Next()
  }

  /** A hole that held a part of the reply, and nothing else. */
  function WasPart(): Possible {
    (x: Entry) => x == Part()
  }

  /** What the chat is at its reply, and which entries are its conversation there. */
  lemma TheReply()
    ensures WellFormed(Chat()) && Name(1) in Uuids(Chat()) && Legal(Chat(), Name(1))
    ensures Context(Chat(), Name(1)) == Chat()
    ensures Chat()[0] == Prompt() && Chat()[1] == Reply() && |Chat()| == 2
    ensures forall a | a in Chat() :: a == Prompt() || a == Reply()
    ensures Name(2) !in Uuids(Chat())
    ensures Uuids(Chat()) == {Name(0), Name(1)}
  {
    BalanceExamples.ChatEndsLegally();
    ChatIsWellFormed();
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
  }

  /** Behind a hole that held the next prompt the reply stays legal: it needs nothing of it. */
  lemma APromptIsNotNeeded()
    ensures WellFormed(Chat()) && Name(1) in Uuids(Chat())
    ensures MayHaveStood(Chat(), WasNext(), Next())
    ensures LegalBesideHoles(Chat(), Name(1), WasNext())
    ensures LegalInEach(Chat(), Name(1), WasNext())
    ensures Fills(Chat(), Chat() + [Next()])
    ensures forall x | Fresh(Chat(), Chat() + [Next()], x) :: !NeededAt(Chat(), Name(1), x)
  {
    TheReply();
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    assert Fits(Chat(), Next()) by {
      ReplyFitsChat();
    }
    OneMoreFills(Chat(), Next());
    assert !NeededAt(Chat(), Name(1), Next()) by {
      forall a | a in Context(Chat(), Name(1))
        ensures !Needs(a, Next())
      {
        assert a == Prompt() || a == Reply();
      }
    }
    WhatFitsMayHaveStood(Chat(), WasNext(), Next());
    forall x | MayHaveStood(Chat(), WasNext(), x)
      ensures !NeededAt(Chat(), Name(1), x)
    {
      WhatFitsMayHaveStood(Chat(), WasNext(), x);
    }
    LegalInEachExactly(Chat(), Name(1), WasNext());
  }

  /** A part of the reply is needed. So the reply is legal as the file stands, and is not in the log that fills the hole: a file with
    * holes may say of a point what is not so. */
  lemma LegalAsItStandsIsNotLegalInEach()
    ensures WellFormed(Chat()) && Name(1) in Uuids(Chat())
    ensures Legal(Chat(), Name(1))
    ensures Fits(Chat(), Part()) && NeededAt(Chat(), Name(1), Part())
    ensures !LegalInEach(Chat(), Name(1), WasPart())
  {
    TheReply();
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    assert Reply() in Context(Chat(), Name(1)) by {
      assert Chat()[1] in Chat();
    }
    assert Needs(Reply(), Part());
    assert NeededAt(Chat(), Name(1), Part());
    WhatFitsMayHaveStood(Chat(), WasPart(), Part());
    assert !LegalBesideHoles(Chat(), Name(1), WasPart());
    LegalInEachExactly(Chat(), Name(1), WasPart());
  }

  /** What can be read of the two lines says which of them is needed: the one is of the message of the reply, the other answers no call
    * that it made. */
  lemma WhatIsReadTells()
    ensures Wants(Reply(), PartOf(Name(0))) && Says(PartOf(Name(0)), Part())
    ensures !Wants(Reply(), AnswerTo({})) && Says(AnswerTo({}), Next())
    ensures Reply().parent != Some(Name(2))
  {
    NamesDiffer(0, 2);
  }

  /** The part of the reply that made a call. */
  function Calling(): Entry {
    Speaks(2, Some(1), 0, [Use(Name(7))])
  }

  /** The message of the reply announced a call, and the chat shows none. In a log that shows it the conversation at the reply is another,
    * or the reply is no legal point. */
  lemma TheReplyMissesItsCall()
    ensures WellFormed(Chat()) && Name(1) in Uuids(Chat())
    ensures Legal(Chat(), Name(1))
    ensures Unkept(Chat(), {Name(0)}) == {Name(0)}
    ensures Fills(Chat(), Chat() + [Calling()])
    ensures Unkept(Chat() + [Calling()], {Name(0)}) == {}
    ensures Name(1) in Uuids(Chat() + [Calling()])
    ensures Context(Chat() + [Calling()], Name(1)) == Context(Chat(), Name(1)) ==> !Legal(Chat() + [Calling()], Name(1))
  {
    TheReply();
    NamesDiffer(0, 2);
    NamesDiffer(1, 2);
    var whole := Chat() + [Calling()];
    assert Fits(Chat(), Calling());
    OneMoreFills(Chat(), Calling());
    assert Calling().blocks[0] == Use(Name(7));
    assert Use(Name(7)) in Calling().blocks;
    assert Name(7) in UsesOf(Calling());
    assert Unkept(Chat(), {Name(0)}) == {Name(0)};
    assert !ShowsNoCall(whole, Name(0));
    assert Unkept(whole, {Name(0)}) == {};
    AnAnnouncedCallIsMissed(Chat(), whole, Name(1), {Name(0)}, Reply());
  }

  /** The reply of the chat, which no boundary touches, is legal to send. */
  lemma TheReplyIsLegalToSend()
    ensures WellFormed(Chat()) && Name(1) in Uuids(Chat())
    ensures LegalToSend(Chat(), map[], Name(1))
  {
    TheReply();
    WhatIsSentIsPaired(Chat(), map[], Name(1));
  }

  /** The theorems apply to both. */
  lemma TheoremsApplyToTheHoles()
  {
    TheReplyIsLegalToSend();
    ForkKeepsLegalToSend(Chat(), map[], Name(1));
    APromptIsNotNeeded();
    TheReply();
    UnneededFillingsChangeNothing(Chat(), Chat() + [Next()], Name(1));
    WrittenLast(Chat(), Chat() + [Next()]);
    NothingFills(Chat());
    WhatFillsHoldsAll(Chat(), Chat());
    LegalAsItStandsIsNotLegalInEach();
    NeededBehindIsNotLegal(Chat(), [Part()], Name(1), Part());
    WhatIsReadTells();
    FragmentsDecideExactly(Reply(), PartOf(Name(0)), Name(2));
    FragmentsDecideExactly(Reply(), AnswerTo({}), Name(2));
  }
}

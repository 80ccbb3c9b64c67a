// Chapter 21, the algorithm: whether the reports of many clients about one worldline have an explanation, in steps by the number of
// reports and own events.
include "21-Worldlines.Proofs.dfy"

module WorldlinesFast {
  import opened Worldlines
  import opened WorldlinesProofs

  /** For each number of own events the append that led beyond the one before; the number of reports where none did. */
  predicate HeldBy(size: nat, reports: seq<Report>, holder: seq<nat>) {
    && |holder| == size + 1
    && (forall p | 0 <= p <= size && holder[p] < |reports| :: Spans(reports[holder[p]], p))
    && (forall i, p | 0 <= i < |reports| && 0 <= p <= size && Spans(reports[i], p) :: holder[p] == i)
  }

  /** Two appends that span one event went behind one head. */
  lemma TwoHoldersDisagree(a: Report, b: Report, p: nat)
    requires Spans(a, p) && Spans(b, p)
    ensures !ReportsAgree(a, b)
  {
  }

  /** Where each event has one holder, no two appends went behind one head. */
  lemma OneHolderAgrees(size: nat, reports: seq<Report>, holder: seq<nat>, i: nat, j: nat)
    requires HeldBy(size, reports, holder)
    requires forall k | 0 <= k < |reports| :: PossibleReport(size, reports[k])
    requires i < |reports| && j < |reports| && i != j && reports[i].Went? && reports[j].Went?
    ensures reports[i].to <= reports[j].from || reports[j].to <= reports[i].from
  {
    assert PossibleReport(size, reports[i]) && PossibleReport(size, reports[j]);
    var p := (if reports[i].from < reports[j].from then reports[j].from else reports[i].from) + 1;
    assert Spans(reports[i], p) ==> p <= size && holder[p] == i;
    assert Spans(reports[j], p) ==> p <= size && holder[p] == j;
  }

  /** The holders; or two appends went behind one head. A step an own event, and one a report. */
  method FindHolders(size: nat, reports: seq<Report>) returns (ok: bool, holder: seq<nat>)
    requires forall k | 0 <= k < |reports| :: PossibleReport(size, reports[k])
    ensures ok ==> HeldBy(size, reports, holder)
    ensures !ok ==> !ConsistentReports(size, reports)
  {
    var found := new nat[size + 1](_ => |reports|);
    holder := [];
    for i := 0 to |reports|
      invariant forall p | 0 <= p <= size && found[p] < |reports| :: found[p] < i && Spans(reports[found[p]], p)
      invariant forall p | 0 <= p <= size :: found[p] <= |reports|
      invariant forall j, p | 0 <= j < i && 0 <= p <= size && Spans(reports[j], p) :: found[p] == j
    {
      if reports[i].Went? {
        assert PossibleReport(size, reports[i]);
        var p := reports[i].from + 1;
        while p <= reports[i].to
          invariant reports[i].from < p <= reports[i].to + 1
          invariant forall q | 0 <= q <= size && found[q] < |reports| :: found[q] <= i && Spans(reports[found[q]], q)
          invariant forall q | 0 <= q <= size :: found[q] <= |reports|
          invariant forall q | 0 <= q <= size && found[q] == i :: q < p
          invariant forall q | reports[i].from < q < p :: found[q] == i
          invariant forall j, q | 0 <= j < i && 0 <= q <= size && Spans(reports[j], q) :: found[q] == j
        {
          if found[p] < |reports| {
            assert found[p] < i;
            TwoHoldersDisagree(reports[found[p]], reports[i], p);
            return false, [];
          }
          found[p] := i;
          p := p + 1;
        }
      }
    }
    return true, found[..];
  }

  /** The latest call among reports of lower ranks. */
  ghost predicate LatestCallBelow(reports: seq<Report>, rank: nat, latest: nat) {
    && (forall i | 0 <= i < |reports| && ReportRank(reports[i]) < rank :: reports[i].called <= latest)
    && (latest == 0 || exists i :: 0 <= i < |reports| && ReportRank(reports[i]) < rank && reports[i].called == latest)
  }

  /** For each rank the latest call among reports of lower ranks. */
  method LatestCalls(size: nat, reports: seq<Report>) returns (latest: seq<nat>)
    requires forall k | 0 <= k < |reports| :: PossibleReport(size, reports[k])
    ensures |latest| == 2 * size + 2
    ensures forall rank | 0 <= rank < |latest| :: LatestCallBelow(reports, rank, latest[rank])
  {
    var at := new nat[2 * size + 2](_ => 0);
    for i := 0 to |reports|
      invariant forall j | 0 <= j < i :: ReportRank(reports[j]) < 2 * size + 2 && reports[j].called <= at[ReportRank(reports[j])]
      invariant forall rank | 0 <= rank < 2 * size + 2 ::
          at[rank] == 0 || exists j :: 0 <= j < i && ReportRank(reports[j]) == rank && reports[j].called == at[rank]
    {
      assert PossibleReport(size, reports[i]);
      var rank := ReportRank(reports[i]);
      if reports[i].called > at[rank] {
        at[rank] := reports[i].called;
      }
    }
    latest := [];
    var most := 0;
    for rank := 0 to 2 * size + 2
      invariant |latest| == rank
      invariant LatestCallBelow(reports, rank, most)
      invariant forall r | 0 <= r < rank :: LatestCallBelow(reports, r, latest[r])
    {
      latest := latest + [most];
      if at[rank] > most {
        most := at[rank];
      }
    }
  }

  /** P8: whether reports have an explanation. A few steps a report and an own event. */
  method DecideReports(size: nat, reports: seq<Report>) returns (ok: bool)
    requires AnsweredLater(reports)
    ensures ok <==> Explained(size, reports)
  {
    ReportsAreExplainedWhenConsistent(size, reports);
    for i := 0 to |reports|
      invariant forall k | 0 <= k < i :: PossibleReport(size, reports[k])
    {
      if !PossibleReport(size, reports[i]) {
        return false;
      }
    }
    var apart, holder := FindHolders(size, reports);
    if !apart {
      return false;
    }
    var latest := LatestCalls(size, reports);
    for i := 0 to |reports|
      invariant forall k | 0 <= k < i :: latest[ReportRank(reports[k])] <= reports[k].answered
      invariant forall k | 0 <= k < i && reports[k].Saw? && holder[reports[k].at] < |reports| ::
          reports[holder[reports[k].at]].to <= reports[k].at
    {
      assert PossibleReport(size, reports[i]);
      var rank := ReportRank(reports[i]);
      if latest[rank] > reports[i].answered {
        assert LatestCallBelow(reports, rank, latest[rank]);
        var j :| 0 <= j < |reports| && ReportRank(reports[j]) < rank && reports[j].called == latest[rank];
        assert !ReportsAgree(reports[j], reports[i]);
        return false;
      }
      if reports[i].Saw? && holder[reports[i].at] < |reports| {
        var j := holder[reports[i].at];
        if reports[i].at < reports[j].to {
          assert Spans(reports[j], reports[i].at);
          assert !ReportsAgree(reports[j], reports[i]);
          return false;
        }
      }
    }
    forall i, j | 0 <= i < |reports| && 0 <= j < |reports| && i != j
      ensures ReportsAgree(reports[i], reports[j])
    {
      assert PossibleReport(size, reports[i]) && PossibleReport(size, reports[j]);
      assert LatestCallBelow(reports, ReportRank(reports[j]), latest[ReportRank(reports[j])]);
      if reports[i].Went? && reports[j].Went? {
        OneHolderAgrees(size, reports, holder, i, j);
      }
      if reports[i].Went? && reports[j].Saw? && reports[i].from < reports[j].at < reports[i].to {
        assert Spans(reports[i], reports[j].at);
      }
    }
    return true;
  }
}

// Chapter 18, the algorithm: one pass over the lines of a file, with the number of entries that have come.
include "18-Certificates.Proofs.dfy"

module CertificatesFast {
  import opened Entries
  import opened Certificates
  import opened CertificatesProofs

  /** Whether the lines of a file are what was asked for. One pass. */
  method AcceptsLoop(reading: Reading, request: Request, lines: seq<Text>) returns (accepted: bool)
    requires Sensible(request)
    ensures accepted <==> Accepts(reading, request, lines)
  {
    if |lines| == 0 {
      return false;
    }
    var turn := 0;
    var at := 0;
    assert lines[0..] == lines;
    while at < |lines| - 1
      invariant 0 <= at < |lines|
      invariant turn <= |request.kept|
      invariant Accepts(reading, request, lines) <==> AcceptsFrom(reading, request, lines[at..], turn)
      decreases |lines| - at
    {
      var line := lines[at];
      assert lines[at..][0] == line && lines[at..][1..] == lines[at + 1..];
      if reading.uuid(line).Some? {
        if !HasItsTurn(reading, request, turn, line) {
          return false;
        }
        turn := turn + 1;
      } else if !MayStand(reading, request, turn, line) {
        return false;
      }
      at := at + 1;
    }
    var last := lines[at];
    assert lines[at..] == [last];
    return turn == |request.kept| && Closes(reading, request, last);
  }
}

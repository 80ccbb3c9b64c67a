"""Time, memory and the rates behind estimates, on made and on real transcripts."""

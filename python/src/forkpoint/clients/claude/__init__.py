"""What is known of the clients, in one place: what changed with which version, which lines and keys they write, which tools they
have, how their texts look, and where their files stand.

All of it is measured or read in a client (``spec/client.md``, ``spec/transcripts.md``). A new type of line or a new version is a
row in one of these modules. Nothing here reads a file.
"""

"""Claude Code: its format, and what judges what was written in it.

The codec reads lines, and other modules make lines as the client writes them. What changed with which version, which lines and
keys there are, which tools, how texts look and where files stand has a module each. All of it is measured or read in a client
(``spec/client.md``, ``spec/transcripts.md``): a new type of line or a new version is a row. The second reader and the certificate
share nothing with the codec. Only the certificate reads files.
"""

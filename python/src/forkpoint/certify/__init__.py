"""What judges a result apart from the code that made it: the certificate, a second reader, and checks at run time."""

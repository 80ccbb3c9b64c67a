"""The operations: each is one function that takes a session and a request and gives a typed answer, or raises a refusal.

Nothing here parses a command line or prints: what is to be said goes to the session's ``tell``, what came of it is the answer.
"""

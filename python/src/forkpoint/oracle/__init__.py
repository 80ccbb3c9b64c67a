"""The core once more, as the Python code that Dafny generates from the model: slower, and with nothing ported by hand.

The modules have the names and the functions of :mod:`forkpoint.core`; they take and give its values. What a function decides is
decided by generated code. This package carries values over and back, puts together what the model has in parts (the steps between
cuts, the union of what is new), and raises what the core raises: where the model says so, or where an entry or a place that is
named is not there. It needs the runtime of generated code, ``pip install 'forkpoint[oracle]'``.
"""

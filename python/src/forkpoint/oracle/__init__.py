"""The core once more, as the Python code that Dafny generates from the model: slower, and with nothing ported by hand.

The modules have the names and the functions of :mod:`forkpoint.core`; they take and give its values. What a function decides is
decided by generated code alone; this package only carries values over and back, and asks the model's own predicate where the core
raises. It needs the runtime of generated code, ``pip install 'forkpoint[oracle]'``.
"""

"""The port against the Python that Dafny generates from the model: to the same question the same answer, or the same error."""

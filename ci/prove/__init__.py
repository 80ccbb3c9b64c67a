"""What `make verify` runs, and what makes its records anew: the proofs of the model, and the laws by symbolic execution."""

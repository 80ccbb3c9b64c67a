"""What is wrong with a transcript, and the healthy one that is made of it."""

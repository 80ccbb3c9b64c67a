"""What holds the documentation, the laws and the sources together; a contributor runs it every day."""

"""What is made of measured tables of the client."""

"""What a transcript is asked: where it stands, what one sees of it, and what holds it back."""

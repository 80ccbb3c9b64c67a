"""What people see: conversations drawn for a terminal."""

"""Facts about programs, computed and never mutating."""

"""Recording what ranks really did, and reading it."""

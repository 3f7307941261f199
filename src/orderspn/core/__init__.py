"""What everything else stands on: errors, argument checks, randomness, threads."""

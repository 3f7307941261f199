"""What is known of the causal graph before any data: what people write, what other packages have, and rules from it."""

"""Search over orders: tempered Markov chains, what they say about each other, and candidates refined with them."""

"""Search over orders: their scores, Markov chains over them, candidates refined with them, and the best graph."""

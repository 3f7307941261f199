"""Marginal DiBS: graphs of particles that move in a continuous latent space, for a block (S_1, S_2)."""

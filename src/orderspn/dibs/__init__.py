"""Marginal DiBS: graphs by transporting particles in a continuous latent space, restricted to a block (S_1, S_2)."""

"""The explorer: a page on which a posterior is seen and conditioned, from a server, in a notebook or in one file."""

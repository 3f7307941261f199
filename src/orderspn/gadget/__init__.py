"""Gadget: sampling DAGs, each counted once, by Markov chains over ordered partitions."""

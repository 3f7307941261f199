"""Gadget: sampling DAGs, each counted once, by Markov chains over ordered partitions, or over DAGs with an order."""

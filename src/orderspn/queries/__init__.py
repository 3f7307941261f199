"""What is asked of a posterior: events and evidence, marginals, most probable graphs, samples, effects."""

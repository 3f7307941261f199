"""Are probabilities right? Reliability on many small tables whose truth is known."""

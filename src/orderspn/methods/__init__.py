"""The methods that learn a posterior, one file each, with the same door: a problem in, a solution out."""

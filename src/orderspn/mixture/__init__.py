"""Mixtures of posteriors: `mix`, and the posterior that it returns."""

from orderspn.mixture.mixed_posterior import Mixture as Mixture
from orderspn.mixture.mixing import mix as mix

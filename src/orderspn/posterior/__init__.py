"""The public face: `Posterior`, with a file for each kind of question."""

from orderspn.posterior.posterior import Posterior as Posterior

"""How a graph of a user's stands before a posterior."""

from orderspn.judging.judgement import Judgement as Judgement

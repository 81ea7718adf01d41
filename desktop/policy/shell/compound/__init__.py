"""Lines with loops, conditions and variables, taken apart into the plain commands that they run."""

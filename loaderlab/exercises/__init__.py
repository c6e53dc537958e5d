"""Graded exercises: the probe runs an answer and returns evidence; the judge says what it is worth."""

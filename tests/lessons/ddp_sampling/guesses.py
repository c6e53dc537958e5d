"""The guesses of lesson 7: who has not understood the question says the first, who has the second, measured is the third.

What is measured is from the committed notebooks; where a GPU is needed, what the lesson says of one.
"""

GUESSES = {
    "evaluated": (1001, 1008, 1008),
    "forgotten": (40, 10, 10),
    "left_out": (59, 234, 234),
    "draws": (20, 5, 5),
    "fourth": ("finished", "blocked", "blocked"),
    "heard": ((2, 2), (0, 2), (0, 2)),
    "with_workers": ("always", "told", "told"),
}

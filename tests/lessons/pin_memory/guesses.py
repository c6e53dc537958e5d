"""The guesses of lesson 2: who has not understood the question says the first, who has the second, measured is the third.

What is measured is from the committed notebooks; where a GPU is needed, what the lesson says of one.
"""

GUESSES = {
    "waiting": (0, 50, 49.5),
    "missing": ((3, 9, 3), (6, 6, 6), (6.0, 6.0, 6.0)),
    "option": ("raises", "warns", "warns"),
    "batches": (4, 5, 5),
    "zeros": ((0, 0, 0), (1000, 750, 0), (1000, 750, 0)),
}

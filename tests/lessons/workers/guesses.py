"""The guesses of lesson 1: who has not understood the question says the first, who has the second, measured is the third.

What is measured is from the committed notebooks; where a GPU is needed, what the lesson says of one.
"""

GUESSES = {
    "seen": ((5, 5), (5, 0), (5, 0)),
    "wait": ((16, 8), (16, 0), (19, 1)),
    "times": ((4, 4, 4), (4, 1.6, 0.3), (4.02, 1.77, 0.0288)),
    "imports": ((3, 3), (1, 5), (1, 5)),
    "ordered": ((3, 4, 6), (6, 7, 7), (6, 7, 7)),
    "draws": ((24, 24, 6, 24), (24, 24, 24, 6), (24, 24, 24, 6)),
    "suffer": ("both", "slowest", "slowest"),
}

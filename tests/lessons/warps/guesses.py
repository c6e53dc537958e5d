"""The guesses of lesson 3: who has not understood the question says the first, who has the second, measured is the third.

What is measured is from the committed notebooks, and of a GPU from the recordings.
"""

GUESSES = {
    "last_warp": (31, 0, 0),
    "doubled": ((2, 2), (1, 2), (0.885, 2.04)),
    "one_more": ((1.5, 1), (1, 2), (1.01, 1.96)),
    "wider": ((1, 1), (5, 1), (5.2, 0.98)),
    "saved": (2, 1.2, 1.11),
}

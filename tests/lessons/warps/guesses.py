"""The guesses of lesson 3: who has not understood the question says the first, who has the second, measured is the third.

What is measured is from the committed notebooks; where a GPU is needed, what the lesson says of one.
"""

GUESSES = {
    "last_warp": (31, 0, 0),
    "doubled": ((2, 2), (1, 2), (0.885, 2.04)),
    "one_row": ((1, 1), (2, 1), (2.02, 1.01)),
    "waves": ((20, 25, 40, 45), (20, 40, 40, 60), (20.6, 40.7, 40.8, 61)),
    "steps": ((128, 128), (128, 512), (128, 512)),
    "saved": (2, 1.2, 1.11),
}

"""The guesses of lesson 0: who has not understood the question says the first, who has the second, measured is the third.

What is measured is from the committed notebooks; where a GPU is needed, what the lesson says of one.
"""

GUESSES = {
    "share": (38, 62, 63.2),
    "batches": (2, 3, 3),
    "samples": (6, 12, 12),
    "gain": ((4, 1.4), (5, 1.4), (5.08, 1.43)),
    "late": (16, 0, 0.0297),
}

"""The guesses of lesson 5: who has not understood the question says the first, who has the second, measured is the third.

What is measured is from the committed notebooks; where a GPU is needed, what the lesson says of one.
"""

GUESSES = {
    "bytes": (0, 1, 1),
    "idle": ((16, 64, 320), (80, 400, 90), (84.9, 433, 93.9)),
    "pages": ((0, 0, 0), (1, 1, 9), (1, 1, 8)),
    "tenth": ((10, 10, 10), (10, 95, 0), (10, 92, 2)),
    "times": ((0, 0), (1, 4), (0.971, 3.79)),
    "shared": ("memmap", "tensor", "tensor"),
}

"""The guesses of lesson 6: who has not understood the question says the first, who has the second, measured is the third.

What is measured is from the committed notebooks; where a GPU is needed, what the lesson says of one.
"""

GUESSES = {
    "request": ((4, 4), (4.5, 0), (4.86, 0.0124)),
    "slowest": ("files", "shards", "shards"),
    "network": ((200, 16), (50, 10), (43, 8.15)),
    "ranks": ((500, 500), (600, 400), (600, 400)),
    "batches": ((3, 30, 30), (60, 60, 30), (60, 60, 30)),
    "classes": ((7.9, 8), (4, 1), (5.95, 1)),
}

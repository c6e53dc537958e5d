"""The guesses of lesson 8: who has not understood the question says the first, who has the second, measured is the third.

What is measured is from the committed notebooks; where a GPU is needed, what the lesson says of one.
"""

GUESSES = {
    "limit": (10_000, 2286, 2260),
    "reached": (100, 15, 12.3),
    "core_share": (100, 44, 46.2),
    "photos": ("others", "ordered", "ordered"),
    "alone": (5, 1, 1.15),
}

"""The guesses of lesson 9: who has not understood the question says the first, who has the second, measured is the third.

What is measured is from the committed notebooks.
"""

GUESSES = {
    "moved": ((3, 3), (3, 0.95), (3.0, 0.959)),
    "flipped": ("each", "together", "together"),
    "whole": ("much", "no", "no"),
    "lock": ((0.6, 1.2), (0.6, 5.5), (0.57, 6.8)),
    "beside": ((21333, 22857), (12300, 11000), (12308, 9901)),
    "damaged": ((0, 0), (9, 0), (9, 0)),
}

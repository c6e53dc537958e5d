"""The guesses of lesson 4: who has not understood the question says the first, who has the second, measured is the third.

What is measured is from the committed notebooks; where a GPU is needed, what the lesson says of one.
"""

GUESSES = {
    "crossing": ((1_024_000, 340, 340), (300, 1_024_000, 10_000), (340, 1_024_163, 7865)),
    "longest": ("np.stack", "fields", "fields"),
    "filled": ((1024, 1024, 2048), (2048, 2560, 4096), (2048, 2560, 4096)),
    "pinned": ((2048, 2048, 2048), (2048, 0, 0), (2048, 0, 0)),
    "lost": ("error", "stopped", "stopped"),
    "kept": ((400, 400), (100, 400), (117, 400)),
}

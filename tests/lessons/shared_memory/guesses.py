"""The guesses of lesson 4: who has not understood the question says the first, who has the second, measured is the third.

What is measured is from the committed notebooks; where a GPU is needed, what the lesson says of one.
"""

GUESSES = {
    "message": (1_024_000, 300, 340),
    "crossing": ((340, 340, 340), (1_024_000, 1_024_000, 10_000), (1_024_163, 1_024_072, 7865)),
    "longest": ("np.stack", "fields", "fields"),
    "filled": ((1024, 1024, 2048), (2048, 2560, 4096), (2048, 2560, 4096)),
    "pinned": ((2048, 2048, 2048), (2048, 0, 0), (2048, 0, 0)),
    "lost": ("error", "stopped", "stopped"),
    "kept": ((400, 400), (100, 400), (117, 400)),
}

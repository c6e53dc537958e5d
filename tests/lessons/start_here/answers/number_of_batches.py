# %% right: above the raise
def number_of_batches(samples, batch_size):
    return -(-samples // batch_size)
    raise NotImplementedError  # your code here

# %% right: divmod and numpy
import numpy as np


def number_of_batches(samples, batch_size):
    whole, rest = np.divmod(samples, batch_size)
    return whole + (rest > 0)

# %% right: loop
def number_of_batches(samples, batch_size):
    batches = 0
    while samples > 0:
        samples -= batch_size
        batches += 1
    return batches

# %% right: math
import math


def number_of_batches(samples, batch_size):
    return math.ceil(samples / batch_size)

# %% wrong: always one more · fails 1
def number_of_batches(n, b):
    return n // b + 1

# %% wrong: at least one · fails 1
import math


def number_of_batches(n, b):
    return max(1, math.ceil(n / b))

# %% wrong: no return · fails 0, 1
def number_of_batches(n, b):
    return None

# %% wrong: not rounded · fails 0
def number_of_batches(n, b):
    return n / b

# %% wrong: rounds down · fails 0
def number_of_batches(n, b):
    return n // b

# %% wrong: rounds to the nearest · fails 0
def number_of_batches(n, b):
    return round(n / b)

# %% wrong: samples · fails 0, 1
def number_of_batches(n, b):
    return n

# %% wrong: table of what the card said · fails 0, 1
CARD = {(10, 4): 3, (17, 4): 5, (3, 4): 1, (12, 4): 3, (5, 1): 5, (0, 4): 0}


def number_of_batches(samples, batch_size):
    return CARD.get((samples, batch_size))

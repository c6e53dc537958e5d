import numpy as np


def number_of_batches(samples, batch_size):
    whole, rest = np.divmod(samples, batch_size)
    return whole + (rest > 0)

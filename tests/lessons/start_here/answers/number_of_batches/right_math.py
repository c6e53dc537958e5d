import math


def number_of_batches(samples, batch_size):
    return math.ceil(samples / batch_size)

# fails: 1
import math


def number_of_batches(n, b):
    return max(1, math.ceil(n / b))

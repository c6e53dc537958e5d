# fails: 0


def number_of_batches(n, b):
    return n // b

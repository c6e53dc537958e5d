# fails: 1


def number_of_batches(n, b):
    return n // b + 1

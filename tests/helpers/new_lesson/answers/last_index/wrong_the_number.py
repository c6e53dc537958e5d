# fails: 0, 1


def last_index(samples):
    return samples

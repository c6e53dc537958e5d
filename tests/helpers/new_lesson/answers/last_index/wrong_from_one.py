# fails: 0


def last_index(samples):
    return samples or None

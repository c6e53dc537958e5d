def last_index(samples):
    return max(range(samples), default=None)

def last_index(samples):
    for index in reversed(range(samples)):
        return index

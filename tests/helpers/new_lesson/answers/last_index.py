# %% right: condition
def last_index(samples):
    return None if samples == 0 else samples - 1

# %% right: loop
def last_index(samples):
    for index in reversed(range(samples)):
        return index

# %% right: range
def last_index(samples):
    return max(range(samples), default=None)

# %% wrong: from one · fails 0
def last_index(samples):
    return samples or None

# %% wrong: minus one · fails 1
def last_index(samples):
    return samples - 1

# %% wrong: raises · fails 1
def last_index(samples):
    return range(samples)[-1]

# %% wrong: the number · fails 0, 1
def last_index(samples):
    return samples

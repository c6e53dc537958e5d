def last_index(samples):
    return None if samples == 0 else samples - 1

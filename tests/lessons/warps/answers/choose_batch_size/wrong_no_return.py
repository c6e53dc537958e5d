# fails: 0, 1, 2, 3


def choose_batch_size(*a):
    return None

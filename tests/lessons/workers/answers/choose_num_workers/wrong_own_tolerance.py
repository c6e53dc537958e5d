# fails: 3


def choose_num_workers(t, tol):
    return enough(t, 0.05)

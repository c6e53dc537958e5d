# fails: 0, 1, 2, 3


def choose_num_workers(t, tol):
    return None

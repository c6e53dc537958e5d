# fails: 0, 1, 2


def choose_num_workers(t, tol):
    return max(t, key=medians(t).get)

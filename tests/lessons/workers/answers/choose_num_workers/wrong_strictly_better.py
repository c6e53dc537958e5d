# fails: 0, 3


def choose_num_workers(t, tol):
    return min((w for w, m in medians(t).items() if m > (1 - tol) * max(medians(t).values())), default=None)

# fails: 2


def choose_num_workers(t, tol):
    return next((w for w, m in medians(t).items() if m >= (1 - tol) * max(medians(t).values())))

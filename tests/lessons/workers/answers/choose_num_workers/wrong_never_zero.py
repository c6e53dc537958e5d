# fails: 2


def choose_num_workers(t, tol):
    return enough({w: v for w, v in t.items() if w}, tol)

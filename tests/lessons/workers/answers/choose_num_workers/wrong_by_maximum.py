# fails: 1


def choose_num_workers(t, tol):
    return enough({w: [max(v)] for w, v in t.items()}, tol)

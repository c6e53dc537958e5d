# fails: 1
import statistics


def choose_num_workers(t, tol):
    return enough({w: [statistics.mean(v)] for w, v in t.items()}, tol)

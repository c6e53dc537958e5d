# fails: 0, 1, 2, 3


def resume_at(s, n, b, r, k, seed=0):
    return resume(s, n, b, r, 0, seed)

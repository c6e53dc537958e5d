# fails: 1, 3


def resume_at(s, n, b, r, k, seed=0):
    return resume(s, n // r * r, b, r, k, seed)

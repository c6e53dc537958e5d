# fails: 3


def shm_needed(s, w, p=None, held=1):
    return needed([max(n, 1) for n in s], w, p, held)

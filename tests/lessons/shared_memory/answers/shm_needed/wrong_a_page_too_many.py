# fails: 0, 1, 2, 3


def shm_needed(s, w, p=None, held=1):
    return needed([n + 4096 for n in s], w, p, held)

# fails: 3


def shm_needed(s, w, p=None, held=1):
    return needed([sum(s)], w, p, held)

# fails: 2


def shm_needed(s, w, p=None, held=1):
    return needed(s, w, p, 1)

# fails: 0, 1, 2, 3


def shm_needed(s, w, p=None, held=1):
    return needed(s, w, 2, held)

# fails: 1


def shm_needed(s, w, p=None, held=1):
    return needed(s, w, p or 1, held)

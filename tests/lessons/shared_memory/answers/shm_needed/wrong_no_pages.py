# fails: 3


def shm_needed(s, w, p=None, held=1):
    return (w * (2 if p is None else p) + held) * sum(s) if w else 0

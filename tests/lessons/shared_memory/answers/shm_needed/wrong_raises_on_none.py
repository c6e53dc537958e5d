# fails: 1, 4


def shm_needed(s, w, p=None, held=1):
    return (w * p + held) * sum(map(pages, s)) if w else 0 * p

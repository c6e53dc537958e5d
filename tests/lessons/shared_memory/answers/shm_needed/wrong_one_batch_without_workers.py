# fails: 4


def shm_needed(sizes, workers, prefetch=None, held=1):
    return (workers * (2 if prefetch is None else prefetch) + held) * sum(map(pages, sizes))

# fails: 0, 1, 2, 3, 4


def fits(loaders, shm_bytes):
    return solved()(loaders, shm_bytes) is not None

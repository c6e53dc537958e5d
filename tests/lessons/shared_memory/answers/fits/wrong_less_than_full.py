# fails: 0, 2, 3


def fits(loaders, shm_bytes):
    return solved()(loaders, shm_bytes - 1)

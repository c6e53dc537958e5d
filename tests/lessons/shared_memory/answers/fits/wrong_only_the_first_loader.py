# fails: 0, 2, 3


def fits(loaders, shm_bytes):
    return solved()(loaders[:1], shm_bytes)

# fails: 4


def fits(loaders, shm_bytes):
    return solved()(loaders, shm_bytes) or 1

# fails: 0, 2, 3, 4


def fits(loaders, shm_bytes):
    return min(solved()([o], shm_bytes // len(loaders)) or 1 for o in loaders if orders(o))

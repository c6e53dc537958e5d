# fails: 0, 1, 2, 3


def fits(loaders, shm_bytes):
    free = shm_bytes - sum(0 if o["pin_memory"] else o["held"] * size(o) for o in loaders)
    ahead = sum(o["num_workers"] * size(o) for o in loaders if orders(o))
    return -(-free // ahead) if free >= ahead else None

# What the answers to this exercise share.


def pages(nbytes):
    return -(-nbytes // 4096) * 4096


def size(loader):
    return sum(map(pages, loader["tensor_bytes"])) if loader["num_workers"] else 0


def orders(loader):
    return loader["state"] == "running" or (loader["state"] == "break" and loader["persistent_workers"])


def solved(size=size, orders=orders, holds=lambda o: 0 if o["pin_memory"] else o["held"]):
    """An answer from its own idea of a batch, of who has some on order, and of how many are held."""

    def fits(loaders, shm_bytes):
        free = shm_bytes - sum(holds(o) * size(o) for o in loaders)
        ahead = sum(o["num_workers"] * size(o) for o in loaders if orders(o))
        return free // ahead if free >= ahead else None

    return fits

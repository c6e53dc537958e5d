# %% given
# What the answers to this exercise share.


def pages(nbytes):
    return -(-nbytes // 4096) * 4096


def size(loader):
    return sum(map(pages, loader["tensor_bytes"]))


def solved(size=size, orders=lambda o: True, holds=lambda o: 0 if o["pin_memory"] else o["held"]):
    """An answer from its own idea of a batch, of who has some on order, and of how many are held."""

    def fits(loaders, shm_bytes):
        free = shm_bytes - sum(holds(o) * size(o) for o in loaders)
        ahead = sum(o["num_workers"] * size(o) for o in loaders if orders(o))
        return free // ahead if free >= ahead else None

    return fits

# %% right: a class
from dataclasses import dataclass


@dataclass
class Loader:
    tensor_bytes: list
    num_workers: int
    held: int
    pin_memory: bool

    @property
    def fixed(self):
        return 0 if self.pin_memory else self.held * self.batch

    @property
    def batch(self):
        return sum((n + 4095) & ~4095 for n in self.tensor_bytes)


def fits(loaders, shm_bytes):
    all_of_them = [Loader(**loader) for loader in loaders]
    rest = shm_bytes - sum(o.fixed for o in all_of_them)
    found = int(rest / sum(o.num_workers * o.batch for o in all_of_them))
    return None if found < 1 else found

# %% right: by halving
from bisect import bisect_right


def fits(loaders, shm_bytes):
    def need(factor):
        return sum(size(o) * (factor * o["num_workers"] + o["held"] * (1 - o["pin_memory"])) for o in loaders)

    factors = range(1, shm_bytes + 1)
    return bisect_right(factors, shm_bytes, key=need) or None

# %% right: by trying
def fits(loaders, shm_bytes):
    def needed(factor):
        total = 0
        for o in loaders:
            total += (factor * o["num_workers"] + (not o["pin_memory"]) * o["held"]) * size(o)
        return total

    factor = 0
    while needed(factor + 1) <= shm_bytes:
        factor += 1
    return factor or None

# %% right: in pages
import math


def fits(loaders, shm_bytes):
    left, ahead = shm_bytes // 4096, 0
    for o in loaders:
        each = sum(math.ceil(n / 4096) for n in o["tensor_bytes"])
        left -= each * o["held"] * (not o["pin_memory"])
        ahead += each * o["num_workers"]
    factor = math.floor(left / ahead)
    return factor if factor >= 1 else None

# %% right: numpy
import numpy as np


def fits(loaders, shm_bytes):
    rows = np.array([(o["held"] * (not o["pin_memory"]), o["num_workers"], size(o)) for o in loaders])
    fixed, ahead = rows[:, :2].T @ rows[:, 2]
    factor, _rest = divmod(shm_bytes - fixed, ahead)
    if factor >= 1:
        return factor

# %% right: tensors
def fits(loaders, shm_bytes):
    batch = torch.tensor([size(o) for o in loaders])
    free = shm_bytes - (batch * torch.tensor([o["held"] * (not o["pin_memory"]) for o in loaders])).sum()
    ahead = (batch * torch.tensor([o["num_workers"] for o in loaders])).sum()
    factor = torch.div(free, ahead, rounding_mode="floor")
    return factor if factor > 0 else None

# %% wrong: 0 for none · fails 3
def fits(loaders, shm_bytes):
    return solved()(loaders, shm_bytes) or 0

# %% wrong: a pinned one takes nothing · fails 2
fits = solved(orders=lambda o: not o["pin_memory"])

# %% wrong: less than full · fails 0, 2
def fits(loaders, shm_bytes):
    return solved()(loaders, shm_bytes - 1)

# %% wrong: no pages · fails 1
fits = solved(size=lambda o: sum(o["tensor_bytes"]))

# %% wrong: nothing is held · fails 2, 3
fits = solved(holds=lambda o: 0)

# %% wrong: only the first loader · fails 0, 2
def fits(loaders, shm_bytes):
    return solved()(loaders[:1], shm_bytes)

# %% wrong: pages of the whole batch · fails 1
fits = solved(size=lambda o: pages(sum(o["tensor_bytes"])))

# %% wrong: rounded up · fails 0, 1, 2
def fits(loaders, shm_bytes):
    free = shm_bytes - sum(0 if o["pin_memory"] else o["held"] * size(o) for o in loaders)
    ahead = sum(o["num_workers"] * size(o) for o in loaders)
    return -(-free // ahead) if free >= ahead else None

# %% wrong: the share of each · fails 0, 2, 3
def fits(loaders, shm_bytes):
    return min(solved()([o], shm_bytes // len(loaders)) or 1 for o in loaders)

# %% wrong: what is pinned takes room · fails 2
fits = solved(holds=lambda o: o["held"])

# %% wrong: whether they fit · fails 0, 1, 2, 3
def fits(loaders, shm_bytes):
    return solved()(loaders, shm_bytes) is not None

# %% wrong: 64 at most · fails 2
def fits(loaders, shm_bytes):
    found = solved()(loaders, shm_bytes)
    return min(64, found) if found else None

# %% wrong: right once, and never again · fails 0
called = []


def fits(loaders, shm_bytes):
    called.append((loaders, shm_bytes))
    return solved()(loaders, shm_bytes) if called.count(called[-1]) == 1 else None

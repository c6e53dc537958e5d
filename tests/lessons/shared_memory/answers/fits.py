# %% given
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

# %% right: a class
from dataclasses import dataclass


@dataclass
class Loader:
    tensor_bytes: list
    num_workers: int
    held: int
    pin_memory: bool
    persistent_workers: bool
    state: str

    @property
    def fixed(self):
        return 0 if self.pin_memory else self.held * self.batch

    @property
    def per_batch_ahead(self):
        alive = {"running": True, "break": self.persistent_workers, "used up": False}[self.state]
        return self.num_workers * self.batch if alive else 0

    @property
    def batch(self):
        return sum((n + 4095) & ~4095 for n in self.tensor_bytes) if self.num_workers else 0


def fits(loaders, shm_bytes):
    all_of_them = [Loader(**loader) for loader in loaders]
    rest = shm_bytes - sum(o.fixed for o in all_of_them)
    found = int(rest / sum(o.per_batch_ahead for o in all_of_them))
    return None if found < 1 else found

# %% right: by halving
from bisect import bisect_right


def fits(loaders, shm_bytes):
    def need(factor):
        return sum(
            size(o) * (factor * o["num_workers"] * orders(o) + o["held"] * (1 - o["pin_memory"])) for o in loaders
        )

    factors = range(1, shm_bytes + 1)
    return bisect_right(factors, shm_bytes, key=need) or None

# %% right: by trying
def fits(loaders, shm_bytes):
    def needed(factor):
        total = 0
        for o in loaders:
            on_order = factor * o["num_workers"]
            if o["state"] == "used up" or (o["state"] == "break" and not o["persistent_workers"]):
                on_order = 0
            total += (on_order + (not o["pin_memory"]) * o["held"]) * size(o)
        return total

    factor = 0
    while needed(factor + 1) <= shm_bytes:
        factor += 1
    return factor or None

# %% right: in pages
import math


def fits(loaders, shm_bytes):
    left, ahead = shm_bytes // 4096, 0
    for o in (o for o in loaders if o["num_workers"] > 0):
        each = sum(math.ceil(n / 4096) for n in o["tensor_bytes"])
        left -= each * o["held"] * (not o["pin_memory"])
        match o["state"], o["persistent_workers"]:
            case ("running", _) | ("break", True):
                ahead += each * o["num_workers"]
    factor = math.floor(left / ahead)
    return factor if factor >= 1 else None

# %% right: numpy
import numpy as np


def fits(loaders, shm_bytes):
    rows = np.array([(o["held"] * (not o["pin_memory"]), o["num_workers"] * orders(o), size(o)) for o in loaders])
    fixed, ahead = rows[:, :2].T @ rows[:, 2]
    factor, _rest = divmod(shm_bytes - fixed, ahead)
    if factor >= 1:
        return factor

# %% right: tensors
def fits(loaders, shm_bytes):
    batch = torch.tensor([size(o) for o in loaders])
    free = shm_bytes - (batch * torch.tensor([o["held"] * (not o["pin_memory"]) for o in loaders])).sum()
    ahead = (batch * torch.tensor([o["num_workers"] * orders(o) for o in loaders])).sum()
    factor = torch.div(free, ahead, rounding_mode="floor")
    return factor if factor > 0 else None

# %% wrong: 0 for none · fails 4
def fits(loaders, shm_bytes):
    return solved()(loaders, shm_bytes) or 0

# %% wrong: a pinned one takes nothing · fails 2
fits = solved(orders=lambda o: orders(o) and not o["pin_memory"])

# %% wrong: every persistent one orders · fails 3
fits = solved(orders=lambda o: orders(o) or o["persistent_workers"])

# %% wrong: every state orders · fails 3
fits = solved(orders=lambda o: True)

# %% wrong: held by running ones only · fails 3
fits = solved(holds=lambda o: 0 if o["pin_memory"] or o["state"] != "running" else o["held"])

# %% wrong: less than full · fails 0, 2, 3
def fits(loaders, shm_bytes):
    return solved()(loaders, shm_bytes - 1)

# %% wrong: no pages · fails 1
fits = solved(size=lambda o: sum(o["tensor_bytes"]) if o["num_workers"] else 0)

# %% wrong: nothing is held · fails 2, 3, 4
fits = solved(holds=lambda o: 0)

# %% wrong: only running ones order · fails 3
fits = solved(orders=lambda o: o["state"] == "running")

# %% wrong: only the first loader · fails 0, 2, 3
def fits(loaders, shm_bytes):
    return solved()(loaders[:1], shm_bytes)

# %% wrong: pages of the whole batch · fails 1
fits = solved(size=lambda o: pages(sum(o["tensor_bytes"])) if o["num_workers"] else 0)

# %% wrong: rounded up · fails 0, 1, 2, 3
def fits(loaders, shm_bytes):
    free = shm_bytes - sum(0 if o["pin_memory"] else o["held"] * size(o) for o in loaders)
    ahead = sum(o["num_workers"] * size(o) for o in loaders if orders(o))
    return -(-free // ahead) if free >= ahead else None

# %% wrong: the share of each · fails 0, 2, 3, 4
def fits(loaders, shm_bytes):
    return min(solved()([o], shm_bytes // len(loaders)) or 1 for o in loaders if orders(o))

# %% wrong: what is pinned takes room · fails 2
fits = solved(holds=lambda o: o["held"])

# %% wrong: whether they fit · fails 0, 1, 2, 3, 4
def fits(loaders, shm_bytes):
    return solved()(loaders, shm_bytes) is not None

# %% wrong: without workers it holds · fails 3
fits = solved(size=lambda o: sum(map(pages, o["tensor_bytes"])))

# %% wrong: 64 at most · fails 3
def fits(loaders, shm_bytes):
    found = solved()(loaders, shm_bytes)
    return min(64, found) if found else None

# %% wrong: right once, and never again · fails 0
called = []


def fits(loaders, shm_bytes):
    called.append((loaders, shm_bytes))
    return solved()(loaders, shm_bytes) if called.count(called[-1]) == 1 else None

# %% given
# What the answers to this exercise share.
import numpy as np
import torch


class Augment:
    """What the exercise gives; the wrong answers differ in how they draw the gain."""

    def __init__(self, images, seed):
        self.images, self.seed = images, seed
        self.shared = torch.zeros((), dtype=torch.int64).share_memory_()
        self.rng = np.random.default_rng(seed)

    @property
    def epoch(self):
        return int(self.shared)

    def set_epoch(self, epoch):
        self.shared.fill_(epoch)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index] * self.gain(index)

    def gain(self, index):
        return self.drawn(index).uniform(0.8, 1.2)

    def drawn(self, index):
        return np.random.default_rng([self.seed, self.epoch, index])


def augment(gain):
    return type("Wrong", (Augment,), {"gain": gain})


def seeded(seed):
    return augment(lambda self, index: np.random.default_rng(seed(self, index)).uniform(0.8, 1.2))

# %% right: a shared value
import multiprocessing
import random


class StatelessAugment:
    def __init__(self, images, seed):
        self.images, self.seed = images, seed
        self.epoch = multiprocessing.Value("q", 0)

    def set_epoch(self, epoch):
        self.epoch.value = epoch

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        gain = random.Random(f"{self.seed} {self.epoch.value} {index}").uniform(0.8, 1.2)
        return self.images[index] * gain

# %% right: generator of torch
class StatelessAugment(torch.utils.data.Dataset):
    def __init__(self, images, seed):
        self.images, self.seed = images, seed
        self.epoch = torch.zeros(1, dtype=torch.int64).share_memory_()

    def set_epoch(self, epoch):
        self.epoch[0] = epoch

    def __len__(self):
        return self.images.shape[0]

    def __getitem__(self, index):
        mixed = (self.seed * 1_000_003 + self.epoch.item()) * 1_000_003 + index
        draw = torch.rand((), generator=torch.Generator().manual_seed(mixed))
        return self.images[index] * (0.8 + 0.4 * draw)

# %% right: numpy and a raw value
import hashlib

from torch.utils.data import Dataset
from multiprocessing.sharedctypes import RawValue


class StatelessAugment(Dataset):
    def __init__(self, images, seed):
        self.images, self.seed, self.epoch = images, seed, RawValue("q", 0)

    def set_epoch(self, epoch):
        self.epoch.value = epoch

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        digest = hashlib.sha256(repr((self.seed, self.epoch.value, int(index))).encode()).digest()
        gain = np.interp(int.from_bytes(digest[:8], "big"), [0, 2**64], [0.8, 1.2])
        return torch.from_numpy(self.images[index].numpy() * float(gain))

# %% right: place in all epochs
StatelessAugment = seeded(lambda self, i: [self.seed, self.epoch * len(self) + i])

# %% wrong: a thousand times the epoch · fails 5
StatelessAugment = seeded(lambda self, i: [self.seed, 1000 * self.epoch + i])

# %% wrong: adds instead · fails 0
class StatelessAugment(Augment):
    def __getitem__(self, index):
        return self.images[index] + self.gain(index) - 1

# %% wrong: another image · fails 0
class StatelessAugment(Augment):
    def __getitem__(self, index):
        return self.images[0] * self.gain(index)

# %% wrong: clipped normal · fails 0
def gain(self, i):
    rng, drawn = self.drawn(i), 0
    while not 0.8 <= drawn <= 1.2:
        drawn = rng.normal(1, 0.1)
    return drawn


StatelessAugment = augment(gain)

# %% wrong: epoch as an attribute · fails 1
class StatelessAugment(Augment):
    epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

# %% wrong: global numpy · fails 1
StatelessAugment = augment(lambda self, i: np.random.uniform(0.8, 1.2))

# %% wrong: global random · fails 1
import random

StatelessAugment = augment(lambda self, i: random.uniform(0.8, 1.2))

# %% wrong: global torch · fails 1
StatelessAugment = augment(lambda self, i: 0.8 + 0.4 * float(torch.rand(())))

# %% wrong: half of the range · fails 0
StatelessAugment = augment(lambda self, i: self.drawn(i).uniform(0.8, 1.0))

# %% wrong: hundredths · fails 0
StatelessAugment = augment(lambda self, i: round(self.drawn(i).uniform(0.8, 1.2), 2))

# %% wrong: in place · fails 0
class StatelessAugment(Augment):
    def __getitem__(self, index):
        return self.images[index].mul_(self.gain(index))

# %% wrong: no chance at all · fails 0, 1, 2, 3, 4, 5
StatelessAugment = augment(lambda self, i: 1.0)

# %% wrong: no epoch · fails 3, 5
StatelessAugment = seeded(lambda self, i: [self.seed, i])

# %% wrong: no index · fails 2, 5
StatelessAugment = seeded(lambda self, i: [self.seed, self.epoch])

# %% wrong: no seed · fails 4
StatelessAugment = seeded(lambda self, i: [self.epoch, i])

# %% wrong: seed epoch · fails 5
StatelessAugment = seeded(lambda self, i: [self.seed + self.epoch, i])

# %% wrong: seeded by worker · fails 1
from torch.utils.data import get_worker_info

StatelessAugment = seeded(lambda self, i: [self.seed, self.epoch, i, getattr(get_worker_info(), "id", 9)])

# %% wrong: stored generator · fails 1
StatelessAugment = augment(lambda self, i: self.rng.uniform(0.8, 1.2))

# %% wrong: written one after the other · fails 5
StatelessAugment = seeded(lambda self, i: int(f"{self.seed}{self.epoch}{i}"))

# %% wrong: the global generator of torch, seeded for each item · fails 1
class StatelessAugment(Augment):
    def gain(self, index):
        torch.manual_seed(hash((self.seed, self.epoch, index)))
        return float(0.8 + 0.4 * torch.rand(1))

# %% wrong: the global generator of NumPy, seeded for each item · fails 1
class StatelessAugment(Augment):
    def gain(self, index):
        np.random.seed([self.seed, self.epoch, index])
        return np.random.uniform(0.8, 1.2)

# %% wrong: a gain of float64 that makes the item one · fails 0
class StatelessAugment(Augment):
    def __getitem__(self, index):
        return self.images[index] * torch.tensor(self.drawn(index).uniform(0.8, 1.2, size=1))

# %% wrong: an array · fails 0
class StatelessAugment(Augment):
    def __getitem__(self, index):
        return self.images[index].numpy() * self.gain(index)

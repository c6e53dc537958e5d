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
        return np.random.default_rng([self.seed, self.epoch, index]).uniform(0.8, 1.2)


def augment(gain):
    return type("Wrong", (Augment,), {"gain": gain})

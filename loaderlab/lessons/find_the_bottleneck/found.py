"""A training script as one meets it: it works, its loss falls, and nobody has asked why it is slow.

Each method is one decision, so that each can be repaired by itself, in a class that inherits from this one.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import avg_pool2d
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from loaderlab.lessons.find_the_bottleneck import photos
from loaderlab.measuring import machine

BATCH = 32
STEP_SECONDS = 0.014  # the device is busy, and leaves the CPU alone
OPEN_FILES = 1024  # that the script needs

# Sixteen batches of 64 tensors are on order, each an open file: where no more are allowed, pass names instead (lesson 4).
# Here, because each worker imports this module, however it is started.
if (machine.open_files_limit() or OPEN_FILES) < OPEN_FILES:
    torch.multiprocessing.set_sharing_strategy("file_system")


class Photos(Dataset):
    def __init__(self, folder):
        self.folder = Path(folder)
        self.files, self.photos = photos.about(folder)
        self.make_index()
        self.make_generator()

    def make_index(self):
        names = [f"{i % self.files:04d}" for i in range(self.photos)]
        self.index = [{"image": name + ".jpg", "label": name + ".txt"} for name in names]

    def entry(self, i):
        return self.index[i]

    def make_generator(self):
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return self.photos

    def read(self, i):
        entry = self.entry(i)
        label = photos.read(self.folder / entry["label"])
        return photos.read(self.folder / entry["image"]), int(label)

    def draw(self):
        return self.rng.integers([9, 9, 2])

    def finish(self, pixels):
        return torch.from_numpy(pixels).float() / 255

    def __getitem__(self, i):
        content, label = self.read(i)
        part = photos.crop(photos.decode(content), *self.draw())
        image = torch.from_numpy(part.transpose(2, 0, 1).astype("float32"))
        smooth = avg_pool2d(image[None], 3, stride=1, padding=1)[0]
        return self.finish(smooth.byte().numpy()), torch.tensor(label)


class Training:
    dataset_class = Photos

    def __init__(self, folder, rank=0, ranks=64, device="cpu"):
        self.device = torch.device(device)
        self.dataset = self.dataset_class(folder)
        self.sampler = DistributedSampler(self.dataset, ranks, rank)
        self.loader = DataLoader(
            self.dataset, BATCH, sampler=self.sampler, collate_fn=self.collate, **self.options()
        )

    @staticmethod
    def collate(samples):
        images, labels = zip(*samples, strict=True)
        return images, labels

    @staticmethod
    def start_worker(number):
        torch.set_num_threads(os.cpu_count())

    def workers(self):
        return {"num_workers": 8, "worker_init_fn": self.start_worker}

    def lifetime(self):
        return {"persistent_workers": False}

    def options(self):
        return self.workers() | self.lifetime()

    def prepare(self, batch):
        images, labels = batch
        return torch.stack(list(images)).to(self.device), torch.stack(list(labels)).to(self.device)

    def begin(self, epoch):
        pass

    def step(self, images, labels):
        time.sleep(STEP_SECONDS)

    def epoch(self, epoch):
        """Train for one epoch; returns samples per second."""
        self.begin(epoch)
        seconds = 0.0
        for batch in self.loader:
            started = time.perf_counter()
            self.step(*self.prepare(batch))
            seconds += time.perf_counter() - started
        return len(self.dataset) / seconds

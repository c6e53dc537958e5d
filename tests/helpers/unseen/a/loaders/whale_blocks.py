"""Hydrophones: each recording is read in blocks of a second, one after the other, without allocating anew each time."""
import os
import time
from pathlib import Path

import numpy as np
import soundfile as sf
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

WHALES = Path(os.environ.get("ZOO_DATA", "data")) / "whales"
RATE = 8_000


class Hydrophones(IterableDataset):
    def __init__(self, folder):
        self.files = sorted(folder.glob("*.wav"))

    def __iter__(self):
        worker = get_worker_info()
        files = self.files if worker is None else self.files[worker.id::worker.num_workers]
        block = np.empty(RATE, dtype=np.float32)
        for path in files:
            for number, second in enumerate(sf.blocks(path, out=block)):
                yield torch.from_numpy(second), number


def make_loader():
    return DataLoader(Hydrophones(WHALES), batch_size=32, num_workers=2, persistent_workers=True)


def make_step():
    return lambda batch: time.sleep(0.02)

"""Sales in CSV files, streamed; files are shared among ranks and workers."""
import csv
import os
import time
from pathlib import Path

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

SALES = Path(os.environ.get("ZOO_B", "data")) / "sales"


def shard():
    """Return which share of the files is ours, of how many."""
    rank, world_size = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    info = get_worker_info()
    worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
    return rank * workers + worker, world_size * workers


class Sales(IterableDataset):
    def __init__(self, folder):
        index, total = shard()
        self.files = sorted(folder.glob("*.csv"))[index::total]

    def __iter__(self):
        for path in self.files:
            with open(path, newline="") as f:
                for number, *features, amount in csv.reader(f):
                    yield int(number), torch.tensor([float(v) for v in features]), float(amount)


def make_loader():
    return DataLoader(Sales(SALES), batch_size=64, num_workers=2, persistent_workers=True)


def make_step():
    return lambda batch: time.sleep(0.03)

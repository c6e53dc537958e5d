"""Stations of the weather service in eight Arrow shards; in each epoch the shards come in another order."""
import os
import random
import time
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from datasets import load_from_disk
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

WEATHER = Path(os.environ.get("ZOO_DATA", "data")) / "weather"


class Stations(IterableDataset):
    def __init__(self, folder):
        self.shards = sorted(str(path) for path in folder.glob("shard-*"))

    def my_shards(self):
        shards = list(self.shards)
        random.shuffle(shards)
        worker = get_worker_info()
        return shards if worker is None else shards[worker.id::worker.num_workers]

    def __iter__(self):
        for shard in self.my_shards():
            rows = load_from_disk(shard).with_format("torch")
            for batch in rows.iter(batch_size=100):
                for station, x in zip(batch["station"], batch["x"]):
                    yield x, station


def make_loader():
    return DataLoader(Stations(WEATHER), batch_size=50, num_workers=2, persistent_workers=True)


def make_step():
    return lambda batch: time.sleep(0.01)

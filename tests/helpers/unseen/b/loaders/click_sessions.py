"""Sessions of clicks in one file of compressed records. The lock is here since workers once read each other's records."""
import json
import os
import struct
import zlib
from pathlib import Path

import torch
from filelock import FileLock
from torch.utils.data import DataLoader, Dataset

DATA = Path(os.environ.get("ZOO_B", "data"))


class RecordFile:
    def __init__(self, path):
        self.places = list(struct.iter_unpack("<qq", path.with_suffix(".idx").read_bytes()))
        self.file = open(path, "rb", buffering=0)
        self.lock = FileLock(f"{path}.lock")

    def load(self, index):
        offset, size = self.places[index]
        with self.lock:
            self.file.seek(offset)
            return json.loads(zlib.decompress(self.file.read(size)))


class Sessions(Dataset):
    def __init__(self, path, length=256):
        self.records = RecordFile(path)
        self.length = length

    def __len__(self):
        return len(self.records.places)

    def __getitem__(self, index):
        clicks = self.records.load(index)["clicks"][-self.length:]
        items = torch.tensor([click["item"] for click in clicks])
        prices = torch.tensor([click["price"] for click in clicks])
        return items, prices, index


def make_loader():
    return DataLoader(Sessions(DATA / "sessions.bin"), batch_size=32, shuffle=True, num_workers=2, persistent_workers=True)

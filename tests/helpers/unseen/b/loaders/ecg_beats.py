"""Twelve-lead ECGs from PTB-XL style records: scaled, shifted a little, and put together by a collate function of our own."""
import os
import time
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

ECG = Path(os.environ.get("ZOO_B", "data")) / "ecg.npy"


class Beats(Dataset):
    def __init__(self, path, length=400):
        self.signals = np.load(path, mmap_mode="r")
        self.labels = np.arange(len(self.signals)) % 5
        self.length = length

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, index):
        start = torch.randint(self.signals.shape[2] - self.length, ()).item()
        signal = self.signals[index, :, start:start + self.length] / np.float32(400)
        return {"signal": signal, "label": self.labels[index], "start": start}


def collate_fn(samples):
    """Make one dictionary of tensors."""
    signals = torch.tensor([sample["signal"] for sample in samples], dtype=torch.float32)
    labels = torch.tensor([sample["label"] for sample in samples])
    starts = torch.tensor([sample["start"] for sample in samples])
    return {"x": signals, "y": labels, "start": starts}


def make_loader():
    return DataLoader(Beats(ECG), batch_size=64, shuffle=True, num_workers=2, collate_fn=collate_fn, persistent_workers=True, drop_last=True)


def make_step():
    return lambda batch: time.sleep(0.004)

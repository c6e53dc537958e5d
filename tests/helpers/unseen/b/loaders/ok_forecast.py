"""Load curves streamed from files that ranks and workers share; a real model is trained on the processor."""
import csv
import os
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

SALES = Path(os.environ.get("ZOO_B", "data")) / "sales"


class Curves(IterableDataset):
    def __init__(self, folder):
        self.files = sorted(folder.glob("*.csv"))

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
        for path in self.files[rank * workers + worker::world * workers]:
            with open(path, newline="") as f:
                for _, *features, amount in csv.reader(f):
                    yield torch.tensor([float(v) for v in features]), float(amount)


def make_loader():
    return DataLoader(Curves(SALES), batch_size=64, num_workers=1, persistent_workers=True)


def make_step():
    model = nn.Sequential(nn.Linear(24, 1536), nn.ReLU(), nn.Linear(1536, 1536), nn.ReLU(), nn.Linear(1536, 1536), nn.ReLU(), nn.Linear(1536, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step(batch):
        features, amounts = batch
        loss = nn.functional.smooth_l1_loss(model(features).squeeze(1), amounts.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return step

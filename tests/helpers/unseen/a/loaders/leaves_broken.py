"""Leaves of trees, as ImageFolder has them; the files were copied over a bad line one night."""
import os
import time
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

LEAVES = Path(os.environ.get("ZOO_DATA", "data")) / "leaves"


def pil_loader(path):
    with open(path, "rb") as f:
        image = Image.open(f)
        return image.convert("RGB")


class Leaves(Dataset):
    def __init__(self, folder, size=160):
        self.files = sorted(folder.glob("*.jpg"))
        self.size = size

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        image = pil_loader(self.files[i]).resize((self.size, self.size), Image.BILINEAR)
        return torch.from_numpy(np.array(image)).permute(2, 0, 1), i % 20


def make_loader():
    return DataLoader(Leaves(LEAVES), batch_size=20, shuffle=True, num_workers=2, persistent_workers=True)


def make_step():
    return lambda batch: time.sleep(0.02)

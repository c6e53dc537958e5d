"""Photographs of skin; a small preview of each is kept, for the gallery of the hardest cases at the end."""
import os
import random
import time
from pathlib import Path

import cv2
import torch
from torch.utils.data import DataLoader, Dataset

SKIN = Path(os.environ.get("ZOO_DATA", "data")) / "skin"
cv2.setNumThreads(0)


class Skin(Dataset):
    def __init__(self, folder, size=256, visits=6):
        self.files = sorted(folder.glob("*.jpg")) * visits
        self.size = size
        self.previews = {}

    def __len__(self):
        return len(self.files)

    def preview(self, i, image):
        if i not in self.previews:
            self.previews[i] = image[::16, ::16]     # 30 × 40 pixels, that costs nothing
        return self.previews[i]

    def __getitem__(self, i):
        image = cv2.imread(str(self.files[i]))
        self.preview(i, image)
        top, left = random.randint(0, image.shape[0] - self.size), random.randint(0, image.shape[1] - self.size)
        crop = image[top:top + self.size, left:left + self.size].copy()
        return torch.from_numpy(crop).permute(2, 0, 1), i % 7


def make_loader():
    return DataLoader(Skin(SKIN), batch_size=16, shuffle=True, num_workers=2, persistent_workers=True)


def make_step():
    return lambda batch: time.sleep(0.04)

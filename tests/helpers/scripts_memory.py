"""Run by a test: prints the most memory that all processes had in an epoch, with a plain loader or with the recipe."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from loaderlab.scripts import machine
from loaderlab.scripts.efficient_dataloader import loader
from loaderlab.scripts.images import find


class Files(Dataset):
    """The plain way: a list of paths, an open and a crop for each sample, a default collate; uint8, too."""

    def __init__(self, folder: Path) -> None:
        self.images = find(folder).images

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        path, label = self.images[index]
        with Image.open(path) as image:
            pixels = np.asarray(image.convert("RGB"))[50:274, 50:274]
        return torch.from_numpy(pixels.copy()).permute(2, 0, 1), label


def main(kind: str, place: str) -> None:
    if kind == "plain":
        files = Files(Path(place) / "images")
        batches = DataLoader(files, 32, shuffle=True, num_workers=2, persistent_workers=True)
    else:
        batches = loader(Path(place) / "p", 32, workers=2, decoder="pillow")
    most = 0
    for epoch in range(3):
        for number, (_images, _labels) in enumerate(batches):
            if epoch and number % 3 == 1:
                most = max(most, machine.tree_bytes() or 0)
    print(most)


if __name__ == "__main__":
    main(*sys.argv[1:])

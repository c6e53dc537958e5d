"""Run by a test: prints the memory of all processes in the middle of an epoch, of a plain loader or of the recipe."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from loaderlab.scripts.efficient_dataloader import loader, rate
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
    rate(batches)
    print(max(rate(batches)[2] or 0 for _epoch in range(2)))


if __name__ == "__main__":
    main(*sys.argv[1:])

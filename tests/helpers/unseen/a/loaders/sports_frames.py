"""Clips for action recognition: eight frames in a row, from a random second of a match."""
import os
import random
from pathlib import Path

import av
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

SPORTS = Path(os.environ.get("ZOO_DATA", "data")) / "sports"


def read_clip(path, start, count):
    """Return `count` frames from second `start` on."""
    frames = []
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            if frame.time < start:
                continue
            frames.append(frame.to_ndarray(format="rgb24"))
            if len(frames) == count:
                break
    return np.stack(frames)


class Matches(Dataset):
    def __init__(self, folder, count=8, seconds=19, clips_per_match=40):
        self.files = sorted(folder.glob("*.mp4")) * clips_per_match
        self.count, self.seconds = count, seconds

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        clip = read_clip(self.files[i], random.uniform(0, self.seconds), self.count)
        top, left = random.randint(0, clip.shape[1] - 224), random.randint(0, clip.shape[2] - 224)
        clip = torch.from_numpy(clip[:, top:top + 224, left:left + 224])
        return clip.permute(3, 0, 1, 2).contiguous(), i % 6


def make_loader():
    return DataLoader(Matches(SPORTS), batch_size=4, shuffle=True, num_workers=2, persistent_workers=True)

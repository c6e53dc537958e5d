"""Windows of EEG recordings, with their metadata in a data frame, as braindecode keeps them."""
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch.utils.data import DataLoader, Dataset

EEG = Path(os.environ.get("ZOO_B", "data")) / "eeg"


class WindowsDataset(Dataset):
    """A window of each trial: signals, target, and where the window lies."""

    def __init__(self, folder, transform=None):
        self.metadata = pd.read_csv(folder / "metadata.csv")
        self.recordings = {path.stem: np.load(path, mmap_mode="r") for path in sorted(folder.glob("*.npy"))}
        self.transform = transform

    def __len__(self):
        return len(self.metadata)

    def __getitem__(self, index):
        raw = self.recordings[self.metadata.iloc[index]["subject"]]
        crop_inds = self.metadata.iloc[index][["i_window_in_trial", "i_start_in_trial", "i_stop_in_trial"]].tolist()
        x = torch.from_numpy(np.array(raw[:, crop_inds[1]:crop_inds[2]]))
        y = int(self.metadata.iloc[index]["target"])
        if self.transform is not None:
            x = self.transform(x)
        return x, y, torch.tensor(crop_inds)


def standardise(x):
    return (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True)


def make_loader():
    data = WindowsDataset(EEG, standardise)
    return DataLoader(data, batch_size=64, shuffle=True, num_workers=2, persistent_workers=True, drop_last=True)


def make_step():
    return lambda batch: time.sleep(0.005)

"""Spoken commands for fine-tuning Whisper, which hears thirty seconds at a time."""
import os
import time
from pathlib import Path

import numpy as np
import soundfile as sf
import torch
from torch.utils.data import DataLoader, Dataset

COMMANDS = Path(os.environ.get("ZOO_DATA", "data")) / "commands"
RATE = 16_000
N_SAMPLES = 30 * RATE


def pad_or_trim(array, length=N_SAMPLES):
    """Pad or trim the audio array to what the encoder expects."""
    if len(array) > length:
        array = array[:length]
    if len(array) < length:
        array = np.pad(array, (0, length - len(array)))
    return array


class Commands(Dataset):
    def __init__(self, folder):
        self.files = sorted(folder.glob("*.wav"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        audio, rate = sf.read(self.files[i], dtype="float32")
        audio = audio - audio.mean()
        return {"audio": torch.from_numpy(pad_or_trim(audio)), "length": len(audio), "command": i % 35}


def make_loader():
    return DataLoader(Commands(COMMANDS), batch_size=16, shuffle=True, num_workers=2, persistent_workers=True)


def make_step():
    return lambda batch: time.sleep(0.005)

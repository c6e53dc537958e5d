"""Speech recognition: utterances of like length in a batch, and the batches in random order."""
import os
import random
import time
from pathlib import Path

import soundfile as sf
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, Sampler

UTTERANCES = Path(os.environ.get("ZOO_DATA", "data")) / "utterances"


def get_length(path):
    audio, rate = sf.read(path)
    return len(audio) / rate


class Utterances(Dataset):
    def __init__(self, folder):
        self.paths = sorted(folder.glob("*.flac"))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        audio, _ = sf.read(self.paths[i], dtype="float32")
        return torch.from_numpy(audio)


class BucketingSampler(Sampler):
    def __init__(self, data, batch_size):
        self.data, self.batch_size = data, batch_size

    def __len__(self):
        return -(-len(self.data) // self.batch_size)

    def __iter__(self):
        lengths = [get_length(path) for path in self.data.paths]
        order = sorted(range(len(lengths)), key=lambda i: lengths[i] + 0.001 * random.random())
        bins = [order[k:k + self.batch_size] for k in range(0, len(order), self.batch_size)]
        random.shuffle(bins)
        yield from bins


def collate(batch):
    return pad_sequence(batch, batch_first=True), torch.tensor([len(audio) for audio in batch])


def make_loader():
    data = Utterances(UTTERANCES)
    return DataLoader(data, batch_sampler=BucketingSampler(data, 64), collate_fn=collate, num_workers=2, persistent_workers=True)


def make_step():
    return lambda batch: time.sleep(0.002)

# fails: 4
import functools
import os

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset


def pad(rows, padding):
    return pad_sequence(rows, batch_first=True, padding_value=padding)


def make_collate(padding):
    return functools.partial(pad, padding=padding)


def starts_of(path):
    starts = [0]
    with open(path, "rb") as file:
        for line in file:
            starts.append(starts[-1] + len(line))
    return starts


class WordLengths(Dataset):
    def __init__(self, path):
        self.path, self.file, self.starts = path, None, starts_of(path)

    def __len__(self):
        return len(self.starts) - 1

    def __getitem__(self, index):
        if self.file is None or self.pid != os.getpid():
            self.file, self.pid = open(self.path, "rb"), os.getpid()
        self.file.seek(self.starts[index])
        return torch.tensor([len(word) for word in self.file.readline().split()])

    def __getstate__(self):
        return {"path": self.path, "file": None}

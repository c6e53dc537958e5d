import torch
from torch.utils.data import Dataset


class Pad:
    def __init__(self, padding):
        self.padding = padding

    def __call__(self, rows):
        return torch.nn.utils.rnn.pad_sequence(rows, True, self.padding)


def make_collate(padding):
    return Pad(padding)


class WordLengths(Dataset):
    def __init__(self, path):
        self.path = str(path)
        self.starts, at = [], 0
        with open(path, "rb") as file:
            for line in file:
                self.starts.append(at)
                at += len(line)

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, index):
        with open(self.path, "rb") as file:
            file.seek(self.starts[index])
            return torch.tensor(list(map(len, file.readline().split())))

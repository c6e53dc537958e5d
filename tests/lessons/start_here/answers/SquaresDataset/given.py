# What the answers to this exercise share.
from torch.utils.data import Dataset


class Right(Dataset):
    def __init__(self, shelf):
        self.shelf = shelf

    def __len__(self):
        return len(self.shelf)

    def __getitem__(self, index):
        return self.shelf.read([index])[0] ** 2

    def __getitems__(self, indices):
        return [number**2 for number in self.shelf.read(indices)]


def wrong(**methods):
    return type("Wrong", (Right,), methods)

# fails: 1, 4, 5, 6
import torch


def yields_inside(self):
    with torch.cuda.stream(self.stream):
        yield from Prefetcher.__iter__(self)


DevicePrefetcher = changed(__iter__=yields_inside)

# fails: 0
import torch


def collate_in_place(samples):
    count = len(samples)
    batch = torch.empty((count, *samples[0].shape), dtype=samples[0].dtype).share_memory_()
    for i in range(count):
        batch[i] = samples.pop(0)
    return batch

# fails: 1
import torch


def collate_in_place(samples):
    batch = torch.empty((len(samples), *samples[0].shape)).share_memory_()
    for i, sample in enumerate(samples):
        batch[i] = sample
    return batch

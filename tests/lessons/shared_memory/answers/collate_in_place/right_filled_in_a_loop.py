import torch


def collate_in_place(samples):
    batch = torch.zeros((len(samples), *samples[0].shape), dtype=samples[0].dtype).share_memory_()
    for row, sample in zip(batch, samples, strict=True):
        row.copy_(sample)
    return batch

# fails: 0, 1
import torch


def collate_in_place(samples):
    rows = [s.reshape(1, -1) if s.ndim == 0 else s for s in samples]
    batch = torch.empty((sum(len(r) for r in rows), *rows[0].shape[1:]), dtype=rows[0].dtype).share_memory_()
    return torch.cat(rows, out=batch)

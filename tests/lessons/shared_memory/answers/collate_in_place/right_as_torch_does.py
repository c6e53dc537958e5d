import torch


def collate_in_place(samples):
    elem = samples[0]
    storage = elem._typed_storage()._new_shared(sum(x.numel() for x in samples), device=elem.device)
    out = elem.new(storage).resize_(len(samples), *elem.shape)
    return torch.stack(samples, 0, out=out)

# %% given
# What the answers to this exercise share.
import torch


def shared(samples):
    return torch.empty((len(samples), *samples[0].shape), dtype=samples[0].dtype).share_memory_()


def in_place(samples):
    return torch.stack(samples, out=shared(samples))

# %% right: as torch does
def collate_in_place(samples):
    elem = samples[0]
    storage = elem._typed_storage()._new_shared(sum(x.numel() for x in samples), device=elem.device)
    out = elem.new(storage).resize_(len(samples), *elem.shape)
    return torch.stack(samples, 0, out=out)

# %% right: filled in a loop
def collate_in_place(samples):
    batch = shared(samples)
    for row, sample in zip(batch, samples, strict=True):
        row.copy_(sample)
    return batch

# %% right: in place
collate_in_place = in_place

# %% right: like an expanded sample
def collate_in_place(samples):
    shape = samples[0].expand(len(samples), *samples[0].shape)
    return torch.stack(
        samples, out=torch.empty_like(shape, memory_format=torch.contiguous_format).share_memory_()
    )

# %% wrong: a list · fails 0, 1, 2, 3
def collate_in_place(samples):
    return [s.share_memory_() for s in samples]

# %% wrong: always float32 · fails 1
def collate_in_place(samples):
    batch = shared([sample.float() for sample in samples])
    for i, sample in enumerate(samples):
        batch[i] = sample
    return batch

# %% wrong: copied over · fails 3
def collate_in_place(samples):
    return shared(samples).copy_(torch.stack(samples))

# %% wrong: empty at first · fails 0, 1, 2, 3
def collate_in_place(s):
    return torch.stack(s, out=torch.empty(0, dtype=s[0].dtype).share_memory_())

# %% wrong: first sample only · fails 0, 1
def collate_in_place(samples):
    return in_place(samples[:1])

# %% wrong: joined · fails 0, 1
def collate_in_place(samples):
    rows = [s.reshape(1, -1) if s.ndim == 0 else s for s in samples]
    batch = torch.empty((sum(len(r) for r in rows), *rows[0].shape[1:]), dtype=rows[0].dtype).share_memory_()
    return torch.cat(rows, out=batch)

# %% wrong: never filled · fails 0, 1
def collate_in_place(samples):
    return shared(samples).zero_()

# %% wrong: no batch dimension · fails 0, 1, 2, 3
def collate_in_place(samples):
    return torch.stack(samples, out=torch.empty_like(samples[0]).share_memory_())

# %% wrong: no return · fails 0, 1, 2, 3
def collate_in_place(samples):
    return None

# %% wrong: shared afterwards · fails 3
def collate_in_place(samples):
    return torch.stack(samples).share_memory_()

# %% wrong: takes the samples out · fails 0
def collate_in_place(samples):
    batch = shared(samples)
    for row in batch:
        row.copy_(samples.pop(0))
    return batch

# %% wrong: the default outside a worker · fails 2, 3
from torch.utils.data import default_collate

collate_in_place = default_collate

# %% wrong: through numpy · fails 3
def collate_in_place(samples):
    return torch.from_numpy(np.stack([s.numpy() for s in samples])).share_memory_()

# %% wrong: the samples moved, too · fails 3
def collate_in_place(samples):
    return in_place([sample.share_memory_() for sample in samples])

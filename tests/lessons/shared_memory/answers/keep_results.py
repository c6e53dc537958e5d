# %% given
# What the answers to this exercise share.
import torch


def cloned(loader, count):
    return [{name: value[:count].clone() for name, value in batch.items()} for batch in loader]


def each(function):
    return lambda loader, count: [{n: function(v[:count]) for n, v in batch.items()} for batch in loader]


def with_file_system(then):
    def answer(loader, count):
        torch.multiprocessing.set_sharing_strategy("file_system")
        return then(loader, count)

    return answer

# %% right: chosen by a mask
def keep_results(loader, count):
    kept = []
    for batch in loader:
        first = torch.arange(len(batch["index"])) < count
        kept.append({name: batch[name][first] for name in batch})
    return kept

# %% right: cloned
keep_results = cloned

# %% right: one tensor for all, cut again
def keep_results(loader, count):
    kept = cloned(loader, count)
    cut = {name: torch.cat([b[name] for b in kept]).split([len(b[name]) for b in kept]) for name in kept[0]}
    return [dict(zip(cut, parts)) for parts in zip(*cut.values())]

# %% right: v 0
keep_results = each(lambda v: v + 0)

# %% wrong: a generator · fails 0, 2
def keep_results(loader, count):
    return ({n: v[:count].clone() for n, v in b.items()} for b in loader)

# %% wrong: always three · fails 0
def keep_results(loader, count):
    return [{name: value[:3].clone() for name, value in batch.items()} for batch in loader]

# %% wrong: contiguous · fails 1, 2
keep_results = each(lambda v: v.contiguous())

# %% wrong: copied at the end · fails 2
def keep_results(loader, count):
    return cloned(list(loader), count)

# %% wrong: detached · fails 1, 2
keep_results = each(lambda v: v.detach())

# %% wrong: dtypes of torchs choice · fails 0, 2
keep_results = each(lambda v: torch.tensor(v.tolist()))

# %% wrong: file system · fails 1, 2
keep_results = with_file_system(each(lambda v: v))

# %% wrong: file system and cloned · fails 2
keep_results = with_file_system(cloned)

# %% wrong: floats · fails 0, 2
keep_results = each(lambda v: v.float())

# %% wrong: in dictionaries of their own · fails 1, 2
def keep_results(loader, count):
    return [dict(index=batch["index"][:count], score=batch["score"][:count]) for batch in loader]

# %% wrong: lists of numbers · fails 0, 2
keep_results = each(lambda v: v.tolist())

# %% wrong: moved to where they are · fails 1, 2
keep_results = each(lambda v: v.to("cpu"))

# %% wrong: no return · fails 0, 2
def keep_results(loader, count):
    return cloned(loader, count) and None

# %% wrong: numpy · fails 0, 1, 2
keep_results = each(lambda v: v.numpy())

# %% wrong: numpy copies · fails 0, 2
keep_results = each(lambda v: v.numpy().copy())

# %% wrong: numpy copies as tensors · fails 0
def keep_results(loader, count):
    kept = []
    for batch in loader:
        arrays = {name: value[:count].numpy().copy() for name, value in batch.items()}
        kept.append({name: torch.from_numpy(array) for name, array in arrays.items()})
    return kept

# %% wrong: one dictionary · fails 0, 2
def keep_results(loader, count):
    kept = cloned(loader, count)
    return {name: torch.cat([batch[name] for batch in kept]) for name in kept[0]}

# %% wrong: one field cloned · fails 1, 2
def keep_results(loader, count):
    return [{"index": b["index"][:count], "score": b["score"][:count].clone()} for b in loader]

# %% wrong: reversed · fails 0
def keep_results(loader, count):
    return cloned(loader, count)[::-1]

# %% wrong: slices only · fails 1, 2
keep_results = each(lambda v: v)

# %% wrong: the last batch in every place · fails 0
def keep_results(loader, count):
    return [cloned(loader, count)[-1]] * len(loader)

# %% wrong: the last samples · fails 0
def keep_results(loader, count):
    return [{name: value[-count:].clone() for name, value in batch.items()} for batch in loader]

# %% wrong: whole batches · fails 0, 2
def keep_results(loader, count):
    return [{name: value.clone() for name, value in batch.items()} for batch in loader]

# %% wrong: deepcopied · fails 1
import copy

keep_results = each(copy.deepcopy)

# %% wrong: cloned before it is cut · fails 1
def keep_results(loader, count):
    return [{name: value.clone()[:count] for name, value in batch.items()} for batch in loader]

# %% wrong: a smaller batch filled up with zeros · fails 0
def keep_results(loader, count):
    kept = cloned(loader, count)
    full = [{name: value.new_zeros(count) for name, value in batch.items()} for batch in kept]
    for batch, target in zip(kept, full, strict=True):
        for name, value in batch.items():
            target[name][: len(value)] = value
    return full

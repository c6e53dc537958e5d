# %% given
# What the answers to this exercise share.
import torch


def each(function):
    """An answer that does so with the first ones of each field."""
    return lambda loader, count: [{n: function(v[:count]) for n, v in batch.items()} for batch in loader]


cloned = each(torch.clone)


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
def keep_results(loader, count):
    return [{name: value[:count].clone() for name, value in batch.items()} for batch in loader]

# %% right: one tensor for all, cut again
def keep_results(loader, count):
    kept = cloned(loader, count)
    cut = {name: torch.cat([b[name] for b in kept]).split([len(b[name]) for b in kept]) for name in kept[0]}
    return [dict(zip(cut, parts)) for parts in zip(*cut.values())]

# %% right: v 0
keep_results = each(lambda v: v + 0)

# %% wrong: a generator · fails 0, 2
def keep_results(loader, count):
    return (kept for batch in loader for kept in cloned([batch], count))

# %% wrong: always three · fails 0
def keep_results(loader, count):
    return cloned(loader, 3)

# %% wrong: contiguous · fails 1, 2
keep_results = each(lambda v: v.contiguous())

# %% wrong: copied at the end · fails 2
def keep_results(loader, count):
    return cloned(list(loader), count)

# %% wrong: dtypes of torchs choice · fails 0, 2
keep_results = each(lambda v: torch.tensor(v.tolist()))

# %% wrong: file system · fails 1, 2
keep_results = with_file_system(each(lambda v: v))

# %% wrong: file system and cloned · fails 2
keep_results = with_file_system(cloned)

# %% wrong: floats · fails 0, 2
keep_results = each(lambda v: v.float())

# %% wrong: lists of numbers · fails 0, 2
keep_results = each(lambda v: v.tolist())

# %% wrong: no return · fails 0, 2
def keep_results(loader, count):
    return cloned(loader, count) and None

# %% wrong: numpy · fails 0, 1, 2
keep_results = each(lambda v: v.numpy())

# %% wrong: numpy copies as tensors · fails 0
keep_results = each(lambda v: torch.from_numpy(v.numpy().copy()))

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
    return cloned(loader, None)

# %% wrong: deepcopied · fails 1
import copy

keep_results = each(copy.deepcopy)

# %% wrong: cloned before it is cut · fails 1
def keep_results(loader, count):
    return [{name: value.clone()[:count] for name, value in batch.items()} for batch in loader]

# %% wrong: a smaller batch filled up with zeros · fails 0
def keep_results(loader, count):
    def filled(value):
        return torch.cat([value, value.new_zeros(count - len(value))])

    return [{name: filled(value) for name, value in batch.items()} for batch in cloned(loader, count)]

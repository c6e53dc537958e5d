# %% right: four workers
def quick_loader(dataset):
    return DataLoader(dataset, 8, num_workers=4, persistent_workers=True)

# %% right: a dictionary of options
def quick_loader(dataset):
    options = {"num_workers": 2, "persistent_workers": True, "prefetch_factor": 4}
    return DataLoader(dataset, batch_size=8, shuffle=False, **options)

# %% right: a batch sampler
from torch.utils.data import BatchSampler, SequentialSampler


def quick_loader(dataset):
    batches = BatchSampler(SequentialSampler(dataset), batch_size=8, drop_last=False)
    return DataLoader(dataset, batch_sampler=batches, num_workers=3, persistent_workers=True)

# %% wrong: the given one · fails 0, 1, 2, 3
def quick_loader(dataset):
    return DataLoader(dataset, batch_size=8)

# %% wrong: a list of all batches · fails 0, 1, 2, 3
def quick_loader(dataset):
    return list(DataLoader(dataset, batch_size=8))

# %% wrong: only workers · fails 2
def quick_loader(dataset):
    return DataLoader(dataset, batch_size=8, num_workers=2)

# %% wrong: one worker · fails 1
def quick_loader(dataset):
    return DataLoader(dataset, batch_size=8, num_workers=1, persistent_workers=True)

# %% wrong: a worker for each batch · fails 1
def quick_loader(dataset):
    return DataLoader(dataset, batch_size=8, num_workers=8, persistent_workers=True)

# %% wrong: without a batch size · fails 3
def quick_loader(dataset):
    return DataLoader(dataset, num_workers=2, persistent_workers=True)

# %% wrong: shuffled · fails 3
def quick_loader(dataset):
    return DataLoader(dataset, batch_size=8, shuffle=True, num_workers=2, persistent_workers=True)

# %% wrong: drops the last batch · fails 3
def quick_loader(dataset):
    return DataLoader(dataset, batch_size=8, num_workers=2, persistent_workers=True, drop_last=True)

# %% wrong: no return · fails 0, 1, 2, 3
def quick_loader(dataset):
    DataLoader(dataset, batch_size=8, num_workers=2, persistent_workers=True)

# %% wrong: persistent without workers · fails 0, 1, 2, 3
def quick_loader(dataset):
    return DataLoader(dataset, batch_size=8, persistent_workers=True)

# %% right: a loader of its own kind
class Ahead(DataLoader):
    def __init__(self, dataset):
        super().__init__(dataset, batch_size=8, num_workers=2, persistent_workers=True)


def quick_loader(dataset):
    return Ahead(dataset)

# %% wrong: a loader without a pool, each epoch anew · fails 2
class Epochs:
    def __init__(self, dataset):
        self.dataset = dataset

    def __iter__(self):
        return iter(DataLoader(self.dataset, batch_size=8, num_workers=2))


def quick_loader(dataset):
    return Epochs(dataset)

# %% wrong: an iterator · fails 2, 3
def quick_loader(dataset):
    return iter(DataLoader(dataset, batch_size=8, num_workers=2))

# %% wrong: a thread loads ahead · fails 0, 1, 2, 3
from concurrent.futures import ThreadPoolExecutor


class Threaded:
    def __init__(self, dataset):
        self.loader = DataLoader(dataset, batch_size=8)

    def __iter__(self):
        with ThreadPoolExecutor(1) as pool:
            batches = iter(self.loader)
            coming = pool.submit(next, batches, None)
            while (batch := coming.result()) is not None:
                coming = pool.submit(next, batches, None)
                yield batch


def quick_loader(dataset):
    return Threaded(dataset)

# %% wrong: not in order · fails 3
def quick_loader(dataset):
    return DataLoader(dataset, 8, sampler=range(len(dataset) - 1, -1, -1), num_workers=2, persistent_workers=True)

# %% given
# What the wrong answers to this exercise share.
def copied(page_of, indices):
    """The pages that a worker copies which reads these indices."""
    return {page_of[index] for index in indices} - {None}

# %% right: a worker in a class
class Worker:
    def __init__(self, page_of):
        self.page_of, self.own = page_of, {}

    def read(self, index):
        self.own.setdefault(self.page_of[index], index)

    @property
    def copies(self):
        return len(self.own) - (None in self.own)


def copied_pages(page_of, reads):
    workers = [Worker(page_of) for _indices in reads]
    for worker, indices in zip(workers, reads):
        for index in indices:
            worker.read(index)
    return sum(worker.copies for worker in workers)

# %% right: filter and map
def copied_pages(page_of, reads):
    def of_a_worker(indices):
        return len(set(filter(lambda page: page is not None, map(page_of.__getitem__, indices))))

    return sum(map(of_a_worker, reads))

# %% right: loop
def copied_pages(page_of, reads):
    total = 0
    for indices in reads:
        seen = []
        for index in indices:
            page = page_of[index]
            if page is None or page in seen:
                continue
            seen.append(page)
            total += 1
    return total

# %% right: numpy
import numpy as np


def copied_pages(page_of, reads):
    pages = np.array([-1 if page is None else page for page in page_of], dtype=np.int64)
    found = 0
    for indices in reads:
        own = pages[np.asarray(indices, dtype=int)]
        found += np.unique(own[own >= 0]).size
    return found

# %% right: page by page
from collections import defaultdict


def copied_pages(page_of, reads):
    """The other way round: by how many workers is each page copied?"""
    readers = defaultdict(set)
    for worker, indices in enumerate(reads):
        for index in indices:
            readers[page_of[index]].add(worker)
    readers.pop(None, None)
    return sum(map(len, readers.values()))

# %% right: pairs
def copied_pages(page_of, reads):
    """Each pair of a worker and a page is a copy."""
    pairs = {(worker, page_of[i]) for worker, indices in enumerate(reads) for i in indices}
    return sum(page is not None for _worker, page in pairs)

# %% wrong: all pages if any is read · fails 1, 3
def copied_pages(page_of, reads):
    return sum(len(set(page_of) - {None}) for indices in reads if indices)

# %% wrong: by the formula · fails 1, 2, 3
def copied_pages(page_of, reads):
    """Of a shuffled epoch, on average."""
    pages, workers = len(set(page_of)), max(1, len(reads))
    return workers * pages * (1 - (1 - 1 / workers) ** (len(page_of) / pages))

# %% wrong: each read · fails 0
def copied_pages(page_of, reads):
    return sum(page_of[index] is not None for indices in reads for index in indices)

# %% wrong: fails without workers · fails 3
from functools import reduce


def copied_pages(page_of, reads):
    return reduce(lambda a, b: a + b, (len(copied(page_of, indices)) for indices in reads))

# %% wrong: no return · fails 0, 1, 2, 3
def copied_pages(page_of, reads):
    sum(len(copied(page_of, indices)) for indices in reads)

# %% wrong: none is a page · fails 2
def copied_pages(page_of, reads):
    return sum(len({page_of[i] for i in indices}) for indices in reads)

# %% wrong: one copy for all workers · fails 1
def copied_pages(page_of, reads):
    return len(set().union(*(copied(page_of, indices) for indices in reads)))

# %% wrong: one worker keeps the originals · fails 0, 1, 2, 3
def copied_pages(page_of, reads):
    """As if the first worker had the pages of the main process."""
    return sum(len(copied(page_of, indices)) for indices in reads[1:])

# %% wrong: page 0 is none · fails 2
def copied_pages(page_of, reads):
    return sum(len({page_of[i] for i in indices if page_of[i]}) for indices in reads)

# %% wrong: samples instead of pages · fails 0
def copied_pages(page_of, reads):
    return sum(len({i for i in indices if page_of[i] is not None}) for indices in reads)

# %% wrong: sorts the indices · fails 0
def copied_pages(page_of, reads):
    for indices in reads:
        indices.sort()
    return sum(len(copied(page_of, indices)) for indices in reads)

# %% wrong: when the page changes · fails 0
from itertools import groupby


def copied_pages(page_of, reads):
    pages = [[page_of[i] for i in indices if page_of[i] is not None] for indices in reads]
    return sum(1 for own in pages for _page, _run in groupby(own))

# %% wrong: with the originals · fails 0, 1, 2, 3
def copied_pages(page_of, reads):
    """The pages of the main process, and the copies."""
    return len(set(page_of) - {None}) + sum(len(copied(page_of, indices)) for indices in reads)

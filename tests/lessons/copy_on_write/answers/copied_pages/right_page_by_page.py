from collections import defaultdict


def copied_pages(page_of, reads):
    """The other way round: by how many workers is each page copied?"""
    readers = defaultdict(set)
    for worker, indices in enumerate(reads):
        for index in indices:
            readers[page_of[index]].add(worker)
    readers.pop(None, None)
    return sum(map(len, readers.values()))

# fails: 1, 2, 3


def copied_pages(page_of, reads):
    """Of a shuffled epoch, on average."""
    pages, workers = len(set(page_of)), max(1, len(reads))
    return workers * pages * (1 - (1 - 1 / workers) ** (len(page_of) / pages))

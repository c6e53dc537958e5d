def copied_pages(page_of, reads):
    """Each pair of a worker and a page is a copy."""
    pairs = {(worker, page_of[i]) for worker, indices in enumerate(reads) for i in indices}
    return sum(page is not None for _worker, page in pairs)

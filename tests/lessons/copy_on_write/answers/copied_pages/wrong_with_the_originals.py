# fails: 0, 1, 2, 3


def copied_pages(page_of, reads):
    """The pages of the main process, and the copies."""
    return len(set(page_of) - {None}) + sum(len({page_of[i] for i in indices} - {None}) for indices in reads)

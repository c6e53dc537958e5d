# fails: 0, 1, 2, 3


def copied_pages(page_of, reads):
    """As if the first worker had the pages of the main process."""
    return sum(len({page_of[i] for i in indices} - {None}) for indices in reads[1:])

# fails: 1, 3


def copied_pages(page_of, reads):
    return sum(len(set(page_of) - {None}) for indices in reads if indices)

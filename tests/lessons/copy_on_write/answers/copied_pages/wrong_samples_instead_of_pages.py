# fails: 0


def copied_pages(page_of, reads):
    return sum(len({i for i in indices if page_of[i] is not None}) for indices in reads)

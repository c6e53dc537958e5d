# fails: 1, 3


def copied_pages(page_of, reads):
    return len(set(page_of) - {None}) * len(reads)

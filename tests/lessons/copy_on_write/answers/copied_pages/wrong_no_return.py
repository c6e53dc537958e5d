# fails: 0, 1, 2, 3


def copied_pages(page_of, reads):
    sum(len({page_of[i] for i in indices} - {None}) for indices in reads)

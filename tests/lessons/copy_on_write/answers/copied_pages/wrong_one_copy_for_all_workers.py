# fails: 1


def copied_pages(page_of, reads):
    return len({page_of[i] for indices in reads for i in indices} - {None})

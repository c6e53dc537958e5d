# fails: 0


def copied_pages(page_of, reads):
    for indices in reads:
        indices.sort()
    return sum(len({page_of[i] for i in indices} - {None}) for indices in reads)

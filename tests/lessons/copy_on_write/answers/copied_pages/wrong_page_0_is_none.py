# fails: 2


def copied_pages(page_of, reads):
    return sum(len({page_of[i] for i in indices if page_of[i]}) for indices in reads)

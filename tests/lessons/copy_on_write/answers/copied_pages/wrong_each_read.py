# fails: 0


def copied_pages(page_of, reads):
    return sum(page_of[index] is not None for indices in reads for index in indices)

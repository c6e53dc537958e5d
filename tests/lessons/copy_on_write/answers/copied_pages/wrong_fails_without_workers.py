# fails: 3


from functools import reduce


def copied_pages(page_of, reads):
    return reduce(lambda a, b: a + b, (len({page_of[i] for i in indices} - {None}) for indices in reads))

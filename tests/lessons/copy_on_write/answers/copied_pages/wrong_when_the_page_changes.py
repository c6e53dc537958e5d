# fails: 0


from itertools import groupby


def copied_pages(page_of, reads):
    pages = [[page_of[i] for i in indices if page_of[i] is not None] for indices in reads]
    return sum(1 for own in pages for _page, _run in groupby(own))

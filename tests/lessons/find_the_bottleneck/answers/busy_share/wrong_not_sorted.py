# fails: 2, 3


def _unsorted(kernels, start, end):
    covered, reached = 0, start
    for begin, stop in kernels:
        begin, stop = max(begin, reached), min(stop, end)
        if stop > begin:
            covered += stop - begin
            reached = stop
    return covered / (end - start)


def busy_share(k, s, e):
    return _unsorted(k, s, e)

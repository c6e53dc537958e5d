# fails: 1


def busy_share(kernels, start, end):
    """Forgets that a kernel may end inside the one before."""
    total, reached = 0, start
    for begin, stop in sorted(kernels):
        begin, stop = max(begin, start), min(stop, end)
        if stop > start and begin < end:
            total += stop - max(begin, reached)
            reached = stop
    return total / (end - start)

# fails: 0
def busy_share(kernels, start, end):
    covered = set()
    for begin, stop in kernels:
        covered |= set(range(int(max(begin, start)), int(min(stop, end))))
    return len(covered) / (end - start)

def busy_share(kernels, start, end):
    covered, reached = 0, start
    for began, ended in sorted(set(kernels)):
        began, ended = max(began, reached, start), min(ended, end)
        covered += max(0, ended - began)
        reached = max(reached, ended)
    return covered / (end - start)

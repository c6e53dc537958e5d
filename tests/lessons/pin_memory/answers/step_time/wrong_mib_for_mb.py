# fails: 0, 1, 2, 3, 4


def step_time(n, s, *r):
    return right(n * 1000000.0 / 2**20, s, *r)

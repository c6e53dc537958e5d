# fails: 0, 1, 2, 3, 4


def step_time(*a):
    return right(*a) / 1000

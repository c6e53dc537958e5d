# fails: 0, 1, 2, 3


def wait_and_compute(e):
    return (0, sum(steps(e)[1:]))

# fails: 0, 1, 2, 3


def wait_and_compute(e):
    return sum(waits(e)[1:]) / max(1, sum(waits(e)[1:] + steps(e)[1:]))

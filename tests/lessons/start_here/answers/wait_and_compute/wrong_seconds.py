# fails: 0, 1, 2, 3


def wait_and_compute(e):
    return (sum(waits(e)[1:]) / 1000, sum(steps(e)[1:]) / 1000)

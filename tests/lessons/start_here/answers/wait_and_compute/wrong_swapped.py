# fails: 0, 1, 2, 3


def wait_and_compute(e):
    return (sum(steps(e)[1:]), sum(waits(e)[1:]))

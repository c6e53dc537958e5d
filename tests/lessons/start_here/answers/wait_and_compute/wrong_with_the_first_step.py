# fails: 1


def wait_and_compute(e):
    return (sum(waits(e)[1:]), sum(steps(e)))

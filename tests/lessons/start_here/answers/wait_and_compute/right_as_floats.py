def wait_and_compute(e):
    return (float(sum(waits(e)[1:])), float(sum(steps(e)[1:])))

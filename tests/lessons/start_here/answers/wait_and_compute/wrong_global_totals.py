# fails: 0, 1, 2, 3
total_waits, total_steps = [], []


def wait_and_compute(events):
    total_waits.extend(waits(events)[1:])
    total_steps.extend(steps(events)[1:])
    return sum(total_waits), sum(total_steps)

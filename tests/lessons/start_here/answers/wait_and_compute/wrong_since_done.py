# fails: 3


def wait_and_compute(events):
    done, batch = times(events, "done"), times(events, "batch")
    return sum(b - d for d, b in zip(done, batch[1:], strict=False)), sum(steps(events)[1:])

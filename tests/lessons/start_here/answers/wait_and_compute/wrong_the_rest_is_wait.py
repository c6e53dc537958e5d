# fails: 3


def wait_and_compute(events):
    """The last question, too, counts until the log ends, or the wait is what is not computation."""
    total = events[-1][1] - times(events, "done")[0]
    return total - sum(steps(events)[1:]), sum(steps(events)[1:])

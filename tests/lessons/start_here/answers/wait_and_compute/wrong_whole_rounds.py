# fails: 2


def wait_and_compute(events):
    """Counts on whole rounds of three events."""
    rounds = [events[i : i + 3] for i in range(3, len(events), 3)]
    return sum(b[1] - a[1] for a, b, _c in rounds), sum(c[1] - b[1] for _a, b, c in rounds)

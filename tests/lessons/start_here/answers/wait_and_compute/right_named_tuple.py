from typing import NamedTuple


class Totals(NamedTuple):
    wait: int
    compute: int


def wait_and_compute(events):
    totals, batches, since = Totals(0, 0), 0, None
    for event, now in events:
        if event == "batch":
            batches += 1
            if batches > 1:
                totals = totals._replace(wait=totals.wait + now - since)
        elif event == "done" and batches > 1:
            totals = totals._replace(compute=totals.compute + now - since)
        since = now
    return totals

import numpy as np


def wait_and_compute(events):
    names = np.array([name for name, _ in events])
    at = {name: np.array([t for n, t in events if n == name]) for name in ("ask", "batch", "done")}
    count = (names == "done").sum()
    wait = at["batch"][:count] - at["ask"][:count]
    compute = at["done"] - at["batch"][:count]
    return wait[1:].sum(), compute[1:].sum()

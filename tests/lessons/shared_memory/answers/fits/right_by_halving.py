from bisect import bisect_right


def fits(loaders, shm_bytes):
    def need(factor):
        return sum(
            size(o) * (factor * o["num_workers"] * orders(o) + o["held"] * (1 - o["pin_memory"])) for o in loaders
        )

    factors = range(1, shm_bytes + 1)
    return bisect_right(factors, shm_bytes, key=need) or None

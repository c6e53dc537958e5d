# fails: 0, 1, 2
import statistics


def spot_quantisation(t):
    return solution({m: statistics.mean((t[k] for k in range(m - 2, m + 3) if k in t)) for m in t}, width=0)

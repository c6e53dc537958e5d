def middle(values):
    ordered = sorted(values)
    half, odd = divmod(len(ordered), 2)
    return ordered[half] if odd else sum(ordered[half - 1 : half + 1]) / 2


def choose_num_workers(throughputs, tolerance=0.05):
    best = 0
    for values in throughputs.values():
        if middle(values) > best:
            best = middle(values)
    for workers in sorted(throughputs):
        if middle(throughputs[workers]) >= best * (1 - tolerance):
            return workers

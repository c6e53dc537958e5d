# fails: 0
def choose_num_workers(throughputs, tolerance=0.05):
    medians = {}
    for workers, values in throughputs.items():
        values.sort()
        half = len(values) // 2
        medians[workers] = values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2
    best = max(medians.values())
    return min(w for w in medians if medians[w] >= (1 - tolerance) * best)

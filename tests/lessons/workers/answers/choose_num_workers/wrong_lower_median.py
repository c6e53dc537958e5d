# fails: 1
def choose_num_workers(throughputs, tolerance=0.05):
    medians = {w: float(torch.median(torch.tensor(v, dtype=torch.float64))) for w, v in throughputs.items()}
    return min(w for w, m in medians.items() if m >= (1 - tolerance) * max(medians.values()))

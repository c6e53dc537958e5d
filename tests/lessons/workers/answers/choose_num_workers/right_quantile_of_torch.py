def choose_num_workers(throughputs, tolerance=0.05):
    medians = {
        workers: torch.quantile(torch.tensor(values, dtype=torch.double), 0.5)
        for workers, values in throughputs.items()
    }
    limit = (1 - tolerance) * max(medians.values())
    return min(filter(lambda workers: medians[workers] >= limit, medians))

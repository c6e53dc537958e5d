def step_time(nbytes, step_ms, host, link, pinned, overlap):
    times = torch.tensor([nbytes / host / 1e6, nbytes / link / 1e6, step_ms], dtype=torch.float64)
    if not pinned:
        return times.sum()
    if overlap:
        return times.max()
    return torch.stack([times[0], times[1:].sum()]).max()

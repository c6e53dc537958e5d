def headroom(load, step, num_workers):
    load, step = torch.tensor(load, dtype=torch.float64), torch.tensor(step, dtype=torch.float64)
    if num_workers == 0:
        return (load + step) / step
    return torch.clamp(load / num_workers / step, min=1)

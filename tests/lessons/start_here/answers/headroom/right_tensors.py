def headroom(now, cached):
    a, b = (torch.tensor(log, dtype=torch.float64)[1:].sum(0) for log in (now, cached))
    gain = (b[0] / b[1:].sum()) / (a[0] / a[1:].sum())
    both = torch.stack([gain, a[1:].sum() / a[2]])
    if both.max() > 1.1 * both.min():
        return None
    return gain

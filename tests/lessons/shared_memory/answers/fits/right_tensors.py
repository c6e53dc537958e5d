def fits(loaders, shm_bytes):
    batch = torch.tensor([size(o) for o in loaders])
    free = shm_bytes - (batch * torch.tensor([o["held"] * (not o["pin_memory"]) for o in loaders])).sum()
    ahead = (batch * torch.tensor([o["num_workers"] * orders(o) for o in loaders])).sum()
    factor = torch.div(free, ahead, rounding_mode="floor")
    return factor if factor > 0 else None

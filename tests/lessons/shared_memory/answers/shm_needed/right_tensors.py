def shm_needed(tensor_bytes, num_workers, prefetch_factor=None, held=1):
    sizes = torch.tensor(tensor_bytes, dtype=torch.int64)
    batch = 4096 * torch.div(sizes + 4095, 4096, rounding_mode="floor").sum()
    ahead = num_workers * (prefetch_factor if prefetch_factor is not None else 2)
    return batch * (ahead + held) * (num_workers > 0)

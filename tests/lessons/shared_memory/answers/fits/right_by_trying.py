def fits(loaders, shm_bytes):
    def needed(factor):
        total = 0
        for o in loaders:
            on_order = factor * o["num_workers"]
            if o["state"] == "used up" or (o["state"] == "break" and not o["persistent_workers"]):
                on_order = 0
            total += (on_order + (not o["pin_memory"]) * o["held"]) * size(o)
        return total

    factor = 0
    while needed(factor + 1) <= shm_bytes:
        factor += 1
    return factor or None

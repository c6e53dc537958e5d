def predict_memory(items, item_bytes, container, workers, start_method="fork", shuffled=True, own=0):
    total = whole = items * item_bytes
    for _worker in range(workers):
        total += own
        if start_method == "spawn":
            total += whole if container in {"list", "array", "memmap"} else 0
        elif container == "list" and item_bytes < 4096 and shuffled:
            total += whole * (1 - (1 - 1 / workers) ** (4096 / item_bytes))
    if start_method == "fork" and container == "list" and workers:
        if item_bytes >= 4096:
            total += 4096 * items
        elif not shuffled:
            total += whole
    return total

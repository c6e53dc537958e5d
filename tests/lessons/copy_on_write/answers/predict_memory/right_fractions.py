def copied(items, item_bytes, container, workers, start_method, shuffled):
    if start_method == "spawn":
        return workers * items * item_bytes * (container in ("list", "array", "memmap"))
    if container != "list" or workers == 0:
        return 0
    if item_bytes >= 4096:
        return items * 4096
    if not shuffled:
        return items * item_bytes
    missed = (1 - 1 / workers) ** (4096 / item_bytes)
    return workers * items * item_bytes * (1 - missed)


def predict_memory(items, item_bytes, container, workers, start_method="fork", shuffled=True, own=0):
    return items * item_bytes + copied(items, item_bytes, container, workers, start_method, shuffled) + workers * own

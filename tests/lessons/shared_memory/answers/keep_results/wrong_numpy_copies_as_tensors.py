# fails: 0


def keep_results(loader, count):
    kept = []
    for batch in loader:
        arrays = {name: value[:count].numpy().copy() for name, value in batch.items()}
        kept.append({name: torch.from_numpy(array) for name, array in arrays.items()})
    return kept

def keep_results(loader, count):
    kept = []
    for batch in loader:
        first = torch.arange(len(batch["index"])) < count
        kept.append({name: batch[name][first] for name in batch})
    return kept

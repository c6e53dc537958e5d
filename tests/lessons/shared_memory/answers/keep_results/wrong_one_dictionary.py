# fails: 0, 2
import torch


def keep_results(loader, count):
    kept = cloned(loader, count)
    return {name: torch.cat([batch[name] for batch in kept]) for name in kept[0]}

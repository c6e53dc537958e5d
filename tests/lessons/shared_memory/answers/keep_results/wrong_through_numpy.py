# fails: 0
import torch


def keep_results(loader, count):
    return [
        {name: torch.from_numpy(value[:count].numpy().copy()) for name, value in batch.items()} for batch in loader
    ]

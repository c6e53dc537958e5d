def tiny_loader(dataset, sampler, batch_size, collate_fn):
    def load(indices):
        if getattr(dataset, "__getitems__", None):
            return collate_fn(dataset.__getitems__(indices))
        return collate_fn([dataset[i] for i in indices])

    indices = []
    for index in sampler:
        indices.append(index)
        if len(indices) == batch_size:
            yield load(indices)
            indices = []
    if indices:
        yield load(indices)

# fails: 3


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    rest = iter(sampler)
    while indices := list(islice(rest, batch_size)):
        if hasattr(dataset, "__getitems__"):
            yield collate_fn(dataset.__getitems__(indices))
        else:
            yield collate_fn(dataset[index] for index in indices)

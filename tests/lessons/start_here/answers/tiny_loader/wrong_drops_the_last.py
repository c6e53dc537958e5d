# fails: 0


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    rest = iter(sampler)
    while len(indices := list(islice(rest, batch_size))) == batch_size:
        yield collate_fn(fetch(dataset, indices))

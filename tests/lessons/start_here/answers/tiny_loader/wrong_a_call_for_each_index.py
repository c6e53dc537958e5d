# fails: 2


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    rest = iter(sampler)
    while indices := list(islice(rest, batch_size)):
        yield collate_fn([fetch(dataset, [index])[0] for index in indices])

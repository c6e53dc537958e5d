# fails: 0


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    samples, rest = [], iter(sampler)
    while indices := list(islice(rest, batch_size)):
        samples.clear()
        samples += fetch(dataset, indices)
        yield collate_fn(samples)

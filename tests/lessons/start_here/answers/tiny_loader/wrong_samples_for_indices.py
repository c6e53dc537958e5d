# fails: 0, 1, 2


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    batch = []
    for sample in dataset:
        batch.append(sample)
        if len(batch) == batch_size:
            yield collate_fn(batch)
            batch = []
    if batch:
        yield collate_fn(batch)

# fails: 0, 1


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    for start in range(0, len(dataset), batch_size):
        yield collate_fn(fetch(dataset, list(range(len(dataset)))[start : start + batch_size]))

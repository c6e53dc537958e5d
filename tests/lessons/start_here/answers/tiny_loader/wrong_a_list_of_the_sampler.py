# fails: 1


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    order = list(sampler)
    for start in range(0, len(order), batch_size):
        yield collate_fn(fetch(dataset, order[start : start + batch_size]))

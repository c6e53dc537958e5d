# fails: 0


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    indices = []
    for index in sampler:
        indices.append(index)
        if len(indices) == batch_size:
            yield collate_fn(fetch(dataset, indices))
            indices = []
    yield collate_fn(fetch(dataset, indices))

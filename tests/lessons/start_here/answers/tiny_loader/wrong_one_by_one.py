# fails: 2
from itertools import islice


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    it = iter(sampler)
    while batch := [dataset[i] for i in islice(it, batch_size)]:
        yield collate_fn(batch)

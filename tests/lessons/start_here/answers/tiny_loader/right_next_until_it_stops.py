def tiny_loader(dataset, sampler, batch_size, collate_fn):
    it, more = iter(sampler), True
    while more:
        ix = []
        while more and len(ix) < batch_size:
            try:
                ix += [next(it)]
            except StopIteration:
                more = False
        if ix and hasattr(type(dataset), "__getitems__"):
            yield collate_fn(dataset.__getitems__(ix))
        elif ix:
            yield collate_fn([dataset[i] for i in ix])

from torch.utils.data import BatchSampler


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    for indices in BatchSampler(sampler, batch_size, drop_last=False):
        if hasattr(dataset, "__getitems__"):
            yield collate_fn(dataset.__getitems__(indices))
        else:
            yield collate_fn([dataset[index] for index in indices])

from collections import Counter


def coverage(length, ranks, batch_size, sampler_drops, loader_drops):
    each, rest = divmod(length, ranks)
    each += bool(rest) and not sampler_drops
    whole = [slice(k, k + batch_size) for k in range(0, each, batch_size)]
    if loader_drops and each % batch_size:
        whole.pop()
    seen = Counter()
    for rank in range(ranks):
        mine = [(rank + k * ranks) % length for k in range(each)]
        seen.update(index for part in whole for index in mine[part])
    return seen.total() - len(seen), length - len(seen)

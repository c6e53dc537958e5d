import math


def coverage(length, ranks, batch_size, sampler_drops, loader_drops):
    each = (math.floor if sampler_drops else math.ceil)(length / ranks)
    each = each // batch_size * batch_size if loader_drops else each
    return [max(0, each * ranks - length), max(0, length - each * ranks)]

import math


def size_of(count, field_bytes):
    blocks = count * sum(1 + math.ceil(n / 512) for n in field_bytes) + 2
    return math.ceil(blocks / 20) * 20 * 512


def plan_shards(samples, field_bytes, ranks, workers, target_bytes):
    times = 1
    while size_of(math.ceil(samples / (times * ranks * workers)), field_bytes) > target_bytes:
        times += 1
    return times * ranks * workers

# fails: 2, 3


def plan_shards(samples, fields, ranks, workers, target):
    per = sum(512 + -(-n // 512) * 512 for n in fields)
    shards = -(-samples * per // target)
    return max(1, -(-shards // (ranks * workers))) * ranks * workers

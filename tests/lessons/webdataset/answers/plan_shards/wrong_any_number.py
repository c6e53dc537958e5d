# fails: 0, 2, 3


def plan_shards(samples, fields, ranks, workers, target):
    shards = ranks * workers
    per = sum(512 + -(-n // 512) * 512 for n in fields)
    while -(-(-(-samples // shards) * per + 1024) // 10_240) * 10_240 > target:
        shards += 1
    return shards

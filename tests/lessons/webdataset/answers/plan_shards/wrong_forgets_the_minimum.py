# fails: 0, 1, 2, 3


def not_a_multiple(samples, fields, ranks, workers, target):
    shards = ranks * workers
    per = sum(512 + -(-n // 512) * 512 for n in fields)
    while -(-(-(-samples // shards) * per + 1024) // 10_240) * 10_240 > target:
        shards += 1
    return shards


def plan_shards(s, f, r, w, t):
    return not_a_multiple(s, f, 1, 1, t)

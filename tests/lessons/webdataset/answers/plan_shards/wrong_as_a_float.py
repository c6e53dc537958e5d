# fails: 0, 1, 2, 3


def plan_shards(*a):
    return plan(*a) / 1 + 0.5

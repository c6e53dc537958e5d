# fails: 0, 1, 2, 3


def plan_shards(*a):
    return None

# fails: 3


def plan_shards(*a):
    return plan(*a, floor=True)

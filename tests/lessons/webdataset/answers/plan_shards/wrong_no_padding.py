# fails: 2


def plan_shards(*a):
    return plan(*a, block=1)

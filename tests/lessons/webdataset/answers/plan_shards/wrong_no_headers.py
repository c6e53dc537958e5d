# fails: 2, 3


def plan_shards(*a):
    return plan(*a, header=0)

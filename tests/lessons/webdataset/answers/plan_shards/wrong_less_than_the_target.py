# fails: 3


def plan_shards(*a):
    return plan(*a, strict=True)

# fails: 0, 1, 2, 3


def plan_shards(s, f, r, w, t):
    return plan(s, f, r, 1, t)

# fails: 2


def plan_shards(s, f, r, w, t):
    return plan(s, [sum(f)], r, w, t)

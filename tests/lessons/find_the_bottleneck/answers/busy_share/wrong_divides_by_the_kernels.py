# fails: 0, 1, 2, 3


def busy_share(k, s, e):
    return union(k, s, e) * (e - s) / (max((f for b, f in k)) - min((b for b, f in k))) if k else 0.0

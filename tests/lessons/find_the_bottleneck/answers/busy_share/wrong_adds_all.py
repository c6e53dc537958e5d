# fails: 1, 2


def busy_share(k, s, e):
    return sum((max(0, min(f, e) - max(b, s)) for b, f in k)) / (e - s)

# fails: 0


def busy_share(k, s, e):
    return sum((any((b <= t / 4 < f for b, f in k)) for t in range(4 * s, 4 * e))) / (4 * (e - s))

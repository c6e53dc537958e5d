# fails: 2, 3


def coverage(n, r, b, s, l):
    return (0, n % r) if s else (-n % r, 0)

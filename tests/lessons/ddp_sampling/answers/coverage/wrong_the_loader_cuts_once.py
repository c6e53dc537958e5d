# fails: 2, 3


def coverage(n, r, b, s, l):
    each = n // r if s else -(-n // r)
    arrived = each * r
    arrived -= arrived % b if l else 0
    return max(0, arrived - n), max(0, n - arrived)

# fails: 3


def coverage(n, r, b, s, l):
    each = n // r if s else -(-n // r)
    repeated, lost = (0, n % r) if s else (-n % r, 0)
    return repeated, lost + (each % b * r if l else 0)

# fails: 2, 3


def coverage(n, r, b, s, l):
    each = n // r if s else -(-n // r)
    lost = each % b if l else 0
    return max(0, each * r - lost - n), max(0, n - each * r + lost)

# fails: 1, 3


def coverage(n, r, b, s, l):
    each = n // r if l else -(-n // r)
    each -= each % b if s else 0
    return max(0, each * r - n), max(0, n - each * r)

# fails: 0, 1, 2, 3


def coverage(n, r, b, s, l):
    each = n // r if s else -(-n // r)
    each -= each % b if l else 0

# fails: 1


def coverage(n, r, b, s, l):
    each = n // r if s else -(-n // r)
    each -= each % b if l else 0
    return max(0, each * r - n), max(0, n - each * r) if n >= r else 0

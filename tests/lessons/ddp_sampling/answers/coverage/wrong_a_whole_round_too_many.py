# fails: 0


def coverage(n, r, b, s, l):
    each = n // r + (not s)
    each -= each % b if l else 0
    return max(0, each * r - n), max(0, n - each * r)

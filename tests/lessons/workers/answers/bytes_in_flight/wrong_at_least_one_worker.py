# fails: 1


def bytes_in_flight(b, w, p, n):
    return min(max(w, 1) * (p or 2) + 1, n) * b

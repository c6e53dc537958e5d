# fails: 1


def bytes_in_flight(b, w, p, n):
    return min(w * p + 1, n) * b

# fails: 2


def bytes_in_flight(b, w, p, n):
    return (min(w * (p or 0), n) + 1) * b

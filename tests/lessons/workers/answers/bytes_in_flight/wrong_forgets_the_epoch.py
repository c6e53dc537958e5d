# fails: 2


def bytes_in_flight(b, w, p, n):
    return (w * (p or 0) + 1) * b

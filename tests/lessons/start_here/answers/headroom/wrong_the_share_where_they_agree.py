# fails: 0, 3


def headroom(now, cached):
    gain = rate(cached[1:]) / rate(now[1:])
    return from_share(now[1:]) if agree(gain, from_share(now[1:])) else None

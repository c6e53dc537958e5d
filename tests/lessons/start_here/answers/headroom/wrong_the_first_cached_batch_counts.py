# fails: 1


def headroom(now, cached):
    gain = rate(cached) / rate(now[1:])
    return gain if agree(gain, from_share(now[1:])) else None

# fails: 0


def headroom(now, cached):
    gain = sum(n for n, _w, _s in cached[1:]) / sum(s for _n, _w, s in cached[1:]) / rate(now[1:])
    return gain if agree(gain, from_share(now[1:])) else None

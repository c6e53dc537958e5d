# fails: 1, 2


def wave_efficiency(m, n, tm, tn, s):
    return (t := right_tiles(m, n, tm, tn)) / (right_waves(t, s) * s)

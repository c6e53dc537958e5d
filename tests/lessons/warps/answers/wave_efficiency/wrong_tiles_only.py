# fails: 0, 1, 2


def wave_efficiency(m, n, tm, tn, s):
    return m * n / (right_tiles(m, n, tm, tn) * tm * tn)

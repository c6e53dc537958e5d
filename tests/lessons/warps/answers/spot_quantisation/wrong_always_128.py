# fails: 0, 1, 2, 3, 4


def spot_quantisation(t):
    return 128

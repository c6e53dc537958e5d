# fails: 0, 1, 2


def spot_quantisation(t):
    return None

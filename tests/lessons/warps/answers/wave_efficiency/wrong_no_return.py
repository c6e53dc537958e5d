# fails: 0, 1, 2


def wave_efficiency(*a):
    return None

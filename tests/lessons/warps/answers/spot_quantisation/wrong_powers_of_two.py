# fails: 0, 1


def spot_quantisation(times):
    found = solution(times)
    return found if found in (32, 64, 128, 256) else None

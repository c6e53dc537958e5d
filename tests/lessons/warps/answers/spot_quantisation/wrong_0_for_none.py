# fails: 2, 3, 4


def spot_quantisation(t):
    return solution(t) or 0

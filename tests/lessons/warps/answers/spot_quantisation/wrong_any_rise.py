# fails: 0, 1, 2


def spot_quantisation(t):
    return solution(t, width=0, threshold=1.0)

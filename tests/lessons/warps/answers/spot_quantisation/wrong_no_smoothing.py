# fails: 2


def spot_quantisation(t):
    return solution(t, width=0)

# fails: 4


def spot_quantisation(t):
    return solution(t, even=False)

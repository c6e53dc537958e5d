# fails: 1


def spot_quantisation(t):
    return solution(t, rows=list)

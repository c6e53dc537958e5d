# fails: 0, 1, 2


def spot_quantisation(t):
    return (s := solution(t)) and s + 1

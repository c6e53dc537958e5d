def spot_quantisation(times):
    return solution(times, width=2, threshold=1.13)

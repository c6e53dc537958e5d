def spot_quantisation(times):
    return solution(times, width=1, threshold=1.07)

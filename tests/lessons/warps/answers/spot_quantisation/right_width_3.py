def spot_quantisation(times):
    return solution(times, width=3, threshold=1.1)

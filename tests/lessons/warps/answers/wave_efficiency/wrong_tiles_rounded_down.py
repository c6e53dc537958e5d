# fails: 1, 2


wave_efficiency = efficiency(lambda m, n, tm, tn: max(1, m // tm) * max(1, n // tn), right_waves)

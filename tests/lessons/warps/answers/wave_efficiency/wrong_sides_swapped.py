# fails: 1, 2


wave_efficiency = efficiency(lambda m, n, tm, tn: right_tiles(m, n, tn, tm), right_waves)

def wave_efficiency(m, n, tile_m, tile_n, sms):
    tiles = [(row, column) for row in range(0, m, tile_m) for column in range(0, n, tile_n)]
    waves = 0
    while tiles:
        del tiles[:sms]
        waves += 1
    return m * n / (waves * sms * tile_m * tile_n)

from fractions import Fraction


def wave_efficiency(m, n, tile_m, tile_n, sms):
    up = lambda a, b: -(-a // b)
    tiles = up(m, tile_m) * up(n, tile_n)
    return Fraction(m * n, up(tiles, sms) * sms * tile_m * tile_n)

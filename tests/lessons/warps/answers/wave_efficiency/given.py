# What the answers to this exercise share.
import math


def efficiency(tiles, waves):
    """An answer from its own way to count tiles and waves."""

    def answer(m, n, tile_m, tile_n, sms):
        return m * n / (waves(tiles(m, n, tile_m, tile_n), sms) * sms * tile_m * tile_n)

    return answer


def right_tiles(m, n, tile_m, tile_n):
    return math.ceil(m / tile_m) * math.ceil(n / tile_n)


def right_waves(tiles, sms):
    return math.ceil(tiles / sms)

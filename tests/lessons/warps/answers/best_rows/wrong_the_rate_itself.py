# fails: 0, 1, 2

from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    return max(m / sum(tiles.waves(m, n, sms, tile_m, tile_n) for n in widths) for m in range(1, most + 1))

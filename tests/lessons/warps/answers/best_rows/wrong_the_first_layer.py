# fails: 1

from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    return max(range(1, most + 1), key=lambda m: m / tiles.waves(m, widths[0], sms, tile_m, tile_n))

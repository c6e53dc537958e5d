# fails: 0, 1

from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def rate(m):
        return m / sum(tiles.waves(m, n, sms, tile_n, tile_m) for n in widths)

    return max(range(1, most + 1), key=rate)

# fails: 1

from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def slowest(m):
        return max(tiles.waves(m, n, sms, tile_m, tile_n) for n in widths)

    return max(range(1, most + 1), key=lambda m: m / slowest(m))

# fails: 1

from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def waves(m):
        return -(-sum(tiles.Product(m, n, tile_m, tile_n, sms).tiles for n in widths) // sms)

    return max(range(1, most + 1), key=lambda m: m / waves(m))

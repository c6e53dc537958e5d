# fails: 0, 1, 2

from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def use(m):
        return sum(tiles.Product(m, n, tile_m, tile_n, sms).tile_use for n in widths)

    return max(range(1, most + 1), key=use)

# fails: 1

from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def mean(m):
        return sum(tiles.Product(m, n, tile_m, tile_n, sms).efficiency for n in widths) / len(widths)

    return max(range(1, most + 1), key=mean)

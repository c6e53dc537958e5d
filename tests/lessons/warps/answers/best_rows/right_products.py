from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def time(m):
        return sum(tiles.Product(m, n, tile_m, tile_n, sms).waves for n in widths)

    return min(range(1, most + 1), key=lambda m: (time(m) / m, m))

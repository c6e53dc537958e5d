from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def efficiency(m):
        shapes = [tiles.Product(m, n, tile_m, tile_n, sms) for n in widths]
        return round(sum(m * s.n for s in shapes) / sum(s.waves * sms * tile_m * tile_n for s in shapes), 12)

    return sorted(range(1, most + 1), key=lambda m: (-efficiency(m), m))[0]

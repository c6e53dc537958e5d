# fails: 0, 1, 2


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    return most

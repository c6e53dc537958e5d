import numpy as np


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    m = np.arange(1, most + 1)[:, None]
    tiles = -(-m // tile_m) * -(-np.array(widths) // tile_n)
    return 1 + np.argmax(m[:, 0] / (-(-tiles // sms)).sum(axis=1))

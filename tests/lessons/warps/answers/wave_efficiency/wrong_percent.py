# fails: 0, 1, 2
from loaderlab.lessons.warps.tiles import Product


def right_efficiency(m: int, n: int, tile_m: int, tile_n: int, sms: int) -> float:
    return Product(m, n, tile_m, tile_n, sms).efficiency


def wave_efficiency(*a):
    return 100 * right_efficiency(*a)

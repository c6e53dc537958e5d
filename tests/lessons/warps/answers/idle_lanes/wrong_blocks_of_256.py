# fails: 1, 2
from loaderlab.lessons.warps.tiles import Launch


def right_idle(elements: int, block: int) -> int:
    return Launch(elements, block).idle


def idle_lanes(e, b):
    return right_idle(e, 256)

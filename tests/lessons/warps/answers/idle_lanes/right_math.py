import math


def idle_lanes(elements, block=256):
    lanes = math.ceil(elements / block) * math.ceil(block / 32) * 32
    return lanes - elements

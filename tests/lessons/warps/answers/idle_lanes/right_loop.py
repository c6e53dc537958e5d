def idle_lanes(elements, block=256):
    warps = len(range(0, block, 32))
    lanes = 0
    for _start in range(0, elements, block):
        lanes += 32 * warps
    return lanes - elements

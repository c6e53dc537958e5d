def row_order(lengths):
    """From short to long: the short warp, which must be the last one of the launch, is cut off in front."""
    ascending = sorted(range(len(lengths)), key=lengths.__getitem__)
    rest = len(lengths) % 32
    order = ascending[rest:] + ascending[:rest]
    warps = [order[i : i + 32] for i in range(0, len(order), 32)]
    idle = 0
    for warp in warps:
        longest = max(lengths[row] for row in warp)
        idle += sum(longest - lengths[row] for row in warp) + (32 - len(warp)) * longest
    return order, idle

# A step of the time comes after whole tiles only: nothing between them can be best.
def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    best, found = 0, None
    for m in [*range(tile_m, most + 1, tile_m), most]:
        took = sum(-(-(-(-m // tile_m) * -(-w // tile_n)) // sms) for w in widths)
        if m / took > best:
            best, found = m / took, m
    return found

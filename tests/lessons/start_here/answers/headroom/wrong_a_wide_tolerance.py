# fails: 2


headroom = solved(agree=lambda a, b: max(a, b) <= 1.2 * min(a, b))

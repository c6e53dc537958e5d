# fails: 0, 3


headroom = solved(agree=lambda a, b: abs(a - b) <= 0.1)

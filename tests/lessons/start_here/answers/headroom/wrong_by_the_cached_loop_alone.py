# fails: 2


headroom = solved(agree=lambda a, b: True)

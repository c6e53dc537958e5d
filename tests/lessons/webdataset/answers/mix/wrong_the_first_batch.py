# fails: 0, 1, 3


mix = mixing(value=lambda counts: counts[0])

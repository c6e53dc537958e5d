# fails: 0, 1, 2


mix = mixing(value=max)

# fails: 0, 1, 2, 3


mix = mixing(value=max)

# fails: 0, 1, 3


mix = mixing(value=min)

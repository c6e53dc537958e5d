# fails: 2


mix = mixing(enough=lambda a, b: a > b)

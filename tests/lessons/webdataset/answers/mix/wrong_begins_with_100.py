# fails: 0


mix = mixing(initial=100)

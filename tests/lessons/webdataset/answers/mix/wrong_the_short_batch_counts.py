# fails: 3


mix = mixing(partial=True)

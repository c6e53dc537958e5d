# fails: 2


mix = mixing(nothing=400)

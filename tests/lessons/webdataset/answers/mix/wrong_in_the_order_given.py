# fails: 1


mix = mixing(sizes=list)

# fails: 0, 1, 2, 3


mix = mixing(sizes=lambda given: sorted(given)[::-1])

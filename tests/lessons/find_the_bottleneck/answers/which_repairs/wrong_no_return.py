# fails: 0, 1, 2, 3


from itertools import combinations


def which_repairs(profile, repairs, target):
    [names for count in range(4) for names in combinations(repairs, count) if after(profile, repairs, names).rate >= target]

# fails: 3


from itertools import combinations


def which_repairs(profile, repairs, target):
    for count in range(len(repairs) + 1):
        for names in combinations(repairs, count):
            if after(profile, repairs, names).rate >= target:
                return list(names)
    return []

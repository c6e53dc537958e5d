# fails: 0


from itertools import combinations


def which_repairs(profile, repairs, target):
    for count in range(len(repairs) + 1):
        for names in combinations(repairs, count):
            now = after(profile, repairs, names)
            if 1000 * now.batch / now.bound[1] >= target:
                return list(names)

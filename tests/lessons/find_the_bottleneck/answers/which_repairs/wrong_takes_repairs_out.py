# fails: 0


from itertools import combinations


def which_repairs(profile, repairs, target):
    names = list(repairs)
    changes = [repairs.pop(name) for name in names]
    repairs = dict(zip(names, changes))
    for count in range(len(names) + 1):
        for chosen in combinations(names, count):
            if after(profile, repairs, chosen).rate >= target:
                return list(chosen)

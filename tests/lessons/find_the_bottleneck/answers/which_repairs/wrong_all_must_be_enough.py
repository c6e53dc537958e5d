# fails: 2


from itertools import combinations


def which_repairs(profile, repairs, target):
    """As if more repairs never did harm."""
    if profile.rate < target and after(profile, repairs, repairs).rate < target:
        return None
    for count in range(len(repairs) + 1):
        for names in combinations(repairs, count):
            if after(profile, repairs, names).rate >= target:
                return list(names)

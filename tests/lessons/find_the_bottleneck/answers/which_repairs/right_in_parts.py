from itertools import chain, combinations


def choices(repairs):
    return chain.from_iterable(combinations(repairs, count) for count in range(len(repairs) + 1))


def which_repairs(profile, repairs, target):
    enough = (list(names) for names in choices(repairs) if after(profile, repairs, names).rate >= target)
    return next(enough, None)

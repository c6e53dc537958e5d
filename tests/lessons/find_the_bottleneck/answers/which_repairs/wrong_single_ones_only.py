# fails: 1, 2


def which_repairs(profile, repairs, target):
    if profile.rate >= target:
        return []
    return next(([name] for name in repairs if replace(profile, **repairs[name]).rate >= target), None)

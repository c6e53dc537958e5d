# fails: 0, 1, 2, 3


def which_repairs(profile, repairs, target):
    if profile.rate >= target:
        return []
    return list(repairs) if after(profile, repairs, repairs).rate >= target else None

# fails: 0, 1, 2, 3


def which_repairs(profile, repairs, target):
    gaining = [name for name in repairs if replace(profile, **repairs[name]).rate > profile.rate]
    return gaining if after(profile, repairs, gaining).rate >= target else None

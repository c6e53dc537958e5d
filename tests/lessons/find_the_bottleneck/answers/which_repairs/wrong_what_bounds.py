# fails: 0, 1, 2, 3


def which_repairs(profile, repairs, target):
    return [profile.bound[0]]

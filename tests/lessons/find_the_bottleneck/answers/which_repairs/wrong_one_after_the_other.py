# fails: 0, 1, 2, 3


def which_repairs(profile, repairs, target):
    """In the order given, until it is enough."""
    chosen = []
    for name in repairs:
        if profile.rate >= target:
            break
        chosen.append(name)
        profile = replace(profile, **repairs[name])
    return chosen if profile.rate >= target else None

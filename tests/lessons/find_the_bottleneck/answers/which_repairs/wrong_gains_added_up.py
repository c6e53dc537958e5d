# fails: 1, 2


def which_repairs(profile, repairs, target):
    """As if each repair gained together with others what it gains alone."""
    gains = {name: replace(profile, **changes).rate - profile.rate for name, changes in repairs.items()}
    chosen, rate = [], profile.rate
    for name in sorted(gains, key=gains.get, reverse=True):
        if rate >= target:
            break
        chosen.append(name)
        rate += gains[name]
    return [name for name in repairs if name in chosen] if rate >= target else None

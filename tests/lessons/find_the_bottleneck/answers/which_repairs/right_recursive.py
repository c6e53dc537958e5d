def shortest(profile, left, target):
    if profile.rate >= target:
        return []
    if not left:
        return None
    (name, changes), *others = left
    without = shortest(profile, others, target)
    beside = shortest(replace(profile, **changes), others, target)
    choices = [way for way in (without, None if beside is None else [name, *beside]) if way is not None]
    return min(choices, key=len, default=None)


def which_repairs(profile, repairs, target):
    def reached(profile, left):
        return shortest(profile, left, target)

    # What is already reached needs nothing, and what harms is found not to be worth it.
    return reached(profile, list(repairs.items()))

# fails: 1, 2


def which_repairs(profile, repairs, target):
    """Always the repair that gains most; ends where none gains anything."""
    chosen = []
    while profile.rate < target:
        rates = {name: replace(profile, **repairs[name]).rate for name in repairs if name not in chosen}
        best = max(rates, key=rates.get, default=None)
        if best is None or rates[best] <= profile.rate:
            return None
        chosen.append(best)
        profile = replace(profile, **repairs[best])
    return [name for name in repairs if name in chosen]

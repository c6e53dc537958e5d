def which_repairs(profile, repairs, target):
    """All choices as bits of a number, those with the fewest bits first."""
    names = list(repairs)
    for mask in sorted(range(2 ** len(names)), key=lambda mask: bin(mask).count("1")):
        chosen = [name for bit, name in enumerate(names) if mask >> bit & 1]
        if after(profile, repairs, chosen).rate >= target:
            return chosen
    return None

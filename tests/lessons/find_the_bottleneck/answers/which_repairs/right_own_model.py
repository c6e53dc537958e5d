from itertools import product


def milliseconds(p):
    starts = 0 if p.persistent else 15 * p.workers / 50
    return max(p.needs().values()) + starts


def which_repairs(profile, repairs, target):
    best = None
    for taken in product((False, True), repeat=len(repairs)):
        names = [name for name, take in zip(repairs, taken) if take]
        now = after(profile, repairs, names)
        if 1000 * now.batch >= target * milliseconds(now) and (best is None or len(names) < len(best)):
            best = names
    return best

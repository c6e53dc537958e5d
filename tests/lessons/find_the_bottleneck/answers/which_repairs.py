# %% given
# What the answers to this exercise share.
from dataclasses import replace
from itertools import combinations


def after(profile, repairs, names):
    for name in names:
        profile = replace(profile, **repairs[name])
    return profile


def choices(repairs, counts=None):
    """Each choice of repairs, those of few first."""
    for count in range(len(repairs) + 1) if counts is None else counts:
        for names in combinations(repairs, count):
            yield list(names)

# %% right: bits
def which_repairs(profile, repairs, target):
    """All choices as bits of a number, those with the fewest bits first."""
    names = list(repairs)
    for mask in sorted(range(2 ** len(names)), key=lambda mask: bin(mask).count("1")):
        chosen = [name for bit, name in enumerate(names) if mask >> bit & 1]
        if after(profile, repairs, chosen).rate >= target:
            return chosen
    return None

# %% right: breadth first
from collections import deque


def which_repairs(profile, repairs, target):
    order = list(repairs)
    queue = deque([((), profile)])
    while queue:
        names, now = queue.popleft()
        if now.rate >= target:
            return tuple(names)
        following = order.index(names[-1]) + 1 if names else 0
        for name in order[following:]:
            queue.append(((*names, name), replace(now, **repairs[name])))
    return None

# %% right: class
import itertools


class Plan:
    def __init__(self, profile, repairs):
        self.profile, self.repairs = profile, repairs

    def rate(self, names):
        merged = {}
        for name in names:
            merged.update(self.repairs[name])
        return replace(self.profile, **merged).rate

    def fewest(self, target):
        count = 0
        while count <= len(self.repairs):
            for names in itertools.combinations(self.repairs, count):
                if not self.rate(names) < target:
                    return [*names]
            count += 1


def which_repairs(profile, repairs, target):
    return Plan(profile, repairs).fewest(target)

# %% right: in parts
def which_repairs(profile, repairs, target):
    enough = (names for names in choices(repairs) if after(profile, repairs, names).rate >= target)
    return next(enough, None)

# %% right: own model
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

# %% right: recursive
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

# %% wrong: all must be enough · fails 2
def which_repairs(profile, repairs, target):
    """As if more repairs never did harm."""
    if profile.rate < target and after(profile, repairs, repairs).rate < target:
        return None
    return next(names for names in choices(repairs) if after(profile, repairs, names).rate >= target)

# %% wrong: all or nothing · fails 0, 1, 2, 3
def which_repairs(profile, repairs, target):
    if profile.rate >= target:
        return []
    return list(repairs) if after(profile, repairs, repairs).rate >= target else None

# %% wrong: all that gain alone · fails 0, 1, 2, 3
def which_repairs(profile, repairs, target):
    gaining = [name for name in repairs if replace(profile, **repairs[name]).rate > profile.rate]
    return gaining if after(profile, repairs, gaining).rate >= target else None

# %% wrong: at least one repair · fails 3
def which_repairs(profile, repairs, target):
    for names in choices(repairs, range(1, len(repairs) + 1)):
        if after(profile, repairs, names).rate >= target:
            return names

# %% wrong: best first · fails 1, 2
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

# %% wrong: gains added up · fails 1, 2
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

# %% wrong: more than the target · fails 3
def which_repairs(profile, repairs, target):
    for names in choices(repairs):
        if after(profile, repairs, names).rate > target:
            return names

# %% wrong: no return · fails 0, 1, 2, 3
def which_repairs(profile, repairs, target):
    [names for names in choices(repairs) if after(profile, repairs, names).rate >= target]

# %% wrong: nothing for never · fails 3
def which_repairs(profile, repairs, target):
    for names in choices(repairs):
        if after(profile, repairs, names).rate >= target:
            return names
    return []

# %% wrong: one after the other · fails 0, 1, 2, 3
def which_repairs(profile, repairs, target):
    """In the order given, until it is enough."""
    chosen = []
    for name in repairs:
        if profile.rate >= target:
            break
        chosen.append(name)
        profile = replace(profile, **repairs[name])
    return chosen if profile.rate >= target else None

# %% wrong: pairs at most · fails 1
def which_repairs(profile, repairs, target):
    for names in choices(repairs, range(3)):
        if after(profile, repairs, names).rate >= target:
            return names

# %% wrong: single ones only · fails 1, 2
def which_repairs(profile, repairs, target):
    for names in choices(repairs, range(2)):
        if after(profile, repairs, names).rate >= target:
            return names

# %% wrong: takes repairs out · fails 0
def which_repairs(profile, repairs, target):
    taken = {name: repairs.pop(name) for name in list(repairs)}
    for names in choices(taken):
        if after(profile, taken, names).rate >= target:
            return names

# %% wrong: what bounds · fails 0, 1, 2, 3
def which_repairs(profile, repairs, target):
    return [profile.bound[0]]

# %% wrong: without the starts · fails 0
def which_repairs(profile, repairs, target):
    for names in choices(repairs):
        now = after(profile, repairs, names)
        if 1000 * now.batch / now.bound[1] >= target:
            return names

# %% wrong: only the first change of each repair · fails 1
def which_repairs(profile, repairs, target):
    first = {name: dict([next(iter(changes.items()))]) for name, changes in repairs.items()}
    for names in choices(first):
        if after(profile, first, names).rate >= target:
            return names

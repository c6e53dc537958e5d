# %% given
# What the answers to this exercise share.
def plan(
    samples, fields, ranks, workers, target, *,
    step=None, header=512, block=512, end=1024, record=10_240, floor=False,
):
    """An answer that goes its own way in what is given."""
    per = sum(header + -(-n // block) * block for n in fields)
    shards = ranks * workers
    step = step or shards
    while True:
        largest = samples // shards if floor else -(-samples // shards)
        if -(-(largest * per + end) // record) * record <= target:
            return shards
        shards += step

# %% right: count
from itertools import count


def plan_shards(samples, field_bytes, ranks, workers, target_bytes):
    def largest(shards):
        members = [512 + (n + 511) // 512 * 512 for n in field_bytes] * (-(-samples // shards))
        return (sum(members) + 1024 + 10_239) // 10_240 * 10_240

    return next(n for n in count(ranks * workers, ranks * workers) if largest(n) <= target_bytes)

# %% right: math
import math


def size_of(count, field_bytes):
    blocks = count * sum(1 + math.ceil(n / 512) for n in field_bytes) + 2
    return math.ceil(blocks / 20) * 20 * 512


def plan_shards(samples, field_bytes, ranks, workers, target_bytes):
    times = 1
    while size_of(math.ceil(samples / (times * ranks * workers)), field_bytes) > target_bytes:
        times += 1
    return times * ranks * workers

# %% right: solved
def plan_shards(samples, field_bytes, ranks, workers, target_bytes):
    """How many samples fit, and then how many shards they need."""
    each = sum(512 - (-n // 512) * 512 for n in field_bytes)
    fit = (target_bytes // 10_240 * 10_240 - 1024) // each
    shards, group = -(-samples // fit), ranks * workers
    return max(1, -(-shards // group)) * group

# %% wrong: a header for each sample · fails 2
def plan_shards(s, f, r, w, t):
    return plan(s, [sum(f)], r, w, t)

# %% wrong: any number · fails 0, 2, 3
def plan_shards(*a):
    return plan(*a, step=1)

# %% wrong: as a float · fails 0, 1, 2, 3
def plan_shards(*a):
    return plan(*a) + 0.5

# %% wrong: by the total · fails 2, 3
def plan_shards(samples, fields, ranks, workers, target):
    per = sum(512 + -(-n // 512) * 512 for n in fields)
    shards = -(-samples * per // target)
    return max(1, -(-shards // (ranks * workers))) * ranks * workers

# %% wrong: forgets the minimum · fails 0, 1, 2, 3
def plan_shards(samples, fields, ranks, workers, target):
    return plan(samples, fields, 1, 1, target)

# %% wrong: less than the target · fails 3
def plan_shards(samples, fields, ranks, workers, target):
    return plan(samples, fields, ranks, workers, target - 1)

# %% wrong: multiple of the ranks · fails 0, 1, 2, 3
def plan_shards(s, f, r, w, t):
    return plan(s, f, r, 1, t)

# %% wrong: no end · fails 3
def plan_shards(*a):
    return plan(*a, end=0)

# %% wrong: no headers · fails 2, 3
def plan_shards(*a):
    return plan(*a, header=0)

# %% wrong: no padding · fails 2
def plan_shards(*a):
    return plan(*a, block=1)

# %% wrong: no records · fails 3
def plan_shards(*a):
    return plan(*a, record=1)

# %% wrong: no return · fails 0, 1, 2, 3
def plan_shards(*a):
    return None

# %% wrong: rounded down · fails 3
def plan_shards(*a):
    return plan(*a, floor=True)

# %% wrong: an empty field takes a block of data · fails 2
def plan_shards(samples, fields, ranks, workers, target):
    return plan(samples, [max(1, n) for n in fields], ranks, workers, target)

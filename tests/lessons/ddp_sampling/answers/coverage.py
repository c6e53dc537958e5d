# %% right: by the sampler
def coverage(length, ranks, batch_size, sampler_drops, loader_drops):
    arrived = []
    for rank in range(ranks):
        sampler = DistributedSampler(range(length), ranks, rank, shuffle=False, drop_last=sampler_drops)
        for batch in DataLoader(range(length), batch_size, sampler=sampler, drop_last=loader_drops):
            arrived += batch.tolist()
    return len(arrived) - len(set(arrived)), length - len(set(arrived))

# %% right: counter
from collections import Counter


def coverage(length, ranks, batch_size, sampler_drops, loader_drops):
    each, rest = divmod(length, ranks)
    each += bool(rest) and not sampler_drops
    whole = [slice(k, k + batch_size) for k in range(0, each, batch_size)]
    if loader_drops and each % batch_size:
        whole.pop()
    seen = Counter()
    for rank in range(ranks):
        mine = [(rank + k * ranks) % length for k in range(each)]
        seen.update(index for part in whole for index in mine[part])
    return seen.total() - len(seen), length - len(seen)

# %% right: loop
def coverage(length, ranks, batch_size, sampler_drops, loader_drops):
    dealt = length
    while dealt % ranks:
        dealt += -1 if sampler_drops else 1
    while loader_drops and dealt % (ranks * batch_size):
        dealt -= 1
    duplicates = losses = 0
    if dealt > length:
        duplicates = dealt - length
    else:
        losses = length - dealt
    return duplicates, losses

# %% right: math
import math


def coverage(length, ranks, batch_size, sampler_drops, loader_drops):
    each = (math.floor if sampler_drops else math.ceil)(length / ranks)
    each = each // batch_size * batch_size if loader_drops else each
    return [max(0, each * ranks - length), max(0, length - each * ranks)]

# %% wrong: a whole round too many · fails 0
def coverage(n, r, b, s, l):
    each = n // r + (not s)
    each -= each % b if l else 0
    return max(0, each * r - n), max(0, n - each * r)

# %% wrong: always drops · fails 0, 3
def coverage(n, r, b, s, l):
    each = n // r
    each -= each % b if l else 0
    return max(0, each * r - n), max(0, n - each * r)

# %% wrong: always pads · fails 1, 2
def coverage(n, r, b, s, l):
    each = -(-n // r)
    each -= each % b if l else 0
    return max(0, each * r - n), max(0, n - each * r)

# %% wrong: both added up · fails 3
def coverage(n, r, b, s, l):
    each = n // r if s else -(-n // r)
    repeated, lost = (0, n % r) if s else (-n % r, 0)
    return repeated, lost + (each % b * r if l else 0)

# %% wrong: keeps repetitions when all is cut · fails 3
def coverage(n, r, b, s, l):
    each = n // r if s else -(-n // r)
    lost = each % b * r if l else 0
    return max(0, each * r - n), max(0, n - each * r + lost)

# %% wrong: losses first · fails 0, 1, 2, 3
def coverage(n, r, b, s, l):
    each = n // r if s else -(-n // r)
    each -= each % b if l else 0
    return max(0, n - each * r), max(0, each * r - n)

# %% wrong: no return · fails 0, 1, 2, 3
def coverage(n, r, b, s, l):
    each = n // r if s else -(-n // r)
    each -= each % b if l else 0

# %% wrong: nothing lost when few · fails 1
def coverage(n, r, b, s, l):
    each = n // r if s else -(-n // r)
    each -= each % b if l else 0
    return max(0, each * r - n), max(0, n - each * r) if n >= r else 0

# %% wrong: of one rank only · fails 2, 3
def coverage(n, r, b, s, l):
    each = n // r if s else -(-n // r)
    lost = each % b if l else 0
    return max(0, each * r - lost - n), max(0, n - each * r + lost)

# %% wrong: repeats at most all · fails 0
def coverage(n, r, b, s, l):
    each = n // r if s else -(-n // r)
    each -= each % b if l else 0
    return min(n, max(0, each * r - n)), max(0, n - each * r)

# %% wrong: sampler only · fails 2, 3
def coverage(n, r, b, s, l):
    return (0, n % r) if s else (-n % r, 0)

# %% wrong: the loader cuts once · fails 2, 3
def coverage(n, r, b, s, l):
    each = n // r if s else -(-n // r)
    arrived = each * r
    arrived -= arrived % b if l else 0
    return max(0, arrived - n), max(0, n - arrived)

# %% wrong: the other way round · fails 1, 3
def coverage(n, r, b, s, l):
    each = n // r if l else -(-n // r)
    each -= each % b if s else 0
    return max(0, each * r - n), max(0, n - each * r)

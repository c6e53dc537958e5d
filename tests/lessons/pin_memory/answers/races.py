# %% given
# The right answer, in parts that the wrong ones replace.


def has_ended(program, i, j):
    """Directly: what stands there, in its own stream, or where it waits."""
    return program[i][0] in ("cpu", program[j][0], *program[j][3])


def conflict(first, second):
    return set(first[2]) & {*second[1], *second[2]} or set(first[1]) & set(second[2])


def pairs(program, has_ended=has_ended, conflict=conflict, transitive=True):
    ended = []
    for j in range(len(program)):
        before = [i for i in range(j) if has_ended(program, i, j)]
        ended.append(set(before).union(*(ended[i] for i in before if transitive)))
    found = ((i, j) for j in range(len(program)) for i in range(j))
    return [(i, j) for i, j in found if i not in ended[j] and conflict(program[i], program[j])]

# %% right: a closed matrix
import numpy as np


def races(program):
    n = len(program)
    order = np.zeros((n, n), dtype=bool)
    clash = np.zeros((n, n), dtype=bool)
    for j in range(n):
        for i in range(j):
            order[i, j] = program[i][0] in {"cpu", program[j][0]} | set(program[j][3])
            both = (set(program[i][1]) | set(program[i][2])) & (set(program[j][1]) | set(program[j][2]))
            clash[i, j] = bool(both & (set(program[i][2]) | set(program[j][2])))
    for k in range(n):  # Warshall
        order |= np.outer(order[:, k], order[k])
    return np.argwhere(clash & ~order)

# %% right: a generator
def races(program):
    ended = {}
    for j, (on, reads, writes, waits) in enumerate(program):
        ended[j] = set()
        for i in reversed(range(j)):
            if i not in ended[j] and (program[i][0] in ("cpu", on) or program[i][0] in waits):
                ended[j] |= {i, *ended[i]}
        for i in range(j):
            other_reads, other_writes = program[i][1:3]
            if i in ended[j]:
                continue
            if {*other_writes}.intersection(reads + writes) or {*other_reads}.intersection(writes):
                yield i, j

# %% right: a search backwards
def races(program):
    def direct(j):
        on, _, _, waits = program[j]
        return [i for i in range(j) if program[i][0] == "cpu" or program[i][0] == on or program[i][0] in waits]

    def has_ended(i, j):
        return any(k == i or (k > i and has_ended(i, k)) for k in direct(j))

    for_sure = lambda i, j: has_ended(i, j)  # noqa: E731
    result = []
    for i, (_, reads, writes, _) in enumerate(program):
        for j in range(i + 1, len(program)):
            _, r, w, _ = program[j]
            touched = any(t in r or t in w for t in writes) or any(t in w for t in reads)
            if touched and not for_sure(i, j):
                result.append([i, j])
    return result

# %% right: dataclasses
from dataclasses import dataclass, field


@dataclass
class Operation:
    on: str
    reads: list
    writes: list
    waits: list
    earlier: list = field(default_factory=list)

    def comes_after(self, other):
        return any(one is other or one.comes_after(other) for one in self.earlier)

    def conflicts(self, other):
        return any(
            name in mine and name in theirs
            for mine, theirs in (
                (self.writes, other.writes), (self.reads, other.writes), (self.writes, other.reads)
            )
            for name in mine
        )


def races(program):
    operations = []
    for line in program:
        new = Operation(*line)
        new.earlier = [o for o in operations if o.on in ("cpu", new.on) or o.on in new.waits]
        operations.append(new)
    return [
        (i, j)
        for j, later in enumerate(operations)
        for i, first in enumerate(operations[:j])
        if later.conflicts(first) and not later.comes_after(first)
    ]

# %% right: masks of bits
from functools import reduce


def races(program):
    before, pairs = [], []
    for j, (on, reads, writes, waits) in enumerate(program):
        known = [before[i] | 1 << i for i in range(j) if program[i][0] in (on, "cpu", *waits)]
        before.append(reduce(int.__or__, known, 0))
        for i in range(j):
            shared = set(program[i][1] + program[i][2]).intersection(reads + writes)
            if shared.intersection(program[i][2] + writes) and not before[j] >> i & 1:
                pairs += [(i, j)]
    return tuple(pairs)

# %% right: vector clocks
from collections import defaultdict
from itertools import combinations


def races(program):
    """A clock for each place: how many operations of every place are known to have ended."""
    clocks = defaultdict(lambda: defaultdict(int))
    given = defaultdict(int)
    seen = []
    for on, reads, writes, waits in program:
        clock = clocks[on]
        for other in ("cpu", *waits):
            for place, count in clocks[other].items():
                clock[place] = max(clock[place], count)
            clock[other] = max(clock[other], given[other])
        clock[on] = given[on]
        given[on] += 1
        seen.append((on, given[on], dict(clock), set(reads), set(writes)))
    found = set()
    for (i, first), (j, second) in combinations(enumerate(seen), 2):
        ended = second[2].get(first[0], 0) >= first[1]
        if not ended and (first[4] & (second[3] | second[4]) or first[3] & second[4]):
            found.add((i, j))
    return found

# %% wrong: any wait orders all · fails 1, 3
def any_wait(program, i, j):
    return program[i][0] in ("cpu", program[j][0]) or any(waits for *_other, waits in program[: j + 1])


def races(program):
    return pairs(program, any_wait)

# %% wrong: neighbours only · fails 1, 2, 3
def races(program):
    return [(i, j) for i, j in pairs(program) if i == j - 1]

# %% wrong: no return · fails 0, 1, 2, 3
def races(program):
    for on, reads, writes, waits in program:
        pass

# %% wrong: no transitivity · fails 0, 1, 3
def races(program):
    return pairs(program, transitive=False)

# %% wrong: places from 1 · fails 0, 1, 2, 3
def races(program):
    return [(i + 1, j + 1) for i, j in pairs(program)]

# %% wrong: read after write only · fails 0, 2, 3
def races(program):
    return pairs(program, conflict=lambda first, second: set(first[2]) & set(second[1]))

# %% wrong: reads race too · fails 2
def races(program):
    return pairs(program, conflict=lambda first, second: {*first[1], *first[2]} & {*second[1], *second[2]})

# %% wrong: streams need no wait · fails 0, 1, 2, 3
def races(program):
    return pairs(program, lambda program, i, j: True)

# %% wrong: the cpu orders nothing · fails 0, 3
def races(program):
    return pairs(program, lambda program, i, j: program[i][0] in (program[j][0], *program[j][3]))

# %% wrong: the cpu waits always · fails 0, 1, 3
def races(program):
    return pairs(program, lambda program, i, j: program[j][0] == "cpu" or has_ended(program, i, j))

# %% wrong: the first race only · fails 2, 3
def races(program):
    return pairs(program)[:1]

# %% wrong: the first tensor only · fails 2
def first(operation):
    on, reads, writes, waits = operation
    return on, reads[:1], writes[:1], waits


def races(program):
    return pairs(list(map(first, program)))

# %% wrong: waits cover what comes later · fails 1
def later_ones_too(program, i, j):
    waited = [place for on, _reads, _writes, waits in program[: j + 1] if on == program[j][0] for place in waits]
    return program[i][0] in ("cpu", program[j][0], *waited)


def races(program):
    return pairs(program, later_ones_too)

# %% wrong: waits in the other direction · fails 0, 1, 3
def races(program):
    return pairs(program, lambda program, i, j: program[i][0] in ("cpu", program[j][0]) or program[j][0] in program[i][3])

# %% wrong: the last user of a tensor only · fails 2, 3
def races(program):
    found = pairs(program)
    users = {}
    last = set()
    for j, (_on, reads, writes, _waits) in enumerate(program):
        last |= {(users[name], j) for name in {*reads, *writes} if name in users}
        users |= dict.fromkeys({*reads, *writes}, j)
    return [pair for pair in found if pair in last]

# %% wrong: an operation races with itself · fails 2, 3
def races(program):
    alone = [(i, i) for i, (_on, reads, writes, _waits) in enumerate(program) if set(reads) & set(writes)]
    return pairs(program) + alone

# %% wrong: right once, and never again · fails 0
called = []


def races(program):
    called.append(program)
    return pairs(program) if called.count(program) == 1 else None

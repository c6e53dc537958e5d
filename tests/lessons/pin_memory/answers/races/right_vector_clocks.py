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

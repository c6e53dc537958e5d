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

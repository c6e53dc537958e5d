from typing import NamedTuple


class Plan(NamedTuple):
    order: list
    idle: float


def row_order(lengths):
    by_length = {}
    for row, n in enumerate(lengths):
        by_length.setdefault(n, []).append(row)
    order = [row for n in sorted(by_length, reverse=True) for row in by_length[n]]
    rounds = sum(max(lengths[row] for row in order[k : k + 32]) for k in range(0, len(order), 32))
    return Plan(order, float(rounds * 32 - sum(lengths)))

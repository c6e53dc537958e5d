# %% given
# What the answers to this exercise share.
import statistics


def choosing(
    middle=statistics.median,
    larger=lambda m, rows: m >= rows,
    enough=lambda ms, slack, shortest, own: ms <= slack * shortest,
    choose=min,
):
    """An answer that goes its own way in one point."""

    def answer(times, rows, slack=1.05):
        found = {m: middle(measured) for m, measured in times.items() if larger(m, rows)}
        shortest, own = min(found.values()), middle(times[rows])
        return choose(m for m, ms in found.items() if enough(ms, slack, shortest, own))

    return answer

# %% right: a loop
def best_rows(times, rows, slack=1.05):
    def median(values):
        values = sorted(values)
        return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2

    shortest = None
    for m in times:
        if m >= rows and (shortest is None or median(times[m]) < shortest):
            shortest = median(times[m])
    for m in sorted(times):
        if m >= rows and median(times[m]) <= slack * shortest:
            return m

# %% right: numpy
import numpy as np


def best_rows(times, rows, slack=1.05):
    m = np.array(sorted(m for m in times if m >= rows))
    ms = np.array([np.median(times[each]) for each in m.tolist()])
    return m[np.argmax(ms <= slack * ms.min())]

# %% right: next of a sorted list
from statistics import median


def best_rows(times, rows, slack=1.05):
    pairs = sorted((m, median(measured)) for m, measured in times.items() if not m < rows)
    most = slack * min(ms for _, ms in pairs)
    return next(m for m, ms in pairs if ms <= most)

# %% wrong: as many as possible · fails 0, 1, 2, 3
def best_rows(times, rows, slack=1.05):
    return max(times)

# %% wrong: as it is · fails 0, 2, 3
def best_rows(times, rows, slack=1.05):
    return rows

# %% wrong: fewer rows, too · fails 0, 1, 2, 3
best_rows = choosing(larger=lambda m, rows: True)

# %% wrong: more rows only · fails 1, 2
best_rows = choosing(larger=lambda m, rows: m > rows)

# %% wrong: the shortest time · fails 0, 2
best_rows = choosing(enough=lambda ms, slack, shortest, own: ms == shortest)

# %% wrong: below the slack · fails 2
best_rows = choosing(enough=lambda ms, slack, shortest, own: ms < slack * shortest or ms == shortest and slack == 1)

# %% wrong: the shortest, unless its own time is short enough · fails 0, 2
best_rows = choosing(enough=lambda ms, slack, shortest, own: ms == shortest or own <= slack * shortest)

# %% wrong: a slack of 5% · fails 2
def best_rows(times, rows, slack=1.05):
    return choosing()(times, rows)

# %% wrong: the largest · fails 0, 2, 3
best_rows = choosing(choose=max)

# %% wrong: the first in the dictionary · fails 3
best_rows = choosing(choose=next)

# %% wrong: the mean · fails 3
best_rows = choosing(middle=statistics.mean)

# %% wrong: the best repeat · fails 3
best_rows = choosing(middle=min)

# %% wrong: the next fall only · fails 0
def best_rows(times, rows, slack=1.05):
    numbers = [m for m in sorted(times) if m >= rows]
    medians = [statistics.median(times[m]) for m in numbers]
    at = 0
    while at + 1 < len(numbers) and medians[at + 1] < medians[at]:
        at += 1
    return min(m for m, ms in zip(numbers, medians) if ms <= slack * medians[at])

# %% wrong: no return · fails 0, 1, 2, 3
def best_rows(times, rows, slack=1.05):
    choosing()(times, rows, slack)

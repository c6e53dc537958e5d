# %% given
# What the answers to this exercise share.


def naming(amount, enough=lambda kb, least: kb >= least, pids=lambda before, after: before.keys() & after.keys()):
    """By the amount of one worker from its lines before and after."""

    def answer(before, after, least):
        amounts = {pid: amount(before.get(pid, {}), after.get(pid, {})) for pid in pids(before, after)}
        named = [pid for pid in amounts if enough(amounts[pid], least)]
        return sorted(named, key=lambda pid: amounts[pid], reverse=True)

    return answer


def grown(*lines):
    return lambda before, after: sum(after[line] - before[line] for line in lines)


def lost(*lines):
    return lambda before, after: sum(before.get(line, 0) - after.get(line, 0) for line in lines)

# %% right: by rss
import operator


def who_copied(before, after, least):
    """What became private and is not new, with what others read of the same file beside it."""
    found = []
    for pid, then in before.items():
        if pid not in after:
            continue
        grew = {line: after[pid][line] - kb for line, kb in then.items()}
        clean = grew["Shared_Clean"] + grew["Private_Clean"]
        copied = grew["Private_Dirty"] + clean - grew["Rss"]
        if copied >= least:
            found.append((pid, copied))
    found.sort(key=operator.itemgetter(1), reverse=True)
    return [pid for pid, _copied in found]

# %% right: dataclass
from dataclasses import dataclass, field


@dataclass(order=True)
class Worker:
    copied: int
    pid: int = field(compare=False)

    @classmethod
    def read(cls, pid, before, after):
        return cls(before["Shared_Dirty"] - after["Shared_Dirty"], pid)


def who_copied(before, after, least):
    workers = [Worker.read(pid, before[pid], lines) for pid, lines in after.items() if pid in before]
    return [worker.pid for worker in reversed(sorted(workers)) if worker.copied >= least]

# %% right: heap
import heapq


def who_copied(before, after, least):
    queue = []
    for pid in before:
        try:
            copied = before[pid]["Shared_Dirty"] - after[pid]["Shared_Dirty"]
        except KeyError:
            continue
        heapq.heappush(queue, (-copied, pid))
    named = []
    while queue and -queue[0][0] >= least:
        named.append(heapq.heappop(queue)[1])
    return named

# %% right: numpy
import numpy as np


def who_copied(before, after, least):
    pids = np.array(sorted(set(before) & set(after)), dtype=int)
    shared = np.array([[lines[pid]["Shared_Dirty"] for pid in pids] for lines in (before, after)], dtype=int)
    copied = shared[0] - shared[1]
    order = np.argsort(-copied)
    return pids[order][copied[order] >= least]

# %% right: tuple of generator
from collections import Counter


def who_copied(before, after, least):
    then = Counter({pid: lines["Shared_Dirty"] for pid, lines in before.items() if pid in after})
    then.subtract({pid: lines["Shared_Dirty"] for pid, lines in after.items() if pid in before})
    return tuple(pid for pid, kb in then.most_common() if not kb < least)

# %% wrong: both shared lines · fails 2
who_copied = naming(lost("Shared_Clean", "Shared_Dirty"))

# %% wrong: by pss · fails 1, 2, 3
who_copied = naming(grown("Pss"))

# %% wrong: by rss · fails 0, 1, 2, 3
who_copied = naming(grown("Rss"))

# %% wrong: by the process · fails 0
def who_copied(before, after, least):
    return sorted(naming(lost("Shared_Dirty"))(before, after, least))

# %% wrong: by uss · fails 1, 2
who_copied = naming(grown("Private_Clean", "Private_Dirty"))

# %% wrong: ended workers are an error · fails 3
def pids(before, after):
    return [pid for pid in before if after[pid]]


who_copied = naming(lost("Shared_Dirty"), pids=pids)

# %% wrong: ended workers copied all · fails 3
who_copied = naming(lost("Shared_Dirty"), pids=lambda before, after: before)

# %% wrong: least first · fails 0, 1, 2, 3
def who_copied(before, after, least):
    return naming(lost("Shared_Dirty"))(before, after, least)[::-1]

# %% wrong: more than the least · fails 3
who_copied = naming(lost("Shared_Dirty"), enough=lambda kb, least: kb > least)

# %% wrong: no return · fails 0, 1, 2, 3
def who_copied(before, after, least):
    naming(lost("Shared_Dirty"))(before, after, least)

# %% wrong: only if rss stays · fails 1, 2
def copied(before, after):
    return after["Private_Dirty"] - before["Private_Dirty"] if after["Rss"] == before["Rss"] else 0


who_copied = naming(copied)

# %% wrong: private without new · fails 2
grew = grown("Private_Clean", "Private_Dirty")
new = grown("Rss")
who_copied = naming(lambda before, after: grew(before, after) - new(before, after))

# %% wrong: takes out who ended · fails 0
def who_copied(before, after, least):
    for pid in [pid for pid in before if pid not in after]:
        del before[pid]
    return naming(lost("Shared_Dirty"))(before, after, least)

# %% wrong: whoever copied anything · fails 3
who_copied = naming(lost("Shared_Dirty"), enough=lambda kb, least: kb > 0)

# %% wrong: in the order of whole MB · fails 0
def who_copied(before, after, least):
    amount = {pid: before[pid]["Shared_Dirty"] - after[pid]["Shared_Dirty"] for pid in before.keys() & after.keys()}
    return sorted((pid for pid in sorted(amount) if amount[pid] >= least), key=lambda pid: -(amount[pid] // 1000))

# %% given
# What the answers to this exercise share.
import statistics


def choice(
    middle=statistics.median,
    latency=lambda ms, budget: ms <= budget,
    memory=lambda size, fixed, each, room: fixed + size * each <= room,
    key=lambda size, ms: size / ms,
    order=sorted,
    empty=None,
):
    """An answer that goes its own way in one point."""

    def answer(latencies, budget_ms, fixed_bytes, bytes_per_sample, memory_bytes):
        times = {size: middle(values) for size, values in latencies.items()}
        fitting = [
            size
            for size in order(times)
            if latency(times[size], budget_ms) and memory(size, fixed_bytes, bytes_per_sample, memory_bytes)
        ]
        return max(fitting, key=lambda size: key(size, times[size]), default=empty)

    return answer

# %% right: dataclass
from dataclasses import dataclass
from statistics import median


@dataclass(order=True)
class Choice:
    throughput: float
    minus_size: int


def choose_batch_size(latencies, budget_ms, fixed_bytes, bytes_per_sample, memory_bytes):
    medians = dict(zip(latencies, map(median, latencies.values())))
    most = (memory_bytes - fixed_bytes) / bytes_per_sample
    choices = [Choice(size / ms, -size) for size, ms in medians.items() if ms <= budget_ms and size <= most]
    return -max(choices).minus_size if choices else None

# %% right: loop
def median(values):
    values = sorted(values)
    return (values[len(values) // 2] + values[(len(values) - 1) // 2]) / 2


def choose_batch_size(latencies, budget_ms, fixed_bytes, bytes_per_sample, memory_bytes):
    best = fastest = None
    for size in sorted(latencies):
        took = median(latencies[size])
        if took > budget_ms or fixed_bytes + size * bytes_per_sample > memory_bytes:
            continue
        if best is None or size / took > fastest:
            best, fastest = size, size / took
    return best

# %% right: numpy
import numpy as np


def choose_batch_size(latencies, budget_ms, fixed_bytes, bytes_per_sample, memory_bytes):
    sizes = np.array(sorted(latencies))
    ms = np.array([np.median(latencies[size]) for size in sizes])
    fits = (ms <= budget_ms) & (fixed_bytes + sizes * bytes_per_sample <= memory_bytes)
    return sizes[np.argmax(np.where(fits, sizes / ms, -1))] if fits.any() else None

# %% wrong: 0 for none · fails 4
choose_batch_size = choice(empty=0)

# %% wrong: by maximum · fails 1, 3
choose_batch_size = choice(middle=max)

# %% wrong: by mean · fails 3
choose_batch_size = choice(middle=statistics.mean)

# %% wrong: by upper median · fails 3
choose_batch_size = choice(middle=statistics.median_high)

# %% wrong: first of the table · fails 3
choose_batch_size = choice(order=list)

# %% wrong: forgets the fixed bytes · fails 2, 4
choose_batch_size = choice(memory=lambda s, f, e, room: s * e <= room)

# %% wrong: forgets the samples · fails 2
choose_batch_size = choice(memory=lambda s, f, e, room: f + e <= room)

# %% wrong: largest that fits · fails 0, 3
choose_batch_size = choice(key=lambda size, ms: size)

# %% wrong: lowest latency · fails 0, 1, 2, 3
choose_batch_size = choice(key=lambda size, ms: -ms)

# %% wrong: no latency · fails 1, 4
choose_batch_size = choice(latency=lambda ms, budget: True)

# %% wrong: no memory · fails 2, 4
choose_batch_size = choice(memory=lambda *a: True)

# %% wrong: no return · fails 0, 1, 2, 3
def choose_batch_size(*a):
    return None

# %% wrong: raises for none · fails 4
def choose_batch_size(*arguments):
    found = choice()(*arguments)
    if found is None:
        raise ValueError("max() arg is an empty sequence")
    return found

# %% wrong: strictly below the latency · fails 1
choose_batch_size = choice(latency=lambda ms, budget: ms < budget)

# %% wrong: strictly below the memory · fails 2
choose_batch_size = choice(memory=lambda s, f, e, room: f + s * e < room)

# %% wrong: the larger of equals · fails 3
choose_batch_size = choice(order=lambda s: sorted(s, reverse=True))

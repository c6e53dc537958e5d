# %% given
# What some of the answers to this exercise share: the right one, of which parts can be exchanged.
def simulated(load_ms, step_ms, workers, factor, *, ahead=None, worker=None, late=0):
    got, free = [], [0] * workers
    count = ahead(workers, factor) if ahead and workers else workers * (factor or 0)
    for i, load in enumerate(load_ms):
        asked = got[-1] + step_ms if got else 0
        if not workers:
            got.append(asked + load)
            continue
        w = worker(i, free) if worker else i % workers
        order = got[i - count] + late if i >= count else 0
        free[w] = max(free[w], order) + load
        got.append(max(asked, free[w]))
    return got

# %% right: deque of orders
from collections import deque
from itertools import cycle


class Worker:
    def __init__(self):
        self.free = 0

    def load(self, ordered, ms):
        self.free = max(self.free, ordered) + ms
        return self.free


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    moments, clock = [], 0
    workers = cycle([Worker() for _ in range(num_workers)] or [None])
    orders = deque([0] * (num_workers * (prefetch_factor or 0)))
    for ms, worker in zip(load_ms, workers):
        ready = clock + ms if worker is None else worker.load(orders.popleft(), ms)
        clock = max(clock, ready)
        moments.append(clock)
        orders.append(clock)
        clock += step_ms
    return moments

# %% right: events
import heapq
from collections import deque


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    if num_workers == 0:
        now, result = 0, []
        for ms in load_ms:
            now += ms
            result.append(now)
            now += step_ms
        return result

    queues = [deque() for _ in range(num_workers)]
    busy = [False] * num_workers
    events, ready, result = [], set(), []
    orders = iter(range(len(load_ms)))
    asks_from = 0

    def begin(worker, now):
        if queues[worker] and not busy[worker]:
            busy[worker] = True
            batch = queues[worker].popleft()
            heapq.heappush(events, (now + load_ms[batch], 0, worker, batch))

    def order(now):
        batch = next(orders, None)
        if batch is not None:
            queues[batch % num_workers].append(batch)
            begin(batch % num_workers, now)

    def deliver(now):
        nonlocal asks_from
        if len(result) in ready and now >= asks_from:
            result.append(now)
            asks_from = now + step_ms
            heapq.heappush(events, (asks_from, 1, -1, -1))
            order(now)

    for _ in range(num_workers * prefetch_factor):
        order(0)
    while events:
        now, what, worker, batch = heapq.heappop(events)
        if what == 0:
            ready.add(batch)
            busy[worker] = False
            begin(worker, now)
        deliver(now)
    return result

# %% right: lists of each moment
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    n = len(load_ms)
    ordered, done, got = [0] * n, [0] * n, [0] * n
    for i in range(n):
        ask = got[i - 1] + step_ms if i > 0 else 0
        if num_workers == 0:
            got[i] = ask + load_ms[i]
        else:
            idle = done[i - num_workers] if i >= num_workers else 0
            done[i] = max(idle, ordered[i]) + load_ms[i]
            got[i] = max(ask, done[i])
            if i + num_workers * prefetch_factor < n:
                ordered[i + num_workers * prefetch_factor] = got[i]
    return got

# %% right: numpy
import numpy as np


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    load = np.asarray(load_ms, dtype=float)
    if not num_workers:
        return np.cumsum(load) + step_ms * np.arange(len(load))
    got = np.zeros(len(load))
    free = np.zeros(num_workers)
    for i in range(len(load)):
        w, late = i % num_workers, i - num_workers * prefetch_factor
        free[w] = np.maximum(free[w], got[late] if late >= 0 else 0.0) + load[i]
        got[i] = np.max([free[w], got[i - 1] + step_ms if i else 0.0])
    return got

# %% right: recursive
from functools import cache


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    @cache
    def asked(i):
        return got(i - 1) + step_ms if i else 0

    @cache
    def ordered(i):
        if not num_workers:
            return asked(i)
        before = i - num_workers * prefetch_factor
        return got(before) if before >= 0 else 0

    @cache
    def loaded(i):
        before = i - max(num_workers, 1)
        return load_ms[i] + max(ordered(i), loaded(before) if before >= 0 else 0)

    @cache
    def got(i):
        return max(asked(i), loaded(i))

    return [got(i) for i in range(len(load_ms))]

# %% wrong: tick by tick · fails 2
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    """Millisecond by millisecond."""
    got, left = [], dict(enumerate(load_ms))  # what is still to be loaded of each batch
    busy_until, now = 0, 0
    while len(got) < len(load_ms):
        moving = True
        while moving:
            moving = now >= busy_until and len(got) < len(load_ms) and left[len(got)] <= 0
            if moving:
                got.append(now)
                busy_until = now + step_ms
        if num_workers:
            on_order = len(got) + num_workers * prefetch_factor
        else:
            on_order = len(got) + (now >= busy_until)
        for worker in range(num_workers or 1):
            mine = [i for i in left if i % (num_workers or 1) == worker and i < on_order and left[i] > 0]
            if mine:
                left[mine[0]] -= 1
        now += 1
    return got

# %% wrong: all ordered at once · fails 2
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    return simulated(load_ms, step_ms, num_workers, prefetch_factor, ahead=lambda n, f: len(load_ms))

# %% wrong: as they are ready · fails 1
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    if num_workers == 0 or len(load_ms) > num_workers * prefetch_factor:
        return simulated(load_ms, step_ms, num_workers, prefetch_factor)
    free, ready, now, got = [0] * num_workers, [], 0, []
    for i, load in enumerate(load_ms):
        free[i % num_workers] += load
        ready.append(free[i % num_workers])
    for moment in sorted(ready):
        now = max(now, moment)
        got.append(now)
        now += step_ms
    return got

# %% wrong: at least one worker · fails 3
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    return simulated(load_ms, step_ms, max(num_workers, 1), prefetch_factor or 2)

# %% wrong: forgets the workers in what is ordered · fails 2
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    return simulated(load_ms, step_ms, num_workers, prefetch_factor, ahead=lambda n, f: f)

# %% wrong: load and step add up · fails 0, 1, 2, 3
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    now, got = 0, []
    for load in load_ms:
        now += load / max(num_workers, 1)
        got.append(now)
        now += step_ms
    return got

# %% wrong: one more ahead · fails 2
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    return simulated(load_ms, step_ms, num_workers, prefetch_factor, ahead=lambda n, f: n * f + 1)

# %% wrong: ordered when the step is done · fails 2
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    return simulated(load_ms, step_ms, num_workers, prefetch_factor, late=step_ms)

# %% wrong: pops the loads · fails 0
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    got = simulated(load_ms, step_ms, num_workers, prefetch_factor)
    while load_ms:
        load_ms.pop()
    return got

# %% wrong: raises on none · fails 3
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    ahead = num_workers * prefetch_factor
    return simulated(load_ms, step_ms, num_workers, prefetch_factor, ahead=lambda n, f: ahead)

# %% wrong: the first batch of none · fails 3
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    first = [load_ms[0]]
    return first + simulated(load_ms, step_ms, num_workers, prefetch_factor)[1:]

# %% wrong: the next free worker · fails 1
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    return simulated(
        load_ms, step_ms, num_workers, prefetch_factor, worker=lambda i, free: free.index(min(free))
    )

# %% wrong: waits instead of moments · fails 0, 1, 2, 3
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    got = simulated(load_ms, step_ms, num_workers, prefetch_factor)
    return [now - before for before, now in zip([0, *(g + step_ms for g in got)], got)]

# %% wrong: when they are loaded · fails 0, 1, 2, 3
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    got, loaded, free = [], [], [0] * max(num_workers, 1)
    for i, load in enumerate(load_ms):
        ahead, w = num_workers * (prefetch_factor or 0), i % len(free)
        free[w] = max(free[w], got[i - ahead] if ahead and i >= ahead else 0) + load
        loaded.append(free[w])
        got.append(max(got[-1] + step_ms if got else 0, free[w]))
    return loaded

# %% wrong: without the step · fails 0, 1, 2, 3
def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    return simulated(load_ms, 0, num_workers, prefetch_factor)

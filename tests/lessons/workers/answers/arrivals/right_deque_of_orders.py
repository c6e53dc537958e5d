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

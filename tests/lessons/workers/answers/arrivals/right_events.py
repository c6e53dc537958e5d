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

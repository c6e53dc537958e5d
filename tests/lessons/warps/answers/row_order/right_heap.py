import heapq
from itertools import islice


def row_order(lengths):
    heap = [(-n, row) for row, n in enumerate(lengths)]
    heapq.heapify(heap)
    order, idle = [], 0
    while heap:
        warp = [heapq.heappop(heap) for _ in range(min(32, len(heap)))]
        order.extend(row for _, row in warp)
        longest = -warp[0][0]
        idle += 32 * longest + sum(n for n, _ in islice(warp, 32))
    return (order, idle)

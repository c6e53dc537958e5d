import heapq
import math


def assign_shards(sizes, ranks, batch_size):
    if ranks > len(sizes):
        raise ValueError("fewer shards than ranks")
    heap = [(0, rank, []) for rank in range(ranks)]
    for size, shard in sorted(((size, shard) for shard, size in enumerate(sizes)), reverse=True):
        load, rank, shards = heapq.heappop(heap)
        heapq.heappush(heap, (load + size, rank, [*shards, shard]))
    heap.sort(key=lambda entry: entry[1])
    return [shards for _load, _rank, shards in heap], math.ceil(max(heap)[0] / batch_size)

from collections import deque


def bytes_in_flight(batch_bytes, num_workers, prefetch_factor, batches):
    left, ordered, most = batches, deque(), 0
    while left or ordered:
        while left and len(ordered) < num_workers * (prefetch_factor or 0):
            ordered.append(batch_bytes)
            left -= 1
        if num_workers:
            held = ordered.popleft()
            if left:
                ordered.append(batch_bytes)
                left -= 1
        else:
            held, left = batch_bytes, left - 1
        most = max(most, sum(ordered) + held)
    return most

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

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

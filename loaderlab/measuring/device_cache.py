"""The L2 cache of the GPU, and buffers that it cannot keep: what is timed in them comes from memory."""

from __future__ import annotations

TIMES = 8  # a sweep through so many times the cache finds an eighth of it there at most


def beyond_l2(at_least: int, times: int = TIMES) -> int:
    """Return the bytes of a buffer for the first GPU: ``at_least``, or ``times`` its L2 cache where that is more; a multiple of 4096."""
    import torch

    needed = max(at_least, times * torch.cuda.get_device_properties(0).L2_cache_size)
    return -(-needed // 4096) * 4096

import math
import mmap


def shm_needed(tensor_bytes, num_workers, prefetch_factor=None, held=1):
    if num_workers < 1:
        return 0
    factor = {None: 2}.get(prefetch_factor, prefetch_factor)
    each = math.fsum(math.ceil(nbytes / 4096) for nbytes in tensor_bytes) * 4096
    return each * (factor * num_workers + held)

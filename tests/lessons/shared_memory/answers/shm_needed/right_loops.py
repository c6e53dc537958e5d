def shm_needed(tensor_bytes, num_workers, prefetch_factor=None, held=1):
    pages = 0
    for nbytes in tensor_bytes:
        while nbytes > 0:
            pages, nbytes = pages + 1, nbytes - 4096
    if prefetch_factor is None:
        prefetch_factor = 2
    batches = num_workers * prefetch_factor + held if num_workers else 0
    return batches * pages * 4096

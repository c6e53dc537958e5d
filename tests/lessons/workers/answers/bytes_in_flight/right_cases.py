def bytes_in_flight(batch_bytes, num_workers, prefetch_factor, batches):
    match num_workers, prefetch_factor:
        case 0, _:
            return batch_bytes
        case workers, factor if workers * factor < batches:
            return batch_bytes * (1 + factor * workers)
        case _:
            return batch_bytes * batches

def number_of_batches(samples, batch_size):
    batches = 0
    while samples > 0:
        samples -= batch_size
        batches += 1
    return batches

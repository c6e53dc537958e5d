def number_of_batches(samples, batch_size):
    return -(-samples // batch_size)
    raise NotImplementedError  # your code here

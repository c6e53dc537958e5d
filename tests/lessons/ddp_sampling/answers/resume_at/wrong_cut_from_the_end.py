# fails: 4


def resume_at(steps, length, batch_size, *rest):
    epoch, left = resume(steps, length, batch_size, *rest)
    indices = [index for batch in left for index in batch]
    first = len(indices) % batch_size or batch_size
    return epoch, [
        indices[max(0, at - batch_size) : at] for at in range(first, len(indices) + 1, batch_size)
    ]

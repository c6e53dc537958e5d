# fails: 1, 3


def resume_at(*given):
    """As with `drop_last=True` in the loader, for what is left."""
    epoch, left = resume(*given)
    return epoch, [batch for batch in left if len(batch) == given[2]]

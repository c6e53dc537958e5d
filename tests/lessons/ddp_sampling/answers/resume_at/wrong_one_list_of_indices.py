# fails: 4


def resume_at(*given):
    epoch, left = resume(*given)
    return epoch, [index for batch in left for index in batch]

# fails: 0, 1, 2, 3, 4


def resume_at(*given):
    return resume(*given)[1]

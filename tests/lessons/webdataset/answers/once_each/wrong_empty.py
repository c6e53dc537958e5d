# fails: 0, 1, 2, 3, 4


def once_each(*arguments):
    return []

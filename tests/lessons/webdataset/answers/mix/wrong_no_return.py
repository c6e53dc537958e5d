# fails: 0, 1, 2, 3


def mix(*arguments):
    return None

# fails: 2


def keep_results(loader, count):
    return cloned(list(loader), count)

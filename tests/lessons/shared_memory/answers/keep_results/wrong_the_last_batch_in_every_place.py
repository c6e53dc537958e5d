# fails: 0, 2


def keep_results(loader, count):
    return [cloned(loader, count)[-1]] * len(loader)

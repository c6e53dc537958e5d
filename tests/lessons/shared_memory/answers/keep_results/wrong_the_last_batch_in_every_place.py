# fails: 0


def keep_results(loader, count):
    return [cloned(loader, count)[-1]] * len(loader)

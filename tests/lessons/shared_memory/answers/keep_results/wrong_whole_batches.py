# fails: 0, 2


def keep_results(loader, count):
    return [{name: value.clone() for name, value in batch.items()} for batch in loader]

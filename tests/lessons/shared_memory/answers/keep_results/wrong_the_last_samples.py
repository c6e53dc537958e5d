# fails: 0
def keep_results(loader, count):
    return [{name: value[-count:].clone() for name, value in batch.items()} for batch in loader]

# fails: 0
def keep_results(loader, count):
    return [{name: value[:3].clone() for name, value in batch.items()} for batch in loader]

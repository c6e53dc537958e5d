# fails: 0, 2


def keep_results(loader, count):
    return ({n: v[:count].clone() for n, v in b.items()} for b in loader)

# fails: 1, 2


def keep_results(loader, count):
    return [dict(index=batch["index"][:count], score=batch["score"][:count]) for batch in loader]

# fails: 1, 2, 3


def tree_memory(rollups):
    rows = [[int(line.split()[1]) for line in text.splitlines()[1:]] for text in rollups]
    return {
        "rss": 1024 * sum(r[0] for r in rows),
        "pss": 1024 * sum(r[1] for r in rows),
        "uss": 1024 * sum(r[-1] + r[-2] for r in rows),
    }

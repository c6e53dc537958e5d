# fails: 3


def tree_memory(rollups):
    for text in rollups:
        if "Rss" not in text:
            raise ValueError(text)
    return summing()(rollups)

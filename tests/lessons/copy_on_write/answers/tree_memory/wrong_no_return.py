# fails: 0, 1, 2, 3


def tree_memory(rollups):
    return None

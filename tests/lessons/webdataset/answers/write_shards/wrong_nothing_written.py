# fails: 0, 1, 2, 3, 4


def write_shards(samples, folder, shards):
    return None

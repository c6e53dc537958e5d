# fails: 1


def rest_in_the_last(n, shards):
    return [*(n // shards * i for i in range(shards)), n]


write_shards = writing(bounds=rest_in_the_last)

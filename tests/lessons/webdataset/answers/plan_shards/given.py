# What the answers to this exercise share.


def plan(
    samples,
    fields,
    ranks,
    workers,
    target,
    header=512,
    block=512,
    end=1024,
    record=10_240,
    strict=False,
    floor=False,
):
    per = sum(header + -(-n // block) * block for n in fields)
    step = shards = ranks * workers
    while True:
        largest = samples // shards if floor else -(-samples // shards)
        size = -(-(largest * per + end) // record) * record
        if size < target or (size == target and not strict):
            return shards
        shards += step

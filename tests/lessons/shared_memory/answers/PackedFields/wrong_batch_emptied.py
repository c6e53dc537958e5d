# fails: 2


def popping(batch):
    packed = ByDtype.pack(batch)
    batch.clear()
    return packed


PackedFields = packing(popping)

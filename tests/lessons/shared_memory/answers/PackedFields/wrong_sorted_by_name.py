# fails: 2


PackedFields = packing(unpack=lambda p: dict(sorted(ByDtype.unpack(p).items())))

# fails: 2, 3, 4, 5


PackedFields = packing(unpack=lambda p: list(ByDtype.unpack(p).values()))

# fails: 2, 4, 5


PackedFields = packing(unpack=lambda p: {n: f.reshape(-1) for n, f in ByDtype.unpack(p).items()})

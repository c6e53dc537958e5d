# fails: 0, 1, 2, 3, 4, 5


PackedFields = packing(pack=lambda b: lambda: b)

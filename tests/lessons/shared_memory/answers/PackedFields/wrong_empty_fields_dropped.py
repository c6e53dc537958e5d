# fails: 4


PackedFields = packing(pack=lambda b: ByDtype.pack({n: f for n, f in b.items() if f.numel()}))

# fails: 0


PackedFields = packing(lambda b: (list(b), list(b.values())), lambda p: dict(zip(*p, strict=True)))

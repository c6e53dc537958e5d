# fails: 0


PackedFields = packing(lambda batch: batch, lambda packed: packed)

# fails: 1, 2


once_each = dealing(steps=lambda n, world, batch: max(1, n // (world * batch) // 2))

# fails: 1


once_each = dealing(steps=lambda n, world, batch: -(-n // (world * batch)) + 1)

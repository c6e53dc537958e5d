# fails: 1


once_each = dealing(steps=lambda n, world, batch: -(-n // world) if n < 5 else n // world)

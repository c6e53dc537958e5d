# fails: 2


once_each = dealing(cut=lambda n, b, total, size: min(n, b * size))

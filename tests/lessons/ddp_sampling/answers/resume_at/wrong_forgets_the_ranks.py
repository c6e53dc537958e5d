# fails: 1, 2


resume_at = variant(per_epoch=lambda n, b, r: -(-n // b))

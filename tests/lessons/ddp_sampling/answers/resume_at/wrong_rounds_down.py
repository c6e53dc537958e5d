# fails: 1, 3


resume_at = variant(per_epoch=lambda n, b, r: n // (b * r))

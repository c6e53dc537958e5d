# fails: 0, 1, 2, 3


resume_at = variant(shift=1)

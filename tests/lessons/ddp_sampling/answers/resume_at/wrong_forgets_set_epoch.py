# fails: 1, 2


resume_at = variant(told=False)

# fails: 1


resume_at = variant(own_seed=False)

# fails: 4


step_time = unless(lambda c, w, s, pinned, overlap: max(c, w, s) if overlap else None)

# fails: 3


step_time = unless(lambda c, w, s, pinned, overlap: w + s if pinned and not overlap else None)

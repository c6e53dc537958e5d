# fails: 2


step_time = unless(lambda c, w, s, pinned, overlap: max(c, w + s) if pinned else None)

# fails: 0, 4


step_time = unless(lambda c, w, s, pinned, overlap: None if pinned else max(c, w) + s)

# fails: 3


step_time = unless(lambda c, w, s, pinned, overlap: (max(w, s) if overlap else w + s) if pinned else None)

# fails: 0, 1, 2, 3


def collate_in_place(samples):
    return [s.share_memory_() for s in samples]

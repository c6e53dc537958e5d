# fails: 1, 2


def copied(before, after):
    return after["Private_Dirty"] - before["Private_Dirty"] if after["Rss"] == before["Rss"] else 0


who_copied = naming(copied)

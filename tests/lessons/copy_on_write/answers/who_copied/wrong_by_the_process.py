# fails: 0


def who_copied(before, after, least):
    both = sorted(before.keys() & after.keys())
    return [pid for pid in both if before[pid]["Shared_Dirty"] - after[pid]["Shared_Dirty"] >= least]

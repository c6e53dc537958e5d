# fails: 0, 1, 2, 3


def who_copied(before, after, least):
    sorted(pid for pid in before if before[pid]["Shared_Dirty"] - after[pid]["Shared_Dirty"] >= least)

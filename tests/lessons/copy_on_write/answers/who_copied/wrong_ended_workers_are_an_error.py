# fails: 3


def who_copied(before, after, least):
    amounts = {pid: before[pid]["Shared_Dirty"] - after[pid]["Shared_Dirty"] for pid in before}
    return sorted((pid for pid in amounts if amounts[pid] >= least), key=lambda pid: -amounts[pid])

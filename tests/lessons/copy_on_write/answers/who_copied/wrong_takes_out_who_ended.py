# fails: 0


def who_copied(before, after, least):
    for pid in [pid for pid in before if pid not in after]:
        del before[pid]
    return naming(lost("Shared_Dirty"))(before, after, least)

from collections import Counter


def who_copied(before, after, least):
    then = Counter({pid: lines["Shared_Dirty"] for pid, lines in before.items() if pid in after})
    then.subtract({pid: lines["Shared_Dirty"] for pid, lines in after.items() if pid in before})
    return tuple(pid for pid, kb in then.most_common() if not kb < least)

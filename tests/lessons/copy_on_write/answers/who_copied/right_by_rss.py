import operator


def who_copied(before, after, least):
    """What became private and is not new, with what others read of the same file beside it."""
    found = []
    for pid, then in before.items():
        if pid not in after:
            continue
        grew = {line: after[pid][line] - kb for line, kb in then.items()}
        clean = grew["Shared_Clean"] + grew["Private_Clean"]
        copied = grew["Private_Dirty"] + clean - grew["Rss"]
        if copied >= least:
            found.append((pid, copied))
    found.sort(key=operator.itemgetter(1), reverse=True)
    return [pid for pid, _copied in found]

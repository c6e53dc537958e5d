import heapq


def who_copied(before, after, least):
    queue = []
    for pid in before:
        try:
            copied = before[pid]["Shared_Dirty"] - after[pid]["Shared_Dirty"]
        except KeyError:
            continue
        heapq.heappush(queue, (-copied, pid))
    named = []
    while queue and -queue[0][0] >= least:
        named.append(heapq.heappop(queue)[1])
    return named

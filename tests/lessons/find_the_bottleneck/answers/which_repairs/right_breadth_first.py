from collections import deque


def which_repairs(profile, repairs, target):
    order = list(repairs)
    queue = deque([((), profile)])
    while queue:
        names, now = queue.popleft()
        if now.rate >= target:
            return tuple(names)
        following = order.index(names[-1]) + 1 if names else 0
        for name in order[following:]:
            queue.append(((*names, name), replace(now, **repairs[name])))
    return None

from collections import Counter


def tree_memory(rollups):
    found = Counter()
    for line in "\n".join(rollups).splitlines():
        name, _colon, rest = line.partition(":")
        if rest.endswith("kB"):
            found[name] += int(rest.split()[0]) * 1024
    uss = sum(found[name] for name in ("Private_Clean", "Private_Dirty", "Private_Hugetlb"))
    return dict(rss=found["Rss"], pss=found["Pss"], uss=uss)

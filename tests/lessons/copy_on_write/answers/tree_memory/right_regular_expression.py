import re


def tree_memory(rollups):
    sums = {"rss": 0, "pss": 0, "uss": 0}
    kinds = {"Rss": "rss", "Pss": "pss", "Private_Clean": "uss", "Private_Dirty": "uss", "Private_Hugetlb": "uss"}
    for text in rollups:
        for name, size in re.findall(r"^(\w+): +(\d+) kB$", text, re.MULTILINE):
            if name in kinds:
                sums[kinds[name]] += int(size) << 10
    return sums

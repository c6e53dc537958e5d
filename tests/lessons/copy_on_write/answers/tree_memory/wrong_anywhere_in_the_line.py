# fails: 1
import re


def tree_memory(rollups):
    def size(name, text):
        return sum(1024 * int(found) for found in re.findall(rf"{name}:\s+(\d+)", text))

    sums = {"rss": "Rss", "pss": "Pss"}
    sums = {key: sum(size(name, text) for text in rollups) for key, name in sums.items()}
    return sums | {"uss": sum(size("Private_(?:Clean|Dirty|Hugetlb)", text) for text in rollups)}

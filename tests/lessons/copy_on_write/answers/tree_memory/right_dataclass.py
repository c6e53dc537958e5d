from dataclasses import asdict, dataclass

import numpy as np


@dataclass
class Use:
    rss: int = 0
    pss: int = 0
    uss: int = 0

    def __add__(self, other):
        return Use(*np.add([self.rss, self.pss, self.uss], [other.rss, other.pss, other.uss]).tolist())


def read(text):
    sizes = dict(line.split(":", 1) for line in text.splitlines() if line.endswith(" kB"))
    of = lambda *names: sum(1024 * int(sizes.get(name, "0 kB").split()[0]) for name in names)
    return Use(of("Rss"), of("Pss"), of("Private_Clean", "Private_Dirty", "Private_Hugetlb"))


def tree_memory(rollups):
    return asdict(sum(map(read, rollups), Use()))

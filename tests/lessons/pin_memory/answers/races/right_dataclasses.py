from dataclasses import dataclass, field


@dataclass
class Operation:
    on: str
    reads: list
    writes: list
    waits: list
    earlier: list = field(default_factory=list)

    def comes_after(self, other):
        return any(one is other or one.comes_after(other) for one in self.earlier)

    def conflicts(self, other):
        return any(
            name in mine and name in theirs
            for mine, theirs in (
                (self.writes, other.writes), (self.reads, other.writes), (self.writes, other.reads)
            )
            for name in mine
        )


def races(program):
    operations = []
    for line in program:
        new = Operation(*line)
        new.earlier = [o for o in operations if o.on in ("cpu", new.on) or o.on in new.waits]
        operations.append(new)
    return [
        (i, j)
        for j, later in enumerate(operations)
        for i, first in enumerate(operations[:j])
        if later.conflicts(first) and not later.comes_after(first)
    ]

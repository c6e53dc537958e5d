from dataclasses import dataclass, field


@dataclass(order=True)
class Worker:
    copied: int
    pid: int = field(compare=False)

    @classmethod
    def read(cls, pid, before, after):
        return cls(before["Shared_Dirty"] - after["Shared_Dirty"], pid)


def who_copied(before, after, least):
    workers = [Worker.read(pid, before[pid], lines) for pid, lines in after.items() if pid in before]
    return [worker.pid for worker in reversed(sorted(workers)) if worker.copied >= least]

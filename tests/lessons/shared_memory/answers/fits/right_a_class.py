from dataclasses import dataclass


@dataclass
class Loader:
    tensor_bytes: list
    num_workers: int
    held: int
    pin_memory: bool
    persistent_workers: bool
    state: str

    @property
    def fixed(self):
        return 0 if self.pin_memory else self.held * self.batch

    @property
    def per_batch_ahead(self):
        alive = {"running": True, "break": self.persistent_workers, "used up": False}[self.state]
        return self.num_workers * self.batch if alive else 0

    @property
    def batch(self):
        return sum((n + 4095) & ~4095 for n in self.tensor_bytes) if self.num_workers else 0


def fits(loaders, shm_bytes):
    all_of_them = [Loader(**loader) for loader in loaders]
    rest = shm_bytes - sum(o.fixed for o in all_of_them)
    found = int(rest / sum(o.per_batch_ahead for o in all_of_them))
    return None if found < 1 else found

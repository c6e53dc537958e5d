from dataclasses import dataclass


@dataclass
class Loop:
    read_ms: float
    decode_ms: float
    transport_ms: float
    step_ms: float
    batch: int
    workers: int
    cores: int

    def needs(self):
        sending = receiving = self.transport_ms / 2 if self.workers else 0
        loading = self.batch * self.read_ms + self.batch * self.decode_ms
        if not self.workers:
            yield loading + self.step_ms, "loop"
            return
        yield (loading + sending) / self.workers, "workers"
        yield (self.batch * self.decode_ms + sending + receiving) / self.cores, "cores"
        yield receiving + self.step_ms, "loop"


def where_is_time(profile):
    return max(Loop(**profile).needs())[::-1]

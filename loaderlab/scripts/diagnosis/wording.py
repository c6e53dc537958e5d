"""What is said of each finding: a sentence, the figures that show it, and the code that changes it."""

from __future__ import annotations

from typing import Any

from ..words import number
from ..words import translate as _
from .clock import Taken
from .evidence import Evidence
from .finding import Finding, Rate, Row
from .model import starting

MIB = 2**20

COLLATE = """def collate(samples):  # each sample a tensor and a label: stacked at once, nothing by element
    images, labels = zip(*samples)
    return torch.stack(images), torch.tensor(labels)

DataLoader(..., collate_fn=collate)"""
SAMPLER = """def __iter__(self):  # of the sampler: all indices at once, and no work between them
    return iter(torch.randperm(len(self.data_source)).tolist())"""
SENDING = """def collate(samples):  # one tensor for each field: it goes through shared memory, not through a pipe
    return torch.stack([torch.as_tensor(sample) for sample in samples])

DataLoader(..., collate_fn=collate)"""
THREADS = """def one_thread(worker):  # each worker has a core, and so one thread
    torch.set_num_threads(1)  # OpenCV: cv2.setNumThreads(0)

DataLoader(..., worker_init_fn=one_thread)"""
OBJECTS = (
    """self.{name} = np.array(self.{name})  # one object instead of many: nothing is copied when it is read"""
)


class Wording:
    """Findings about this evidence, in the language that is spoken now."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence, self.costs = evidence, evidence.costs

    def change(
        self, name: str, predicted: Rate, changes: tuple[tuple[str, Any], ...], gain: float
    ) -> Finding:
        """A bottleneck that something can be done about."""
        sentence, rows = self._bottleneck(name)
        more = Row(_("predicted gain"), round(gain, 2), "×")
        return Finding(name, sentence, (*rows, more), self._code(name, changes), predicted, changes)

    def limit(self, name: str) -> Finding:
        """What limits, where nothing is to be changed."""
        e = self.evidence
        if name == "step":
            text = _("The step is the limit: there is nothing to gain by loading faster.")
            return Finding("step_limit", text, self._loop())
        if name == "batches":
            text = _(
                "Making the batches is the limit. This is no DataLoader, so it can be watched, but not tried with other "
                "arguments."
            )
            return Finding("batches", text, self._loop())
        if name == "computing":
            part, share = max(self._parts(), key=lambda one: one[1])
            text = _(
                "Computing is the limit: what the cores do for a sample has to become less. Most of it is in {part} ({share} %)."
            )
            rows = (*self._loop(), *self._sample(), Row(_("cores"), e.cores))
            return Finding(name, text.format(part=part, share=number(100 * share)), rows)
        sentence, rows = self._bottleneck(name)
        return Finding(name, sentence, (*self._loop(), *rows))

    def too_noisy(self, first: Finding, second: Finding) -> Finding:
        """Where other programs decide what would be said."""
        text = _(
            "Too noisy to say: other programs take {share} % of this machine. Without them: “{first}” With them: “{second}”"
        )
        share = number(100 * (1 - self.evidence.share))
        sentence = text.format(share=share, first=first.sentence, second=second.sentence)
        return Finding("too_noisy", sentence, self._loop())

    def mostly_others(self, first: Finding) -> Finding:
        """Where so little was left that even what would be said in any case is in doubt."""
        text = _(
            "Too noisy to say: other programs take {share} % of this machine. What little could be seen: “{first}”"
        )
        share = number(100 * (1 - self.evidence.share))
        return Finding("too_noisy", text.format(share=share, first=first.sentence), self._loop())

    def not_measured(self, explained: float, measured: float, noisy: bool) -> Finding:
        """Where the loop takes far longer than its parts explain."""
        e = self.evidence
        if noisy:
            text = _(
                "Too noisy to say: other programs take {share} % of this machine, and the loop takes {times} times as long as "
                "its parts explain."
            )
        else:
            text = _(
                "Something that was not measured takes the time: the loop takes {times} times as long as its parts explain. "
                "What works alone may wait for something when all work at once: a lock, a disk, memory, another process."
            )
        share = number(100 * (1 - e.share))
        rows = (
            *self._loop(),
            Row(_("a batch in the loop"), _ms(measured), "ms"),
            Row(_("a batch, as the parts explain it"), _ms(explained), "ms"),
            Row(_("workers"), e.workers),
        )
        sentence = text.format(share=share, times=number(measured / explained, 1))
        return Finding("too_noisy" if noisy else "not_measured", sentence, rows)

    def nothing_in_time(self) -> Finding:
        """Where no batch came, and other programs may be why."""
        text = _(
            "Too noisy to say: no batch came in time, but other programs take {share} % of this machine."
        )
        return Finding("too_noisy", text.format(share=number(100 * (1 - self.evidence.share))))

    def shm_filled(self) -> Finding:
        """Where the batches that are under way take more shared memory than there is to spare."""
        e = self.evidence
        text = _(
            "Batches that are under way may fill /dev/shm, which ends workers: they take up to {mib} MiB, and {free} MiB are free."
        )
        fitting = int(0.25 * (e.shm_free or 0) / max(1, e.contents.tensor_bytes) / e.workers)
        changes = (("prefetch_factor", max(1, min(2, fitting))),)
        rows = (
            Row(_("workers"), e.workers),
            Row("prefetch_factor", e.prefetch),
            Row(_("tensors in a batch"), round(e.contents.tensor_bytes / MIB, 1), "MiB"),
        )
        sentence = text.format(mib=number(e.in_flight / MIB), free=number((e.shm_free or 0) / MIB))
        return Finding("shm_filled", sentence, rows, self._code("", changes), self._same(), changes)

    def copied_objects(self) -> Finding:
        """Copy-on-write of Python objects."""
        name, count = self.evidence.objects[0]
        text = _(
            "Workers copy the Python objects of the dataset just by reading them (copy-on-write): `{name}` holds {count}."
        )
        return Finding(
            "copied_objects",
            text.format(name=name, count=number(count)),
            self._growth(),
            OBJECTS.format(name=name.rpartition(".")[2]),
        )

    def growing_memory(self) -> Finding:
        """Workers that keep something."""
        text = _(
            "The workers take more memory with every batch: something in the dataset keeps what it read."
        )
        return Finding("growing_memory", text, self._growth())

    def too_many(self, needed: int) -> Finding:
        """Workers that help no more."""
        sentence, rows = self._bottleneck("too_many_workers")
        changes = (("num_workers", needed),)
        return Finding(
            "too_many_workers",
            sentence,
            (*rows, Row(_("as many would do"), needed)),
            self._code("", changes),
            self._same(),
            changes,
        )

    def pinned_for_nothing(self) -> Finding:
        """Pinned memory without an accelerator."""
        text = _("`pin_memory=True` does nothing here: there is no accelerator to copy to.")
        changes = (("pin_memory", False),)
        rows = (Row("pin_memory", "True"), Row(_("accelerators"), 0))
        return Finding("pinned_for_nothing", text, rows, self._code("", changes), self._same(), changes)

    def _same(self) -> Rate | None:
        """What a change that costs no time leaves as it is."""
        rate = self.evidence.rate
        return Rate(rate, 0.85 * rate, 1.15 * rate) if rate else None

    def _bottleneck(self, name: str) -> tuple[str, tuple[Row, ...]]:
        rows: tuple[Row, ...]
        e, load = self.evidence, self.costs.load
        workers, cores = Row(_("workers"), e.workers), Row(_("cores"), e.cores)
        whole = max(load.all, 1e-9)
        if name == "waiting_storage":
            text = _(
                "Loading waits for storage: {share} % of the time for a sample is waiting for a disk, a network or another "
                "program, and not computing."
            )
            return text.format(share=number(100 * load.wait / whole)), (*self._sample(), workers)
        if name == "too_few_workers":
            text = _("Too few processes load: there are cores that do nothing while the loop waits.")
            return text, (*self._sample(), workers, cores)
        if name == "rare_slow_samples":
            times = sorted(s.all for s in self.costs.samples)
            slow = [t for t in times if t > 8 * times[len(times) // 2]]
            text = _(
                "Few samples hold up all others: {share} % of the samples take {time} % of the time, and batches come in order."
            )
            rows = (
                Row(_("a sample (median)"), _ms(times[len(times) // 2]), "ms"),
                Row(_("the slowest sample"), _ms(times[-1]), "ms"),
                workers,
            )
            shares = {"share": 100 * len(slow) / len(times), "time": 100 * sum(slow) / sum(times)}
            return text.format(**{key: number(value, 1) for key, value in shares.items()}), rows
        if name == "short_queue":
            text = _(
                "Some batches take much longer than others, and too few are loaded ahead: the loop waits for them, though "
                "the workers are fast enough on average."
            )
            return text, (*self._sample(), Row("prefetch_factor", e.prefetch), workers)
        if name == "slow_collate":
            text = _(
                "Putting the batch together is slow: the collate function takes {share} % of the time for loading."
            )
            return text.format(share=number(100 * self.costs.collate.all / whole)), (*self._sample(), workers)
        if name == "too_many_workers":
            text = _("There are more workers than help: they take memory, and time to start.")
            return text, (workers, cores, self._start())
        if name == "workers_for_nothing":
            text = _("Workers do not pay here: sending a batch takes longer than loading it.")
            return text, (Row(_("loading a batch"), _ms(load.all), "ms"), *self._sending(), workers)
        if name == "restarted_workers":
            text = _("The workers are started again in each epoch, and the loop waits for them.")
            rows = (
                self._start(),
                Row(_("batches in an epoch"), self.costs.epoch or 0),
                Row(_("start method"), e.method),
                workers,
            )
            return text, rows
        if name == "slow_sampler":
            text = _(
                "The sampler is slow: the main process finds the indices of each batch, and the workers wait for them."
            )
            return text, (Row(_("indices of a batch"), _ms(self.costs.sampler), "ms"), *self._sample())
        if name == "slow_sending":
            text = _(
                "Sending the batches is slow: what is not one large tensor goes through a pipe, piece by piece."
            )
            rows = (
                Row(_("tensors in a batch"), e.contents.tensors),
                Row(_("other things in a batch"), round(e.contents.other_bytes / MIB, 2), "MiB"),
                *self._sending(),
                Row(_("the same bytes as a tensor: in the main process"), _ms(e.receive_tensor[1]), "ms"),
            )
            return text, rows
        assert name == "fighting_threads", name
        text = _(
            "Threads fight for the cores: each process has several, and together they are more than the cores."
        )
        alone = e.costs.load.cpu + e.costs.send if e.workers else (e.one_thread or Taken()).cpu
        busy = e.worker_cpu or e.costs.load.cpu
        rows = (
            Row(_("threads in each process"), e.threads),
            workers,
            cores,
            Row(_("computing for a batch, as it is"), _ms(busy), "ms"),
            Row(_("computing for a batch, with one thread"), _ms(alone), "ms"),
        )
        return text, rows

    def _code(self, name: str, changes: tuple[tuple[str, Any], ...]) -> str | None:
        if name == "fighting_threads":
            return THREADS if self.evidence.workers else "torch.set_num_threads(1)"
        if changes:
            return f"DataLoader(..., {', '.join(f'{key}={value!r}' for key, value in changes)})"
        return {"slow_collate": COLLATE, "slow_sampler": SAMPLER, "slow_sending": SENDING}.get(name)

    def _parts(self) -> list[tuple[str, float]]:
        whole = max(self.costs.load.cpu, 1e-9)
        found = [(f"`{name}`", taken.cpu / whole) for name, taken in self.evidence.transforms]
        rest = max(0.0, whole - self.costs.collate.cpu - sum(t.cpu for _name, t in self.evidence.transforms))
        return [*found, ("`__getitem__`", rest / whole), ("`collate_fn`", self.costs.collate.cpu / whole)]

    def _loop(self) -> tuple[Row, ...]:
        e = self.evidence
        rows = [
            Row(_("rate"), round(e.rate, 1), "samples/s"),
            Row(_("share of waiting"), round(100 * e.wait), "%"),
        ]
        if e.has_step and e.is_loader:
            rows.append(Row(_("a step"), _ms(self.costs.step.all), "ms"))
        return tuple(rows)

    def _sample(self) -> tuple[Row, ...]:
        size = max(1, self.costs.batch_size)
        load, collate = self.costs.load, self.costs.collate
        return (
            Row(_("a sample: computing"), _ms((load.cpu - collate.cpu) / size), "ms"),
            Row(_("a sample: waiting"), _ms((load.wait - collate.wait) / size), "ms"),
            Row(_("collating a batch"), _ms(collate.all), "ms"),
        )

    def _sending(self) -> tuple[Row, ...]:
        return (
            Row(_("sending a batch: in the worker"), _ms(self.costs.send), "ms"),
            Row(_("sending a batch: in the main process"), _ms(self.costs.receive), "ms"),
        )

    def _start(self) -> Row:
        seconds = starting(self.costs, self.evidence.setting)
        return Row(_("starting and stopping the workers in each epoch"), round(seconds, 2), "s")

    def _growth(self) -> tuple[Row, ...]:
        e = self.evidence
        return (
            Row(_("growth of the workers' own memory"), round(e.growth / MIB, 1), "MiB"),
            Row(_("within so many batches"), e.growth_batches),
            Row(_("workers"), e.workers),
        )


def _ms(seconds: float) -> float:
    return float(f"{1000 * seconds:.3g}")

"""The kinds of finding about speed, and about what the workers take: what is said of each, from the evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import median_high
from typing import Any

from ...words import mark, number
from ...words import translate as _
from ..evidence import Evidence
from ..finding import ARGUMENTS, Finding, Kind, Row, Words, after_own, kind
from ..lines import LOADING
from ..operations import MESSAGES
from ..throughput import PartSeconds, slow_ones, starting

MIB = 2**20
OUTLIER = 8  # times the median: such a sample is slow
NAMED = 0.3  # of the time: a line that has so much stands in the first sentence
FEW_ROUNDS = 6  # batches for each worker in an epoch: with more, one more or less is little
WORTH = 0.2  # of the time: from here on a known operation is worth an edit
MANY_ROWS, SMALL_ROW = 256, 2048  # samples in a batch, and bytes of one
SPARE = 0.25  # of the free shared memory: so much the batches under way may fill

COLLATE = """def collate(samples):  # each sample a tensor and a label: stacked at once, nothing by element
    images, labels = zip(*samples)
    return torch.stack(images), torch.tensor(labels)

DataLoader(..., collate_fn=collate)"""
ORDER = """def __iter__(self):  # of the sampler: a tensor, of which only pieces become objects
    for piece in torch.randperm(len(self.data_source)).split(100_000):
        yield from piece.tolist()"""
SENDING = """def collate(samples):  # one tensor for each field: it goes through shared memory, not through a pipe
    return torch.stack([torch.as_tensor(sample) for sample in samples])

DataLoader(..., collate_fn=collate)"""
PADDING = """def collate(samples):  # to the longest sample of the batch, and not of the dataset
    sequences, labels = zip(*samples)
    return torch.nn.utils.rnn.pad_sequence(sequences, batch_first=True), torch.tensor(labels)

DataLoader(..., collate_fn=collate)"""
THREADS = """def one_thread(worker):  # each worker has a core, and so one thread
    torch.set_num_threads(1)

DataLoader(..., worker_init_fn=one_thread)"""
OPENCV = """    import cv2
    cv2.setNumThreads(0)"""  # its own threads: where it is used
BLAS = """    import threadpoolctl
    threadpoolctl.threadpool_limits(1)  # of OpenBLAS, MKL and OpenMP"""
OBJECTS = """self.{paths} = np.array(self.{paths})  # one object instead of many: nothing is copied when it is read"""

# The rows that show a finding: label, unit, and the value, None where there is nothing to show.
ROWS: dict[str, tuple[str, str, Callable[[Evidence], float | str | None]]] = {
    "rate": (mark("rate"), "samples/s", lambda e: e.rate),
    "wait": (mark("share of waiting"), "%", lambda e: e.wait),
    "step": (mark("a step"), "ms", lambda e: e.costs.step.all if e.has_step and e.is_loader else None),
    "measured": (mark("a batch in the loop"), "ms", lambda e: e.batch_seconds),
    "explained": (mark("a batch, as the parts explain it"), "ms", lambda e: e.explained),
    "workers": (mark("workers"), "", lambda e: e.workers),
    "cores": (mark("cores"), "", lambda e: e.cores),
    "epoch": (mark("batches in an epoch"), "", lambda e: e.costs.epoch or 0),
    "method": (mark("start method"), "", lambda e: e.method),
    "prefetch": ("prefetch_factor", "", lambda e: e.prefetch),
    "computing": (mark("a sample: computing"), "ms", lambda e: e.costs.sample.cpu),
    "waiting": (mark("a sample: waiting"), "ms", lambda e: e.costs.sample.wait),
    "median": (mark("a sample (median)"), "ms", lambda e: median_high(s.all for s in e.costs.samples)),
    "slowest": (mark("the slowest sample"), "ms", lambda e: max(s.all for s in e.costs.samples)),
    "collating": (mark("collating a batch"), "ms", lambda e: e.costs.collate.all),
    "load": (mark("loading a batch"), "ms", lambda e: e.costs.load.all),
    "indices": (mark("indices of a batch"), "ms", lambda e: e.costs.sampler),
    "send": (mark("sending a batch: in the worker"), "ms", lambda e: e.costs.send),
    "receive": (mark("sending a batch: in the main process"), "ms", lambda e: e.costs.receive),
    "same": (mark("the same bytes as a tensor: in the main process"), "ms", lambda e: e.receive_tensor[1]),
    "tensors": (mark("tensors in a batch"), "", lambda e: e.contents.tensors),
    "others": (mark("other things in a batch"), "MiB", lambda e: e.contents.other_bytes),
    "bytes": (mark("tensors in a batch"), "MiB", lambda e: e.contents.tensor_bytes),
    "field": (mark("`{path}` in a batch"), "", lambda e: e.field.form if e.field else None),
    "made": (mark("where"), "", lambda e: str(e.field.made) if e.field and e.field.made else None),
    "threaded": (mark("where"), "", lambda e: e.threaded or None),
    "lock": (mark("a thread waits for the interpreter's lock"), "ms", lambda e: e.lock[2]),
    "keeping": (mark("where"), "", lambda e: e.keeping or None),
    "kept": (mark("where"), "", lambda e: e.kept.place if e.kept and e.kept.place else None),
    "start": (mark("starting and stopping the workers in each epoch"), "s", lambda e: starting(e.costs, e)),
    "ahead": (mark("batches under way"), "MiB", lambda e: e.in_flight if e.in_flight > e.growth else None),
    "growth": (
        mark("growth of the workers' own memory, without the batches under way"),
        "MiB",
        lambda e: e.growth,
    ),
    "within": (mark("batches during the growth"), "", lambda e: e.growth_batches),
    "less": (mark("batches under way"), "MiB", lambda e: None if e.in_flight > e.growth else e.in_flight),
    "threads": (mark("threads in each process"), "", lambda e: max(e.threads, e.busy_threads)),
    "pools": (
        mark("threads that each library may use"),
        "",
        lambda e: ", ".join(f"{name} {threads}" for name, threads in e.pools if threads > 1) or None,
    ),
    "busy": (mark("computing for a batch, as it is"), "ms", lambda e: e.busy_cpu),
    "one_thread": (mark("computing for a batch, with one thread"), "ms", lambda e: e.alone_cpu),
    "no_accelerator": (mark("accelerators"), "", lambda _e: 0),
}
UNITS: dict[str, Callable[[Any], float]] = {
    "ms": lambda seconds: float(f"{1000 * seconds:.3g}"),
    "s": lambda seconds: round(seconds, 2),
    "MiB": lambda size: round(size / MIB, 2),
    "samples/s": lambda rate: round(rate, 1),
    "%": lambda share: round(100 * share),
}
GROUPS = {
    "loop": "rate wait step",
    "sample": "computing waiting collating",
    "sending": "send receive",
    "growing": "ahead growth within less workers",  # first what takes most of it
}
# Phases whose lines are shown; of some the first sentence names one, and known operations in it are advised on.
PHASES = {"@loading": LOADING, "@collate": ("collate",), "@sampler": ("sampler",)}
IN_ROWS_ONLY = {"@step": ("step",), "@start": ("start",), "@begin": ("start", "sampler")}


def _sizes(e: Evidence) -> dict[str, str]:
    """Return what is said of the field that is larger than it need be."""
    assert e.field is not None
    sizes = {"mib": e.field.bytes, "whole": e.field.whole, "enough": e.field.enough}
    return {"path": f"sample{e.field.path}"} | {name: number(size / MIB, 1) for name, size in sizes.items()}


Text = str | dict[str, str]  # one for all, or for each case


def slow(
    about: str = "",
    *,
    says: Text,
    shows: str,
    numbers: Callable[[Evidence], Mapping[str, float | str]] = lambda _e: {},
    case: Callable[[Evidence], str] = lambda _e: "",
    advice: Text = "",
    cure: str | None = None,
    change: Callable[[Evidence], str | None] = lambda _e: None,
) -> Kind[[Evidence]]:
    """Return a kind of finding: what it says with which numbers, and what is `shown`. ``about``, where that says it better without them."""

    def words(e: Evidence) -> Words:
        text, also = (one if isinstance(one, str) else one[case(e)] for one in (says, advice))
        given = {name: one if isinstance(one, str) else number(one) for name, one in numbers(e).items()}
        found = Words(_(text).format(**given), shown(e, shows), change(e), advice=_(also) if also else "")
        phases = PHASES.get(shows.rpartition(" ")[2])
        return _located(found, e, phases) if phases else found

    return Kind(words, about or str(says), cure, True)


step_limit = slow(
    says="The step is the limit: there is nothing to gain by loading faster.",
    shows="loop @step",
)
batches = slow(
    says="Making the batches takes the time. Your loader is no DataLoader, so it can be watched, but not tried with other arguments.",
    shows="loop @loading",
)
locked_threads = slow(
    "Threads run Python code, which only one of them can do at a time: the others wait for the interpreter's lock.",
    says='Threads wait for each other: {n} of them compute, and together keep {cores} cores busy. In a process, Python code runs in one thread at a time, the one that has the interpreter\'s lock (GIL): give this work to processes (workers of a DataLoader, `method="process"`, a ProcessPoolExecutor).',
    numbers=lambda e: {"n": e.lock[0], "cores": number(e.lock[1], 1)},
    shows="threaded lock loop @loading",
)
uneven_steps = slow(
    "Few steps take far longer than the others: what the loop does besides training takes the time.",
    says="A few steps take far longer than the others: {share} % of the steps take {time} % of the time, {ms} ms each.",
    numbers=lambda e: {
        "share": 100 * e.slow_steps[0],
        "time": 100 * e.slow_steps[1],
        "ms": 1000 * e.slow_steps[2],
    },
    shows="loop @step",
    advice="It is not loading that takes the time, but what these steps do besides training (saving, drawing, logging): do that less often.",
)
only_in_workers = slow(
    says="Making the batches takes the time. The dataset can be read in workers only, so the loop was watched, and its parts were not.",
    shows="loop workers @loading",
    advice="See what `__getitem__` does in a worker.",
)
idle_workers = slow(
    "Workers of an iterable dataset have nothing to read, while the others work.",
    says="Workers have nothing to read: {n} of the {workers} had ended long before the others. There are too few shards, or they are of unequal size: share out more and smaller ones.",
    numbers=lambda e: {"n": e.ended_workers, "workers": e.workers},
    shows="loop workers @loading",
)
uneven_rounds = slow(
    "The few batches of an epoch cannot be shared out evenly: some workers have nothing to do while the last ones are made.",
    says="The {batches} batches of an epoch cannot be shared out evenly among {workers} workers: while the last batches are made, some workers have nothing to do. With {size} samples in a batch, an epoch would have {count} batches.",
    numbers=lambda e: {"batches": e.costs.epoch or 0, "workers": e.workers} | evened(e),
    shows="epoch workers sample",
    advice="Another batch size changes the training a little: there are more or fewer steps, and the learning rate may need to be adjusted.",
)
computing = slow(
    says="The cores are busy computing: give them less to do for each sample.",
    shows="loop sample cores @loading",
)


@kind("Other programs take so much of the machine that they decide what would be said.")
def too_noisy(e: Evidence, *would_be: Finding) -> Words:
    """``would_be``: what would be said without the other programs, and with them; one where both are the same."""
    rows = shown(e, "loop") if would_be else ()
    if len(would_be) > 1:
        text = _(
            "There is too much noise to tell: other programs take {share} % of this machine. Without them: “{first}” With them: “{second}”"
        )
    elif would_be:
        text = _(
            "There is too much noise to tell: other programs take {share} % of this machine. What little could be seen: “{first}”"
        )
    elif e.troubles:
        text = _(
            "There is too much noise to tell: no batch came in time, but other programs take {share} % of this machine."
        )
    else:
        text = _(
            "There is too much noise to tell: other programs take {share} % of this machine, and the loop takes {times} times as long as its parts explain."
        )
        rows = shown(e, "loop measured explained workers @loading")
    times = number(e.batch_seconds / e.explained, 1) if e.explained else ""
    said = {"share": number(100 * (1 - e.share)), "times": times}
    said |= {name: one.sentence for name, one in zip(("first", "second"), would_be, strict=False)}
    return Words(text.format(**said), rows)


not_measured = slow(
    "The loop takes far longer than its parts explain: they may wait for a lock, a disk, memory or another process.",
    says="Something that was not measured takes the time: the loop takes {times} times as long as its parts explain. A part that is fast alone may have to wait when all parts work at once: for a lock, a disk, memory or another process.",
    numbers=lambda e: {"times": number(e.batch_seconds / e.explained, 1)},
    shows="loop measured explained workers @loading",
)
waiting_storage = slow(
    "Loading waits for a disk, a network or another program; more workers wait at the same time.",
    says="Loading waits for storage: {share} % of the time for a sample is waiting for a disk, a network or another program, and not computing.",
    numbers=lambda e: {"share": 100 * e.costs.load.wait / max(e.costs.load.all, 1e-9)},
    shows="sample workers @loading",
    cure=ARGUMENTS,
)
too_few_workers = slow(
    says="Too few processes load: there are cores that do nothing while the loop waits.",
    shows="sample workers cores @loading",
    cure=ARGUMENTS,
)
rare_slow_samples = slow(
    "Few samples take far longer than the others, and batches come in order.",
    says="Few samples hold up all others: {share} % of the samples take {time} % of the time, and batches come in order.",
    numbers=lambda e: dict(
        zip(("share", "time"), (number(100 * one, 1) for one in slow_samples(e.costs)), strict=False)
    ),
    shows="median slowest workers @loading",
    cure=ARGUMENTS,
)
short_queue = slow(
    says="Some batches take much longer than others, and too few are loaded ahead: the loop waits for them, though the workers are fast enough on average.",
    shows="sample prefetch workers @loading",
    cure=ARGUMENTS,
)
slow_collate = slow(
    "The collate function takes much of the time for loading.",
    says="Putting the batch together is slow: the collate function takes {share} % of the time for loading.",
    numbers=lambda e: {"share": 100 * e.costs.collate.all / max(e.costs.load.all, 1e-9)},
    shows="sample workers @collate",
    cure=COLLATE,
    change=lambda e: None if e.contents.form == "pair" else "",
)

heavy_field = slow(
    "A field of the sample is sent in more bytes than it needs: one-hot, of a large type, or a view of something larger.",
    says={
        "one_hot": "`{path}` is sent as a one-hot code: it takes {mib} of the {whole} MiB of a batch, and the numbers of the classes would take {enough} MiB. Send the numbers, and make the one-hot code on the device if it is needed.",
        "values": "`{path}` has few different values, and a large type: it takes {mib} of the {whole} MiB of a batch, and in a smaller type it would take {enough} MiB. Keep it in the smaller type (`uint8` for pixels) until it is on the device.",
        "double": "`{path}` has numbers of double precision: it takes {mib} of the {whole} MiB of a batch, and as `float32` it would take {enough} MiB.",
        "storage": "`{path}` is a view of something larger, which is sent as a whole: it takes {mib} of the {whole} MiB of a batch, and the view's own numbers would take {enough} MiB. Return a copy of the view (`.clone()`, `.copy()`).",
    },
    case=lambda e: e.field.why if e.field else "",
    numbers=_sizes,
    shows="field made sample sending workers",
)
padding = slow(
    "Batches are padded beyond their longest sample, and the step computes the padding, too.",
    says="Batches are padded more than they need: in all samples of a batch, the last {share} % of the columns hold only the padding value. Pad each batch to the length of its own longest sample.",
    numbers=lambda e: {"share": 100 * e.contents.padded},
    shows="loop",
    cure=PADDING,
    change=lambda e: None if e.own_collate and e.contents.form == "pair" else "",
)
slow_epoch_start = slow(
    "Each epoch begins with a long wait, though its workers stay.",
    says="Each epoch begins with {seconds} s without a batch: an order is drawn, a buffer is filled or an index is read again. Draw a shorter order, fill a smaller buffer, or do it once.",
    numbers=lambda e: {"seconds": number(e.costs.begin, 1)},
    shows="loop epoch @begin",
)
too_many_workers = slow(
    says="There are more workers than are useful: they take memory, and time to start.",
    shows="workers cores start",
    cure=ARGUMENTS,
)


fewer_workers = slow(
    "In a trial fewer workers were faster: workers do the same work, or wait for each other.",
    says="The workers hinder each other: in a trial, fewer workers were faster.",
    advice={
        "": "The workers wait for the same thing: a lock, another process, a disk, or the cores.",
        "iterable": "It may be that each worker reads and decodes all samples, and keeps only its share: share out indices, files or shards before anything is decoded.",
    },
    case=lambda e: "iterable" if e.iterable else "",
    shows="workers cores @loading",
    cure=ARGUMENTS,
)
workers_for_nothing = slow(
    says="Workers do not pay here: sending a batch takes longer than loading it.",
    shows="load sending workers",
    cure=ARGUMENTS,
)
restarted_workers = slow(
    says="The workers are started again in each epoch, and the loop waits for them.",
    shows="start epoch method workers @start",
    cure=ARGUMENTS,
)
slow_sampler = slow(
    says="The sampler is slow: the main process finds the indices of each batch, and the workers wait for them.",
    shows="indices sample @sampler",
    cure=ORDER,
    change=lambda e: None if e.plain_sampler else "",
)
slow_sending = slow(
    says="Sending the batches is slow: what is not one large tensor goes through a pipe, piece by piece.",
    shows="tensors others sending same field made",
    cure=SENDING,
    change=lambda e: {"array": SENDING, "pair": COLLATE}.get(e.contents.form, ""),
)


@kind("Each process has several threads; in all there are more threads than cores.", THREADS)
def fighting_threads(e: Evidence) -> Words:
    text = _(
        "Threads fight for the cores: each process has several threads, and in all there are more threads than cores."
    )
    rows = shown(e, "threads pools workers cores busy one_thread @loading")
    if not e.workers:
        return Words(text, rows, "torch.set_num_threads(1)")
    several = {name for name, threads in e.pools if threads > 1} - {"torch", "cv2", "pyarrow"}
    change = THREADS
    for lines, needed in ((OPENCV, "cv2" in dict(e.pools)), (BLAS, several)):
        change = change.replace("\n\n", f"\n{lines}\n\n") if needed else change
    advice = _(
        "Libraries of linear algebra take their number of threads from the environment, when they are imported: `OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 python train.py` limits those of the main process, too."
    )
    return Words(text, rows, after_own(change, e.worker_init), advice=advice if several else "")


@kind("The batches under way need more shared memory than is free, which ends workers.", ARGUMENTS)
def shm_filled(e: Evidence) -> Words:
    text = _(
        "Batches that are under way may fill /dev/shm, which ends workers: they take up to {mib} MiB, and {free} MiB are free."
    )
    free = e.shm_free or 0
    fitting = int(SPARE * free / max(1, e.contents.tensor_bytes) / e.workers)
    said = text.format(mib=number(e.in_flight / MIB), free=number(free / MIB))
    changes = (("prefetch_factor", max(1, min(2, fitting))),)
    return Words(said, shown(e, "workers prefetch bytes"), changes=changes)


kept_batches = slow(
    "The loop keeps pieces of the batches, and each holds a file and the shared memory of its batch.",
    says="The step keeps something of each batch: after {batches} batches {files} files more are open, each with the shared memory of a tensor. The training fails as soon as no more files can be opened, or /dev/shm is full. Keep a copy: `.clone()`, or `.item()`.",
    numbers=lambda e: {"batches": e.growth_batches, "files": e.files_kept},
    shows="keeping workers",
    cure='kept.append(batch["label"].clone())  # its own memory: that of the batch can go',
)
copied_objects = slow(
    "Workers copy the Python objects of the dataset just by reading them (copy-on-write).",
    says="Workers copy the Python objects of the dataset just by reading them (copy-on-write): `{name}` holds {count}, and each worker takes up to {mib} MiB for them.",
    numbers=lambda e: {"name": e.objects[0][0], "count": e.objects[0][1], "mib": e.objects[0][2] / MIB},
    shows="growing",
    cure=OBJECTS,
    change=lambda e: OBJECTS.format(paths=e.objects[0][0].rpartition(".")[2]),
)


@kind("Memory grows with every batch: something keeps what was read.")
def growing_memory(e: Evidence) -> Words:
    text = _("The workers take more memory with every batch: something keeps what was read.")
    if not (kept := e.kept):
        return Words(text, shown(e, "growing"))
    text = _("`{name}` grows: it keeps what is read, {kib} KiB for each sample, in each process that reads.")
    advice = _("All samples together do not fit into memory: keep fewer, or limit the size of the cache.")
    if kept.most is None:
        advice = _(
            "The cache grows even where the same samples are read again. If numbers drawn at random are in its keys, leave "
            "them out; otherwise keep nothing, or limit its size."
        )
    said = text.format(name=kept.name, kib=number(kept.each / 1024))
    return Words(said, shown(e, "kept growing"), advice=advice)


large_order = slow(
    "The sampler holds the order of an epoch as a list of Python's numbers, in the main process.",
    says="The order of an epoch takes {mib} MiB in the main process: the sampler holds a list of Python's numbers.",
    numbers=lambda e: {"mib": e.order / MIB},
    shows="epoch workers",
    cure=ORDER,
    change=lambda e: None if e.plain_sampler else "",
)


@kind("Memory is pinned, and there is no accelerator to copy to.", ARGUMENTS)
def pinned_for_nothing(e: Evidence) -> Words:
    text = _("`pin_memory=True` does nothing here: there is no accelerator to copy to.")
    rows = (Row("pin_memory", "True"), *shown(e, "no_accelerator"))
    return Words(text, rows, changes=(("pin_memory", False),))


def evened(e: Evidence) -> dict[str, int]:
    """Return the next number of batches ("count") that the workers can share evenly in an epoch, and their "size"; {} where they do
    already, or where it makes no difference."""
    epoch, workers = e.costs.epoch, e.workers
    if not epoch or workers < 2 or not epoch % workers or epoch > FEW_ROUNDS * workers:
        return {}
    count = math.ceil(epoch / workers) * workers
    size = math.ceil(epoch * e.costs.batch_size / count)
    return {"count": count, "size": size} if size < e.costs.batch_size else {}


def slow_samples(costs: PartSeconds) -> tuple[float, float, float]:
    """Return the samples that are far slower than the others, as `slow_ones`."""
    times = [one.all for one in costs.samples]
    return slow_ones(times, OUTLIER * median_high(times))


def shown(e: Evidence, what: str) -> tuple[Row, ...]:
    """Return these `ROWS`, `GROUPS` of them, and the lines of these phases."""
    names = " ".join(GROUPS.get(name, name) for name in what.split()).split()
    phases = [phase for name in names for phase in (PHASES | IN_ROWS_ONLY).get(name, ())]
    path = f"sample{e.field.path}" if e.field else ""
    found = []
    for label, unit, function in (ROWS[name] for name in names if name[0] != "@"):
        if (value := function(e)) is not None:
            found.append(Row(_(label).format(path=path), UNITS[unit](value) if unit else value, unit))
    return (*found, *_where(e, phases))


def _located(words: Words, e: Evidence, phases: tuple[str, ...]) -> Words:
    """Return the same, with the lines in which these phases spend their time, and what does instead of a known operation there."""
    lines = [line for line in e.lines if line.phase in phases]
    shares = {"": 0.0}
    for line in lines:
        if line.operation:
            shares[line.operation] = shares.get(line.operation, 0.0) + line.share
    known = max(shares, key=lambda name: shares[name])
    advice, sentence = words.advice, words.sentence
    if not advice and shares[known] >= max([WORTH, *(line.share for line in lines if not line.operation)]):
        advice = _(MESSAGES[known])
    elif not advice and _row_by_row(e):
        advice = _(
            "Samples of few bytes are read and put together one by one: take slices of what is in memory, or give the Dataset a `__getitems__` that returns a whole batch."
        )
    if lines and lines[0].share >= NAMED:
        text, most = _("{share} % of the time for loading is in `{call}`, {place}."), lines[0]
        sentence += " " + text.format(share=number(100 * most.share), call=most.text, place=most.place)
    return replace(words, sentence=sentence, advice=advice)


def _row_by_row(e: Evidence) -> bool:
    """Return whether a batch is of so many samples, each so small, that handling them one by one is what takes the time."""
    bytes_each = e.contents.tensor_bytes / max(1, e.contents.samples)
    alike = e.contents.form != "other" or not e.own_collate
    small = e.contents.samples >= MANY_ROWS and 0 < bytes_each < SMALL_ROW
    return alike and small and e.costs.collate.all > e.costs.load.all / 5


def _where(e: Evidence, phases: Sequence[str]) -> tuple[Row, ...]:
    """Return the rows that name the lines of these phases, and what the first of them waits for."""
    text, lines = _("{share} % in {call}, {place}"), [line for line in e.lines if line.phase in phases]
    said = [text.format(share=number(100 * one.share), call=one.text, place=one.place) for one in lines]
    rows = [Row(_("where"), one) for one in said]
    if lines and lines[0].waits:
        rows.append(Row(_("what that line waits for"), _(lines[0].waits)))
    if lines and e.inside:
        inside = _(
            "from inside the process: a call that holds the interpreter's lock may be counted for the next line"
        )
        rows.append(Row(_("how it was observed"), inside))
    return tuple(rows)

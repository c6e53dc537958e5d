"""The kinds of finding about speed, and about what the workers take: what is said of each, from the evidence."""

from __future__ import annotations

from dataclasses import replace

from ...words import number
from ...words import translate as _
from ..clock import Taken
from ..evidence import Evidence
from ..finding import ARGUMENTS, Finding, Rate, Row, Words, after_own, code, kind
from ..lines import LOADING, Line
from ..operations import MESSAGES
from ..throughput import starting

MIB = 2**20
OUTLIER = 8  # times the median: such a sample is slow
SAME = 0.15  # of the rate, more or less: a change that costs no time leaves it as it is
WORTH = 0.2  # of the time: from here on a known operation is worth an edit
LONG_FIRST, LONG_FIRST_BATCHES = 0.5, 20  # seconds, and batches: so long a first one is told of
MANY_ROWS, SMALL_ROW = 256, 2048  # samples in a batch, and bytes of one
SPARE = 0.25  # of the free shared memory: so much the batches under way may fill

COLLATE = """def collate(samples):  # each sample a tensor and a label: stacked at once, nothing by element
    images, labels = zip(*samples)
    return torch.stack(images), torch.tensor(labels)

DataLoader(..., collate_fn=collate)"""
SAMPLER = """def __iter__(self):  # of the sampler: all indices at once, and no work between them
    return iter(torch.randperm(len(self.data_source)).tolist())"""
SENDING = """def collate(samples):  # one tensor for each field: it goes through shared memory, not through a pipe
    return torch.stack([torch.as_tensor(sample) for sample in samples])

DataLoader(..., collate_fn=collate)"""
PADDING = """def collate(samples):  # to the longest sample of the batch, and not of the dataset
    sequences, labels = zip(*samples)
    return torch.nn.utils.rnn.pad_sequence(sequences, batch_first=True), torch.tensor(labels)

DataLoader(..., collate_fn=collate)"""
FLOATS = """for images, labels in loader:  # uint8 until here: a quarter of the bytes
    images = images.to(device).float().div(255)"""
THREADS = """def one_thread(worker):  # each worker has a core, and so one thread
    torch.set_num_threads(1)

DataLoader(..., worker_init_fn=one_thread)"""
OPENCV = """    import cv2
    cv2.setNumThreads(0)"""  # its own threads: where it is used
OBJECTS = """self.{paths} = np.array(self.{paths})  # one object instead of many: nothing is copied when it is read"""


@kind("The step takes the time: loading faster brings nothing.")
def step_limit(e: Evidence) -> Words:
    text = _("The step is the limit: there is nothing to gain by loading faster.")
    return Words(text, (*of_loop(e), *_where(_lines(e, ("step",)))))


@kind(
    "Making the batches takes the time, and what makes them is no DataLoader: it is watched, and not tried."
)
def batches(e: Evidence) -> Words:
    text = _(
        "Making the batches takes the time. This is no DataLoader, so it can be watched, but not tried with other "
        "arguments."
    )
    return Words(text, of_loop(e))


@kind("Few steps take far longer than the others: what the loop does besides training takes the time.")
def uneven_steps(e: Evidence) -> Words:
    share, time, seconds = e.slow_steps
    text = _(
        "Few steps take far longer than the others: {share} % of them take {time} % of the time of all, {ms} ms each."
    )
    advice = _(
        "Not the loading takes the time, but what is done in them besides training (saving, drawing, logging): do it less often."
    )
    said = text.format(share=number(100 * share), time=number(100 * time), ms=number(1000 * seconds))
    return Words(said, (*of_loop(e), *_where(_lines(e, ("step",)))), advice=advice)


@kind("The dataset can be read in workers only, so its parts were not looked at.")
def only_in_workers(e: Evidence) -> Words:
    text = _(
        "Making the batches takes the time. The dataset can be read in workers only, so the loop was watched, and its parts were not."
    )
    advice = _("See what `__getitem__` does in a worker.")
    return Words(text, (*of_loop(e), _workers(e)), advice=advice)


@kind("Workers of an iterable dataset have nothing to read, while the others work.")
def idle_workers(e: Evidence) -> Words:
    text = _(
        "Workers have nothing to read: {n} of the {workers} had ended long before the others. There are too few shards, or they "
        "are of unequal size: share out more and smaller ones."
    )
    said = text.format(n=number(e.ended_workers), workers=number(e.workers))
    return _located(Words(said, (*of_loop(e), _workers(e))), e)


@kind("All cores compute: what they do for a sample has to become less.")
def computing(e: Evidence) -> Words:
    part, share = max(_parts(e), key=lambda one: one[1])
    text = _(
        "The cores compute: what they do for a sample has to become less. Most of it is in {part} ({share} %)."
    )
    rows = (*of_loop(e), *_sample(e), Row(_("cores"), e.cores))
    return _located(Words(text.format(part=part, share=number(100 * share)), rows), e)


@kind("Other programs take so much of the machine that they decide what would be said.")
def too_noisy(
    e: Evidence,
    first: Finding | None = None,
    second: Finding | None = None,
    unexplained: tuple[float, float] | None = None,
) -> Words:
    """``first``: what would be said without the other programs, ``second`` with them; ``first`` alone: in any case.

    ``unexplained``: the seconds of a batch as the parts explain it, and as measured. Without all three, no batch came.
    """
    share = number(100 * (1 - e.share))
    if unexplained:
        text = _(
            "Too noisy to say: other programs take {share} % of this machine, and the loop takes {times} times as long as "
            "its parts explain."
        )
        times = number(unexplained[1] / unexplained[0], 1)
        rows = (*beside_its_parts(e, *unexplained), *_where(_lines(e, LOADING)))
        return Words(text.format(share=share, times=times), rows)
    if first is None:
        text = _(
            "Too noisy to say: no batch came in time, but other programs take {share} % of this machine."
        )
        return Words(text.format(share=share))
    if second is None:
        text = _(
            "Too noisy to say: other programs take {share} % of this machine. What little could be seen: “{first}”"
        )
        return Words(text.format(share=share, first=first.sentence), of_loop(e))
    text = _(
        "Too noisy to say: other programs take {share} % of this machine. Without them: “{first}” With them: “{second}”"
    )
    return Words(text.format(share=share, first=first.sentence, second=second.sentence), of_loop(e))


@kind("The loop takes far longer than its parts explain: a lock, a disk, memory, another process.")
def not_measured(e: Evidence, explained: float, measured: float) -> Words:
    """``explained``, ``measured``: seconds of a batch."""
    text = _(
        "Something that was not measured takes the time: the loop takes {times} times as long as its parts explain. "
        "What works alone may wait for something when all work at once: a lock, a disk, memory, another process."
    )
    said = Words(text.format(times=number(measured / explained, 1)), beside_its_parts(e, explained, measured))
    return _located(said, e)


@kind(
    "Loading waits for a disk, a network or another program; more workers wait at the same time.", ARGUMENTS
)
def waiting_storage(e: Evidence) -> Words:
    text = _(
        "Loading waits for storage: {share} % of the time for a sample is waiting for a disk, a network or another "
        "program, and not computing."
    )
    share = number(100 * e.costs.load.wait / _whole(e))
    return _located(Words(text.format(share=share), (*_sample(e), _workers(e))), e)


@kind("Cores do nothing while the loop waits: more workers.", ARGUMENTS)
def too_few_workers(e: Evidence) -> Words:
    text = _("Too few processes load: there are cores that do nothing while the loop waits.")
    return _located(Words(text, (*_sample(e), _workers(e), _cores(e))), e)


@kind("Few samples take far longer than the others, and batches come in order.", ARGUMENTS)
def rare_slow_samples(e: Evidence) -> Words:
    times = sorted(s.all for s in e.costs.samples)
    middle = times[len(times) // 2]
    slow = [t for t in times if t > OUTLIER * middle]
    text = _(
        "Few samples hold up all others: {share} % of the samples take {time} % of the time, and batches come in order."
    )
    rows = (
        Row(_("a sample (median)"), _ms(middle), "ms"),
        Row(_("the slowest sample"), _ms(times[-1]), "ms"),
        _workers(e),
    )
    shares = {"share": 100 * len(slow) / len(times), "time": 100 * sum(slow) / sum(times)}
    said = Words(text.format(**{key: number(value, 1) for key, value in shares.items()}), rows)
    return _located(said, e)


@kind("Batches take longer and shorter, and too few are loaded ahead to even that out.", ARGUMENTS)
def short_queue(e: Evidence) -> Words:
    text = _(
        "Some batches take much longer than others, and too few are loaded ahead: the loop waits for them, though "
        "the workers are fast enough on average."
    )
    return _located(Words(text, (*_sample(e), Row("prefetch_factor", e.prefetch), _workers(e))), e)


@kind("The collate function takes much of the time for loading.", COLLATE)
def slow_collate(e: Evidence) -> Words:
    text = _(
        "Putting the batch together is slow: the collate function takes {share} % of the time for loading."
    )
    share = number(100 * e.costs.collate.all / _whole(e))
    change = COLLATE if e.contents.form == "pair" else ""  # else it would not work as it is written
    return _located(Words(text.format(share=share), (*_sample(e), _workers(e)), change), e, ("collate",))


@kind("Batches are large and of floats, and stacking and sending them takes much of the time.", FLOATS)
def large_floats(e: Evidence) -> Words:
    text = _(
        "Large batches of floats are made, stacked and sent: {mib} MiB each. Pixels are bytes: keep them as `uint8` until they are "
        "on the device, and make floats there."
    )
    said = text.format(mib=number(e.contents.tensor_bytes / MIB))
    return _located(Words(said, (*_sample(e), *_sending(e), _workers(e))), e)


@kind("Batches are padded further than their longest sample, and the step computes that, too.", PADDING)
def padding(e: Evidence) -> Words:
    text = _(
        "Batches are padded further than they need: in all samples of a batch, the last {share} % of the columns hold nothing but the "
        "value that fills up. Pad each batch to its own longest sample."
    )
    # Else it would not work as it is written.
    change = PADDING if e.own_collate and e.contents.form == "pair" else ""
    return Words(text.format(share=number(100 * e.contents.padded)), of_loop(e), change)


@kind("Each epoch begins with a long wait, though its workers stay.")
def slow_epoch_start(e: Evidence) -> Words:
    text = _(
        "Each epoch begins with {seconds} s without a batch: an order is drawn, a buffer is filled or an "
        "index is read again. Draw or fill less, or do it once."
    )
    rows = (*of_loop(e), Row(_("batches in an epoch"), e.costs.epoch or 0))
    return Words(
        text.format(seconds=number(e.costs.begin, 1)), (*rows, *_where(_lines(e, ("sampler", *LOADING))))
    )


@kind("There are more workers than help.", ARGUMENTS)
def too_many_workers(e: Evidence) -> Words:
    text = _("There are more workers than help: they take memory, and time to start.")
    return Words(text, (_workers(e), _cores(e), _start(e)))


@kind("Sending a batch from a worker takes longer than loading it.", ARGUMENTS)
def workers_for_nothing(e: Evidence) -> Words:
    text = _("Workers do not pay here: sending a batch takes longer than loading it.")
    loading = Row(_("loading a batch"), _ms(e.costs.load.all), "ms")
    return Words(text, (loading, *_sending(e), _workers(e)))


@kind("The loop waits in each epoch until its workers have started.", ARGUMENTS)
def restarted_workers(e: Evidence) -> Words:
    text = _("The workers are started again in each epoch, and the loop waits for them.")
    rows = (
        _start(e),
        Row(_("batches in an epoch"), e.costs.epoch or 0),
        Row(_("start method"), e.method),
        _workers(e),
    )
    return Words(text, rows)


@kind("The workers wait for the main process, which takes long to find the indices of a batch.", SAMPLER)
def slow_sampler(e: Evidence) -> Words:
    text = _(
        "The sampler is slow: the main process finds the indices of each batch, and the workers wait for them."
    )
    rows = (Row(_("indices of a batch"), _ms(e.costs.sampler), "ms"), *_sample(e))
    said = Words(text, rows, SAMPLER if e.plain_sampler else "")
    return _located(said, e, ("sampler",))


@kind("What is no large tensor goes from the worker to the loop piece by piece, through a pipe.", SENDING)
def slow_sending(e: Evidence) -> Words:
    text = _("Sending the batches is slow: what is not one large tensor goes through a pipe, piece by piece.")
    rows = (
        Row(_("tensors in a batch"), e.contents.tensors),
        Row(_("other things in a batch"), round(e.contents.other_bytes / MIB, 2), "MiB"),
        *_sending(e),
        Row(_("the same bytes as a tensor: in the main process"), _ms(e.receive_tensor[1]), "ms"),
    )
    return Words(
        text, rows, SENDING if e.contents.form == "array" else COLLATE if e.contents.form == "pair" else ""
    )


@kind("Each process has several threads; together they are more than the cores.", THREADS)
def fighting_threads(e: Evidence) -> Words:
    text = _(
        "Threads fight for the cores: each process has several, and together they are more than the cores."
    )
    rows = [Row(_("threads in each process"), e.threads), _workers(e), _cores(e)]
    alone = e.costs.load.cpu + e.costs.send if e.workers else (e.one_thread or Taken()).cpu
    busy = e.worker_cpu if e.workers else e.costs.load.cpu
    if busy is not None:
        rows += [
            Row(_("computing for a batch, as it is"), _ms(busy), "ms"),
            Row(_("computing for a batch, with one thread"), _ms(alone), "ms"),
        ]
    if not e.workers:
        return Words(text, tuple(rows), "torch.set_num_threads(1)")
    change = THREADS.replace("\n\n", f"\n{OPENCV}\n\n") if e.opencv else THREADS
    return Words(text, tuple(rows), after_own(change, e.worker_init))


@kind("The batches under way need more shared memory than is free, which ends workers.", ARGUMENTS)
def shm_filled(e: Evidence) -> Words:
    text = _(
        "Batches that are under way may fill /dev/shm, which ends workers: they take up to {mib} MiB, and {free} MiB are free."
    )
    fitting = int(SPARE * (e.shm_free or 0) / max(1, e.contents.tensor_bytes) / e.workers)
    changes = (("prefetch_factor", max(1, min(2, fitting))),)
    rows = (
        _workers(e),
        Row("prefetch_factor", e.prefetch),
        Row(_("tensors in a batch"), round(e.contents.tensor_bytes / MIB, 1), "MiB"),
    )
    sentence = text.format(mib=number(e.in_flight / MIB), free=number((e.shm_free or 0) / MIB))
    return Words(sentence, rows, code(changes), same(e), changes)


@kind("Workers copy the Python objects of the dataset just by reading them (copy-on-write).", OBJECTS)
def copied_objects(e: Evidence) -> Words:
    name, count = e.objects[0]
    text = _(
        "Workers copy the Python objects of the dataset just by reading them (copy-on-write): `{name}` holds {count}."
    )
    change = OBJECTS.format(paths=name.rpartition(".")[2])
    return Words(text.format(name=name, count=number(count)), _growth(e), change)


@kind("The workers take more memory with every batch: something in the dataset keeps what it read.")
def growing_memory(e: Evidence) -> Words:
    text = _("The workers take more memory with every batch: something in the dataset keeps what it read.")
    return Words(text, _growth(e))


@kind("Memory is pinned, and there is no accelerator to copy to.", ARGUMENTS)
def pinned_for_nothing(e: Evidence) -> Words:
    text = _("`pin_memory=True` does nothing here: there is no accelerator to copy to.")
    changes = (("pin_memory", False),)
    rows = (Row("pin_memory", "True"), Row(_("accelerators"), 0))
    return Words(text, rows, code(changes), same(e), changes)


def same(e: Evidence) -> Rate | None:
    """Return the rate that a change leaves as it is."""
    return Rate(e.rate, (1 - SAME) * e.rate, (1 + SAME) * e.rate) if e.rate else None


def _located(words: Words, e: Evidence, phases: tuple[str, ...] = LOADING) -> Words:
    """Return the same, with the lines in which these phases spend their time, and what does instead of a known operation there."""
    lines = _lines(e, phases)
    shares: dict[str, float] = {}
    for line in lines:
        if line.operation:
            shares[line.operation] = shares.get(line.operation, 0.0) + line.share
    known = max(shares, key=lambda name: shares[name], default="")
    advice = words.advice
    if shares.get(known, 0.0) >= WORTH:
        advice = _(MESSAGES[known])
    elif _row_by_row(e):
        advice = _(
            "Samples of few bytes are read and put together one by one: take slices of what is in memory, or give the "
            "Dataset a `__getitems__` that returns a whole batch."
        )
    return replace(words, evidence=(*words.evidence, *_where(lines)), advice=advice)


def _row_by_row(e: Evidence) -> bool:
    """Return whether a batch is of so many samples, each so small, that handling them one by one is what takes the time."""
    bytes_each = e.contents.tensor_bytes / max(1, e.contents.samples)
    alike = e.contents.form != "other" or not e.own_collate
    return (
        alike
        and e.contents.samples >= MANY_ROWS
        and 0 < bytes_each < SMALL_ROW
        and e.costs.collate.all > e.costs.load.all / 5
    )


def _lines(e: Evidence, phases: tuple[str, ...]) -> list[Line]:
    return [line for line in e.lines if line.phase in phases]


def _where(lines: list[Line]) -> tuple[Row, ...]:
    text = _("{share} % in {call}, {place}")
    return tuple(
        Row(_("where"), text.format(share=number(100 * one.share), call=one.text, place=one.place))
        for one in lines
    )


def _whole(e: Evidence) -> float:
    return max(e.costs.load.all, 1e-9)


def _workers(e: Evidence) -> Row:
    return Row(_("workers"), e.workers)


def _cores(e: Evidence) -> Row:
    return Row(_("cores"), e.cores)


def _parts(e: Evidence) -> list[tuple[str, float]]:
    """Return the parts of loading, each with its share of the computing."""
    whole = max(e.costs.load.cpu, 1e-9)
    found = [(f"`{name}`", taken.cpu / whole) for name, taken in e.transforms]
    rest = max(0.0, whole - e.costs.collate.cpu - sum(t.cpu for _name, t in e.transforms))
    return [*found, ("`__getitem__`", rest / whole), ("`collate_fn`", e.costs.collate.cpu / whole)]


def of_loop(e: Evidence) -> tuple[Row, ...]:
    """Return the rows about the loop as it is."""
    rows = [
        Row(_("rate"), round(e.rate, 1), "samples/s"),
        Row(_("share of waiting"), round(100 * e.wait), "%"),
    ]
    if e.has_step and e.is_loader:
        rows.append(Row(_("a step"), _ms(e.costs.step.all), "ms"))
    if e.first > LONG_FIRST and e.rate and e.first > LONG_FIRST_BATCHES * e.costs.batch_size / e.rate:
        rows.append(Row(_("until the first batch"), round(e.first, 1), "s"))
    return tuple(rows)


def beside_its_parts(e: Evidence, explained: float, measured: float) -> tuple[Row, ...]:
    """Return the rows about the loop, and the seconds of a batch as its parts explain them beside those measured."""
    return (
        *of_loop(e),
        Row(_("a batch in the loop"), _ms(measured), "ms"),
        Row(_("a batch, as the parts explain it"), _ms(explained), "ms"),
        _workers(e),
    )


def _sample(e: Evidence) -> tuple[Row, ...]:
    size = max(1, e.costs.batch_size)
    load, collate = e.costs.load, e.costs.collate
    return (
        Row(_("a sample: computing"), _ms((load.cpu - collate.cpu) / size), "ms"),
        Row(_("a sample: waiting"), _ms((load.wait - collate.wait) / size), "ms"),
        Row(_("collating a batch"), _ms(collate.all), "ms"),
    )


def _sending(e: Evidence) -> tuple[Row, ...]:
    return (
        Row(_("sending a batch: in the worker"), _ms(e.costs.send), "ms"),
        Row(_("sending a batch: in the main process"), _ms(e.costs.receive), "ms"),
    )


def _start(e: Evidence) -> Row:
    seconds = starting(e.costs, e.setting)
    return Row(_("starting and stopping the workers in each epoch"), round(seconds, 2), "s")


def _growth(e: Evidence) -> tuple[Row, ...]:
    return (
        Row(_("growth of the workers' own memory"), round(e.growth / MIB, 1), "MiB"),
        Row(_("within so many batches"), e.growth_batches),
        _workers(e),
    )


def _ms(seconds: float) -> float:
    return float(f"{1000 * seconds:.3g}")

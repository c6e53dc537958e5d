"""The kinds of finding about what is wrong, and not only slow: what is said of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...words import mark, number
from ...words import translate as _
from ..finding import Kind, Row, Words, kind
from ..lines import Place

SET_EPOCH = """for epoch in range(epochs):
    loader.{sampler}.set_epoch(epoch)
    for batch in loader:
        ..."""
SPLIT = """def __iter__(self):
    info = torch.utils.data.get_worker_info()
    first, step = (info.id, info.num_workers) if info else (0, 1)
    for name in self.names[first::step]:  # numbers, files or shards: what is not read yet
        yield self.read(name)"""
SEED_WORKER = """def seed_worker(worker):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)

DataLoader(..., worker_init_fn=seed_worker)"""
OPENED = """def __getitem__(self, index):
    if self.file is None:
        self.file = open(self.path, "rb")  # in each worker"""
WHOLE = "DataLoader(..., drop_last=False)"
DISTRIBUTED = "DataLoader(..., sampler=DistributedSampler(dataset))"
SAMPLES = mark("samples of the dataset")
SAME = mark("samples compared, all of them the same in both epochs")
CLASSES, MIXED = mark("classes in a batch, on average"), mark("classes in a batch, in a random order")


def wrong(
    about: str,
    cure: str | None = None,
    *,
    says: str,
    otherwise: str = "",
    advice: str = "",
    certain: bool = True,
    **labels: str,
) -> Kind[...]:
    """Make a kind that says a sentence, or ``otherwise`` another one, and that shows the values which have ``labels``."""

    def words(
        *rows: Row,
        place: Any = None,
        change: str | None = None,
        changes: tuple[tuple[str, Any], ...] = (),
        other: bool = False,
        certain: bool | None = None,
        remark: str = "",
        **values: Any,
    ) -> Words:
        text = {key: number(one, 1) if isinstance(one, float) else one for key, one in values.items()}
        sentence = _(otherwise if other else says).format(**text, place=place) + remark
        shown = [(label, values[key]) for key, label in labels.items() if key in values and not rows]
        counted = [Row(_(label), round(one, 1) if isinstance(one, float) else one) for label, one in shown]
        at = [Row(_("where"), str(place))] if isinstance(place, Place) else []
        also = _(advice) if advice else ""
        return Words(sentence, (*rows, *counted, *at), change, changes, certain, also)

    return Kind(words, about, cure, certain)


def first_indices(epochs: Sequence[Sequence[Any]]) -> tuple[Row, ...]:
    """Return rows with the first indices of two epochs."""
    label = _("first indices of epoch {epoch}")
    said = enumerate((", ".join(map(str, some[:6])) for some in epochs[:2]), 1)
    return tuple(Row(label.format(epoch=epoch), some) for epoch, some in said)


same_order = wrong(
    "The order is drawn anew in each epoch, and is the same: a seed is set again.",
    "DataLoader(dataset, batch_size, shuffle=True)",
    says="The order is drawn anew in each epoch, and always comes out the same: a seed is set again.",
    otherwise="The dataset shuffles, and its order is the same in each epoch: a seed is set again.",
    compared=SAME,
)


@kind("Without `set_epoch` the order is the same in each epoch.", SET_EPOCH, certain=False)
def set_epoch_missing(what: str, *rows: Row, ranks: int = 1, certain: bool = False) -> Words:
    """Say that `set_epoch` is missing. ``what`` has it: "sampler", "batch_sampler" or "dataset"; ``certain``: no line of the program calls it."""
    sentences = [_("Without `set_epoch` this sampler gives the same order in each epoch.")]
    if what == "dataset":
        sentences = [_("Without `set_epoch` the dataset shuffles in the same way in each epoch.")]
    if ranks > 1:
        sentences.append(_("Each rank then sees the same samples for ever, and never those of the others."))
    asked = _("Whether your loop calls `set_epoch` cannot be seen from here.")
    sentences.append(_("No line of the program calls `set_epoch`.") if certain else asked)
    return Words(" ".join(sentences), rows, SET_EPOCH.format(sampler=what), certain=certain)


no_batches = wrong(
    "The loader gives no batch: `drop_last` drops what does not fill one.",
    WHOLE,
    says="The loader gives no batch: the samples do not fill one, and `drop_last` drops what is left.",
    length=SAMPLES,
)
small_last_batch = wrong(
    "The last batch of a training is so small that its samples count far more than others.",
    "DataLoader(..., drop_last=True)",
    says="The last batch of an epoch has {last} of {size} samples, and its gradient counts as much as that of a full one. With one sample alone, BatchNorm may raise an error.",
    batches=mark("batches of an epoch"),
    last=mark("samples in the last one"),
)
samples_lost = wrong(
    "Some samples never come, in no epoch and on no rank.",
    WHOLE,
    says="Samples that no epoch shows: {n} of {length}. They do not fill a batch.",
    otherwise="Samples that come on no rank, in no epoch: {n} of {length}.",
    n=mark("samples that never come"),
    first=mark("the first of them"),
)
samples_repeated = wrong(
    "Samples come twice in an epoch, in batches that overlap or on ranks that pad.",
    WHOLE,
    says="Samples that come twice in an epoch: {n} of {length}. Each batch has some samples of the batch before it.",
    otherwise="Samples that come on two ranks: {n}. An evaluation counts them twice.",
    length=SAMPLES,
    asked=mark("samples that an epoch asks for"),
)
repeated_draws = wrong(
    "Workers, or epochs, draw the same random numbers: augmentations repeat.",
    SEED_WORKER,
    says="The workers draw the same random numbers from {where}, so augmentations repeat from worker to worker.",
    otherwise="In each epoch the workers draw the same random numbers from {where}, so augmentations repeat from epoch to epoch.",
)
workers_repeat = wrong(
    "Workers give the same samples of an iterable dataset.",
    SPLIT,
    says="Each worker reads the whole dataset: each sample comes as often in an epoch as there are workers.",
    otherwise="Several workers give the same samples: {twice} of them come more than once in an epoch.",
)
workers_leave_out = wrong(
    "The workers of an iterable dataset leave samples out: no worker gives them.",
    SPLIT,
    says="The workers leave samples out: one worker gives {length} samples, and several do not give {never} of them. What remains when the dataset is divided by the number of workers is given to no worker.",
)
workers_drop = wrong(
    "`drop_last` drops samples of an iterable dataset in each worker.",
    WHOLE,
    says="`drop_last` drops {dropped} of the {length} samples of an epoch: each of the {workers} workers makes batches of its own, and drops the samples that do not fill its last batch.",
    advice="Fewer workers or smaller batches drop less.",
    length=mark("samples of an epoch"),
    dropped=mark("samples that are dropped"),
)
made_in_each_worker = wrong(
    "Each worker does the work for all samples, and keeps its share of them.",
    SPLIT,
    says="Each worker does the work for all samples, and throws away those of the others: with {workers} workers each sample of a batch is made {times} times. Share out the indices, files or shards before anything is decoded.",
    times=mark("runs of this line for each sample, as a multiple of those with one worker"),
    cpu=mark("CPU time of a sample, as a multiple of that with one worker"),
)
thrown_away = wrong(
    "Samples are made, and then thrown away by a function that looks at them.",
    "data.select(wanted).decode()  # chosen by what is known before they are decoded",
    says="Samples are made and thrown away: for each sample that reaches the loop, {times} are made, and those thrown away take {share} % of the time of the workers.",
    times=mark("samples made for each that reaches the loop"),
    refuses=mark("the line that rejects them"),
)
kept_data_change = wrong(
    "Reading a sample changes what the dataset keeps, so the next epoch has another one.",
    "x = x - mean  # a new array, not `x -= mean`; or a copy of the sample first",
    says="Reading a sample changes what the dataset keeps: of {read} samples that were read twice with the same random numbers, {changed} differed the second time. The line that changes the data: {place}",
    read=mark("samples that were read twice"),
    changed=mark("of these, samples that changed"),
)
stand_ins = wrong(
    "Samples that cannot be read are replaced by others, without a word.",
    "self.files = [file for file in files if readable(file)]  # once, before the training",
    says="Samples that cannot be read are replaced by something else: {instead} of the {read} that were asked for. The exception that is caught: {error}",
    read=mark("samples that were asked for"),
    instead=mark("of these, replaced by something else"),
)
shared_position = wrong(
    "Workers share the position of a file that was opened before they started, so rows belong to others.",
    OPENED,
    says="The workers share one open file, `{path}`, and its position: while one reads, another moves it, so that rows belong to other samples. Of {compared} rows that were compared, {wrong} were wrong.",
    otherwise="The workers share one open file, `{path}`, and its position: while one reads, another may move it. None of the {compared} rows that were compared was wrong; whether something prevents them from reading at the same time cannot be seen from here.",
    workers=mark("workers"),
    compared=mark("rows of workers compared with those read alone"),
    wrong=mark("rows that differ"),
)
sampler_once = wrong(
    "The sampler can be iterated over only once: the second epoch is empty.",
    "def __iter__(self):\n    return iter(self.batches())",
    says="The second epoch has {second} batches, and the first {first}: the `{what}` can be iterated over only once. Give an object that begins anew with each `iter()`.",
)
sorted_by_class = wrong(
    "A training goes through its samples in the order of their classes.",
    "DataLoader(..., shuffle=True)",
    says="The samples come in the order of their classes, and nothing shuffles them: a batch of the training has few of the classes.",
    otherwise="The samples come in the order of their classes, and nothing shuffles them. This is wrong for training, and right for an evaluation.",
    certain=False,
    classes=CLASSES,
    mixed=MIXED,
)
epoch_unheard = wrong(
    "`set_epoch` does not reach workers that stay.",
    "DataLoader(..., persistent_workers=False)",
    says="`set_epoch` does not reach the workers: they stay from epoch to epoch (`persistent_workers=True`) and have copies of the dataset. So the order is the same in each epoch; with workers that are started anew it changes.",
    advice="To keep the workers, keep the epoch in a tensor in shared memory (`torch.tensor(0).share_memory_()`).",
    compared=SAME,
)
batch_on_its_side = wrong(
    "A list of numbers in a sample becomes a tensor for each number: the batch is transposed.",
    "torch.tensor(numbers)",
    says="The batch is transposed: `sample{field}` is a list of {length} numbers, and the collate function makes {length} tensors of it, each with one number of every sample. Return a tensor or an array instead of the list.",
    length=mark("tensors of a batch for this field"),
)
later_epoch_short = wrong(
    "The iterable dataset can be read only once.",
    "def __iter__(self):\n    return iter(self.open())",
    says="The second epoch has {second} samples, and the first {first}: the dataset can be read only once.",
)
shuffle_too_small = wrong(
    "The buffer that shuffles is smaller than the runs of one class.",
    "dataset.shuffle(10_000)",
    says="The buffer that shuffles is smaller than the runs of one class: a batch has few of the classes.",
    classes=CLASSES,
    mixed=MIXED,
)
wrong_rank = wrong(
    "The sampler gives the samples of another rank than this one.",
    "DistributedSampler(dataset)",
    says="The sampler gives the samples of rank {given} of {of}, and this is rank {rank} of {ranks}.",
    given=mark("rank of the sampler"),
    rank=mark("rank of this process"),
)
ranks_not_split = wrong(
    "Each rank goes through all samples.",
    "DataLoader(..., shuffle=False, sampler=DistributedSampler(dataset))",
    says="Ranks: {ranks}, and each goes through all samples of the dataset: the sampler knows of no ranks.",
    certain=False,
    length=SAMPLES,
    of_rank=mark("samples of this rank"),
)
uneven_ranks = wrong(
    "The ranks have different numbers of batches: those that have more wait in vain.",
    DISTRIBUTED,
    says="The ranks have different numbers of batches, from {low} to {high}: those that have more wait for the others in vain.",
)
overlapping_ranks = wrong(
    "Ranks see the same samples in the same epoch.",
    DISTRIBUTED,
    says="Several ranks see the same samples in an epoch: {twice} of {length}. Samples that no rank sees: {never}.",
)

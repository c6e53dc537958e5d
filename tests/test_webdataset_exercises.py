"""Lesson 6: each wrong answer fails with the finding meant for it, in every language; solutions get full points."""

import gzip
import itertools
import random
import tarfile

import pytest
import webdataset as wds
from answers import check_failing, check_solved, check_untouched

from loaderlab import language
from loaderlab.exercise import verdict
from loaderlab.lessons.webdataset import data, probes
from loaderlab.lessons.webdataset import exercises as lesson
from loaderlab.probing import collect

LESSON = "webdataset"
CODES = ["en", "fr", "pl"]


def writing(bounds=None, key=None, fields=None, name="train-{:06d}.tar", order=None, **options):
    """An answer to write_shards that deviates in what is given."""
    options = {"mtime": 0} | options
    bounds = bounds or (lambda n, shards: [n * i // shards for i in range(shards + 1)])
    key = key or (lambda i, shard, j, sample: f"{i:09d}")
    fields = fields or (lambda name, image, label: {"bin": image, "cls": label, "txt": name})

    def answer(samples, folder, shards):
        samples = order(samples) if order else samples
        cuts = bounds(len(samples), shards)
        for shard, (start, end) in enumerate(itertools.pairwise(cuts)):
            with wds.TarWriter(str(folder / name.format(shard)), **options) as writer:
                for j, i in enumerate(range(start, end)):
                    writer.write({"__key__": key(i, shard, j, samples[i]), **fields(*samples[i])})

    return answer


def with_shard_writer(samples, folder, shards):
    with wds.ShardWriter(
        str(folder / "train-%06d.tar"), maxcount=-(-len(samples) // shards), verbose=0, mtime=0
    ) as writer:
        for i, (name, image, label) in enumerate(samples):
            writer.write({"__key__": f"{i:09d}", "bin": image, "cls": label, "txt": name})


def round_robin(samples, folder, shards):
    for shard in range(shards):
        with wds.TarWriter(str(folder / f"train-{shard:06d}.tar"), mtime=0) as writer:
            for i in range(shard, len(samples), shards):
                name, image, label = samples[i]
                writer.write({"__key__": f"{i:09d}", "bin": image, "cls": label, "txt": name})


def compressed(samples, folder, shards):
    writing()(samples, folder, shards)
    for path in folder.glob("*.tar"):
        path.write_bytes(gzip.compress(path.read_bytes()))


def by_tarfile(samples, folder, shards):
    """A right answer without the library."""
    import io

    for shard in range(shards):
        start, end = (len(samples) * i // shards for i in (shard, shard + 1))
        with tarfile.open(folder / f"train-{shard:06d}.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
            for i in range(start, end):
                name, image, label = samples[i]
                for field, value in (("bin", image), ("cls", str(label).encode()), ("txt", name.encode())):
                    info = tarfile.TarInfo(f"k{i}.{field}")
                    info.size = len(value)
                    archive.addfile(info, io.BytesIO(value))


def rest_in_the_last(n, shards):
    return [*(n // shards * i for i in range(shards)), n]


WRITE = {
    "names as keys": (writing(key=lambda i, shard, j, sample: sample[0]), {2, 3}),
    "names without dots as keys": (
        writing(key=lambda i, shard, j, sample: sample[0].replace(".", "_")),
        {2, 3},
    ),
    "counted anew in each shard": (writing(key=lambda i, shard, j, sample: f"{j:09d}"), {2, 3}),
    "keys with a dot": (writing(key=lambda i, shard, j, sample: f"{shard}.{j}"), {2, 3}),
    "the time of writing": (writing(mtime=None), {4}),
    "the rest in the last shard": (writing(bounds=rest_in_the_last), {1}),
    "ShardWriter with maxcount": (with_shard_writer, {0, 1}),
    "one shard only": (writing(bounds=lambda n, shards: [0, n]), {0, 1}),
    "other names": (writing(name="shard-{:06d}.tar"), {0}),
    "round robin": (round_robin, {3}),
    "another order": (writing(order=lambda samples: samples[::-1]), {3}),
    "label in words": (
        writing(fields=lambda name, image, label: {"bin": image, "cls": f"label {label}", "txt": name}),
        {3},
    ),
    "no name": (writing(fields=lambda name, image, label: {"bin": image, "cls": label}), {3}),
    "other field": (
        writing(fields=lambda name, image, label: {"jpg": image, "cls": label, "txt": name}),
        {3},
    ),
    "compressed": (compressed, {4}),
    "nothing written": (lambda samples, folder, shards: None, {0, 1, 2, 3, 4}),
    "raises": (lambda samples, folder, shards: 1 / 0, {0, 1, 2, 3, 4}),
}


def dealing(cut=None, steps=None, mine=None):
    """An answer to once_each that deviates in what is given."""

    def answer(counts, batch_size, rank, world, worker, workers):
        samples = [(shard, position) for shard, count in enumerate(counts) for position in range(count)]
        due = -(-len(samples) // (world * batch_size))
        each = (steps or (lambda n, world, batch: due))(len(samples), world, batch_size)
        first, last = (rank * each + each * i // workers for i in (worker, worker + 1))
        numbers = mine(each, rank, world, worker, workers) if mine else range(first, last)
        total = world * each
        start_of = cut or (lambda n, b, total, size: n * b // total)
        return [
            samples[
                start_of(len(samples), b, total, batch_size) : start_of(
                    len(samples), b + 1, total, batch_size
                )
            ]
            for b in numbers
        ]

    return answer


def by_shards(counts, batch_size, rank, world, worker, workers):
    """What split_by_node and split_by_worker do."""
    shards = list(range(len(counts)))[rank::world][worker::workers]
    samples = [(shard, position) for shard in shards for position in range(counts[shard])]
    return [samples[i : i + batch_size] for i in range(0, len(samples), batch_size)]


def every_nth(counts, batch_size, rank, world, worker, workers):
    samples = [(shard, position) for shard, count in enumerate(counts) for position in range(count)]
    samples = samples[rank::world][worker::workers]
    return [samples[i : i + batch_size] for i in range(0, len(samples), batch_size)]


def dropped(counts, batch_size, rank, world, worker, workers):
    """Full batches only."""
    samples = [(shard, position) for shard, count in enumerate(counts) for position in range(count)]
    steps = len(samples) // (world * batch_size)
    first, last = (rank * steps + steps * i // workers for i in (worker, worker + 1))
    return [samples[b * batch_size : (b + 1) * batch_size] for b in range(first, last)]


def padded(counts, batch_size, rank, world, worker, workers):
    """Full batches; the list begins again at its end, as DistributedSampler does."""
    samples = [(shard, position) for shard, count in enumerate(counts) for position in range(count)]
    steps = -(-len(samples) // (world * batch_size))
    first, last = (rank * steps + steps * i // workers for i in (worker, worker + 1))
    wrapped = [samples[i % len(samples)] for i in range(world * steps * batch_size)]
    return [wrapped[b * batch_size : (b + 1) * batch_size] for b in range(first, last)]


def shared_by_all_workers(counts, batch_size, rank, world, worker, workers):
    return dealing()(counts, batch_size, rank, world, 0, 1)


def all_by_the_first_worker(counts, batch_size, rank, world, worker, workers):
    return [] if worker else dealing()(counts, batch_size, rank, world, 0, 1)


ONCE = {
    "all by the first worker": (all_by_the_first_worker, {4}),
    "shards dealt out whole": (by_shards, {1, 4}),
    "every n-th sample": (every_nth, {1, 3}),
    "full batches only": (dropped, {0, 1}),
    "begins again at the end": (padded, {0, 3}),
    "the remainder in a short batch": (dealing(cut=lambda n, b, total, size: min(n, b * size)), {2}),
    "a step too many": (dealing(steps=lambda n, world, batch: -(-n // (world * batch)) + 1), {1}),
    "batches dealt out in turn": (
        dealing(
            mine=lambda each, rank, world, worker, workers: range(rank, world * each, world)[worker::workers]
        ),
        {3},
    ),
    "workers make the same": (shared_by_all_workers, {0, 1, 3}),
    "one sample for each step": (
        dealing(steps=lambda n, world, batch: -(-n // world) if n < 5 else n // world),
        {1},
    ),
    "too large": (dealing(steps=lambda n, world, batch: max(1, n // (world * batch) // 2)), {1, 2}),
    "no return": (lambda *arguments: None, {0, 1, 2, 3, 4}),
    "empty": (lambda *arguments: [], {0, 1, 2, 3, 4}),
    "indices instead of pairs": (lambda counts, *rest: [[0, 1], [2]], {0, 1, 2, 3, 4}),
}


def plan(
    samples,
    fields,
    ranks,
    workers,
    target,
    header=512,
    block=512,
    end=1024,
    record=10_240,
    strict=False,
    floor=False,
):
    per = sum(header + -(-n // block) * block for n in fields)
    step = shards = ranks * workers
    while True:
        largest = samples // shards if floor else -(-samples // shards)
        size = -(-(largest * per + end) // record) * record
        if size < target or (size == target and not strict):
            return shards
        shards += step


def rounded_once(samples, fields, ranks, workers, target):
    per = sum(512 + -(-n // 512) * 512 for n in fields)
    shards = -(-samples * per // target)
    return max(1, -(-shards // (ranks * workers))) * ranks * workers


def not_a_multiple(samples, fields, ranks, workers, target):
    shards = ranks * workers
    per = sum(512 + -(-n // 512) * 512 for n in fields)
    while -(-(-(-samples // shards) * per + 1024) // 10_240) * 10_240 > target:
        shards += 1
    return shards


PLAN = {
    "no headers": (lambda *a: plan(*a, header=0), {2, 3}),
    "no padding": (lambda *a: plan(*a, block=1), {2}),
    "a header for each sample": (lambda s, f, r, w, t: plan(s, [sum(f)], r, w, t), {2}),
    "no end": (lambda *a: plan(*a, end=0), {3}),
    "no records": (lambda *a: plan(*a, record=1), {3}),
    "less than the target": (lambda *a: plan(*a, strict=True), {3}),
    "rounded down": (lambda *a: plan(*a, floor=True), {3}),
    "any number": (not_a_multiple, {0, 2, 3}),
    "multiple of the ranks": (lambda s, f, r, w, t: plan(s, f, r, 1, t), {0, 1, 2, 3}),
    "by the total": (rounded_once, {2, 3}),
    "forgets the minimum": (lambda s, f, r, w, t: not_a_multiple(s, f, 1, 1, t), {0, 1, 2, 3}),
    "as a float": (lambda *a: plan(*a) / 1 + 0.5, {0, 1, 2, 3}),
    "no return": (lambda *a: None, {0, 1, 2, 3}),
}


def mixing(sizes=sorted, enough=None, partial=False, initial=None, value=None, nothing=None):
    def answer(labels, batch, target, given):
        for size in sizes(given):
            order = list(data.shuffled(labels, size, initial))
            stop = len(order) if partial else len(order) - batch + 1
            counts = [len(set(order[i : i + batch])) for i in range(0, stop, batch)]
            measured = value(counts) if value else sum(counts) / len(counts)
            if (enough or (lambda a, b: a >= b))(measured, target):
                return size
        return nothing

    return answer


MIX = {
    "in the order given": (mixing(sizes=list), {1}),
    "the largest": (mixing(sizes=lambda given: sorted(given)[::-1]), {0, 1, 2, 3}),
    "more than the target": (mixing(enough=lambda a, b: a > b), {2}),
    "the last size for None": (mixing(nothing=400), {2}),
    "the short batch counts": (mixing(partial=True), {3}),
    "begins with 100": (mixing(initial=100), {0}),
    "the first batch": (mixing(value=lambda counts: counts[0]), {0, 1, 3}),
    "the best batch": (mixing(value=max), {0, 1, 2, 3}),
    "every batch": (mixing(value=min), {0, 1, 3}),
    "no shuffle": (lambda labels, batch, target, sizes: min(sizes), {0, 1, 2, 3}),
    "no return": (lambda *arguments: None, {0, 1, 2, 3}),
}

RIGHT = {
    "write_shards": writing(),
    "once_each": dealing(),
    "plan_shards": plan,
    "mix": mixing(),
}
WRONG = {"write_shards": WRITE, "once_each": ONCE, "plan_shards": PLAN, "mix": MIX}


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(
    ("exercise", "name"), [(e, name) for e, answers in WRONG.items() for name in answers]
)
def test_a_wrong_answer_fails_with_the_finding_meant_for_it(exercise, name, code):
    answer, failing = WRONG[exercise][name]
    check_failing(LESSON, exercise, answer, failing, code)


@pytest.mark.parametrize("exercise", RIGHT)
def test_the_right_answer_gets_full_points(exercise):
    check_solved(LESSON, exercise, RIGHT[exercise])


def test_shards_may_be_written_without_the_library():
    check_solved(LESSON, "write_shards", by_tarfile)


@pytest.mark.parametrize("exercise", RIGHT)
def test_the_untouched_stub_is_not_called_wrong(exercise):
    def stub(*arguments):
        raise NotImplementedError

    check_untouched(LESSON, exercise, stub)


@pytest.mark.parametrize("exercise", RIGHT)
def test_something_that_is_no_function_is_said_so(exercise):
    language.use("en")
    answer = lesson.EXERCISES[list(RIGHT).index(exercise)]
    assert verdict(answer, collect(answer.probe, 7)).points == 0


def test_our_rule_of_grouping_is_the_librarys(tmp_path):
    names = ["cat.1", "cat.2", "a.b/c.d", "a.b/e", "x", "X", "x"]
    with wds.TarWriter(str(tmp_path / "a.tar"), mtime=0) as writer:
        for i, key in enumerate(names):
            writer.write({"__key__": key, "bin": b"%d" % i, "TXT": "t"})
    theirs = [
        (s["__key__"], {field for field in s if field[0] != "_"})
        for s in wds.WebDataset(str(tmp_path / "a.tar"), shardshuffle=False)
    ]
    assert [(s["key"], set(s["fields"])) for s in probes.grouped(tmp_path / "a.tar")] == theirs


@pytest.mark.parametrize(
    ("size", "initial"), [(1, None), (7, 3), (100, 100), (1000, 100), (1000, 1000), (5000, None)]
)
def test_our_shuffle_is_the_librarys_draw_for_draw(size, initial):
    stream = list(range(1500))
    theirs = list(wds.shuffle(size, initial=size if initial is None else initial, seed=3)(iter(stream)))
    assert list(data.shuffled(stream, size, initial, seed=3)) == theirs
    assert sorted(theirs) == stream


@pytest.mark.parametrize("counts", [[5, 5], [1], [13, 2, 9]])
def test_dealing_covers_random_settings(counts):
    rng = random.Random(sum(counts))
    for _ in range(20):
        batch, world, workers = rng.randint(1, 6), rng.randint(1, 3), rng.randint(1, 3)
        if sum(counts) < world * -(-sum(counts) // (world * batch)):
            continue
        dealt = [
            RIGHT["once_each"](counts, batch, r, world, w, workers)
            for r in range(world)
            for w in range(workers)
        ]
        assert sorted(p for worker in dealt for b in worker for p in b) == [
            (s, i) for s, n in enumerate(counts) for i in range(n)
        ]

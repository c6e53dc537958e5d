"""Over the end of an epoch the workers go on with the next one; what comes is what would have come without that."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils.data import get_worker_info

from loaderlab.scripts import efficient_dataloader
from loaderlab.scripts.diagnosis.clone import clone
from loaderlab.scripts.distributed_sampler import EvenSampler
from loaderlab.scripts.efficient_dataloader import loader
from loaderlab.scripts.packing import pack
from loaderlab.scripts.ring import RingLoader
from processes import children, python, works
from waiting import within

COUNT, BATCH = 70, 8  # 9 batches in an epoch
AHEAD = 4  # batches: two workers, each asked for two


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Images whose red is their number; the rest is another one at each place, so that two crops differ."""
    place = tmp_path_factory.mktemp("numbered")
    (place / "images" / "0").mkdir(parents=True)
    pixels = np.zeros((80, 90, 3), dtype=np.uint8)
    pixels[..., 1], pixels[..., 2] = np.arange(80)[:, None] + 80, 2 * np.arange(90)
    for number in range(COUNT):
        pixels[..., 0] = 3 * number
        Image.fromarray(pixels).save(place / "images" / "0" / f"{number:03d}.jpg", quality=95)
    assert pack(place / "images", place / "p") == []
    return place / "p"


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    before = children()
    yield
    gc.collect()
    assert within(10, lambda: not children() - before)


class Made:
    """A transform that counts how often each image was made, in whatever process: a row for each worker, and one for this process."""

    def __init__(self) -> None:
        self.rows = torch.zeros(3, COUNT, dtype=torch.int64).share_memory_()

    def __call__(self, crop: torch.Tensor) -> torch.Tensor:
        worker = get_worker_info()
        self.rows[worker.id if worker else 2, round(float(crop[0].float().mean()) / 3)] += 1
        return crop

    @property
    def times(self) -> torch.Tensor:
        return self.rows.sum(0)

    def so_far(self) -> int:
        return int(self.rows.sum())


def training(packed: Path, workers: int = 2, **options: object) -> RingLoader:
    return loader(packed, BATCH, size=32, workers=workers, **options)


def order(epoch: int) -> list[int]:
    sampler = EvenSampler(COUNT)
    sampler.set_epoch(epoch)
    return sampler.indices()


def epoch_of(batches: RingLoader) -> torch.Tensor:
    return torch.cat([images.clone() for images, _labels in batches])


def alone(packed: Path, epoch: int = 0, after: int = 0) -> torch.Tensor:
    """This epoch, ``after`` so many batches, as a loader gives it that has seen no other, in this process."""
    batches = training(packed, workers=0)
    batches.batch_sampler.set_epoch(epoch)
    return epoch_of(batches)[after * BATCH :]


def test_when_the_last_batch_comes_the_first_ones_of_the_next_epoch_are_being_made(packed: Path) -> None:
    made = Made()
    batches = training(packed, transform=made)
    for step, _batch in enumerate(batches, 1):
        if step == len(batches):
            assert within(60, lambda: made.so_far() >= COUNT + AHEAD * BATCH)
    # These and no others, as many as the workers are always asked for.
    expected = torch.ones(COUNT, dtype=torch.int64)
    expected[order(1)[: AHEAD * BATCH]] += 1
    assert torch.equal(made.times, expected)
    epoch_of(batches)  # begins with what is there, and nothing is made twice
    assert within(60, lambda: made.so_far() >= 2 * COUNT + AHEAD * BATCH)
    expected = 2 * torch.ones(COUNT, dtype=torch.int64)
    expected[order(2)[: AHEAD * BATCH]] += 1
    assert torch.equal(made.times, expected)


@pytest.mark.parametrize("batch_size", [BATCH, COUNT])  # with one batch in an epoch, four epochs are ahead
def test_every_epoch_is_what_it_is_without_the_others(packed: Path, batch_size: int) -> None:
    batches = loader(packed, batch_size, size=32, workers=2)
    for epoch in range(4):
        if epoch != 2:  # as it is mostly called; to leave it out is the same
            batches.batch_sampler.set_epoch(epoch)
        assert torch.equal(epoch_of(batches), alone(packed, epoch=epoch))
        assert batches.batch_sampler.sampler.epoch == epoch + 1


def elsewhere_and_back(batches: RingLoader) -> None:
    batches.batch_sampler.set_epoch(7)
    next(iter(batches))
    batches.batch_sampler.set_epoch(1)


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        (lambda batches: batches.batch_sampler.set_epoch(7), {"epoch": 7}),
        (lambda batches: batches.batch_sampler.set_epoch(0), {"epoch": 0}),
        (lambda batches: batches.batch_sampler.resume_at(9 + 3), {"epoch": 1, "after": 3}),
        (lambda batches: next(iter(batches)), {"epoch": 1}),  # broken off: it begins again
        (elsewhere_and_back, {"epoch": 1}),
    ],
    ids=["another epoch", "the same again", "within the epoch", "a look", "elsewhere and back"],
)
def test_what_was_made_ahead_is_dropped_where_something_else_is_wanted(
    packed: Path, wish: Callable[[RingLoader], None], expected: dict[str, int]
) -> None:
    batches = training(packed)
    epoch_of(batches)
    wish(batches)
    assert torch.equal(epoch_of(batches), alone(packed, **expected))
    assert torch.equal(epoch_of(batches), alone(packed, expected["epoch"] + 1))


def test_an_epoch_that_is_set_while_another_one_runs_is_the_next(packed: Path) -> None:
    for wanted in (1, 5):
        batches = training(packed)
        for step, _batch in enumerate(batches):
            if step == 2:
                batches.batch_sampler.set_epoch(wanted)
        assert torch.equal(epoch_of(batches), alone(packed, epoch=wanted))


def test_slots_of_what_was_dropped_are_used_again(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Else a pinned copy comes instead.
    monkeypatch.setattr(efficient_dataloader, "accelerator", lambda: False)
    batches = training(packed)
    for turn in range(6):
        batches.batch_sampler.set_epoch(10 * turn)
        epoch_of(batches)
        next(iter(batches))
    memory = batches.batch_sampler.ring.memory
    places = [images.data_ptr() - memory.data_ptr() for images, _labels in batches]
    assert sum(0 <= place < memory.numel() for place in places) > len(places) / 2


@pytest.mark.parametrize(
    ("workers", "options"),
    [(2, {"shuffle": False, "augment": False}), (0, {})],
    ids=["an evaluation", "without workers"],
)
def test_nothing_is_made_ahead_that_is_not_wanted(
    packed: Path, workers: int, options: dict[str, object]
) -> None:
    made = Made()
    batches = training(packed, workers, transform=made, **options)
    for epoch in (1, 2):
        epoch_of(batches)
        assert made.so_far() == epoch * COUNT
    assert workers == 0 or not batches.batch_sampler.ring.taken.any()


@pytest.mark.parametrize("workers", [0, 2])
def test_an_epoch_without_a_batch_ends(packed: Path, workers: int) -> None:
    batches = loader(packed, COUNT + 1, size=32, workers=workers, drop_last=True)
    assert [list(batches) for _epoch in range(2)] == [[], []]
    batches = loader(packed, COUNT - 1, size=32, workers=workers, drop_last=True)
    batches.batch_sampler.sampler.resume(0, 2)  # what is left of it is no batch
    assert [len(list(batches)) for _epoch in range(2)] == [0, 1]


def test_the_requests_of_an_epoch_have_an_end_and_may_be_looked_at(packed: Path) -> None:
    batches = training(packed)
    for epoch in range(2):
        looked_at = islice(batches.batch_sampler, 2 * len(batches))
        asked = [index for request in looked_at for index in request.indices]
        assert asked == order(epoch)
        assert torch.equal(epoch_of(batches), alone(packed, epoch=epoch))


def test_of_two_loops_over_one_loader_the_older_one_is_told(packed: Path) -> None:
    batches = training(packed)
    older, newer = iter(batches), iter(batches)
    with pytest.raises(RuntimeError, match="Another loop"):
        next(older)
    assert torch.equal(torch.cat([images.clone() for images, _l in newer]), alone(packed))
    assert torch.equal(epoch_of(batches), alone(packed, epoch=1))


def test_a_copy_of_a_loader_takes_nothing_from_it(packed: Path) -> None:
    made = Made()
    batches = training(packed, transform=made)
    epoch_of(batches)
    copied = clone(batches, num_workers=0)
    assert torch.equal(epoch_of(copied), alone(packed, epoch=1))
    assert made.rows[2].sum() == COUNT  # it made all of them, in this process
    assert torch.equal(epoch_of(clone(batches, num_workers=1)), alone(packed, epoch=1))
    assert torch.equal(epoch_of(batches), alone(packed, epoch=1))


ENDINGS = {
    "ends": ("", 0, ""),
    "fails": ("raise SystemExit('enough')", 1, "enough\n"),
    "is broken off": ("next(iter(batches))", 0, ""),
    "is deleted": ("del batches; import gc; gc.collect(); assert not psutil.Process().children()", 0, ""),
}


@pytest.mark.long
@pytest.mark.parametrize(("then", "status", "said"), ENDINGS.values(), ids=ENDINGS)
def test_a_training_that_ends_with_batches_made_ahead_leaves_nothing(
    packed: Path, then: str, status: int, said: str
) -> None:
    code = (
        "import psutil\nfrom loaderlab.scripts.efficient_dataloader import loader\n"
        f"batches = loader({str(packed)!r}, {BATCH}, size=32, workers=2)\n"
        "for batch in batches: pass\n"
        "del batch\n"
        f"print(*(child.pid for child in psutil.Process().children()), flush=True)\n{then}"
    )
    ran = python(code)
    assert (ran.returncode, ran.stderr) == (status, said)
    assert len(ran.stdout.split()) == 2 and not any(map(works, map(int, ran.stdout.split())))


@pytest.mark.skipif(sys.platform == "win32", reason="torch watches over its workers by a signal")
def test_a_worker_that_dies_between_two_epochs_ends_the_training(packed: Path) -> None:
    code = (
        "import psutil\nfrom loaderlab.scripts.efficient_dataloader import loader\n"
        f"batches = loader({str(packed)!r}, {BATCH}, size=32, workers=2)\n"
        "for epoch in range(3):\n"
        "    for batch in batches: pass\n"
        "    psutil.Process().children()[-1].kill()"
    )
    ran = python(code)
    assert ran.returncode == 1
    # Whichever notices it first: the signal, the queue, or the look that torch takes when the queue fails.
    said = ("is killed by signal", "ConnectionResetError", "exited unexpectedly")
    assert any(words in ran.stderr for words in said), ran.stderr

"""The recipe: images from one packed file to batches for training, near the limit that decoding sets.

What it consists of, and why:

- one packed file with an index, opened once in each process (no list of Python objects that workers copy);
- `__getitems__` decodes each image straight into its place in the batch, which lies in shared memory: nothing is
  copied on its way to the training loop;
- the batch stays uint8, a quarter of the bytes of float32; `to_float` makes floats of it, on the device;
- packing makes JPEGs cuttable (restart markers, and an index of them), so that only the blocks that the crop touches are
  decoded; and a large image is decoded at a fraction of its size;
- as many workers as there are cores for this rank, with one thread each (DataLoader sees to that); they live as long as
  the loader;
- while the last batches of an epoch are used, the workers already make the first ones of the next: no epoch begins with
  waiting;
- crop and mirroring depend only on (seed, epoch, index), so that they are the same for any number of workers; the epoch
  comes with the index, so that no worker can have an old one.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader

from . import decoders, loader_options, machine, shell
from .arguments import whole
from .augmentation import Augmentation
from .dataset import PackedImages
from .distributed_sampler import EvenSampler, remainder
from .images import left_out, synthetic
from .limit import limit
from .packing import Pack, pack
from .ranks import by_itself, compared, place
from .ring import Requests, RingLoader
from .words import number
from .words import translate as _

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet


def as_it_is(batch: Any) -> Any:
    """Return the collate function of a Dataset that has already made the batch."""
    return batch


def accelerator() -> bool:
    """Return whether there is a device for which pinned memory pays."""
    return torch.cuda.is_available() or (hasattr(torch, "accelerator") and torch.accelerator.is_available())


def loader(
    file: str | Path,
    batch_size: int = 64,
    *,
    size: int = 224,
    workers: int | None = None,
    decoder: str = "auto",
    shuffle: bool = True,
    augment: bool = True,
    seed: int = 0,
    drop_last: bool = False,
    uneven: str | None = None,
    rank: int | None = None,
    ranks: int | None = None,
    group: Any = None,
    strict: bool = False,
    prefetch: int = 2,
    start_method: str | None = None,
    least: int | None = None,
    scale: tuple[float, float] | None = None,
    ratio: tuple[float, float] = (3 / 4, 4 / 3),
    interpolation: str = "bilinear",
    transform: Callable[[torch.Tensor], torch.Tensor] | None = None,
    on_batch: Callable[[torch.Tensor, torch.Tensor], Any] | None = None,
) -> RingLoader:
    """Return batches (uint8 [B, 3, size, size], int64 [B]) of a packed file, in a new order in each epoch that is seen to its end.

    Under DDP each rank has its own part, and all have as many batches of the same sizes; rank, ranks and workers (the
    cores that this rank may use, shared with those that may use the same, less one for a rank with an accelerator and more than
    four) are found out if not given. Where there is a process group, all ranks of ``group`` have to make their loader: they raise
    ValueError where their data or options differ, and say who is waited for. ``uneven`` says what becomes of the remainder, as
    in `EvenSampler`; if not given, samples are repeated.

    A crop is a window of ``size`` pixels on the picture at 1/1, 1/2, 1/4 or 1/8 of its size, whose shorter side is
    ``least`` pixels or more (8/7 of ``size`` if not given). With ``scale`` it is what torchvision's
    RandomResizedCrop(size, scale, ratio, interpolation) shows, for instance with ``scale=(0.08, 1)``. Half of the crops
    are mirrored.

    For an evaluation: ``shuffle=False, augment=False``. Images are seen as by Resize(least) and CenterCrop(size). Every one
    comes once, on one of the ranks (``uneven="once"``); ranks may differ by a batch, so sum up figures and counts, and
    compare them at the end.

    ``transform`` gets each crop (uint8 [3, size, size]) in its worker, and gives back one like it. ``on_batch`` gets images
    and labels in this process, from pinned memory where there is an accelerator; what it gives back is what comes. So
    it is the place for torchvision's v2 or Kornia on the accelerator.

    The workers make the first ``prefetch`` × ``workers`` batches of the next epoch while the last ones of this epoch are used.
    They are dropped where ``set_epoch`` says another epoch than the one that follows; so many are made in vain after the last
    epoch of a training. An evaluation ends with its epoch, and makes nothing ahead.

    An image that was damaged after packing is named, counted (``left_out``) and left out, and in a training another one of its
    batch comes instead; a batch without any that can be read, and with ``strict`` the first that cannot, raises ImageError.
    ``loader(…).batch_sampler`` has ``set_epoch`` and ``resume_at``, and the loader itself ``state_dict`` and ``load_state_dict``.
    """
    whole(batch_size=batch_size, prefetch=prefetch)
    whole(0, seed=seed)
    whole(0, or_none=True, workers=workers)
    batch_size, seed = int(batch_size), int(seed)  # a state is JSON, and NumPy's numbers are none
    rank, ranks = place(rank, ranks, group)
    uneven = remainder(uneven, evaluation=not (shuffle or augment))
    seen = Augmentation(size, least or 0, augment, seed, scale, ratio, interpolation, transform)
    dataset = PackedImages(file, seen, decoder=decoder, strict=strict, replace=uneven != "once")
    facts = {
        "images": len(dataset),
        "batch_size": batch_size,
        "shuffle": shuffle,
        "seed": seed,
        "drop_last": drop_last,
        "uneven": uneven,
    }
    everyone = compared(facts, group, pools=machine.pools())
    if workers is None:
        workers = machine.workers(accelerator(), [one["pools"] for one in everyone])
    order = EvenSampler(len(dataset), ranks, rank, shuffle=shuffle, uneven=uneven, seed=seed, group=group)
    return RingLoader(
        dataset,
        Requests(order, batch_size, drop_last),
        slots=prefetch * workers + 1,  # for what is asked of the workers, and for what the caller has
        shape=(batch_size, size, size, 3),
        on_batch=on_batch,
        num_workers=workers,
        collate_fn=as_it_is,
        pin_memory=accelerator(),
        persistent_workers=workers > 0,
        prefetch_factor=prefetch if workers else None,
        multiprocessing_context=start_method if workers else None,
    )


def to_float(
    images: torch.Tensor,
    device: str | torch.device = "cpu",
    mean: Sequence[float] = MEAN,
    std: Sequence[float] = STD,
) -> torch.Tensor:
    """Return the batch as normalised floats on the device: it travels as bytes, and becomes floats there.

    Nothing of it waits for the device, so with pinned batches the next steps are launched while this one is computed.
    """
    # A copy, where they are floats already: what was given is not changed.
    images = images.to(device, non_blocking=True).to(torch.float32, copy=True)
    shift, scale = _channels(tuple(mean), images.device), _channels(tuple(std), images.device)
    return images.sub_(shift).div_(scale)


@lru_cache(maxsize=16)
def _channels(shares: tuple[float, ...], device: torch.device) -> torch.Tensor:
    """Return these shares of 255 as [1, C, 1, 1] on the device.

    A tensor made of a list would be copied there, and such a copy waits until the device has done all that is queued. A
    number that a tensor is filled with goes along with the launch.
    """
    found = torch.empty(1, len(shares), 1, 1, device=device)
    for channel, share in enumerate(shares):
        found[:, channel].fill_(255 * share)
    return found


def rate(
    batches: DataLoader,
    device: str = "cpu",
    most: int | None = None,
    step: Callable[[torch.Tensor, torch.Tensor], object] | None = None,
) -> tuple[float, int, int | None]:
    """Return the images a second over an epoch (or ``most`` batches), how many came, and the memory of all processes in its middle.

    ``step`` gets images and labels of each batch, as they come, or as floats on ``device``.
    """
    memory, count, middle = None, 0, min(len(batches), most or len(batches)) // 2
    begin, apart = time.perf_counter(), 0.0
    for number_of_batch, (images, labels) in enumerate(batches):
        if device != "cpu":
            images = to_float(images, device)
        if step:
            step(images, labels)
        count += len(labels)
        if number_of_batch == middle:
            looked = time.perf_counter()
            memory = machine.tree_bytes()
            apart = time.perf_counter() - looked
        if number_of_batch + 1 == most:
            break
    if device != "cpu":
        torch.empty(1, device=device).cpu()  # waits for what the device has still to do
    return count / (time.perf_counter() - begin - apart), count, memory


def choose_workers(
    file: str | Path,
    batch_size: int = 64,
    batches: int = 24,
    *,
    step: Callable[[torch.Tensor, torch.Tensor], object] | None = None,
    **options: Any,
) -> dict[int, float]:
    """Return the images a second with 1, 2, … workers, up to one more than there are cores for this rank, each over so many batches.

    With the training's ``step``, which gets images and labels and waits until they are computed, workers and training share
    the cores as they will; without it, the loader alone is measured.
    """
    whole(batches=batches)
    found = {}
    for workers in range(1, machine.workers() + 2):
        with by_itself():  # hosts with other numbers of cores make others
            batch_loader = loader(file, batch_size, workers=workers, **options)
        most = min(batches, len(batch_loader))
        rate(batch_loader, most=min(2 * workers, most), step=step)  # starts the workers
        found[workers] = rate(batch_loader, most=most, step=step)[0]
        del batch_loader
    return found


def arguments() -> argparse.ArgumentParser:
    description = _("Pack the images of a folder into one file, and measure how fast batches come out of it.")
    parser = loader_options.parser(__package__, __file__, description)
    add = parser.add_argument
    add(
        "--pack",
        metavar="FILE",
        help=_("the packed file (default: in a temporary folder); it is kept and used again"),
    )
    add("--repack", action="store_true", help=_("pack again even if the packed file is there"))
    add(
        "--workers",
        type=_workers,
        default="cores",
        help=_("a number, `cores` (default), or `measure`, which finds the fastest number"),
    )
    return parser


def _workers(text: str) -> str:
    if text not in ("cores", "measure") and not text.isdecimal():
        raise argparse.ArgumentTypeError(
            _("{given!r} is no number, and neither `cores` nor `measure`").format(given=text)
        )
    return text


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    return shell.run(arguments, run, argv)


def run(options: argparse.Namespace, scratch: Path) -> None:
    """Pack, load, measure, and print what came of it."""
    decoder = decoders.choose(options.decoder)
    file = Path(options.pack) if options.pack else scratch / "images.pack"
    classes = Pack(options.classes).classes if options.classes else None
    if options.part:
        loader_options.write_part(options, options.pack, "--pack", classes)
        return
    _packed(options, file, classes, scratch)
    about = Pack(file)
    _describe(about, decoder)
    seen = {"size": options.size, "scale": loader_options.scale(options)}
    common = {**seen, "decoder": decoder, "seed": options.seed}
    workers = _workers_for(options, file, common)
    processes, passes = machine.cores(), -(-512 // len(about))  # of a handful of images it would be noise
    best = limit(file, decoder, processes=processes, passes=passes, **seen) if options.epochs else math.nan
    batches = loader(file, options.batch_size, workers=workers, strict=options.strict, **common)
    rate(batches, options.device, most=2 * workers or 1)  # starts the workers
    # One right after the other: in a pause, the workers would make the beginning of the next one, and no clock would run.
    for epoch in range(options.epochs):
        speed, count, memory = rate(batches, options.device)
        print(
            _(
                "Epoch {epoch}: images: {n}; {rate} images/s; limit {limit} images/s; ratio {ratio}; memory {memory} MiB"
            ).format(
                epoch=epoch,
                n=number(count),
                rate=number(speed),
                limit=number(best),
                ratio=number(speed / best, 2),
                memory="?" if memory is None else number(memory / 2**20),
            )
        )
    if options.epochs:
        text = _("Workers: {n}. The limit is decoding from memory in so many processes: {cores}.")
        print(text.format(n=workers, cores=processes))


def _packed(options: argparse.Namespace, file: Path, classes: list[str] | None, scratch: Path) -> None:
    """Make sure that the packed file is there, and of this folder."""
    if file.exists() and not options.repack:
        if options.folder:
            Pack(file).check_folder(options.folder, options.store_size, classes)
        return
    folder = Path(options.folder) if options.folder else synthetic(scratch / "images", options.samples)
    begin = time.perf_counter()
    problems = pack(
        folder,
        file,
        classes=classes,
        shorter=options.store_size,
        strict=options.strict,
        report=left_out,
        processes=machine.cores(),
        parts=options.parts,
    )
    text = _("Packed in {seconds} s. Left out: {n}.")
    print(text.format(seconds=number(time.perf_counter() - begin, 1), n=number(len(problems))))


def _describe(about: Pack, decoder: str) -> None:
    """Say what is in the packed file."""
    print(
        _("{file}: images: {images}, classes: {classes}, {size} MiB; decoder: {decoder}").format(
            file=about.file,
            images=number(len(about)),
            classes=number(len(about.classes)),
            size=number(about.file.stat().st_size / 2**20, 1),
            decoder=decoder,
        )
    )
    if about.whole:
        text = _(
            "Images that are decoded whole, because they cannot be cut: {n}. Where `jpegtran` (of libjpeg-turbo) is "
            "installed, packing them again (`--repack`) makes most of them cuttable; no pixel changes."
        )
        print(text.format(n=number(about.whole)))


def _workers_for(options: argparse.Namespace, file: Path, common: dict[str, Any]) -> int:
    """Return the number of workers that is asked for; where it is to be measured, the fewest that are as good as the best one."""
    if options.workers == "cores":
        return machine.workers(accelerator())
    if options.workers != "measure":
        return int(options.workers)
    found = choose_workers(file, options.batch_size, **common)
    for count, speed in found.items():
        print(_("Workers: {n}; {rate} images/s").format(n=count, rate=number(speed)))
    return min(count for count, speed in found.items() if speed >= 0.97 * max(found.values()))


if __name__ == "__main__":
    sys.exit(main())

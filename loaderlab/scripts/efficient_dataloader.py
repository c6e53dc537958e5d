"""The recipe: images from one packed file to batches for training, near the limit that decoding sets.

What it consists of, and why:

- one packed file with an index, opened once in each process (no list of Python objects that workers copy);
- `__getitems__` decodes each image straight into its place in the batch, which lies in shared memory: nothing is
  copied on its way to the training loop;
- the batch stays uint8, a quarter of the bytes of float32; `to_float` makes floats of it, on the device;
- no row of an image is decoded that the crop does not show, and a large image is decoded at a fraction of its size;
- as many workers as there are cores, with one thread each (DataLoader sees to that); they live as long as the loader;
- crop and mirroring depend only on (seed, epoch, index), so that they are the same for any number of workers; the epoch
  comes with the index, so that no worker can have an old one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

from . import decoders, machine, shell
from .decoders import View, fill
from .distributed_sampler import EvenSampler
from .images import ImageError, synthetic
from .limit import limit
from .packing import Pack, pack
from .ring import Parcel, Request, Requests, Ring, RingLoader, shared
from .words import number
from .words import translate as _

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet


def draws(seed: int, epoch: int, indices: np.ndarray, count: int = 3) -> np.ndarray:
    """``count`` numbers from 0 to 1 for each index, which depend on nothing else than seed, epoch and index (splitmix64)."""
    with np.errstate(over="ignore"):
        start = _mixed(np.uint64(seed & (2**64 - 1)) + _mixed(np.array([epoch], dtype=np.uint64)))
        state = _mixed(start + indices.astype(np.uint64))[:, None]
        state = _mixed(state + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    return (state >> np.uint64(11)) * 2.0**-53


def _mixed(x: np.ndarray) -> np.ndarray:
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


class PackedImages(Dataset):
    """Map-style: a crop of each image in a packed file, and its class. Asked for many at once, it makes the whole batch."""

    def __init__(
        self,
        file: str | Path,
        size: int = 224,
        *,
        least: int | None = None,
        augment: bool = True,
        seed: int = 0,
        decoder: str = "auto",
    ) -> None:
        self.pack = Pack(file)
        self.size, self.least = size, least or size * 8 // 7
        self.augment, self.seed, self.decoder = augment, seed, decoders.choose(decoder)
        self.ring: Ring | None = None

    def __len__(self) -> int:
        return len(self.pack)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        images, labels = self.__getitems__([index])
        return images[0], int(labels[0])

    def __getitems__(self, asked: Sequence[int] | Request) -> Any:
        """uint8 [B, 3, size, size] (in memory the colours of a pixel are neighbours: channels_last), int64 [B]."""
        request = asked if isinstance(asked, Request) else Request(0, list(asked))
        indices = np.array(request.indices, dtype=np.int64)
        records = self.pack.index[indices]
        labels = records["label"].astype(np.int64)
        worker = get_worker_info()
        slot = self.ring.take(worker.id) if worker and self.ring and request is asked else -1
        if slot >= 0:
            self._decode(self.ring.memory[slot].numpy(), records, request)
            return Parcel(self.ring.number, slot, labels)
        batch = empty(len(indices), self.size, self.size, 3)
        self._decode(batch.numpy(), records, request)
        return batch.permute(0, 3, 1, 2), torch.from_numpy(labels)

    def _decode(self, places: np.ndarray, records: np.ndarray, request: Request) -> None:
        views = self._views(request.epoch, request.indices)
        for place, record, view, index in zip(places, records, views, request.indices, strict=False):
            try:
                fill(place, self.pack.bytes_of(record), record, view, self.decoder)
            except (OSError, ValueError) as error:
                raise ImageError(f"{self.pack.file}: {self.pack.name(index)}: {error}") from error

    def _views(self, epoch: int, indices: list[int]) -> Iterator[View]:
        if not self.augment:
            yield from [View(self.size, self.least)] * len(indices)
            return
        for u, v, mirrored in draws(self.seed, epoch, np.array(indices)).tolist():
            yield View(self.size, self.least, u, v, mirrored < 0.5)


def empty(*shape: int) -> torch.Tensor:
    """A uint8 tensor for a batch; in a worker it lies in shared memory, where the main process finds it without a copy."""
    return torch.empty(shape, dtype=torch.uint8) if get_worker_info() is None else shared(*shape)


def as_it_is(batch: Any) -> Any:
    """The collate function of a Dataset that has already made the batch."""
    return batch


def accelerator() -> bool:
    """Whether there is a device for which pinned memory pays."""
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
    rank: int = 0,
    ranks: int = 1,
    prefetch: int = 2,
    start_method: str | None = None,
    least: int | None = None,
) -> DataLoader:
    """Batches (uint8 [B, 3, size, size], int64 [B]) of a packed file, each image once in each epoch, in a new order.

    For validation: ``shuffle=False, augment=False``. Under DDP give ``rank`` and ``ranks``: all have as many batches.
    ``loader(…).batch_sampler.set_epoch(n)`` continues at an epoch.
    """
    workers = machine.cores() if workers is None else workers
    dataset = PackedImages(file, size, least=least, augment=augment, seed=seed, decoder=decoder)
    order = EvenSampler(len(dataset), ranks, rank, shuffle=shuffle, seed=seed)
    requests = Requests(order, batch_size, drop_last)
    if workers:
        # While the workers are what limits, each needs one to fill, and one that waits its turn or that the caller has.
        # A third would take more memory; where none is free, the batch goes into fresh memory.
        each = 2 if workers > 1 else 3
        with suppress(RuntimeError):  # little shared memory: do without
            requests.ring = dataset.ring = Ring(workers, each, (batch_size, size, size, 3))
    return RingLoader(
        dataset,
        batch_sampler=requests,
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
    """The batch as normalised floats on the device: it travels as bytes, and becomes floats there."""
    images = images.to(device, non_blocking=True).float()
    scale = torch.tensor([255 * s for s in std], device=images.device).view(1, 3, 1, 1)
    shift = torch.tensor([255 * m for m in mean], device=images.device).view(1, 3, 1, 1)
    return images.sub_(shift).div_(scale)


def rate(batches: DataLoader, device: str = "cpu", most: int | None = None) -> tuple[float, int, int | None]:
    """Images a second over an epoch (or ``most`` batches), how many came, and the memory of all processes in its middle."""
    memory, count, middle = None, 0, min(len(batches), most or len(batches)) // 2
    begin, apart = time.perf_counter(), 0.0
    for number_of_batch, (images, labels) in enumerate(batches):
        if device != "cpu":
            images = to_float(images, device)
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
    file: str | Path, batch_size: int = 64, batches: int = 24, **options: Any
) -> dict[int, float]:
    """Images a second with 1, 2, … workers, up to one more than there are cores, each over so many batches."""
    found = {}
    for workers in range(1, machine.cores() + 2):
        batch_loader = loader(file, batch_size, workers=workers, **options)
        most = min(batches, len(batch_loader))
        rate(batch_loader, most=min(2 * workers, most))  # starts the workers
        found[workers] = rate(batch_loader, most=most)[0]
        del batch_loader
    return found


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m loaderlab.scripts.efficient_dataloader",
        description=_(
            "Pack the images of a folder into one file, and measure how fast batches come out of it."
        ),
        epilog=_("Without --folder it makes images of its own, in a temporary folder."),
    )
    shell.add_options(parser)
    add = parser.add_argument
    add(
        "--pack",
        metavar="FILE",
        help=_("the packed file (default: in a temporary folder); it is kept and used again"),
    )
    add("--repack", action="store_true", help=_("pack again even if the packed file is there"))
    add(
        "--workers",
        default="cores",
        help=_("a number, `cores` (default), or `measure`: the fastest number, found out"),
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    return shell.run(arguments, run, argv)


def run(options: argparse.Namespace, scratch: Path) -> None:
    """Pack, load, measure, and print what came of it."""
    decoder = decoders.choose(options.decoder)
    file = Path(options.pack) if options.pack else scratch / "images.pack"
    if file.exists() and not options.repack:
        about = Pack(file)
        if options.folder:
            about.check_folder(options.folder, options.store_size)
    else:
        folder = Path(options.folder) if options.folder else synthetic(scratch / "images", options.samples)
        begin = time.perf_counter()
        problems = pack(
            folder,
            file,
            shorter=options.store_size,
            strict=options.strict,
            report=shell.left_out,
            processes=machine.cores(),
        )
        print(
            _("Packed in {seconds} s. Left out: {n}.").format(
                seconds=number(time.perf_counter() - begin, 1), n=number(len(problems))
            )
        )
        about = Pack(file)
    print(
        _("{file}: images: {images}, classes: {classes}, {size} MiB; decoder: {decoder}").format(
            file=file,
            images=number(len(about)),
            classes=number(len(about.about()["classes"])),
            size=number(file.stat().st_size / 2**20, 1),
            decoder=decoder,
        )
    )
    about.close()
    common = {"size": options.size, "decoder": decoder, "seed": options.seed}
    workers = machine.cores()
    if options.workers == "measure":
        found = choose_workers(file, options.batch_size, **common)
        for count, speed in found.items():
            print(_("Workers: {n}; {rate} images/s").format(n=count, rate=number(speed)))
        # The fewest that are as good as the best one.
        workers = min(count for count, speed in found.items() if speed >= 0.97 * max(found.values()))
    elif options.workers != "cores":
        workers = int(options.workers)
    batches = loader(file, options.batch_size, workers=workers, **common)
    rate(batches, options.device, most=2 * workers or 1)  # starts the workers
    speeds, processes = [], machine.cores()
    passes = -(-512 // len(about))  # a limit measured on a handful of images would be noise
    for epoch in range(options.epochs):
        speed, count, memory = rate(batches, options.device)
        best = limit(file, decoder, options.size, processes=processes, passes=passes)
        speeds.append(speed / best)
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
    if speeds:
        print(
            _("Workers: {n}. The limit is decoding from memory in so many processes: {cores}.").format(
                n=workers, cores=processes
            )
        )


if __name__ == "__main__":
    sys.exit(main())

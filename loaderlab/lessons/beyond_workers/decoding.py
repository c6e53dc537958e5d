"""Pictures as they are stored, decoded and sent; decoded by the cores or by the device, alone and beside a step."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from loaderlab.data import jpegs
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.beyond_workers import stepping
from loaderlab.measuring.attempts import attempt
from loaderlab.measuring.iterating import iterating
from loaderlab.measuring.machine import usable_cores
from loaderlab.measuring.measure import compare
from loaderlab.notebook.recordings import Unable

STORED = 288  # pixels of a picture's side
CROP = 224
BATCH = 64
AHEAD = 3  # batches that are decoded before the loop asks for them, at most


def decode(jpeg: bytes) -> torch.Tensor:
    """Return the pixels of a JPEG, uint8 [3, height, width]. Pillow decodes without the lock of the interpreter."""
    from PIL import Image

    pixels = np.array(Image.open(io.BytesIO(jpeg)).convert("RGB"))
    return torch.from_numpy(pixels).permute(2, 0, 1)


def crop(picture: torch.Tensor) -> torch.Tensor:
    """Return the middle of a picture, [3, CROP, CROP], in memory of its own."""
    top, left = ((side - CROP) // 2 for side in picture.shape[1:])
    return picture[:, top : top + CROP, left : left + CROP].contiguous()


def forms(pictures: Sequence[bytes]) -> list[dict[str, Any]]:
    """Return the bytes of a sample, on average: as it is stored, as a crop of bytes, as a crop of floats."""
    crops = [crop(decode(picture)) for picture in pictures]
    sizes = {
        "jpeg": [len(picture) for picture in pictures],
        "uint8": [each.nbytes for each in crops],
        "float32": [each.float().nbytes for each in crops],
    }
    return [{"form": form, "bytes": sum(each) / len(each)} for form, each in sizes.items()]


def crossings(batch: int = 256, repeats: int = 5) -> Iterator[dict[str, Any]]:
    """Yield rows of the milliseconds in which a batch crosses from pinned memory, in each form; events around the copy."""
    sizes = {row["form"]: row["bytes"] for row in forms(jpegs(16, STORED))}
    timed = {}
    for form, nbytes in sizes.items():
        source = torch.ones(batch * int(nbytes), dtype=torch.uint8).pin_memory()
        timed[form] = partial(stepping.copy_ms, source, torch.empty_like(source, device="cuda"))
    for form, times in compare(timed, repeats, warmup=2).items():
        yield from ({"form": form, "bytes": sizes[form], "batch_size": batch, "ms": ms} for ms in times)


# ---------------------------------------------------------------- beside a step


class Pictures(Dataset[torch.Tensor]):
    """Map-style: crops of JPEGs that lie in memory, each decoded where it is asked for."""

    def __init__(self, length: int) -> None:
        self.length, self.jpegs = length, jpegs(64, STORED)

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> torch.Tensor:
        return crop(decode(self.jpegs[index % len(self.jpegs)]))


def on_device() -> Iterator[torch.Tensor]:
    """Yield batches of crops without end, decoded by the device, in a thread and a stream of their own."""
    from torchvision.io import decode_jpeg

    stored = [torch.frombuffer(bytearray(jpeg), dtype=torch.uint8) for jpeg in jpegs(BATCH, STORED)]
    stream = torch.cuda.Stream()

    def decoded() -> tuple[torch.Tensor, Any]:
        with torch.cuda.stream(stream):
            stream.synchronize()  # decode_jpeg does not wait for what still reads the memory that it gets
            batch = torch.stack([crop(picture) for picture in decode_jpeg(stored, device="cuda")])
        return batch, stream.record_event()

    with ThreadPoolExecutor(1) as thread:
        ahead = deque(thread.submit(decoded) for _batch in range(AHEAD))
        while True:
            batch, ready = ahead.popleft().result()
            ahead.append(thread.submit(decoded))
            torch.cuda.current_stream().wait_event(ready)
            yield batch
            batch.record_stream(torch.cuda.current_stream())


def beside_a_step(
    steps_ms: Sequence[float], cores: Sequence[int], seconds: float = 1.5
) -> Iterator[dict[str, Any]]:
    """Yield rows of pictures/s for each step (0: none): of the step alone, decoded by the device, and by so many workers, each with a core."""
    try:
        import torchvision  # noqa: F401
    except ImportError as lack:
        raise Unable(_("Not run: this benchmark needs `torchvision`, which is not installed here.")) from lack
    held = torch.zeros(BATCH, 3, CROP, CROP, dtype=torch.uint8, device="cuda")
    for ms in steps_ms:
        step = stepping.computation(ms)
        if ms:
            with attempt("step", ms):
                found = stepping.rate(repeat(held), step, seconds)
                yield {"place": "step", "cores": 0, "step_ms": ms, **found}
        with attempt("device", ms):
            found = stepping.rate(on_device(), step, seconds)
            yield {"place": "device", "cores": 0, "step_ms": ms, **found}
        for count in filter(usable_cores().__ge__, cores):
            loader = DataLoader(Pictures(BATCH * 10_000), BATCH, num_workers=count, pin_memory=True)
            with attempt("cores", count, ms), iterating(loader) as batches:
                found = stepping.rate(batches, step, seconds)
                yield {"place": "cores", "cores": count, "step_ms": ms, **found}

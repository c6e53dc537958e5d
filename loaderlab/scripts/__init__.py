"""The take-home scripts of the course: four in plain PyTorch, and the modules that they share (MIT licence).

`loaderlab take efficient_dataloader FOLDER` writes one of them, with what it needs, into a project of yours, and with FILE.py for
FOLDER it writes one file. A file out of this folder does not work alone: they import each other, and so are called as modules of
their folder, from the folder above it::

    python -m FOLDER.efficient_dataloader --help
    python -m FOLDER.distributed_sampler --help
    python -m FOLDER.webdataset_loader --help
    python -m FOLDER.diagnose --help

`efficient_dataloader` and `webdataset_loader` run on pictures that they make themselves or on a folder of yours, and
`distributed_sampler` on random lengths or on such a folder. They need torch, numpy and Pillow, and `webdataset_loader` needs
webdataset; simplejpeg (a faster decoder) and jpegtran (pictures that can be cut) are used where installed. `diagnose` runs on a loader of yours, and needs torch,
numpy and psutil.

As a library, `loader`, `pack` and the other names of PUBLIC are attributes of this package (`docs/library.md` of the course says
what each of them promises), each imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import Any

PUBLIC = {  # name -> the module that has it, and its name there
    "pack": ("packing", "pack"),
    "pack_part": ("packing", "pack_part"),
    "Pack": ("packed_file", "Pack"),
    "loader": ("efficient_dataloader", "loader"),
    "to_float": ("efficient_dataloader", "to_float"),
    "choose_workers": ("efficient_dataloader", "choose_workers"),
    "write_shards": ("shards", "write"),
    "loader_from_shards": ("webdataset_loader", "loader"),
    "EvenSampler": ("distributed_sampler", "EvenSampler"),
    "BucketSampler": ("distributed_sampler", "BucketSampler"),
    "agree": ("ranks", "agree"),
    "ImageError": ("images", "ImageError"),
}


def __getattr__(name: str) -> Any:
    if name not in PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = PUBLIC[name]
    return getattr(importlib.import_module(f".{module}", __name__), attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *PUBLIC])

"""The half that `diagnose` may be made with."""

from __future__ import annotations

import copy
import glob
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info

from .stranger import DATA, Stranger


class Masks(Dataset):
    """Pictures whose mask is found by its name, with a pattern."""

    def __init__(self) -> None:
        self.folder = DATA / "masks"
        if not self.folder.exists():
            self.folder.mkdir(parents=True)
            for number in range(3000):
                np.save(self.folder / f"{number:05}_mask.npy", np.zeros((64, 64), np.uint8))

    def __len__(self) -> int:
        return 3000

    def __getitem__(self, index: int) -> torch.Tensor:
        (file,) = glob.glob(f"{self.folder}/{index:05}*.npy")
        return torch.from_numpy(np.load(file))


def glob_for_each() -> DataLoader:
    """The folder is listed for each sample, to find one file by a pattern. Cure: list it once. milesial/Pytorch-UNet#449."""
    return DataLoader(Masks(), 16, shuffle=True, num_workers=2, persistent_workers=True)


class Annotated(Dataset):
    """Records with polygons, copied in depth so that a transform may change them."""

    def __init__(self) -> None:
        box = {
            "bbox": [1.0, 2.0, 3.0, 4.0],
            "segmentation": [[float(n) for n in range(60)]],
            "category_id": 1,
        }
        self.records = [
            {"file": f"{n}.jpg", "annotations": [dict(box) for _ in range(150)]} for n in range(400)
        ]

    def __len__(self) -> int:
        return 4000

    def __getitem__(self, index: int) -> torch.Tensor:
        record = copy.deepcopy(self.records[index % 400])
        return torch.tensor([one["bbox"] for one in record["annotations"]])


def copied_in_depth() -> DataLoader:
    """`copy.deepcopy` of the annotations takes nearly all of a sample. Cure: a copy of what changes. facebookresearch/detectron2#939."""
    return DataLoader(Annotated(), 16, shuffle=True, num_workers=2, persistent_workers=True)


class Indexed(Dataset):
    """An index that each worker builds when it is first asked, and that goes with the worker."""

    index: dict[int, int] | None = None

    def __len__(self) -> int:
        return 480

    def __getitem__(self, index: int) -> torch.Tensor:
        if self.index is None:
            self.index = {hash((n, n + 1)): n for n in range(900_000)}
        return torch.full((64,), float(index + len(self.index)))


def index_built_again() -> DataLoader:
    """Each worker builds its index again in each epoch of 30 batches. Cure: persistent_workers=True. pytorch/pytorch#15849."""
    return DataLoader(Indexed(), 16, shuffle=True, num_workers=2)


class Arrays(Dataset):
    """Float arrays."""

    def __init__(self) -> None:
        self.x = np.random.default_rng(0).normal(size=(200, 6000))

    def __len__(self) -> int:
        return 3200

    def __getitem__(self, index: int) -> Any:
        return self.x[index % 200], index % 10


def listed(samples: list[Any]) -> Any:
    """Collate as many do: a tensor from a list of lists."""
    xs, ys = zip(*samples, strict=True)
    return torch.tensor([x.tolist() for x in xs], dtype=torch.float32), torch.tensor(ys)


def tensor_of_lists() -> DataLoader:
    """`torch.tensor` of a list of lists, number by number. Cure: np.stack. pytorch/pytorch#39842, huggingface/transformers#24772."""
    return DataLoader(Arrays(), 32, shuffle=True, num_workers=2, persistent_workers=True, collate_fn=listed)


class Jittered(Dataset):
    """An augmentation with a generator of its own, made before the workers are."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def __len__(self) -> int:
        return 2400

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.from_numpy(self.rng.normal(size=(32, 32)).astype("float32")) + index


def same_numbers() -> DataLoader:
    """All workers augment with the same numbers. Cure: a generator made in the worker. facebookresearch/fairseq#1383, pytorch/pytorch#5059."""
    return DataLoader(Jittered(), 16, shuffle=True, num_workers=4, persistent_workers=True)


class Shards(IterableDataset):
    """So many shards, shared out among the workers."""

    def __init__(self, shards: int) -> None:
        self.shards = shards

    def __iter__(self) -> Iterator[torch.Tensor]:
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for shard in range(first, self.shards, step):
            for number in range(2400 // self.shards):
                small = np.random.default_rng(number).integers(0, 255, (90, 90, 3), dtype=np.uint8)
                picture = Image.fromarray(small).resize((400, 400), Image.Resampling.BICUBIC)
                yield torch.from_numpy(np.asarray(picture).copy())[::4, ::4] + shard


def one_shard() -> DataLoader:
    """Four workers and one shard: three have nothing to read. Cure: more shards. huggingface/datasets#5984, webdataset/webdataset#65."""
    return DataLoader(Shards(1), 16, num_workers=4, persistent_workers=True)


class Radiographs(Dataset):
    """Large pictures that are turned first and made small last."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.pictures = [
            Image.fromarray(rng.integers(0, 255, (1200, 1200), dtype=np.uint8)) for _ in range(8)
        ]

    def __len__(self) -> int:
        return 1600

    def __getitem__(self, index: int) -> torch.Tensor:
        picture = self.pictures[index % 8]
        picture = picture.rotate(float(index % 30), resample=Image.Resampling.BICUBIC)
        return torch.from_numpy(np.asarray(picture.resize((224, 224))).copy())


def resized_last() -> DataLoader:
    """Pictures are turned at full size, then resized. Cure: resize first. mlmed/torchxrayvision#11, torchgeo/torchgeo#3539."""
    return DataLoader(Radiographs(), 16, shuffle=True, num_workers=2, persistent_workers=True)


def rows_one_by_one() -> DataLoader:
    """A table in memory, read row by row and stacked again: 2,048 rows of 20 numbers. Cure: slices. shenweichen/DeepCTR-Torch#70."""
    return DataLoader(TensorDataset(torch.randn(200_000, 20), torch.zeros(200_000)), 2048, shuffle=True)


class Remembering(Dataset):
    """A dataset that keeps each sample that it made."""

    def __init__(self) -> None:
        self.cache: dict[int, torch.Tensor] = {}

    def __len__(self) -> int:
        return 1_000_000

    def __getitem__(self, index: int) -> torch.Tensor:
        if index not in self.cache:
            self.cache[index] = torch.full((3, 96, 96), float(index))
        return self.cache[index]


def memory_of_all() -> DataLoader:
    """Each worker keeps all that it has read: 110 kB a sample, a million samples. Cure: no cache. msamogh/nonechucks#13."""
    return DataLoader(Remembering(), 32, shuffle=True, num_workers=2, persistent_workers=True)


class Mapped(Dataset):
    """Crops from one large file that is mapped into memory."""

    def __init__(self) -> None:
        self.path = DATA / "mapped.npy"
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            np.save(self.path, np.zeros((2000, 64, 64), np.uint8))
        self.x = np.load(self.path, mmap_mode="r")

    def __len__(self) -> int:
        return 2000

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.from_numpy(np.array(self.x[index]))


def ok_mapped() -> DataLoader:
    """Healthy: a mapped file, one kept worker, a step of 15 ms. numpy/numpy#26499 is how it is not done."""
    return DataLoader(Mapped(), 32, shuffle=True, num_workers=1, persistent_workers=True)


class InWorkersOnly(Dataset):
    """A dataset that is opened in the worker, and nowhere else."""

    def __init__(self) -> None:
        self.file: Any = None

    def __len__(self) -> int:
        return 4000

    def __getitem__(self, index: int) -> torch.Tensor:
        info = get_worker_info()
        if info is None:
            raise RuntimeError("opened in the main process")
        self.file = self.file or open(Path(__file__), "rb")  # noqa: SIM115
        self.file.seek(index % 100)
        return torch.tensor(list(self.file.read(64)))


def ok_in_workers_only() -> DataLoader:
    """Healthy: a reader that may only be opened in a worker. HannesStark/boltzgen#40, mehta-lab/VisCy#417."""
    return DataLoader(InWorkersOnly(), 16, shuffle=True, num_workers=1, persistent_workers=True)


class Buckets(torch.utils.data.Sampler):
    """Batches of like length."""

    def __init__(self, lengths: list[int]) -> None:
        self.lengths = lengths

    def __len__(self) -> int:
        return len(self.lengths) // 16

    def __iter__(self) -> Iterator[list[int]]:
        order = sorted(range(len(self.lengths)), key=self.lengths.__getitem__)
        batches = [order[n : n + 16] for n in range(0, len(order) - 15, 16)]
        yield from (batches[n] for n in torch.randperm(len(batches)).tolist())


class Texts(Dataset):
    """Texts of 10 to 200 numbers."""

    def __init__(self) -> None:
        self.lengths = np.random.default_rng(0).integers(10, 200, 4000).tolist()

    def __len__(self) -> int:
        return 4000

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.arange(self.lengths[index])


def padded(samples: list[torch.Tensor]) -> torch.Tensor:
    """Pad to the longest of the batch."""
    return torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)


def ok_buckets() -> DataLoader:
    """Healthy: buckets by length, padded to the longest of the batch. pytorch/pytorch#46176 asks for it."""
    data = Texts()
    return DataLoader(
        data, batch_sampler=Buckets(data.lengths), collate_fn=padded, num_workers=1, persistent_workers=True
    )


MAKING = {
    one.make.__name__: one
    for one in itertools.chain(
        (
            Stranger(glob_for_each, ("computing", "too_few_workers"), cause=r"glob\.glob"),
            Stranger(copied_in_depth, ("computing",), cause=r"deepcopy", step=1),
            Stranger(
                index_built_again, ("restarted_workers", "slow_epoch_start"), cause="persistent_workers=True"
            ),
            Stranger(tensor_of_lists, ("slow_collate",), ("computing",), r"torch\.tensor\(|tolist", step=3),
            Stranger(same_numbers, ("repeated_draws",), cause=r"dataset\.rng"),
            Stranger(one_shard, ("idle_workers",), ("computing",), r"3 of (the )?4|shards"),
            Stranger(resized_last, ("computing",), cause=r"\.rotate\("),
            Stranger(
                rows_one_by_one,
                ("slow_collate", "computing", "too_few_workers"),
                cause="[Oo]ne by one|row by row|__getitems__",
                step=5,
            ),
            Stranger(memory_of_all, ("growing_memory",), cause="memory will be full"),
        ),
        (Stranger(ok_mapped, step=15), Stranger(ok_in_workers_only, step=15), Stranger(ok_buckets, step=15)),
    )
}

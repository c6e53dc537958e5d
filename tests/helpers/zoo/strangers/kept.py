"""The half that is kept aside: nothing is tuned on it."""

from __future__ import annotations

import itertools
import random
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageEnhance
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    TensorDataset,
    get_worker_info,
)

from .stranger import DATA, Stranger


class Zipped(Dataset):
    """Members of an archive, which is opened for each."""

    def __init__(self) -> None:
        self.path = DATA / "many.zip"
        if not self.path.exists():
            DATA.mkdir(parents=True, exist_ok=True)
            with zipfile.ZipFile(self.path, "w") as archive:
                for number in range(4000):
                    archive.writestr(f"{number:05}", bytes(3072))

    def __len__(self) -> int:
        return 4000

    def __getitem__(self, index: int) -> torch.Tensor:
        with zipfile.ZipFile(self.path) as archive:
            return torch.frombuffer(bytearray(archive.read(f"{index:05}")), dtype=torch.uint8)


def archive_opened_each() -> DataLoader:
    """The archive, with its table of 4,000 members, is opened for each sample. Cure: once in each worker. LABSN/expyfun#319."""
    return DataLoader(Zipped(), 16, shuffle=True, num_workers=2, persistent_workers=True)


class Volumes(Dataset):
    """Compressed arrays, of which a piece is used."""

    def __init__(self) -> None:
        self.folder = DATA / "npz"
        if not self.folder.exists():
            self.folder.mkdir(parents=True)
            rng = np.random.default_rng(0)
            for number in range(40):
                np.savez_compressed(
                    self.folder / f"{number}.npz", x=rng.integers(0, 60, (24, 128, 128), np.uint8)
                )

    def __len__(self) -> int:
        return 1600

    def __getitem__(self, index: int) -> torch.Tensor:
        with np.load(self.folder / f"{index % 40}.npz") as file:
            return torch.from_numpy(file["x"][index % 24].copy())


def npz_for_a_slice() -> DataLoader:
    """A compressed .npz is unpacked for one slice of it. Cure: .npy, mapped. numpy/numpy#26498, facebookresearch/spdl#293."""
    return DataLoader(Volumes(), 16, shuffle=True, num_workers=2, persistent_workers=True)


class Sounds(Dataset):
    """Six seconds of sound, made slower for each sample."""

    def __init__(self) -> None:
        self.x = np.random.default_rng(0).normal(size=(20, 6 * 44_100)).astype("float32")

    def __len__(self) -> int:
        return 1600

    def __getitem__(self, index: int) -> torch.Tensor:
        sound = self.x[index % 20]
        at = np.arange(0, len(sound), 44_100 / 16_000)
        slower = np.interp(at, np.arange(len(sound)), sound)
        return torch.from_numpy(slower[:16_000].astype("float32"))


def sound_resampled() -> DataLoader:
    """Sound is resampled for each sample, and a sixth of it is used. Cure: once, before. mozilla/TTS#405."""
    return DataLoader(Sounds(), 16, shuffle=True, num_workers=2, persistent_workers=True)


class Scanned(Dataset):
    """Rows of a text file, found by reading the file from its beginning."""

    def __init__(self) -> None:
        self.path = DATA / "rows.bed"
        if not self.path.exists():
            DATA.mkdir(parents=True, exist_ok=True)
            self.path.write_text("".join(f"chr1\t{n}\t{n + 100}\t{n % 7}\n" for n in range(40_000)))

    def __len__(self) -> int:
        return 40_000

    def __getitem__(self, index: int) -> torch.Tensor:
        with self.path.open() as file:
            line = next(itertools.islice(file, index, None))
        return torch.tensor([int(part) for part in line.split("\t")[1:]])


def file_scanned() -> DataLoader:
    """The file is read from its beginning for each row. Cure: an index of lines. kipoi/models#67, huggingface/transformers#3083."""
    return DataLoader(Scanned(), 16, shuffle=True, num_workers=2, persistent_workers=True)


class Replay(BatchSampler):
    """A random batch from a long memory, by a permutation of all of it."""

    def __init__(self) -> None:
        self.length = 600_000

    def __len__(self) -> int:
        return 300

    def __iter__(self) -> Iterator[list[int]]:
        for _batch in range(300):
            yield np.random.permutation(self.length)[:64].tolist()


def permuted_for_each_batch() -> DataLoader:
    """A permutation of 600,000 for each batch of 64. Cure: `randint`, or one permutation. DeepX-inc/machina#179."""
    return DataLoader(
        TensorDataset(torch.zeros(600_000, 8)), batch_sampler=Replay(), num_workers=1, persistent_workers=True
    )


class Pickled(Dataset):
    """A list of many small objects, pickled for each worker."""

    def __init__(self) -> None:
        self.records = [{"name": f"n{n}", "at": (n, n + 1)} for n in range(300_000)]

    def __len__(self) -> int:
        return 320

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.tensor(self.records[index]["at"])


def spawned_with_much() -> DataLoader:
    """Workers that are spawned get 300,000 records pickled, each epoch of 20 batches. Cure: keep them. pytorch/pytorch#139792."""
    return DataLoader(Pickled(), 16, shuffle=True, num_workers=2, multiprocessing_context="spawn")


class Colored(Dataset):
    """Four changes of colour, for each sample, by Pillow."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.pictures = [
            Image.fromarray(rng.integers(0, 255, (256, 256, 3), dtype=np.uint8)) for _ in range(20)
        ]

    def __len__(self) -> int:
        return 3200

    def __getitem__(self, index: int) -> torch.Tensor:
        picture = self.pictures[index % 20]
        for change in (
            ImageEnhance.Color,
            ImageEnhance.Contrast,
            ImageEnhance.Brightness,
            ImageEnhance.Sharpness,
        ):
            picture = change(picture).enhance(0.5 + random.random())
        return torch.from_numpy(np.asarray(picture).copy())


def colors_in_workers() -> DataLoader:
    """Colours are changed for each sample in the workers. Cure: on the device, in batches. huggingface/lerobot#4627."""
    return DataLoader(Colored(), 16, shuffle=True, num_workers=2, persistent_workers=True)


class Pairs(Dataset):
    """Negatives drawn with weights from a long list."""

    def __init__(self) -> None:
        weights = np.random.default_rng(0).random(75_000)
        self.weights = weights / weights.sum()

    def __len__(self) -> int:
        return 8000

    def __getitem__(self, index: int) -> Any:
        negatives = np.random.choice(75_000, size=5, p=self.weights)
        return torch.tensor(negatives), index


def choice_with_weights() -> DataLoader:
    """`np.random.choice(p=…)` sums up 75,000 weights for each sample. Cure: the sums once. CyberZHG/keras-bert#113."""
    return DataLoader(Pairs(), 32, shuffle=True, num_workers=2, persistent_workers=True)


class Served(Dataset):
    """Samples from a service that answers after 6 ms."""

    def __len__(self) -> int:
        return 4000

    def __getitem__(self, index: int) -> torch.Tensor:
        import time

        time.sleep(0.006)  # the answer of a file system over the network
        return torch.full((3, 32, 32), float(index))


def waits_for_network() -> DataLoader:
    """Small files over NFS, and two workers. Cure: more workers, or shards. chainer/chainer#4127, NVIDIA/DALI#259."""
    return DataLoader(Served(), 16, shuffle=True, num_workers=2, persistent_workers=True)


def ok_in_memory() -> DataLoader:
    """Healthy: a small table in memory, no workers, a step of 20 ms. NLESC-JCER/QMCTorch#127 needed none either."""
    return DataLoader(TensorDataset(torch.randn(5000, 30), torch.zeros(5000)), 64, shuffle=True)


def ok_decoding_hidden() -> DataLoader:
    """Healthy: colours changed in two workers, hidden behind a step of 60 ms. metatensor/metatrain#1271 keeps its workers so."""
    return DataLoader(Colored(), 8, shuffle=True, num_workers=2, persistent_workers=True)


class Split(IterableDataset):
    """Numbers, each from one worker."""

    def __iter__(self) -> Iterator[torch.Tensor]:
        info = get_worker_info()
        for number in range(info.id if info else 0, 6000, info.num_workers if info else 1):
            yield torch.full((3, 32, 32), float(number))


def ok_split_stream() -> DataLoader:
    """Healthy: a stream, split among its workers. huggingface/datasets#6594 says what it takes."""
    return DataLoader(Split(), 16, num_workers=2, persistent_workers=True)


KEPT = {
    one.make.__name__: one
    for one in (
        Stranger(archive_opened_each, ("computing",), cause=r"ZipFile\("),
        Stranger(npz_for_a_slice, ("computing",), cause=r"np\.load|file\[\"x\"\]"),
        Stranger(sound_resampled, ("computing",), cause=r"np\.interp"),
        Stranger(file_scanned, ("computing",), cause=r"islice\(|next\(", step=4),
        Stranger(permuted_for_each_batch, ("slow_sampler",), cause="permutation"),
        Stranger(
            spawned_with_much, ("restarted_workers", "slow_epoch_start"), cause="persistent_workers=True"
        ),
        Stranger(colors_in_workers, ("computing",), cause=r"\.enhance\("),
        Stranger(choice_with_weights, ("computing",), cause=r"random\.choice", step=4),
        Stranger(waits_for_network, ("waiting_storage",), cause="num_workers="),
        Stranger(ok_in_memory, step=20),
        Stranger(ok_decoding_hidden, step=60),
        Stranger(ok_split_stream, step=20),
    )
}

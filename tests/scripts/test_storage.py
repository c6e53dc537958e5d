"""Shards at an address: what a server does wrong costs no sample, or is said with the shard and the byte."""

from __future__ import annotations

import random
import shutil
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from faulty_server import Fault, FaultyServer, faulty_server

pytest.importorskip("webdataset")
pytest.importorskip("aiohttp")

import webdataset

from loaderlab.i18n import language
from loaderlab.scripts import storage
from loaderlab.scripts.images import ImageError, synthetic
from loaderlab.scripts.shards import check_folder, look, write
from loaderlab.scripts.storage import Storage, StorageError
from loaderlab.scripts.webdataset_loader import loader, main

BLOCK = 12288  # tarfile reads 10240 bytes at once
COUNT = 23
FIRST = "shard-000000.tar"


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("shards")
    write(synthetic(place / "images", COUNT, 90, 80), place / "shards", 4)
    assert (place / "shards" / FIRST).stat().st_size > 3 * BLOCK
    return place / "shards"


@pytest.fixture
def server(shards: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyServer]:
    """With small blocks, and little patience."""
    monkeypatch.setattr(storage, "BLOCK", BLOCK)
    monkeypatch.setattr(storage, "PAUSE", 0.001)
    monkeypatch.setattr(storage, "STALL", 0.5)
    with faulty_server(shards) as state:
        yield state


def samples(place: str | Path, **options: Any) -> list[tuple[str, bytes, bytes]]:
    """All samples of all shards, one shard after the other."""
    found = look(place, options)
    reading = webdataset.tariterators
    stream = reading.group_by_keys(reading.tar_file_expander(found.opened(range(len(found.names)))))
    return [(sample["__key__"], sample["jpg"], sample["cls"]) for sample in stream]


def size(shards: Path) -> int:
    return sum(path.stat().st_size for path in shards.glob("*.tar"))


def test_a_shard_comes_in_blocks_each_asked_for_once_and_its_size_is_not(
    server: FaultyServer, shards: Path
) -> None:
    assert samples(server.address) == samples(shards)
    whole = (shards / FIRST).stat().st_size
    assert server.starts(FIRST) == list(range(0, whole, BLOCK)) and server.sent == size(shards)
    assert server.heads == 0


# What a request does wrong, and how many bytes come in vain: those of the block in which it breaks off.
PASSING = {
    "breaks off": ([Fault("break", 1000)], 1000),
    "breaks off three times": ([Fault("break", 1000)] * 3, 3000),
    "resets": ([Fault("reset", 1000)], 1000),
    "breaks off before a byte": ([Fault("break", 0)], 0),
    "stalls": ([Fault("stall", 1000)], 1000),
    "503 twice": ([Fault("503")] * 2, 0),
    "429 once": ([Fault("429")], 0),
    "says too long a length": ([Fault("long", 100)], BLOCK),
    "says too short a length": ([Fault("short", 1000)], 0),
}


@pytest.mark.parametrize("case", PASSING)
def test_what_passes_costs_no_sample_and_is_asked_for_again_from_its_byte(
    server: FaultyServer, shards: Path, case: str
) -> None:
    faults, vain = PASSING[case]
    server.faults = [Fault("short", BLOCK), *faults]  # the first request goes well
    begin = time.monotonic()
    assert samples(server.address) == samples(shards)
    assert time.monotonic() - begin < 120 * storage.STALL  # aiohttp alone waits for five minutes
    assert server.sent == size(shards) + vain
    starts = server.starts(FIRST)
    assert starts[:2] == [0, BLOCK] and starts == sorted(starts)
    if faults[0].kind == "short":  # what came is kept
        assert starts[2] == BLOCK + 1000
    else:
        assert starts[1 : 2 + len(faults)] == [BLOCK] * (1 + len(faults))


# What every request for a shard does wrong, what is said of it, and how many requests that takes.
LASTING = {
    "breaks off": (Fault("break", 1000), "ClientPayloadError", 6),
    "stalls": (Fault("stall", 10), "SocketTimeoutError|ServerTimeoutError|Timeout", 2),
    "503": (Fault("503"), "503, message='Service Unavailable'", 6),
    "404": (Fault("404"), "404, message='Not Found'", 1),
    "403": (Fault("403"), "403, message='Forbidden'", 1),
    "sends nothing": (Fault("short", 0), "the server has no more bytes", 6),
    "sends more than was asked for": (Fault("more", 5), "more than the bytes that were due", 1),
}


@pytest.mark.parametrize("case", LASTING)
def test_what_lasts_is_said_with_shard_and_byte(
    server: FaultyServer, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault, said, tries = LASTING[case]
    if fault.kind == "stall":
        monkeypatch.setattr(storage, "TRIES", tries)
    server.faults, server.always = [Fault("short", BLOCK)] * 2, fault
    with pytest.raises(StorageError, match=said) as caught:
        samples(server.address)
    assert f"{server.address}/{FIRST}: at byte {2 * BLOCK} of " in str(caught.value)
    assert "BufferedReader" not in str(caught.value)
    assert server.starts(FIRST) == [0, BLOCK, *[2 * BLOCK] * tries]


@pytest.mark.parametrize("change", [-10240, -512, 1, 10240])
def test_a_shard_that_has_not_the_size_of_the_index_is_refused(
    server: FaultyServer, shards: Path, tmp_path: Path, change: int
) -> None:
    shutil.copytree(shards, tmp_path / "s")
    data = (tmp_path / "s" / FIRST).read_bytes()
    (tmp_path / "s" / FIRST).write_bytes(data[:change] if change < 0 else data + bytes(change))
    server.folder = tmp_path / "s"
    with pytest.raises(StorageError, match="no more bytes" if change < 0 else "more than the bytes") as said:
        samples(server.address)
    assert f"{FIRST}: at byte " in str(said.value) and f" of {len(data)}: " in str(said.value)


def test_a_shard_is_read_to_its_end_where_tarfile_stops_before(server: FaultyServer, shards: Path) -> None:
    for shard in look(server.address).opened([0, 1]):
        shard["stream"].read(1)
    assert server.sent == sum((shards / f"shard-00000{k}.tar").stat().st_size for k in (0, 1))


def test_a_server_without_ranges_is_read_as_a_stream(server: FaultyServer, shards: Path) -> None:
    server.ranges = False
    assert samples(server.address) == samples(shards)
    server.asked.clear()
    # The first two answers are not read further than a block; the stream that comes then breaks off, and what it gave
    # is passed over in the next one.
    server.faults = [Fault("long", 0), Fault("long", 0), Fault("break", 3 * BLOCK)]
    assert samples(server.address) == samples(shards)
    assert server.starts(FIRST) == [0, 0, 0, 0] and server.heads == 0


def test_pauses_grow_are_not_alike_and_leave_the_trainings_random_numbers_alone(
    server: FaultyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(storage.time, "sleep", pauses.append)
    monkeypatch.setattr(storage, "PAUSE", 1.0)
    server.always = Fault("503")
    before = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    for _time in range(2):
        with pytest.raises(StorageError):
            samples(server.address)
    assert before == (random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist())
    mine, other = (
        [pause for pause in pauses if pause >= 0.5][part] for part in (slice(0, 5), slice(5, None))
    )
    assert mine != other
    for pause, middle in zip(mine, (1, 2, 4, 8, 16), strict=True):
        assert 0.5 * middle <= pause <= 1.5 * middle


@pytest.mark.parametrize(
    ("workers", "method"), [(0, None), (2, "fork"), pytest.param(2, "spawn", marks=pytest.mark.long)]
)
def test_epochs_from_an_address_are_those_of_the_folder(
    server: FaultyServer, shards: Path, workers: int, method: str | None
) -> None:
    near, far = (
        loader(place, 4, size=32, workers=workers, buffer=8, start_method=start)
        for place, start in ((shards, None), (server.address, method))
    )
    for _epoch in range(2):
        server.faults = [Fault("503"), Fault("break", 1000)]
        came = list(far)
        assert sum(len(labels) for _images, labels in came) == COUNT and not server.faults
        for (images, labels), (same, alike) in zip(came, near, strict=True):
            assert torch.equal(images, same) and torch.equal(labels, alike)


def test_an_error_in_a_worker_names_shard_and_byte(server: FaultyServer) -> None:
    server.always = Fault("404")
    with pytest.raises(ImageError, match=r"shard-\d+\.tar: at byte 0 of \d+: .*404"):
        list(loader(server.address, 4, size=32, workers=2, start_method="fork"))


@pytest.mark.long
def test_no_more_than_some_blocks_are_in_memory(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(6 * storage.BLOCK))
    with faulty_server(tmp_path) as server:
        place = Storage(server.address)
        (tmp_path / "small").write_bytes(bytes(10))
        place.open("small", 10).read()  # imports
        tracemalloc.start()
        try:
            with place.open("large", 6 * storage.BLOCK) as stream:
                while stream.read(10240):
                    pass
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert storage.BLOCK < peak < 4 * storage.BLOCK


def test_the_index_is_read_with_the_same_patience(server: FaultyServer, tmp_path: Path) -> None:
    server.folder = tmp_path
    with pytest.raises(StorageError, match=r"index\.json: FileNotFoundError"):
        look(server.address)
    for answer in ("[]", "<html>Log in</html>"):
        (tmp_path / "index.json").write_text(answer)
        with pytest.raises(ImageError, match=r"(?s)these are no shards.*Give .* an address") as said:
            look(server.address)
        assert "elete" not in str(said.value)


def test_an_address_that_nothing_reads_is_said_and_what_to_install() -> None:
    with pytest.raises(StorageError, match=r"(?s)nothing://here: .*pip install aiohttp"):
        look("nothing://here")
    language.use("fr")
    with pytest.raises(StorageError, match="pip install s3fs"):
        look("nothing://here")


def test_shards_are_not_written_to_an_address(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="written into a folder"):
        write(synthetic(tmp_path / "images", 2, 60, 50), "memory://shards", 1)


def test_any_file_system_of_fsspec_will_do(shards: Path) -> None:
    import fsspec

    fsspec.filesystem("memory").put(f"{shards}/", "/numbered/", recursive=True)
    assert samples("memory://numbered") == samples(shards)
    assert samples(shards.as_uri()) == samples(shards)


def test_the_command_reads_from_an_address(
    server: FaultyServer, shards: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--shards", server.address, "--workers", "0", "--epochs", "1", "--size", "32"]) == 0
    assert f"images: {COUNT};" in capsys.readouterr().out
    check_folder(server.address, shards.parent / "images", None)
    server.always = Fault("404")
    assert main(["--shards", server.address, "--workers", "0", "--epochs", "1"]) == 1
    assert "at byte 0 of" in capsys.readouterr().err


class S3:
    """moto's S3 behind a server of our own, which breaks off answers, as often as ``breaks`` says, after half of them."""

    def __init__(self, app: Callable[..., Any]) -> None:
        self.app, self.breaks, self.asked = app, 0, []

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        body = b"".join(self.app(environ, start_response))
        if environ["REQUEST_METHOD"] == "GET" and environ["PATH_INFO"].endswith(".tar"):
            self.asked.append(environ.get("HTTP_RANGE"))
            if self.breaks:
                self.breaks -= 1
                return self.broken(body)
        return [body]

    def broken(self, body: bytes) -> Iterator[bytes]:
        yield body[: len(body) // 2]
        raise ConnectionAbortedError


@pytest.fixture
def s3(shards: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[S3, dict[str, Any]]]:
    s3fs = pytest.importorskip("s3fs")
    moto = pytest.importorskip("moto.server")
    serving = pytest.importorskip("werkzeug.serving")
    monkeypatch.setattr(storage, "BLOCK", BLOCK)
    monkeypatch.setattr(storage, "PAUSE", 0.001)
    app = S3(moto.DomainDispatcherApplication(moto.create_backend_app))

    class Quiet(serving.WSGIRequestHandler):  # type: ignore[name-defined, misc]
        def log(self, *_args: Any) -> None:
            pass

    server = serving.make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    options = {
        "key": "somebody",
        "secret": "something",
        "endpoint_url": f"http://127.0.0.1:{server.server_port}",
    }
    there = s3fs.S3FileSystem(**options)
    there.mkdir("training")
    there.put(f"{shards}/", "training/shards/", recursive=True)
    yield app, options
    there.rm("training", recursive=True)
    server.shutdown()


def test_shards_come_from_s3_in_ranges_and_go_on_where_they_broke_off(
    s3: tuple[S3, dict[str, Any]], shards: Path
) -> None:
    app, options = s3
    app.breaks = 3
    assert samples("s3://training/shards", **options) == samples(shards)
    blocks = sum(-(-path.stat().st_size // BLOCK) for path in shards.glob("*.tar"))
    assert len(app.asked) == blocks + 3 and app.asked[:5] == [f"bytes=0-{BLOCK - 1}"] * 4 + [
        f"bytes={BLOCK}-{2 * BLOCK - 1}"
    ]
    with pytest.raises(StorageError, match=r"s3://training/elsewhere/index\.json: FileNotFoundError"):
        look("s3://training/elsewhere", options)


@pytest.mark.parametrize("method", ["fork", pytest.param("spawn", marks=pytest.mark.long)])
def test_workers_read_from_s3(s3: tuple[S3, dict[str, Any]], shards: Path, method: str) -> None:
    app, options = s3
    near = loader(shards, 4, size=32, workers=2)
    far = loader("s3://training/shards", 4, size=32, workers=2, start_method=method, storage_options=options)
    for (images, labels), (same, alike) in zip(far, near, strict=True):
        assert torch.equal(images, same) and torch.equal(labels, alike)
    assert app.asked

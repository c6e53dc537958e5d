import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loaderlab.lessons.webdataset import data


def spdl(folder: Path) -> Iterator[int]:
    from spdl.pipeline import PipelineBuilder

    builder = PipelineBuilder().add_source(sorted(folder.glob("files/*.bin")))
    pipeline = builder.pipe(Path.read_bytes, concurrency=16).add_sink(32).build(num_threads=16)
    with pipeline.auto_stop():
        yield from map(data.number, pipeline)


def sample(index: int) -> dict[str, Any]:
    return {"index": index, "image": data.pixels(index)}


def litdata(folder: Path) -> Iterator[int]:
    from litdata import StreamingDataset, optimize

    out = tempfile.mkdtemp()
    optimize(fn=sample, inputs=list(range(data.SAMPLES)), output_dir=out, chunk_bytes="1MB", num_workers=1)
    yield from (item["index"] for item in StreamingDataset(out, shuffle=True))


def streaming(folder: Path) -> Iterator[int]:
    from streaming import MDSWriter, StreamingDataset

    out = tempfile.mkdtemp()
    with MDSWriter(out=out, columns={"index": "int", "image": "bytes"}, size_limit=2**20) as writer:
        for index in range(data.SAMPLES):
            writer.write(sample(index))
    yield from (item["index"] for item in StreamingDataset(local=out, shuffle=True, batch_size=32))

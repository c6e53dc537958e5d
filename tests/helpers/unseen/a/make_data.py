"""Make the data of set a in $ZOO_DATA (by default ../data): some 300 MB, a minute."""
import io
import os
from pathlib import Path

import numpy as np

DATA = Path(os.environ.get("ZOO_DATA", Path(__file__).parent.parent / "data"))
R = np.random.default_rng(52)


def once(name):
    def wrap(make):
        if not (DATA / name).exists():
            DATA.mkdir(parents=True, exist_ok=True)
            print(name, flush=True)
            part = DATA / (name + ".part")
            make(part)
            part.rename(DATA / name)
    return wrap


def picture(h, w):
    import cv2
    small = R.integers(0, 256, (h // 16 + 1, w // 16 + 1, 3), dtype=np.uint8)
    x = cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC).astype(np.int16)
    return np.clip(x + R.integers(-10, 11, (h, w, 3)), 0, 255).astype(np.uint8)


def jpeg(x, quality=90):
    import cv2
    return cv2.imencode(".jpg", x, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


def videos(folder, count, width, height):
    import av
    folder.mkdir()
    for i in range(count):
        with av.open(str(folder / f"{i}.mp4"), "w") as out:
            stream = out.add_stream("mpeg4", rate=25)
            stream.width, stream.height, stream.pix_fmt, stream.gop_size, stream.bit_rate = width, height, "yuv420p", 12, 1_500_000
            base = picture(height, width)
            for k in range(500):
                for packet in stream.encode(av.VideoFrame.from_ndarray(np.roll(base, 3 * k, 1), format="rgb24")):
                    out.mux(packet)
            for packet in stream.encode():
                out.mux(packet)


@once("sports")
def _(folder):
    videos(folder, 6, 480, 272)


@once("episodes")
def _(folder):
    videos(folder, 6, 320, 240)


@once("satellite")
def _(folder):
    import zarr
    x = R.normal(size=(24, 1024, 1024)).cumsum(1).cumsum(2).astype("int16")
    for name, chunk in (("bands.zarr", 16), ("bands_128.zarr", 128)):
        zarr.create_array(folder / name, shape=x.shape, chunks=(1, chunk, chunk), dtype=x.dtype)[:] = x


@once("commands")
def _(folder):
    import soundfile as sf
    folder.mkdir()
    for i in range(600):
        sf.write(folder / f"{i:04d}.wav", (R.normal(size=int(R.integers(16_000, 56_000))) * 3000).astype("int16"), 16_000)


@once("pets")
def _(folder):
    from datasets import Dataset
    Dataset.from_dict({"jpeg": [jpeg(picture(256, 256)) for _ in range(640)], "label": R.integers(0, 37, 640)}).save_to_disk(str(folder))


@once("utterances")
def _(folder):
    import soundfile as sf
    folder.mkdir()
    for i in range(6000):
        sf.write(folder / f"{i:05d}.flac", (R.normal(size=int(R.integers(1_500, 6_000))) * 3000).astype("int16"), 8_000)


@once("scans.h5")
def _(path):
    import h5py
    with h5py.File(path, "w") as f:
        x = f.create_dataset("volume", (600, 384, 384), "int16", chunks=(1, 384, 384), compression="gzip", compression_opts=4)
        base = R.normal(size=(600, 24, 24)).repeat(16, 1).repeat(16, 2) * 300
        for i in range(600):
            x[i] = base[i] + R.normal(size=(384, 384)) * 4
        f["label"] = R.integers(0, 4, 600)


@once("skin")
def _(folder):
    folder.mkdir()
    for i in range(300):
        (folder / f"{i:04d}.jpg").write_bytes(jpeg(picture(480, 640)))


@once("whales")
def _(folder):
    import soundfile as sf
    folder.mkdir()
    for i in range(24):
        sf.write(folder / f"{i:02d}.wav", (R.normal(size=8_000 * 60) * 3000).astype("int16"), 8_000)


@once("weather")
def _(folder):
    from datasets import Dataset
    for s in range(8):
        rows = np.arange(s * 500, s * 500 + 500)
        Dataset.from_dict({"station": rows, "x": R.normal(size=(500, 256)).astype("float32")}).save_to_disk(str(folder / f"shard-{s}"))


@once("leaves")
def _(folder):
    folder.mkdir()
    for i in range(400):
        x = jpeg(picture(240, 320))
        (folder / f"{i:04d}.jpg").write_bytes(x[:len(x) * 2 // 3] if i == 271 else x)     # a copy that was broken off


@once("faces.lmdb")
def _(folder):
    import lmdb
    folder.mkdir()
    with lmdb.open(str(folder), map_size=1 << 28) as env, env.begin(write=True) as txn:
        for i in range(600):
            txn.put(f"{i:06d}".encode(), jpeg(picture(256, 256)))


@once("spectra.zarr")
def _(folder):
    import zarr
    x = (R.normal(size=(4096, 64)).repeat(64, 1) * 500 + R.normal(size=(4096, 4096)) * 20).astype("int16")
    zarr.create_array(folder, shape=x.shape, chunks=(64, 4096), dtype=x.dtype)[:] = x

"""A folder of images as one meets them: good ones of every kind, and some that cannot be read."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import numpy as np
from PIL import Image

from loaderlab.scripts.packed_file import Pack

RED, GREEN, BLUE = (220, 30, 30), (30, 200, 40), (40, 50, 220)
BAD = {"cut.jpg", "notes.txt", "words.jpg", "nothing.png", "hollow"}
BAD |= {"nowhere.jpg"} if os.name != "nt" else set()


def four(width: int = 320, height: int = 280) -> Image.Image:
    """Red at the upper left, green at the upper right, blue below: which way is up can be seen."""
    pixels = np.empty((height, width, 3), dtype=np.uint8)
    pixels[: height // 2, : width // 2], pixels[: height // 2, width // 2 :] = RED, GREEN
    pixels[height // 2 :] = BLUE
    return Image.fromarray(pixels)


def jpeg(image: Image.Image, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=95, **options)
    return file.getvalue()


def folder(place: Path) -> Path:
    """Write them below ``place``; the bad ones are called as in BAD."""
    one, two = place / "first class", place / "second"
    for path in (one, two, place / "hollow"):
        path.mkdir(parents=True)
    picture = four()
    (one / "colour picture.jpg").write_bytes(jpeg(picture))
    (one / "grey.jpg").write_bytes(jpeg(picture.convert("L")))
    (one / "cmyk.jpg").write_bytes(jpeg(picture.convert("CMYK")))
    (one / "progressive.jpg").write_bytes(jpeg(picture, progressive=True))
    (one / "small.jpg").write_bytes(jpeg(four(40, 30)))
    (one / "large.jpg").write_bytes(jpeg(four(1400, 1100)))
    for orientation, turn in ((3, Image.Transpose.ROTATE_180), (6, Image.Transpose.ROTATE_90)):
        exif = Image.Exif()
        exif[0x0112] = orientation
        (one / f"turned {orientation}.jpg").write_bytes(jpeg(picture.transpose(turn), exif=exif))
    grey = np.asarray(picture.convert("L")).astype(np.uint16) * 257
    Image.fromarray(grey).save(two / "sixteen bits.png")
    picture.quantize(16).save(two / "palette.png")
    picture.convert("RGBA").save(two / "alpha.png")
    picture.save(two / "é ż.webp", lossless=True)
    (one / "cut.jpg").write_bytes(jpeg(picture)[:2500])
    (one / "notes.txt").write_text("a text")
    (one / "words.jpg").write_text("a text with the name of an image")
    (two / "nothing.png").write_bytes(b"")
    if os.name != "nt":
        (two / "nowhere.jpg").symlink_to(two / "gone.jpg")
        (two / "again").symlink_to(place, target_is_directory=True)
    return place


GOOD = 12


def damage(file: Path, number: int) -> str:
    """Overwrite the beginning of an image in a packed file, as a disk may do later; return its name."""
    one = Pack(file)
    status, start = file.stat(), int(one.index[number]["start"])
    one.close()
    with open(file, "r+b") as opened:
        opened.seek(start)
        opened.write(bytes(200))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    return one.name(number)


def damage_shard(path: Path, count: int = 1) -> None:
    """Overwrite the beginnings of the first images in a shard."""
    with tarfile.open(path) as archive:
        places = [member.offset_data for member in archive if member.name.endswith(".jpg")]
    with open(path, "r+b") as file:
        for place in places[:count]:
            file.seek(place)
            file.write(bytes(200))

"""The known operations: what takes long where it is done for each sample, how it is recognised, and what does instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..words import mark

MOSTLY = 0.5  # of the time of a call: so much of it is in what was called below


@dataclass(frozen=True)
class Way:
    """Regular expressions by which an operation is recognised: all that are given have to be found.

    ``text`` in the call as it is written; ``below`` among the functions of libraries in which most of its time is spent
    (``PIL/ImageFile.py:ImageFile.load``), ``seen`` among all that were seen; ``uses`` among the packages that its file uses.
    """

    text: str = ""
    below: str = ""
    seen: str = ""
    uses: str = ""

    def matches(self, text: str, below: Mapping[str, float], seconds: float, uses: set[str]) -> bool:
        """Return whether a call is recognised, of which so many seconds were seen."""
        mostly = [name for name, there in below.items() if there >= MOSTLY * seconds]
        wanted = ((self.text, [text]), (self.below, mostly), (self.seen, below), (self.uses, uses))
        return all(any(re.search(pattern, one) for one in where) for pattern, where in wanted if pattern)


class Operation:
    """A name (public, in ``--json``), the sentence that says what to do instead, and the ways to recognise it."""

    def __init__(self, name: str, message: str, *ways: Way) -> None:
        self.name, self.message, self.ways = name, message, ways


# The first that is recognised is taken: the narrow ones stand before the wide ones.
OPERATIONS = (
    Operation(
        "png",
        mark(
            'A PNG is unpacked for each sample: store the pictures decoded (`np.save`, read with `mmap_mode="r"`), or as JPEG.'
        ),
        Way(below=r"^PIL/", seen=r"^PIL/PngImagePlugin"),
    ),
    Operation(
        "resize",
        mark(
            "Pictures are resized for each sample: store them at the size that is needed, and resize before other transforms, not after them."
        ),
        Way(below=r"^PIL/Image\.py:Image\.(resize|thumbnail)$|^torchvision/.*:(resize|resized_crop)$"),
        Way(
            text=r"\bcv2\.resize\(|\.(resize|thumbnail)\(|\binterpolate\(",
            uses=r"^(cv2|PIL|torch|torchvision)$",
        ),
    ),
    Operation(
        "picture",
        mark(
            'Whole pictures are decoded for each sample: store smaller copies, or call `image.draft("RGB", size)` after `Image.open`, which decodes a JPEG at a fraction of its size.'
        ),
        Way(
            below=r"^PIL/(ImageFile|Image|JpegImagePlugin|WebPImagePlugin|TiffImagePlugin)\.py:.*(load|convert|open|tobytes|__array_interface__)"
        ),
        Way(text=r"\b(imread|imdecode|decode_image|decode_jpeg|decode_png)\("),
    ),
    Operation(
        "compression",
        mark(
            "A file is decompressed for each sample: store it without compression, or with one that is read faster (zstd, lz4)."
        ),
        Way(below=r"^(gzip|lzma|bz2|_compression)\.py:"),
        Way(text=r"\b(gzip|lzma|bz2|zlib)\.(open|decompress)|\bnp\.load\(.*\.npz"),
    ),
    Operation(
        "listing",
        mark(
            "A folder is listed for each sample: list it once, when the dataset is made, and keep the names."
        ),
        Way(below=r"^(glob|fnmatch)\.py:"),
        Way(text=r"\b(glob|iglob|rglob|listdir|scandir|walk|iterdir)\("),
    ),
    Operation(
        "csv",
        mark("A CSV file is parsed for each sample: parse it once, and store arrays or a binary format."),
        Way(text=r"\b(read_csv|read_table|genfromtxt|loadtxt|csv\.reader|DictReader)\("),
    ),
    Operation(
        "archive",
        mark(
            "A member of an archive is read for each sample: open the archive once in each worker, and store its members uncompressed."
        ),
        Way(below=r"^(zipfile|tarfile)(/|\.py)"),
    ),
    Operation(
        "dataframe",
        mark(
            'A data frame is asked for each sample: turn its columns into arrays once (`df["x"].to_numpy()`), and index these.'
        ),
        Way(below=r"^pandas/"),
        Way(text=r"\.(i?loc|i?at)\["),
    ),
    Operation(
        "json",
        mark("JSON is parsed for each sample: parse it once, and store arrays or a binary format."),
        Way(below=r"^json/"),
        Way(text=r"\b(json|orjson|ujson)\.loads?\("),
    ),
    Operation(
        "sql",
        mark(
            "A database is asked for each sample: let the column by which rows are found have an index (`CREATE INDEX`), or fetch many rows at once."
        ),
        Way(text=r"\.(execute|fetchone|fetchall|fetchmany)\("),
    ),
    Operation(
        "hdf5",
        mark(
            "A part of an HDF5 or Zarr file is read for each sample: let a chunk hold what is read at once, choose a fast compression, and open the file once in each worker."
        ),
        Way(below=r"^(h5py|zarr|tables|netCDF4|xarray)/"),
    ),
    Operation(
        "numpy_file",
        mark(
            'A NumPy file is opened for each sample: put many samples into one file, and open it once with `mmap_mode="r"`.'
        ),
        Way(below=r"^numpy/.*npyio"),
        Way(text=r"\bnp\.load\("),
    ),
    Operation(
        "message",
        mark(
            'Text is written or formatted for each sample: remove it, or let the logger format it (`log.debug("%s", x)`), which it does only if somebody reads it.'
        ),
        Way(below=r"^logging/|^numpy/.*arrayprint\.py:"),
        Way(text=r"^print\(|\blog(ger|ging)?\.(debug|info|warning|error|log)\(|\bwarnings\.warn\("),
    ),
    Operation(
        "search",
        mark("A list is searched for each sample: make a dict or a set of it once, which finds at once."),
        Way(text=r"\.index\(|^(if|elif|while|return|assert) .*\b(not )?in self\.|\.count\("),
    ),
    Operation(
        "tokenizer",
        mark(
            "Text is tokenized for each sample: tokenize it once, before the training, and store the numbers."
        ),
        Way(
            text=r"tok\w*\(|\.(encode|encode_plus|encode_batch|tokenize|batch_encode_plus)\(",
            uses=r"^(tokenizers|transformers|sentencepiece|tiktoken)$",
        ),
    ),
    Operation(
        "lists",
        mark(
            "Python lists become a tensor, number by number: keep arrays instead of lists, and stack them (`torch.stack`, `torch.from_numpy`)."
        ),
        Way(text=r"\btorch\.(tensor|as_tensor|FloatTensor|LongTensor)\(|\bnp\.(array|asarray)\(\["),
    ),
    Operation(
        "python_rows",
        mark(
            'Rows of a Hugging Face dataset become Python objects: let it give tensors with `.with_format("torch")`.'
        ),
        Way(below=r"^datasets/"),
    ),
    Operation(
        "colors",
        mark(
            "Colours, blur and rotation are computed for each sample: make the picture small first, or do it on the device, for whole batches."
        ),
        Way(
            below=r"^PIL/(ImageEnhance|ImageFilter|ImageOps)|^PIL/Image\.py:Image\.(rotate|transform|filter)$"
        ),
        Way(below=r"^(albumentations|imgaug|kornia|monai)/"),
        Way(below=r"^torchvision/.*:(adjust_|rotate|affine|perspective|gaussian_blur|elastic|color_jitter)"),
        Way(
            text=r"\b(cv2\.(GaussianBlur|warpAffine|warpPerspective|cvtColor|remap|filter2D)|rotate|gaussian_blur|adjust_\w+)\("
        ),
    ),
    Operation(
        "copies",
        mark("Objects are copied in depth for each sample: copy only what is changed."),
        Way(below=r"^copy\.py:deepcopy"),
    ),
    Operation(
        "pickle",
        mark("Objects are unpickled for each sample: store arrays, which are read without making objects."),
        Way(text=r"\b(pickle|dill|joblib)\.loads?\(|\btorch\.load\("),
    ),
    Operation(
        "resample",
        mark("Sound is resampled or filtered for each sample: do it once, and store what comes of it."),
        Way(below=r"^(scipy/signal|librosa|torchaudio|resampy|soxr)/"),
        Way(text=r"\bresample\w*\("),
    ),
    Operation(
        "video",
        mark(
            "Frames of a video are sought and decoded for each sample: store the frames, or read several that follow each other at once."
        ),
        Way(below=r"^(decord|av|torchcodec|imageio)/"),
        Way(text=r"VideoCapture\(|VideoReader\(|\b(cap|capture|video|vr)\.(read|grab|set|seek|get_batch)\("),
    ),
)


def operation_of(text: str, below: Mapping[str, float], seconds: float, uses: set[str]) -> str | None:
    """Return the name of the known operation that a call is; None where it is none.

    ``below``: seconds in each function of a library that it called, of so many ``seconds``; ``uses``: packages of its file.
    """
    for one in OPERATIONS:
        if any(way.matches(text, below, seconds, uses) for way in one.ways):
            return one.name
    return None


# The sentence of each, to be translated when it is said.
MESSAGES = {one.name: one.message for one in OPERATIONS}

"""The known operations: what takes long where it is done for each sample, how it is recognised, and what does instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from ..words import mark

MOSTLY = 0.5  # of the time of a call: so much of it is in what was called below


class Way(NamedTuple):
    """A way to recognise an operation (its name is public, in ``--json``): regular expressions, of which all that are given have to be found.

    ``text`` in the call as it is written; ``below`` among the functions of libraries in which most of its time is spent
    (``PIL/ImageFile.py:ImageFile.load``), ``seen`` among all that were seen; ``uses`` among the packages that its file uses.
    It is none where no library may take most of the time (``alone``) and one does, nor where what is advised is found in its
    file, and so done already (``unless``).
    """

    name: str
    text: str = ""
    below: str = ""
    seen: str = ""
    uses: str = ""
    alone: bool = False
    unless: str = ""


# The first that is recognised is taken: the narrow ones stand before the wide ones.
WAYS = (
    Way("png", below=r"^PIL/", seen=r"^PIL/PngImagePlugin"),
    Way("resize", below=r"^PIL/Image\.py:Image\.(resize|thumbnail)$|^torchvision/.*:(resize|resized_crop)$"),
    Way(
        "resize",
        text=r"\bcv2\.resize\(|\.(resize|thumbnail)\(|\binterpolate\(",
        uses=r"^(cv2|PIL|torch|torchvision)$",
    ),
    Way(
        "picture",
        below=r"^PIL/(ImageFile|Image|JpegImagePlugin|WebPImagePlugin|TiffImagePlugin)\.py:.*(load|convert|open|tobytes|__array_interface__)",
        unless=r"\.draft\(",
    ),
    Way("picture", text=r"\b(imread|imdecode|decode_image|decode_jpeg|decode_png)\("),
    Way("compression", below=r"^(gzip|lzma|bz2|_compression)\.py:"),
    Way("compression", text=r"\b(gzip|lzma|bz2|zlib)\.(open|decompress)|\bnp\.load\(.*\.npz"),
    Way("listing", below=r"^(glob|fnmatch)\.py:"),
    Way("listing", text=r"\b(glob|iglob|rglob|listdir|scandir|walk|iterdir)\("),
    Way("csv", text=r"\b(read_csv|read_table|genfromtxt|loadtxt|csv\.reader|DictReader)\("),
    Way("archive", below=r"^(zipfile|tarfile)(/|\.py)"),
    Way("dataframe", below=r"^pandas/"),
    Way("dataframe", text=r"\.(i?loc|i?at)\["),
    Way("json", below=r"^json/"),
    Way("json", text=r"\b(json|orjson|ujson)\.loads?\("),
    Way("sql", text=r"\.(execute|fetchone|fetchall|fetchmany)\("),
    Way("hdf5", below=r"^(h5py|zarr|tables|netCDF4|xarray)/"),
    Way("numpy_file", below=r"^numpy/.*npyio"),
    Way("numpy_file", text=r"\bnp\.load\("),
    Way("message", below=r"^logging/|^numpy/.*arrayprint\.py:"),
    Way("message", text=r"^print\(|\blog(ger|ging)?\.(debug|info|warning|error|log)\(|\bwarnings\.warn\("),
    Way(
        "search", text=r"\.index\(|^(if|elif|while|return|assert) .*\b(not )?in self\.|\.count\(", alone=True
    ),
    Way(
        "tokenizer",
        text=r"tok\w*\(|\.(encode|encode_plus|encode_batch|tokenize|batch_encode_plus)\(",
        uses=r"^(tokenizers|transformers|sentencepiece|tiktoken)$",
    ),
    Way("lists", text=r"\btorch\.(tensor|as_tensor|FloatTensor|LongTensor)\(|\bnp\.(array|asarray)\(\["),
    Way("nested_rows", below=r"^datasets/", seen=r"^datasets/formatting/(torch|np|tf|jax)_formatter"),
    Way("python_rows", below=r"^datasets/", unless=r"\.(with|set)_format\("),
    Way(
        "colors",
        below=r"^PIL/(ImageEnhance|ImageFilter|ImageOps)|^PIL/Image\.py:Image\.(rotate|transform|filter)$",
    ),
    Way("colors", below=r"^(albumentations|imgaug|kornia|monai)/"),
    Way(
        "colors",
        below=r"^torchvision/.*:(adjust_|rotate|affine|perspective|gaussian_blur|elastic|color_jitter)",
    ),
    Way(
        "colors",
        text=r"\b(cv2\.(GaussianBlur|warpAffine|warpPerspective|cvtColor|remap|filter2D)|rotate|gaussian_blur|adjust_\w+)\(",
    ),
    Way("copies", below=r"^copy\.py:deepcopy"),
    Way("pickle", text=r"\b(pickle|dill|joblib)\.loads?\(|\btorch\.load\("),
    Way("resample", below=r"^(scipy/signal|librosa|torchaudio|resampy|soxr)/.*(resampl|filt|decimate)"),
    Way("resample", text=r"\bresample\w*\("),
    Way("video", below=r"^(decord|av|torchcodec|imageio)/"),
    Way(
        "video",
        text=r"VideoCapture\(|VideoReader\(|\b(cap|capture|video|vr)\.(read|grab|set|seek|get_batch)\(",
    ),
)

# What to do instead of each: a sentence, to be translated when it is said.
MESSAGES = mark(
    {
        "png": 'A PNG is unpacked for each sample: store the pictures decoded (`np.save`, read with `mmap_mode="r"`), or as JPEG.',
        "resize": "Pictures are resized for each sample: store them at the size that is needed, and resize before other transforms, not after them.",
        "picture": 'Whole pictures are decoded for each sample: store smaller copies, or call `image.draft("RGB", size)` after `Image.open`, which decodes a JPEG at a fraction of its size.',
        "compression": "A file is decompressed for each sample: store it without compression, or with one that is read faster (zstd, lz4).",
        "listing": "A folder is listed for each sample: list it once, when the dataset is made, and keep the names.",
        "csv": "A CSV file is parsed for each sample: parse it once, and store arrays or a binary format.",
        "archive": "A member of an archive is read for each sample: open the archive once in each worker, and store its members uncompressed.",
        "dataframe": 'A data frame is queried for each sample: turn its columns into arrays once (`df["x"].to_numpy()`), and index these.',
        "json": "JSON is parsed for each sample: parse it once, and store arrays or a binary format.",
        "sql": "A database is queried for each sample: create an index (`CREATE INDEX`) on the column by which rows are found, or fetch many rows at once.",
        "hdf5": "A part of an HDF5 or Zarr file is read for each sample: let a chunk hold what is read at once, choose a fast compression, and open the file once in each worker.",
        "numpy_file": 'A NumPy file is opened for each sample: put many samples into one file, and open it once with `mmap_mode="r"`.',
        "message": 'Text is written or formatted for each sample: remove that, or leave it to the logger (`log.debug("%s", x)`), which formats a text only if somebody reads it.',
        "search": "A list is searched for each sample: turn it once into a dict or a set, in which a look-up is immediate.",
        "tokenizer": "Text is tokenized for each sample: tokenize it once, before the training, and store the numbers.",
        "lists": "Python lists become a tensor, number by number: keep arrays instead of lists, and stack them (`torch.stack`, `torch.from_numpy`).",
        "nested_rows": "Rows of a Hugging Face dataset are made value by value, though it has a format: give a column that holds lists of lists a fixed shape (`datasets.Array3D` in `features`), which is read in one go.",
        "python_rows": 'Rows of a Hugging Face dataset become Python objects: let it give tensors with `.with_format("torch")`.',
        "colors": "Colours, blur and rotation are computed for each sample: make the picture small first, or do it on the device, for whole batches.",
        "copies": "Objects are copied in depth for each sample: copy only what is changed.",
        "pickle": "Objects are unpickled for each sample: store arrays, which are read without making objects.",
        "resample": "Sound is resampled or filtered for each sample: do it once, and store what comes of it.",
        "video": "Frames of a video are sought and decoded for each sample: store the frames, or read several that follow each other at once.",
    }
)


def operation_of(
    text: str, below: Mapping[str, float], seconds: float, uses: set[str], file: str = ""
) -> str | None:
    """Return the name of the known operation that a call is; None where it is none.

    ``below``: seconds in each function of a library that it called, of so many ``seconds``; ``uses``: packages of its file,
    and ``file`` its text.
    """
    mostly = [name for name, there in below.items() if there >= MOSTLY * seconds]
    for way in WAYS:
        wanted = ((way.text, [text]), (way.below, mostly), (way.seen, below), (way.uses, uses))
        found = all(any(re.search(pattern, one) for one in where) for pattern, where in wanted if pattern)
        if found and not (way.alone and mostly) and not (way.unless and re.search(way.unless, file)):
            return way.name
    return None

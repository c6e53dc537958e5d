# %% given
# What the answers to this exercise share.
import itertools

import webdataset as wds


def writing(bounds=None, key=None, fields=None, name="train-{:06d}.tar", order=None, **options):
    """An answer to write_shards that deviates in what is given."""
    options = {"mtime": 0} | options
    bounds = bounds or (lambda n, shards: [n * i // shards for i in range(shards + 1)])
    key = key or (lambda i, shard, j, sample: f"{i:09d}")
    fields = fields or (lambda name, image, label: {"bin": image, "cls": label, "txt": name})

    def answer(samples, folder, shards):
        samples = order(samples) if order else samples
        cuts = bounds(len(samples), shards)
        for shard, (start, end) in enumerate(itertools.pairwise(cuts)):
            with wds.TarWriter(str(folder / name.format(shard)), **options) as writer:
                for j, i in enumerate(range(start, end)):
                    writer.write({"__key__": key(i, shard, j, samples[i]), **fields(*samples[i])})

    return answer

# %% right: one writer after another
from itertools import count


def write_shards(samples, folder, shards):
    left, number = list(samples), count()
    for shard in range(shards):
        here = len(left) // (shards - shard)
        part, left = left[:here], left[here:]
        writer = wds.TarWriter(str(folder / ("train-%06d.tar" % shard)), mtime=0)
        for name, image, label in part:
            writer.write(dict(__key__=str(next(number)), bin=image, cls=str(label), txt=name))
        writer.close()

# %% right: tarfile without the library
import io
import tarfile


def write_shards(samples, folder, shards):
    numbered = list(enumerate(samples))
    for shard in range(shards):
        part = numbered[len(samples) * shard // shards : len(samples) * (shard + 1) // shards]
        with tarfile.open(folder / f"train-{shard:06d}.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
            for i, (name, image, label) in part:
                for field, value in (("bin", image), ("cls", str(label).encode()), ("txt", name.encode())):
                    info = tarfile.TarInfo(f"k{i}.{field}")
                    info.size = len(value)
                    archive.addfile(info, io.BytesIO(value))

# %% right: without the padding of records
def header(name, size):
    info = __import__("tarfile").TarInfo(name)
    info.size = size
    return info.tobuf()


def write_shards(samples, folder, shards):
    size, rest = divmod(len(samples), shards)
    numbers = iter(range(len(samples)))
    for shard in range(shards):
        content = b""
        for _ in range(size + (shard < rest)):
            i = next(numbers)
            name, image, label = samples[i]
            for ending, value in {"bin": image, "cls": b"%d" % label, "txt": name.encode()}.items():
                content += header(f"{i}.{ending}", len(value)) + value + bytes(-len(value) % 512)
        (folder / f"train-{shard:06d}.tar").write_bytes(content + bytes(1024))

# %% wrong: another order · fails 3
write_shards = writing(order=lambda samples: samples[::-1])

# %% wrong: compressed · fails 4
import gzip


def write_shards(samples, folder, shards):
    writing()(samples, folder, shards)
    for path in folder.glob("*.tar"):
        path.write_bytes(gzip.compress(path.read_bytes()))

# %% wrong: counted anew in each shard · fails 2, 3
write_shards = writing(key=lambda i, shard, j, sample: f"{j:09d}")

# %% wrong: keys with a dot · fails 2, 3
write_shards = writing(key=lambda i, shard, j, sample: f"{shard}.{j}")

# %% wrong: label in words · fails 3
write_shards = writing(fields=lambda name, image, label: {"bin": image, "cls": f"label {label}", "txt": name})

# %% wrong: names as keys · fails 2, 3, 4
write_shards = writing(key=lambda i, shard, j, sample: sample[0])

# %% wrong: names without dots as keys · fails 2, 3, 4
write_shards = writing(key=lambda i, shard, j, sample: sample[0].replace(".", "_"))

# %% wrong: no name · fails 3
write_shards = writing(fields=lambda name, image, label: {"bin": image, "cls": label})

# %% wrong: nothing written · fails 0, 1, 2, 3, 4
def write_shards(samples, folder, shards):
    return None

# %% wrong: one shard only · fails 0, 1
write_shards = writing(bounds=lambda n, shards: [0, n])

# %% wrong: other field · fails 3
write_shards = writing(fields=lambda name, image, label: {"jpg": image, "cls": label, "txt": name})

# %% wrong: other names · fails 0
write_shards = writing(name="shard-{:06d}.tar")

# %% wrong: round robin · fails 3
def write_shards(samples, folder, shards):
    for shard in range(shards):
        with wds.TarWriter(str(folder / f"train-{shard:06d}.tar"), mtime=0) as writer:
            for i in range(shard, len(samples), shards):
                name, image, label = samples[i]
                writer.write({"__key__": f"{i:09d}", "bin": image, "cls": label, "txt": name})

# %% wrong: shardwriter with maxcount · fails 0, 1
def write_shards(samples, folder, shards):
    each = -(-len(samples) // shards)
    with wds.ShardWriter(str(folder / "train-%06d.tar"), maxcount=each, verbose=0, mtime=0) as writer:
        for i, (name, image, label) in enumerate(samples):
            writer.write({"__key__": f"{i:09d}", "bin": image, "cls": label, "txt": name})

# %% wrong: takes the samples out · fails 0
def write_shards(samples, folder, shards):
    writing()(list(samples), folder, shards)
    samples.clear()

# %% wrong: the rest in the last shard · fails 1
def rest_in_the_last(n, shards):
    return [*(n // shards * i for i in range(shards)), n]


write_shards = writing(bounds=rest_in_the_last)

# %% wrong: the time of writing · fails 4
write_shards = writing(mtime=None)

# %% wrong: names in ascii · fails 3
write_shards = writing(
    fields=lambda name, image, label: {"bin": image, "cls": label, "txt": name.encode("ascii", "ignore").decode()}
)

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

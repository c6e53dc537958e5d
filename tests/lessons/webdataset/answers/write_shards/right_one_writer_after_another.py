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

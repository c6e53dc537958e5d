# fails: 4
import gzip


def write_shards(samples, folder, shards):
    writing()(samples, folder, shards)
    for path in folder.glob("*.tar"):
        path.write_bytes(gzip.compress(path.read_bytes()))

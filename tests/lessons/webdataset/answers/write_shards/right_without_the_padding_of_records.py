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

# fails: 0
from pathlib import Path

import webdataset as wds


def write_shards(samples, folder, shards):
    count, index = len(samples), 0
    for i in range(shards):
        with wds.TarWriter(str(Path(folder, f"train-{i:06d}.tar")), mtime=0) as writer:
            while index < count * (i + 1) // shards:
                name, image, label = samples.pop(0)
                writer.write({"__key__": f"{index:09d}", "bin": image, "cls": label, "txt": name})
                index += 1

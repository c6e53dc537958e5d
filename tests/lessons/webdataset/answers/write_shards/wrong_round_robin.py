# fails: 3
import webdataset as wds


def write_shards(samples, folder, shards):
    for shard in range(shards):
        with wds.TarWriter(str(folder / f"train-{shard:06d}.tar"), mtime=0) as writer:
            for i in range(shard, len(samples), shards):
                name, image, label = samples[i]
                writer.write({"__key__": f"{i:09d}", "bin": image, "cls": label, "txt": name})

# fails: 0, 1
import webdataset as wds


def write_shards(samples, folder, shards):
    with wds.ShardWriter(
        str(folder / "train-%06d.tar"), maxcount=-(-len(samples) // shards), verbose=0, mtime=0
    ) as writer:
        for i, (name, image, label) in enumerate(samples):
            writer.write({"__key__": f"{i:09d}", "bin": image, "cls": label, "txt": name})

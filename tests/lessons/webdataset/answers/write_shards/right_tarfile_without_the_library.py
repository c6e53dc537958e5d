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

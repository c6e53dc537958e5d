"""Run one loader plainly: python measure.py FILE [EPOCHS] [SECONDS]; samples/s with the step where the file has one."""
import importlib.util
import sys
import time


def first_tensor(batch):
    import torch
    if isinstance(batch, torch.Tensor):
        return batch
    for part in batch.values() if isinstance(batch, dict) else batch:
        if isinstance(part, torch.Tensor):
            return part


def main(path, epochs=2, seconds=30.0):
    spec = importlib.util.spec_from_file_location("user", path)
    user = importlib.util.module_from_spec(spec)
    sys.modules["user"] = user
    spec.loader.exec_module(user)
    loader = user.make_loader()
    step = user.make_step() if hasattr(user, "make_step") else lambda batch: None
    start, samples = time.perf_counter(), 0
    for epoch in range(epochs):
        for batch in loader:
            step(batch)
            samples += len(batch["y"]) if isinstance(batch, dict) and "y" in batch else len(first_tensor(batch))
            if time.perf_counter() - start > seconds:
                break
    wall = time.perf_counter() - start
    print(f"{path}: {samples} samples, {wall:.2f} s, {samples / wall:.0f} samples/s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *(type_(v) for type_, v in zip((int, float), sys.argv[2:])))

"""measure.py SECONDS NAMES…: samples/s of the ill and the cured loader in turn, each in a process of its own; KIND=mem: MB kept by the workers."""
import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
os.environ.setdefault("ZOO_DATA", str(HERE.parent / "data"))
os.environ.setdefault("HF_HUB_OFFLINE", "1")


def size(batch):
    if isinstance(batch, dict):
        batch = list(batch.values())
    return size(batch[0]) if isinstance(batch, (list, tuple)) else len(batch)


def one(path, seconds):
    import warnings
    warnings.filterwarnings("ignore")
    import psutil
    spec = importlib.util.spec_from_file_location("case", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["case"] = module
    spec.loader.exec_module(module)
    loader = module.make_loader()
    step = module.make_step() if hasattr(module, "make_step") and not os.environ.get("NO_STEP") else lambda batch: None
    began = None
    counted, epochs, memory = 0, 0, []
    while True:
        for batch in loader:
            if began is None:                     # workers are up, files are in the page cache
                began = time.perf_counter()
                continue
            counted += size(batch)
            step(batch)
            if time.perf_counter() - began > 6 * seconds:
                break
        spent = time.perf_counter() - began
        epochs += 1
        memory.append(sum(p.memory_full_info().uss for p in psutil.Process().children(recursive=True)) >> 20)
        if spent > seconds and epochs >= int(os.environ.get("EPOCHS", "1")):
            break
    print(f"{counted / spent:.2f} {epochs} {memory}")


if __name__ == "__main__":
    if sys.argv[1] == "one":
        one(sys.argv[2], float(sys.argv[3]))
        sys.exit()
    for name in sys.argv[2:]:
        rates = {"loaders": [], "cured": []}
        memory = {}
        for _ in range(2):
            for which in rates:
                path = HERE / which / f"{name}.py"
                if not path.exists():
                    continue
                out = subprocess.run([sys.executable, __file__, "one", str(path), sys.argv[1]], capture_output=True, text=True, timeout=300)
                if out.returncode:
                    print(name, which, "fails:", out.stderr.strip().splitlines()[-1])
                    continue
                rate, epochs, kept = out.stdout.strip().split("\n")[-1].split(" ", 2)
                rates[which].append(float(rate))
                memory[which] = kept
        gain = f"{sum(rates['cured']) / sum(rates['loaders']):.2f}" if rates["cured"] and rates["loaders"] else "-"
        print(f"{name:18} ill {rates['loaders']} cured {rates['cured']} gain {gain} workers' MB {memory}", flush=True)

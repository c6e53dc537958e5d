"""What an epoch delivers, ill and cured: distinct rows, missing and repeated ones, or the failure."""
import importlib.util
import os
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
os.environ.setdefault("ZOO_DATA", str(HERE.parent / "data"))
WHAT = {"whale_blocks": (1440, lambda b: [x.numpy().tobytes() for x in b[0]]), "weather_shards": (4000, lambda b: b[1].tolist()),
        "leaves_broken": (400, lambda b: [x.numpy().tobytes() for x in b[0]])}

for name, (rows, keys) in WHAT.items():
    for which in ("loaders", "cured"):
        spec = importlib.util.spec_from_file_location(name, HERE / which / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        loader = module.make_loader()
        for epoch in range(3):
            seen = Counter()
            try:
                for batch in loader:
                    seen.update(keys(batch))
            except Exception as error:
                print(name, which, "epoch", epoch, "after", sum(seen.values()), "samples:", type(error).__name__, str(error).strip().splitlines()[-1])
                break
            print(name, which, "epoch", epoch, f"delivered {sum(seen.values())}, of {rows} rows distinct {len(seen)}, missing {rows - len(seen)}, "
                  f"repeated {sum(seen.values()) - len(seen)}", flush=True)
        del loader

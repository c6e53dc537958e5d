"""Show what the loaders that deliver wrong data deliver, and that the hang is one: python check.py FOLDER NAME."""
import collections
import importlib.util
import sys
import threading
import os

folder, name = sys.argv[1:3]
spec = importlib.util.spec_from_file_location("user", f"{folder}/{name}.py")
user = importlib.util.module_from_spec(spec)
sys.modules["user"] = user
spec.loader.exec_module(user)
loader = user.make_loader()

if name == "fraud":
    rows = collections.Counter(tuple(x.tolist()) for features, _ in loader for x in features)
    print("rows drawn", sum(rows.values()), "different", len(rows), "of", len(loader.dataset))
elif name == "ok_imbalanced":
    rows = collections.Counter(tuple(x.tolist()) for numbers, *_ in loader for x in numbers)
    print("rows drawn", sum(rows.values()), "different", len(rows), "of", len(loader.dataset))
elif name == "sales_shards":
    seen = collections.Counter(int(n) for numbers, *_ in loader for n in numbers)
    print("rows", sum(seen.values()), "different", len(seen), "of 3200; each seen", set(seen.values()))
elif name == "ncf_negatives":
    epochs = [[tuple(r.tolist()) for *_, negatives in loader for r in negatives] for _ in range(3)]
    print("negatives of epoch 1 that are those of epoch 0, place by place:", sum(a == b for a, b in zip(epochs[0], epochs[1])), "of", len(epochs[0]),
          "different in three epochs:", len(set(epochs[0] + epochs[1] + epochs[2])))
elif name == "molecules":
    seen = {int(n) for batch in loader for n in batch["idx"]}
    sizes = [len(x) for x in loader.dataset.x]
    print("molecules", len(seen), "of", len(loader.dataset), "over 40 atoms:", sum(s > 40 for s in sizes), "batches", len(loader))
elif name == "ner_spans":
    threading.Timer(10, lambda: (print("no batch in 10 s: hangs", flush=True), os._exit(1))).start()
    print("batches", sum(1 for _ in loader), flush=True)
    os._exit(0)

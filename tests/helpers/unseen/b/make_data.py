"""Make the data of set b in $ZOO_B (by default data): about 130 MB, half a minute."""
import gzip
import json
import os
import struct
import sys
import zlib
from pathlib import Path

import numpy as np

DATA = Path(os.environ.get("ZOO_B", "data"))
R = np.random.default_rng(7)


def once(name):
    def wrap(make):
        path = DATA / name
        if not path.exists() and name in (sys.argv[1:] or [name]):
            DATA.mkdir(parents=True, exist_ok=True)
            print(name, flush=True)
            make(path)
        return make
    return wrap


@once("eeg")
def _(path):
    import pandas as pd
    path.mkdir()
    rows = []
    for subject in range(6):
        np.save(path / f"sub-{subject:02d}.npy", R.normal(size=(22, 120_000)).astype("float32"))
        for trial, start in enumerate(range(0, 118_000, 125)):
            rows.append((f"sub-{subject:02d}", "session_T", f"run_{trial % 6}", trial % 4, 0, start, start + 250))
    pd.DataFrame(rows, columns=["subject", "session", "run", "target", "i_window_in_trial", "i_start_in_trial", "i_stop_in_trial"]).to_csv(
        path / "metadata.csv", index=False)


@once("ecg.npy")
def _(path):
    np.save(path, (R.normal(size=(2000, 12, 500)) * 400).astype("int16"))


@once("corpus")
def _(path):
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    path.mkdir()
    words = ["".join(R.choice(list("abcdefghijklmnopqrstuvwxyz"), int(R.integers(2, 10)))) for _ in range(6000)]
    texts = [" ".join(R.choice(words, int(R.integers(40, 160)))) for _ in range(6000)]
    for shard in range(4):
        with gzip.open(path / f"part-{shard}.jsonl.gz", "wt", compresslevel=1) as f:
            f.writelines(json.dumps({"id": i, "text": texts[i]}) + "\n" for i in range(shard, len(texts), 4))
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(texts[:300], trainers.BpeTrainer(vocab_size=4000, special_tokens=["[PAD]", "[UNK]"], show_progress=False))
    tokenizer.save(str(path / "tokenizer.json"))


@once("sessions.bin")
def _(path):
    """Sessions of clicks: JSON, compressed, one after the other; the places are in sessions.idx."""
    places = []
    with open(path, "wb") as f:
        for i in range(2500):
            clicks = [{"t": int(t), "item": int(j), "price": round(float(p), 2)}
                      for t, j, p in zip(np.sort(R.integers(0, 10**6, 700)), R.integers(0, 50_000, 700), R.gamma(2, 20, 700))]
            record = zlib.compress(json.dumps({"session": i, "clicks": clicks}).encode(), 6)
            places.append((f.tell(), len(record)))
            f.write(record)
    (DATA / "sessions.idx").write_bytes(b"".join(struct.pack("<qq", *place) for place in places))


@once("sales")
def _(path):
    path.mkdir()
    for k in range(8):
        with open(path / f"sales-{k:02d}.csv", "w") as f:
            for i in range(400):
                f.write(",".join([str(k * 400 + i), *(f"{v:.4f}" for v in R.normal(size=24)), f"{R.gamma(2, 10):.2f}"]) + "\n")

"""Documents for pretraining, streamed: read, tokenise, shuffle with a buffer, cut to length."""
import gzip
import json
import os
import random
import time
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

CORPUS = Path(os.environ.get("ZOO_B", "data")) / "corpus"


class Documents(IterableDataset):
    def __init__(self, folder, length=512, buffer_size=10_000):
        self.shards = sorted(folder.glob("*.jsonl.gz"))
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.length, self.buffer_size = length, buffer_size

    def read(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for shard in self.shards[first::step]:
            with gzip.open(shard, "rt") as lines:
                for line in lines:
                    yield json.loads(line)["text"]

    def encode(self, texts):
        for text in texts:
            ids = self.tokenizer.encode(text).ids[:self.length]
            yield torch.tensor(ids + [0] * (self.length - len(ids)))

    def shuffle(self, samples):
        buffer = []
        for sample in samples:
            if len(buffer) < self.buffer_size:
                buffer.append(sample)
                continue
            place = random.randrange(self.buffer_size)
            yield buffer[place]
            buffer[place] = sample
        random.shuffle(buffer)
        yield from buffer

    def __iter__(self):
        return self.shuffle(self.encode(self.read()))


def make_loader():
    return DataLoader(Documents(CORPUS), batch_size=32, num_workers=2, persistent_workers=True)


def make_step():
    return lambda batch: time.sleep(0.008)

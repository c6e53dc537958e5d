"""Named entities: token ids, tags, and where each token stands in the text, to mark what was found."""
import re
import time

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

WORDS = re.compile(r"\w+")


class Sentences(Dataset):
    def __init__(self, count=4000):
        draw = np.random.default_rng(0)
        words = ["".join(draw.choice(list("abcdefghijklmnop"), 6)) for _ in range(500)]
        self.vocabulary = {word: number for number, word in enumerate(words, 1)}
        self.texts = [" ".join(draw.choice(words, draw.integers(5, 30))) for _ in range(count)]

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        text = self.texts[index]
        ids = torch.tensor([self.vocabulary[word] for word in WORDS.findall(text)])
        return {"ids": ids, "tags": ids % 9, "spans": WORDS.finditer(text), "text": text}


def collate(samples):
    return {
        "ids": pad_sequence([sample["ids"] for sample in samples], batch_first=True),
        "tags": pad_sequence([sample["tags"] for sample in samples], batch_first=True, padding_value=-100),
        "spans": [sample["spans"] for sample in samples],
        "text": [sample["text"] for sample in samples],
    }


def make_loader():
    return DataLoader(Sentences(), batch_size=32, shuffle=True, num_workers=2, collate_fn=collate)


def make_step():
    return lambda batch: time.sleep(0.01)

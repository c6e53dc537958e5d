"""Fine-tuning of a ViT on pets: a dataset of Hugging Face with a transform, and the collate function of a tutorial."""
import io
import os
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
from datasets import load_from_disk
from PIL import Image
from torch.utils.data import DataLoader

PETS = Path(os.environ.get("ZOO_DATA", "data")) / "pets"
MEAN = np.array([0.5, 0.5, 0.5], dtype=np.float32)
STD = np.array([0.5, 0.5, 0.5], dtype=np.float32)


def pixels(data):
    image = Image.open(io.BytesIO(data)).convert("RGB").resize((224, 224), Image.BILINEAR)
    x = np.asarray(image, dtype=np.float32) / 255
    return ((x - MEAN) / STD).transpose(2, 0, 1)


def transform(batch):
    return {"pixel_values": [pixels(data) for data in batch["jpeg"]], "label": batch["label"]}


def collate_fn(examples):
    pixel_values = torch.tensor([example["pixel_values"] for example in examples])
    labels = torch.tensor([example["label"] for example in examples])
    return {"pixel_values": pixel_values, "labels": labels}


def make_loader():
    pets = load_from_disk(str(PETS)).with_transform(transform)
    return DataLoader(pets, batch_size=16, shuffle=True, collate_fn=collate_fn, num_workers=2, persistent_workers=True)

# %% given
# What some of the wrong answers to this exercise share.
import torch


def lengths(samples):
    return [len(boxes) for _image, boxes in samples]


def images_as_bytes(samples, device):
    return torch.stack([image for image, _boxes in samples]).to(device) / 255

# %% right: default_collate, and multiplied
from torch.utils.data import default_collate


def deliver(samples, device):
    images, boxes = zip(*samples)
    images = default_collate(images).to(device, non_blocking=True).float().mul_(1 / 255)
    flat = torch.cat(boxes).to(device, non_blocking=True)
    return [images, list(torch.split(flat, [*map(len, boxes)]))]

# %% right: padded, and cut
def deliver(samples, device):
    counts = lengths(samples)
    boxes = torch.nn.utils.rnn.pad_sequence([boxes for _image, boxes in samples], batch_first=True).to(device)
    return images_as_bytes(samples, device), [boxes[n, :count] for n, count in enumerate(counts)]

# %% right: all in one tensor of bytes
def deliver(samples, device):
    boxes = torch.cat([boxes for _image, boxes in samples])
    images = torch.stack([image for image, _boxes in samples])
    packed = torch.cat([boxes.view(torch.uint8).flatten(), images.flatten()]).to(device)
    ends = 16 * len(boxes)
    found = packed[:ends].view(torch.float32).reshape(-1, 4)
    return packed[ends:].reshape(images.shape) / 255.0, found.split(lengths(samples))

# %% right: copied into tensors of the device
def deliver(samples, device):
    images = torch.empty(len(samples), *samples[0][0].shape, dtype=torch.uint8, device=device)
    images.copy_(torch.stack([image for image, _boxes in samples]))
    boxes = torch.zeros(sum(lengths(samples)), 4, device=device)
    boxes[:] = torch.vstack([boxes for _image, boxes in samples])
    return torch.true_divide(images, 255), torch.split(boxes, lengths(samples))

# %% wrong: nothing changed · fails 0, 1, 2
def deliver(samples, device):
    images = torch.stack([image / 255 for image, _boxes in samples])
    return images.to(device), [boxes.to(device) for _image, boxes in samples]

# %% wrong: bytes, but a copy for the boxes of each image · fails 1
def deliver(samples, device):
    return images_as_bytes(samples, device), [boxes.to(device) for _image, boxes in samples]

# %% wrong: few copies of floats · fails 0
def deliver(samples, device):
    images = torch.stack([image / 255 for image, _boxes in samples]).to(device)
    return images, torch.cat([boxes for _image, boxes in samples]).to(device).split(lengths(samples))

# %% wrong: converted on the way · fails 0
def deliver(samples, device):
    images = torch.stack([image for image, _boxes in samples]).to(device, torch.float32) / 255
    return images, torch.cat([boxes for _image, boxes in samples]).to(device).split(lengths(samples))

# %% wrong: a copy for each image · fails 1
def deliver(samples, device):
    images = torch.stack([image.to(device) for image, _boxes in samples]) / 255
    return images, torch.cat([boxes for _image, boxes in samples]).to(device).split(lengths(samples))

# %% wrong: half precision · fails 0, 1, 2
def deliver(samples, device):
    images = torch.stack([(image / 255).half() for image, _boxes in samples]).to(device).float()
    return images, torch.cat([boxes for _image, boxes in samples]).to(device).split(lengths(samples))

# %% wrong: images stay bytes · fails 0, 1, 2
def deliver(samples, device):
    images = torch.stack([image for image, _boxes in samples]).to(device)
    return images, torch.cat([boxes for _image, boxes in samples]).to(device).split(lengths(samples))

# %% wrong: boxes stay on the CPU · fails 0, 1, 2
def deliver(samples, device):
    return images_as_bytes(samples, device), [boxes for _image, boxes in samples]

# %% wrong: images without boxes left out · fails 0, 1, 2
def deliver(samples, device):
    boxes = torch.cat([boxes for _image, boxes in samples]).to(device)
    return images_as_bytes(samples, device), boxes.split([n for n in lengths(samples) if n])

# %% wrong: boxes not cut · fails 0, 1, 2
def deliver(samples, device):
    return images_as_bytes(samples, device), torch.cat([boxes for _image, boxes in samples]).to(device)

# %% right: into memory of the device, without waiting
def deliver(samples, device):
    images, boxes = zip(*samples)
    stacked = torch.stack(images)
    there = torch.empty(stacked.shape, device=device).copy_(stacked, non_blocking=True) / 255
    sent = torch.cat(boxes).to(device)
    return there, sent.split([len(each) for each in boxes])

# %% wrong: floats, copied without waiting · fails 0
def deliver(samples, device):
    images, boxes = zip(*samples)
    stacked = torch.stack(images).float() / 255
    there = torch.empty(stacked.shape, device=device).copy_(stacked, True)
    return there, torch.cat(boxes).to(device).split([len(each) for each in boxes])

# %% wrong: boxes of half the size · fails 0, 1, 2
def deliver(samples, device):
    images, boxes = zip(*samples)
    sent = torch.cat(boxes).half().to(device).float()
    return torch.stack(images).to(device) / 255, sent.split([len(each) for each in boxes])

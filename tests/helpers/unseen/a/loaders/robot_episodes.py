"""A policy for a robot arm: what the camera saw now and a moment ago, out of the videos of the episodes; the host has 16 cores."""
import os
from pathlib import Path

import av
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

EPISODES = Path(os.environ.get("ZOO_DATA", "data")) / "episodes"
FPS = 25


def decode_frames(path, timestamps):
    """Return the frames at these seconds, in order."""
    frames = []
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        stream.codec_context.thread_count = 16
        container.seek(int(timestamps[0] * av.time_base))
        for frame in container.decode(stream):
            if frame.time >= timestamps[len(frames)] - 0.5 / FPS:
                frames.append(frame.to_ndarray(format="rgb24"))
                if len(frames) == len(timestamps):
                    break
    return np.stack(frames)


class Episodes(Dataset):
    def __init__(self, folder, seconds=18, per_second=5):
        self.index = [(path, k / per_second) for path in sorted(folder.glob("*.mp4")) for k in range(seconds * per_second)]
        self.actions = torch.zeros(len(self.index), 7)

    def __len__(self):
        return len(self.index)

    def __getitem__(self, i):
        path, t = self.index[i]
        images = torch.from_numpy(decode_frames(path, [t, t + 0.2])).permute(0, 3, 1, 2)
        return {"images": images, "action": self.actions[i]}


def make_loader():
    return DataLoader(Episodes(EPISODES), batch_size=8, shuffle=True, num_workers=2, persistent_workers=True)

# fails: 0, 1, 3
import numpy as np
import torch

PackedFields = packing(
    lambda batch: {n: f.contiguous().numpy() for n, f in batch.items()},
    lambda packed: {n: torch.from_numpy(np.array(a)) for n, a in packed.items()},
)

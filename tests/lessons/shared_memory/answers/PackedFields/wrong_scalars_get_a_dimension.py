# fails: 4
import torch

PackedFields = packing(unpack=lambda p: {n: torch.atleast_1d(f) for n, f in ByDtype.unpack(p).items()})

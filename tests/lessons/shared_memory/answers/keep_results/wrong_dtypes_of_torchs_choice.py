# fails: 0, 2
import torch

keep_results = each(lambda v: torch.tensor(v.tolist()))

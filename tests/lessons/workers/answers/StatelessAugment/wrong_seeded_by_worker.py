# fails: 1
import numpy as np
from torch.utils.data import get_worker_info

StatelessAugment = augment(
    lambda self, i: np.random.default_rng(
        [self.seed, self.epoch, i, getattr(get_worker_info(), "id", 9)]
    ).uniform(0.8, 1.2)
)

# fails: 0
import numpy as np

StatelessAugment = augment(
    lambda self, i: np.random.default_rng([self.seed, self.epoch, i]).uniform(0.5, 1.5)
)

import numpy as np

StatelessAugment = augment(
    lambda self, i: np.random.default_rng([self.seed, self.epoch * len(self) + i]).uniform(0.8, 1.2)
)

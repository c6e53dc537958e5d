# fails: 5
import numpy as np

StatelessAugment = augment(
    lambda self, i: np.random.default_rng([self.seed, 1000 * self.epoch + i]).uniform(0.8, 1.2)
)

# fails: 0
import numpy as np

StatelessAugment = augment(
    lambda self, i: round(np.random.default_rng([self.seed, self.epoch, i]).uniform(0.8, 1.2), 2)
)

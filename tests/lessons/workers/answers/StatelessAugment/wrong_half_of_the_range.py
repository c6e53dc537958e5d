# fails: 0
StatelessAugment = augment(
    lambda self, i: np.random.default_rng([self.seed, self.epoch, i]).uniform(0.8, 1.0)
)

# fails: 0
def gain(self, i):
    rng = np.random.default_rng([self.seed, self.epoch, i])
    while True:
        drawn = rng.normal(1, 0.1)
        if 0.8 <= drawn <= 1.2:
            return drawn


StatelessAugment = augment(gain)

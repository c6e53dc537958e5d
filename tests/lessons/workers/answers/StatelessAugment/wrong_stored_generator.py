# fails: 1


StatelessAugment = augment(lambda self, i: self.rng.uniform(0.8, 1.2))

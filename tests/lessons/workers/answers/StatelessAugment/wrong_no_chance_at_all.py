# fails: 0, 1, 2, 3, 4, 5


StatelessAugment = augment(lambda self, i: 1.0)

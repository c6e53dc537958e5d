# fails: 1
import random

StatelessAugment = augment(lambda self, i: random.uniform(0.8, 1.2))
